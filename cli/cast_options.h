// SPDX-License-Identifier: Apache-2.0
//
// The options of cast, which two sources share: cast.cc casts a file of one array, cast_tensors.cc
// files of many tensors.
#ifndef EXACTCAST_CLI_CAST_OPTIONS_H_
#define EXACTCAST_CLI_CAST_OPTIONS_H_

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/report.h"
#include "exactcast/container.h"
#include "exactcast/status.h"

namespace exactcast::cli {

struct CastOptions {
  std::string input;
  std::string output;
  std::optional<std::string> to;
  std::optional<std::string> derive_with;
  std::optional<std::string> from;
  std::string profile = "exact";
  std::optional<std::string> round;
  std::optional<std::string> overflow;
  std::optional<std::string> nan;
  std::optional<std::string> shape;
  std::optional<std::string> deqscale;
  std::optional<std::string> offset;
  ChoiceOptions choices;
  int threads = 0;
  bool unpacked = false;
  bool packed = false;
  bool strict = false;
  bool no_counts = false;
  bool explain_plan = false;
  bool force = false;
  bool json = false;
  bool quiet = false;
  bool no_sync = false;
  std::vector<std::string> report;  // files
  // Of files of many tensors only.
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::vector<std::string> map;
  bool only_floating = true;
  bool ignore_scales = false;
  bool skip_unindexed = false;
  bool resume = false;
  bool plan = false;
};

// What both have in common.
Result<FileCastRequest> ToRequest(const CastOptions& options);

void AddTensorOptions(CLI::App& app, CastOptions* options);
// Whether names or options ask for what cast_tensors.cc does.
bool AreForTensors(const CastOptions& options);
Status CastTensors(const CastOptions& options, const FileCastRequest& request);

// Before the work, and after it: `result` as CastFile or CastTensorFiles gave it.
Status CheckReports(const CastOptions& options);
template <typename Request, typename CastOutcome>
Status WriteReports(const CastOptions& options, const Request& request, const CastOutcome& result) {
  if (options.report.empty()) return {};
  const Report report = ReportOf(request, result, CommandText());
  for (const std::string& path : options.report) {
    if (Status status = WriteReportFile(path, report); !status.ok()) {
      return {status.code(), fmt::format("{}; OUTPUT is complete", status.message())};
    }
  }
  return {};
}

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_CAST_OPTIONS_H_
