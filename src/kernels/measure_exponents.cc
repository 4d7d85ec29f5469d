// SPDX-License-Identifier: Apache-2.0
//
// Measuring what is not vectors: the units of a target, and how many sources have which exponent.
#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "exactcast/spec/codec.h"
#include "exactcast/spec/hifloat8.h"
#include "src/kernels/measure.h"

namespace exactcast {
namespace {

double ValueOf(std::uint64_t word, const Format& f) {
  const Exact x = Decode(word, f);
  const double magnitude = std::ldexp(static_cast<double>(x.significand), x.exponent);
  return x.negative ? -magnitude : magnitude;
}

template <typename Word, int kMantissa, typename Float>
void CountFields(const Float* sources, std::size_t n, ExponentCounts* counts) {
  constexpr Word kField = (sizeof(Word) == 4 ? 0xff : 0x7ff);
  const auto field = [&](std::size_t i) {
    return static_cast<std::size_t>(std::bit_cast<Word>(sources[i]) >> kMantissa & kField);
  };
  constexpr std::size_t kTables = std::tuple_size_v<ExponentCounts>;
  std::size_t i = 0;
  for (; i + kTables <= n; i += kTables) {
    for (std::size_t k = 0; k < kTables; ++k) ++(*counts)[k][field(i + k)];
  }
  for (; i < n; ++i) ++(*counts)[0][field(i)];
}

}  // namespace

Units UnitsOf(const Format& target) {
  Units units;
  if (IsInteger(target)) {
    units.kind = Units::Kind::kInteger;
    units.greatest = std::ldexp(1.0, target.bits - (target.has_sign ? 1 : 0)) - 1;
    units.least = target.has_sign ? -units.greatest - 1 : 0;
    return units;
  }
  if (target.kind != Kind::kFloat && target.kind != Kind::kTapered) return units;
  units.greatest = ValueOf(MaxFinite(target, false), target);
  units.least = target.has_sign ? -units.greatest : HasZero(target) ? 0 : ValueOf(0, target);
  if (target.kind == Kind::kTapered) {
    units.kind = Units::Kind::kTapered;
    units.mantissa_bits = 3;
    units.min_exponent = hifloat8::kMinExponent;
    units.least_normal = std::ldexp(1.0, hifloat8::kMinNormal);
    return units;
  }
  units.kind = Units::Kind::kFloat;
  units.mantissa_bits = target.mantissa_bits;
  // Low enough for anything that is not exact, high enough for the inverse to be a number.
  units.min_exponent = std::max(MinExponent(target), -900);
  if (HasZero(target)) units.least_normal = std::ldexp(1.0, MinExponent(target));
  return units;
}

BlockExponents CountExponents(const float* sources, std::size_t n, ExponentCounts* counts) {
  BlockExponents block;
  if (!CountUsualExponents(sources, n, (*counts)[0].data(), &block)) {
    CountFields<std::uint32_t, 23>(sources, n, counts);
  }
  return block;
}
void CountExponents(const double* sources, std::size_t n, ExponentCounts* counts) {
  CountFields<std::uint64_t, 52>(sources, n, counts);
}

}  // namespace exactcast
