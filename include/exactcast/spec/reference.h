// SPDX-License-Identifier: Apache-2.0
//
// The reference: any scalar format to any other, bit for bit, on integers alone, with one rounding.
// It is written to be read against the specifications and is proved by outsiders (tests/oracle,
// MPFR, hardware, golden vectors), never by itself.
//
//   code --Decode (codec.h)--> Exact --RoundTo--> Rounded --Finish...--> code
//
// Complex formats are two parts, each cast on its own, and are taken apart by the caller.
#ifndef EXACTCAST_SPEC_REFERENCE_H_
#define EXACTCAST_SPEC_REFERENCE_H_

#include <bit>
#include <cstdint>

#include "exactcast/spec/codec.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/hifloat8.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"

namespace exactcast {

// The exponent of the last place that `f` keeps of a value with leading exponent e, the range being
// unbounded upwards.
constexpr int LastPlace(int e, const Format& f) noexcept {
  if (f.kind == Kind::kTapered) {
    const int bounded = e < hifloat8::kMinExponent ? hifloat8::kMinExponent : e;
    return bounded - hifloat8::MantissaBits(bounded);
  }
  if (f.kind != Kind::kFloat) return 0;
  return (e < MinExponent(f) ? MinExponent(f) : e) - f.mantissa_bits;
}

struct Split {
  std::uint64_t kept;
  Discarded discarded;
};

// significand / 2^shift, shift > 0, as the part kept and the part discarded against one half.
constexpr Split SplitAt(std::uint64_t significand, int shift) noexcept {
  if (shift > 64) return {0, significand == 0 ? Discarded::kZero : Discarded::kBelowHalf};
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const std::uint64_t rest = significand & LowMask(shift);
  return {shift == 64 ? 0 : significand >> shift, rest == 0     ? Discarded::kZero
                                                  : rest < half ? Discarded::kBelowHalf
                                                  : rest > half ? Discarded::kAboveHalf
                                                                : Discarded::kHalf};
}

// Parity of the code of kept * 2^place: that of the last fraction bit, or of the exponent where no
// fraction bit is kept.
constexpr bool CodeIsOdd(std::uint64_t kept, int place, const Format& f) noexcept {
  if (kept == 1 && f.kind == Kind::kTapered && place < hifloat8::kMinNormal) {
    return ((place + 23) & 1) != 0;
  }
  if (kept == 1 && f.kind == Kind::kFloat && f.mantissa_bits == 0) {
    return ((place + f.bias) & 1) != 0;
  }
  return (kept & 1) != 0;
}

// What mode hybrid makes of a finite float32 or float16.
constexpr hifloat8::HybridChoice HybridChoiceOf(const Exact& x, std::uint64_t word,
                                                const Format& source) noexcept {
  const int e = LeadingExponent(x);
  const std::uint64_t fraction =
      x.significand << (source.mantissa_bits - (e - x.exponent)) & LowMask(source.mantissa_bits);
  return hifloat8::ChooseHybrid(word, fraction, source.mantissa_bits, e);
}

// Keeps what stands at 2^place and above, seen as the format `f` sees it. `word` and `source` serve
// mode hybrid alone.
constexpr Rounded RoundTo(const Exact& x, int place, const Format& f, Rounding rounding,
                          std::uint64_t word, const Format& source) noexcept {
  const int shift = place - x.exponent;
  if (shift <= 0) return {.significand = x.significand, .exponent = x.exponent};
  const Split split = SplitAt(x.significand, shift);
  const bool threshold_met = rounding == Rounding::kHybrid && HybridChoiceOf(x, word, source).up;
  const bool away = RoundsAway(rounding, {.negative = x.negative,
                                          .kept_is_odd = CodeIsOdd(split.kept, place, f),
                                          .discarded = split.discarded,
                                          .threshold_met = threshold_met});
  return {.significand = split.kept + (away ? 1u : 0u),
          .exponent = place,
          .inexact = split.discarded != Discarded::kZero || away};
}

// ---- the cast -----------------------------------------------------------------------------------

// The class that the summary counts an element in: the first that fits, from kNan up.
enum class Outcome : std::uint8_t { kExact, kRounded, kUnderflowed, kOverflowed, kNan };

struct CastResult {
  std::uint64_t bits = 0;
  Outcome outcome = Outcome::kExact;
};

// A finite value outside the range of the float format.
constexpr std::uint64_t OverflowToFloat(bool negative, const Format& f, Rounding rounding,
                                        OverflowRule rule) noexcept {
  bool to_infinity = rule != OverflowRule::kSaturate;
  if (rule == OverflowRule::kIeee) {
    const bool towards_zero = rounding == Rounding::kTowardZero || rounding == Rounding::kToOdd ||
                              (rounding == Rounding::kTowardNegative && !negative) ||
                              (rounding == Rounding::kTowardPositive && negative);
    to_infinity = !towards_zero;
  }
  return to_infinity ? InfinityCode(f, negative) : MaxFinite(f, negative);
}

constexpr bool IsSubnormal(const Exact& x, const Format& f) noexcept {
  return x.cls == Class::kFinite && f.kind == Kind::kFloat && HasZero(f) &&
         LeadingExponent(x) < MinExponent(f);
}

// The zero that a subnormal value is flushed to.
constexpr CastResult FlushedToZero(bool negative, const Format& f) noexcept {
  const bool minus = negative && HasNegativeZero(f);
  return {InWord(minus ? SignBit(f) : 0, f),
          IsFloat(f) ? Outcome::kUnderflowed : Outcome::kRounded};
}

constexpr CastResult FinishFloat(bool negative, const Rounded& r, const Format& f,
                                 Rounding rounding, const Rules& rules) noexcept {
  const std::uint64_t magnitude = EncodeMagnitude(r, f);
  if (magnitude == kOutOfRange) {
    return {OverflowToFloat(negative, f, rounding, rules.overflow), Outcome::kOverflowed};
  }
  if (rules.subnormal_results == SubnormalRule::kFlush && f.kind == Kind::kFloat && HasZero(f) &&
      magnitude != 0 && magnitude < std::uint64_t{1} << f.mantissa_bits) {
    return FlushedToZero(negative, f);
  }
  const bool signed_result = negative && (magnitude != 0 || HasNegativeZero(f));
  const std::uint64_t code = InWord(magnitude | (signed_result ? SignBit(f) : 0), f);
  if (!r.inexact && !(r.significand == 0 && !HasZero(f))) return {code, Outcome::kExact};
  const bool tiny = f.kind == Kind::kTapered
                        ? magnitude < 0x08
                        : HasZero(f) && magnitude < std::uint64_t{1} << f.mantissa_bits;
  return {code, tiny ? Outcome::kUnderflowed : Outcome::kRounded};
}

constexpr CastResult FinishInteger(bool negative, const Rounded& r, const Format& f,
                                   const Rules& rules) noexcept {
  const std::uint64_t largest = LowMask(f.bits - (f.has_sign ? 1 : 0));
  const std::uint64_t limit = negative ? (f.has_sign ? largest + 1 : 0) : largest;
  const bool beyond_word = r.significand != 0 && r.exponent > 0 &&
                           static_cast<int>(std::bit_width(r.significand)) + r.exponent > 64;
  const std::uint64_t magnitude = r.exponent <= 0    ? r.significand
                                  : r.exponent >= 64 ? 0
                                                     : r.significand << r.exponent;
  const bool overflowed = beyond_word || magnitude > limit;
  const std::uint64_t value =
      overflowed && rules.overflow != OverflowRule::kWrap ? limit : magnitude;
  return {InWord(negative ? ~value + 1 : value, f), overflowed  ? Outcome::kOverflowed
                                                    : r.inexact ? Outcome::kRounded
                                                                : Outcome::kExact};
}

// Anything but zero is true, NaN too. Other values than 0 and 1 are counted as rounded.
constexpr CastResult CastToBool(const Exact& x) noexcept {
  if (x.cls == Class::kNan) return {1, Outcome::kNan};
  if (x.cls == Class::kZero) return {0, Outcome::kExact};
  const bool one = x.cls == Class::kFinite && !x.negative && LeadingExponent(x) == 0 &&
                   std::has_single_bit(x.significand);
  return {1, one ? Outcome::kExact : Outcome::kRounded};
}

constexpr CastResult CastInfinity(bool negative, const Format& f, const Rules& rules) noexcept {
  if (IsInteger(f)) {
    const std::uint64_t largest = LowMask(f.bits - (f.has_sign ? 1 : 0));
    const std::uint64_t least = f.has_sign ? largest + 1 : 0;
    return {negative ? least : largest, Outcome::kOverflowed};
  }
  if (rules.infinity == InfinityRule::kSaturate) {
    return {MaxFinite(f, negative), Outcome::kOverflowed};
  }
  return {InfinityCode(f, negative), HasInfinity(f) ? Outcome::kExact : Outcome::kOverflowed};
}

constexpr CastResult CastNan(const Exact& x, const Format& f, const Rules& rules) noexcept {
  if (IsFloat(f)) return {rules.nan == NanRule::kKeep ? NanCode(f, x) : 0, Outcome::kNan};
  switch (rules.nan_to_integer) {
    case NanToInteger::kZero:
      break;
    case NanToInteger::kLeast:
      return {f.has_sign ? SignBit(f) : 0, Outcome::kNan};
    case NanToInteger::kLargest:
      return {LowMask(f.bits - (f.has_sign ? 1 : 0)), Outcome::kNan};
  }
  return {0, Outcome::kNan};
}

// A value that has been decoded, to the format `f`. `word` and `source` serve mode hybrid alone.
constexpr CastResult CastExact(const Exact& x, const Format& f, Rounding rounding,
                               const Rules& rules, std::uint64_t word,
                               const Format& source) noexcept {
  if (f.kind == Kind::kBoolean) return CastToBool(x);
  switch (x.cls) {
    case Class::kNan:
      return CastNan(x, f, rules);
    case Class::kZero: {
      const bool minus = x.negative && HasNegativeZero(f);
      return {InWord(minus ? SignBit(f) : 0, f), HasZero(f) ? Outcome::kExact : Outcome::kRounded};
    }
    case Class::kInfinity:
    case Class::kFinite:
      break;
  }
  if (x.negative && IsFloat(f) && !f.has_sign) {  // did not fit, whatever is written
    Exact positive = x;
    positive.negative = false;
    const std::uint64_t bits = rules.negative == NegativeRule::kNan
                                   ? NanCode(f, {.cls = Class::kNan})
                               : rules.negative == NegativeRule::kLowest
                                   ? 0
                                   : CastExact(positive, f, rounding, rules, word, source).bits;
    return {bits, Outcome::kOverflowed};
  }
  if (x.cls == Class::kInfinity) return CastInfinity(x.negative, f, rules);
  const int place = LastPlace(LeadingExponent(x), f);
  const Rounded r = RoundTo(x, place, f, rounding, word, source);
  if (IsInteger(f)) return FinishInteger(x.negative, r, f, rules);
  if (rules.overflow == OverflowRule::kNearestInfinity) {
    const Rounded nearest = RoundTo(x, place, f, Rounding::kTiesToEven, word, source);
    if (EncodeMagnitude(nearest, f) == kOutOfRange) {
      return {InfinityCode(f, x.negative), Outcome::kOverflowed};
    }
  }
  return FinishFloat(x.negative, r, f, rounding, rules);
}

// One element of `source`, as an array holds it, to `target`. Scalar formats only. A format to
// itself is a copy of the code; unused bits of the word become zero.
constexpr CastResult Cast(std::uint64_t word, const Format& source, const Format& target,
                          Rounding rounding, const Rules& rules) noexcept {
  const Exact x = Decode(word, source);
  if (source.id == target.id) {
    const std::uint64_t code = word >> source.low_zeros;
    return {InWord(code, source), x.cls == Class::kNan ? Outcome::kNan : Outcome::kExact};
  }
  if (rules.subnormal_inputs == SubnormalRule::kFlush && IsSubnormal(x, source)) {
    return FlushedToZero(x.negative, target);
  }
  return CastExact(x, target, rounding, rules, word, source);
}

// Rounds to an integral value in the same float format: Ascend's float32 to float32. Infinity and
// NaN pass through, a zero result keeps the sign.
constexpr CastResult RoundToIntegral(std::uint64_t word, const Format& f,
                                     Rounding rounding) noexcept {
  const Exact x = Decode(word, f);
  if (x.cls == Class::kNan) return {NanCode(f, x), Outcome::kNan};
  if (x.cls != Class::kFinite) return {word, Outcome::kExact};
  // An integral value is even or odd by its unit digit, so the integer rules of parity hold: seen
  // as an int64.
  const Rounded r = RoundTo(x, 0, GetFormat(FormatId::kInt64), rounding, word, f);
  return FinishFloat(x.negative, r, f, rounding, {});
}

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_REFERENCE_H_
