// SPDX-License-Identifier: Apache-2.0
//
// What of the CPU surrounds the kernels: the instruction sets that they are built for, and the
// caller's floating-point environment, which they neither heed nor change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/spec/rounding.h"
#include "src/kernels/cpu_target.h"
#include "tests/support/flush.h"

namespace exactcast {
namespace {

// Built always, whatever this CPU has; kernel_proof_test runs those that it has.
TEST(CpuTargets, KernelsAreBuiltForEveryInstructionSet) {
  const std::vector<std::string_view> built = BuiltCpuTargets();
  const std::vector<std::string_view> run = CpuTargets();
#if defined(EXACTCAST_SANITIZED)
  const std::vector<std::string_view> wanted;  // a part of them
#elif defined(__x86_64__)
  const std::vector<std::string_view> wanted = {"avx3", "avx2", "sse4"};
#elif defined(__aarch64__)
  const std::vector<std::string_view> wanted = {"neon"};
  EXPECT_EQ(run.front(), "neon");
#else
  const std::vector<std::string_view> wanted;
#endif
  for (std::string_view name : wanted) {
    EXPECT_NE(std::find(built.begin(), built.end(), name), built.end()) << name;
  }
  for (std::string_view name : built) {
    const bool runs = std::find(run.begin(), run.end(), name) != run.end();
    std::cout << name << (runs ? ": built and run\n" : ": built; this CPU cannot run it\n");
  }
}

// Some of every pair and mode, random words and small ones, which are subnormal in every float.
std::vector<std::byte> Results(const std::vector<Plan>& plans) {
  constexpr std::size_t kElements = 100;
  std::vector<std::uint64_t> in(2 * kElements);  // up to 128 bits an element
  std::mt19937_64 random(5);
  for (std::uint64_t& word : in) word = random() >> random() % 64;
  std::vector<std::byte> results;
  for (const Plan& plan : plans) {
    std::vector<std::byte> out(plan.OutputBytes(kElements));
    plan.Run(in.data(), out.data(), kElements);
    results.insert(results.end(), out.begin(), out.end());
  }
  return results;
}

TEST(CpuState, TheCallersFloatingPointEnvironmentIsNeitherHeededNorChanged) {
  std::vector<Plan> plans;
  for (const Format& from : kFormats) {
    for (const Format& to : kFormats) {
      for (const RoundingRow& mode : kRoundings) {
        const Result<Plan> plan =
            MakePlan({.from = from.id, .to = to.id, .rounding = mode.rounding});
        if (plan.ok()) plans.push_back(*plan);
      }
    }
  }
  ASSERT_GT(plans.size(), 1000u);
  for (std::string_view target : CpuTargets()) {
    ASSERT_TRUE(UseCpuTarget(target));
    const std::vector<std::byte> usual = Results(plans);
    for (const int direction : {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
      for (const bool flush : {false, true}) {
        if (flush && !support::kCanFlush) continue;
        ASSERT_EQ(std::fesetround(direction), 0);
        support::SetFlush(flush);
        std::feclearexcept(FE_ALL_EXCEPT);
        const std::vector<std::byte> results = Results(plans);
        const int raised = std::fetestexcept(FE_ALL_EXCEPT);
        const int direction_after = std::fegetround();
        const bool flush_after = support::SubnormalsAreFlushed();
        support::SetFlush(false);
        std::fesetround(FE_TONEAREST);
        EXPECT_TRUE(results == usual)
            << target << ", direction " << direction << ", flush to zero " << flush;
        EXPECT_EQ(std::tuple(raised, direction_after, flush_after),
                  std::tuple(0, direction, flush));
      }
    }
  }
  UseCpuTarget("");
}

}  // namespace
}  // namespace exactcast
