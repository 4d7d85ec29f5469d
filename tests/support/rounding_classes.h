// SPDX-License-Identifier: Apache-2.0
//
// Inputs for sources that are too wide to try every code: for each exponent, sign and a choice of
// kept parts, every case that rounding tells apart, placed at the target's last place and one bit
// to either side of it.
#ifndef EXACTCAST_TESTS_SUPPORT_ROUNDING_CLASSES_H_
#define EXACTCAST_TESTS_SUPPORT_ROUNDING_CLASSES_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/oracle/oracle.h"

namespace support {

// The fractions of `width` bits (below a leading one) that matter when the upper `kept` bits are
// kept.
//   kept: 0..00  0..01  1..10  1..11  0101..  0011..
//   then: guard 0 or 1, sticky 0..0  0..01  10..0  1..1
inline void AppendFractions(int width, int kept, std::vector<std::uint64_t>* fractions) {
  const auto mask = [](int bits) {
    return bits <= 0 ? 0 : bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  };
  kept = std::clamp(kept, 0, width);
  const int discarded = width - kept;
  for (const std::uint64_t pattern :
       {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{1}, ~std::uint64_t{0},
        std::uint64_t{0x5555555555555555}, std::uint64_t{0x3333333333333333}}) {
    const std::uint64_t top = discarded >= 64 ? 0 : (pattern & mask(kept)) << discarded;
    if (discarded == 0) {
      fractions->push_back(top);
      continue;
    }
    const int sticky_bits = discarded - 1;
    for (const std::uint64_t guard : {std::uint64_t{0}, std::uint64_t{1}}) {
      const std::uint64_t base = top | guard << sticky_bits;
      fractions->push_back(base);
      if (sticky_bits == 0) continue;
      fractions->push_back(base | 1);
      fractions->push_back(base | std::uint64_t{1} << (sticky_bits - 1));
      fractions->push_back(base | mask(sticky_bits));
    }
  }
}

// The exponent of the target's last place around 2^e.
inline int LastPlaceAround(const oracle::Format& target, int e) {
  if (target.kind != oracle::Kind::kFloat) return 0;
  const bool too_large = oracle::Compare(oracle::MakeReal(false, 1, e), target.above_value) >= 0;
  // In or above the last binade the last place is that of the step after the largest value, but one
  // binade up the same number of bits is kept; the classes there only ask whether it overflows.
  if (too_large) return LastPlaceAround(target, e - 1);
  const oracle::Placement p = oracle::Place(target, oracle::MakeReal(false, 1, e));
  return std::ilogb(oracle::ToDouble(p.upper.value) - oracle::ToDouble(p.lower.value));
}

inline int LeastExponent(const oracle::Format& target) {  // of the least positive value
  if (target.kind != oracle::Kind::kFloat) return 0;
  if (target.bits > 16) {
    return 2 - (1 << (target.exponent_bits - 1)) - target.mantissa_bits;
  }
  for (const oracle::Point& point : target.points) {
    if (!point.value.negative && !point.value.IsZero()) {
      return std::ilogb(oracle::ToDouble(point.value));
    }
  }
  return 0;
}

inline int EndExponent(const oracle::Format& target) {  // all values are below 2^this
  return target.kind == oracle::Kind::kBool ? 1 : target.above_value.exponent + 121;
}

// The exponents at which a source's values are tried for a target: all where the target's range is
// or ends, else some.
inline std::vector<int> Exponents(int first, int last, const oracle::Format& target) {
  std::vector<int> exponents;
  const int low = LeastExponent(target) - 3;
  // To an integer, the low bits of a value beyond its range are asked for as well: up to where none
  // is left.
  const int high = EndExponent(target) + (target.kind == oracle::Kind::kInteger ? 56 : 2);
  for (int e = first; e <= last; ++e) {
    if ((e >= low && e <= high) || e < first + 3 || e > last - 3 || e % 13 == 0 ||
        (e > -68 && e < 68)) {
      exponents.push_back(e);
    }
  }
  return exponents;
}

// Words of a float source with IEEE fields.
inline std::vector<std::uint64_t> FloatClasses(const oracle::Format& source,
                                               const oracle::Format& target) {
  const int width = source.mantissa_bits;
  const int bias = (1 << (source.exponent_bits - 1)) - 1;
  const int min_exponent = 1 - bias;
  std::vector<std::uint64_t> codes;
  std::vector<std::uint64_t> fractions;
  for (const int e : Exponents(min_exponent - width, bias, target)) {
    const int available = e >= min_exponent ? width : width - (min_exponent - e);
    fractions.clear();
    const int kept = e - LastPlaceAround(target, e);
    for (int shift = -1; shift <= 1; ++shift) AppendFractions(available, kept + shift, &fractions);
    for (const std::uint64_t fraction : fractions) {
      const std::uint64_t code = e >= min_exponent
                                     ? static_cast<std::uint64_t>(e + bias) << width | fraction
                                     : std::uint64_t{1} << available | fraction;
      codes.push_back(code);
      codes.push_back(code | source.SignBit());
    }
  }
  // Zeros, infinities, NaNs: quiet and signalling, each payload bit.
  for (const std::uint64_t sign : {std::uint64_t{0}, source.SignBit()}) {
    codes.push_back(sign);
    codes.push_back(sign | source.infinity);
    codes.push_back(sign | source.nan | ((std::uint64_t{1} << width) - 1));
    codes.push_back(sign | source.infinity | (((std::uint64_t{1} << width) - 1) >> 1));
    for (int bit = 0; bit < width; ++bit) {
      codes.push_back(sign | source.infinity | std::uint64_t{1} << bit);
      codes.push_back(sign | source.nan | std::uint64_t{1} << bit);
    }
  }
  std::mt19937_64 random(20240613);
  for (int i = 0; i < 2000; ++i) codes.push_back(random() & source.CodeMask());
  for (std::uint64_t& code : codes) code <<= source.low_zeros;
  if (source.low_zeros > 0) {
    for (int i = 0; i < 2000; ++i) codes.push_back(random() & 0xffffffff);  // dirty low bits
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

inline std::vector<std::uint64_t> IntegerClasses(const oracle::Format& source,
                                                 const oracle::Format& target) {
  std::vector<std::uint64_t> codes;
  std::vector<std::uint64_t> fractions;
  for (int e = 0; e < source.bits; ++e) {
    fractions.clear();
    const int kept = e - LastPlaceAround(target, e);
    for (int shift = -1; shift <= 1; ++shift) AppendFractions(e, kept + shift, &fractions);
    for (int kept_bits = 0; kept_bits <= e; kept_bits += 5)
      AppendFractions(e, kept_bits, &fractions);
    for (const std::uint64_t fraction : fractions) {
      const std::uint64_t code = std::uint64_t{1} << e | fraction;
      codes.push_back(code & source.CodeMask());
      codes.push_back((0 - code) & source.CodeMask());
    }
  }
  codes.push_back(0);
  std::mt19937_64 random(20240614);
  for (int i = 0; i < 4000; ++i) {
    codes.push_back((random() >> (random() % 64)) & source.CodeMask());
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

// The words of a source of more than 16 bits with which a cast to the target is proved.
inline std::vector<std::uint64_t> Classes(const oracle::Format& source,
                                          const oracle::Format& target) {
  return source.kind == oracle::Kind::kFloat ? FloatClasses(source, target)
                                             : IntegerClasses(source, target);
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_ROUNDING_CLASSES_H_
