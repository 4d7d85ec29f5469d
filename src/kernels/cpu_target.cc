// SPDX-License-Identifier: Apache-2.0
//
// Highway's targets by name.
#include "src/kernels/cpu_target.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>

namespace exactcast {
namespace {

struct TargetRow {
  std::string_view name;
  std::int64_t target;
};

// All that this build has kernels for; in Highway the lower bit is the better target.
std::vector<TargetRow> Built() {
  std::vector<TargetRow> rows;
  const auto add = [&](std::string_view name, std::int64_t target) {
    if ((HWY_TARGETS & target) != 0) rows.push_back({name, target});
  };
#if HWY_ARCH_X86
  add("avx3", HWY_AVX3);
  add("avx2", HWY_AVX2);
  add("sse4", HWY_SSE4);
#ifdef HWY_SSE2
  add("sse2", HWY_SSE2);
#endif
#elif HWY_ARCH_ARM
  add("neon", HWY_NEON);
#ifdef HWY_NEON_WITHOUT_AES
  add("neon_without_aes", HWY_NEON_WITHOUT_AES);
#endif
#endif
  add("emu128", HWY_EMU128);
  add("scalar", HWY_SCALAR);
  return rows;
}

// What the CPU has, whatever has been asked for since. The last one built needs nothing of it.
const std::int64_t kAvailable = hwy::SupportedTargets();

std::vector<TargetRow> Runnable() {
  std::vector<TargetRow> rows;
  const std::vector<TargetRow> built = Built();
  for (const TargetRow& row : built) {
    if ((kAvailable & row.target) != 0 || row.target == built.back().target) rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<std::string_view> BuiltCpuTargets() {
  std::vector<std::string_view> names;
  for (const TargetRow& row : Built()) names.push_back(row.name);
  return names;
}

std::vector<std::string_view> CpuTargets() {
  std::vector<std::string_view> names;
  for (const TargetRow& row : Runnable()) names.push_back(row.name);
  return names;
}

std::string_view CurrentCpuTarget() {
  const std::vector<TargetRow> runnable = Runnable();
  for (const TargetRow& row : runnable) {
    if ((hwy::SupportedTargets() & row.target) != 0) return row.name;
  }
  return runnable.back().name;
}

bool UseCpuTarget(std::string_view name) {
  const std::int64_t available = kAvailable;
  for (const TargetRow& row : Runnable()) {
    if (row.name != name) continue;
    hwy::SetSupportedTargetsForTest(row.target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return true;
  }
  if (!name.empty()) return false;
  hwy::SetSupportedTargetsForTest(available);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return true;
}

}  // namespace exactcast
