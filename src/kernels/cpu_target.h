// SPDX-License-Identifier: Apache-2.0
//
// The instruction sets that kernels are compiled for, and the choice among those that the CPU has.
// The best is chosen unless a test or a benchmark asks for another.
#ifndef EXACTCAST_SRC_KERNELS_CPU_TARGET_H_
#define EXACTCAST_SRC_KERNELS_CPU_TARGET_H_

#include <string_view>
#include <vector>

namespace exactcast {

// "avx3", "avx2", "sse4", "neon", "scalar", ...: all that this build has kernels for, best first.
std::vector<std::string_view> BuiltCpuTargets();

// Those of them that this CPU can run.
std::vector<std::string_view> CpuTargets();

// The one in use.
std::string_view CurrentCpuTarget();

// Uses it, or again the best one for "". False where the CPU lacks it. Not while kernels run.
bool UseCpuTarget(std::string_view name);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_CPU_TARGET_H_
