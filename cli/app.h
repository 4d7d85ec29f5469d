// SPDX-License-Identifier: Apache-2.0
//
// The command line as a whole: the sub-commands with their options, and the texts that are made from
// them, so that the man page and the shells' completions cannot fall behind.
#ifndef EXACTCAST_CLI_APP_H_
#define EXACTCAST_CLI_APP_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace exactcast::cli {

struct CommandLine {
  CLI::App app;
  std::vector<std::pair<CLI::App*, Runner>> commands;
};

std::unique_ptr<CommandLine> MakeCommandLine();
std::vector<std::string_view> CommandNames();

std::string ManPage();         // exactcast.1
std::string BashCompletion();  // to be sourced, or put where bash-completion looks
std::string ZshCompletion();   // _exactcast, for a folder of fpath

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_APP_H_
