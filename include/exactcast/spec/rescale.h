// SPDX-License-Identifier: Apache-2.0
//
// Rescaling integers by multiplier * 2^-shift: what one element becomes, which rule it breaks where
// the result is unpredictable, and which results an inexact rounding may give. Which version of
// whose specification has which rule is tosa_rescale.h; arrays are rescale.h of the library.
#ifndef EXACTCAST_SPEC_RESCALE_H_
#define EXACTCAST_SPEC_RESCALE_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "exactcast/spec/format.h"

namespace exactcast {

enum class RescaleRounding : std::uint8_t {
  kSingle,   // to nearest, ties toward +infinity
  kDouble,   // twice: at 31 fraction bits, then away from zero; differs where the shift is above 31
  kInexact,  // anything in RescaleInterval
};

// How far from zero a value may lie that the 32-bit multiplier scales, the shift being s.
enum class ValueLimit : std::uint8_t {
  kNone,         // as far as int32 goes, but the result must fit int32
  kShiftMinus2,  // -2^(s-2) <= value < 2^(s-2)
  kShiftMinus1,  // -2^(s-1) <= value < 2^(s-1)
};

// The first requirement that an element does not meet. Its result is unpredictable then.
enum class Unpredictable : std::uint8_t {
  kNone,
  kUnset,       // the letter of the text reads a variable that was never set
  kMultiplier,  // negative
  kShift,       // not 2 to 62
  kValue,       // beyond the value limit, or beyond the type of the value
  kResult,      // the scaled value does not fit int32
  kZeroPoint,   // the output zero point added, it does not fit int32
};
inline constexpr int kUnpredictableReasons = 7;

struct IntegerRange {
  std::int64_t least = 0;
  std::int64_t greatest = 0;

  [[nodiscard]] constexpr bool Contains(std::int64_t x) const noexcept {
    return least <= x && x <= greatest;
  }
  [[nodiscard]] constexpr std::int64_t Clip(std::int64_t x) const noexcept {
    return std::clamp(x, least, greatest);
  }
  friend constexpr bool operator==(const IntegerRange&, const IntegerRange&) noexcept = default;
};

// Of an integer format of at most 63 bits.
constexpr IntegerRange RangeOf(const Format& f) noexcept {
  const std::int64_t half = std::int64_t{1} << (f.bits - 1);
  if (f.kind == Kind::kSigned) return {-half, half - 1};
  return {0, half - 1 + half};
}
inline constexpr IntegerRange kInt32Range = RangeOf(GetFormat(FormatId::kInt32));
inline constexpr IntegerRange kInt48Range = RangeOf(GetFormat(FormatId::kInt48));

// The integer in a storage word; bits above the format's are ignored.
constexpr std::int64_t IntegerOf(std::uint64_t word, const Format& f) noexcept {
  const std::uint64_t code = word & LowMask(f.bits);
  const std::uint64_t sign = SignBit(f);
  return static_cast<std::int64_t>((code ^ sign) - sign);
}

struct Scale {
  std::int64_t multiplier = 0;  // int32; int16 for the 16-bit multiplier
  int shift = 0;                // from 1 up; below that the formula says nothing

  friend constexpr bool operator==(const Scale&, const Scale&) noexcept = default;
};

inline constexpr int kLeastShift = 2;
inline constexpr int kGreatestShift = 62;

// floor((product + 2^(shift-1)) / 2^shift) without the sum, which could overflow.
//   product  q q q q r s s s      shift 4: q is the floor, r is the half that is added
constexpr std::int64_t ShiftRounded(std::int64_t product, int shift) noexcept {
  if (shift > 64) return 0;  // |product| < 2^63 is less than half
  return (product >> std::min(shift, 63)) + (product >> (shift - 1) & 1);
}

struct Scaled {
  std::int64_t value = 0;  // the formula's result, whatever the requirements
  Unpredictable why = Unpredictable::kNone;
};

constexpr Unpredictable CheckScale(const Scale& scale) noexcept {
  if (scale.multiplier < 0) return Unpredictable::kMultiplier;
  if (scale.shift < kLeastShift || scale.shift > kGreatestShift) return Unpredictable::kShift;
  return Unpredictable::kNone;
}

// The values that a legal shift admits.
constexpr IntegerRange ValueRange(ValueLimit limit, int shift) noexcept {
  if (limit == ValueLimit::kNone) return kInt32Range;
  const int bits = std::min(31, shift - (limit == ValueLimit::kShiftMinus2 ? 2 : 1));
  const std::int64_t end = std::int64_t{1} << bits;
  return {-end, end - 1};
}

// value: at most 33 bits.
constexpr Scaled Scale32(std::int64_t value, const Scale& scale, bool twice,
                         ValueLimit limit) noexcept {
  std::int64_t product = value * scale.multiplier;
  if (twice && scale.shift > 31) product += std::int64_t{value < 0 ? -1 : 1} * (1 << 30);
  Scaled r = {ShiftRounded(product, scale.shift), CheckScale(scale)};
  if (r.why != Unpredictable::kNone) return r;
  if (!ValueRange(limit, scale.shift).Contains(value)) {
    r.why = Unpredictable::kValue;
  } else if (!kInt32Range.Contains(r.value)) {  // only where there is no limit
    r.why = Unpredictable::kResult;
  }
  return r;
}

// value: at most 49 bits; what is no int48 breaks a requirement.
constexpr Scaled Scale16(std::int64_t value, const Scale& scale) noexcept {
  Scaled r = {ShiftRounded(value * scale.multiplier, scale.shift), CheckScale(scale)};
  if (r.why != Unpredictable::kNone) return r;
  if (!kInt48Range.Contains(value)) {
    r.why = Unpredictable::kValue;
  } else if (!kInt32Range.Contains(r.value)) {
    r.why = Unpredictable::kResult;
  }
  return r;
}

// a + b, to be an int32. (Before the addition was said to be checked, an int32 that overflowed was
// unpredictable like any other.)
constexpr Scaled CheckedAdd(std::int64_t a, std::int64_t b) noexcept {
  const bool fits = kInt32Range.Contains(a + b);
  return {a + b, fits ? Unpredictable::kNone : Unpredictable::kZeroPoint};
}

// What is the same for all elements and channels of a tensor.
struct RescaleRules {
  IntegerRange output;
  std::int64_t input_zp = 0;
  std::int64_t output_zp = 0;
  bool scale32 = true;
  RescaleRounding rounding = RescaleRounding::kSingle;
  ValueLimit limit = ValueLimit::kShiftMinus1;
  bool value_is_unset = false;       // see Unpredictable::kUnset
  bool clip_takes_unsigned = false;  // negative sums are compared as if they were 2^32 more
};

struct Rescaled {
  std::int64_t value = 0;  // always in the output's range
  Unpredictable why = Unpredictable::kNone;
  bool saturated = false;  // predictable, and the clip changed it
};

// One element. Inexact rounding is answered by the single one, which is always permitted. Where the
// result is unpredictable the value is the formula's, in unbounded integers, clipped.
constexpr Rescaled Rescale(std::int64_t x, const Scale& scale, const RescaleRules& rules) noexcept {
  const std::int64_t value = x - rules.input_zp;
  const bool twice = rules.rounding == RescaleRounding::kDouble;
  const Scaled scaled =
      rules.scale32 ? Scale32(value, scale, twice, rules.limit) : Scale16(value, scale);
  const Scaled sum = CheckedAdd(scaled.value, rules.output_zp);
  Rescaled r;
  r.why = rules.value_is_unset                 ? Unpredictable::kUnset
          : scaled.why != Unpredictable::kNone ? scaled.why
                                               : sum.why;
  std::int64_t clipped = sum.value;
  if (rules.clip_takes_unsigned && sum.why == Unpredictable::kNone) {
    clipped = static_cast<std::int64_t>(static_cast<std::uint32_t>(sum.value));
  }
  r.value = rules.output.Clip(clipped);
  r.saturated = r.why == Unpredictable::kNone && r.value != sum.value;
  return r;
}

#if defined(__SIZEOF_INT128__)
namespace internal {
__extension__ using Int128 = __int128;
constexpr Int128 Absolute(Int128 x) noexcept { return x < 0 ? -x : x; }
}  // namespace internal

// The results that inexact rounding permits, for a predictable element:
//   r = value * multiplier / 2^shift,  e = 1/2 + (3 |r| + |r + output_zp|) / 2^24,
//   ceil(r - e + output_zp) to floor(r + e + output_zp), both clipped to the output's range.
// All terms are taken 2^(shift + 24) times, so that nothing is rounded; the largest, r + output_zp,
// has 62 + 24 bits from the product and 16 + 62 + 24 = 102 from the zero point.
constexpr IntegerRange RescaleInterval(std::int64_t x, const Scale& scale,
                                       const RescaleRules& rules) noexcept {
  using internal::Int128;
  const int bits = scale.shift + 24;
  const Int128 one = 1;
  const Int128 product = Int128{x - rules.input_zp} * scale.multiplier;
  const Int128 sum = product + rules.output_zp * (one << scale.shift);
  const Int128 center = sum * (one << 24);
  const Int128 error =
      (one << (bits - 1)) + 3 * internal::Absolute(product) + internal::Absolute(sum);
  const Int128 least = -((error - center) >> bits);  // the shift is the floor, so this the ceiling
  const Int128 greatest = (center + error) >> bits;
  const auto clip = [&](Int128 end) {
    const Int128 lowest = rules.output.least;
    const Int128 highest = rules.output.greatest;
    return static_cast<std::int64_t>(end < lowest ? lowest : end > highest ? highest : end);
  };
  return {clip(least), clip(greatest)};
}
#else
#error "RescaleInterval needs a compiler that has __int128"
#endif

// The inputs in `domain` whose results are predictable: they lie side by side, around the input
// zero point, because results never fall as inputs rise. Nothing: the scale itself is not legal.
constexpr std::optional<IntegerRange> PredictableInputs(const IntegerRange& domain,
                                                        const Scale& scale,
                                                        const RescaleRules& rules) noexcept {
  const auto good = [&](std::int64_t x) {
    return Rescale(x, scale, rules).why == Unpredictable::kNone;
  };
  const std::int64_t start = domain.Clip(rules.input_zp);
  if (!good(start)) return std::nullopt;
  // The farthest predictable input between `start` and `end`.
  const auto search = [&](std::int64_t end) {
    std::int64_t near = start;
    if (good(end)) return end;
    while (near + 1 != end && near - 1 != end) {
      const std::int64_t middle = near + (end - near) / 2;
      (good(middle) ? near : end) = middle;
    }
    return near;
  };
  return IntegerRange{search(domain.least), search(domain.greatest)};
}

// The scale by which other operators divide; nothing for 0.
constexpr std::optional<Scale> ReciprocalScale(std::uint32_t divisor) noexcept {
  if (divisor == 0) return std::nullopt;
  const int k = 32 - std::countl_zero(divisor - 1);  // 2^(k-1) < divisor <= 2^k
  const std::int64_t numerator = ((std::int64_t{1} << 30) + 1) << k;
  return Scale{numerator / std::int64_t{divisor}, 30 + k};
}

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_RESCALE_H_
