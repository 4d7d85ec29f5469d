// SPDX-License-Identifier: Apache-2.0
//
// The scaled casts of Ascend C, each step rounded as it is written there: SetDeqScale's int32 to
// float16 and CastDequant's int16 to int8 or uint8. The float32 steps are the reference's own
// roundings on integers.
#ifndef EXACTCAST_SPEC_SCALED_H_
#define EXACTCAST_SPEC_SCALED_H_

#include <cstdint>

#include "exactcast/spec/format.h"
#include "exactcast/spec/reference.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"

namespace exactcast {

// A float32 value and whether a rounding on the way to it lost something.
struct Float32Step {
  Exact value;
  bool inexact = false;
};

constexpr Float32Step RoundToFloat32(const Exact& x) noexcept {
  const Format& f32 = GetFormat(FormatId::kFloat32);
  const CastResult r = CastExact(x, f32, Rounding::kTiesToEven, {}, 0, f32);
  return {Decode(r.bits, f32), r.outcome != Outcome::kExact};
}

// a * b before rounding. The significands have at most 24 and 24 bits; neither is infinite nor NaN.
constexpr Exact Product(const Exact& a, const Exact& b) noexcept {
  const std::uint64_t significand = a.significand * b.significand;
  return {.cls = significand == 0 ? Class::kZero : Class::kFinite,
          .negative = a.negative != b.negative,
          .exponent = a.exponent + b.exponent,
          .significand = significand};
}

// t = float32(x); t = t * 2^-17; t = t * scale; t = t * 2^17; float16(t): every step to nearest
// even. `scale` is the code of a finite float16.
constexpr CastResult ScaleToFloat16(std::uint64_t int32_word, std::uint64_t scale,
                                    const Rules& rules) noexcept {
  const Format& f16 = GetFormat(FormatId::kFloat16);
  const Exact down = {.cls = Class::kFinite, .exponent = -17, .significand = 1};
  const Exact up = {.cls = Class::kFinite, .exponent = 17, .significand = 1};
  Float32Step t = RoundToFloat32(Decode(int32_word, GetFormat(FormatId::kInt32)));
  bool inexact = t.inexact;
  for (const Exact& factor : {down, Decode(scale, f16), up}) {
    t = RoundToFloat32(Product(t.value, factor));
    inexact |= t.inexact;
  }
  CastResult r = CastExact(t.value, f16, Rounding::kTiesToEven, rules, 0, f16);
  if (inexact && r.outcome == Outcome::kExact) r.outcome = Outcome::kRounded;
  return r;
}

// CastDequant reads only the 10 upper fraction bits of its float32 scale.
constexpr std::uint64_t CutScale(std::uint64_t float32_word) noexcept {
  return float32_word & ~LowMask(13) & LowMask(32);
}

// t = float32(float32(x) * scale); rint and saturate to int16; clamp to -256..255; add the offset;
// saturate to `target`. `scale` is the code of a finite float32, the offset lies in -256..255.
constexpr CastResult ScaleToInt8(std::uint64_t int16_word, std::uint64_t scale, std::int32_t offset,
                                 const Format& target) noexcept {
  const Format& f32 = GetFormat(FormatId::kFloat32);
  const Rules saturate = {.overflow = OverflowRule::kSaturate};
  const Float32Step x = RoundToFloat32(Decode(int16_word, GetFormat(FormatId::kInt16)));
  const Float32Step t = RoundToFloat32(Product(x.value, Decode(CutScale(scale), f32)));
  const CastResult rounded =
      CastExact(t.value, GetFormat(FormatId::kInt16), Rounding::kTiesToEven, saturate, 0, f32);
  const auto wide = static_cast<std::int16_t>(rounded.bits & LowMask(16));
  const std::int32_t clamped = wide < -256 ? -256 : wide > 255 ? 255 : wide;
  const auto sum = static_cast<std::uint64_t>(std::int64_t{clamped} + offset);
  CastResult r = Cast(sum, GetFormat(FormatId::kInt64), target, Rounding::kTiesToEven, saturate);
  if (rounded.outcome == Outcome::kOverflowed || clamped != wide) r.outcome = Outcome::kOverflowed;
  if (r.outcome == Outcome::kExact && (t.inexact || rounded.outcome != Outcome::kExact)) {
    r.outcome = Outcome::kRounded;
  }
  return r;
}

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_SCALED_H_
