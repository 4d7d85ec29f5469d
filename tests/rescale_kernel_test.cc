// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of rescaling against spec/rescale.h: all pairs, roundings, widths and classes of
// shifts, one scale and many, in both orders; and the same from any number of threads.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "exactcast/rescale.h"
#include "src/kernels/rescale.h"
#include "tests/rescale_proof.h"

namespace exactcast {
namespace {

constexpr FormatId kSources[] = {FormatId::kInt8,   FormatId::kUint8, FormatId::kInt16,
                                 FormatId::kUint16, FormatId::kInt32, FormatId::kUint32,
                                 FormatId::kInt48,  FormatId::kUint48};
constexpr FormatId kTargets[] = {FormatId::kInt8,   FormatId::kUint8, FormatId::kInt16,
                                 FormatId::kUint16, FormatId::kInt32, FormatId::kUint32};
// Of the least, below and at the widths of types, around 31 where double rounding begins, the
// greatest, and beyond.
constexpr int kShifts[] = {1, 2, 3, 8, 15, 16, 17, 30, 31, 32, 33, 46, 47, 48, 61, 62, 63, 64, 90};
constexpr std::int64_t kMultipliers[] = {-1, 0, 1, 32767, 1 << 30, 1518500250, 2147483647};

std::vector<std::int64_t> Inputs() {
  std::vector<std::int64_t> values = {0, 1, 2, 3, -1, -2, -3};
  for (int bit = 1; bit < 49; ++bit) {
    for (const int off : {-1, 0, 1}) {
      values.push_back((std::int64_t{1} << bit) + off);
      values.push_back(-(std::int64_t{1} << bit) + off);
    }
  }
  std::mt19937_64 random(4);
  for (int i = 0; i < 120; ++i) {
    values.push_back(static_cast<std::int64_t>(random()) >> (random() % 64));
  }
  return values;
}

void ExpectAsSpecified(const RescaleParams& p, std::size_t channel, int* proved) {
  static const std::vector<RescaleRunner> runners = RescaleRunners();
  static const std::vector<std::int64_t> inputs = Inputs();
  if (!kRescalePortable.accepts(p)) return;
  ++*proved;
  const RescaleArray in = MakeArray(*p.source, inputs);
  const RescaleAnswer expected = ExpectedAnswer(p, in, channel);
  for (const RescaleRunner& runner : runners) {
    ASSERT_NO_FATAL_FAILURE(ExpectAnswer(runner, p, in, expected, {.channel = channel}));
  }
}

std::vector<RescaleRules> AllRules(const Format& to) {
  std::vector<RescaleRules> all;
  for (const bool scale32 : {true, false}) {
    for (const RescaleRounding rounding :
         {RescaleRounding::kSingle, RescaleRounding::kDouble, RescaleRounding::kInexact}) {
      if (!scale32 && rounding == RescaleRounding::kDouble) continue;
      for (const ValueLimit limit :
           {ValueLimit::kNone, ValueLimit::kShiftMinus2, ValueLimit::kShiftMinus1}) {
        RescaleRules rules = {.output = RangeOf(to), .scale32 = scale32, .rounding = rounding};
        rules.limit = limit;
        rules.output_zp = to.bits == 8 ? 100 : to.id == FormatId::kUint16 ? 32768 : 0;
        all.push_back(rules);
        rules.clip_takes_unsigned = true;
        all.push_back(rules);
        rules.value_is_unset = true;
        all.push_back(rules);
      }
    }
  }
  return all;
}

void ProvePair(FormatId from, FormatId to, int* proved) {
  RescaleParams p;
  p.source = &GetFormat(from);
  p.target = &GetFormat(to);
  for (RescaleRules rules : AllRules(*p.target)) {
    if (rules.scale32 && p.source->bits == 48) continue;  // no version has it
    rules.input_zp = p.source->bits == 8 ? 5 : from == FormatId::kUint16 ? 32768 : 0;
    p.rules = rules;
    for (const int shift : kShifts) {
      p.scales.clear();
      for (const std::int64_t m : kMultipliers) {
        const Scale scale = {rules.scale32 ? m : m % 32768, shift};
        if (m >= 0) p.scales.push_back(scale);
        RescaleParams one = p;
        one.scales = {scale};
        PrepareRescale(one);
        ASSERT_NO_FATAL_FAILURE(ExpectAsSpecified(one, 0, proved));
      }
      PrepareRescale(p);
      for (const std::size_t channel : {std::size_t{0}, std::size_t{4}}) {
        ASSERT_NO_FATAL_FAILURE(ExpectAsSpecified(p, channel, proved));
      }
    }
  }
}

TEST(RescaleKernels, EveryKernelDoesWhatTheSpecificationSays) {
  int proved = 0;
  for (const FormatId from : kSources) {
    for (const FormatId to : kTargets) {
      ASSERT_NO_FATAL_FAILURE(ProvePair(from, to, &proved));
    }
  }
  SetCpuTarget(0);
  EXPECT_GT(proved, 10'000);
}

// The reference takes what no other kernel does, and is the specification.
TEST(RescaleKernels, TheLastTakesEverything) {
  const RescaleKernel& reference = RescaleKernels().back();
  EXPECT_EQ(reference.name, "reference");
  EXPECT_TRUE(reference.accepts({}));
  RescaleParams p;
  p.source = &GetFormat(FormatId::kInt32);
  p.target = &GetFormat(FormatId::kInt8);
  p.rules.output = RangeOf(*p.target);
  p.rules.value_is_unset = true;
  for (const int shift : kShifts) p.scales.push_back({1518500250, shift});
  PrepareRescale(p);
  EXPECT_FALSE(kRescaleVector.accepts(p) || kRescalePortable.accepts(p));
  const RescaleArray in = MakeArray(*p.source, Inputs());
  ExpectAnswer({&reference, 0, "reference"}, p, in, ExpectedAnswer(p, in, 2), {.channel = 2});
  const Result<RescalePlan> plan =
      MakeRescalePlan({.multipliers = {1 << 30}, .shifts = {30}, .output_zp = 0});
  EXPECT_EQ(plan->kernel(), "vector");
}

// ---- plans over arrays --------------------------------------------------------------------------

RescaleRequest Channels(std::size_t count) {
  RescaleRequest r = {.per_channel = true};
  for (std::size_t c = 0; c < count; ++c) {
    r.multipliers.push_back((1 << 30) + static_cast<std::int64_t>(c) * 1000003);
    r.shifts.push_back(20 + static_cast<std::int64_t>(c) % 25);
  }
  return r;
}

TEST(RescalePlan, ThreadsAndPiecesChangeNothing) {
  std::mt19937 random(8);
  std::vector<std::int32_t> in(600'000);
  for (std::int32_t& x : in) x = static_cast<std::int32_t>(random()) >> (random() % 32);
  const Result<RescalePlan> plan = MakeRescalePlan(Channels(7));
  std::vector<std::int8_t> whole(in.size());
  const RescaleCounts counts = plan->Run(in.data(), whole.data(), in.size(), {.threads = 1});
  EXPECT_GT(counts.unpredictable(), 0u);
  EXPECT_GT(counts.saturated, 0u);
  for (const int threads : {2, 5}) {
    std::vector<std::int8_t> out(in.size());
    EXPECT_EQ(plan->Run(in.data(), out.data(), in.size(), {.threads = threads}), counts);
    EXPECT_EQ(out, whole);
  }
  std::vector<std::int8_t> out(in.size());
  RescaleCounts sum;
  for (std::size_t at = 0; at < in.size();) {
    const std::size_t n = std::min<std::size_t>(in.size() - at, 1 + random() % 40'000);
    sum += plan->Run(in.data() + at, out.data() + at, n, {.first = at});
    at += n;
  }
  EXPECT_EQ(out, whole);
  EXPECT_EQ(sum, counts);
}

// Element (row, channel) of 1000 rows: the channel runs fastest in C order, slowest in Fortran order.
TEST(RescalePlan, ChannelsLieAsTheOrderSays) {
  constexpr std::size_t kRows = 1000;
  constexpr std::size_t kChannels = 9;
  std::mt19937 random(8);
  std::vector<std::int32_t> c_order(kRows * kChannels);
  std::vector<std::int32_t> fortran(c_order.size());
  for (std::size_t i = 0; i < c_order.size(); ++i) {
    c_order[i] = static_cast<std::int32_t>(random() % 100'000);
    fortran[i % kChannels * kRows + i / kChannels] = c_order[i];
  }
  const Result<RescalePlan> plan = MakeRescalePlan(Channels(kChannels));
  std::vector<std::int8_t> a(c_order.size());
  std::vector<std::int8_t> b(c_order.size());
  const RescaleCounts counts = plan->Run(c_order.data(), a.data(), a.size());
  const RescaleCounts other =
      plan->Run(fortran.data(), b.data(), b.size(), {.channel_stride = kRows});
  EXPECT_EQ(counts.saturated, other.saturated);
  EXPECT_EQ(counts.by_reason, other.by_reason);
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i], b[i % kChannels * kRows + i / kChannels]) << i;
    ASSERT_EQ(a[i], plan->Permitted(c_order[i], i % kChannels).range.least) << i;
  }
}

}  // namespace
}  // namespace exactcast
