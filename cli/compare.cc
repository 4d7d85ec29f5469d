// SPDX-License-Identifier: Apache-2.0
//
// exactcast compare: how far two tensor files agree, element by element.
#include "cli/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/rescale.h"
#include "cli/whole_number.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/codec.h"
#include "exactcast/tensor_files.h"

namespace exactcast::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CompareOptions {
  std::string a;
  std::string b;
  std::optional<std::string> format;
  std::optional<std::string> shape;
  std::optional<std::string> ulp;
  std::optional<std::string> atol;
  std::optional<std::string> rtol;
  std::optional<std::string> from;
  std::optional<std::string> source;
  std::optional<std::string> profile;
  std::optional<std::string> rescale;
  bool permitted = false;
  bool nan_payload = false;
  bool unpacked = false;
  bool packed = false;
  bool json = false;
};

Result<std::uint64_t> ParseUlp(const std::string& text) { return ParseWholeNumber("--ulp", text); }

// Without a source --from is the format of A and B; with one, that of the source.
Status FillPermitted(const CompareOptions& o, CompareRequest* r) {
  if (!o.permitted && !o.source && !o.profile && !o.rescale) {
    if (o.from && o.format) return UsageError("--from is --format by another name; give one");
    return Fill<FormatId>(o.from, r->format, ParseFormat);
  }
  if (!o.permitted || !o.source || !o.profile) {
    return UsageError(
        "--permitted, --profile and --source belong together: what was cast, and by whose rules");
  }
  r->permitted = {.profile = *o.profile, .source = *o.source};
  if (o.rescale) {
    RescaleCall call;
    if (Status status = ReadRescaleAttributes(*o.rescale, &call); !status.ok()) return status;
    r->permitted->rescale = call.request;
    r->permitted->source_format = call.from;
  }
  return Fill<FormatId>(o.from, r->permitted->source_format, ParseFormat);
}

Result<CompareRequest> ToRequest(const CompareOptions& o) {
  CompareRequest r;
  r.a = o.a;
  r.b = o.b;
  r.atol = o.atol;
  r.rtol = o.rtol;
  r.nan_payload = o.nan_payload;
  r.unpacked = o.unpacked;
  r.packed = o.packed;
  for (const Status& status : {Fill<FormatId>(o.format, r.format, ParseFormat),
                               Fill<std::vector<std::uint64_t>>(o.shape, r.shape, ParseShape),
                               Fill<std::uint64_t>(o.ulp, r.ulp, ParseUlp), FillPermitted(o, &r)}) {
    if (!status.ok()) return status;
  }
  return r;
}

bool IsComplex(const CompareResult& r) { return GetFormat(r.format).kind == Kind::kComplex; }

// ---- text ---------------------------------------------------------------------------------------

std::string Number(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

// "float16: 1000 elements: 990 equal, 4 accepted, 6 differ"
std::string Summary(const CompareResult& r, bool tolerant) {
  const Differences& d = r.differences;
  std::string line = fmt::format("{}: {}", GetFormat(r.format).name, Number(r.elements, "element"));
  if (IsComplex(r)) line += fmt::format(" of two parts");
  line += fmt::format(": {} equal", d.equal);
  if (tolerant) line += fmt::format(", {} accepted", d.accepted);
  return line + fmt::format(", {} {}\n", d.differing, r.source_format ? "not permitted" : "differ");
}

std::string Histogram(const Differences& d) {
  std::vector<std::pair<std::string, std::uint64_t>> rows = {
      {"NaN against a number", d.nan_against_number}, {"NaNs with different bits", d.nan_bits}};
  for (std::size_t i = 0; i < kUlpRanges; ++i) {
    const std::uint64_t begin = UlpRangeBegin(i);
    const std::uint64_t end = UlpRangeEnd(i);
    rows.emplace_back(
        begin == end ? fmt::format("{} ulp", end) : fmt::format("{}..{} ulp", begin, end),
        d.ulp_ranges[i]);
  }
  std::erase_if(rows, [](const auto& row) { return row.second == 0; });
  if (d.largest_ulp > 2) rows.emplace_back("largest, in ulp", d.largest_ulp);
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.first.size());
  std::string text = "\n";
  for (const auto& [label, count] : rows)
    text += fmt::format("  {:<{}}  {}\n", label, width, count);
  return text;
}

std::string MismatchText(const Difference& d) {
  switch (d.mismatch) {
    case Mismatch::kNanAgainstNumber:
      return "NaN against a number";
    case Mismatch::kNanBits:
      return "NaNs with different bits";
    case Mismatch::kNumbers:
      break;
  }
  return fmt::format("{} ulp", d.ulp);
}

std::string Worst(const CompareResult& r) {
  const Format& part = GetFormat(GetFormat(r.format).part);
  std::string text = "\nthe worst\n";
  for (const Difference& d : r.differences.worst) {
    text += fmt::format("  element {}", d.index);
    if (d.place.size() > 1) text += fmt::format(" [{}]", fmt::join(d.place, ", "));
    if (IsComplex(r)) text += d.imaginary ? ", imaginary part" : ", real part";
    text += fmt::format(": {}{}\n", MismatchText(d), d.accepted ? ", accepted" : "");
    const auto line = [](char side, std::uint64_t word, const Format& f, std::string_view why) {
      return fmt::format("    {}  {}  {}{}{}\n", side, CodeText(word, f), ValueText(word, f),
                         why.empty() ? "" : ", ", why);
    };
    const bool judged = r.source_format.has_value();
    if (judged) text += line('S', d.source, GetFormat(*r.source_format), "");
    text += line('A', d.a, part, judged ? Name(d.grounds_a) : "");
    text += line('B', d.b, part, judged ? Name(d.grounds_b) : "");
  }
  return text;
}

// "A: 990 default, 10 toward zero"
std::string GroundsLines(const CompareResult& r) {
  std::string text;
  for (const auto& [side, counts] :
       {std::pair{'A', &r.differences.grounds_a}, std::pair{'B', &r.differences.grounds_b}}) {
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < counts->size(); ++i) {
      if ((*counts)[i] == 0) continue;
      pieces.push_back(fmt::format("{} {}", (*counts)[i], kGroundsNames[i]));
    }
    text += fmt::format("{}: {}\n", side,
                        pieces.empty() ? "nothing" : fmt::format("{}", fmt::join(pieces, ", ")));
  }
  return text;
}

std::string ToText(const CompareResult& r, bool tolerant) {
  std::string text = Summary(r, tolerant);
  if (r.source_format) text += GroundsLines(r);
  if (!r.differences.worst.empty()) text += Histogram(r.differences) + Worst(r);
  return text;
}

// ---- JSON ---------------------------------------------------------------------------------------

Json ToJson(const Difference& d, const CompareResult& r) {
  const Format& part = GetFormat(GetFormat(r.format).part);
  const auto element = [&](std::uint64_t word) {
    return Json{{"bits", CodeText(word, part)}, {"decimal", ExactDecimal(Decode(word, part))}};
  };
  Json json = {{"index", d.index}, {"place", d.place}};
  if (IsComplex(r)) json["part"] = d.imaginary ? "imaginary" : "real";
  if (d.mismatch == Mismatch::kNumbers) {
    json["ulp"] = d.ulp;
  } else {
    json["mismatch"] = MismatchText(d);
  }
  json["accepted"] = d.accepted;
  json["a"] = element(d.a);
  json["b"] = element(d.b);
  if (r.source_format) {
    json["a"]["grounds"] = Name(d.grounds_a);
    json["b"]["grounds"] = Name(d.grounds_b);
    json["source"] = CodeText(d.source, GetFormat(*r.source_format));
  }
  return json;
}

std::string ToJson(const CompareResult& r) {
  const Differences& d = r.differences;
  Json json = {{"format", GetFormat(r.format).name},
               {"shape", r.shape},
               {"elements", r.elements},
               {"equal", d.equal},
               {"accepted", d.accepted},
               {"differing", d.differing},
               {"nan_against_number", d.nan_against_number},
               {"nan_bits", d.nan_bits},
               {"largest_ulp", d.largest_ulp},
               {"ulp", Json::array()},
               {"worst", Json::array()}};
  for (std::size_t i = 0; i < kUlpRanges; ++i) {
    if (d.ulp_ranges[i] == 0) continue;
    json["ulp"].push_back(
        {{"from", UlpRangeBegin(i)}, {"to", UlpRangeEnd(i)}, {"count", d.ulp_ranges[i]}});
  }
  if (r.source_format) {
    json["source_format"] = GetFormat(*r.source_format).name;
    for (std::size_t i = 0; i < kGroundsNames.size(); ++i) {
      json["permitted"]["a"][std::string(kGroundsNames[i])] = d.grounds_a[i];
      json["permitted"]["b"][std::string(kGroundsNames[i])] = d.grounds_b[i];
    }
  }
  for (const Difference& difference : d.worst) json["worst"].push_back(ToJson(difference, r));
  return JsonLine(json);
}

Ending RunCompare(const CompareOptions& options) {
  const Result<CompareRequest> request = ToRequest(options);
  if (!request.ok()) return request.status();
  if (AreTensorFiles(request->a, request->b) || AreTensorFiles(request->b, request->a)) {
    return CompareTensors(*request, options.json);
  }
  const Result<CompareResult> result = CompareFiles(*request);
  if (!result.ok()) return result.status();
  for (const std::string& warning : result->warnings) Warn(warning);
  const bool tolerant =
      request->ulp || request->atol || request->rtol || request->permitted.has_value();
  const Status status = Print(options.json ? ToJson(*result) : ToText(*result, tolerant));
  return {status, !result->agree()};
}

}  // namespace

Runner AddCompare(CLI::App& app) {
  auto o = std::make_shared<CompareOptions>();
  app.add_option("A", o->a,
                 ".bin (raw, little-endian), .npy, or - for standard input (raw); of many tensors: "
                 ".safetensors, .npz, .gguf, a folder of shards or its index json")
      ->required();
  app.add_option("B", o->b, "the same; differences are relative to this one")->required();
  app.add_option("--format", o->format,
                 "format of both; needed where neither file says it: raw data, opaque .npy types");
  app.add_option("--from", o->from, "with --source: its format; else the same as --format");
  app.add_flag("--permitted", o->permitted,
               "accept every result that --profile permits for the elements of --source");
  app.add_option("--profile", o->profile, "with --permitted: whose rules; a profile tosa-...");
  app.add_option(
      "--rescale", o->rescale,
      "with --permitted: --source was rescaled, with TOSA's attributes in this JSON file");
  app.add_option("--source", o->source, "with --permitted: the tensor that was cast");
  app.add_option("--shape", o->shape, "shape of raw data, as 2,3");
  app.add_option("--ulp", o->ulp, "accept distances of at most so many units in the last place");
  app.add_option("--atol", o->atol, "accept |A - B| <= atol + rtol * |B|, compared exactly");
  app.add_option("--rtol", o->rtol, "see --atol");
  app.add_flag("--nan-payload", o->nan_payload, "NaNs with different bits differ");
  app.add_flag("--unpacked", o->unpacked, "raw data: formats of 4 and 2 bits take a byte each");
  app.add_flag("--packed", o->packed, ".npy: 4-bit formats are two to a byte along the last axis");
  app.add_flag("--json", o->json, "print JSON");
  return [o] { return RunCompare(*o); };
}

}  // namespace exactcast::cli
