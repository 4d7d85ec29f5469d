// SPDX-License-Identifier: Apache-2.0
//
// HiFloat8's codec and its hybrid threshold. A tapered format: the number of fraction bits falls from
// 3 to 0 as the exponent moves away from 0, so it is not one (exponent, mantissa) row. Sources:
// Ascend C built-in data types, tables 6 and 7; arXiv 2409.16626. Rounding itself is reference.h.
//
//   after the sign | exponent E     | fraction | value
//   0000 mmm       |                |          | 2^(mmm-23), mmm = 1..7; mmm = 0: zero, or NaN with
//                  |                |          | the sign bit set
//   0001 mmm       | 0              | 3 bits   | 1.mmm * 2^E
//   001 e mmm      | +-1            | 3        | 1.mmm * 2^E
//   01 se mmm      | +-binary 1e    | 3        | 1.mmm * 2^E
//   10 see mm      | +-binary 1ee   | 2        | 1.mm * 2^E
//   11 seee m      | +-binary 1eee  | 1        | 1.m * 2^E; the code of 1.1 * 2^15 is infinity
//
// The first exponent bit is the sign of E; the leading one of its magnitude is not stored.
#ifndef EXACTCAST_SPEC_HIFLOAT8_H_
#define EXACTCAST_SPEC_HIFLOAT8_H_

#include <bit>
#include <cstdint>

#include "exactcast/spec/format.h"

namespace exactcast::hifloat8 {

inline constexpr std::uint64_t kNan = 0x80;
inline constexpr std::uint64_t kInfinity = 0x6f;  // with the sign bit: -infinity
inline constexpr std::uint64_t kMaxFinite = 0x6e;
inline constexpr std::uint64_t kSign = 0x80;
inline constexpr int kMaxExponent = 15;
inline constexpr int kMinNormal = -15;
inline constexpr int kMinExponent = -22;  // the least denormal

// Fraction bits of the binade [2^e, 2^(e+1)); above the range as in its last binade.
constexpr int MantissaBits(int e) noexcept {
  const int magnitude = e < 0 ? -e : e;
  if (e < kMinNormal) return 0;
  return magnitude <= 3 ? 3 : magnitude <= 7 ? 2 : 1;
}

constexpr Exact Decode(std::uint64_t code) noexcept {
  const bool negative = (code & kSign) != 0;
  const std::uint64_t rest = code & 0x7f;
  if (rest == 0) return {.cls = negative ? Class::kNan : Class::kZero, .payload = kQuietBit};
  if (rest == kInfinity) return {.cls = Class::kInfinity, .negative = negative};

  int exponent = 0;
  int width = 3;
  if (rest < 0x08) {
    exponent = static_cast<int>(rest) - 23;
    width = 0;
  } else if (rest >= 0x10) {
    // dot = the number of exponent bits: 1, 2, 3 or 4; dots 2 to 4 have a two-bit prefix.
    const int dot = rest < 0x20 ? 1 : static_cast<int>(rest >> 5) + 1;
    width = dot < 3 ? 3 : 5 - dot;
    const std::uint64_t field = (rest >> width) & LowMask(dot);
    const auto magnitude =
        static_cast<int>((field & LowMask(dot - 1)) | (std::uint64_t{1} << (dot - 1)));
    exponent = (field >> (dot - 1)) != 0 ? -magnitude : magnitude;
  }
  const std::uint64_t fraction = rest & LowMask(width);
  return {.cls = Class::kFinite,
          .negative = negative,
          .exponent = exponent - width,
          .significand = (std::uint64_t{1} << width) | fraction};
}

// The code of the magnitude significand * 2^exponent, which must be a value of the format.
constexpr std::uint64_t EncodeMagnitude(std::uint64_t significand, int exponent) noexcept {
  if (significand == 0) return 0;
  const int top = static_cast<int>(std::bit_width(significand)) - 1;
  const int e = top + exponent;
  const int denormal = e + 23;
  if (e < kMinNormal) return static_cast<std::uint64_t>(denormal);
  const int width = MantissaBits(e);
  const std::uint64_t fraction =
      (width >= top ? significand << (width - top) : significand >> (top - width)) & LowMask(width);
  if (e == 0) return 0x08 | fraction;
  const auto magnitude = static_cast<std::uint64_t>(e < 0 ? -e : e);
  const int dot = static_cast<int>(std::bit_width(magnitude));
  const std::uint64_t sign = e < 0 ? std::uint64_t{1} << (dot - 1) : 0;
  const std::uint64_t field = sign | (magnitude & LowMask(dot - 1));
  const std::uint64_t prefix = dot == 1 ? 0x10 : static_cast<std::uint64_t>(dot - 1) << 5;
  return prefix | (field << width) | fraction;
}

// Mode hybrid: what decides whether a float32 (fraction_bits 23) or float16 (10) magnitude
// 2^e * 1.fraction goes up: number >= threshold. `word` is the source as stored. Taken literally, as
// documented: a threshold of 0 is always met, so that a value of the format can move.
//
//   float32   number = the 14 fraction bits below the kept ones   threshold = the 14 lowest
//   float16   number = the 2 fraction bits below the kept ones    threshold = bit 0 of the word, 1
//   e = -23   number = 1, then the top 13 (float16: 1) fraction bits
//   |e| <= 3  no threshold: half away, by the first discarded bit
struct HybridChoice {
  bool up = false;
  bool by_threshold = false;
  int length = 0;  // of number and threshold, in bits
  std::uint64_t number = 0;
  std::uint64_t threshold = 0;
};

constexpr HybridChoice ChooseHybrid(std::uint64_t word, std::uint64_t fraction, int fraction_bits,
                                    int e) noexcept {
  if (e < kMinExponent - 1) return {};
  if (-3 <= e && e <= 3) return {.up = ((fraction >> (fraction_bits - 4)) & 1) != 0};
  const bool from_float32 = fraction_bits == 23;
  const int length = from_float32 ? 14 : 2;
  const std::uint64_t threshold = from_float32 ? fraction & LowMask(length) : (word & 1) << 1 | 1;
  const std::uint64_t number =
      e < kMinExponent ? std::uint64_t{1} << (length - 1) | fraction >> (fraction_bits - length + 1)
                       : fraction >> (fraction_bits - MantissaBits(e) - length) & LowMask(length);
  return {number >= threshold, true, length, number, threshold};
}

}  // namespace exactcast::hifloat8

#endif  // EXACTCAST_SPEC_HIFLOAT8_H_
