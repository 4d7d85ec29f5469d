// SPDX-License-Identifier: Apache-2.0
//
// The gate on instruction counts: what passes and what does not. What the library takes is the test
// `instructions`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/instructions/verdict.h"

namespace exactcast::bench {
namespace {

using nlohmann::ordered_json;

const ordered_json kLimits = ordered_json::parse(R"({"limits": [
  {"words": ["rescale", "double"], "instructions": 5},
  {"words": [], "instructions": 50}]})");

const ordered_json kBaseline = ordered_json::parse(R"({"instructions_per_element": {
  "float32:int8 rint saturate": {"instructions": 10.0, "kernel": "narrow"}}})");

Verdict JudgeOne(double instructions, const ordered_json* baseline = &kBaseline) {
  return Judge({{"float32:int8 rint saturate", "narrow", instructions}}, baseline, kLimits);
}

bool Says(const Verdict& verdict, const std::string& words) {
  return verdict.text.find(words) != std::string::npos;
}

TEST(InstructionVerdict, WithinThreePercentHolds) {
  EXPECT_TRUE(JudgeOne(10).holds);
  EXPECT_TRUE(JudgeOne(10.29).holds);
  EXPECT_FALSE(Says(JudgeOne(10.29), "than"));
}

TEST(InstructionVerdict, MoreThanThreePercentFails) {
  EXPECT_FALSE(JudgeOne(10.31).holds);
  EXPECT_TRUE(Says(JudgeOne(10.31), "WORSE than 10.000 by 3.1 %"));
}

TEST(InstructionVerdict, LessHoldsAndAsksForANewBaseline) {
  EXPECT_TRUE(JudgeOne(5).holds);
  EXPECT_TRUE(Says(JudgeOne(5), "better than 10.000 by 50.0 %"));
  EXPECT_TRUE(Says(JudgeOne(5), "--update-baseline"));
}

TEST(InstructionVerdict, OverTheLimitFailsEvenWithoutABaseline) {
  EXPECT_TRUE(JudgeOne(49, nullptr).holds);
  EXPECT_FALSE(JudgeOne(51, nullptr).holds);
  EXPECT_TRUE(Says(JudgeOne(51, nullptr), "OVER THE LIMIT 50"));
}

TEST(InstructionVerdict, TheFirstLimitWhoseWordsStandInTheNameCounts) {
  EXPECT_FALSE(Judge({{"rescale int32:int8 double saturate", "", 6}}, nullptr, kLimits).holds);
  EXPECT_TRUE(Judge({{"rescale int32:int8 general saturate", "", 6}}, nullptr, kLimits).holds);
}

TEST(InstructionVerdict, OtherRowsThanThoseOfTheBaselineFail) {
  EXPECT_FALSE(Judge({}, &kBaseline, kLimits).holds);
  EXPECT_FALSE(Judge({{"float32:int8 rint saturate", "narrow", 10}, {"new", "narrow", 1}},
                     &kBaseline, kLimits)
                   .holds);
}

}  // namespace
}  // namespace exactcast::bench
