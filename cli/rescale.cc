// SPDX-License-Identifier: Apache-2.0
//
// exactcast rescale: RESCALE of Arm TOSA over a tensor file. Its lint is rescale_check.cc, real
// scales are rescale_scale.cc.
#include "cli/rescale.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "cli/json.h"
#include "cli/options.h"
#include "exactcast/names.h"
#include "exactcast/spec/format_names.h"

namespace exactcast::cli {
namespace {

using Json = nlohmann::ordered_json;

// ---- options to a call --------------------------------------------------------------------------

// "5", "5,7" or "@FILE".
Status ReadIntegers(std::string_view option, const std::optional<std::string>& text,
                    std::vector<std::int64_t>* list) {
  if (!text) return {};
  std::vector<std::string> words;
  if (text->starts_with('@')) {
    Result<std::vector<std::string>> read = ReadNumbers(text->substr(1));
    if (!read.ok()) return read.status();
    words = std::move(*read);
  } else {
    for (const std::string_view piece : SplitAtCommas(*text)) words.emplace_back(piece);
  }
  list->clear();
  for (const std::string& word : words) {
    const std::optional<std::int64_t> value = ParseInteger<std::int64_t>(word);
    if (!value) {
      const bool of_file = text->starts_with('@');
      const std::string message =
          fmt::format("{}{}: '{}' is not an integer", option, of_file ? " " + *text : "", word);
      return of_file ? BadInput(message) : UsageError(message);
    }
    list->push_back(*value);
  }
  return {};
}

Status ReadInteger(std::string_view option, const std::optional<std::string>& text,
                   std::int64_t* number) {
  if (!text) return {};
  const std::optional<std::int64_t> value = ParseInteger<std::int64_t>(*text);
  if (!value) return UsageError(fmt::format("{} {}: not an integer", option, *text));
  *number = *value;
  return {};
}

Status ReadRounding(const RescaleOptions& o, RescaleCall* call) {
  if (!o.rounding) return {};
  call->all_roundings = EqualsIgnoringCase(*o.rounding, "all");
  if (call->all_roundings) {
    call->request.rounding = RescaleRounding::kSingle;
    if (!call->request.scale32) {
      return Unsupported(
          "--rounding all compares single with double, and the 16-bit multiplier has no double");
    }
    return {};
  }
  const Result<RescaleRounding> rounding = ParseRescaleRounding(*o.rounding);
  if (!rounding.ok()) return rounding.status();
  call->request.rounding = *rounding;
  return {};
}

Status ReadScales(const RescaleOptions& o, RescaleCall* call) {
  RescaleRequest& r = call->request;
  const Result<const tosa::RescaleVersion*> version = ParseRescaleProfile(r.profile);
  if (!version.ok()) return version.status();
  if (o.convention) {
    if (!o.scale) return UsageError("--convention goes with --scale");
    const Result<ScaleConvention> convention = ParseConvention(*o.convention);
    if (!convention.ok()) return convention.status();
    call->convention = *convention;
  }
  if (o.scale) {
    if (o.multiplier || o.shift) {
      return UsageError("--scale stands for --multiplier and --shift; give one or the others");
    }
    r.multipliers.clear();
    r.shifts.clear();
    return ConvertScales(*o.scale, **version, call);
  }
  Status status = ReadIntegers("--multiplier", o.multiplier, &r.multipliers);
  if (status.ok()) status = ReadIntegers("--shift", o.shift, &r.shifts);
  return status;
}

}  // namespace

Result<RescaleCall> ReadCall(const RescaleOptions& o) {
  RescaleCall call;
  if (o.attributes) {
    if (Status status = ReadRescaleAttributes(*o.attributes, &call); !status.ok()) return status;
  }
  RescaleRequest& r = call.request;
  if (o.profile) r.profile = *o.profile;
  if (o.scale16) r.scale32 = false;
  if (o.per_channel) r.per_channel = true;
  r.as_printed = o.as_printed;
  for (const Status& status :
       {Fill<FormatId>(o.from, call.from, ParseFormat), Fill<FormatId>(o.to, call.to, ParseFormat),
        Fill<std::vector<std::uint64_t>>(o.shape, call.shape, ParseShape), ReadRounding(o, &call),
        ReadInteger("--input-zp", o.input_zp, &r.input_zp),
        ReadInteger("--output-zp", o.output_zp, &r.output_zp), ReadScales(o, &call)}) {
    if (!status.ok()) return status;
  }
  if (call.from) r.from = *call.from;
  if (call.to) r.to = *call.to;
  r.rank_is_zero = call.shape && call.shape->empty();
  return call;
}

namespace {

// ---- what is printed ----------------------------------------------------------------------------

std::string Unsure(const RescaleCounts& c) {
  if (c.unpredictable() == 0) return "0 unpredictable";
  std::string text = fmt::format("{} unpredictable (", c.unpredictable());
  for (std::size_t i = 0; i < c.by_reason.size(); ++i) {
    if (c.by_reason[i] == 0) continue;
    text += fmt::format("{} {}, ", Describe(static_cast<Unpredictable>(i)), c.by_reason[i]);
  }
  return text + fmt::format("first {})", c.first_unpredictable);
}

std::string ScaleText(const RescaleRequest& r) {
  if (r.multipliers.size() > 1) return fmt::format("{} channels", r.multipliers.size());
  return fmt::format("multiplier {}, shift {}", r.multipliers.front(), r.shifts.front());
}

std::string SummaryText(const RescaleCall& call, const FileRescaleResult& r) {
  const std::uint64_t n = r.counts.elements;
  std::string text = ScaleLines(call);
  text += fmt::format("{} to {}, profile {}, rounding {}, {}: {} element{}: {} saturated, {}\n",
                      GetFormat(r.from).name, GetFormat(r.to).name, call.request.profile,
                      Name(call.request.rounding), ScaleText(call.request), n, n == 1 ? "" : "s",
                      r.counts.saturated, Unsure(r.counts));
  if (!call.all_roundings) return text;
  text += fmt::format("single and double rounding differ in {} of {} element{}", r.differing, n,
                      n == 1 ? "" : "s");
  return text + (r.differing == 0 ? "\n" : fmt::format(", the first {}\n", r.first_differing));
}

Json ScalesJson(const RescaleCall& call) {
  Json scales = Json::array();
  for (const ConvertedScale& s : call.scales) {
    scales.push_back({{"scale", s.text},
                      {"convention", Name(call.convention)},
                      {"multiplier", s.real.scale.multiplier},
                      {"shift", s.real.scale.shift},
                      {"lost_bits", s.real.status == ScaleStatus::kLostBits},
                      {"least_value", s.values.least},
                      {"greatest_value", s.values.greatest}});
  }
  return scales;
}

std::string SummaryJson(const RescaleCall& call, const FileRescaleResult& r) {
  const RescaleRequest& q = call.request;
  Json reasons = Json::object();
  for (std::size_t i = 1; i < r.counts.by_reason.size(); ++i) {
    if (r.counts.by_reason[i] == 0) continue;
    reasons[std::string(Describe(static_cast<Unpredictable>(i)))] = r.counts.by_reason[i];
  }
  Json json = {{"profile", q.profile},
               {"rounding", Name(q.rounding)},
               {"from", GetFormat(r.from).name},
               {"to", GetFormat(r.to).name},
               {"scale32", q.scale32},
               {"multiplier", q.multipliers},
               {"shift", q.shifts},
               {"input_zp", q.input_zp},
               {"output_zp", q.output_zp},
               {"per_channel", q.per_channel},
               {"shape", r.shape},
               {"elements", r.counts.elements},
               {"saturated", r.counts.saturated},
               {"unpredictable", r.counts.unpredictable()},
               {"unpredictable_by_reason", reasons}};
  if (r.counts.unpredictable() != 0) json["first_unpredictable"] = r.counts.first_unpredictable;
  if (call.all_roundings) json["single_double_differing"] = r.differing;
  if (r.differing != 0) json["first_differing"] = r.first_differing;
  if (!call.scales.empty()) json["scales"] = ScalesJson(call);
  if (!r.warnings.empty()) json["warnings"] = r.warnings;
  return JsonLine(json);
}

// ---- running ------------------------------------------------------------------------------------

Status PrintSummary(const FileRescaleResult& result, bool written, const std::string& summary) {
  if (result.output_is_standard_output) {
    std::fputs(summary.c_str(), stderr);
    return {};
  }
  const Status status = Print(summary);
  if (status.ok() || !written) return status;
  return NotWritten("standard output could not be written; OUTPUT is complete");
}

Status RunFiles(const RescaleOptions& o, const RescaleCall& call) {
  if (!call.to) return UsageError("--to is required: the format of OUTPUT");
  if (!o.output && !call.all_roundings) {
    return UsageError("OUTPUT is required; only --rounding all, --check and --scale go without");
  }
  FileRescaleRequest request;
  request.input = *o.input;
  request.output = o.output.value_or("");
  if (o.output && o.output->empty()) return UsageError("OUTPUT's name is empty; a stream is -");
  request.from = call.from;
  request.rescale = call.request;
  request.shape = call.shape;
  request.compare_roundings = call.all_roundings;
  request.strict = o.strict;
  request.force = o.force;
  request.threads = o.threads;
  const Result<FileRescaleResult> result = RescaleFile(request);
  if (!result.ok()) return result.status();
  if (!o.json || !result->output_is_standard_output) {
    for (const std::string& warning : result->warnings) Warn(warning);
  }
  return PrintSummary(*result, o.output.has_value(),
                      o.json ? SummaryJson(call, *result) : SummaryText(call, *result));
}

Ending RunRescale(RescaleOptions o) {
  if (o.check && o.input && !o.attributes) o.attributes = std::exchange(o.input, std::nullopt);
  if (o.check && (o.input || o.output)) {
    return UsageError("--check takes attributes alone: options, or one JSON file of them");
  }
  if (o.range && !o.check) return UsageError("--range goes with --check");
  const Result<RescaleCall> call = ReadCall(o);
  if (!call.ok()) return call.status();
  if (o.check) return RunRescaleCheck(o, *call);
  if (o.input) return RunFiles(o, *call);
  if (call->scales.empty()) return UsageError("INPUT is required");
  return Print(o.json ? JsonLine(ScalesJson(*call)) : ScaleLines(*call));
}

void AddCallOptions(CLI::App& app, RescaleOptions* o) {
  app.add_option(
      "--from", o->from,
      "type of INPUT; needed for raw data. uint8 and uint16 are TOSA's 8 and 16 bits with "
      "the unsigned flag; int48 lies in 64 bits");
  app.add_option("--to", o->to, "type of OUTPUT");
  app.add_option("--multiplier", o->multiplier, "one, several separated by commas, or @FILE");
  app.add_option("--shift", o->shift, "as many as multipliers");
  app.add_option("--scale", o->scale,
                 "the real scale, or several, or @FILE, instead of --multiplier and --shift; "
                 "without INPUT it is printed only");
  app.add_option("--convention", o->convention,
                 "how --scale becomes a pair: mlir tflite executorch cts vela tflite16 (default: "
                 "mlir)");
  app.add_option("--input-zp", o->input_zp, "zero point of INPUT (default: 0)");
  app.add_option("--output-zp", o->output_zp, "zero point of OUTPUT (default: 0)");
  app.add_flag("--scale16", o->scale16, "the multiplier has 16 bits, not 32");
  app.add_option("--round,--rounding", o->rounding,
                 "single double inexact, or all: count where single and double differ (default: "
                 "single)");
  app.add_flag("--per-channel", o->per_channel, "a multiplier and a shift per last index");
  app.add_option("--profile", o->profile, "tosa-0.20 to tosa-1.1-draft (default: tosa-1.0)");
  app.add_option("--attributes", o->attributes,
                 "a JSON file with TOSA's attributes; options beside it win");
  app.add_flag("--as-printed", o->as_printed,
               "the letter of the text where it is not what it means");
}

}  // namespace

Runner AddRescale(CLI::App& app) {
  auto o = std::make_shared<RescaleOptions>();
  app.add_option(
      "INPUT", o->input,
      ".npy, or raw under any other name; - is standard input (raw); with --check a JSON "
      "file of attributes");
  app.add_option("OUTPUT", o->output,
                 ".npy, or raw under any other name; - is standard output (raw)");
  AddCallOptions(app, o.get());
  app.add_option("--shape", o->shape, "shape of raw INPUT, as 2,3");
  app.add_flag("--check", o->check,
               "examine the attributes alone: errors, unpredictable inputs, ...");
  app.add_option("--range", o->range,
                 "--check: inputs to compare single and double rounding for, as -128,127");
  app.add_option("--threads", o->threads, "threads to use (default: all that the process may use)")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--strict", o->strict, "write nothing when a result is unpredictable");
  app.add_flag("--force", o->force, "replace an existing OUTPUT");
  app.add_flag("--json", o->json, "print JSON");
  return [o] { return RunRescale(*o); };
}

}  // namespace exactcast::cli
