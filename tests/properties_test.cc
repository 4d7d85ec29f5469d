// SPDX-License-Identifier: Apache-2.0
//
// What must hold of every cast whatever its rules say in detail: order, symmetry, round trips,
// exact values staying where they are, and independence from the caller's floating-point
// environment.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "exactcast/spec/reference.h"
#include "tests/oracle/oracle.h"
#include "tests/support/compare.h"
#include "tests/support/flush.h"
#include "tests/support/rounding_classes.h"
#include "tests/support/stride.h"

namespace {

using support::kStride;

// Words of the source: every code where there are few, else the rounding classes of the target.
std::vector<std::uint64_t> Words(const oracle::Format& source, const oracle::Format& target) {
  std::vector<std::uint64_t> words;
  if (source.bits > 16) {
    const std::vector<std::uint64_t> all = support::Classes(source, target);
    for (std::size_t i = 0; i < all.size(); i += kStride) words.push_back(all[i]);
  } else {
    const std::size_t stride = source.bits > 8 ? kStride : 1;
    for (std::uint64_t code = 0; code <= source.CodeMask(); code += stride) words.push_back(code);
  }
  return words;
}

oracle::Policy FormOf(
    const oracle::Format& target) {  // what profile exact does when it is not told
  return {target.kind == oracle::Kind::kFloat ? "exact/ieee" : "exact/saturate",
          target.kind == oracle::Kind::kFloat ? oracle::Policy::Overflow::kIeee
                                              : oracle::Policy::Overflow::kSaturate};
}

exactcast::CastResult LibraryCast(const oracle::Format& source, const oracle::Format& target,
                                  std::uint64_t word, oracle::Mode mode,
                                  const oracle::Policy& policy) {
  return exactcast::Cast(word, support::LibraryFormat(source.name),
                         support::LibraryFormat(target.name), support::LibraryRounding(mode),
                         support::LibraryRules(policy));
}

std::string Pair(const oracle::Format& source, const oracle::Format& target, oracle::Mode mode) {
  return std::string(source.name) + " -> " + std::string(target.name) + ", mode " +
         std::string(Name(mode));
}

// Among the extended numbers: -infinity, finite values, +infinity.
bool Less(const oracle::Datum& a, const oracle::Datum& b) {
  const auto rank = [](const oracle::Datum& d) {
    return d.cls == oracle::Class::kInfinite ? (d.negative ? -1 : 1) : 0;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return rank(a) == 0 && oracle::Compare(a.value, b.value) < 0;
}

// Also in mode odd: all that lies between two neighbours goes to the same one. (bool is no number;
// hybrid is not monotone by its definition.)
TEST(Properties, EveryDeterministicModeIsMonotone) {
  support::Failures failures;
  for (const oracle::Format& source : oracle::Formats()) {
    for (const oracle::Format& target : oracle::Formats()) {
      if (target.kind == oracle::Kind::kBool || source.name == target.name) continue;
      std::vector<std::uint64_t> words = Words(source, target);
      std::erase_if(words, [&source](std::uint64_t word) {
        return oracle::Decode(source, word).cls == oracle::Class::kNan;
      });
      std::sort(words.begin(), words.end(), [&source](std::uint64_t a, std::uint64_t b) {
        return Less(oracle::Decode(source, a), oracle::Decode(source, b));
      });
      std::vector<oracle::Policy> policies = {{"exact/saturate",
                                               oracle::Policy::Overflow::kSaturate, true, false,
                                               oracle::Policy::Negative::kLowest}};
      if (target.infinity != 0) policies.push_back(FormOf(target));
      for (const oracle::Policy& policy : policies) {
        for (const oracle::Mode mode : oracle::kModes) {
          oracle::Datum last;
          for (std::size_t i = 0; i < words.size(); ++i) {
            const exactcast::CastResult got = LibraryCast(source, target, words[i], mode, policy);
            const oracle::Datum datum = oracle::Decode(target, got.bits);
            if (datum.cls == oracle::Class::kNan || (i > 0 && Less(datum, last))) {
              failures.Add(Pair(source, target, mode) + ": " +
                           support::Hex(words[i], source.storage_bits) + " gives " +
                           support::Hex(got.bits, target.storage_bits) +
                           ", less than its predecessor\n  repeat   " +
                           support::RepeatCommand(source, target, words[i], mode, policy));
              if (failures.Enough()) return;
            }
            last = datum;
          }
        }
      }
    }
  }
}

// Every value and every special of `narrow` is in `wide`.
bool Contains(const oracle::Format& wide, const oracle::Format& narrow) {
  if (wide.kind == oracle::Kind::kBool || wide.name == narrow.name) return false;
  if (narrow.has_negative_zero && !wide.has_negative_zero) return false;
  if (narrow.infinity != 0 && wide.infinity == 0) return false;
  if (narrow.nan_fraction_bits > wide.nan_fraction_bits) return false;
  if (narrow.nan_has_sign && !wide.nan_has_sign) return false;
  const auto holds = [&wide](const oracle::Datum& datum) {
    if (datum.cls != oracle::Class::kFinite) return true;
    if (datum.value.IsZero() && wide.name == "float8_e8m0fnu") return false;
    return oracle::Place(wide, datum.value).exact;
  };
  if (narrow.bits <= 16) {
    return std::all_of(narrow.codes.begin(), narrow.codes.end(), holds);
  }
  for (const std::uint64_t word : support::Classes(narrow, wide)) {
    if (!holds(oracle::Decode(narrow, word))) return false;
  }
  return true;
}

TEST(Properties, ThereAndBackThroughAnyWiderFormatIsTheIdentity) {
  support::Failures failures;
  int pairs = 0;
  for (const oracle::Format& narrow : oracle::Formats()) {
    for (const oracle::Format& wide : oracle::Formats()) {
      if (!Contains(wide, narrow)) continue;
      ++pairs;
      for (const std::uint64_t word : Words(narrow, wide)) {
        const oracle::Datum datum = oracle::Decode(narrow, word);
        // Bits outside the code are gone, true is 1, a signalling NaN is quiet.
        std::uint64_t expected = word >> narrow.low_zeros << narrow.low_zeros;
        if (narrow.kind == oracle::Kind::kBool && word != 0) expected = 1;
        if (datum.cls == oracle::Class::kNan && narrow.nan_fraction_bits > 0) {
          expected |= narrow.nan << narrow.low_zeros;
        }
        const exactcast::Outcome outcome = datum.cls == oracle::Class::kNan
                                               ? exactcast::Outcome::kNan
                                               : exactcast::Outcome::kExact;
        for (const oracle::Mode mode : oracle::kModes) {
          const exactcast::CastResult there = LibraryCast(narrow, wide, word, mode, FormOf(wide));
          const exactcast::CastResult back =
              LibraryCast(wide, narrow, there.bits, mode, FormOf(narrow));
          if (back.bits == expected && there.outcome == outcome && back.outcome == outcome)
            continue;
          failures.Add(Pair(narrow, wide, mode) +
                       " and back: " + support::Hex(word, narrow.storage_bits) + " gives " +
                       support::Hex(there.bits, wide.storage_bits) + " and then " +
                       support::Hex(back.bits, narrow.storage_bits) + ", expected " +
                       support::Hex(expected, narrow.storage_bits) + "\n  repeat   " +
                       support::RepeatCommand(narrow, wide, word, mode, FormOf(wide)));
          if (failures.Enough()) return;
        }
      }
    }
  }
  RecordProperty("pairs", pairs);
  EXPECT_GT(pairs, 100);
}

TEST(Properties, ARepresentableValueStaysInEveryModeAndForm) {
  support::Failures failures;
  for (const oracle::Format& source : oracle::Formats()) {
    for (const oracle::Format& target : oracle::Formats()) {
      if (target.kind == oracle::Kind::kBool || source.name == target.name) continue;
      for (const std::uint64_t word : Words(source, target)) {
        const oracle::Datum datum = oracle::Decode(source, word);
        if (datum.cls != oracle::Class::kFinite) continue;
        const oracle::Placement placement = oracle::Place(target, datum.value);
        if (placement.beyond || !placement.exact) continue;
        for (const oracle::Policy& policy : support::MainPolicies(target)) {
          for (const oracle::Mode mode : oracle::kModes) {
            const exactcast::CastResult got = LibraryCast(source, target, word, mode, policy);
            if (got.outcome == exactcast::Outcome::kExact &&
                oracle::Compare(oracle::Decode(target, got.bits).value, datum.value) == 0) {
              continue;
            }
            failures.Add(Pair(source, target, mode) + ": " +
                         support::Hex(word, source.storage_bits) + " is representable but gives " +
                         support::Hex(got.bits, target.storage_bits) + "\n  repeat   " +
                         support::RepeatCommand(source, target, word, mode, policy));
            if (failures.Enough()) return;
          }
        }
      }
    }
  }
}

// The rule is taken literally: with the low 14 bits all zero the threshold is zero, which is always
// met.
TEST(Properties, HybridMoves140Of253ValuesFromFloat32AndNoneFromFloat16) {
  const oracle::Format& hifloat8 = oracle::Find("hifloat8");
  for (const auto& [name, expected] : {std::pair{"float32", 140u}, std::pair{"float16", 0u}}) {
    const oracle::Format& source = oracle::Find(name);
    unsigned held = 0;
    unsigned moved = 0;
    std::ostringstream list;
    for (const oracle::Point& point : hifloat8.points) {
      // The value as the source has it; by the oracle, and exactly.
      const oracle::Placement placement = oracle::Place(source, point.value);
      ASSERT_TRUE(placement.exact) << name << ", hifloat8 " << support::Hex(point.code, 8);
      ++held;
      const exactcast::CastResult got = LibraryCast(source, hifloat8, placement.lower.code,
                                                    oracle::Mode::kHybrid, FormOf(hifloat8));
      if (got.bits == point.code) continue;
      ++moved;
      list << "\n  " << support::Hex(placement.lower.code, source.bits) << " ("
           << oracle::ToDouble(point.value) << ", hifloat8 " << support::Hex(point.code, 8)
           << ") gives " << support::Hex(got.bits, 8);
    }
    EXPECT_EQ(held, 253u) << name;
    EXPECT_EQ(moved, expected) << "from " << name << " these move:" << list.str();
  }
}

TEST(Properties, NearestTruncAndOddAreOddFunctionsAndFloorMirrorsCeil) {
  support::Failures failures;
  for (const oracle::Format& source : oracle::Formats()) {
    if (source.kind == oracle::Kind::kBool || !source.is_signed) continue;
    for (const oracle::Format& target : oracle::Formats()) {
      if (target.kind == oracle::Kind::kBool || !target.is_signed || source.name == target.name)
        continue;
      const auto negate = [](const oracle::Format& f, std::uint64_t word) {
        const std::uint64_t code = word >> f.low_zeros;
        const bool lone_zero = code == 0 && !f.has_negative_zero;
        const std::uint64_t negated = f.kind == oracle::Kind::kInteger ? 0 - code
                                      : lone_zero                      ? code
                                                                       : code ^ f.SignBit();
        return (negated & f.CodeMask()) << f.low_zeros;
      };
      for (const std::uint64_t dirty : Words(source, target)) {
        const std::uint64_t word = dirty >> source.low_zeros << source.low_zeros;
        const std::uint64_t mirrored = negate(source, word);
        const oracle::Datum datum = oracle::Decode(source, word);
        if (datum.cls == oracle::Class::kNan) continue;
        if (mirrored == word) continue;  // -2^n of an integer, and a lone zero
        for (const oracle::Mode mode : oracle::kModes) {
          const oracle::Mode mirror_mode = mode == oracle::Mode::kFloor  ? oracle::Mode::kCeil
                                           : mode == oracle::Mode::kCeil ? oracle::Mode::kFloor
                                                                         : mode;
          const exactcast::CastResult got = LibraryCast(source, target, word, mode, FormOf(target));
          const exactcast::CastResult mirror =
              LibraryCast(source, target, mirrored, mirror_mode, FormOf(target));
          // The range of an integer is not symmetric, and a lone NaN has no sign.
          const bool overflow = got.outcome == exactcast::Outcome::kOverflowed ||
                                mirror.outcome == exactcast::Outcome::kOverflowed;
          if (overflow && (target.kind == oracle::Kind::kInteger ||
                           oracle::Decode(target, got.bits).cls == oracle::Class::kNan)) {
            continue;
          }
          if (mirror.outcome == got.outcome && mirror.bits == negate(target, got.bits)) continue;
          failures.Add(
              Pair(source, target, mode) + ": " + support::Hex(word, source.storage_bits) +
              " gives " + support::Hex(got.bits, target.storage_bits) +
              ", but the negative gives " + support::Hex(mirror.bits, target.storage_bits) +
              "\n  repeat   " +
              support::RepeatCommand(source, target, mirrored, mirror_mode, FormOf(target)));
          if (failures.Enough()) return;
        }
      }
    }
  }
}

// ---- The caller's floating-point environment ----------------------------------------------------

// Some of every pair, in every mode; one row of results.
std::vector<std::uint64_t> Sample() {
  std::vector<std::uint64_t> results;
  for (const oracle::Format& source : oracle::Formats()) {
    const exactcast::Format& library_source = support::LibraryFormat(source.name);
    // A fixed spread of words, subnormals of every float among them.
    std::vector<std::uint64_t> words;
    const std::uint64_t mask = source.CodeMask();
    for (std::uint64_t i = 0; i < 64; ++i) words.push_back(i & mask);
    for (std::uint64_t i = 0; i < 500; ++i) {
      words.push_back((i * 0x9e3779b97f4a7c15 >> (64 - source.bits)) & mask);
    }
    if (source.exponent_bits > 0) {
      for (int bit = 0; bit < source.mantissa_bits; ++bit) words.push_back(std::uint64_t{3} << bit);
    }
    for (const oracle::Format& target : oracle::Formats()) {
      const exactcast::Format& library_target = support::LibraryFormat(target.name);
      for (const oracle::Mode mode : oracle::kModes) {
        for (const std::uint64_t word : words) {
          const exactcast::CastResult got = exactcast::Cast(
              word << source.low_zeros, library_source, library_target,
              support::LibraryRounding(mode), support::LibraryRules(FormOf(target)));
          results.push_back(got.bits);
          results.push_back(static_cast<std::uint64_t>(got.outcome));
        }
      }
    }
  }
  return results;
}

TEST(Properties, TheCallersFloatingPointEnvironmentDoesNotMatter) {
  static_cast<void>(oracle::Formats());  // made under the usual environment
  const std::vector<std::uint64_t> usual = Sample();
  for (const int direction : {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO}) {
    for (const bool flush : {false, true}) {
      if (flush && !support::kCanFlush) continue;
      ASSERT_EQ(std::fesetround(direction), 0);
      support::SetFlush(flush);
      const bool flushed = support::SubnormalsAreFlushed();
      const int direction_in_force = std::fegetround();
      const std::vector<std::uint64_t> results = Sample();
      support::SetFlush(false);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(flushed, flush);
      EXPECT_EQ(direction_in_force, direction);
      EXPECT_TRUE(results == usual) << "direction " << direction << ", flush to zero " << flush;
    }
  }
}

}  // namespace
