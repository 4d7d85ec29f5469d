// SPDX-License-Identifier: Apache-2.0
//
// The scaled casts, against their steps written out in exact fractions here: no code of the
// reference decides a result.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "exactcast/cast.h"

namespace exactcast {
namespace {

// ---- the steps in exact fractions ---------------------------------------------------------------

mpq_class PowerOfTwo(long exponent) {
  mpz_class power = 1;
  power <<= static_cast<unsigned long>(std::abs(exponent));
  return exponent < 0 ? mpq_class(1, power) : mpq_class(power);
}

// To the nearest integer, ties to even.
mpz_class NearestInteger(const mpq_class& x) {
  mpz_class floor;
  mpz_fdiv_q(floor.get_mpz_t(), x.get_num().get_mpz_t(), x.get_den().get_mpz_t());
  const mpq_class rest = x - floor;
  if (rest > mpq_class(1, 2) || (rest == mpq_class(1, 2) && mpz_odd_p(floor.get_mpz_t())))
    return floor + 1;
  return floor;
}

// To a binary format of `digits` significant bits whose last place is never below 2^least, ties to
// even.
mpq_class Nearest(const mpq_class& x, long digits, long least) {
  if (x == 0) return 0;
  long e = static_cast<long>(mpz_sizeinbase(x.get_num().get_mpz_t(), 2)) -
           static_cast<long>(mpz_sizeinbase(x.get_den().get_mpz_t(), 2));
  if (abs(x) < PowerOfTwo(e)) --e;
  const long place = std::max(e - digits + 1, least);
  return NearestInteger(x / PowerOfTwo(place)) * PowerOfTwo(place);
}

mpq_class Float32(const mpq_class& x) { return Nearest(x, 24, -149); }

mpq_class HalfValue(std::uint32_t code) {
  const std::uint32_t exponent = (code >> 10) & 31;
  const std::uint32_t fraction = code & 1023;
  const mpq_class magnitude =
      exponent == 0 ? mpq_class(fraction) * PowerOfTwo(-24)
                    : mpq_class(1024 + fraction) * PowerOfTwo(static_cast<long>(exponent) - 25);
  return (code & 0x8000) != 0 ? -magnitude : magnitude;
}

// The code of a value that float16 has, or of the end of the range beyond it.
std::uint32_t HalfCode(const mpq_class& x, bool negative, bool saturate) {
  const std::uint32_t sign = negative ? 0x8000 : 0;
  const mpq_class magnitude = abs(x);
  if (magnitude > 65504) return sign | (saturate ? 0x7bff : 0x7c00);
  for (std::uint32_t low = 0, high = 0x7bff;;) {
    const std::uint32_t middle = (low + high) / 2;
    const mpq_class value = HalfValue(middle);
    if (value == magnitude) return sign | middle;
    (value < magnitude ? low : high) = value < magnitude ? middle + 1 : middle - 1;
  }
}

std::uint32_t ExpectedFloat16(std::int32_t x, std::uint32_t scale, bool saturate) {
  mpq_class t = Float32(mpq_class(x));
  t = Float32(t * PowerOfTwo(-17));
  t = Float32(t * HalfValue(scale));
  t = Float32(t * PowerOfTwo(17));
  const bool negative = (x < 0) != ((scale & 0x8000) != 0);
  return HalfCode(Nearest(t, 11, -24), negative, saturate);
}

std::int32_t ExpectedInt8(std::int32_t x, float scale, std::int32_t offset, bool is_signed) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(scale) & 0xffffe000u;
  const mpq_class cut(static_cast<double>(std::bit_cast<float>(bits)));
  mpz_class t = NearestInteger(Float32(Float32(mpq_class(x)) * cut));
  const auto clamp = [](const mpz_class& v, int low, int high) -> mpz_class {
    return v < low ? mpz_class(low) : v > high ? mpz_class(high) : v;
  };
  t = clamp(t, -32768, 32767);
  t = clamp(t, -256, 255) + offset;
  return static_cast<std::int32_t>(clamp(t, is_signed ? -128 : 0, is_signed ? 127 : 255).get_si());
}

// ---- the library --------------------------------------------------------------------------------

Plan DeqscalePlan(std::uint32_t scale, Overflow overflow = Overflow::kSaturate) {
  return *MakePlan({.from = FormatId::kInt32,
                    .to = FormatId::kFloat16,
                    .profile = "ascend950",
                    .overflow = overflow,
                    .dequantization = Dequantization{{scale}, {}}});
}

Plan DequantPlan(std::vector<float> scales, std::vector<std::int32_t> offsets, FormatId to) {
  Dequantization d;
  for (float scale : scales) d.scales.push_back(std::bit_cast<std::uint32_t>(scale));
  d.offsets = std::move(offsets);
  return *MakePlan(
      {.from = FormatId::kInt16, .to = to, .profile = "atlas-a2", .dequantization = d});
}

std::uint16_t ToFloat16(const Plan& plan, std::int32_t x) {
  std::uint16_t out = 0;
  plan.Run(&x, &out, 1);
  return out;
}

std::uint8_t ToInt8(const Plan& plan, std::int16_t x) {
  std::uint8_t out = 0;
  plan.Run(&x, &out, 1);
  return out;
}

TEST(Scaled, TheStepsRoundWhereOneRoundingWouldNot) {
  EXPECT_EQ(ToFloat16(DeqscalePlan(0x101c), 25460861), 0x723c);  // rounded once: 0x723d
  EXPECT_EQ(ToFloat16(DeqscalePlan(0x3c00), 65520), 0x7bff);
  EXPECT_EQ(ToFloat16(DeqscalePlan(0x3c00, Overflow::kIeee), 65520), 0x7c00);
  EXPECT_EQ(ToInt8(DequantPlan({867.0f / 262144}, {0}, FormatId::kInt8), 27061),
            90);  // rounded once: 89
}

TEST(Scaled, Int32ToFloat16EqualsItsStepsInExactFractions) {
  std::mt19937 random(20260401);
  const std::vector<std::int32_t> fixed = {
      0, 1, -1, 2047, 2049, 65519, 65520, -65520, 16777217, -16777219, INT32_MAX, INT32_MIN};
  for (int round = 0; round < 400; ++round) {
    std::uint32_t scale = random() & 0xffff;
    if ((scale & 0x7c00) == 0x7c00) scale = 0x3c00;
    const Plan saturate = DeqscalePlan(scale);
    const Plan ieee = DeqscalePlan(scale, Overflow::kIeee);
    for (std::size_t i = 0; i < 60; ++i) {
      const std::int32_t x =
          i < fixed.size() ? fixed[i] : static_cast<std::int32_t>(random()) >> (random() % 31);
      ASSERT_EQ(ToFloat16(saturate, x), ExpectedFloat16(x, scale, true))
          << x << " scale " << std::hex << scale;
      ASSERT_EQ(ToFloat16(ieee, x), ExpectedFloat16(x, scale, false))
          << x << " scale " << std::hex << scale;
    }
  }
}

TEST(Scaled, Int16ToInt8AndUint8EqualTheirStepsInExactFractions) {
  std::mt19937 random(20260402);
  for (int round = 0; round < 300; ++round) {
    const int exponent = static_cast<int>(random() % 40) - 30;
    float scale = std::ldexp(1.0f + static_cast<float>(random() % 1000000) / 1000000, exponent);
    if (random() % 4 == 0) scale = -scale;
    if (round == 0) scale = 0;
    if (round == 1) scale = std::bit_cast<float>(0x7f7fffffu);
    const std::int32_t offset = static_cast<std::int32_t>(random() % 512) - 256;
    for (FormatId to : {FormatId::kInt8, FormatId::kUint8}) {
      const Plan plan = DequantPlan({scale}, {offset}, to);
      for (int i = 0; i < 50; ++i) {
        const auto x = static_cast<std::int16_t>(random() >> (random() % 16));
        const std::int32_t want = ExpectedInt8(x, scale, offset, to == FormatId::kInt8);
        ASSERT_EQ(ToInt8(plan, x), static_cast<std::uint8_t>(want))
            << x << " scale " << scale << " offset " << offset;
      }
    }
  }
}

// 16 scales and offsets serve the elements in turn, counted from the start of the tensor, whatever
// the blocks and threads.
TEST(Scaled, SixteenScalesServeTheElementsInTurn) {
  std::vector<float> scales;
  std::vector<std::int32_t> offsets;
  for (int k = 0; k < 16; ++k) {
    scales.push_back(0.01f * static_cast<float>(k + 1));
    offsets.push_back(3 * k - 20);
  }
  const Plan plan = DequantPlan(scales, offsets, FormatId::kInt8);
  std::vector<std::int16_t> in(1'000'003);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::int16_t>(i * 7919);
  std::vector<std::int8_t> out(in.size());
  plan.Run(in.data(), out.data(), in.size(), {.threads = 3});
  for (std::size_t i = 0; i < in.size(); i += 251) {
    ASSERT_EQ(out[i], ExpectedInt8(in[i], scales[i % 16], offsets[i % 16], true)) << i;
  }
  std::vector<std::int8_t> tail(1000);
  plan.Run(in.data() + 160, tail.data(), tail.size(), {.first = 160});
  EXPECT_TRUE(std::equal(tail.begin(), tail.end(), out.begin() + 160));
}

TEST(Scaled, CountsSayWhatWasLost) {
  const Plan plan = DequantPlan({1.0f}, {0}, FormatId::kInt8);
  const std::vector<std::int16_t> in = {0, 127, 128, -129, 300, 32767};
  std::vector<std::int8_t> out(in.size());
  const Counts counts = plan.Run(in.data(), out.data(), in.size());
  EXPECT_EQ(counts.exact, 2u);
  EXPECT_EQ(counts.overflowed, 4u);
  EXPECT_EQ(counts.first_lost, 2u);
}

TEST(Scaled, EveryProductHasThemWhereTheVendorSays) {
  const auto code = [](FormatId from, FormatId to, std::string_view profile, Dequantization d) {
    const Result<Plan> plan = MakePlan(
        {.from = from, .to = to, .profile = std::string(profile), .dequantization = std::move(d)});
    return plan.ok() ? StatusCode::kOk : plan.status().code();
  };
  using enum FormatId;
  const Dequantization half = {{0x3c00}, {}};
  const Dequantization full = {{0x3f800000}, {0}};
  for (const char* product : {"ascend950", "atlas-a3", "atlas-a2"}) {
    EXPECT_EQ(code(kInt32, kFloat16, product, half), StatusCode::kOk) << product;
    EXPECT_EQ(code(kInt16, kInt8, product, full), StatusCode::kOk) << product;
    EXPECT_EQ(code(kInt16, kUint8, product, full), StatusCode::kOk) << product;
  }
  EXPECT_EQ(code(kInt32, kFloat16, "atlas-inference", half), StatusCode::kOk);
  for (const char* product :
       {"atlas-200i-500-a2", "atlas-training", "kirin-x90", "kirin-9030", "exact"}) {
    EXPECT_EQ(code(kInt32, kFloat16, product, half), StatusCode::kUnsupported) << product;
  }
  for (const char* product : {"atlas-200i-500-a2", "atlas-inference", "atlas-training", "kirin-x90",
                              "kirin-9030", "exact"}) {
    EXPECT_EQ(code(kInt16, kInt8, product, full), StatusCode::kUnsupported) << product;
    EXPECT_EQ(code(kInt16, kUint8, product, full), StatusCode::kUnsupported) << product;
  }
  EXPECT_EQ(code(kFloat32, kFloat16, "ascend950", half), StatusCode::kUsage);
  EXPECT_EQ(code(kInt32, kFloat16, "ascend950", {{0x3c00}, {1}}), StatusCode::kUsage);
  EXPECT_EQ(code(kInt32, kFloat16, "ascend950", {{0x7c00}, {}}), StatusCode::kUsage);
  EXPECT_EQ(code(kInt16, kInt8, "ascend950", {{1, 2, 3}, {}}), StatusCode::kUsage);
  EXPECT_EQ(code(kInt16, kInt8, "ascend950", {{0x3f800000}, {256}}), StatusCode::kUsage);
  for (const RoundingRow& mode : kRoundings) {
    EXPECT_TRUE(MakePlan({.from = kInt32,
                          .to = kFloat16,
                          .profile = "ascend950",
                          .rounding = mode.rounding,
                          .dequantization = half})
                    .ok());
  }
}

}  // namespace
}  // namespace exactcast
