// SPDX-License-Identifier: Apache-2.0
//
// Restricting the library, and the bound kernels, to one CPU target. Both take Highway's choice,
// which its shared library keeps.
#ifndef EXACTCAST_BENCH_CPU_TARGET_H_
#define EXACTCAST_BENCH_CPU_TARGET_H_

#include <string>
#include <string_view>

#include "exactcast/status.h"

namespace exactcast::bench {

// `name` alone runs from now on. kUnsupported: this CPU has no such target.
Status UseCpuTarget(std::string_view name);

std::string CpuTargetInUse();

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_CPU_TARGET_H_
