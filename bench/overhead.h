// SPDX-License-Identifier: Apache-2.0
//
// What a call costs besides its elements, and what a plan costs.
#ifndef EXACTCAST_BENCH_OVERHEAD_H_
#define EXACTCAST_BENCH_OVERHEAD_H_

#include <vector>

#include "bench/row.h"
#include "bench/runner.h"

namespace exactcast::bench {

// Prints a line for each subject: nanoseconds of a call for few elements, with and without counts,
// and of making the plan. Thread CPU time, medians over the rounds of `pace`.
void MeasureOverhead(const std::vector<Subject>& subjects, const Pace& pace);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_OVERHEAD_H_
