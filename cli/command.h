// SPDX-License-Identifier: Apache-2.0
//
// What a sub-command is: one row in main.cc, one source file, one function that adds its options
// and says how to run.
#ifndef EXACTCAST_CLI_COMMAND_H_
#define EXACTCAST_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

#include "exactcast/status.h"

namespace exactcast::cli {

// Called once the options are parsed; prints results, returns what went wrong.
using Runner = std::function<Status()>;

Runner AddCast(CLI::App& app);
Runner AddFormats(CLI::App& app);
Runner AddProfiles(CLI::App& app);

// Writes to standard output; a closed pipe or a full disk is kNotWritten.
Status Print(std::string_view text);
void Warn(std::string_view text);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_COMMAND_H_
