// SPDX-License-Identifier: Apache-2.0
//
// The table of sub-commands.
#include "cli/app.h"

#include <fmt/format.h>

#include <array>

#include "exactcast/version.h"

namespace exactcast::cli {
namespace {

struct CommandRow {
  const char* name;
  const char* summary;
  Runner (*add)(CLI::App& app);
};

constexpr std::array<CommandRow, 9> kCommands = {{
    {"cast", "Cast a tensor file from one number format to another", AddCast},
    {"compare", "Compare two tensor files, or checkpoints, element by element", AddCompare},
    {"derive", "Derive the type of an operation on several operands", AddDerive},
    {"explain", "Draw why one value becomes what it becomes", AddExplain},
    {"formats", "List the number formats, or describe one", AddFormats},
    {"inspect", "Tell what tensor files hold, and what a cast would lose", AddInspect},
    {"profiles", "List the profiles, or the pairs that one has", AddProfiles},
    {"rescale", "Rescale integers as Arm TOSA's RESCALE does", AddRescale},
    {"vectors", "Write test data for a cast: inputs and outputs", AddVectors},
}};

constexpr const char* kExitStatuses =
    "Exit status: 0 done; 1 a comparison found differences; 2 wrong use; 3 bad input; 4 a pair,\n"
    "mode or form that the profile does not have; 5 an output that could not be written.";

}  // namespace

std::unique_ptr<CommandLine> MakeCommandLine() {
  auto line = std::make_unique<CommandLine>();
  CLI::App& app = line->app;
  app.name("exactcast");
  app.description(
      "Turns tensors from one number format into another, bit for bit as a named target does it.");
  app.set_version_flag("--version", fmt::format("exactcast {}", kVersion));
  app.require_subcommand(1);
  app.footer(kExitStatuses);
  for (const CommandRow& row : kCommands) {
    CLI::App* sub = app.add_subcommand(row.name, row.summary);
    sub->footer(kExitStatuses);
    line->commands.emplace_back(sub, row.add(*sub));
  }
  return line;
}

std::vector<std::string_view> CommandNames() {
  std::vector<std::string_view> names;
  names.reserve(kCommands.size());
  for (const CommandRow& row : kCommands) names.emplace_back(row.name);
  return names;
}

}  // namespace exactcast::cli
