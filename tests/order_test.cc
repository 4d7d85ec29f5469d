// SPDX-License-Identifier: Apache-2.0
//
// Codes in the order of their values, against the oracle's sorted lists.
#include "exactcast/spec/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/oracle/oracle.h"
#include "tests/support/compare.h"

namespace exactcast {
namespace {

// A rank as one number, float8_e8m0fnu's too.
std::int64_t Signed(const Rank& rank) {
  const auto magnitude = static_cast<std::int64_t>(rank.magnitude);
  return rank.negative ? -magnitude : magnitude;
}

std::vector<const oracle::Format*> ShortFormats() {
  std::vector<const oracle::Format*> formats;
  for (const oracle::Format& f : oracle::Formats()) {
    if (f.bits <= 16) formats.push_back(&f);
  }
  return formats;
}

// One step from each value to the next, infinities being the steps beyond the ends.
TEST(Order, RanksFollowTheValuesOneByOne) {
  for (const oracle::Format* f : ShortFormats()) {
    if (f->kind == oracle::Kind::kBool) continue;
    const Format& format = support::LibraryFormat(f->name);
    const std::int64_t first = Signed(RankOf(f->points.front().code << f->low_zeros, format));
    for (std::size_t i = 0; i < f->points.size(); ++i) {
      const std::int64_t rank = Signed(RankOf(f->points[i].code << f->low_zeros, format));
      ASSERT_EQ(rank, first + static_cast<std::int64_t>(i)) << f->name << " " << f->points[i].code;
      if (f->points[i].value.IsZero()) {
        ASSERT_EQ(rank, 0) << f->name;
      }
    }
    const auto last = static_cast<std::int64_t>(LargestRank(format, false));
    if (f->infinity != 0) {
      const std::int64_t above = first + static_cast<std::int64_t>(f->points.size());
      EXPECT_EQ(Signed(RankOf(f->infinity, format)), above);
      EXPECT_EQ(Signed(RankOf(f->infinity | f->SignBit(), format)), -above);
      EXPECT_EQ(last, above);
    } else {
      EXPECT_EQ(last, Signed(RankOf(f->points.back().code, format))) << f->name;
    }
    EXPECT_EQ(Signed({true, LargestRank(format, true)}),
              f->infinity != 0 ? -last : std::min<std::int64_t>(first, 0))
        << f->name;
  }
}

TEST(Order, WordOfUndoesRankOfButForMinusZero) {
  for (const oracle::Format* f : ShortFormats()) {
    const Format& format = support::LibraryFormat(f->name);
    for (std::uint64_t code = 0; code <= f->CodeMask(); ++code) {
      const std::uint64_t word = code << f->low_zeros;
      const oracle::Datum d = oracle::Decode(*f, word);
      if (d.cls == oracle::Class::kNan) continue;
      const bool zero = d.cls == oracle::Class::kFinite && d.value.IsZero();
      const bool boolean = f->kind == oracle::Kind::kBool;
      const std::uint64_t expected = zero ? 0 : boolean ? 1 : word;
      ASSERT_EQ(WordOf(RankOf(word, format), format), expected) << f->name << " " << word;
      const bool negative_zero = zero && code != 0;
      ASSERT_TRUE(!negative_zero || UlpDistance(word, 0, format) == 0);
    }
  }
}

TEST(Order, DistancesReachAcrossTheWidestFormats) {
  const Format& int64 = GetFormat(FormatId::kInt64);
  const Format& float64 = GetFormat(FormatId::kFloat64);
  EXPECT_EQ(UlpDistance(0x8000000000000000, 0x7fffffffffffffff, int64), ~std::uint64_t{0});
  EXPECT_EQ(UlpDistance(0xffffffffffffffff, 1, int64), 2u);
  EXPECT_EQ(UlpDistance(0xfff0000000000000, 0x7ff0000000000000, float64), 0xffe0000000000000u);
  EXPECT_EQ(UlpDistance(0x8000000000000001, 1, float64), 2u);
  EXPECT_EQ(UlpDistance(0x80000000, 0x00002000, GetFormat(FormatId::kTfloat32)), 1u);
}

}  // namespace
}  // namespace exactcast
