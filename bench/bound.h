// SPDX-License-Identifier: Apache-2.0
//
// The memory bound: vector kernels that move as many bytes in and out as a cast and do next to
// nothing with them. Narrowing takes the top bits, widening puts zeros beside them.
#ifndef EXACTCAST_BENCH_BOUND_H_
#define EXACTCAST_BENCH_BOUND_H_

#include <cstddef>

namespace exactcast::bench {

// Arrays whose sizes are as 2^step to 1, in bytes: 2 for 4 bytes to 1, -1 for 2 to 4.
struct Traffic {
  int step = 0;
};

inline constexpr int kLargestStep = 5;

// The bound for these sizes, of which one is a power of two times the other, at most 2^5.
Traffic TrafficOf(std::size_t in_bytes, std::size_t out_bytes);

// Sizes are multiples of kBoundUnit bytes on the smaller side; both arrays are aligned to 64 bytes.
inline constexpr std::size_t kBoundUnit = 64;
void RunBound(Traffic traffic, bool stream, const std::byte* in, std::byte* out,
              std::size_t smaller_bytes);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_BOUND_H_
