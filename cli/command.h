// SPDX-License-Identifier: Apache-2.0
//
// What a sub-command is: one row in app.cc, one source file, one function that adds its options
// and says how to run.
#ifndef EXACTCAST_CLI_COMMAND_H_
#define EXACTCAST_CLI_COMMAND_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>
#include <utility>

#include "exactcast/status.h"

namespace exactcast::cli {

// How a command ended: with what went wrong, or well; `differs` makes that exit status 1.
struct Ending {
  Ending(Status s, bool d = false)  // NOLINT(google-explicit-constructor)
      : status(std::move(s)), differs(d) {}

  Status status;
  bool differs = false;
};

// Called once the options are parsed; prints results.
using Runner = std::function<Ending()>;

Runner AddCast(CLI::App& app);
Runner AddCompare(CLI::App& app);
Runner AddDerive(CLI::App& app);
Runner AddExplain(CLI::App& app);
Runner AddFormats(CLI::App& app);
Runner AddInspect(CLI::App& app);
Runner AddProfiles(CLI::App& app);
Runner AddRescale(CLI::App& app);
Runner AddVectors(CLI::App& app);

// Writes to standard output; a closed pipe or a full disk is kNotWritten.
Status Print(std::string_view text);

// One line on standard error, "exactcast: ...".
void PrintError(std::string_view message);
void Warn(std::string_view text);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_COMMAND_H_
