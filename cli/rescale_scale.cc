// SPDX-License-Identifier: Apache-2.0
//
// exactcast rescale --scale: real scales into multipliers and shifts.
#include <fmt/format.h>

#include <algorithm>

#include "cli/options.h"
#include "cli/rescale.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/format_names.h"

namespace exactcast::cli {
namespace {

Status Unusable(const std::string& text, const RescaleCall& call, std::string_view why) {
  return UsageError(fmt::format("--scale {} by {}: {}", text, Name(call.convention), why));
}

Status CheckConverted(const std::string& text, const RealScale& real, const RescaleCall& call) {
  const Scale& s = real.scale;
  switch (real.status) {
    case ScaleStatus::kNegative:
      return Unusable(text, call, "a multiplier is not negative");
    case ScaleStatus::kNotFinite:
      return Unusable(text, call, "not a finite number");
    case ScaleStatus::kTooLarge:
      return Unusable(text, call,
                      fmt::format("too large: the shift would be {}, and the least is 2", s.shift));
    case ScaleStatus::kTooSmall:
      return Unusable(
          text, call,
          fmt::format("too small: the shift would be {}, and the greatest is 62", s.shift));
    case ScaleStatus::kOk:
    case ScaleStatus::kLostBits:
      break;
  }
  if (s.multiplier == std::int64_t{1} << 31) {
    return Unusable(text, call, "it gives the multiplier 2147483648, which does not fit int32");
  }
  return {};
}

// The values that the pair takes, whatever the types of the tensors.
IntegerRange Values(const Scale& scale, bool scale32, const tosa::RescaleVersion& version) {
  const RescaleRules rules = {.output = kInt32Range, .scale32 = scale32, .limit = version.limit};
  const std::optional<IntegerRange> range =
      scale.shift < 1 ? std::nullopt
                      : PredictableInputs(scale32 ? kInt32Range : kInt48Range, scale, rules);
  return range.value_or(IntegerRange{0, -1});
}

Result<std::vector<std::string>> Words(const std::string& option) {
  if (option.starts_with('@')) return ReadNumbers(option.substr(1));
  std::vector<std::string> words;
  for (const std::string_view piece : SplitAtCommas(option)) words.emplace_back(piece);
  return words;
}

}  // namespace

Result<ScaleConvention> ParseConvention(std::string_view word) {
  std::vector<std::string_view> names;
  for (const ScaleConventionRow& row : kScaleConventions) {
    if (EqualsIgnoringCase(row.name, word)) return row.convention;
    names.push_back(row.name);
  }
  return UsageError(
      fmt::format("unknown convention '{}'; there are {}", word, WordList(names, "and")));
}

std::string_view Name(ScaleConvention convention) {
  return kScaleConventions[static_cast<std::size_t>(convention)].name;
}

Status ConvertScales(const std::string& option, const tosa::RescaleVersion& version,
                     RescaleCall* call) {
  const Result<std::vector<std::string>> words = Words(option);
  if (!words.ok()) return words.status();
  RescaleRequest& r = call->request;
  const ScaleConvention convention = call->convention;
  if (convention == ScaleConvention::kTflite16) r.scale32 = false;
  if (!r.scale32 &&
      (convention == ScaleConvention::kTflite || convention == ScaleConvention::kVela)) {
    return UsageError(
        fmt::format("--convention {} has 32-bit multipliers; for 16 bits there are "
                    "mlir, executorch, cts and tflite16",
                    Name(convention)));
  }
  for (const std::string& word : *words) {
    const Result<ParsedNumber> number = ParseNumber(word, GetFormat(FormatId::kFloat64));
    if (!number.ok()) return UsageError(fmt::format("--scale: {}", number.status().message()));
    const RealScale real = ScaleFromReal(number->word, convention, r.scale32);
    if (Status status = CheckConverted(word, real, *call); !status.ok()) return status;
    r.multipliers.push_back(real.scale.multiplier);
    r.shifts.push_back(real.scale.shift);
    call->scales.push_back({word, real, Values(real.scale, r.scale32, version)});
  }
  return {};
}

std::string ScaleLines(const RescaleCall& call) {
  std::string text;
  for (const ConvertedScale& s : call.scales) {
    text += fmt::format("scale {} by {}: multiplier {}, shift {}", s.text, Name(call.convention),
                        s.real.scale.multiplier, s.real.scale.shift);
    if (s.real.status == ScaleStatus::kLostBits) text += " (the multiplier lost bits)";
    text += s.values.least > s.values.greatest ? "; no legal input: the shift is not 2 to 62\n"
                                               : fmt::format("; legal input - input_zp: {} to {}\n",
                                                             s.values.least, s.values.greatest);
  }
  return text;
}

}  // namespace exactcast::cli
