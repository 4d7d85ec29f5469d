// SPDX-License-Identifier: Apache-2.0
//
// Examples from the documents, checked while compiling: spec/ is constexpr, so that a wrong bit does
// not even build.
#include <gtest/gtest.h>

#include "exactcast/spec/hifloat8.h"
#include "exactcast/spec/order.h"
#include "exactcast/spec/profile.h"
#include "exactcast/spec/reference.h"
#include "exactcast/spec/scaled.h"

namespace exactcast {
namespace {

using enum FormatId;
using enum Rounding;

constexpr Rules kSaturating = {.overflow = OverflowRule::kSaturate,
                               .infinity = InfinityRule::kSaturate,
                               .nan = NanRule::kZero};

constexpr std::uint64_t To(std::uint64_t word, FormatId from, FormatId to, Rounding rounding,
                           const Rules& rules = {}) {
  return Cast(word, GetFormat(from), GetFormat(to), rounding, rules).bits;
}

// HiFloat8's own example: 1 01 01 110 is -(2^3 * 1.75) = -14.
static_assert(hifloat8::Decode(0xae).negative && hifloat8::Decode(0xae).significand == 14 &&
              hifloat8::Decode(0xae).exponent == 0);
// Half away: 2^-23 gives 2^-22, 1.5 * 2^-20 gives 2^-19; 40960 is overflow.
static_assert(To(0x34000000, kFloat32, kHifloat8, kTiesToAway) == 0x01);
static_assert(To(0x35c00000, kFloat32, kHifloat8, kTiesToAway) == 0x04);
static_assert(To(0x47200000, kFloat32, kHifloat8, kTiesToAway) == 0x6f);
// Nearest even stays at 2^15 exactly there.
static_assert(To(0x47200000, kFloat32, kHifloat8, kTiesToEven) == 0x6e);
// Hybrid, taken literally, moves values that need no rounding: 16 to 20, 2^-22 to 2^-21.
static_assert(To(0x41800000, kFloat32, kHifloat8, kHybrid) ==
              To(0x41a00000, kFloat32, kHifloat8, kTiesToAway));
static_assert(To(0x34800000, kFloat32, kHifloat8, kHybrid) == 0x02);

// One rounding from float64: 1 + 2^-11 + 2^-40 lies above the midpoint.
static_assert(To(0x3ff0020000001000, kFloat64, kFloat16, kTiesToEven) == 0x3c01);
// 255.00000000000003 * 2^120 under trunc is the largest finite bfloat16, not an overflow.
static_assert(To(0x47efe00000000001, kFloat64, kBfloat16, kTowardZero,
                 {.overflow = OverflowRule::kInfinity}) == 0x7f7f);
// The tie to the missing 480 goes to the even 448.
static_assert(To(0x43e80000, kFloat32, kFloat8E4m3fn, kTiesToEven) == 0x7e);
static_assert(To(0x43e80001, kFloat32, kFloat8E4m3fn, kTiesToEven) == 0x7f);
static_assert(To(0x43e80001, kFloat32, kFloat8E4m3fn, kTiesToEven, kSaturating) == 0x7e);
// IEEE 754 7.4 by direction.
static_assert(To(0x43fa0000, kFloat32, kFloat8E5m2, kTowardZero) ==
              To(0x43fa0000, kFloat32, kFloat8E5m2, kTowardNegative));
static_assert(To(0x48000000, kFloat32, kFloat16, kTowardNegative) == 0x7bff);
static_assert(To(0x48000000, kFloat32, kFloat16, kTowardPositive) == 0x7c00);
static_assert(To(0xc8000000, kFloat32, kFloat16, kTowardPositive) == 0xfbff);
static_assert(To(0x48000000, kFloat32, kFloat16, kToOdd) == 0x7bff);
// A signalling NaN comes out quiet, never as infinity.
static_assert(To(0x7f800001, kFloat32, kBfloat16, kTiesToEven) == 0x7fc0);

static_assert(ScaleToFloat16(25460861, 0x101c, kSaturating).bits == 0x723c);
static_assert(ScaleToFloat16(65520, 0x3c00, kSaturating).bits == 0x7bff);
static_assert(ScaleToInt8(27061, 0x3b58c000, 0, GetFormat(kInt8)).bits == 90);

static_assert(UlpDistance(0x6e, 0x6f, GetFormat(kHifloat8)) == 1);
static_assert(UlpDistance(0x00, 0x80, GetFormat(kFloat8E4m3fn)) == 0);

// Every row of every profile is between formats that cast knows, and no pair stands twice.
static_assert([] {
  for (const Profile& profile : kProfiles) {
    for (const PairRow& row : profile.pairs) {
      if (GetFormat(row.from).use != Use::kCast || GetFormat(row.to).use != Use::kCast)
        return false;
      if (FindPair(profile, row.from, row.to, IsScaled(row.operation)) != &row) return false;
    }
  }
  return true;
}());

TEST(Spec, TheDocumentsExamplesHoldWhileCompiling) { SUCCEED(); }

}  // namespace
}  // namespace exactcast
