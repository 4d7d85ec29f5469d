// SPDX-License-Identifier: Apache-2.0
//
// CPU targets by name.
#include "bench/cpu_target.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "exactcast/names.h"

namespace exactcast::bench {
namespace {

std::string LowerName(std::int64_t target) {
  std::string name = hwy::TargetName(target);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

// Best first: a better target is a lower bit.
std::vector<std::int64_t> Supported() {
  std::vector<std::int64_t> targets;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    targets.push_back(rest & -rest);
  }
  return targets;
}

}  // namespace

std::vector<std::string> CpuTargets() {
  std::vector<std::string> names;
  for (const std::int64_t target : Supported()) names.push_back(LowerName(target));
  return names;
}

Status UseCpuTarget(std::string_view name) {
  for (const std::int64_t target : Supported()) {
    if (LowerName(target) != name) continue;
    const std::int64_t and_below = hwy::SupportedTargets() & ~(target - 1);
    hwy::SetSupportedTargetsForTest(and_below);
    hwy::GetChosenTarget().Update(and_below);
    return {};
  }
  const std::vector<std::string> names = CpuTargets();
  return Unsupported(fmt::format("this CPU has no target '{}'; it has {}", name,
                                 WordList({names.begin(), names.end()}, "and")));
}

std::string CpuTargetInUse() { return CpuTargets().front(); }

}  // namespace exactcast::bench
