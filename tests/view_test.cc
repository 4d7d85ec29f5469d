// SPDX-License-Identifier: Apache-2.0
//
// Views of every kind against a plain loop over the scalar reference, counts and the memory around
// the output included; in place; and every refusal.
#include "exactcast/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "src/kernels/words.h"
#include "src/plan_state.h"

namespace exactcast {
namespace {

using Shape = std::vector<std::uint64_t>;
using Strides = std::vector<std::int64_t>;

std::uint64_t CountOf(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

Plan PlanFor(FormatId from, FormatId to) { return *MakePlan({.from = from, .to = to}); }

std::int64_t SizeOf(const Format& format) { return format.storage_bits / 8; }

// An array with room around a view of it.
struct Memory {
  std::vector<std::byte> bytes;
  std::int64_t begin = 0;  // of the element of index 0, ..., 0
  Shape shape;
  Strides strides;

  [[nodiscard]] ConstView AsInput() const { return {bytes.data() + begin, shape, strides}; }
  [[nodiscard]] View AsOutput() { return {bytes.data() + begin, shape, strides}; }
  // The offset of each element, in C order.
  [[nodiscard]] std::vector<std::int64_t> Offsets() const {
    std::vector<std::int64_t> offsets;
    for (std::uint64_t i = 0; i < CountOf(shape); ++i) {
      std::int64_t offset = begin;
      std::uint64_t rest = i;
      for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k]) {
        offset += static_cast<std::int64_t>(rest % shape[k]) * strides[k];
      }
      offsets.push_back(offset);
    }
    return offsets;
  }
};

// The dimensions in any order in memory, gaps between, some backwards; with `may_repeat` some
// strides are 0 or make elements overlap. At an odd address as often as not.
Memory AnyMemory(const Shape& shape, std::int64_t size, bool may_repeat, std::mt19937* random) {
  const auto pick = [&](int n) { return static_cast<int>((*random)() % static_cast<unsigned>(n)); };
  Memory m = {.bytes = {}, .begin = 16 + pick(8), .shape = shape, .strides = Strides(shape.size())};
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (pick(3) != 0) std::shuffle(order.begin(), order.end(), *random);
  std::int64_t reach = size;
  for (auto k = order.rbegin(); k != order.rend(); ++k) {
    std::int64_t stride = reach + (pick(2) == 0 ? 0 : pick(7));
    if (may_repeat && pick(6) == 0) stride = pick(3);
    const auto steps = static_cast<std::int64_t>(std::max<std::uint64_t>(shape[*k], 1) - 1);
    reach += steps * stride;
    if (pick(3) == 0) {
      m.begin += steps * stride;
      stride = -stride;
    }
    m.strides[*k] = stride;
  }
  m.bytes.resize(static_cast<std::size_t>(reach) + 64);
  for (std::byte& byte : m.bytes) byte = static_cast<std::byte>((*random)());
  return m;
}

// What the output's memory has to be, and the counts, by the reference; real formats only.
Counts ExpectLoop(const Plan& plan, const Memory& in, std::uint64_t first, Memory* out) {
  const Params& p = PlanAccess::State(plan).params;
  const std::vector<std::int64_t> sources = in.Offsets();
  const std::vector<std::int64_t> targets = out->Offsets();
  Counts counts;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const CastResult r = CastElement(
        p, LoadWord(in.bytes.data() + sources[i], 0, p.source->storage_bits), first + i);
    std::memcpy(out->bytes.data() + targets[i], &r.bits,
                static_cast<std::size_t>(p.target->storage_bits) / 8);
    const bool is_lost =
        r.outcome == Outcome::kOverflowed || (r.outcome == Outcome::kNan && !plan.keeps_nan());
    if (is_lost) counts.first_lost = std::min(counts.first_lost, first + i);
    switch (r.outcome) {
      case Outcome::kExact:
        ++counts.exact;
        break;
      case Outcome::kRounded:
        ++counts.rounded;
        break;
      case Outcome::kUnderflowed:
        ++counts.underflowed;
        break;
      case Outcome::kOverflowed:
        ++counts.overflowed;
        break;
      case Outcome::kNan:
        ++counts.nan;
        break;
    }
  }
  return counts;
}

// One of each kind of kernel and of each width.
std::vector<Plan> SomePlans() {
  std::vector<Plan> plans;
  for (const auto& [from, to] :
       std::vector<std::pair<FormatId, FormatId>>{{FormatId::kFloat32, FormatId::kFloat16},
                                                  {FormatId::kFloat32, FormatId::kFloat8E4m3fn},
                                                  {FormatId::kFloat16, FormatId::kFloat32},
                                                  {FormatId::kBfloat16, FormatId::kBfloat16},
                                                  {FormatId::kFloat64, FormatId::kInt8},
                                                  {FormatId::kFloat64, FormatId::kFloat32},
                                                  {FormatId::kInt8, FormatId::kFloat64},
                                                  {FormatId::kFloat8E5m2, FormatId::kHifloat8},
                                                  {FormatId::kInt64, FormatId::kInt16},
                                                  {FormatId::kInt4, FormatId::kFloat32}}) {
    plans.push_back(PlanFor(from, to));
  }
  std::vector<std::uint32_t> scales;  // 16 in turn
  for (std::uint32_t i = 0; i < 16; ++i) scales.push_back(0x3c23d70a + (i << 19));
  plans.push_back(*MakePlan({.from = FormatId::kInt16,
                             .to = FormatId::kInt8,
                             .profile = "atlas-a3",
                             .dequantization = Dequantization{scales, {}}}));
  return plans;
}

void ExpectLikeTheLoop(const Plan& plan, const Shape& shape, int threads, std::mt19937* random) {
  const Memory in = AnyMemory(shape, SizeOf(plan.from()), true, random);
  Memory out = AnyMemory(shape, SizeOf(plan.to()), false, random);
  Memory expected = out;
  const std::uint64_t first = (*random)() % 40;
  const Counts counts = ExpectLoop(plan, in, first, &expected);
  const Result<Counts> got =
      CastView(plan, in.AsInput(), out.AsOutput(), {.threads = threads, .first = first});
  const std::string what = std::string(plan.from().name) + " to " + std::string(plan.to().name) +
                           " shape " + testing::PrintToString(shape) + " in " +
                           testing::PrintToString(in.strides) + " out " +
                           testing::PrintToString(out.strides);
  ASSERT_TRUE(got.ok()) << got.status().message() << ": " << what;
  EXPECT_EQ(*got, counts) << what;
  EXPECT_TRUE(out.bytes == expected.bytes) << what;
}

TEST(CastView, AnyShapesAndStridesAreLikeAPlainLoopOverTheReference) {
  std::mt19937 random(11);
  for (const Plan& plan : SomePlans()) {
    for (int round = 0; round < 300; ++round) {
      Shape shape(random() % 6);
      for (std::uint64_t& length : shape) length = random() % 100 == 0 ? 0 : 1 + random() % 6;
      ExpectLikeTheLoop(plan, shape, 1, &random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(CastView, RowsAndBlocksOfEveryLengthAreLikeAPlainLoopOverTheReference) {
  std::mt19937 random(12);
  for (const Plan& plan : SomePlans()) {
    for (const Shape& shape : {Shape{3, 255}, Shape{3, 256}, Shape{4, 1023}, Shape{4, 1025},
                               Shape{1024, 3}, Shape{2, 1024, 2}, Shape{2500}, Shape{65, 3, 33}}) {
      for (int round = 0; round < 4; ++round) ExpectLikeTheLoop(plan, shape, 1, &random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(CastView, ThreadsDoNotChangeBitsOrCounts) {
  std::mt19937 random(13);
  for (const Plan& plan : {SomePlans()[1], SomePlans()[3], SomePlans().back()}) {
    for (const Shape& shape : {Shape{401, 701}, Shape{70'000, 4}, Shape{280'000}}) {
      ExpectLikeTheLoop(plan, shape, 4, &random);
    }
  }
}

TEST(CastView, CountsAreLeftOutOnRequest) {
  const std::vector<float> in = {1, 2.3f, 1e9f, 4};
  std::vector<std::uint16_t> out(4);
  const Shape shape = {2, 2};
  const Strides strides = {4, 8};
  const Result<Counts> counts =
      CastView(PlanFor(FormatId::kFloat32, FormatId::kFloat16), {in.data(), shape, strides},
               {out.data(), shape, {}}, {.counts = false});
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(*counts, Counts{});
  EXPECT_EQ(out, (std::vector<std::uint16_t>{0x3c00, 0x7c00, 0x409a, 0x4400}));
}

TEST(CastView, ASingleElementHasNoDimensions) {
  const float in = 2.5f;
  std::uint16_t out = 0;
  const Result<Counts> counts =
      CastView(PlanFor(FormatId::kFloat32, FormatId::kFloat16), {&in, {}, {}}, {&out, {}, {}});
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->exact, 1u);
  EXPECT_EQ(out, 0x4100);
}

// Whatever the other lengths, strides and addresses are.
TEST(CastView, NoElementsAreNoWork) {
  const Plan plan = PlanFor(FormatId::kFloat32, FormatId::kFloat16);
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{~std::uint64_t{0}, 0, 9}}) {
    const Strides strides(shape.size(), 0);
    const Result<Counts> counts = CastView(plan, {nullptr, shape, {}}, {nullptr, shape, strides});
    ASSERT_TRUE(counts.ok()) << counts.status().message();
    EXPECT_EQ(*counts, Counts{});
  }
}

TEST(CastView, OneElementMayBeSpreadOverAll) {
  const float one = 1.5f;
  std::vector<std::uint16_t> out(6000);
  const Shape shape = {2, 3000};
  const Strides strides = {0, 0};
  const Result<Counts> counts = CastView(PlanFor(FormatId::kFloat32, FormatId::kFloat16),
                                         {&one, shape, strides}, {out.data(), shape, {}});
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ(counts->exact, 6000u);
  EXPECT_EQ(out, std::vector<std::uint16_t>(6000, 0x3e00));
}

TEST(CastView, ComplexElementsAreMovedWhole) {
  std::vector<float> in(6000);
  std::iota(in.begin(), in.end(), 0.25f);
  const Shape shape = {500, 6};
  const Strides strides = {8, 4000};
  for (FormatId to : {FormatId::kComplex128, FormatId::kComplex32, FormatId::kFloat64,
                      FormatId::kComplex64, FormatId::kBool}) {
    const Plan plan = PlanFor(FormatId::kComplex64, to);
    std::vector<float> gathered;
    for (std::size_t i = 0; i < 500; ++i) {
      for (std::size_t k = 0; k < 6; ++k) {
        gathered.insert(gathered.end(), {in[2 * (500 * k + i)], in[2 * (500 * k + i) + 1]});
      }
    }
    std::vector<std::byte> expected(plan.OutputBytes(3000));
    std::vector<std::byte> out(expected.size());
    const Counts counts = plan.Run(gathered.data(), expected.data(), 3000);
    const Result<Counts> got = CastView(plan, {in.data(), shape, strides}, {out.data(), shape, {}});
    ASSERT_TRUE(got.ok()) << got.status().message();
    EXPECT_EQ(*got, counts);
    EXPECT_EQ(out, expected) << plan.to().name;
  }
}

TEST(CastView, PackedElementsGoInCOrderToAndFromStridedOnes) {
  const Plan pack = *MakePlan(
      {.from = FormatId::kInt8, .to = FormatId::kInt4, .output_packing = Packing::kPacked});
  const Plan unpack = *MakePlan(
      {.from = FormatId::kInt4, .to = FormatId::kInt8, .input_packing = Packing::kPacked});
  std::vector<std::int8_t> in(5997);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int8_t>(i % 16) - 8;
  const Shape shape = {1999, 3};
  const Strides strides = {1, 1999};
  std::vector<std::byte> packed(pack.OutputBytes(in.size()));
  const Result<Counts> there =
      CastView(pack, {in.data(), shape, strides}, {packed.data(), shape, {}});
  ASSERT_TRUE(there.ok()) << there.status().message();
  EXPECT_EQ(there->exact, in.size());
  std::vector<std::int8_t> out(in.size());
  ASSERT_TRUE(CastView(unpack, {packed.data(), shape, {}}, {out.data(), shape, strides}).ok());
  EXPECT_EQ(out, in);

  for (const auto& [plan, name] : {std::pair(pack, "output"), std::pair(unpack, "input")}) {
    const Result<Counts> refused =
        CastView(plan, {packed.data(), shape, strides}, {out.data(), shape, strides});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().code(), StatusCode::kUsage);
    EXPECT_EQ(refused.status().message(),
              "the " + std::string(name) +
                  " is packed, and packed elements are in C order only; leave its strides out");
  }
}

}  // namespace
}  // namespace exactcast
