// SPDX-License-Identifier: Apache-2.0
//
// What a cast did to a block of numbers: errors, and what became of the exceptional ones. Both sides
// are given as floats that hold them exactly. Sums have eight lanes whatever the CPU has, so that they
// do not depend on it, and no product is fused with a sum.
#ifndef EXACTCAST_SRC_KERNELS_MEASURE_H_
#define EXACTCAST_SRC_KERNELS_MEASURE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "exactcast/spec/format.h"

namespace exactcast {

// Elements of a block.
inline constexpr std::size_t kMeasureBlock = 4096;
// Of every sum, whatever the CPU has.
inline constexpr std::size_t kMeasureLanes = 8;

// The target's unit in the last place at x is 2^(E - m), E the exponent of x, at least that of the
// least normal value; of a tapered target m falls with the size of E; 1 of an integer.
struct Units {
  enum class Kind : std::uint8_t { kNone, kFloat, kTapered, kInteger };
  Kind kind = Kind::kNone;  // none: bool
  int mantissa_bits = 0;    // m; the most of a tapered one
  int min_exponent = 0;
  double least = 0;         // finite values
  double greatest = 0;      //
  double least_normal = 0;  // magnitudes below are subnormal; 0: none are

  [[nodiscard]] bool IsFloat() const { return kind == Kind::kFloat || kind == Kind::kTapered; }
};

Units UnitsOf(const Format& target);

struct BlockMeasure {
  // Of pairs that are both finite.
  double error = 0;  // sum of |source - result|
  double squared_error = 0;
  double source_squares = 0;
  double result_squares = 0;
  double products = 0;
  double largest_error = 0;
  double largest_ulp = 0;  // of the target, at the source
  double least = 0;        // of the finite sources: +infinity where there is none
  double greatest = 0;     // -infinity where there is none
  std::uint64_t compared = 0;
  std::uint64_t ties = 0;  // half way between two neighbours, and within the range
  std::uint64_t became_infinite = 0;
  std::uint64_t became_nan = 0;
  std::uint64_t became_zero = 0;  // and was not
  std::uint64_t subnormal = 0;    // results
  std::uint64_t source_nan = 0;
  std::uint64_t source_infinite = 0;
  std::uint64_t source_zero = 0;
};

// How many sources have each exponent field: that of float32 in the first 256, or float64's 2,048.
// Element i may be in table i % 4, as counting one value over and over waits for itself.
using ExponentCounts = std::array<std::array<std::uint32_t, 2048>, 4>;

// What that told of a block of float32; nothing, where it took a look at each element.
struct BlockExponents {
  int least = 0;          // field but 0; 256: there is none; 0: not told
  std::size_t zeros = 0;  // elements of field 0
};

// All with n <= kMeasureBlock. In the environment of float_environment.h.
BlockExponents CountExponents(const float* sources, std::size_t n, ExponentCounts* counts);
void CountExponents(const double* sources, std::size_t n, ExponentCounts* counts);
// A part of the former: false where it has done nothing.
bool CountUsualExponents(const float* sources, std::size_t n, std::uint32_t* counts,
                         BlockExponents* block);

// Results of a cast: of the same sign as the source, or zero, and next to it if it is within the range.
// With no exponents told they may be any numbers.
BlockMeasure MeasureBlock(const Units& units, const BlockExponents& exponents, const float* sources,
                          const float* results, std::size_t n);
// Any numbers.
BlockMeasure MeasureBlock(const Units& units, const double* sources, const double* results,
                          std::size_t n);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_MEASURE_H_
