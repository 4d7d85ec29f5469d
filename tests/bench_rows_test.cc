// SPDX-License-Identifier: Apache-2.0
//
// What the bench measures is what it says: the rows of the sets, the elements of the data sets.
// Nothing here depends on time.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "bench/data.h"
#include "bench/row.h"
#include "bench/sets.h"

namespace exactcast::bench {
namespace {

constexpr std::size_t kElements = 1 << 14;

std::vector<Subject> OfSet(const std::string& name) {
  Selection selection;
  selection.sets = {name};
  Result<std::vector<Subject>> subjects = Select(selection);
  EXPECT_TRUE(subjects.ok()) << subjects.status().message();
  return subjects.ok() ? *subjects : std::vector<Subject>();
}

TEST(BenchRows, EveryRowOfEverySetHasAPlanAndANameOfItsOwn) {
  for (const SetName& set : SetNames()) {
    std::set<std::string> keys;
    for (const Subject& subject : OfSet(std::string(set.name))) {
      EXPECT_TRUE(keys.insert(Key(subject)).second) << set.name << ": " << Key(subject);
    }
    EXPECT_FALSE(keys.empty()) << set.name;
  }
}

// Every RESCALE of the sets has a legal scale, or another kernel would be measured.
TEST(BenchRows, RescaleIsPredictable) {
  for (const Subject& subject : OfSet("rescale")) {
    EXPECT_NE(subject.kernel, "reference") << Key(subject);
  }
}

std::vector<float> Floats(Data data, FormatId to) {
  const Result<Subject> subject = MakeSubject({.from = FormatId::kFloat32, .to = to});
  std::vector<float> values(kElements);
  Fill(data, *subject, kElements, reinterpret_cast<std::byte*>(values.data()));
  return values;
}

template <typename Predicate>
double Part(const std::vector<float>& values, const Predicate& predicate) {
  return static_cast<double>(std::count_if(values.begin(), values.end(), predicate)) /
         static_cast<double>(values.size());
}

TEST(BenchData, ShareOfSpecials) {
  const std::vector<float> nan = Floats(Data::kNan, FormatId::kFloat8E4m3fn);
  EXPECT_NEAR(Part(nan, [](float x) { return std::isnan(x); }), 0.25, 0.02);
  EXPECT_NEAR(Part(nan, [](float x) { return std::isinf(x); }), 0.0625, 0.02);
  const std::vector<float> denormal = Floats(Data::kDenormal, FormatId::kFloat8E4m3fn);
  EXPECT_NEAR(Part(denormal, [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }), 0.5,
              0.02);
}

// Every element lies half way between two neighbours of float8_e4m3fn: four significant bits, and
// a one behind them; below the least normal, 2^-6, an odd multiple of 2^-10.
TEST(BenchData, TiesAreTies) {
  for (const float x : Floats(Data::kTies, FormatId::kFloat8E4m3fn)) {
    const int exponent = std::max(std::ilogb(x), -6);
    const float half_units = std::ldexp(std::abs(x), 4 - exponent);
    EXPECT_EQ(half_units, std::floor(half_units)) << x;
    EXPECT_EQ(std::fmod(half_units, 2.0F), 1) << x;
  }
}

TEST(BenchData, EverySetFillsEveryRow) {
  for (const char* set : {"readme", "general"}) {
    for (const Subject& subject : OfSet(set)) {
      std::vector<std::byte> in(subject.in_bytes(kElements));
      for (const DataRow& data : DataSets()) {
        if (!Applies(data.data, subject.row)) continue;
        std::fill(in.begin(), in.end(), std::byte{});
        Fill(data.data, subject, kElements, in.data());
        EXPECT_NE(std::count(in.begin(), in.end(), std::byte{}), static_cast<long>(in.size()))
            << Key(subject) << ", " << data.name;
      }
    }
  }
}

}  // namespace
}  // namespace exactcast::bench
