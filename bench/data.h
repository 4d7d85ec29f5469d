// SPDX-License-Identifier: Apache-2.0
//
// Input data. A data set is a block of elements repeated over the array, the same in every run.
#ifndef EXACTCAST_BENCH_DATA_H_
#define EXACTCAST_BENCH_DATA_H_

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "bench/row.h"

namespace exactcast::bench {

enum class Data {
  kNormal,    // N(0, 1); integers: N(0, a quarter of the largest), RESCALE: N(0, 2^20)
  kRandom,    // any bits
  kDenormal,  // half subnormals of the source, a quarter those of the target, the rest normal
  kNan,       // a quarter NaN, one of sixteen infinite, the rest normal
  kTies,      // half way between two neighbours of the target, as near as the source comes
};

struct DataRow {
  Data data;
  std::string_view name;
};

std::span<const DataRow> DataSets();
std::string_view Name(Data data);

// Whether the set says anything about the row that kNormal does not.
bool Applies(Data data, const Row& row);

// Fills the array of `n` elements at `in`, which has Subject::in_bytes(n) bytes.
void Fill(Data data, const Subject& subject, std::size_t n, std::byte* in);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_DATA_H_
