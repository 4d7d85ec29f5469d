// SPDX-License-Identifier: Apache-2.0
//
// Mode hybrid, float32 and float16 to hifloat8: the reference against the oracle's own reading of
// the rule.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/oracle.h"
#include "tests/support/compare.h"
#include "tests/support/rounding_classes.h"

namespace {

void CheckHybrid(const oracle::Format& source, const std::vector<std::uint64_t>& words) {
  const oracle::Format& target = oracle::Find("hifloat8");
  const exactcast::Format& library_target = support::LibraryFormat("hifloat8");
  support::Failures failures;
  support::Comparison comparison(source, &failures);
  for (const oracle::Policy& policy : support::AllPolicies(target)) {
    const exactcast::Rules rules = support::LibraryRules(policy);
    for (const std::uint64_t word : words) {
      comparison.CheckOne(target, library_target, word, oracle::Decode(source, word), {},
                          oracle::Mode::kHybrid, policy, rules);
      if (failures.Enough()) return;
    }
  }
  testing::Test::RecordProperty("casts", std::to_string(comparison.casts()));
}

TEST(Hybrid, EveryFloat16) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t word = 0; word <= 0xffff; ++word) words.push_back(word);
  CheckHybrid(oracle::Find("float16"), words);
}

TEST(Hybrid, EveryRoundingClassOfFloat32) {
  const oracle::Format& source = oracle::Find("float32");
  CheckHybrid(source, support::Classes(source, oracle::Find("hifloat8")));
}

TEST(Hybrid, Float32InEvenSteps) {
#ifdef EXACTCAST_SANITIZED
  constexpr std::uint64_t kStep = 65537;
#else
  constexpr std::uint64_t kStep = 4099;
#endif
  std::vector<std::uint64_t> words;
  for (std::uint64_t word = 0; word <= 0xffffffff; word += kStep) words.push_back(word);
  CheckHybrid(oracle::Find("float32"), words);
}

// Where the 14 bits below the kept ones equal the low 14 bits, which decide: fractions that repeat
// after 7, 8, 9 or 10 bits, as the distance between the two is; and one unit beside them.
TEST(Hybrid, Float32AroundTheThreshold) {
  std::vector<std::uint64_t> words;
  for (unsigned period = 7; period <= 10; ++period) {
    for (std::uint64_t unit = 0; unit < std::uint64_t{1} << period; unit += (period > 8 ? 3 : 1)) {
      std::uint64_t fraction = 0;
      for (unsigned shift = 0; shift < 23; shift += period) fraction |= unit << shift;
      fraction &= 0x7fffff;
      for (std::uint64_t field = 127 - 25; field <= 127 + 17; ++field) {
        const std::uint64_t word = field << 23 | fraction;
        for (const std::uint64_t neighbour :
             {word - 1, word, word + 1, word ^ (1 << 22), word ^ (1 << 21)}) {
          words.push_back(neighbour | (unit & 1) << 31);
        }
      }
    }
  }
#ifdef EXACTCAST_SANITIZED
  std::vector<std::uint64_t> few;
  for (std::size_t i = 0; i < words.size(); i += 17) few.push_back(words[i]);
  words = few;
#endif
  CheckHybrid(oracle::Find("float32"), words);
}

}  // namespace
