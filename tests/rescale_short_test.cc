// SPDX-License-Identifier: Apache-2.0
//
// RESCALE of every int8, uint8, int16 and uint16 under fifty scales in every rounding, against the
// floor of the fraction in 128-bit integers. No code of the product decides a result.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "exactcast/rescale.h"
#include "src/kernels/words.h"

namespace exactcast {
namespace {

__extension__ using Wide = __int128;

Wide FloorDivide(Wide n, Wide d) { return n >= 0 ? n / d : -((-n + d - 1) / d); }

struct Expected {
  bool predictable = true;
  std::int64_t result = 0;
};

// floor(v m / 2^s + 1/2 +- 2^30 / 2^s), all taken twice.
Expected Compute(const RescaleRequest& r, std::int64_t x) {
  const std::int64_t m = r.multipliers[0];
  const std::int64_t s = r.shifts[0];
  const std::int64_t v = x - r.input_zp;
  const Wide power = Wide{1} << s;
  Wide numerator = 2 * Wide{v} * m + power;
  if (r.rounding == RescaleRounding::kDouble && s > 31)
    numerator += v < 0 ? -(1LL << 31) : 1LL << 31;
  const Wide sum = FloorDivide(numerator, 2 * power) + r.output_zp;
  const Format& f = GetFormat(r.to);
  const std::int64_t half = std::int64_t{1} << (f.bits - 1);
  const std::int64_t least = f.has_sign ? -half : 0;
  const std::int64_t greatest = least + 2 * half - 1;
  const Wide int32 = 1LL << 31;
  Expected e;
  e.result = static_cast<std::int64_t>(sum < least ? least : sum > greatest ? greatest : sum);
  e.predictable = r.scale32 ? -power <= 2 * v && 2 * v < power
                            : sum - r.output_zp >= -int32 && sum - r.output_zp < int32;
  return e;
}

// Fifty pairs: shifts of every class with multipliers at both ends, powers of two and in between.
std::vector<Scale> FiftyScales() {
  const int shifts[] = {2, 8, 15, 17, 30, 31, 32, 38, 47, 62};
  const std::int64_t multipliers[] = {1, 1 << 30, 1518500250, (1 << 30) + 1, 2147483647};
  std::vector<Scale> scales;
  for (const int shift : shifts) {
    for (const std::int64_t m : multipliers) scales.push_back({m, shift});
  }
  return scales;
}

void CheckEveryInput(const RescaleRequest& r) {
  const Result<RescalePlan> plan = MakeRescalePlan(r);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  const Format& from = GetFormat(r.from);
  const Format& to = GetFormat(r.to);
  const std::size_t n = std::size_t{1} << from.bits;
  std::vector<std::byte> in(n * static_cast<std::size_t>(from.storage_bits / 8));
  std::vector<std::byte> out(n * static_cast<std::size_t>(to.storage_bits / 8));
  WithWord(from.storage_bits, [&](auto word) {
    for (std::size_t code = 0; code < n; ++code) {
      StoreWord(in.data(), code, static_cast<decltype(word)>(code));
    }
  });
  const RescaleCounts counts = plan->Run(in.data(), out.data(), n, {.threads = 1});
  std::uint64_t unpredictable = 0;
  for (std::size_t code = 0; code < n; ++code) {
    auto x = static_cast<std::int64_t>(code);
    if (from.has_sign && code >= n / 2) x -= static_cast<std::int64_t>(n);
    const Expected e = Compute(r, x);
    unpredictable += e.predictable ? 0 : 1;
    ASSERT_EQ(LoadWord(out.data(), code, to.storage_bits),
              static_cast<std::uint64_t>(e.result) & LowMask(to.bits))
        << from.name << " " << x << " to " << to.name << ", multiplier " << r.multipliers[0]
        << ", shift " << r.shifts[0] << ", zero points " << r.input_zp << " " << r.output_zp
        << ", rounding " << Name(r.rounding) << ", scale32 " << r.scale32;
  }
  ASSERT_EQ(counts.unpredictable(), unpredictable);
}

struct ShortCase {
  FormatId from;
  FormatId to;
  std::int64_t input_zp;
  std::int64_t output_zp;
};

void CheckEveryRounding(const ShortCase& c, const Scale& scale) {
  RescaleRequest r = {.from = c.from, .to = c.to, .multipliers = {scale.multiplier}};
  r.shifts = {scale.shift};
  r.input_zp = c.input_zp;
  r.output_zp = c.output_zp;
  for (const RescaleRounding rounding :
       {RescaleRounding::kSingle, RescaleRounding::kDouble, RescaleRounding::kInexact}) {
    r.rounding = rounding;
    ASSERT_NO_FATAL_FAILURE(CheckEveryInput(r));
  }
  r.rounding = RescaleRounding::kSingle;
  r.scale32 = false;
  r.multipliers = {scale.multiplier % 32768};
  ASSERT_NO_FATAL_FAILURE(CheckEveryInput(r));
}

TEST(RescaleShort, EveryInputUnderFiftyScalesInEveryRounding) {
  using enum FormatId;
  const ShortCase cases[] = {{kInt8, kInt8, -128, 127}, {kInt8, kUint8, 3, 200},
                             {kUint8, kInt16, 255, 0},  {kUint8, kInt8, 128, -7},
                             {kInt16, kInt32, 0, 0},    {kInt16, kUint16, 0, 32768},
                             {kUint16, kInt8, 0, -128}, {kUint16, kInt16, 32768, 0}};
  const std::vector<Scale> scales = FiftyScales();
  ASSERT_EQ(scales.size(), 50u);
  for (const ShortCase& c : cases) {
    for (const Scale& scale : scales) ASSERT_NO_FATAL_FAILURE(CheckEveryRounding(c, scale));
  }
}

}  // namespace
}  // namespace exactcast
