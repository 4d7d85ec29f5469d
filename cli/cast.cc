// SPDX-License-Identifier: Apache-2.0
//
// exactcast cast: one tensor file to another format, and the summary of what became of its
// elements.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
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
  int threads = 0;
  bool unpacked = false;
  bool packed = false;
  bool strict = false;
  bool force = false;
  bool json = false;
};

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t comma = text.find(',');
    pieces.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return pieces;
    text.remove_prefix(comma + 1);
  }
}

template <typename Integer>
std::optional<Integer> ParseInteger(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "2,3"; "2," and "(2, 3)" are not taken; the empty word is the shape of a single element.
Result<std::vector<std::uint64_t>> ParseShape(const std::string& text) {
  std::vector<std::uint64_t> shape;
  if (text.empty()) return shape;
  for (std::string_view piece : SplitAtCommas(text)) {
    const std::optional<std::uint64_t> dimension = ParseInteger<std::uint64_t>(piece);
    if (!dimension) {
      return UsageError(fmt::format("--shape {}: '{}' is not a dimension; write 2,3", text, piece));
    }
    shape.push_back(*dimension);
  }
  return shape;
}

// 0x101c is the bit pattern of a scale, as device code sets it; 0x1p-3 a number.
Result<std::uint32_t> ParseScale(std::string_view text, const Format& format) {
  const bool pattern =
      text.starts_with("0x") && text.find_first_of(".pP") == std::string_view::npos;
  const Result<std::uint64_t> bits =
      ParseNumber(pattern ? fmt::format("bits:{}", text) : std::string(text), format);
  if (!bits.ok()) return UsageError(fmt::format("--deqscale: {}", bits.status().message()));
  return static_cast<std::uint32_t>(*bits);
}

Result<std::optional<Dequantization>> ParseDequantization(const CastOptions& o, FormatId to) {
  if (!o.deqscale && !o.offset) return std::optional<Dequantization>();
  if (!o.deqscale) return UsageError("--offset goes with --deqscale");
  Dequantization d;
  const Format& scale_format =
      GetFormat(to == FormatId::kFloat16 ? FormatId::kFloat16 : FormatId::kFloat32);
  for (std::string_view piece : SplitAtCommas(*o.deqscale)) {
    const Result<std::uint32_t> scale = ParseScale(piece, scale_format);
    if (!scale.ok()) return scale.status();
    d.scales.push_back(*scale);
  }
  if (!o.offset) return std::optional(d);
  for (std::string_view piece : SplitAtCommas(*o.offset)) {
    const std::optional<std::int32_t> offset = ParseInteger<std::int32_t>(piece);
    if (!offset) return UsageError(fmt::format("--offset: '{}' is not an integer", piece));
    d.offsets.push_back(*offset);
  }
  return std::optional(d);
}

// Fills `target` from an option that was given; the status of the parser otherwise.
template <typename T, typename Target, typename Parser>
Status Fill(const std::optional<std::string>& word, Target& target, Parser parse) {
  if (!word) return {};
  const Result<T> value = parse(*word);
  if (!value.ok()) return value.status();
  target = *value;
  return {};
}

Result<FileCastRequest> ToRequest(const CastOptions& o) {
  FileCastRequest r;
  r.input = o.input;
  r.output = o.output;
  r.cast.profile = o.profile;
  r.unpacked = o.unpacked;
  r.packed = o.packed;
  r.strict = o.strict;
  r.force = o.force;
  r.threads = o.threads;
  const Result<FormatId> to = ParseFormat(o.to);
  if (!to.ok()) return to.status();
  r.cast.to = *to;
  for (const Status& status : {Fill<FormatId>(o.from, r.from, ParseFormat),
                               Fill<Rounding>(o.round, r.cast.rounding, ParseRounding),
                               Fill<Overflow>(o.overflow, r.cast.overflow, ParseOverflow),
                               Fill<NanRule>(o.nan, r.cast.nan, ParseNanRule),
                               Fill<std::vector<std::uint64_t>>(o.shape, r.shape, ParseShape)}) {
    if (!status.ok()) return status;
  }
  Result<std::optional<Dequantization>> d = ParseDequantization(o, r.cast.to);
  if (!d.ok()) return d.status();
  r.cast.dequantization = std::move(*d);
  return r;
}

// The scales as they were used: a decimal may have been rounded to the scale's format.
std::vector<std::string> ScaleTexts(const FileCastRequest& request) {
  std::vector<std::string> texts;
  if (!request.cast.dequantization) return texts;
  const Format& format =
      GetFormat(request.cast.to == FormatId::kFloat16 ? FormatId::kFloat16 : FormatId::kFloat32);
  for (std::uint32_t scale : request.cast.dequantization->scales) {
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
      "{} to {}, profile {}, mode {}{}{}: {} element{}: {} exact, {} rounded, {} overflowed, {} "
      "underflowed, {} NaN",
      GetFormat(r.from).name, GetFormat(r.to).name, r.profile, Name(r.rounding),
      scales.empty() ? "" : ", scale ", fmt::join(scales, ","), r.elements,
      r.elements == 1 ? "" : "s", c.exact, c.rounded, c.overflowed, c.underflowed, c.nan);
  if (LosesImaginary(r)) {
    line += fmt::format(", {} imaginary part{} lost", c.imaginary_lost,
                        c.imaginary_lost == 1 ? "" : "s");
  }
  return line + "\n";
}

std::string SummaryJson(const FileCastResult& r, const std::vector<std::string>& scales) {
  const Counts& c = r.counts;
  nlohmann::ordered_json json = {{"profile", r.profile},
                                 {"round", Name(r.rounding)},
                                 {"from", GetFormat(r.from).name},
                                 {"to", GetFormat(r.to).name},
                                 {"shape", r.shape},
                                 {"elements", r.elements},
                                 {"exact", c.exact},
                                 {"rounded", c.rounded},
                                 {"overflowed", c.overflowed},
                                 {"underflowed", c.underflowed},
                                 {"nan", c.nan}};
  if (LosesImaginary(r)) json["imaginary_lost"] = c.imaginary_lost;
  if (!scales.empty()) json["deqscale"] = scales;
  return json.dump() + "\n";
}

Status RunCast(const CastOptions& options) {
  const Result<FileCastRequest> request = ToRequest(options);
  if (!request.ok()) return request.status();
  const Result<FileCastResult> result = CastFile(*request);
  if (!result.ok()) return result.status();
  for (const std::string& warning : result->warnings) Warn(warning);
  const std::vector<std::string> scales = ScaleTexts(*request);
  const std::string summary =
      options.json ? SummaryJson(*result, scales) : SummaryLine(*result, scales);
  if (options.output != "-") return Print(summary);
  std::fputs(summary.c_str(), stderr);
  return {};
}

}  // namespace

Runner AddCast(CLI::App& app) {
  auto o = std::make_shared<CastOptions>();
  app.add_option("INPUT", o->input,
                 ".bin (raw, little-endian), .npy, or - for standard input (raw)")
      ->required();
  app.add_option("OUTPUT", o->output, ".bin, .npy, or - for standard output (raw)")->required();
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
