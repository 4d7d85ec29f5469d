// SPDX-License-Identifier: Apache-2.0
//
// The command: the table of sub-commands, and errors as one line and an exit status. What a
// sub-command does is in its own file.
#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "exactcast/names.h"
#include "exactcast/version.h"

namespace exactcast::cli {
namespace {

struct CommandRow {
  const char* name;
  const char* summary;
  Runner (*add)(CLI::App& app);
};

constexpr std::array<CommandRow, 3> kCommands = {{
    {"cast", "Cast a tensor file from one number format to another", AddCast},
    {"formats", "List the number formats, or describe one", AddFormats},
    {"profiles", "List the profiles, or the pairs that one has", AddProfiles},
}};

constexpr const char* kExitStatuses =
    "Exit status: 0 done; 1 a comparison found differences; 2 wrong use; 3 bad input; 4 a pair,\n"
    "mode or form that the profile does not have; 5 an output that could not be written.";

void PrintError(std::string_view message) {
  std::fputs(fmt::format("exactcast: {}\n", message).c_str(), stderr);
}

int Fail(const Status& status) {
  PrintError(status.message());
  return static_cast<int>(status.code());
}

// A first word that is no command: CLI11 would only say that it was not expected.
Status CheckCommandWord(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  const std::string_view word = argv[1];
  std::vector<std::string_view> names;
  for (const CommandRow& row : kCommands) {
    if (word == row.name) return {};
    names.push_back(row.name);
  }
  return UsageError(
      fmt::format("unknown command '{}'; the commands are {}", word, WordList(names, "and")));
}

// "exactcast cast" when an option of cast was wrong.
std::string HelpCommand(const CLI::App& app) {
  std::string command = app.get_name();
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  return command + " --help";
}

int Main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of writing, with its own exit status
  CLI::App app(
      "Turns tensors from one number format into another, bit for bit as a named target does it.",
      "exactcast");
  app.set_version_flag("--version", fmt::format("exactcast {}", kVersion));
  app.require_subcommand(1);
  app.footer(kExitStatuses);
  std::vector<std::pair<CLI::App*, Runner>> commands;
  for (const CommandRow& row : kCommands) {
    CLI::App* sub = app.add_subcommand(row.name, row.summary);
    sub->footer(kExitStatuses);
    commands.emplace_back(sub, row.add(*sub));
  }
  if (const Status status = CheckCommandWord(argc, argv); !status.ok()) return Fail(status);
  if (argc < 2) {
    const Status status = Print(app.help());
    return status.ok() ? static_cast<int>(StatusCode::kUsage) : Fail(status);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const Status status = Print(app.help());
    return status.ok() ? 0 : Fail(status);
  } catch (const CLI::CallForVersion& version) {
    const Status status = Print(fmt::format("{}\n", version.what()));
    return status.ok() ? 0 : Fail(status);
  } catch (const CLI::ParseError& error) {
    PrintError(fmt::format("{}; see '{}'", error.what(), HelpCommand(app)));
    return static_cast<int>(StatusCode::kUsage);
  }
  for (const auto& [sub, run] : commands) {
    if (!sub->parsed()) continue;
    const Status status = run();
    if (!status.ok()) return Fail(status);
  }
  return 0;
}

}  // namespace

Status Print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return {};
  return NotWritten("standard output could not be written: it is closed or full");
}

void Warn(std::string_view text) { PrintError(fmt::format("warning: {}", text)); }

}  // namespace exactcast::cli

int main(int argc, char** argv) { return exactcast::cli::Main(argc, argv); }
