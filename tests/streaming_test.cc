// SPDX-License-Identifier: Apache-2.0
//
// Stores past the caches: the same bits and counts as stores through them, wherever the arrays begin
// and end, and not a byte beside.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/rescale.h"
#include "exactcast/spec/rounding.h"
#include "src/kernels/cpu_target.h"
#include "src/kernels/flow.h"

namespace exactcast {
namespace {

constexpr std::size_t kMost = 5000;  // elements: several times what is converted before it is moved
constexpr std::size_t kRoom = 128;   // bytes around a result
constexpr std::byte kUntouched{0xa5};

// Words of every magnitude, so that each class of outcome occurs.
std::vector<std::byte> RandomBytes(std::size_t bytes) {
  std::mt19937_64 random(11);
  std::vector<std::byte> all(bytes + 8);
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = at % 64 == 0 ? random() >> random() % 64 : random();
    std::memcpy(all.data() + at, &word, 8);
  }
  return all;
}

// The result, at `begin` bytes past the beginning of a cache line, and what Run() returned.
template <typename PlanOf, typename Options>
auto Write(const PlanOf& plan, const std::byte* in, std::size_t n, std::size_t bytes,
           std::size_t begin, const Options& options) {
  std::vector<std::byte> all(bytes + 2 * kRoom, kUntouched);
  // Aligned as `begin` says, whatever the allocator gave.
  const auto address = reinterpret_cast<std::uintptr_t>(all.data());
  const std::size_t at = (64 - address % 64) % 64 + begin;
  const auto counts = plan.Run(in, all.data() + at, n, options);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = first + static_cast<std::ptrdiff_t>(bytes);
  const auto is_untouched = [](std::byte b) { return b == kUntouched; };
  EXPECT_TRUE(std::all_of(all.begin(), first, is_untouched)) << "bytes before the result";
  EXPECT_TRUE(std::all_of(end, all.end(), is_untouched)) << "bytes after the result";
  return std::pair(std::vector<std::byte>(first, end), counts);
}

std::vector<Plan> AllPlans() {
  std::vector<Plan> plans;
  for (const Format& from : kFormats) {
    for (const Format& to : kFormats) {
      for (const RoundingRow& mode : kRoundings) {
        for (const Packing packing : {Packing::kUnpacked, Packing::kPacked}) {
          const Result<Plan> plan = MakePlan({.from = from.id,
                                              .to = to.id,
                                              .rounding = mode.rounding,
                                              .input_packing = packing,
                                              .output_packing = packing});
          if (plan.ok()) plans.push_back(*plan);
        }
      }
    }
  }
  return plans;
}

TEST(Streaming, EveryPairAndModeHasTheBitsAndCountsOfOtherStores) {
  const std::vector<std::byte> in = RandomBytes(kMost * 16);
  const std::vector<Plan> plans = AllPlans();
  ASSERT_GT(plans.size(), 1000u);
  constexpr std::array<std::size_t, 6> kSizes = {1, 63, 1024, 1025, 3001, kMost};
  for (std::string_view target : CpuTargets()) {
    ASSERT_TRUE(UseCpuTarget(target));
    std::size_t turn = 0;
    for (const Plan& plan : plans) {
      const std::size_t n = kSizes[turn % kSizes.size()];
      const std::size_t begin = turn / kSizes.size() % 64;  // unaligned words, too
      const std::size_t bytes = plan.OutputBytes(n);
      ++turn;
      const auto cached = Write(plan, in.data(), n, bytes, begin,
                                RunOptions{.first = turn, .stores = Stores::kCached});
      const auto streamed = Write(plan, in.data(), n, bytes, begin,
                                  RunOptions{.first = turn, .stores = Stores::kStreaming});
      const auto uncounted =
          Write(plan, in.data(), n, bytes, begin,
                RunOptions{.first = turn, .counts = false, .stores = Stores::kStreaming});
      ASSERT_TRUE(cached.first == streamed.first && cached.first == uncounted.first)
          << plan.from().name << " to " << plan.to().name << ", " << Name(plan.rounding()) << ", "
          << n << " elements at byte " << begin << ", " << target;
      ASSERT_TRUE(cached.second == streamed.second)
          << plan.from().name << " to " << plan.to().name << ", " << Name(plan.rounding());
    }
  }
  UseCpuTarget("");
}

TEST(Streaming, ThreadsChangeNothing) {
  constexpr std::size_t kElements = (std::size_t{1} << 18) + 77;
  const std::vector<std::byte> in = RandomBytes(kElements * 4);
  for (const FormatId to : {FormatId::kFloat16, FormatId::kHifloat8, FormatId::kFloat64}) {
    const Result<Plan> plan = MakePlan({.from = FormatId::kFloat32, .to = to});
    ASSERT_TRUE(plan.ok());
    const std::size_t bytes = plan->OutputBytes(kElements);
    const auto one = Write(*plan, in.data(), kElements, bytes, 3, RunOptions{.threads = 1});
    const auto three = Write(*plan, in.data(), kElements, bytes, 3,
                             RunOptions{.threads = 3, .stores = Stores::kStreaming});
    EXPECT_TRUE(one == three) << plan->to().name;
  }
}

TEST(Streaming, RescaleHasTheBitsAndCountsOfOtherStores) {
  const std::vector<std::byte> in = RandomBytes(kMost * 4);
  for (const FormatId to : {FormatId::kInt8, FormatId::kInt16, FormatId::kInt32}) {
    const Result<RescalePlan> plan = MakeRescalePlan({.profile = "tosa-1.0",
                                                      .from = FormatId::kInt32,
                                                      .to = to,
                                                      .multipliers = {1 << 30},
                                                      .shifts = {40},
                                                      .scale32 = true});
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const std::size_t width = static_cast<std::size_t>(GetFormat(to).storage_bits) / 8;
    for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, kMost}) {
      for (const std::size_t begin : {std::size_t{0}, 4 * width, std::size_t{5}}) {
        const auto cached = Write(*plan, in.data(), n, n * width, begin,
                                  RescaleRunOptions{.stores = Stores::kCached});
        const auto streamed = Write(*plan, in.data(), n, n * width, begin,
                                    RescaleRunOptions{.stores = Stores::kStreaming});
        EXPECT_TRUE(cached.first == streamed.first) << GetFormat(to).name << " " << n;
        EXPECT_EQ(cached.second.saturated, streamed.second.saturated);
        EXPECT_EQ(cached.second.unpredictable(), streamed.second.unpredictable());
      }
    }
  }
}

TEST(Streaming, TheLastCacheHasASensibleSize) {
  EXPECT_GE(LastCacheSize(), std::size_t{1} << 18);
  EXPECT_LE(LastCacheSize(), std::size_t{1} << 32);
}

}  // namespace
}  // namespace exactcast
