// SPDX-License-Identifier: Apache-2.0
//
// What counted instructions mean: against a baseline, which may be missing, and against limits.
#ifndef EXACTCAST_BENCH_INSTRUCTIONS_VERDICT_H_
#define EXACTCAST_BENCH_INSTRUCTIONS_VERDICT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace exactcast::bench {

inline constexpr double kTolerance = 0.03;

struct Counted {
  std::string row;
  std::string kernel;
  double instructions = 0;  // by element
};

struct Verdict {
  bool holds = true;
  std::string text;  // a table, and a line that sums it up
};

// Fails where a row is over its limit, or more than the tolerance worse than the baseline, or where
// the rows are not those of the baseline. Less is reported, and holds. `baseline` and `limits` are
// the files of bench/baseline.
Verdict Judge(const std::vector<Counted>& rows, const nlohmann::ordered_json* baseline,
              const nlohmann::ordered_json& limits);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_INSTRUCTIONS_VERDICT_H_
