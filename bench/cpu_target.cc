// SPDX-License-Identifier: Apache-2.0
//
// CPU targets by name.
#include "bench/cpu_target.h"

#include <fmt/format.h>

#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "src/kernels/cpu_target.h"

namespace exactcast::bench {

Status UseCpuTarget(std::string_view name) {
  if (!name.empty() && exactcast::UseCpuTarget(name)) return {};
  return Unsupported(fmt::format("this CPU has no target '{}'; it has {}", name,
                                 WordList(Plan::cpu_targets(), "and")));
}

std::string CpuTargetInUse() { return std::string(Plan::cpu_target()); }

}  // namespace exactcast::bench
