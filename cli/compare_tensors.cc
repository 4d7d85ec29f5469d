// SPDX-License-Identifier: Apache-2.0
//
// exactcast compare on files of many tensors: a summary, what is on one side alone, and a line for each
// tensor that differs.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/compare.h"
#include "cli/json.h"
#include "cli/report.h"

namespace exactcast::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string_view Name(TensorVerdict verdict) {
  switch (verdict) {
    case TensorVerdict::kAgree:
      return "agree";
    case TensorVerdict::kDiffer:
      return "differ";
    case TensorVerdict::kOnlyInA:
      return "only in A";
    case TensorVerdict::kOnlyInB:
      return "only in B";
    case TensorVerdict::kOtherShape:
      return "other shape";
    case TensorVerdict::kOtherFormat:
      break;
  }
  return "other format";
}

// Whole, as scripts look for it; control characters would be obeyed.
std::string Shown(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text;
}

std::string Differing(const TensorComparison& t) {
  const Differences& d = t.differences;
  std::string text = fmt::format("{}: {} of {} elements differ", GetFormat(*t.format).name,
                                 d.differing, d.equal + d.accepted + d.differing);
  if (d.accepted > 0) text += fmt::format(", {} accepted", d.accepted);
  if (d.largest_ulp > 0) text += fmt::format(", at most {} ulp", d.largest_ulp);
  if (d.nan_against_number > 0)
    text += fmt::format(", {} NaN against a number", d.nan_against_number);
  if (d.nan_bits > 0) text += fmt::format(", {} NaNs with different bits", d.nan_bits);
  return text;
}

std::string Errors(const TensorComparison& t) {
  std::string text = fmt::format("{} against {}", t.format_a, t.format_b);
  if (!t.statistics) return text;
  const Statistics& s = *t.statistics;
  text += fmt::format(": {} elements, relative error {}, SQNR {} dB, cosine {}", s.elements,
                      NumberText(s.RelativeError()), NumberText(s.Sqnr()), CosineText(s));
  text += fmt::format(", largest error {}", NumberText(s.largest_error));
  if (s.worst != Statistics::kNoWorst) text += fmt::format(" at element {}", s.worst);
  if (s.became_zero > 0) text += fmt::format(", {} to zero", s.became_zero);
  if (s.became_infinite > 0) text += fmt::format(", {} to inf", s.became_infinite);
  if (s.became_nan > 0) text += fmt::format(", {} to NaN", s.became_nan);
  return text;
}

std::string Line(const TensorComparison& t) {
  std::string text;
  switch (t.verdict) {
    case TensorVerdict::kAgree:
      return "";
    case TensorVerdict::kDiffer:
      text = Differing(t);
      break;
    case TensorVerdict::kOnlyInA:
    case TensorVerdict::kOnlyInB:
      text = Name(t.verdict);
      break;
    case TensorVerdict::kOtherShape:
      text = fmt::format("shape {} against {}", ShapeText(t.shape_a), ShapeText(t.shape_b));
      break;
    case TensorVerdict::kOtherFormat:
      text = Errors(t);
      break;
  }
  return fmt::format("{}: {}\n", Shown(t.name), text);
}

std::string Summary(const TensorsCompareResult& r) {
  std::string text = fmt::format("{} tensor{}: {} agree", r.tensors.size(),
                                 r.tensors.size() == 1 ? "" : "s", r.Count(TensorVerdict::kAgree));
  for (const TensorVerdict verdict :
       {TensorVerdict::kDiffer, TensorVerdict::kOtherFormat, TensorVerdict::kOtherShape,
        TensorVerdict::kOnlyInA, TensorVerdict::kOnlyInB}) {
    if (const std::uint64_t count = r.Count(verdict); count > 0) {
      text += fmt::format(", {} {}", count, Name(verdict));
    }
  }
  return text + "\n";
}

std::string ToText(const TensorsCompareResult& r) {
  std::string text = Summary(r);
  for (const bool alone : {true, false}) {
    for (const TensorComparison& t : r.tensors) {
      const bool is_alone =
          t.verdict == TensorVerdict::kOnlyInA || t.verdict == TensorVerdict::kOnlyInB;
      if (is_alone == alone) text += Line(t);
    }
  }
  return text;
}

Json ToJson(const TensorComparison& t) {
  Json json = {{"name", t.name}, {"verdict", Name(t.verdict)}};
  if (t.verdict != TensorVerdict::kOnlyInB) {
    json["a"] = {{"format", t.format_a}, {"shape", t.shape_a}};
  }
  if (t.verdict != TensorVerdict::kOnlyInA) {
    json["b"] = {{"format", t.format_b}, {"shape", t.shape_b}};
  }
  if (t.format) {
    const Differences& d = t.differences;
    json["equal"] = d.equal;
    json["accepted"] = d.accepted;
    json["differing"] = d.differing;
    json["nan_against_number"] = d.nan_against_number;
    json["nan_bits"] = d.nan_bits;
    json["largest_ulp"] = d.largest_ulp;
  }
  if (t.statistics) json["errors"] = StatisticsJson(*t.statistics);
  return json;
}

std::string ToJson(const TensorsCompareResult& r) {
  Json json = {{"tensors", r.tensors.size()},
               {"agree", r.Count(TensorVerdict::kAgree)},
               {"differing", Json::array()}};
  for (const TensorComparison& t : r.tensors) {
    if (t.verdict != TensorVerdict::kAgree) json["differing"].push_back(ToJson(t));
  }
  return JsonLine(json);
}

}  // namespace

Ending CompareTensors(const CompareRequest& request, bool json) {
  const Result<TensorsCompareResult> result = CompareTensorFiles(request);
  if (!result.ok()) return result.status();
  for (const std::string& warning : result->warnings) Warn(warning);
  return {Print(json ? ToJson(*result) : ToText(*result)), !result->agree()};
}

}  // namespace exactcast::cli
