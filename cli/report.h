// SPDX-License-Identifier: Apache-2.0
//
// Reports: what casts did to tensors, or would do, as JSON, CSV, text, or a page. What is in them is
// statistics.h's matter; docs/report.md explains it to readers.
#ifndef EXACTCAST_CLI_REPORT_H_
#define EXACTCAST_CLI_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
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

// A tensor that there are no numbers of.
struct KeptTensor {
  std::string name;
  std::string format;
  std::string note;  // why; may be empty
};

// All rows with one target.
struct ReportTotal {
  FormatId to = FormatId::kFloat32;
  std::size_t tensors = 0;
  Counts counts;
  Statistics statistics;
};

// What --map reads: for each tensor the shortest format within a limit.
struct Suggestion {
  double limit = 0;  // of the relative error
  std::vector<std::string> lines;
};

struct Report {
  enum class Kind : std::uint8_t { kCast, kWouldCast, kAsItIs };
  Kind kind = Kind::kCast;
  std::string command;
  std::string input;
  std::string output;  // empty: nothing was written
  std::string profile;
  std::vector<KeptTensor> kept;
  std::vector<ReportRow> rows;
  std::vector<ReportTotal> totals;  // of all rows, were some taken away since; in order of targets
  std::optional<Suggestion> suggestion;

  void AddRow(ReportRow row);
  void AddKept(const TensorOutcome& tensor);
  [[nodiscard]] Counts TotalCounts() const;
  [[nodiscard]] Statistics TotalStatistics() const;
};

// Of what a cast did; `command` as CommandText() has it.
Report ReportOf(const FileCastRequest& request, const FileCastResult& result, std::string command);
Report ReportOf(const TensorFilesRequest& request, const TensorFilesResult& result,
                std::string command);
ReportRow RowOf(const TensorOutcome& tensor);

// The arguments that the program was called with, quoted for a shell where they need it.
void RememberCommand(int argc, const char* const* argv);
const std::string& CommandText();

std::string ReportJson(const Report& report);
std::string ReportCsv(const Report& report);
std::string ReportText(const Report& report);
std::string ReportPage(const Report& report);  // HTML
// The former three, of tensors as they are.
std::string InventoryJson(const Report& report);
std::string InventoryCsv(const Report& report);
std::string InventoryText(const Report& report);

// What all JSON of reports begins with.
nlohmann::ordered_json ReportHead(const Report& report);
nlohmann::ordered_json SourceJson(const Statistics& statistics);
nlohmann::ordered_json StatisticsJson(const Statistics& statistics);
std::string CsvCell(std::string_view text);
std::string CsvNumber(double x);  // empty where there is none
// The end of a long name, without what a terminal would obey.
std::string ShortName(std::string_view name);
std::string ShapeText(const std::vector<std::uint64_t>& shape);  // "[2, 3]"

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

std::string ModesText(const Report& report);  // ", mode rint", ", modes rint, round"
std::string NumberText(double x);             // "0.00123", "1.2e-07", "-" where there is none
std::string CosineText(const Statistics& statistics);
double LeastOf(const Statistics& statistics);  // of the finite sources; NaN where there is none
double GreatestOf(const Statistics& statistics);
std::string PercentText(std::uint64_t part, std::uint64_t whole);

// A file beside the result, by the option that names it. Before the work: kUsage if it is one of
// `others`, files of this run, or in a folder of them; kNotWritten if it is there and `force` does not
// replace it, or its folder is not.
Status CheckOutputFile(std::string_view option, const std::string& path,
                       const std::vector<std::string>& others, bool force);
// After it: whole or not at all.
Status WriteOutputFile(std::string_view option, const std::string& path, std::string_view text);

// The same of a report, whose file's ending chooses among .json, .csv, .txt and .html. kUsage for
// another ending.
Status CheckReportFile(const std::string& path, const std::vector<std::string>& others, bool force);
Status WriteReportFile(const std::string& path, const Report& report);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_REPORT_H_
