// SPDX-License-Identifier: Apache-2.0
//
// RESCALE against a second implementation written from the mathematics: floors of exact fractions
// (GMP), the requirements as inequalities between them. No code of the product decides a result.
#include "exactcast/rescale.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace exactcast {
namespace {

// ---- the mathematics ----------------------------------------------------------------------------

mpz_class Big(std::int64_t x) {
  mpz_class high = static_cast<long>(x >> 32);
  return high * mpz_class("4294967296") + static_cast<unsigned long>(x & 0xffffffff);
}
mpz_class Power(int exponent) { return mpz_class(1) << static_cast<unsigned long>(exponent); }
mpz_class FloorOf(const mpq_class& q) {
  mpz_class floor;
  mpz_fdiv_q(floor.get_mpz_t(), q.get_num().get_mpz_t(), q.get_den().get_mpz_t());
  return floor;
}
mpq_class Fraction(const mpz_class& n, const mpz_class& d) {
  mpq_class q(n, d);
  q.canonicalize();
  return q;
}

struct Expected {
  bool predictable = true;
  mpz_class sum;  // before the clip
};

// limit: 0 none, 1 or 2 what is taken from the shift.
Expected Compute(const RescaleRequest& r, std::int64_t x, int limit) {
  const mpz_class v = Big(x) - Big(r.input_zp);
  const mpz_class m = Big(r.multipliers[0]);
  const auto s = static_cast<int>(r.shifts[0]);
  mpq_class exact = Fraction(v * m, Power(s));
  if (r.rounding == RescaleRounding::kDouble && s > 31) {
    exact += (v >= 0 ? 1 : -1) * Fraction(Power(30), Power(s));
  }
  Expected e;
  const mpz_class scaled = FloorOf(exact + mpq_class(1, 2));
  e.sum = scaled + Big(r.output_zp);
  const auto is_int32 = [](const mpz_class& n) { return n >= -Power(31) && n < Power(31); };
  e.predictable = m >= 0 && s >= 2 && s <= 62 && is_int32(scaled) && is_int32(e.sum);
  if (r.scale32 && limit > 0) {
    e.predictable &= v >= -Power(s) / Power(limit) && v < Power(s) / Power(limit);
  }
  if (r.scale32) e.predictable &= is_int32(v);
  if (!r.scale32) e.predictable &= v >= -Power(47) && v < Power(47);
  return e;
}

mpz_class Clip(const mpz_class& x, FormatId to) {
  const Format& f = GetFormat(to);
  const mpz_class least = f.has_sign ? mpz_class(-Power(f.bits - 1)) : mpz_class(0);
  const mpz_class greatest = least + Power(f.bits) - 1;
  return x < least ? least : x > greatest ? greatest : x;
}

std::string Text(const RescaleRequest& r, std::int64_t x) {
  return r.profile + " " + std::string(GetFormat(r.from).name) + " to " +
         std::string(GetFormat(r.to).name) + ", multiplier " + std::to_string(r.multipliers[0]) +
         ", shift " + std::to_string(r.shifts[0]) + ", zero points " + std::to_string(r.input_zp) +
         " " + std::to_string(r.output_zp) + ", rounding " + std::string(Name(r.rounding)) +
         (r.scale32 ? ", 32" : ", 16") + " bits, input " + std::to_string(x);
}

// ---- random calls -------------------------------------------------------------------------------

using Random = std::mt19937_64;

std::int64_t Pick(Random& random, std::int64_t least, std::int64_t greatest) {
  return std::uniform_int_distribution<std::int64_t>(least, greatest)(random);
}

// Small, large and in between: a random number of bits first.
std::int64_t PickWidth(Random& random, std::int64_t least, std::int64_t greatest) {
  const std::int64_t bound = std::int64_t{1} << Pick(random, 0, 48);
  return Pick(random, std::max(least, -bound), std::min(greatest, bound));
}

std::int64_t ZeroPoint(Random& random, FormatId id) {
  if (id == FormatId::kInt8) return Pick(random, -128, 127);
  if (id == FormatId::kUint8) return Pick(random, 0, 255);
  if (id == FormatId::kUint16) return Pick(random, 0, 1) * 32768;
  return 0;
}

RescaleRequest RandomCall(Random& random, const tosa::RescaleVersion& version,
                          const std::vector<tosa::RescalePair>& pairs) {
  const tosa::RescalePair& pair =
      pairs[static_cast<std::size_t>(Pick(random, 0, static_cast<std::int64_t>(pairs.size()) - 1))];
  RescaleRequest r = {.profile = std::string(version.profile), .from = pair.from, .to = pair.to};
  r.scale32 = GetFormat(r.from).bits != 48 && Pick(random, 0, 2) != 0;
  r.rounding =
      r.scale32 && Pick(random, 0, 1) != 0 ? RescaleRounding::kDouble : RescaleRounding::kSingle;
  const std::int64_t most = r.scale32 ? 2147483647 : 32767;
  r.multipliers = {PickWidth(random, 0, most)};
  r.shifts = {Pick(random, 2, 62)};
  r.input_zp = ZeroPoint(random, r.from);
  r.output_zp = ZeroPoint(random, r.to);
  return r;
}

std::int64_t RandomInput(Random& random, FormatId id) {
  const IntegerRange range = RangeOf(GetFormat(id));
  return PickWidth(random, range.least, range.greatest);
}

int LimitOf(const tosa::RescaleVersion& version) {
  return version.version < tosa::Version::k030 ? 0 : version.version == tosa::Version::k030 ? 2 : 1;
}

void ExpectAsComputed(const RescalePlan& plan, const RescaleRequest& r, std::int64_t x,
                      const Expected& expected) {
  std::uint64_t out = 0;
  const RescaleCounts counts = plan.Run(&x, &out, 1, {.threads = 1});
  ASSERT_EQ(counts.unpredictable(), expected.predictable ? 0u : 1u) << Text(r, x);
  const mpz_class clipped = Clip(expected.sum, r.to);
  ASSERT_EQ(Big(IntegerOf(out, GetFormat(r.to))), clipped) << Text(r, x);
  const bool saturated = expected.predictable && clipped != expected.sum;
  ASSERT_EQ(counts.saturated, saturated ? 1u : 0u) << Text(r, x);
}

std::vector<tosa::RescalePair> PairsOf(tosa::Version version) {
  std::vector<tosa::RescalePair> pairs;
  for (const Format& from : kFormats) {
    for (const Format& to : kFormats) {
      if (tosa::AllowsPair(version, from.id, to.id)) pairs.push_back({from.id, to.id});
    }
  }
  return pairs;
}

#ifdef EXACTCAST_SANITIZED
constexpr int kLegalCalls = 20'000;
#else
constexpr int kLegalCalls = 1'000'000;
#endif

class RescaleVersions : public testing::TestWithParam<tosa::Version> {};

TEST_P(RescaleVersions, AMillionLegalCallsAreFloorsOfFractions) {
  const tosa::RescaleVersion& version = tosa::Get(GetParam());
  const std::vector<tosa::RescalePair> pairs = PairsOf(GetParam());
  Random random(20 + static_cast<unsigned>(GetParam()));
  int legal = 0;
  for (int call = 0; legal < kLegalCalls; ++call) {
    const RescaleRequest r = RandomCall(random, version, pairs);
    const Result<RescalePlan> plan = MakeRescalePlan(r);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    for (int i = 0; i < 16; ++i) {
      const std::int64_t x = RandomInput(random, r.from);
      const Expected expected = Compute(r, x, LimitOf(version));
      ASSERT_NO_FATAL_FAILURE(ExpectAsComputed(*plan, r, x, expected));
      legal += expected.predictable ? 1 : 0;
    }
    ASSERT_LT(call, kLegalCalls);
  }
}

// One of each class: the value limit, the pairs, the unsigned flags and the errors are what differs.
INSTANTIATE_TEST_SUITE_P(Classes, RescaleVersions,
                         testing::Values(tosa::Version::k023, tosa::Version::k030,
                                         tosa::Version::k060, tosa::Version::k070,
                                         tosa::Version::k080, tosa::Version::k100Rc0,
                                         tosa::Version::k100),
                         [](const auto& version) {
                           std::string name(tosa::Get(version.param).profile);
                           std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
                           return name;
                         });

TEST(Rescale, ScalesThatAreNotLegalAreStillWhatTheFormulaSays) {
  Random random(5);
  for (int call = 0; call < 50'000; ++call) {
    RescaleRequest r = {.from = FormatId::kInt32, .to = FormatId::kInt32};
    r.scale32 = Pick(random, 0, 1) != 0;
    r.rounding =
        r.scale32 && Pick(random, 0, 1) != 0 ? RescaleRounding::kDouble : RescaleRounding::kSingle;
    r.from = r.scale32 ? FormatId::kInt32 : FormatId::kInt48;
    const std::int64_t end = r.scale32 ? 2147483648 : 32768;
    r.multipliers = {Pick(random, -end, end - 1)};
    r.shifts = {Pick(random, 1, 127)};
    const Result<RescalePlan> plan = MakeRescalePlan(r);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const std::int64_t x = RandomInput(random, r.from);
    ASSERT_NO_FATAL_FAILURE(ExpectAsComputed(*plan, r, x, Compute(r, x, 1)));
  }
}

// ---- gemmlowp -----------------------------------------------------------------------------------

// The runtime that double rounding is for multiplies to 31 fraction bits, rounding half away from
// zero, and then divides by a power of two, rounding half away from zero.
std::int64_t DoublingHighMultiply(std::int64_t a, std::int64_t b) {
  const std::int64_t product = a * b;
  const std::int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
  return (product + nudge) / (std::int64_t{1} << 31);
}
std::int64_t DivideByPower(std::int64_t x, int exponent) {
  const std::int64_t mask = (std::int64_t{1} << exponent) - 1;
  const std::int64_t rest = x & mask;
  const std::int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> exponent) + (rest > threshold ? 1 : 0);
}

TEST(Rescale, DoubleRoundingIsGemmlowpsTwoSteps) {
  Random random(31);
  for (int call = 0; call < 2'000'000; ++call) {
    const std::int64_t x = PickWidth(random, -(std::int64_t{1} << 31), 2147483647);
    const std::int64_t m = PickWidth(random, 0, 2147483647);
    const int shift = static_cast<int>(Pick(random, 32, 62));
    const std::int64_t high = DoublingHighMultiply(x, m);
    const Scaled ours = Scale32(x, {m, shift}, true, ValueLimit::kShiftMinus1);
    ASSERT_EQ(ours.why, Unpredictable::kNone);
    const std::int64_t theirs = DivideByPower(high, shift - 31);
    ASSERT_EQ(ours.value, theirs) << x << " * " << m << " >> " << shift;
  }
}

// ---- inexact rounding ---------------------------------------------------------------------------

TEST(Rescale, TheInexactIntervalIsThatOfTheFractions) {
  Random random(24);
  const std::vector<tosa::RescalePair> pairs = PairsOf(tosa::Version::k100);
  int wide = 0;
  for (int call = 0; call < 200'000; ++call) {
    RescaleRequest r = RandomCall(random, tosa::Get(tosa::Version::k100), pairs);
    r.rounding = RescaleRounding::kInexact;
    const std::int64_t x = RandomInput(random, r.from);
    const Result<RescalePlan> plan = MakeRescalePlan(r);
    const PermittedResults permitted = plan->Permitted(x);
    const Expected expected = Compute(r, x, 1);
    ASSERT_EQ(permitted.anything, !expected.predictable) << Text(r, x);
    if (permitted.anything) continue;
    const mpq_class zero = Big(r.output_zp);
    const mpq_class exact = Fraction((Big(x) - Big(r.input_zp)) * Big(r.multipliers[0]),
                                     Power(static_cast<int>(r.shifts[0])));
    const mpq_class error =
        mpq_class(1, 2) + (3 * abs(exact) + abs(exact + zero)) / mpq_class(Power(24));
    const mpz_class least = -FloorOf(-(exact - error + zero));
    const mpz_class greatest = FloorOf(exact + error + zero);
    ASSERT_EQ(Big(permitted.range.least), Clip(least, r.to)) << Text(r, x);
    ASSERT_EQ(Big(permitted.range.greatest), Clip(greatest, r.to)) << Text(r, x);
    const mpz_class single = Clip(expected.sum, r.to);
    ASSERT_TRUE(single >= Clip(least, r.to) && single <= Clip(greatest, r.to)) << Text(r, x);
    wide += permitted.range.least < permitted.range.greatest ? 1 : 0;
  }
  EXPECT_GT(wide, 1000);
}

// ---- what else is promised ----------------------------------------------------------------------

TEST(Rescale, PredictableInputsAreJustThose) {
  Random random(77);
  for (const tosa::Version version :
       {tosa::Version::k023, tosa::Version::k030, tosa::Version::k100}) {
    const std::vector<tosa::RescalePair> pairs = PairsOf(version);
    for (int call = 0; call < 2000; ++call) {
      const RescaleRequest r = RandomCall(random, tosa::Get(version), pairs);
      const Result<RescalePlan> plan = MakeRescalePlan(r);
      const std::optional<IntegerRange> range = plan->Predictable();
      ASSERT_TRUE(range) << Text(r, 0);
      const IntegerRange all = RangeOf(GetFormat(r.from));
      for (const std::int64_t end : {range->least, range->greatest}) {
        ASSERT_FALSE(plan->Permitted(end).anything) << Text(r, end);
      }
      if (range->least > all.least) {
        ASSERT_TRUE(plan->Permitted(range->least - 1).anything);
      }
      if (range->greatest < all.greatest) {
        ASSERT_TRUE(plan->Permitted(range->greatest + 1).anything);
      }
    }
  }
}

std::vector<std::uint64_t> RunAll(const RescaleRequest& r, std::vector<std::uint64_t> words) {
  const Result<RescalePlan> plan = MakeRescalePlan(r);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  for (std::uint64_t& word : words) {
    std::uint64_t out = 0;
    plan->Run(&word, &out, 1, {.threads = 1});
    word = out;
  }
  return words;
}

TEST(Rescale, TwoLegalStepsDoWhatOneIllegalDid) {
  Random random(2);
  int pairs = 0;
  for (const tosa::RescalePair& pair : PairsOf(tosa::Version::k080)) {
    RescaleRequest r = {.profile = "tosa-0.80", .from = pair.from, .to = pair.to};
    r.scale32 = GetFormat(r.from).bits != 48;
    r.multipliers = {r.scale32 ? 1400000000 : 30000};
    r.shifts = {r.scale32 ? 34 : 20};
    for (int call = 0; call < 8; ++call) {
      r.input_zp = ZeroPoint(random, r.from);
      r.output_zp = ZeroPoint(random, r.to);
      const auto steps = TwoLegalSteps(r);
      if (!steps) continue;
      ++pairs;
      std::vector<std::uint64_t> words;
      for (int i = 0; i < 500; ++i) {
        words.push_back(static_cast<std::uint64_t>(RandomInput(random, r.from)) &
                        LowMask(GetFormat(r.from).bits));
      }
      ASSERT_EQ(RunAll(steps->second, RunAll(steps->first, words)), RunAll(r, words)) << Text(r, 0);
    }
  }
  EXPECT_GT(pairs, 30);
}

TEST(Rescale, TheReciprocalScaleIsAsTheSpecificationSays) {
  EXPECT_FALSE(ReciprocalScale(0));
  EXPECT_EQ(*ReciprocalScale(1), (Scale{(1 << 30) + 1, 30}));
  EXPECT_EQ(*ReciprocalScale(4), (Scale{(1 << 30) + 1, 32}));
  Random random(3);
  for (int i = 0; i < 100'000; ++i) {
    const auto d = static_cast<std::uint32_t>(PickWidth(random, 1, 4294967295));
    const Scale scale = *ReciprocalScale(d);
    const int k = scale.shift - 30;
    ASSERT_TRUE(Big(d) <= Power(k) && (d == 1 || Big(d) * 2 > Power(k))) << d;
    ASSERT_EQ(Big(scale.multiplier), FloorOf(Fraction((Power(30) + 1) * Power(k), Big(d)))) << d;
  }
}

// ---- the letter of the text ---------------------------------------------------------------------

TEST(RescaleAsPrinted, TheUnsignedClipTakesNegativeSumsForLargeOnes) {
  RescaleRequest r = {.profile = "tosa-0.90", .from = FormatId::kUint8, .to = FormatId::kUint8};
  r.multipliers = {1 << 30};
  r.shifts = {30};
  r.input_zp = 10;
  const std::uint64_t word = 3;
  EXPECT_EQ(RunAll(r, {word}).front(), 0u);
  r.as_printed = true;
  EXPECT_EQ(RunAll(r, {word}).front(), 255u);
  EXPECT_EQ(RunAll(r, {12}).front(), 2u);
  r.profile = "tosa-0.80";  // had the clip right
  EXPECT_EQ(RunAll(r, {word}).front(), 0u);
}

TEST(RescaleAsPrinted, InputsWithSignAreReadFromAnUnsetVariable) {
  RescaleRequest r = {.from = FormatId::kInt8, .to = FormatId::kInt8, .as_printed = true};
  r.multipliers = {1 << 30};
  r.shifts = {30};
  const std::int8_t in[2] = {1, 2};
  std::int8_t out[2] = {};
  const RescaleCounts counts = MakeRescalePlan(r)->Run(in, out, 2);
  EXPECT_EQ(counts.by_reason[static_cast<std::size_t>(Unpredictable::kUnset)], 2u);
  EXPECT_EQ(out[1], 2);
  r.profile = "tosa-0.70";
  EXPECT_EQ(MakeRescalePlan(r)->Run(in, out, 2).unpredictable(), 0u);
}

TEST(RescaleAsPrinted, EveryUint16ZeroPointIsAnErrorFrom030To060) {
  RescaleRequest r = {.from = FormatId::kUint16, .to = FormatId::kInt16, .input_zp = 32768};
  r.multipliers = {1 << 30};
  r.shifts = {30};
  for (const char* profile : {"tosa-0.30", "tosa-0.40", "tosa-0.50", "tosa-0.60", "tosa-0.70"}) {
    r.profile = profile;
    r.as_printed = false;
    EXPECT_TRUE(MakeRescalePlan(r).ok()) << profile;
    r.as_printed = true;
    EXPECT_EQ(MakeRescalePlan(r).ok(), r.profile == "tosa-0.70") << profile;
  }
}

}  // namespace
}  // namespace exactcast
