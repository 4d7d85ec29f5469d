// SPDX-License-Identifier: Apache-2.0
//
// The named sets of rows, and choosing rows by pair, mode and form.
#ifndef EXACTCAST_BENCH_SETS_H_
#define EXACTCAST_BENCH_SETS_H_

#include <string>
#include <string_view>
#include <vector>

#include "bench/row.h"
#include "exactcast/status.h"

namespace exactcast::bench {

struct Selection {
  std::vector<std::string> sets;       // names of sets
  std::vector<std::string> pairs;      // FROM:TO
  std::vector<std::string> modes;      // of `pairs`; "all"; empty: the default of the pair
  std::vector<std::string> overflows;  // of `pairs`; empty: the default of the pair
  bool packed = false;                 // of `pairs`
  std::vector<std::string> filters;    // only rows whose key contains each of them
};

struct SetName {
  std::string_view name;
  std::string_view about;
};

const std::vector<SetName>& SetNames();

// kUsage: a name that is not known. kUnsupported: a pair that has not the mode or form.
Result<std::vector<Subject>> Select(const Selection& selection);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_SETS_H_
