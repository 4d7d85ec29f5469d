// SPDX-License-Identifier: Apache-2.0
//
// Codes in the order of their values: the rank of a code, the code of a rank, and the distance of
// two codes in units in the last place. Infinity stands one above the largest finite value; NaN has
// no place.
#ifndef EXACTCAST_SPEC_ORDER_H_
#define EXACTCAST_SPEC_ORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "exactcast/spec/codec.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/hifloat8.h"

namespace exactcast {

// Steps from zero: both zeros have magnitude 0. A format without zero (float8_e8m0fnu) counts from
// its least value.
struct Rank {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

namespace internal {

// HiFloat8's codes are not in value order: magnitudes 0x00..0x7f sorted by value, infinity last.
inline constexpr auto kHifloat8ByValue = [] {
  const auto less = [](std::uint64_t a, std::uint64_t b) {
    const auto key = [](std::uint64_t code) -> std::int64_t {
      const Exact x = hifloat8::Decode(code);
      if (x.cls == Class::kZero) return -1;
      if (x.cls == Class::kInfinity) return std::numeric_limits<std::int64_t>::max();
      return static_cast<std::int64_t>(x.significand << (x.exponent + 22));
    };
    return key(a) < key(b);
  };
  std::array<std::uint8_t, 128> codes{};
  for (std::size_t code = 0; code < codes.size(); ++code) {
    std::size_t at = code;
    for (; at > 0 && less(code, codes[at - 1]); --at) codes[at] = codes[at - 1];
    codes[at] = static_cast<std::uint8_t>(code);
  }
  return codes;
}();

inline constexpr auto kHifloat8Ranks = [] {
  std::array<std::uint8_t, 128> ranks{};
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[kHifloat8ByValue[rank]] = static_cast<std::uint8_t>(rank);
  }
  return ranks;
}();

}  // namespace internal

// `word` is no NaN, of a scalar format.
constexpr Rank RankOf(std::uint64_t word, const Format& f) noexcept {
  const std::uint64_t code = (word >> f.low_zeros) & LowMask(f.bits);
  if (f.kind == Kind::kBoolean) return {false, code == 0 ? 0u : 1u};
  const bool negative = (code & SignBit(f)) != 0;
  if (f.kind == Kind::kSigned) return {negative, negative ? (~code + 1) & LowMask(f.bits) : code};
  const std::uint64_t magnitude = code & ~SignBit(f);
  if (f.kind == Kind::kTapered) return {negative, internal::kHifloat8Ranks[magnitude]};
  return {negative && magnitude != 0, magnitude};
}

// The largest rank of that sign: infinity where there is one.
constexpr std::uint64_t LargestRank(const Format& f, bool negative) noexcept {
  if (f.kind == Kind::kBoolean) return negative ? 0 : 1;
  if (negative && !f.has_sign) return 0;
  if (IsInteger(f)) return LowMask(f.bits - (f.has_sign ? 1 : 0)) + (negative ? 1 : 0);
  if (f.kind == Kind::kTapered) return internal::kHifloat8ByValue.size() - 1;
  return MaxFiniteMagnitude(f) + (HasInfinity(f) ? 1 : 0);
}

// The word of a rank that is at most LargestRank.
constexpr std::uint64_t WordOf(const Rank& rank, const Format& f) noexcept {
  if (IsInteger(f)) return InWord(rank.negative ? ~rank.magnitude + 1 : rank.magnitude, f);
  const std::uint64_t magnitude =
      f.kind == Kind::kTapered
          ? internal::kHifloat8ByValue[static_cast<std::size_t>(rank.magnitude)]
          : rank.magnitude;
  return InWord(magnitude | (rank.negative && magnitude != 0 ? SignBit(f) : 0), f);
}

// Units in the last place between two words that are no NaN: 0 for the two zeros, 1 for neighbours.
constexpr std::uint64_t UlpDistance(std::uint64_t a, std::uint64_t b, const Format& f) noexcept {
  const Rank x = RankOf(a, f);
  const Rank y = RankOf(b, f);
  if (x.negative != y.negative) return x.magnitude + y.magnitude;
  return x.magnitude > y.magnitude ? x.magnitude - y.magnitude : y.magnitude - x.magnitude;
}

static_assert(internal::kHifloat8ByValue[1] == 0x01 && internal::kHifloat8ByValue[8] == 0x7e &&
              internal::kHifloat8ByValue[126] == 0x6e && internal::kHifloat8ByValue[127] == 0x6f);

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_ORDER_H_
