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
// Eight tables, element i in table i % 8, as counting one value over and over waits for itself.
using ExponentCounts = std::array<std::array<std::uint32_t, 2048>, 8>;

// n <= kMeasureBlock. In the environment of float_environment.h.
BlockMeasure MeasureBlock(const Units& units, const float* sources, const float* results,
                          std::size_t n);
BlockMeasure MeasureBlock(const Units& units, const double* sources, const double* results,
                          std::size_t n);

void CountExponents(const float* sources, std::size_t n, ExponentCounts* counts);
void CountExponents(const double* sources, std::size_t n, ExponentCounts* counts);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_MEASURE_H_
