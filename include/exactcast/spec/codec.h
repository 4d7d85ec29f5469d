// SPDX-License-Identifier: Apache-2.0
//
// Codes and what they stand for: Decode, the special codes of a format, and EncodeMagnitude. Which
// code a value rounds to is reference.h.
#ifndef EXACTCAST_SPEC_CODEC_H_
#define EXACTCAST_SPEC_CODEC_H_

#include <bit>
#include <cstdint>

#include "exactcast/spec/format.h"
#include "exactcast/spec/hifloat8.h"

namespace exactcast {

constexpr Exact DecodeFloat(std::uint64_t code, const Format& f) noexcept {
  const bool negative = (code & SignBit(f)) != 0;
  const std::uint64_t exponent_ones = LowMask(f.exponent_bits);
  const std::uint64_t fraction = code & LowMask(f.mantissa_bits);
  const std::uint64_t exponent = (code >> f.mantissa_bits) & exponent_ones;
  const bool fraction_ones = fraction == LowMask(f.mantissa_bits);

  switch (f.specials) {
    case Specials::kNone:
      break;
    case Specials::kIeee:
      if (exponent != exponent_ones) break;
      if (fraction == 0) return {.cls = Class::kInfinity, .negative = negative};
      return {
          .cls = Class::kNan, .negative = negative, .payload = fraction << (64 - f.mantissa_bits)};
    case Specials::kAllOnes:
      if (exponent != exponent_ones || !fraction_ones) break;
      return {.cls = Class::kNan, .negative = negative, .payload = kQuietBit};
    case Specials::kMinusZero:
      if (code != SignBit(f)) break;
      return {.cls = Class::kNan, .payload = kQuietBit};
  }

  const bool normal = exponent != 0 || !HasZero(f);
  if (!normal && fraction == 0) return {.cls = Class::kZero, .negative = negative};
  const std::uint64_t hidden = normal ? std::uint64_t{1} << f.mantissa_bits : 0;
  const int e = normal ? static_cast<int>(exponent) - f.bias : MinExponent(f);
  return {.cls = Class::kFinite,
          .negative = negative,
          .exponent = e - f.mantissa_bits,
          .significand = hidden | fraction};
}

// `word` is one element as an array holds it; bits outside the code are ignored.
constexpr Exact Decode(std::uint64_t word, const Format& f) noexcept {
  const std::uint64_t code = (word >> f.low_zeros) & LowMask(f.bits);
  switch (f.kind) {
    case Kind::kFloat:
      return DecodeFloat(code, f);
    case Kind::kTapered:
      return hifloat8::Decode(code);
    case Kind::kBoolean:
      return {.cls = code == 0 ? Class::kZero : Class::kFinite, .significand = code == 0 ? 0u : 1u};
    case Kind::kSigned:
    case Kind::kUnsigned: {
      const bool negative = (code & SignBit(f)) != 0;
      const std::uint64_t magnitude = negative ? (~code + 1) & LowMask(f.bits) : code;
      return {.cls = magnitude == 0 ? Class::kZero : Class::kFinite,
              .negative = negative,
              .significand = magnitude};
    }
    case Kind::kComplex:
      break;
  }
  return {};
}

// The exponent of the leading bit of a finite value: floor(log2(|x|)).
constexpr int LeadingExponent(const Exact& x) noexcept {
  return static_cast<int>(std::bit_width(x.significand)) - 1 + x.exponent;
}

constexpr std::uint64_t InWord(std::uint64_t code, const Format& f) noexcept {
  return (code & LowMask(f.bits)) << f.low_zeros;
}

constexpr std::uint64_t MaxFiniteMagnitude(const Format& f) noexcept {
  if (f.kind == Kind::kTapered) return hifloat8::kMaxFinite;
  const std::uint64_t ones = LowMask(f.exponent_bits + f.mantissa_bits);
  switch (f.specials) {
    case Specials::kNone:
    case Specials::kMinusZero:
      return ones;
    case Specials::kAllOnes:
      return ones - 1;
    case Specials::kIeee:
      return (LowMask(f.exponent_bits) << f.mantissa_bits) - 1;
  }
  return 0;
}

constexpr std::uint64_t MaxFinite(const Format& f, bool negative) noexcept {
  return InWord(MaxFiniteMagnitude(f) | (negative ? SignBit(f) : 0), f);
}

// A quiet NaN with the sign and the top payload bits of `nan`, as far as the format has room for
// them; +0 where it has none.
constexpr std::uint64_t NanCode(const Format& f, const Exact& nan) noexcept {
  if (f.kind == Kind::kTapered) return hifloat8::kNan;
  const std::uint64_t sign = nan.negative ? SignBit(f) : 0;
  switch (f.specials) {
    case Specials::kNone:
      return 0;
    case Specials::kMinusZero:
      return SignBit(f);
    case Specials::kAllOnes:
      return sign | LowMask(f.exponent_bits + f.mantissa_bits);
    case Specials::kIeee:
      return InWord(sign | LowMask(f.exponent_bits) << f.mantissa_bits |
                        (nan.payload | kQuietBit) >> (64 - f.mantissa_bits),
                    f);
  }
  return 0;
}

constexpr std::uint64_t InfinityCode(const Format& f, bool negative) noexcept {
  const std::uint64_t sign = negative ? SignBit(f) : 0;
  if (f.kind == Kind::kTapered) return hifloat8::kInfinity | sign;
  if (HasInfinity(f)) return InWord(sign | LowMask(f.exponent_bits) << f.mantissa_bits, f);
  if (HasNan(f)) return NanCode(f, {.cls = Class::kNan, .negative = negative});
  return MaxFinite(f, negative);
}

// A magnitude after rounding.
struct Rounded {
  std::uint64_t significand = 0;  // magnitude = significand * 2^exponent; 0 is possible
  int exponent = 0;
  bool inexact = false;
};

inline constexpr std::uint64_t kOutOfRange = ~std::uint64_t{0};

// The code of a magnitude that fits the fields of the float format, kOutOfRange above the largest
// finite value.
constexpr std::uint64_t EncodeMagnitude(const Rounded& r, const Format& f) noexcept {
  if (r.significand == 0) return 0;
  const int top = static_cast<int>(std::bit_width(r.significand)) - 1;
  const int e = top + r.exponent;
  if (f.kind == Kind::kTapered) {
    if (e > hifloat8::kMaxExponent) return kOutOfRange;
    const std::uint64_t code = hifloat8::EncodeMagnitude(r.significand, r.exponent);
    return code == hifloat8::kInfinity ? kOutOfRange : code;
  }
  if (e > static_cast<int>(LowMask(f.exponent_bits)) - f.bias) return kOutOfRange;
  if (e < MinExponent(f)) {
    // Subnormal; what lies below the least value of a format without zero becomes that value, code
    // 0.
    if (!HasZero(f)) return 0;
    return r.significand << (r.exponent - (MinExponent(f) - f.mantissa_bits));
  }
  const std::uint64_t fraction =
      (top <= f.mantissa_bits ? r.significand << (f.mantissa_bits - top)
                              : r.significand >> (top - f.mantissa_bits)) &
      LowMask(f.mantissa_bits);
  const std::uint64_t code = static_cast<std::uint64_t>(e + f.bias) << f.mantissa_bits | fraction;
  return code > MaxFiniteMagnitude(f) ? kOutOfRange : code;
}

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_CODEC_H_
