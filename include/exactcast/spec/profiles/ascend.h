// SPDX-License-Identifier: Apache-2.0
//
// Ascend C Cast: the pairs and modes of each product as its page on precision conversion lists
// them, and the page's rules for what does not fit. One table a product; what the rules are follows
// from the kinds of the two formats.
#ifndef EXACTCAST_SPEC_PROFILES_ASCEND_H_
#define EXACTCAST_SPEC_PROFILES_ASCEND_H_

#include <array>
#include <optional>

#include "exactcast/spec/format.h"
#include "exactcast/spec/profiles/cast_row.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"

namespace exactcast::ascend {

// clang-format off
namespace tables {
using enum FormatId;
using enum Rounding;
using enum Operation;

inline constexpr Modes kAnyMode = kIeeeModes | kToOdd | kHybrid | kNone;  // SetDeqScale ignores the mode
inline constexpr Modes kNearest = kTiesToEven | kNone;                   // CastDequant has no mode: it rounds to even

// ascend950
inline constexpr auto kAscend950 = std::to_array<PairRow>({
  // from            to               modes
  {kInt4,           kInt16,          kNone},
  {kInt4,           kFloat16,        kNone},
  {kInt4,           kBfloat16,       kNone},
  {kInt8,           kInt16,          kNone},
  {kInt8,           kFloat16,        kNone},
  {kInt8,           kInt32,          kNone},
  {kUint8,          kUint16,         kNone},
  {kUint8,          kFloat16,        kNone},
  {kUint8,          kUint32,         kNone},
  {kFloat4E2m1fn,   kBfloat16,       kNone},
  {kFloat4E1m2,     kBfloat16,       kNone},
  {kHifloat8,       kFloat16,        kNone},
  {kHifloat8,       kFloat32,        kNone},
  {kFloat8E5m2,     kFloat32,        kNone},
  {kFloat8E4m3fn,   kFloat32,        kNone},
  {kInt16,          kInt4,           kNone},
  {kInt16,          kUint8,          kNone},
  {kInt16,          kFloat16,        kIeeeModes},
  {kInt16,          kInt32,          kNone},
  {kInt16,          kUint32,         kNone},
  {kInt16,          kFloat32,        kNone},
  {kUint16,         kUint8,          kNone},
  {kUint16,         kUint32,         kNone},
  {kFloat16,        kInt4,           kIeeeModes},
  {kFloat16,        kInt8,           kIeeeModes},
  {kFloat16,        kUint8,          kIeeeModes},
  {kFloat16,        kHifloat8,       kTiesToAway | kHybrid},
  {kFloat16,        kInt16,          kIeeeModes},
  {kFloat16,        kBfloat16,       kIeeeModes},
  {kFloat16,        kInt32,          kIeeeModes},
  {kFloat16,        kFloat32,        kNone},
  {kBfloat16,       kFloat4E2m1fn,   kIeeeModes},
  {kBfloat16,       kFloat4E1m2,     kIeeeModes},
  {kBfloat16,       kFloat16,        kIeeeModes},
  {kBfloat16,       kInt32,          kIeeeModes},
  {kBfloat16,       kFloat32,        kNone},
  {kInt32,          kUint8,          kNone},
  {kInt32,          kInt16,          kNone},
  {kInt32,          kUint16,         kNone},
  {kInt32,          kFloat16,        kAnyMode, kScaleToFloat16},
  {kInt32,          kFloat32,        kIeeeModes},
  {kInt32,          kInt64,          kNone},
  {kUint32,         kUint8,          kNone},
  {kUint32,         kInt16,          kNone},
  {kUint32,         kUint16,         kNone},
  {kFloat32,        kHifloat8,       kTiesToAway | kHybrid},
  {kFloat32,        kFloat8E5m2,     kTiesToEven},
  {kFloat32,        kFloat8E4m3fn,   kTiesToEven},
  {kFloat32,        kInt16,          kIeeeModes},
  {kFloat32,        kFloat16,        kIeeeModes | kToOdd | kNone},
  {kFloat32,        kBfloat16,       kIeeeModes},
  {kFloat32,        kInt32,          kIeeeModes},
  {kFloat32,        kFloat32,        kIeeeModes, kRoundToIntegral},
  {kFloat32,        kInt64,          kIeeeModes},
  {kComplex32,      kComplex64,      kNone},
  {kInt64,          kInt32,          kNone},
  {kInt64,          kFloat32,        kIeeeModes},
  {kInt64,          kFloat64,        kIeeeModes},
  {kFloat64,        kBfloat16,       kIeeeModes},
  {kFloat64,        kInt32,          kTowardZero},
  {kFloat64,        kFloat32,        kIeeeModes},
  {kFloat64,        kInt64,          kTowardZero},
  {kComplex64,      kComplex32,      kIeeeModes | kToOdd | kNone},
  {kComplex64,      kComplex64,      kIeeeModes, kRoundToIntegral},
  // for register operands only
  {kBfloat16,       kFloat8E8m0fnu,  kNone},
  {kFloat8E8m0fnu,  kBfloat16,       kNone},
  // CastDequant
  {kInt16,          kInt8,           kNearest, kScaleToInt8},
  {kInt16,          kUint8,          kNearest, kScaleToInt8},
});

// atlas-a3
inline constexpr auto kAtlasA3 = std::to_array<PairRow>({
  // from            to               modes
  {kInt4,           kFloat16,        kNone},
  {kInt8,           kFloat16,        kNone},
  {kUint8,          kFloat16,        kNone},
  {kInt16,          kFloat16,        kIeeeModes | kNone},
  {kInt16,          kFloat32,        kNone},
  {kFloat16,        kInt4,           kIeeeModes | kNone},
  {kFloat16,        kInt8,           kIeeeModes | kNone},
  {kFloat16,        kUint8,          kIeeeModes | kNone},
  {kFloat16,        kInt16,          kIeeeModes},
  {kFloat16,        kInt32,          kIeeeModes},
  {kFloat16,        kFloat32,        kNone},
  {kBfloat16,       kInt32,          kIeeeModes},
  {kBfloat16,       kFloat32,        kNone},
  {kInt32,          kInt16,          kNone},
  {kInt32,          kFloat16,        kAnyMode, kScaleToFloat16},
  {kInt32,          kFloat32,        kIeeeModes | kNone},
  {kInt32,          kInt64,          kNone},
  {kFloat32,        kInt16,          kIeeeModes},
  {kFloat32,        kFloat16,        kIeeeModes | kToOdd | kNone},
  {kFloat32,        kBfloat16,       kIeeeModes},
  {kFloat32,        kInt32,          kIeeeModes},
  {kFloat32,        kFloat32,        kIeeeModes, kRoundToIntegral},
  {kFloat32,        kInt64,          kIeeeModes},
  {kInt64,          kInt32,          kNone},
  {kInt64,          kFloat32,        kIeeeModes},
  // CastDequant
  {kInt16,          kInt8,           kNearest, kScaleToInt8},
  {kInt16,          kUint8,          kNearest, kScaleToInt8},
});

// atlas-a2
inline constexpr auto kAtlasA2 = std::to_array<PairRow>({
  // from            to               modes
  {kInt4,           kFloat16,        kNone},
  {kInt8,           kFloat16,        kNone},
  {kUint8,          kFloat16,        kNone},
  {kInt16,          kFloat16,        kIeeeModes | kNone},
  {kInt16,          kFloat32,        kNone},
  {kFloat16,        kInt4,           kIeeeModes | kNone},
  {kFloat16,        kInt8,           kIeeeModes | kNone},
  {kFloat16,        kUint8,          kIeeeModes | kNone},
  {kFloat16,        kInt16,          kIeeeModes},
  {kFloat16,        kInt32,          kIeeeModes},
  {kFloat16,        kFloat32,        kNone},
  {kBfloat16,       kInt32,          kIeeeModes},
  {kBfloat16,       kFloat32,        kNone},
  {kInt32,          kInt16,          kNone},
  {kInt32,          kFloat16,        kAnyMode, kScaleToFloat16},
  {kInt32,          kFloat32,        kIeeeModes | kNone},
  {kInt32,          kInt64,          kNone},
  {kFloat32,        kInt16,          kIeeeModes},
  {kFloat32,        kFloat16,        kIeeeModes | kToOdd | kNone},
  {kFloat32,        kBfloat16,       kIeeeModes},
  {kFloat32,        kInt32,          kIeeeModes},
  {kFloat32,        kFloat32,        kIeeeModes, kRoundToIntegral},
  {kFloat32,        kInt64,          kIeeeModes},
  {kInt64,          kInt32,          kNone},
  {kInt64,          kFloat32,        kIeeeModes},
  // CastDequant
  {kInt16,          kInt8,           kNearest, kScaleToInt8},
  {kInt16,          kUint8,          kNearest, kScaleToInt8},
});

// atlas-200i-500-a2
inline constexpr auto kAtlas200i500A2 = std::to_array<PairRow>({
  // from            to               modes
  {kInt8,           kFloat16,        kNone},
  {kUint8,          kFloat16,        kNone},
  {kInt16,          kFloat16,        kIeeeModes | kNone},
  {kInt16,          kFloat32,        kNone},
  {kFloat16,        kInt8,           kIeeeModes | kNone},
  {kFloat16,        kUint8,          kIeeeModes | kNone},
  {kFloat16,        kInt16,          kIeeeModes},
  {kFloat16,        kInt32,          kIeeeModes},
  {kFloat16,        kFloat32,        kNone},
  {kBfloat16,       kInt32,          kIeeeModes},
  {kBfloat16,       kFloat32,        kNone},
  {kInt32,          kInt16,          kNone},
  {kInt32,          kFloat16,        kNone},
  {kInt32,          kFloat32,        kIeeeModes | kNone},
  {kInt32,          kInt64,          kNone},
  {kFloat32,        kInt16,          kIeeeModes},
  {kFloat32,        kFloat16,        kIeeeModes | kToOdd | kNone},
  {kFloat32,        kBfloat16,       kIeeeModes},
  {kFloat32,        kInt32,          kIeeeModes},
  {kFloat32,        kFloat32,        kIeeeModes, kRoundToIntegral},
  {kFloat32,        kInt64,          kIeeeModes},
  {kInt64,          kInt32,          kNone},
  {kInt64,          kFloat32,        kIeeeModes},
});

// atlas-inference
inline constexpr auto kAtlasInference = std::to_array<PairRow>({
  // from            to               modes
  {kInt8,           kFloat16,        kNone},
  {kUint8,          kFloat16,        kNone},
  {kInt16,          kFloat16,        kNone},
  {kFloat16,        kInt4,           kNone},
  {kFloat16,        kInt8,           kTowardNegative | kTowardPositive | kTiesToAway | kTowardZero | kNone},
  {kFloat16,        kUint8,          kTowardNegative | kTowardPositive | kTiesToAway | kTowardZero | kNone},
  {kFloat16,        kInt16,          kTiesToEven},
  {kFloat16,        kInt32,          kIeeeModes},
  {kFloat16,        kFloat32,        kNone},
  {kInt32,          kInt16,          kNone},
  {kInt32,          kFloat16,        kAnyMode, kScaleToFloat16},
  {kInt32,          kFloat32,        kNone},
  {kFloat32,        kFloat16,        kToOdd | kNone},
  {kFloat32,        kInt64,          kIeeeModes},
});

// atlas-training
inline constexpr auto kAtlasTraining = std::to_array<PairRow>({
  // from            to               modes
  {kInt8,           kFloat16,        kNone},
  {kUint8,          kFloat16,        kNone},
  {kInt16,          kFloat16,        kNone},
  {kFloat16,        kInt8,           kTowardNegative | kTowardPositive | kTiesToAway | kTowardZero | kNone},
  {kFloat16,        kUint8,          kTowardNegative | kTowardPositive | kTiesToAway | kTowardZero | kNone},
  {kFloat16,        kInt32,          kIeeeModes},
  {kFloat16,        kFloat32,        kNone},
  {kInt32,          kFloat32,        kNone},
  {kFloat32,        kFloat16,        kToOdd | kNone},
  {kFloat32,        kInt64,          kIeeeModes},
});

// kirin-x90
inline constexpr auto kKirinX90 = std::to_array<PairRow>({
  // from            to               modes
  {kFloat16,        kUint8,          kTowardPositive},
  {kFloat16,        kInt32,          kTowardNegative},
  {kInt32,          kFloat32,        kTowardPositive},
  {kFloat32,        kBfloat16,       kTiesToAway},
  {kBfloat16,       kFloat32,        kNone},
});

// kirin-9030
inline constexpr auto kKirin9030 = std::to_array<PairRow>({
  // from            to               modes
  {kFloat16,        kUint8,          kTowardPositive},
  {kFloat16,        kInt32,          kTowardNegative},
  {kInt32,          kFloat32,        kTowardPositive},
  {kFloat32,        kBfloat16,       kTiesToAway},
  {kBfloat16,       kFloat32,        kNone},
});
}  // namespace tables
// clang-format on

using tables::kAscend950;
using tables::kAtlas200i500A2;
using tables::kAtlasA2;
using tables::kAtlasA3;
using tables::kAtlasInference;
using tables::kAtlasTraining;
using tables::kKirin9030;
using tables::kKirinX90;

// clang-format off
inline constexpr auto kSwitches950 = std::to_array<SwitchRow>({
  {"--overflow saturate", "CTRL[60] = 1 with CTRL[48] = 0 (float targets) and CTRL[59] = 0 (integer targets), the defaults; with CTRL[60] = 0 the instruction's own SatMode"},
  {"--overflow ieee",     "CTRL[60] = 1 with CTRL[48] = 1: float to float keeps infinity and NaN"},
  {"--overflow wrap",     "CTRL[60] = 1 with CTRL[59] = 1: float or integer to integer keeps the low bits"},
  {"--nan zero",          "CTRL[50] = 0, the default: saturating casts turn NaN into +0"},
  {"--nan keep",          "CTRL[50] = 1: saturating casts to float8_e4m3fn and float8_e5m2 keep NaN"},
});
inline constexpr auto kSwitchesA2 = std::to_array<SwitchRow>({
  {"--overflow saturate", "CTRL[48] = 0, the default"},
  {"--overflow ieee",     "CTRL[48] = 1"},
});
// clang-format on

// The page's defaults: none where the pair lists it, else rint, else round, else its only mode.
constexpr Rounding DefaultMode(Modes modes) noexcept {
  for (Rounding r : {Rounding::kNone, Rounding::kTiesToEven, Rounding::kTiesToAway,
                     Rounding::kTowardNegative, Rounding::kTowardPositive, Rounding::kTowardZero}) {
    if (modes.Contains(r)) return r;
  }
  return Rounding::kNone;
}

struct Forms {
  std::optional<Rules> saturating;
  std::optional<Rules> not_saturating;
  bool absent_form_accepted = false;
};

constexpr Forms FormsToInteger(FormatId from, FormatId to) noexcept {
  const Rules saturate = {.overflow = OverflowRule::kSaturate, .nan = NanRule::kZero};
  const Rules wrap = {.overflow = OverflowRule::kWrap, .nan = NanRule::kZero};
  const bool saturating_only =
      (from == FormatId::kInt16 && to == FormatId::kUint32) ||
      (from == FormatId::kFloat64 && (to == FormatId::kInt32 || to == FormatId::kInt64));
  if (saturating_only) return {saturate, std::nullopt};
  return {saturate, wrap};
}

// Part formats: complex64 to complex32 is float32 to float16, twice.
constexpr Forms FormsToFloat(FormatId from, FormatId to) noexcept {
  const Rules saturate = {.overflow = OverflowRule::kSaturate,
                          .infinity = InfinityRule::kSaturate,
                          .nan = NanRule::kZero};
  const Rules keep = {.overflow = OverflowRule::kInfinity};
  const Rules exponent_only = {.overflow = OverflowRule::kSaturate,
                               .infinity = InfinityRule::kSaturate,
                               .negative = NegativeRule::kDropSign};
  switch (to) {
    case FormatId::kFloat32:  // never saturates; naming that form is refused for float64 only
      return {std::nullopt, keep, from != FormatId::kFloat64};
    case FormatId::kFloat4E2m1fn:
    case FormatId::kFloat4E1m2:  // nothing else to give: the formats have neither infinity nor NaN
      return {saturate, saturate};
    case FormatId::kFloat8E8m0fnu:
      return {exponent_only, exponent_only};
    default:
      break;
  }
  if (from == FormatId::kFloat8E8m0fnu) return {keep, keep};  // exact, NaN stays NaN
  return {saturate, keep};
}

constexpr CastRow AscendCast(const PairRow& pair, bool has_nan_switch) noexcept {
  const FormatId from = GetFormat(pair.from).part;
  const FormatId to = GetFormat(pair.to).part;
  Forms forms = IsInteger(GetFormat(to)) ? FormsToInteger(from, to) : FormsToFloat(from, to);
  if (pair.operation == Operation::kScaleToInt8) forms.not_saturating = std::nullopt;
  const bool fp8 = to == FormatId::kFloat8E4m3fn || to == FormatId::kFloat8E5m2;
  return {
      .from = pair.from,
      .to = pair.to,
      .operation = pair.operation,
      .modes = pair.modes,
      .default_mode = DefaultMode(pair.modes),
      .none_means = to == FormatId::kFloat8E8m0fnu ? Rounding::kTowardZero : Rounding::kTiesToEven,
      .saturating = forms.saturating,
      .not_saturating = forms.not_saturating,
      .saturates_by_default = forms.saturating.has_value(),
      .absent_form_accepted = forms.absent_form_accepted,
      .may_keep_nan = has_nan_switch && fp8,
      .may_zero_nan = false};
}

}  // namespace exactcast::ascend

#endif  // EXACTCAST_SPEC_PROFILES_ASCEND_H_
