// SPDX-License-Identifier: Apache-2.0
//
// exactcast inspect: what is in tensor files, and what casting them would lose, without writing them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "exactcast/names.h"
#include "exactcast/tensor_files.h"

namespace exactcast::cli {
namespace {

struct InspectOptions {
  std::string input;
  std::optional<std::string> to;  // formats, comma separated
  std::optional<std::string> from;
  std::optional<std::string> shape;
  std::string profile = "exact";
  std::optional<std::string> round;
  std::optional<std::string> overflow;
  std::optional<std::string> nan;
  std::optional<std::string> sort;
  std::optional<std::size_t> top;
  std::optional<double> limit;
  std::optional<std::string> map;  // a file
  std::vector<std::string> include;
  std::vector<std::string> exclude;
  std::vector<std::string> report;  // files
  int threads = 0;
  bool only_floating = true;
  bool ignore_scales = false;
  bool skip_unindexed = false;
  bool unpacked = false;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

Result<std::vector<FormatId>> ParseTargets(const std::string& list) {
  std::vector<FormatId> targets;
  for (const std::string_view word : SplitAtCommas(list)) {
    const Result<FormatId> format = ParseFormat(std::string(word));
    if (!format.ok()) return format.status();
    if (std::find(targets.begin(), targets.end(), *format) == targets.end()) {
      targets.push_back(*format);
    }
  }
  return targets;
}

Status CheckOptions(const InspectOptions& o) {
  if (!o.to) {
    const std::pair<bool, const char*> need[] = {
        {o.round.has_value(), "--round"},    {o.overflow.has_value(), "--overflow"},
        {o.nan.has_value(), "--nan"},        {o.limit.has_value(), "--max-rel-error"},
        {o.profile != "exact", "--profile"}, {o.sort == "loss", "--sort loss"}};
    for (const auto& [given, name] : need) {
      if (given)
        return UsageError(fmt::format("{} is for a cast; name its target with --to", name));
    }
  }
  if (o.map && !o.limit) {
    return UsageError("--write-map writes what --max-rel-error finds; give a limit, 0.01");
  }
  if (o.limit && !(*o.limit >= 0)) {
    return UsageError("--max-rel-error is a relative error, 0.01 or so; it is not below 0");
  }
  if (!MayWait(o.input)) return {};
  return UsageError(fmt::format("{}: is read more than once, and a stream cannot be; save it first",
                                o.input == "-" ? "standard input" : o.input));
}

Result<TensorFilesRequest> ToRequest(const InspectOptions& o) {
  TensorFilesRequest r;
  r.input = o.input;
  r.profile = o.profile;
  r.unpacked = o.unpacked;
  r.threads = o.threads;
  r.has_target = o.to.has_value();
  r.include = o.include;
  r.exclude = o.exclude;
  // As in a cast, whose only array is meant, whatever it is.
  r.only_floating = o.only_floating && AreTensorFiles(o.input, "");
  r.ignore_scales = o.ignore_scales;
  r.skip_unindexed = o.skip_unindexed;
  for (const Status& status : {Fill<FormatId>(o.from, r.from, ParseFormat),
                               Fill<Rounding>(o.round, r.rounding, ParseRounding),
                               Fill<Overflow>(o.overflow, r.overflow, ParseOverflow),
                               Fill<NanRule>(o.nan, r.nan, ParseNanRule),
                               Fill<std::vector<std::uint64_t>>(o.shape, r.shape, ParseShape)}) {
    if (!status.ok()) return status;
  }
  return r;
}

Status CheckFiles(const InspectOptions& o) {
  std::vector<std::string> others = {o.input};
  for (const std::string& path : o.report) {
    if (Status status = CheckReportFile(path, others, o.force); !status.ok()) return status;
    others.push_back(path);
  }
  return o.map ? CheckOutputFile("--write-map", *o.map, others, o.force) : Status();
}

// ---- the map ------------------------------------------------------------------------------------

// The pattern that matches the name alone, where a character can be written at all.
std::string PatternOf(std::string_view name) {
  std::string pattern;
  for (const char c : name) {
    const bool is_first_special = pattern.empty() && (c == '#' || c == '@');
    if (c == '*' || c == '?' || c == '[' || is_first_special) {
      pattern += fmt::format("[{}]", c);
    } else {
      pattern += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return pattern;
}

bool KeepsWithin(const ReportRow& row, double limit) {
  const Statistics& s = row.statistics;
  const double error = s.RelativeError();
  const bool loses_nan = s.source_nan > 0 && !HasNan(GetFormat(GetFormat(row.to).part));
  return row.counts.overflowed == 0 && !loses_nan && (std::isnan(error) || error <= limit);
}

// Rows of one tensor stand together. In the order of the tensors.
Suggestion Suggest(const std::vector<ReportRow>& rows, const std::vector<KeptTensor>& kept,
                   double limit) {
  Suggestion suggestion{.limit = limit, .lines = {}};
  const auto line = [&](std::string_view name, std::string_view to) {
    suggestion.lines.push_back(fmt::format("{}={}", PatternOf(name), to));
  };
  for (std::size_t i = 0; i < rows.size();) {
    const ReportRow* best = nullptr;
    const std::size_t first = i;
    for (; i < rows.size() && rows[i].name == rows[first].name; ++i) {
      if (!KeepsWithin(rows[i], limit)) continue;
      const auto rank = [](const ReportRow& row) {
        const double error = row.statistics.RelativeError();
        return std::pair(GetFormat(row.to).storage_bits, std::isnan(error) ? 0 : error);
      };
      if (best == nullptr || rank(rows[i]) < rank(*best)) best = &rows[i];
    }
    line(rows[first].name, best != nullptr ? GetFormat(best->to).name : "keep");
  }
  for (const KeptTensor& tensor : kept) line(tensor.name, "keep");
  return suggestion;
}

// ---- rows ---------------------------------------------------------------------------------------

struct Measured {
  Report report;
  Status refusal;  // the first
};

// Each target's result has the same tensors in the same order.
Measured Combine(const std::vector<TensorFilesResult>& results, bool as_it_is) {
  Measured measured;
  Report& report = measured.report;
  report.kind = as_it_is ? Report::Kind::kAsItIs : Report::Kind::kWouldCast;
  report.profile = results.front().profile;
  for (std::size_t i = 0; i < results.front().tensors.size(); ++i) {
    bool any = false;
    for (const TensorFilesResult& result : results) {
      const TensorOutcome& tensor = result.tensors[i];
      if (!tensor.refusal.ok() && measured.refusal.ok()) measured.refusal = tensor.refusal;
      const bool has_row = as_it_is ? tensor.note.empty() : tensor.cast && tensor.refusal.ok();
      if (has_row) report.AddRow(RowOf(tensor));
      any = any || has_row;
    }
    if (!any) report.AddKept(results.back().tensors[i]);
  }
  return measured;
}

// What --sort and --top leave of the rows, tensor by tensor: the greatest loss to any target first.
void Choose(const InspectOptions& o, std::vector<ReportRow>* rows) {
  std::vector<std::vector<ReportRow>> tensors;
  for (ReportRow& row : *rows) {
    if (tensors.empty() || tensors.back().front().name != row.name) tensors.emplace_back();
    tensors.back().push_back(std::move(row));
  }
  const auto loss = [](const std::vector<ReportRow>& tensor) {
    double most = -1;
    for (const ReportRow& row : tensor) {
      const double error = row.statistics.RelativeError();
      // What overflows is worse than what is only far off.
      const double lost = row.counts.overflowed > 0 ? HUGE_VAL : std::isnan(error) ? -1 : error;
      most = std::max(most, lost);
    }
    return most;
  };
  if (o.sort == "loss") {
    std::stable_sort(tensors.begin(), tensors.end(),
                     [&](const auto& a, const auto& b) { return loss(a) > loss(b); });
  } else if (o.sort == "name") {
    std::stable_sort(tensors.begin(), tensors.end(),
                     [](const auto& a, const auto& b) { return a.front().name < b.front().name; });
  } else if (o.sort == "elements") {
    std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
      return a.front().statistics.elements > b.front().statistics.elements;
    });
  }
  if (o.top && tensors.size() > *o.top) tensors.resize(*o.top);
  rows->clear();
  for (auto& tensor : tensors) {
    for (ReportRow& row : tensor) rows->push_back(std::move(row));
  }
}

Result<std::vector<TensorFilesResult>> Measure(const InspectOptions& o, TensorFilesRequest request,
                                               const std::vector<FormatId>& targets) {
  Progress progress(o.quiet);
  progress.StopOnSignals();
  const std::size_t runs = std::max<std::size_t>(targets.size(), 1);
  std::vector<TensorFilesResult> results;
  for (std::size_t i = 0; i < runs; ++i) {
    if (!targets.empty()) request.to = targets[i];
    request.tensor_progress = [&](const TensorProgress& p) {
      return progress.Tell(i * p.total + p.done, runs * p.total, p.tensor);
    };
    Result<TensorFilesResult> result = InspectTensorFiles(request);
    if (!result.ok()) {
      progress.End(result.status());
      return result.status();
    }
    results.push_back(std::move(*result));
  }
  progress.End({});
  return results;
}

Status WriteMap(const InspectOptions& o, const Suggestion& suggestion) {
  if (!o.map) return {};
  std::string text;
  for (const std::string& line : suggestion.lines) text += line + "\n";
  return WriteOutputFile("--write-map", *o.map, text);
}

Ending RunInspect(const InspectOptions& o) {
  std::vector<FormatId> targets;
  if (o.to) {
    Result<std::vector<FormatId>> parsed = ParseTargets(*o.to);
    if (!parsed.ok()) return parsed.status();
    targets = std::move(*parsed);
  }
  Result<TensorFilesRequest> request = ToRequest(o);
  if (!request.ok()) return request.status();
  for (const Status& status : {CheckOptions(o), CheckFiles(o)}) {
    if (!status.ok()) return status;
  }
  const Result<std::vector<TensorFilesResult>> results = Measure(o, std::move(*request), targets);
  if (!results.ok()) return results.status();
  for (const std::string& warning : results->front().warnings) Warn(warning);
  Measured measured = Combine(*results, targets.empty());
  Report& report = measured.report;
  report.command = CommandText();
  report.input = o.input;
  if (o.limit) report.suggestion = Suggest(report.rows, report.kept, *o.limit);
  Choose(o, &report.rows);
  for (const std::string& path : o.report) {
    if (Status status = WriteReportFile(path, report); !status.ok()) return status;
  }
  if (o.limit) {
    if (Status status = WriteMap(o, *report.suggestion); !status.ok()) return status;
  }
  const Status printed = Print(o.json ? ReportJson(report) : o.quiet ? "" : ReportText(report));
  return printed.ok() ? measured.refusal : printed;
}

}  // namespace

Runner AddInspect(CLI::App& app) {
  auto o = std::make_shared<InspectOptions>();
  app.add_option("INPUT", o->input,
                 ".safetensors, .npz, .gguf, .npy, a folder of shards or its index json, or raw "
                 "little-endian elements under any other name")
      ->required();
  app.add_option("--to", o->to,
                 "what a cast would lose: one format or more, 'float8_e4m3fn,bfloat16'");
  app.add_option("--from", o->from, "format of INPUT; needed for raw data and opaque .npy types");
  app.add_option("--shape", o->shape, "shape of raw INPUT, as 2,3");
  app.add_option("--profile", o->profile,
                 "with --to: whose rules; 'exactcast profiles' lists them (default: exact)");
  app.add_option("--round,--rounding", o->round,
                 "with --to: rint floor ceil round trunc odd hybrid none");
  app.add_option("--overflow", o->overflow, "with --to: saturate, ieee or wrap");
  app.add_option("--nan", o->nan, "with --to: a NaN to a float format, keep or zero");
  app.add_option("--sort", o->sort, "order of the tensors: loss, name or elements, the worst first")
      ->check(CLI::IsMember({"loss", "name", "elements"}));
  app.add_option("--top", o->top, "list so many tensors at most; totals are of all")
      ->check(CLI::Range(1, 1'000'000'000));
  app.add_option("--max-rel-error", o->limit,
                 "with --to: suggest for each tensor the shortest of the formats that keeps its "
                 "relative error within, and overflows nothing");
  app.add_option("--write-map", o->map, "write what is suggested to a file, for cast --map @FILE");
  app.add_option("--include", o->include, "only tensors whose names match; repeatable")
      ->allow_extra_args(false);
  app.add_option("--exclude", o->exclude, "not those whose names match; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--only-floating,!--no-only-floating", o->only_floating,
               "with --to: leave integers, bool and complex numbers out (default)");
  app.add_flag("--ignore-scales", o->ignore_scales,
               "with --to: tensors that have a scale beside them as if they had none");
  app.add_flag("--skip-unindexed", o->skip_unindexed,
               "shards: leave out tensors that the index does not name");
  app.add_flag("--unpacked", o->unpacked, "raw data: formats of 4 and 2 bits take a byte each");
  app.add_option("--threads", o->threads, "threads to use (default: all that the process may use)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--report", o->report,
                 "write it to a file .html, .json, .csv or .txt too; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--force", o->force, "replace existing files of --report and --write-map");
  app.add_flag("--json", o->json, "print JSON");
  app.add_flag("--quiet", o->quiet, "print nothing but warnings, errors and --json");
  return [o] { return RunInspect(*o); };
}

}  // namespace exactcast::cli
