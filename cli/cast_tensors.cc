// SPDX-License-Identifier: Apache-2.0
//
// exactcast cast on files of many tensors: their options, the list of a plan, and the summary.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>

#include "cli/cast_options.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/page.h"
#include "cli/progress.h"
#include "exactcast/tensor_files.h"

namespace exactcast::cli {
namespace {

constexpr std::string_view kKeep = "keep";

// --map 'lm_head.*=bfloat16'
Result<TensorTarget> ParseMap(const std::string& word) {
  const std::size_t equals = word.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    return UsageError(fmt::format(
        "--map '{}': write PATTERN=FORMAT, 'lm_head.*=bfloat16', or PATTERN=keep", word));
  }
  TensorTarget target = {.pattern = word.substr(0, equals), .to = std::nullopt};
  const std::string format = word.substr(equals + 1);
  if (format == kKeep) return target;
  const Result<FormatId> to = ParseFormat(format);
  if (!to.ok()) {
    return Status(to.status().code(), fmt::format("--map '{}': {}", word, to.status().message()));
  }
  target.to = *to;
  return target;
}

// --map @FILE: a line each, as inspect --write-map writes them.
Status ReadMap(const std::string& path, std::vector<TensorTarget>* targets) {
  std::ifstream file(path);
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    const Result<TensorTarget> target = ParseMap(line);
    if (!target.ok()) {
      return {target.status().code(),
              fmt::format("{}, line {}: {}", path, number, target.status().message())};
    }
    targets->push_back(*target);
  }
  if (file.eof()) return {};
  return BadInput(fmt::format("--map @{}: {}", path, std::strerror(errno)));
}

Result<TensorFilesRequest> ToTensorRequest(const CastOptions& o, const FileCastRequest& request) {
  TensorFilesRequest r;
  static_cast<FileCastRequest&>(r) = request;
  r.has_target = o.to.has_value();
  for (const std::string& word : o.map) {
    if (word.starts_with('@')) {
      if (Status status = ReadMap(word.substr(1), &r.targets); !status.ok()) return status;
      continue;
    }
    const Result<TensorTarget> target = ParseMap(word);
    if (!target.ok()) return target.status();
    r.targets.push_back(*target);
  }
  r.include = o.include;
  r.exclude = o.exclude;
  r.only_floating = o.only_floating;
  r.ignore_scales = o.ignore_scales;
  r.skip_unindexed = o.skip_unindexed;
  r.resume = o.resume;
  r.plan_only = o.plan;
  return r;
}

std::string_view Plural(std::uint64_t count) { return count == 1 ? "" : "s"; }

// "float32 to bfloat16, mode rint"; all of them where they are few.
std::string CastsText(const TensorFilesResult& r) {
  std::vector<std::string> casts;
  for (const TensorOutcome& t : r.tensors) {
    if (!t.cast) continue;
    std::string text = fmt::format("{} to {}", t.from, t.to);
    if (t.rounding) text += fmt::format(", mode {}", Name(*t.rounding));
    if (std::find(casts.begin(), casts.end(), text) == casts.end()) casts.push_back(text);
  }
  if (casts.empty() || casts.size() > 4) return "";
  return fmt::format(" ({})", fmt::join(casts, "; "));
}

struct Totals {
  std::uint64_t cast = 0;
  std::uint64_t kept = 0;
  std::uint64_t elements = 0;
  std::uint64_t refused = 0;
  bool loses_imaginary = false;
};

Totals CountTensors(const TensorFilesResult& r) {
  Totals totals;
  for (const TensorOutcome& t : r.tensors) {
    if (!t.refusal.ok()) ++totals.refused;
    (t.cast ? totals.cast : totals.kept) += 1;
    if (t.cast) totals.elements += t.elements;
  }
  totals.loses_imaginary = r.counts.imaginary_lost > 0;
  return totals;
}

std::string SummaryLine(const TensorFilesResult& r, bool planned) {
  const Totals totals = CountTensors(r);
  const Counts& c = r.counts;
  std::string line =
      fmt::format("{} tensor{} {}cast{}, {} kept, profile {}: ", totals.cast, Plural(totals.cast),
                  planned ? "to be " : "", CastsText(r), totals.kept, r.profile);
  line += fmt::format("{} element{}", totals.elements, Plural(totals.elements));
  if (!planned && !r.counted) line += ", what became of them not counted";
  if (!planned && r.counted) {
    line += fmt::format(": {} exact, {} rounded, {} overflowed, {} underflowed, {} NaN", c.exact,
                        c.rounded, c.overflowed, c.underflowed, c.nan);
    if (totals.loses_imaginary) {
      line += fmt::format(", {} imaginary part{} lost", c.imaginary_lost, Plural(c.imaginary_lost));
    }
    if (c.unpredictable > 0) line += fmt::format(", {} unpredictable", c.unpredictable);
  }
  line += fmt::format("; {} to {} bytes", r.bytes_before, r.bytes_after);
  if (r.files > 1) line += fmt::format(" in {} files", r.files);
  if (r.resumed > 0) line += fmt::format(", {} of them by an earlier run", r.resumed);
  if (totals.refused > 0) line += fmt::format("; {} refused", totals.refused);
  return line + "\n";
}

std::string ShapeWord(const std::vector<std::uint64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

std::string NoteOf(const TensorOutcome& t) {
  if (!t.refusal.ok()) return fmt::format("  refused: {}", t.refusal.message());
  return t.note.empty() ? "" : fmt::format("  {}", t.note);
}

// One line a tensor: name, formats, shape, bytes before and after, and why it is kept or refused.
std::string PlanText(const TensorFilesResult& r) {
  constexpr std::size_t kWidest = 48;
  std::size_t name = 6;
  std::size_t format = 4;
  std::size_t shape = 5;
  for (const TensorOutcome& t : r.tensors) {
    name = std::max(name, std::min(kWidest, t.name.size()));
    format = std::max({format, t.from.size(), t.to.size()});
    shape = std::max(shape, std::min(kWidest, ShapeWord(t.shape).size()));
  }
  std::string text = fmt::format("{:{}}  {:{}}  {:{}}  {:{}}  {:>13}  {:>13}\n", "tensor", name,
                                 "from", format, "to", format, "shape", shape, "bytes", "after");
  for (const TensorOutcome& t : r.tensors) {
    std::string printable = t.name;
    std::replace_if(
        printable.begin(), printable.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    text += fmt::format("{:{}}  {:{}}  {:{}}  {:{}}  {:13}  {:13}{}\n", printable, name, t.from,
                        format, t.cast ? t.to : "=", format, ShapeWord(t.shape), shape,
                        t.bytes_before, t.bytes_after, NoteOf(t));
  }
  return text;
}

nlohmann::ordered_json CountsJson(const Counts& c) {
  nlohmann::ordered_json json = {{"exact", c.exact},
                                 {"rounded", c.rounded},
                                 {"overflowed", c.overflowed},
                                 {"underflowed", c.underflowed},
                                 {"nan", c.nan}};
  if (c.imaginary_lost > 0) json["imaginary_lost"] = c.imaginary_lost;
  if (c.unpredictable > 0) json["unpredictable"] = c.unpredictable;
  return json;
}

nlohmann::ordered_json TensorJson(const TensorOutcome& t, bool counted) {
  nlohmann::ordered_json json = {{"name", t.name}};
  if (!t.file.empty()) json["file"] = t.file;
  json["from"] = t.from;
  json["to"] = t.to;
  json["cast"] = t.cast;
  if (t.rounding) json["round"] = Name(*t.rounding);
  json["shape"] = t.shape;
  json["elements"] = t.elements;
  json["bytes_before"] = t.bytes_before;
  json["bytes_after"] = t.bytes_after;
  if (!t.note.empty()) json["note"] = t.note;
  if (!t.refusal.ok()) json["refused"] = t.refusal.message();
  if (t.cast && counted) json.update(CountsJson(t.counts));
  return json;
}

nlohmann::ordered_json ResultJson(const TensorFilesResult& r, bool planned) {
  const Totals totals = CountTensors(r);
  nlohmann::ordered_json json = {{"profile", r.profile},
                                 {"planned", planned},
                                 {"tensors_cast", totals.cast},
                                 {"tensors_kept", totals.kept},
                                 {"tensors_refused", totals.refused},
                                 {"elements", totals.elements},
                                 {"bytes_before", r.bytes_before},
                                 {"bytes_after", r.bytes_after},
                                 {"files", r.files},
                                 {"resumed", r.resumed}};
  const bool counted = !planned && r.counted;
  if (counted) json.update(CountsJson(r.counts));
  if (!planned && !counted) json["counted"] = false;
  json["tensors"] = nlohmann::ordered_json::array();
  for (const TensorOutcome& t : r.tensors) json["tensors"].push_back(TensorJson(t, counted));
  if (!r.warnings.empty()) json["warnings"] = r.warnings;
  return json;
}

// Every shard is open during a run, and there may be more of them than the usual 1,024.
void RaiseFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Status FirstRefusal(const TensorFilesResult& r) {
  for (const TensorOutcome& t : r.tensors) {
    if (!t.refusal.ok()) return t.refusal;
  }
  return {};
}

std::string ResultText(const CastOptions& options, const TensorFilesResult& r) {
  if (options.json) return JsonLine(ResultJson(r, options.plan));
  if (options.plan) return PlanText(r) + SummaryLine(r, true);
  return options.quiet ? "" : SummaryLine(r, false);
}

}  // namespace

void AddTensorOptions(CLI::App& app, CastOptions* o) {
  app.add_option("--include", o->include,
                 "many tensors: cast only those whose names match, 'layers.*.weight'; repeatable")
      ->allow_extra_args(false);
  app.add_option("--exclude", o->exclude,
                 "many tensors: keep those whose names match as they are; repeatable")
      ->allow_extra_args(false);
  app.add_option("--map", o->map,
                 "many tensors: PATTERN=FORMAT, 'lm_head.*=bfloat16', or PATTERN=keep; the first "
                 "that matches holds; @FILE: such lines in a file; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--only-floating,!--no-only-floating", o->only_floating,
               "many tensors: keep integers, bool and complex numbers as they are (default)");
  app.add_flag("--ignore-scales", o->ignore_scales,
               "many tensors: cast tensors that have a scale beside them as if they had none");
  app.add_flag("--skip-unindexed", o->skip_unindexed,
               "shards: leave out tensors that the index does not name");
  app.add_flag("--resume", o->resume, "shards: go on with what a stopped run completed");
  app.add_flag("--plan", o->plan, "write nothing: list each tensor and what would become of it");
}

bool AreForTensors(const CastOptions& o) {
  return AreTensorFiles(o.input, o.output) || o.plan || !o.include.empty() || !o.exclude.empty() ||
         !o.map.empty() || o.resume || o.skip_unindexed || o.ignore_scales;
}

Status CastTensors(const CastOptions& options, const FileCastRequest& request) {
  Result<TensorFilesRequest> tensors = ToTensorRequest(options, request);
  if (!tensors.ok()) return tensors.status();
  RaiseFileLimit();
  Progress progress(options.quiet || options.plan);
  if (!MayWait(options.input) && !MayWait(options.output)) progress.StopOnSignals();
  tensors->tensor_progress = [&](const TensorProgress& p) {
    return progress.Tell(p.done, p.total, p.tensor);
  };
  const Result<TensorFilesResult> result = CastTensorFiles(*tensors);
  progress.End(result.status());
  if (!result.ok()) return result.status();
  if (!options.json || !result->output_is_standard_output) {
    for (const std::string& warning : result->warnings) Warn(warning);
  }
  if (Status status = WriteReports(options, *tensors, *result); !status.ok()) return status;
  const std::string text = ResultText(options, *result);
  if (result->output_is_standard_output) {
    std::fputs(text.c_str(), stderr);
  } else if (!text.empty() && !Print(text).ok()) {
    return NotWritten("standard output could not be written; OUTPUT is complete");
  }
  return options.plan ? FirstRefusal(*result) : Status();
}

}  // namespace exactcast::cli
