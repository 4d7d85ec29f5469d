// SPDX-License-Identifier: Apache-2.0
//
// What can be measured: a row is a cast or a RESCALE with everything chosen, a subject the plan
// made from it. Which rows there are is sets.h; how they are measured, runner.h.
#ifndef EXACTCAST_BENCH_ROW_H_
#define EXACTCAST_BENCH_ROW_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "exactcast/cast.h"
#include "exactcast/rescale.h"

namespace exactcast::bench {

// The ratios to the bound that are to be reached: in the second cache, and in memory.
struct Goal {
  double l2 = 8;
  double dram = 3;
};

// Kinds of RESCALE, by the work that a kernel has.
enum class RescaleKind { kShift33, kGeneral, kDouble, kPerChannel };

struct Row {
  FormatId from = FormatId::kFloat32;
  FormatId to = FormatId::kFloat32;
  Rounding rounding = Rounding::kTiesToEven;
  std::optional<Overflow> overflow = std::nullopt;  // nothing: the default of the pair
  bool packed = false;                              // on the sides whose format can be
  std::optional<RescaleKind> rescale = std::nullopt;
  Goal goal = {};
};

struct RunHow {
  int threads = 1;
  bool counts = true;
  Stores stores = Stores::kAuto;
};

struct Subject {
  Row row;
  std::string mode;      // "rint"; of RESCALE "general"
  std::string overflow;  // the form in force
  std::string kernel;
  bool has_counts_off = true;  // RESCALE always counts
  std::function<std::size_t(std::size_t n)> in_bytes;
  std::function<std::size_t(std::size_t n)> out_bytes;
  std::function<void(const void* in, void* out, std::size_t n, const RunHow& how)> run;
};

// "float32:int4", "rescale int32:int8".
std::string PairName(const Row& row);
// "float32:int4 rint saturate packed".
std::string Key(const Subject& subject);

Result<Subject> MakeSubject(const Row& row);

std::string_view Name(RescaleKind kind);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_ROW_H_
