// SPDX-License-Identifier: Apache-2.0
//
// The reference against the oracle, from every code of every format of at most 16 bits to every
// format, in every deterministic mode, with every form of overflow: bits and outcome. Wider sources
// are in oracle_wide_test.cc.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/oracle.h"
#include "tests/support/compare.h"

namespace {

#ifdef EXACTCAST_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Codes where something begins or ends: what is not finite, zeros, subnormals' ends, the first and
// last of each binade.
bool IsSpecial(const oracle::Format& source, std::uint64_t code) {
  const oracle::Datum datum = oracle::Decode(source, code);
  if (datum.cls == oracle::Class::kInfinite) return true;
  if (datum.cls == oracle::Class::kNan) return (code + 1) % 64 <= 2;  // some payloads
  if (datum.value.IsZero()) return true;
  const auto binade = [&source](std::uint64_t c) {  // and whatever is no number, or subnormal
    const oracle::Datum d = oracle::Decode(source, c & source.CodeMask());
    const bool outside = d.cls != oracle::Class::kFinite || d.value.IsZero() || d.subnormal;
    return outside ? -100000 : d.value.exponent;
  };
  return binade(code - 1) != binade(code) || binade(code + 1) != binade(code);
}

bool Take(const oracle::Format& source, std::uint64_t code) {
  return !kSanitized || code % 17 == 0 || IsSpecial(source, code);
}

std::vector<std::string> ShortSources() {
  std::vector<std::string> names;
  for (const oracle::Format& f : oracle::Formats()) {
    if (f.bits <= 16) names.emplace_back(f.name);
  }
  return names;
}

class OracleExhaustive : public testing::TestWithParam<std::string> {};

// The forms that profiles use, from every code.
TEST_P(OracleExhaustive, EveryCodeToEveryFormat) {
  const oracle::Format& source = oracle::Find(GetParam());
  support::Failures failures;
  support::Comparison comparison(source, &failures);
  for (const oracle::Format& target : oracle::Formats()) {
    const exactcast::Format& library_target = support::LibraryFormat(target.name);
    const auto& policies = support::MainPolicies(target);
    for (std::uint64_t code = 0; code <= source.CodeMask() && !failures.Enough(); ++code) {
      if (Take(source, code)) {
        comparison.Check(target, library_target, code << source.low_zeros, policies);
      }
    }
  }
  RecordProperty("casts", std::to_string(comparison.casts()));
}

// Every combination of rules: all codes of the formats up to 8 bits, else one in 29 and every
// special.
TEST_P(OracleExhaustive, EveryCombinationOfRules) {
  const oracle::Format& source = oracle::Find(GetParam());
  support::Failures failures;
  support::Comparison comparison(source, &failures);
  const std::uint64_t stride = source.bits <= 8 ? 1 : kSanitized ? 29 * 17 : 29;
  for (const oracle::Format& target : oracle::Formats()) {
    const exactcast::Format& library_target = support::LibraryFormat(target.name);
    const std::vector<oracle::Policy> policies = support::AllPolicies(target);
    for (std::uint64_t code = 0; code <= source.CodeMask() && !failures.Enough(); ++code) {
      if (code % stride == 0 || (IsSpecial(source, code) && Take(source, code))) {
        comparison.Check(target, library_target, code << source.low_zeros, policies);
      }
    }
  }
  RecordProperty("casts", std::to_string(comparison.casts()));
}

INSTANTIATE_TEST_SUITE_P(From, OracleExhaustive, testing::ValuesIn(ShortSources()),
                         [](const auto& param_info) { return param_info.param; });

// What has lost its sign is rounded as the positive value it is then: floor does not go away from
// zero.
TEST(OracleRules, ADroppedSignIsDroppedBeforeRounding) {
  support::Failures failures;
  const oracle::Format& target = oracle::Find("float8_e8m0fnu");
  const exactcast::Format& library_target = support::LibraryFormat(target.name);
  const std::vector<oracle::Policy> policies =
      support::AllPolicies(target, {oracle::Policy::Negative::kDropSign});
  for (const oracle::Format& source : oracle::Formats()) {
    if (source.bits > 16) continue;
    support::Comparison comparison(source, &failures);
    const std::uint64_t stride = source.bits <= 8 ? 1 : 29;
    for (std::uint64_t code = 0; code <= source.CodeMask() && !failures.Enough(); code += stride) {
      comparison.Check(target, library_target, code, policies);
    }
  }
}

// Bits of the storage word outside the code do not matter, and are zero in every result.
TEST(OracleDirtyWords, UnusedBitsAreIgnored) {
  support::Failures failures;
  for (const oracle::Format& source : oracle::Formats()) {
    if (source.bits == source.storage_bits || source.storage_bits > 8) continue;
    support::Comparison comparison(source, &failures);
    for (const oracle::Format& target : oracle::Formats()) {
      const exactcast::Format& library_target = support::LibraryFormat(target.name);
      for (std::uint64_t word = 0; word < 256; ++word) {
        comparison.Check(target, library_target, word, support::MainPolicies(target));
      }
    }
  }
  const oracle::Format& tfloat32 = oracle::Find("tfloat32");
  support::Comparison comparison(tfloat32, &failures);
  for (const oracle::Format& target : oracle::Formats()) {
    const exactcast::Format& library_target = support::LibraryFormat(target.name);
    for (std::uint64_t code = 0; code <= tfloat32.CodeMask(); code += 509) {
      for (const std::uint64_t dirt :
           {std::uint64_t{1}, std::uint64_t{0x1000}, std::uint64_t{0x1fff}}) {
        comparison.Check(target, library_target, code << 13 | dirt, support::MainPolicies(target));
      }
    }
  }
}

}  // namespace
