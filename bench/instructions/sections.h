// SPDX-License-Identifier: Apache-2.0
//
// What the driver and the gate agree on.
#ifndef EXACTCAST_BENCH_INSTRUCTIONS_SECTIONS_H_
#define EXACTCAST_BENCH_INSTRUCTIONS_SECTIONS_H_

#include <array>
#include <cstddef>

namespace exactcast::bench {

inline constexpr std::size_t kSectionElements = 4096;
// Calls of a row's sections. Dumping resets the counters, so the first takes what came before, and
// what a plan makes once; the others differ by their calls alone.
inline constexpr std::array<int, 3> kSectionCalls = {1, 1, 3};
inline constexpr const char* kSectionFunction = "*CountedSection*";  // of any namespace

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_INSTRUCTIONS_SECTIONS_H_
