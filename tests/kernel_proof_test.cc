// SPDX-License-Identifier: Apache-2.0
//
// One proof walks the registry: each kernel, each plan that it accepts, against the scalar
// reference, bits and counts: every code where the source has at most 16 bits, else words that hit
// every exponent and rounding class. Then, for each kernel and pair of storage widths, every length
// around a block at odd offsets, with canaries around the output.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/profile.h"
#include "src/kernels/cpu_target.h"
#include "src/kernels/kernels.h"
#include "src/kernels/words.h"
#include "src/plan_state.h"
#include "tests/support/stride.h"

namespace exactcast {
namespace {

using support::kStride;

// A significand of `bits` bits whose lowest `cut` are discarded: kept 0..0, 0..1, 1..10, 1..1 and two
// inner patterns, times what is discarded on either side of its quarters.
std::vector<std::uint64_t> RoundingClasses(int bits, int cut) {
  cut = std::clamp(cut, 0, bits);
  const std::uint64_t half = cut > 0 ? std::uint64_t{1} << (cut - 1) : 0;
  const std::uint64_t ones = LowMask(bits - cut);
  std::vector<std::uint64_t> classes;
  for (std::uint64_t kept : {std::uint64_t{0}, std::uint64_t{1}, ones & ~std::uint64_t{1}, ones,
                             0x5555555555555555 & ones, 0x3333333333333332 & ones}) {
    for (std::uint64_t discarded :
         {std::uint64_t{0}, std::uint64_t{1}, half - 1, half, half + 1, LowMask(cut)}) {
      classes.push_back((cut < 64 ? kept << cut : 0) | (discarded & LowMask(cut)));
    }
  }
  return classes;
}

// For every sign and exponent of a wide float: the classes of the place where the target rounds, and
// of those beside it.
void AddFloatClasses(const Format& f, const Format& target, std::vector<std::uint64_t>* words) {
  const int bits = f.mantissa_bits;
  const std::uint64_t heads = LowMask(f.bits - bits);
  for (std::uint64_t head = 0; head <= heads; head += kStride) {
    const int e = static_cast<int>(head & LowMask(f.exponent_bits)) - f.bias;
    // Far outside every other format a part of float64's exponents will do.
    if (e < -160 || e > 160) {
      if (head % 9 != 0 && e != 1 - f.bias && e != f.bias) continue;
    }
    const int cut = IsFloat(target) || IsInteger(target) ? LastPlace(e, target) - (e - bits) : 1;
    for (int near : {-1, 0, 1}) {
      for (std::uint64_t fraction : RoundingClasses(bits, cut + near)) {
        words->push_back((head << bits | fraction) << f.low_zeros);
      }
    }
  }
}

// The same for every leading bit of a wide integer, and its negative.
void AddIntegerClasses(const Format& f, const Format& target, std::vector<std::uint64_t>* words) {
  for (int leading = 0; leading < f.bits; ++leading) {
    const int cut = IsFloat(target) ? LastPlace(leading, target) : 0;
    const int top = target.bits;
    for (int near : {-1, 0, 1, top - 1, top}) {
      for (std::uint64_t rest : RoundingClasses(leading, cut + near)) {
        const std::uint64_t word = std::uint64_t{1} << leading | rest;
        words->push_back(word);
        words->push_back((~word + 1) & LowMask(f.bits));
      }
    }
  }
}

// Every word of at most 16 bits; of wider formats every rounding class, and random words.
std::vector<std::uint64_t> SourceWords(const Format& f, const Format& target) {
  std::vector<std::uint64_t> words = {0};
  if (f.storage_bits <= 16) {
    for (std::uint64_t w = 0; w <= LowMask(f.storage_bits); w += kStride) words.push_back(w);
    return words;
  }
  if (f.kind == Kind::kFloat) {
    AddFloatClasses(f, target, &words);
  } else {
    AddIntegerClasses(f, target, &words);
  }
  std::mt19937_64 random(42);
  for (int i = 0; i < 2000; ++i) words.push_back(random() & LowMask(f.storage_bits));
  return words;
}

// The choices among the results that a profile permits.
template <typename Add>
void AddChoices(CastRequest request, const Add& add) {
  for (NanToInteger nan : {NanToInteger::kZero, NanToInteger::kLeast, NanToInteger::kLargest}) {
    request.nan_to_integer = NanToIntegerChoice{.result = nan};
    request.flush_subnormals = !request.flush_subnormals;
    add(request);
  }
}

// The scaled casts, by scales of every kind: ordinary, one, zero, subnormal, large, negative; one and
// sixteen in turn.
void AddScaledPlans(std::optional<FormatId> only, std::vector<Plan>* plans) {
  const auto add = [&](FormatId from, FormatId to, const Dequantization& scale,
                       std::optional<Rounding> rounding = std::nullopt) {
    if (only && *only != from) return;
    plans->push_back(*MakePlan({.from = from,
                                .to = to,
                                .profile = "atlas-a3",
                                .rounding = rounding,
                                .dequantization = scale}));
  };
  for (std::uint32_t scale : {0x3a66u, 0x3c00u, 0x0000u, 0x0001u, 0x03ffu, 0x7bffu, 0xb555u}) {
    add(FormatId::kInt32, FormatId::kFloat16, {{scale}, {}});
    add(FormatId::kInt32, FormatId::kFloat16, {{scale}, {}}, Rounding::kHybrid);
  }
  const std::vector<std::uint32_t> scales = {0x3c23d70a, 0x3f800000, 0x00000000, 0x00002000,
                                             0x7f7fe000, 0xbdcccccd, 0x41200000, 0x00800000};
  std::vector<std::uint32_t> sixteen = scales;
  sixteen.insert(sixteen.end(), scales.rbegin(), scales.rend());
  std::vector<std::int32_t> offsets;
  for (std::int32_t i = 0; i < 16; ++i) offsets.push_back(i * 34 - 256);
  for (FormatId to : {FormatId::kInt8, FormatId::kUint8}) {
    for (std::uint32_t scale : scales) add(FormatId::kInt16, to, {{scale}, {-3}});
    add(FormatId::kInt16, to, {sixteen, offsets});
    add(FormatId::kInt16, to, {{0x3c23d70a}, offsets});
  }
}

// Every different plan there is: all profiles, pairs, modes, forms, NaN rules and choices,
// and scaled casts.
std::vector<Plan> AllPlans(std::optional<FormatId> only = std::nullopt) {
  std::set<std::tuple<FormatId, FormatId, Operation, Rounding, OverflowRule, InfinityRule, NanRule,
                      NegativeRule, NanToInteger, SubnormalRule, SubnormalRule>>
      seen;
  std::vector<Plan> plans;
  const auto add = [&](const CastRequest& request) {
    const Result<Plan> plan = MakePlan(request);
    if (!plan.ok()) return;
    const Params& p = PlanAccess::State(*plan).params;
    const Rules& r = p.rules;
    const bool is_new =
        seen.insert({p.source->id, p.target->id, p.operation, p.rounding, r.overflow, r.infinity,
                     r.nan, r.negative, r.nan_to_integer, r.subnormal_inputs, r.subnormal_results})
            .second;
    if (is_new) plans.push_back(*plan);
  };
  for (const Profile& profile : kProfiles) {
    for (const Format& from : kFormats) {
      for (const Format& to : kFormats) {
        if (only && *only != from.id) continue;
        if (!FindCast(profile, from.id, to.id)) continue;
        for (const RoundingRow& mode : kRoundings) {
          for (Overflow form : {Overflow::kSaturate, Overflow::kIeee, Overflow::kWrap}) {
            CastRequest request = {.from = from.id,
                                   .to = to.id,
                                   .profile = std::string(profile.name),
                                   .rounding = mode.rounding,
                                   .overflow = form};
            add(request);
            request.nan = NanRule::kKeep;
            add(request);
            request.nan = NanRule::kZero;
            add(request);
            request.nan = std::nullopt;
            if (profile.leaves_choices) AddChoices(request, add);
          }
        }
      }
    }
  }
  AddScaledPlans(only, &plans);
  return plans;
}

std::string Describe(const KernelRow& kernel, const Params& p) {
  return std::string(kernel.name) + " on " + std::string(CurrentCpuTarget()) + ": " +
         std::string(p.source->name) + " to " + std::string(p.target->name) + " " +
         std::string(Name(p.rounding)) + " overflow rule " +
         std::to_string(static_cast<int>(p.rules.overflow));
}

std::vector<std::byte> ToArray(const std::vector<std::uint64_t>& words, const Format& f) {
  const std::size_t size = static_cast<std::size_t>(f.storage_bits) / 8;
  std::vector<std::byte> array(words.size() * size);
  for (std::size_t i = 0; i < words.size(); ++i) std::memcpy(&array[i * size], &words[i], size);
  return array;
}

void ProveKernel(const KernelRow& kernel, const Params& p, const std::vector<std::uint64_t>& words,
                 const std::vector<std::byte>& in, const std::vector<CastResult>& results) {
  std::vector<std::byte> out(words.size() * static_cast<std::size_t>(p.target->storage_bits) / 8);
  Tally tally{};
  kernel.prepare(p, 1 << 20);
  kernel.run(p, in.data(), out.data(), {}, words.size(), &tally);
  Tally expected{};
  int differences = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const CastResult& want = results[i];
    ++expected[static_cast<std::size_t>(want.outcome)];
    const std::uint64_t got = LoadWord(out.data(), i, p.target->storage_bits);
    if (got != want.bits && differences++ < 3) {
      ADD_FAILURE() << Describe(kernel, p) << ": input " << CodeText(words[i], *p.source)
                    << " gives 0x" << std::hex << got << ", the reference 0x" << want.bits;
    }
  }
  EXPECT_EQ(tally, expected) << Describe(kernel, p);
  std::vector<std::byte> uncounted(out.size());
  kernel.run(p, in.data(), uncounted.data(), {}, words.size(), nullptr);
  EXPECT_EQ(out, uncounted) << Describe(kernel, p) << " without counts";
}

// The kernels that accept a plan, each on every CPU target of the machine. The reference is proved
// by outsiders.
class KernelProof : public testing::TestWithParam<FormatId> {
 protected:
  void TearDown() override { UseCpuTarget(""); }
};

TEST_P(KernelProof, EveryKernelEqualsTheReferenceOnEveryPlanItAccepts) {
  std::map<FormatId, std::vector<std::uint64_t>> words;
  std::size_t proved = 0;
  for (const Plan& plan : AllPlans(GetParam())) {
    const Params& p = PlanAccess::State(plan).params;
    std::vector<std::uint64_t>& source = words[p.target->id];
    if (source.empty()) source = SourceWords(*p.source, *p.target);
    const std::vector<std::byte> in = ToArray(source, *p.source);
    std::vector<CastResult> results;
    results.reserve(source.size());
    for (std::size_t i = 0; i < source.size(); ++i) results.push_back(CastElement(p, source[i], i));
    for (std::string_view target : CpuTargets()) {
      ASSERT_TRUE(UseCpuTarget(target));
      for (const KernelRow& kernel : Kernels()) {
        if (&kernel == &Kernels().back() || !kernel.accepts(p)) continue;
        ProveKernel(kernel, p, source, in, results);
        ++proved;
      }
    }
  }
  EXPECT_GE(proved, 60 * CpuTargets().size());
}

std::vector<FormatId> Sources() {
  std::vector<FormatId> sources;
  for (const Format& f : kFormats) {
    if (f.use == Use::kCast) sources.push_back(f.id);
  }
  return sources;
}

INSTANTIATE_TEST_SUITE_P(From, KernelProof, testing::ValuesIn(Sources()),
                         [](const auto& test) { return std::string(GetFormat(test.param).name); });

TEST(Kernels, TheReferenceIsTheLastAndServesNoPlan) {
  EXPECT_EQ(Kernels().back().name, "reference");
  for (const Plan& plan : AllPlans()) {
    const Params& p = PlanAccess::State(plan).params;
    EXPECT_NE(ChooseKernel(p).name, "reference") << Describe(ChooseKernel(p), p);
  }
}

// n elements from and to odd offsets, against the reference, with canaries around the output.
void ProveLength(const KernelRow& kernel, const Params& p, std::size_t n, std::size_t offset) {
  const std::size_t in_size = static_cast<std::size_t>(p.source->storage_bits) / 8;
  const std::size_t out_size = static_cast<std::size_t>(p.target->storage_bits) / 8;
  std::vector<std::byte> in(offset + n * in_size);
  std::mt19937 random(static_cast<std::uint32_t>(n));
  for (std::byte& byte : in) byte = static_cast<std::byte>(random());
  std::vector<std::byte> out(offset + n * out_size + 8, std::byte{0xc3});
  Tally tally{};
  Tally expected{};
  kernel.prepare(p, 1 << 20);
  kernel.run(p, in.data() + offset, out.data() + offset, {}, n, &tally);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = LoadWord(in.data() + offset, i, p.source->storage_bits);
    const CastResult want = CastElement(p, word, i);
    ++expected[static_cast<std::size_t>(want.outcome)];
    ASSERT_EQ(LoadWord(out.data() + offset, i, p.target->storage_bits), want.bits)
        << Describe(kernel, p) << " n " << n << " offset " << offset << " element " << i;
  }
  EXPECT_EQ(tally, expected) << Describe(kernel, p);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i >= offset && i < offset + n * out_size) continue;
    ASSERT_EQ(out[i], std::byte{0xc3}) << Describe(kernel, p) << " wrote outside, n " << n;
  }
}

TEST(Kernels, EveryLengthAtEveryOffsetIsRightAndStaysInsideTheOutput) {
  for (std::string_view target : CpuTargets()) {
    ASSERT_TRUE(UseCpuTarget(target));
    std::set<std::tuple<std::string_view, int, int>> seen;
    for (const Plan& plan : AllPlans()) {
      const Params& p = PlanAccess::State(plan).params;
      for (const KernelRow& kernel : Kernels()) {
        if (!kernel.accepts(p)) continue;
        if (!seen.insert({kernel.name, p.source->storage_bits, p.target->storage_bits}).second) {
          continue;
        }
        for (std::size_t n = 0; n <= 67; ++n) ProveLength(kernel, p, n, n % 8);
        for (std::size_t n : {1023u, 1024u, 1025u, 2047u, 2048u, 2049u}) {
          for (std::size_t offset = 0; offset < 8; ++offset) ProveLength(kernel, p, n, offset);
        }
      }
    }
    EXPECT_GE(seen.size(), 12u);
  }
  UseCpuTarget("");
}

// ---- whole plans: blocks, threads, packed and complex elements ----------------------------------

TEST(PlanRun, ThreadsAndBlocksDoNotChangeBitsOrCounts) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> in(700'001);
  for (std::uint32_t& x : in) x = static_cast<std::uint32_t>(random());
  const Plan plan = *MakePlan({.from = FormatId::kFloat32, .to = FormatId::kFloat8E4m3fn});
  std::vector<std::uint8_t> one(in.size());
  std::vector<std::uint8_t> many(in.size());
  const Counts counts = plan.Run(in.data(), one.data(), in.size(), {.threads = 1});
  EXPECT_EQ(plan.Run(in.data(), many.data(), in.size(), {.threads = 5}), counts);
  EXPECT_EQ(one, many);
  EXPECT_EQ(counts.exact + counts.rounded + counts.underflowed + counts.overflowed + counts.nan,
            in.size());
}

TEST(PlanRun, PackedElementsOfEveryLengthComeBack) {
  for (FormatId id : {FormatId::kInt4, FormatId::kUint4, FormatId::kFloat4E2m1fn,
                      FormatId::kFloat4E1m2, FormatId::kInt2, FormatId::kUint2}) {
    const Plan widen =
        *MakePlan({.from = id, .to = FormatId::kFloat32, .input_packing = Packing::kPacked});
    const Plan narrow =
        *MakePlan({.from = FormatId::kFloat32, .to = id, .output_packing = Packing::kPacked});
    for (std::size_t n : {0u, 1u, 2u, 3u, 4u, 5u, 4095u, 4096u, 4097u, 9001u}) {
      std::vector<std::uint8_t> in(narrow.OutputBytes(n), 0xb2);
      const std::size_t per_byte = 8 / static_cast<std::size_t>(GetFormat(id).bits);
      if (n % per_byte != 0) {
        in.back() = static_cast<std::uint8_t>(
            in.back() & LowMask(static_cast<int>(n % per_byte) *
                                GetFormat(id).bits));  // the rest of the last byte is zero
      }
      std::vector<float> wide(n);
      std::vector<std::uint8_t> back(in.size() + 1, 0xee);
      widen.Run(in.data(), wide.data(), n);
      const Counts counts = narrow.Run(wide.data(), back.data(), n);
      EXPECT_EQ(counts.exact, n);
      EXPECT_EQ(back.back(), 0xee);
      back.pop_back();
      EXPECT_EQ(back, in) << GetFormat(id).name << " " << n;
    }
  }
}

TEST(PlanRun, ComplexElementsAreCastPartByPart) {
  const std::vector<float> in = {1.0f, 70000.0f, -2.5f, 1e-9f};
  std::vector<std::uint16_t> parts(4);
  const Counts counts = MakePlan({.from = FormatId::kComplex64, .to = FormatId::kComplex32})
                            ->Run(in.data(), parts.data(), 2);
  EXPECT_EQ(parts, (std::vector<std::uint16_t>{0x3c00, 0x7c00, 0xc100, 0x0000}));
  EXPECT_EQ(counts.exact, 2u);
  EXPECT_EQ(counts.overflowed, 1u);
  EXPECT_EQ(counts.underflowed, 1u);
  EXPECT_EQ(counts.first_lost, 0u) << "the index of the element, not of the part";

  std::vector<float> reals(2);
  EXPECT_EQ(MakePlan({.from = FormatId::kComplex64, .to = FormatId::kFloat32})
                ->Run(in.data(), reals.data(), 2)
                .imaginary_lost,
            2u);
  EXPECT_EQ(reals, (std::vector<float>{1.0f, -2.5f}));

  const std::vector<std::int8_t> integers = {3, -4};
  std::vector<double> complex(4, 9.0);
  EXPECT_EQ(MakePlan({.from = FormatId::kInt8, .to = FormatId::kComplex128})
                ->Run(integers.data(), complex.data(), 2)
                .exact,
            2u);
  EXPECT_EQ(complex, (std::vector<double>{3, 0, -4, 0}));

  const std::vector<float> truths = {0, 0, 0, 1, std::bit_cast<float>(0x7fc00000u), 0, -0.0f, 0};
  std::vector<std::uint8_t> bools(4);
  const Counts b = MakePlan({.from = FormatId::kComplex64, .to = FormatId::kBool})
                       ->Run(truths.data(), bools.data(), 4);
  EXPECT_EQ(bools, (std::vector<std::uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(b.nan, 1u);
  EXPECT_EQ(b.first_lost, 2u);
}

// One plan, a large array that fills its table and small ones that do not wait for it.
TEST(PlanRun, SeveralThreadsMayRunOnePlanAtOnce) {
  const Plan plan = *MakePlan({.from = FormatId::kFloat16, .to = FormatId::kFloat8E4m3fn});
  const std::vector<std::uint16_t> large(1 << 17, 0x3c00);
  std::vector<std::uint8_t> large_out(large.size());
  std::jthread filler([&] { plan.Run(large.data(), large_out.data(), large.size()); });
  for (int i = 0; i < 2000; ++i) {
    const std::vector<std::uint16_t> small = {0x3c00, 0x4000, 0x7c00};
    std::vector<std::uint8_t> out(small.size());
    plan.Run(small.data(), out.data(), small.size());
    ASSERT_EQ(out, (std::vector<std::uint8_t>{0x38, 0x40, 0x7f}));
  }
}

TEST(PlanRun, AFormatToItselfIsACopyOfTheCodesInEveryMode) {
  for (const Format& f : kFormats) {
    if (f.use != Use::kCast) continue;
    std::vector<std::uint8_t> in(16 * 300);
    std::mt19937 random(3);
    for (std::uint8_t& byte : in) byte = static_cast<std::uint8_t>(random());
    std::vector<std::uint8_t> want = in;  // bits outside the code are written as zero
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (f.bits < 8) want[i] &= static_cast<std::uint8_t>(LowMask(f.bits));
      if (f.low_zeros == 13 && i % 4 == 0) want[i] = 0;
      if (f.low_zeros == 13 && i % 4 == 1) want[i] &= 0xe0;
    }
    const std::size_t n = in.size() * 8 / static_cast<std::size_t>(f.storage_bits);
    for (const RoundingRow& mode : kRoundings) {
      if (mode.rounding == Rounding::kHybrid) continue;
      std::vector<std::uint8_t> out(in.size());
      MakePlan({.from = f.id, .to = f.id, .rounding = mode.rounding})
          ->Run(in.data(), out.data(), n);
      EXPECT_EQ(out, want) << f.name;
    }
  }
}

}  // namespace
}  // namespace exactcast
