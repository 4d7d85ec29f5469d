// SPDX-License-Identifier: Apache-2.0
//
// Every float32 word to hifloat8 in the two modes that the device has, round and hybrid, against the
// oracle. Minutes, so labelled exhaustive.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/oracle/oracle.h"
#include "tests/support/compare.h"

namespace {

class EveryFloat32 : public testing::TestWithParam<unsigned> {};

// The parameter is the upper byte: sign and seven bits of the exponent.
TEST_P(EveryFloat32, ToHifloat8) {
  const oracle::Format& source = oracle::Find("float32");
  const oracle::Format& target = oracle::Find("hifloat8");
  const exactcast::Format& library_target = support::LibraryFormat("hifloat8");
  const oracle::Policy& policy = support::MainPolicies(target).front();
  const exactcast::Rules rules = support::LibraryRules(policy);
  support::Failures failures;
  support::Comparison comparison(source, &failures);
  const std::uint64_t first = std::uint64_t{GetParam()} << 24;
  for (std::uint64_t word = first; word < first + (1 << 24) && !failures.Enough(); ++word) {
    const oracle::Datum datum = oracle::Decode(source, word);
    for (const oracle::Mode mode : {oracle::Mode::kRound, oracle::Mode::kHybrid}) {
      const oracle::Placement placement = datum.cls == oracle::Class::kFinite
                                              ? oracle::Place(target, datum.value)
                                              : oracle::Placement{};
      comparison.CheckOne(target, library_target, word, datum, placement, mode, policy, rules);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(UpperByte, EveryFloat32, testing::Range(0u, 256u));

}  // namespace
