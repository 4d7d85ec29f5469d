// SPDX-License-Identifier: Apache-2.0
//
// Where the library's reference and the oracle meet: translation by name, the policies that proofs
// go through, and the report of a difference.
#ifndef EXACTCAST_TESTS_SUPPORT_COMPARE_H_
#define EXACTCAST_TESTS_SUPPORT_COMPARE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/spec/reference.h"
#include "tests/oracle/oracle.h"

namespace support {

inline const exactcast::Format& LibraryFormat(std::string_view name) {
  for (const exactcast::Format& f : exactcast::kFormats) {
    if (f.name == name) return f;
  }
  throw std::out_of_range("the library has no format " + std::string(name));
}

inline exactcast::Rounding LibraryRounding(oracle::Mode mode) {
  for (const exactcast::RoundingRow& row : exactcast::kRoundings) {
    if (row.name == Name(mode)) return row.rounding;
  }
  throw std::out_of_range("the library has no mode " + std::string(Name(mode)));
}

inline exactcast::Rules LibraryRules(const oracle::Policy& policy) {
  exactcast::Rules rules;
  switch (policy.overflow) {
    case oracle::Policy::Overflow::kIeee:
      rules.overflow = exactcast::OverflowRule::kIeee;
      break;
    case oracle::Policy::Overflow::kInfinity:
      rules.overflow = exactcast::OverflowRule::kInfinity;
      break;
    case oracle::Policy::Overflow::kSaturate:
      rules.overflow = exactcast::OverflowRule::kSaturate;
      break;
    case oracle::Policy::Overflow::kWrap:
      rules.overflow = exactcast::OverflowRule::kWrap;
      break;
  }
  rules.infinity = policy.saturate_infinity ? exactcast::InfinityRule::kSaturate
                                            : exactcast::InfinityRule::kKeep;
  rules.nan = policy.zero_nan ? exactcast::NanRule::kZero : exactcast::NanRule::kKeep;
  switch (policy.negative) {
    case oracle::Policy::Negative::kNan:
      rules.negative = exactcast::NegativeRule::kNan;
      break;
    case oracle::Policy::Negative::kLowest:
      rules.negative = exactcast::NegativeRule::kLowest;
      break;
    case oracle::Policy::Negative::kDropSign:
      rules.negative = exactcast::NegativeRule::kDropSign;
      break;
  }
  return rules;
}

inline std::string_view LibraryOutcome(exactcast::Outcome outcome) {
  switch (outcome) {
    case exactcast::Outcome::kExact:
      return "exact";
    case exactcast::Outcome::kRounded:
      return "rounded";
    case exactcast::Outcome::kUnderflowed:
      return "underflowed";
    case exactcast::Outcome::kOverflowed:
      return "overflowed";
    case exactcast::Outcome::kNan:
      return "nan";
  }
  return "?";
}

// The forms that profiles use: those of `exact` and those of Ascend's Cast.
inline const std::vector<oracle::Policy>& MainPolicies(const oracle::Format& target) {
  using Overflow = oracle::Policy::Overflow;
  using Negative = oracle::Policy::Negative;
  static const std::vector<oracle::Policy> floats = {
      {"exact/ieee", Overflow::kIeee, false, false, Negative::kNan},
      {"exact/saturate", Overflow::kSaturate, true, false, Negative::kLowest},
      {"ascend/ieee", Overflow::kInfinity, false, false, Negative::kNan},
      {"ascend/saturate", Overflow::kSaturate, true, true, Negative::kNan},
  };
  static const std::vector<oracle::Policy> integers = {
      {"exact/saturate", Overflow::kSaturate, true, false, Negative::kLowest},
      {"exact/wrap", Overflow::kWrap, false, false, Negative::kNan},
  };
  return target.kind == oracle::Kind::kFloat ? floats : integers;
}

// Every combination of answers that makes sense for the target, `negatives` being those for formats
// without a sign.
inline std::vector<oracle::Policy> AllPolicies(
    const oracle::Format& target,
    const std::vector<oracle::Policy::Negative>& negatives = {oracle::Policy::Negative::kNan,
                                                              oracle::Policy::Negative::kLowest}) {
  using Overflow = oracle::Policy::Overflow;
  const std::vector<Overflow> overflows =
      target.kind == oracle::Kind::kFloat
          ? std::vector<Overflow>{Overflow::kIeee, Overflow::kInfinity, Overflow::kSaturate}
          : std::vector<Overflow>{Overflow::kSaturate, Overflow::kWrap};
  std::vector<oracle::Policy> policies;
  for (const Overflow overflow : overflows) {
    for (const bool saturate_infinity : {false, true}) {
      for (const bool zero_nan : {false, true}) {
        for (const oracle::Policy::Negative negative : negatives) {
          policies.push_back({"free", overflow, saturate_infinity, zero_nan, negative});
        }
      }
    }
  }
  return policies;
}

inline std::string Hex(std::uint64_t word, int bits) {
  std::string digits;
  for (int shift = (bits + 3) / 4 * 4 - 4; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[word >> shift & 15];
  }
  return "0x" + digits;
}

// "ieee,inf=keep,nan=zero,negative=nan"
inline std::string Describe(const oracle::Policy& policy) {
  constexpr std::string_view kOverflow[] = {"ieee", "infinity", "saturate", "wrap"};
  constexpr std::string_view kNegative[] = {"nan", "lowest", "drop-sign"};
  std::ostringstream out;
  out << policy.name << " (overflow=" << kOverflow[static_cast<std::size_t>(policy.overflow)]
      << ",inf=" << (policy.saturate_infinity ? "saturate" : "keep")
      << ",nan=" << (policy.zero_nan ? "zero" : "keep")
      << ",negative=" << kNegative[static_cast<std::size_t>(policy.negative)] << ")";
  return out.str();
}

// The command that casts this one element; empty where no profile of the command has this policy
// for every pair.
inline std::string RepeatCommand(const oracle::Format& source, const oracle::Format& target,
                                 std::uint64_t word, oracle::Mode mode,
                                 const oracle::Policy& policy) {
  if (!policy.name.starts_with("exact/")) return "";
  std::ostringstream out;
  out << "printf '";
  for (int i = 0; i < source.storage_bits / 8; ++i) {
    char byte[8];
    std::snprintf(byte, sizeof byte, "\\x%02x", static_cast<unsigned>(word >> (8 * i) & 0xff));
    out << byte;
  }
  out << "' | exactcast cast - - --from " << source.name << " --to " << target.name << " --round "
      << Name(mode) << " --overflow " << policy.name.substr(policy.name.find('/') + 1);
  if (source.bits < 8 || target.bits < 8) out << " --unpacked";
  out << " 2>/dev/null | xxd -p";
  return out.str();
}

// Collects differences; the test stops when there are enough of them.
class Failures {
 public:
  static constexpr int kEnough = 20;

  [[nodiscard]] bool Enough() const { return count_ >= kEnough; }
  [[nodiscard]] int count() const { return count_; }

  void Add(const std::string& message) {
    ++count_;
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    ADD_FAILURE() << message << "\n  test     <this binary> --gtest_filter='"
                  << test->test_suite_name() << "." << test->name() << "'"
                  << (Enough() ? "\n(enough: stopping here)" : "");
  }

  void Add(const oracle::Format& source, const oracle::Format& target, std::uint64_t word,
           oracle::Mode mode, const oracle::Policy& policy, exactcast::CastResult library,
           std::uint64_t expected_bits, std::string_view expected_outcome,
           std::string_view witness) {
    std::ostringstream out;
    out << source.name << " -> " << target.name << ", mode " << Name(mode) << ", policy "
        << Describe(policy) << "\n  input    " << Hex(word, source.storage_bits) << "\n  library  "
        << Hex(library.bits, target.storage_bits) << " " << LibraryOutcome(library.outcome)
        << "\n  " << witness << "   " << Hex(expected_bits, target.storage_bits) << " "
        << expected_outcome;
    const std::string command = RepeatCommand(source, target, word, mode, policy);
    if (!command.empty()) out << "\n  repeat   " << command;
    Add(out.str());
  }

 private:
  int count_ = 0;
};

// Casts from one format, by both, and compares bits and outcome.
class Comparison {
 public:
  Comparison(const oracle::Format& source, Failures* failures)
      : source_(source), library_source_(LibraryFormat(source.name)), failures_(failures) {}

  // Every deterministic mode and each of the policies.
  void Check(const oracle::Format& target, const exactcast::Format& library_target,
             std::uint64_t word, const std::vector<oracle::Policy>& policies) {
    const oracle::Datum datum = oracle::Decode(source_, word);
    oracle::Placement placement;
    if (datum.cls == oracle::Class::kFinite && target.kind != oracle::Kind::kBool) {
      placement = oracle::Place(target, datum.value);
    }
    for (const oracle::Policy& policy : policies) {
      const exactcast::Rules rules = LibraryRules(policy);
      for (const oracle::Mode mode : oracle::kModes) {
        CheckOne(target, library_target, word, datum, placement, mode, policy, rules);
      }
    }
  }

  void CheckOne(const oracle::Format& target, const exactcast::Format& library_target,
                std::uint64_t word, const oracle::Datum& datum, const oracle::Placement& placement,
                oracle::Mode mode, const oracle::Policy& policy, const exactcast::Rules& rules) {
    const oracle::Result expected =
        oracle::Finish(target, datum, placement, mode, policy, source_, word);
    const exactcast::CastResult got = exactcast::Cast(
        word, library_source_, library_target, kRoundings[static_cast<std::size_t>(mode)], rules);
    ++casts_;
    const std::string_view outcome =
        oracle::kOutcomeNames[static_cast<std::size_t>(expected.outcome)];
    if (got.bits == expected.bits &&
        static_cast<int>(got.outcome) == static_cast<int>(expected.outcome) &&
        LibraryOutcome(got.outcome) == outcome) {
      return;
    }
    if (failures_->Enough()) return;
    failures_->Add(source_, target, word, mode, policy, got, expected.bits, outcome, "oracle");
  }

  [[nodiscard]] std::uint64_t casts() const { return casts_; }

 private:
  inline static const std::vector<exactcast::Rounding> kRoundings = [] {
    std::vector<exactcast::Rounding> roundings;
    for (std::size_t i = 0; i < oracle::kModeNames.size(); ++i) {
      roundings.push_back(LibraryRounding(static_cast<oracle::Mode>(i)));
    }
    return roundings;
  }();

  const oracle::Format& source_;
  const exactcast::Format& library_source_;
  Failures* failures_;
  std::uint64_t casts_ = 0;
};

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_COMPARE_H_
