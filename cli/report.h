// SPDX-License-Identifier: Apache-2.0
//
// Reports: what casts did to tensors, or would do, as JSON, CSV, text, or a page. What is in them is
// statistics.h's matter; docs/report.md explains it to readers.
#ifndef EXACTCAST_CLI_REPORT_H_
#define EXACTCAST_CLI_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/container.h"
#include "exactcast/statistics.h"
#include "exactcast/status.h"
#include "exactcast/tensor_files.h"

namespace exactcast::cli {

struct ReportRow {
  std::string name;  // of the tensor; a file of one array: the file's
  std::string file;  // the shard; else empty
  FormatId from = FormatId::kFloat32;
  FormatId to = FormatId::kFloat32;  // the same as `from`: a tensor as it is
  std::string round;                 // the mode's name, where it is cast
  std::vector<std::uint64_t> shape;
  Counts counts;
  Statistics statistics;
};

struct Report {
  std::string title;  // "cast", "inspect"
  std::string command;
  std::string input;
  std::string output;  // empty: nothing was written
  std::string profile;
  std::uint64_t kept = 0;  // tensors that are not in `rows`
  std::vector<ReportRow> rows;

  [[nodiscard]] Counts TotalCounts() const;
  [[nodiscard]] Statistics TotalStatistics() const;
};

// Of what a cast did; `command` as CommandText() has it.
Report ReportOf(const FileCastRequest& request, const FileCastResult& result, std::string command);
Report ReportOf(const TensorFilesRequest& request, const TensorFilesResult& result,
                std::string command);

// The arguments that the program was called with, quoted for a shell where they need it.
void RememberCommand(int argc, const char* const* argv);
const std::string& CommandText();

std::string ReportJson(const Report& report);
std::string ReportCsv(const Report& report);
std::string ReportText(const Report& report);
std::string ReportPage(const Report& report);  // HTML

// Exponents of the values that a format tells apart: [least, normal) are subnormal, [normal, most]
// normal. Nothing: bool.
struct ExponentRange {
  int least = 0;
  int normal = 0;
  int most = 0;
};
std::optional<ExponentRange> ExponentsOf(const Format& format);

// Elements whose exponent is above the target's range, or below it: what falls off either end.
struct Beyond {
  std::uint64_t above = 0;
  std::uint64_t below = 0;
};
Beyond BeyondOf(const Statistics& statistics, const Format& to);

std::string NumberText(double x);  // "0.00123", "1.2e-07", "-" where there is none
std::string PercentText(std::uint64_t part, std::uint64_t whole);

// A file of a report: its ending chooses among .json, .csv, .txt and .html. Before the work: kUsage
// for another ending, or one of `others`, files that it would overwrite; kNotWritten if it is there and
// `force` does not replace it, or its folder is not.
Status CheckReportFile(const std::string& path, const std::vector<std::string>& others, bool force);
// After it: whole or not at all.
Status WriteReportFile(const std::string& path, const Report& report);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_REPORT_H_
