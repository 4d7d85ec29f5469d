// SPDX-License-Identifier: Apache-2.0
//
// The block that a kernel works on at a time, as lanes of 32 or 64 bits that hold float32 or float64
// bits.
//
// Targets with at most 22 bits of precision are reached from float64 and from integers over float32
// bits, rounded to odd: a second rounding of those is the same as one of the source (Boldo and
// Melquiond, "When double rounding is odd", 2005: two more bits suffice).
#ifndef EXACTCAST_SRC_KERNELS_BLOCK_H_
#define EXACTCAST_SRC_KERNELS_BLOCK_H_

#include <cstddef>
#include <cstdint>

namespace exactcast {

// Elements that are converted at a time: a multiple of 4, so that packed blocks begin on whole
// bytes, and few enough to stay in the first cache and on any stack.
inline constexpr std::size_t kBlock = 1024;

// A finite value of float64 that is beyond float32, as a float32 lane: above infinity, below every
// quiet NaN. It has the exponent of infinity, and so is beyond every target.
inline constexpr std::uint32_t kBeyondFloat32 = 0x7f800001;

template <typename Lane>
struct BlockOf {
  Lane* lanes;       // aligned; filled up with 1.0 to a whole vector
  std::size_t n;     // a multiple of any vector's lanes
  Lane nan_above;    // magnitudes above are NaN
  const Lane* lost;  // all ones where an earlier step was inexact; null where there was none
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_BLOCK_H_
