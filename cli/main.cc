// SPDX-License-Identifier: Apache-2.0
//
// The command's main: arguments in, an error line and an exit status out. The table of sub-commands is
// app.cc; what one does is in its own file.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "cli/app.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/streams.h"
#include "exactcast/names.h"

namespace exactcast::cli {
namespace {

constexpr int kDifferences = 1;  // the exit status

int Fail(const Status& status) {
  PrintError(status.message());
  return static_cast<int>(status.code());
}

// A first word that is no command: CLI11 would only say that it was not expected.
Status CheckCommandWord(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  const std::string_view word = argv[1];
  const std::vector<std::string_view> names = CommandNames();
  if (std::find(names.begin(), names.end(), word) != names.end()) return {};
  return UsageError(
      fmt::format("unknown command '{}'; the commands are {}", word, WordList(names, "and")));
}

// CLI11 takes -inf and -.5 for options. A VALUE of explain that begins with a minus goes to the
// end, behind "--"; what follows an option is that option's.
std::vector<std::string> ProtectNegativeValue(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front() != "explain") return arguments;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") break;
    const std::string& before = arguments[i - 1];
    const bool of_option =
        before.starts_with("--") && before != "--json" && before.find('=') == std::string::npos;
    const bool negative =
        argument.size() > 1 && argument[0] == '-' && argument[1] != '-' && argument != "-h";
    if (!negative || of_option) continue;
    std::rotate(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
    arguments.insert(arguments.end() - 1, "--");
    break;
  }
  return arguments;
}

// "exactcast cast" when an option of cast was wrong.
std::string HelpCommand(const CLI::App& app) {
  std::string command = app.get_name();
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  return command + " --help";
}

int Main(int argc, char** argv) {
  // Large blocks go back to the system when they are freed: glibc would come to keep them.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  HoldStandardStreams();
  RememberCommand(argc, argv);
  // A closed pipe and a limit on file sizes are errors of writing, with their own exit status.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const std::unique_ptr<CommandLine> line = MakeCommandLine();
  CLI::App& app = line->app;
  if (const Status status = CheckCommandWord(argc, argv); !status.ok()) return Fail(status);
  if (argc < 2) {
    const Status status = Print(app.help());
    return status.ok() ? static_cast<int>(StatusCode::kUsage) : Fail(status);
  }
  try {
    std::vector<std::string> arguments = ProtectNegativeValue({argv + 1, argv + argc});
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants a vector
    app.parse(arguments);
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
  for (const auto& [sub, run] : line->commands) {
    if (!sub->parsed()) continue;
    const Ending ending = run();
    if (!ending.status.ok()) return Fail(ending.status);
    if (ending.differs) return kDifferences;
  }
  return 0;
}

}  // namespace

}  // namespace exactcast::cli

int main(int argc, char** argv) {
  try {
    return exactcast::cli::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("exactcast: out of memory\n", stderr);
    return static_cast<int>(exactcast::StatusCode::kBadInput);
  }
}
