// SPDX-License-Identifier: Apache-2.0
//
// TOSA's CAST: each choice among permitted results, and the default ones against the oracle.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "exactcast/spec/permitted.h"
#include "exactcast/spec/profile.h"
#include "tests/oracle/oracle.h"
#include "tests/support/rounding_classes.h"
#include "tests/support/tosa.h"

namespace exactcast {
namespace {

using support::CastOne;
using support::RowOf;
using support::Versions;

// Every code of at most 16 bits, every rounding class of wider sources.
std::vector<std::uint64_t> SomeWords(const Format& from, const Format& to) {
  std::vector<std::uint64_t> words;
  if (from.bits <= 16) {
    for (std::uint64_t w = 0; w <= LowMask(from.bits); ++w) words.push_back(w);
    return words;
  }
  const Format& classes = to.kind == Kind::kBoolean ? GetFormat(FormatId::kInt8) : to;
  return support::Classes(oracle::Find(from.name), oracle::Find(classes.name));
}

// Every choice of every version gives a permitted result, the default one the default.
TEST(TosaChoices, EveryChoiceGivesAPermittedResult) {
  for (const Profile& profile : kProfiles) {
    if (!profile.leaves_choices) continue;
    for (const PairRow& pair : profile.pairs) {
      const CastRow row = RowOf(std::string(profile.name), pair.from, pair.to);
      const std::vector<std::uint64_t> words = SomeWords(GetFormat(pair.from), GetFormat(pair.to));
      for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kTowardZero}) {
        if (!row.modes.Contains(rounding)) continue;
        for (const bool flush : {false, true}) {
          Rules rules = DefaultRules(row);
          if (flush && row.freedoms.Contains(Freedom::kFlushInput))
            rules.subnormal_inputs = SubnormalRule::kFlush;
          if (flush && row.freedoms.Contains(Freedom::kFlushResult))
            rules.subnormal_results = SubnormalRule::kFlush;
          for (std::size_t i = 0; i < words.size(); i += 7) {
            const std::uint64_t word = words[i];
            const CastResult r =
                Cast(word, GetFormat(pair.from), GetFormat(pair.to), rounding, rules);
            ASSERT_NE(GroundsFor(word, r.bits, row), Grounds::kNone)
                << profile.name << " " << GetFormat(pair.from).name << " to "
                << GetFormat(pair.to).name << " 0x" << std::hex << word << " gives 0x" << r.bits;
          }
        }
      }
    }
  }
}

TEST(TosaChoices, FlushingMakesExactlyTheSubnormalsZeroAndKeepsTheSign) {
  using enum FormatId;
  for (const auto& [from, to] : {std::pair{kFloat16, kFloat8E5m2},
                                 {kFloat16, kFloat8E4m3fn},
                                 {kFloat16, kFloat32},
                                 {kBfloat16, kFloat32},
                                 {kFloat32, kFloat16},
                                 {kFloat32, kBfloat16},
                                 {kFloat8E5m2, kFloat16}}) {
    const oracle::Format& source = oracle::Find(GetFormat(from).name);
    const oracle::Format& target = oracle::Find(GetFormat(to).name);
    const Plan kept = *MakePlan({.from = from, .to = to, .profile = "tosa-1.0"});
    const Plan flushed =
        *MakePlan({.from = from, .to = to, .profile = "tosa-1.0", .flush_subnormals = true});
    for (const std::uint64_t word : SomeWords(GetFormat(from), GetFormat(to))) {
      std::uint64_t with = 0;
      std::uint64_t without = 0;
      flushed.Run(&word, &with, 1, {.threads = 1});
      kept.Run(&word, &without, 1, {.threads = 1});
      const bool input = source.bits > 8 && oracle::Decode(source, word).subnormal;
      const bool result = target.bits > 8 && oracle::Decode(target, without).subnormal;
      const std::uint64_t want = input || result ? without & target.SignBit() : without;
      ASSERT_EQ(with, want) << source.name << " to " << target.name << std::hex << " 0x" << word;
    }
  }
}

TEST(TosaChoices, TowardZeroAtTheEdgeOfTheRange) {
  using enum FormatId;
  const auto cut = [](std::uint64_t word, FormatId to) {
    return CastOne({.from = kFloat32,
                    .to = to,
                    .profile = "tosa-1.0",
                    .float_rounding = Rounding::kTowardZero},
                   word)
        .result;
  };
  EXPECT_EQ(cut(0x477fffff, kFloat16), 0x7bffu) << "just below 65536";
  EXPECT_EQ(cut(0x47800000, kFloat16), 0x7c00u) << "65536";
  EXPECT_EQ(cut(0xc77fffff, kFloat16), 0xfbffu);
  EXPECT_EQ(cut(0x7f7fffff, kBfloat16), 0x7f7fu);
  EXPECT_EQ(cut(0x477fffff, kFloat8E5m2), 0x7bu);
  EXPECT_EQ(cut(0x47800000, kFloat8E5m2), 0x7cu);
  EXPECT_EQ(cut(0x43e80000, kFloat8E4m3fn), 0x7eu) << "464 fits to nearest";
  EXPECT_EQ(cut(0x43e80001, kFloat8E4m3fn), 0x7fu) << "what is above does not";
  EXPECT_EQ(cut(0xc3ef0000, kFloat8E4m3fn), 0xffu);
  EXPECT_EQ(cut(0x7f800000, kFloat16), 0x7c00u) << "infinity stays";
}

TEST(TosaChoices, ANanToAnIntegerIsCountedAndTheChosenOneIsWritten) {
  using enum FormatId;
  for (const std::string& profile : Versions()) {
    for (const auto& [choice, want] : {std::pair{NanToInteger::kZero, 0x00u},
                                       {NanToInteger::kLeast, 0x80u},
                                       {NanToInteger::kLargest, 0x7fu}}) {
      const Plan plan = *MakePlan({.from = kFloat32,
                                   .to = kInt8,
                                   .profile = profile,
                                   .nan_to_integer = NanToIntegerChoice{.result = choice}});
      const std::vector<std::uint32_t> in = {0x3f800000, 0x7f800000, 0xffc00000, 0x7f800001};
      std::vector<std::uint8_t> out(in.size());
      const Counts counts = plan.Run(in.data(), out.data(), in.size());
      EXPECT_EQ(out[1], 0x7f) << "infinity saturates";
      EXPECT_EQ(out[2], want);
      EXPECT_EQ(out[3], want);
      EXPECT_EQ(counts.unpredictable, 2u);
      EXPECT_EQ(counts.first_unpredictable, 2u);
      EXPECT_EQ(counts.first_lost, 1u);
    }
  }
  EXPECT_EQ(CastOne({.from = kFloat32, .to = kInt8}, 0x7fc00000).counts.unpredictable, 0u)
      << "profile exact has a rule";
  EXPECT_EQ(
      CastOne({.from = kFloat32, .to = kBool, .profile = "tosa-1.1-draft"}, 0x7fc00000).result, 1u);
}

// ---- the default member against the oracle ------------------------------------------------------

oracle::Policy PolicyOf(const oracle::Format& from, const oracle::Format& to) {
  using Overflow = oracle::Policy::Overflow;
  oracle::Policy policy = {"tosa", Overflow::kInfinity, false, false,
                           oracle::Policy::Negative::kNan};
  if (to.kind == oracle::Kind::kFloat) return policy;
  policy.overflow = from.kind == oracle::Kind::kFloat ? Overflow::kSaturate : Overflow::kWrap;
  return policy;
}

// Every code of at most 16 bits, every rounding class of wider sources: all pairs of the draft,
// which has those of all versions.
TEST(TosaChoices, TheDefaultResultsAreTheOracles) {
  const Profile& profile = **ParseProfile("tosa-1.1-draft");
  std::size_t casts = 0;
  for (const PairRow& pair : profile.pairs) {
    const oracle::Format& from = oracle::Find(GetFormat(pair.from).name);
    const oracle::Format& to = oracle::Find(GetFormat(pair.to).name);
    const oracle::Policy policy = PolicyOf(from, to);
    const CastRow row = RowOf("tosa-1.1-draft", pair.from, pair.to);
    for (const std::uint64_t word : SomeWords(GetFormat(pair.from), GetFormat(pair.to))) {
      const oracle::Result want = oracle::Cast(from, to, word, oracle::Mode::kRint, policy);
      const CastResult got =
          Cast(word, GetFormat(pair.from), GetFormat(pair.to), row.default_mode, DefaultRules(row));
      ++casts;
      ASSERT_EQ(got.bits, want.bits) << from.name << " to " << to.name << " 0x" << std::hex << word;
      ASSERT_EQ(static_cast<int>(got.outcome), static_cast<int>(want.outcome))
          << from.name << " to " << to.name << " 0x" << std::hex << word;
      if (!row.modes.Contains(Rounding::kTowardZero)) continue;
      const oracle::Result cut = oracle::Cast(from, to, word, oracle::Mode::kTrunc, policy);
      const CastResult zero = Cast(word, GetFormat(pair.from), GetFormat(pair.to),
                                   Rounding::kTowardZero, DefaultRules(row));
      const bool fits = to.infinity != 0 || want.outcome != oracle::Outcome::kOverflowed;
      ASSERT_EQ(zero.bits, fits ? cut.bits : want.bits)
          << from.name << " to " << to.name << " toward zero 0x" << std::hex << word;
    }
  }
  EXPECT_GT(casts, 2'000'000u);
}

// ---- forms --------------------------------------------------------------------------------------

TEST(TosaChoices, AFormOrNanRuleThatCouldChangeAResultIsRefused) {
  using enum FormatId;
  struct Case {
    FormatId from, to;
    Overflow form;
    StatusCode want;
  };
  for (const Case& c : {Case{kInt32, kInt8, Overflow::kWrap, StatusCode::kOk},
                        {kInt32, kInt8, Overflow::kSaturate, StatusCode::kUnsupported},
                        {kInt8, kInt32, Overflow::kSaturate, StatusCode::kOk},
                        {kInt8, kInt32, Overflow::kIeee, StatusCode::kUsage},
                        {kFloat32, kInt8, Overflow::kSaturate, StatusCode::kOk},
                        {kFloat32, kInt8, Overflow::kWrap, StatusCode::kUnsupported},
                        {kInt16, kFloat16, Overflow::kSaturate, StatusCode::kOk},
                        {kInt32, kFloat16, Overflow::kSaturate, StatusCode::kUnsupported},
                        {kUint16, kFloat16, Overflow::kSaturate, StatusCode::kUnsupported},
                        {kInt32, kFloat32, Overflow::kSaturate, StatusCode::kOk},
                        {kFloat32, kFloat16, Overflow::kSaturate, StatusCode::kUnsupported},
                        {kFloat32, kFloat16, Overflow::kWrap, StatusCode::kUsage},
                        {kFloat16, kFloat32, Overflow::kSaturate, StatusCode::kUnsupported},
                        {kFloat8E4m3fn, kFloat32, Overflow::kSaturate, StatusCode::kOk},
                        {kInt32, kBool, Overflow::kWrap, StatusCode::kOk}}) {
    const Result<Plan> plan =
        MakePlan({.from = c.from, .to = c.to, .profile = "tosa-1.1-draft", .overflow = c.form});
    EXPECT_EQ(plan.ok() ? StatusCode::kOk : plan.status().code(), c.want)
        << GetFormat(c.from).name << " to " << GetFormat(c.to).name << " " << Name(c.form);
  }
  const auto nan = [](FormatId to, NanRule rule) {
    return MakePlan({.from = kFloat32, .to = to, .profile = "tosa-1.0", .nan = rule}).ok();
  };
  EXPECT_TRUE(nan(kFloat16, NanRule::kKeep));
  EXPECT_FALSE(nan(kFloat16, NanRule::kZero));
  EXPECT_TRUE(nan(kInt8, NanRule::kZero));
  EXPECT_FALSE(nan(kInt8, NanRule::kKeep));
}

}  // namespace
}  // namespace exactcast
