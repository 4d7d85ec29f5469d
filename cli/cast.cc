// SPDX-License-Identifier: Apache-2.0
//
// exactcast cast: one tensor file to another format, and the summary of what became of its
// elements.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cast_options.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/plan_page.h"
#include "cli/progress.h"
#include "exactcast/container.h"
#include "exactcast/explain.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/reference.h"
#include "exactcast/spec/scaled.h"

namespace exactcast::cli {
namespace {

// --derive-with float32:0.5
struct Scalar {
  FormatId format;
  std::string text;
  ParsedNumber number;
};

// A complex scalar is typed by its real part.
Result<Scalar> ParseScalar(const std::string& word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) {
    return UsageError(
        fmt::format("--derive-with {}: write SCALAR_FORMAT:VALUE, float32:0.5", word));
  }
  const Result<FormatId> format = ParseFormat(word.substr(0, colon));
  if (!format.ok()) return format.status();
  const std::string text = word.substr(colon + 1);
  Result<ParsedNumber> number = ParseNumber(text, GetFormat(GetFormat(*format).part));
  if (!number.ok()) return number.status();
  return Scalar{*format, text, *number};
}

ScalarElement ElementOf(const Scalar& scalar) { return {scalar.format, scalar.number.word}; }

std::string ScalarLine(const Scalar& scalar, FormatId to) {
  const Format& from = GetFormat(GetFormat(scalar.format).part);
  const Format& part = GetFormat(GetFormat(to).part);
  const CastResult r = CastScalar(ElementOf(scalar), to);
  const std::string off = scalar.number.off_by.empty()
                              ? ""
                              : fmt::format(" ({} is {} off)", scalar.text, scalar.number.off_by);
  return fmt::format("scalar {} {} = {}{} to {}: {} = {}{}, {}\n", GetFormat(scalar.format).name,
                     ValueText(scalar.number.word, from), CodeText(scalar.number.word, from), off,
                     GetFormat(to).name, ValueText(r.bits, part), CodeText(r.bits, part),
                     GetFormat(to).kind == Kind::kComplex ? ", imaginary part 0" : "",
                     Name(r.outcome));
}

nlohmann::ordered_json ScalarJson(const Scalar& scalar, FormatId to) {
  const Format& from = GetFormat(GetFormat(scalar.format).part);
  const Format& part = GetFormat(GetFormat(to).part);
  const CastResult r = CastScalar(ElementOf(scalar), to);
  nlohmann::ordered_json json = {{"from", GetFormat(scalar.format).name},
                                 {"bits", CodeText(scalar.number.word, from)},
                                 {"value", ExactDecimal(Decode(scalar.number.word, from))},
                                 {"to", GetFormat(to).name},
                                 {"result_bits", CodeText(r.bits, part)},
                                 {"result", ExactDecimal(Decode(r.bits, part))},
                                 {"outcome", Name(r.outcome)}};
  if (!scalar.number.off_by.empty()) json["off_by"] = scalar.number.off_by;
  return json;
}

// --derive-with has rules of its own.
Status CheckDeriveWith(const CastOptions& o) {
  if (o.to.has_value() && o.derive_with.has_value()) {
    return UsageError("--to and --derive-with exclude each other");
  }
  if (!o.to && !o.derive_with && o.map.empty()) {
    return UsageError("--to FORMAT is required, or --derive-with SCALAR_FORMAT:VALUE");
  }
  if (o.derive_with && (o.profile != "exact" || o.round || o.overflow || o.nan || o.deqscale)) {
    return UsageError(
        "--derive-with casts by profile exact, rint; leave --profile, --round, --overflow, --nan "
        "and "
        "--deqscale out");
  }
  return {};
}

// --explain-plan writes no file, and reads none where options say what it would.
Status CheckFileNames(const CastOptions& o) {
  const bool needs_output = !o.explain_plan && !AreForTensors(o);
  if (o.explain_plan || (!o.input.empty() && (!o.output.empty() || !needs_output))) return {};
  return UsageError(fmt::format("{} is required, and the name is empty or missing",
                                o.input.empty() ? "INPUT" : "OUTPUT"));
}

}  // namespace

Result<FileCastRequest> ToRequest(const CastOptions& o) {
  for (const Status& status : {CheckFileNames(o), CheckDeriveWith(o)}) {
    if (!status.ok()) return status;
  }
  FileCastRequest r;
  r.input = o.input;
  r.output = o.explain_plan && o.output.empty() && !o.input.empty() ? "-" : o.output;
  r.profile = o.profile;
  r.unpacked = o.unpacked;
  r.packed = o.packed;
  r.strict = o.strict;
  r.counts = !o.no_counts;
  r.force = o.force;
  r.sync = !o.no_sync;
  r.measure = !o.report.empty();
  r.threads = o.threads;
  if (o.derive_with) {
    const Result<Scalar> scalar = ParseScalar(*o.derive_with);
    if (!scalar.ok()) return scalar.status();
    r.derive_with = ElementOf(*scalar);
  } else if (o.to) {
    const Result<FormatId> to = ParseFormat(*o.to);
    if (!to.ok()) return to.status();
    r.to = *to;
  }
  for (const Status& status : {Fill<FormatId>(o.from, r.from, ParseFormat),
                               Fill<Rounding>(o.round, r.rounding, ParseRounding),
                               Fill<Overflow>(o.overflow, r.overflow, ParseOverflow),
                               Fill<NanRule>(o.nan, r.nan, ParseNanRule),
                               Fill<std::vector<std::uint64_t>>(o.shape, r.shape, ParseShape)}) {
    if (!status.ok()) return status;
  }
  if (const Status status = FillChoices(o.choices, r); !status.ok()) return status;
  Result<std::optional<Dequantization>> d = ParseDequantization(o.deqscale, o.offset, r.to);
  if (!d.ok()) return d.status();
  r.dequantization = std::move(*d);
  return r;
}

Status CheckReports(const CastOptions& o) {
  if (o.report.empty()) return {};
  if (o.plan || o.explain_plan) {
    return UsageError(
        fmt::format("--report says what a cast did, and --{} casts nothing; leave one out, or see "
                    "'exactcast inspect --to'",
                    o.plan ? "plan" : "explain-plan"));
  }
  std::vector<std::string> others = {o.input, o.output};
  for (const std::string& path : o.report) {
    if (Status status = CheckReportFile(path, others, o.force); !status.ok()) return status;
    others.push_back(path);
  }
  return {};
}

namespace {

// The scales as they were used: a decimal may have been rounded to the scale's format.
std::vector<std::string> ScaleTexts(const FileCastRequest& request) {
  std::vector<std::string> texts;
  if (!request.dequantization) return texts;
  const Format& format =
      GetFormat(request.to == FormatId::kFloat16 ? FormatId::kFloat16 : FormatId::kFloat32);
  for (std::uint32_t scale : request.dequantization->scales) {
    texts.push_back(CodeText(format.id == FormatId::kFloat32 ? CutScale(scale) : scale, format));
  }
  return texts;
}

bool LosesImaginary(const FileCastResult& r) {
  return GetFormat(r.from).kind == Kind::kComplex && GetFormat(r.to).kind != Kind::kComplex &&
         r.to != FormatId::kBool;
}

std::string SummaryLine(const FileCastResult& r, const std::vector<std::string>& scales) {
  const Counts& c = r.counts;
  std::string line = fmt::format(
      "{} to {}, profile {}, mode {}{}{}{}: {} element{}", GetFormat(r.from).name,
      GetFormat(r.to).name, r.profile, Name(r.rounding),
      r.flushes_subnormals ? ", subnormals flushed" : "", scales.empty() ? "" : ", scale ",
      fmt::join(scales, ","), r.elements, r.elements == 1 ? "" : "s");
  if (!r.counted) return line + ", what became of them not counted\n";
  line += fmt::format(": {} exact, {} rounded, {} overflowed, {} underflowed, {} NaN", c.exact,
                      c.rounded, c.overflowed, c.underflowed, c.nan);
  if (LosesImaginary(r)) {
    line += fmt::format(", {} imaginary part{} lost", c.imaginary_lost,
                        c.imaginary_lost == 1 ? "" : "s");
  }
  if (r.leaves_choices) line += fmt::format(", {} unpredictable", c.unpredictable);
  return line + "\n";
}

// What became of NaNs; to bool they are true.
std::string_view NanRuleName(const FileCastResult& r) {
  if (r.to == FormatId::kBool) return "true";
  if (r.leaves_choices && IsInteger(GetFormat(r.to))) return Name(r.nan_to_integer);
  return r.keeps_nan ? "keep" : "zero";
}

nlohmann::ordered_json SummaryJson(const FileCastRequest& request, const FileCastResult& r,
                                   const std::vector<std::string>& scales) {
  const Counts& c = r.counts;
  nlohmann::ordered_json json = {{"profile", r.profile},
                                 {"round", Name(r.rounding)},
                                 {"overflow", Name(r.overflow)},
                                 {"nan_rule", NanRuleName(r)},
                                 {"from", GetFormat(r.from).name},
                                 {"to", GetFormat(r.to).name},
                                 {"shape", r.shape},
                                 {"elements", r.elements}};
  if (r.counted) {
    json.update({{"exact", c.exact},
                 {"rounded", c.rounded},
                 {"overflowed", c.overflowed},
                 {"underflowed", c.underflowed},
                 {"nan", c.nan}});
    if (r.leaves_choices) json["unpredictable"] = c.unpredictable;
  } else {
    json["counted"] = false;
  }
  if (r.leaves_choices) json["flush_subnormals"] = r.flushes_subnormals;
  if (r.counted && LosesImaginary(r)) json["imaginary_lost"] = c.imaginary_lost;
  if (!scales.empty()) {
    json["deqscale"] = scales;
    if (!request.dequantization->offsets.empty()) json["offset"] = request.dequantization->offsets;
  }
  if (!r.warnings.empty()) json["warnings"] = r.warnings;
  return json;
}

// Once OUTPUT is there nothing is taken back.
Status PrintSummary(const FileCastResult& result, const std::string& summary) {
  if (result.output_is_standard_output) {
    std::fputs(summary.c_str(), stderr);
    return {};
  }
  if (summary.empty() || Print(summary).ok()) return {};
  return NotWritten("standard output could not be written; OUTPUT is complete");
}

// The tensor's summary, and what became of the scalar.
Status PrintDerived(const CastOptions& options, const FileCastRequest& request,
                    const FileCastResult& result) {
  const Result<Scalar> scalar = ParseScalar(*options.derive_with);
  if (!scalar.ok()) return scalar.status();
  if (!options.json && options.quiet) return {};
  if (!options.json) {
    return PrintSummary(result, SummaryLine(result, {}) + ScalarLine(*scalar, result.to));
  }
  nlohmann::ordered_json json = SummaryJson(request, result, {});
  json["scalar"] = ScalarJson(*scalar, result.to);
  return PrintSummary(result, JsonLine(json));
}

Status ExplainPlan(const FileCastRequest& request, bool json) {
  const Result<Plan> plan = PlanFile(request);
  if (!plan.ok()) return plan.status();
  return Print(PlanText(*plan, json));
}

Status RunCast(const CastOptions& options) {
  Result<FileCastRequest> request = ToRequest(options);
  if (!request.ok()) return request.status();
  if (Status status = CheckReports(options); !status.ok()) return status;
  if (options.explain_plan) return ExplainPlan(*request, options.json);
  if (AreForTensors(options)) return CastTensors(options, *request);
  Progress progress(options.quiet);
  if (IsRegularFile(options.input)) {
    if (!MayWait(options.output)) progress.StopOnSignals();
    request->progress = progress.ForBytes(FileBytes(options.input), options.input);
  }
  const Result<FileCastResult> result = CastFile(*request);
  progress.End(result.status());
  if (!result.ok()) return result.status();
  // Where the summary goes to standard error, a program finds nothing there but the JSON.
  if (!options.json || !result->output_is_standard_output) {
    for (const std::string& warning : result->warnings) Warn(warning);
  }
  if (Status status = WriteReports(options, *request, *result); !status.ok()) return status;
  const std::vector<std::string> scales = ScaleTexts(*request);
  if (options.derive_with) return PrintDerived(options, *request, *result);
  return PrintSummary(*result, options.json    ? JsonLine(SummaryJson(*request, *result, scales))
                               : options.quiet ? ""
                                               : SummaryLine(*result, scales));
}

}  // namespace

Runner AddCast(CLI::App& app) {
  auto o = std::make_shared<CastOptions>();
  app.add_option("INPUT", o->input,
                 ".npy, .npz, .safetensors, a folder of shards or its index json, or raw "
                 "little-endian elements under any other name; - is standard input (raw)");
  app.add_option("OUTPUT", o->output,
                 ".npy, .npz, .safetensors, a folder where INPUT is one, or raw under any other "
                 "name; - is standard output (raw)");
  app.add_option("--to", o->to, "format to cast to; 'exactcast formats' lists them");
  app.add_option(
      "--derive-with", o->derive_with,
      "instead of --to, SCALAR_FORMAT:VALUE: to the type that aclnn derives with that scalar");
  app.add_option("--from", o->from,
                 "format of INPUT; needed for raw data and for .npy files of opaque type");
  app.add_option("--profile", o->profile,
                 "whose rules: 'exactcast profiles' lists them (default: exact)");
  app.add_option("--round,--rounding", o->round,
                 "rint floor ceil round trunc odd hybrid none (default: the profile's)");
  app.add_option("--overflow", o->overflow,
                 "what does not fit: saturate, or ieee (float targets), wrap (integers)");
  app.add_option("--nan", o->nan, "a NaN to a float format: keep or zero");
  AddChoices(app, &o->choices);
  app.add_option("--shape", o->shape, "shape of raw INPUT, as 2,3");
  app.add_option("--threads", o->threads, "threads to use (default: all that the process may use)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--deqscale", o->deqscale,
                 "int32 to float16, int16 to int8 or uint8: the scale (16 values: in turn)");
  app.add_option("--offset", o->offset,
                 "int16 to int8 or uint8 with --deqscale: the offset, -256 to 255 (or 16)");
  app.add_flag("--unpacked", o->unpacked, "raw data: formats of 4 and 2 bits take a byte each");
  app.add_flag("--packed", o->packed, ".npy: 4-bit formats are two to a byte along the last axis");
  app.add_flag("--strict", o->strict, "write nothing when an element overflowed or a NaN was lost");
  app.add_flag("--no-counts", o->no_counts,
               "do not count what became of the elements, which is faster; not with --strict");
  app.add_flag("--explain-plan", o->explain_plan,
               "cast nothing: say which kernel and CPU target would run, and why; INPUT and OUTPUT "
               "may be left out");
  app.add_flag("--force", o->force, "replace an existing OUTPUT");
  app.add_option("--report", o->report,
                 "say there what was lost and where: a file .html, .json, .csv or .txt; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--json", o->json, "print the summary as JSON");
  app.add_flag("--quiet", o->quiet, "no progress and no summary line; warnings and errors remain");
  app.add_flag("--no-sync", o->no_sync, "do not wait for the disk: for scratch files");
  AddTensorOptions(app, o.get());
  return [o] { return RunCast(*o); };
}

}  // namespace exactcast::cli
