// SPDX-License-Identifier: Apache-2.0
//
// exactcast cast: one tensor file to another format, and the summary of what became of its
// elements.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "exactcast/container.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/scaled.h"

namespace exactcast::cli {
namespace {

struct CastOptions {
  std::string input;
  std::string output;
  std::string to;
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
  bool force = false;
  bool json = false;
};

Result<FileCastRequest> ToRequest(const CastOptions& o) {
  FileCastRequest r;
  r.input = o.input;
  r.output = o.output;
  r.profile = o.profile;
  r.unpacked = o.unpacked;
  r.packed = o.packed;
  r.strict = o.strict;
  r.force = o.force;
  r.threads = o.threads;
  const Result<FormatId> to = ParseFormat(o.to);
  if (!to.ok()) return to.status();
  r.to = *to;
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
      "{} to {}, profile {}, mode {}{}{}{}: {} element{}: {} exact, {} rounded, {} overflowed, {} "
      "underflowed, {} NaN",
      GetFormat(r.from).name, GetFormat(r.to).name, r.profile, Name(r.rounding),
      r.flushes_subnormals ? ", subnormals flushed" : "", scales.empty() ? "" : ", scale ",
      fmt::join(scales, ","), r.elements, r.elements == 1 ? "" : "s", c.exact, c.rounded,
      c.overflowed, c.underflowed, c.nan);
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

std::string SummaryJson(const FileCastRequest& request, const FileCastResult& r,
                        const std::vector<std::string>& scales) {
  const Counts& c = r.counts;
  nlohmann::ordered_json json = {{"profile", r.profile},
                                 {"round", Name(r.rounding)},
                                 {"overflow", Name(r.overflow)},
                                 {"nan_rule", NanRuleName(r)},
                                 {"from", GetFormat(r.from).name},
                                 {"to", GetFormat(r.to).name},
                                 {"shape", r.shape},
                                 {"elements", r.elements},
                                 {"exact", c.exact},
                                 {"rounded", c.rounded},
                                 {"overflowed", c.overflowed},
                                 {"underflowed", c.underflowed},
                                 {"nan", c.nan}};
  if (r.leaves_choices) {
    json["unpredictable"] = c.unpredictable;
    json["flush_subnormals"] = r.flushes_subnormals;
  }
  if (LosesImaginary(r)) json["imaginary_lost"] = c.imaginary_lost;
  if (!scales.empty()) {
    json["deqscale"] = scales;
    if (!request.dequantization->offsets.empty()) json["offset"] = request.dequantization->offsets;
  }
  if (!r.warnings.empty()) json["warnings"] = r.warnings;
  // A file's name need not be UTF-8.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Once OUTPUT is there nothing is taken back.
Status PrintSummary(const FileCastResult& result, const std::string& summary) {
  if (result.output_is_standard_output) {
    std::fputs(summary.c_str(), stderr);
    return {};
  }
  if (Print(summary).ok()) return {};
  return NotWritten("standard output could not be written; OUTPUT is complete");
}

Status RunCast(const CastOptions& options) {
  const Result<FileCastRequest> request = ToRequest(options);
  if (!request.ok()) return request.status();
  const Result<FileCastResult> result = CastFile(*request);
  if (!result.ok()) return result.status();
  // Where the summary goes to standard error, a program finds nothing there but the JSON.
  if (!options.json || !result->output_is_standard_output) {
    for (const std::string& warning : result->warnings) Warn(warning);
  }
  const std::vector<std::string> scales = ScaleTexts(*request);
  return PrintSummary(*result, options.json ? SummaryJson(*request, *result, scales)
                                            : SummaryLine(*result, scales));
}

}  // namespace

Runner AddCast(CLI::App& app) {
  auto o = std::make_shared<CastOptions>();
  app.add_option(
         "INPUT", o->input,
         ".npy, or raw little-endian elements under any other name; - is standard input (raw)")
      ->required();
  app.add_option("OUTPUT", o->output,
                 ".npy, or raw under any other name; - is standard output (raw)")
      ->required();
  app.add_option("--to", o->to, "format to cast to; 'exactcast formats' lists them")->required();
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
  app.add_flag("--force", o->force, "replace an existing OUTPUT");
  app.add_flag("--json", o->json, "print the summary as JSON");
  return [o] { return RunCast(*o); };
}

}  // namespace exactcast::cli
