// SPDX-License-Identifier: Apache-2.0
//
// The reference from formats of more than 16 bits, over all rounding classes of each target:
// against the oracle, in every mode and form, and against MPFR where the target is a float of
// IEEE's kind. Shorter sources: oracle_exhaustive_test.cc.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "exactcast/spec/reference.h"
#include "tests/oracle/oracle.h"
#include "tests/support/compare.h"
#include "tests/support/rounding_classes.h"
#include "tests/support/stride.h"

namespace {

using support::kStride;

std::vector<std::string> WideSources() {
  std::vector<std::string> names;
  for (const oracle::Format& f : oracle::Formats()) {
    if (f.bits > 16) names.emplace_back(f.name);
  }
  return names;
}

class OracleWide : public testing::TestWithParam<std::string> {};

TEST_P(OracleWide, EveryRoundingClassToEveryFormat) {
  const oracle::Format& source = oracle::Find(GetParam());
  support::Failures failures;
  support::Comparison comparison(source, &failures);
  for (const oracle::Format& target : oracle::Formats()) {
    const exactcast::Format& library_target = support::LibraryFormat(target.name);
    const std::vector<std::uint64_t> words = support::Classes(source, target);
    const std::vector<oracle::Policy> all_policies = support::AllPolicies(target);
    for (std::size_t i = 0; i < words.size() && !failures.Enough(); i += kStride) {
      comparison.Check(target, library_target, words[i], support::MainPolicies(target));
      if (i % 31 == 0) comparison.Check(target, library_target, words[i], all_policies);
    }
  }
  RecordProperty("casts", std::to_string(comparison.casts()));
}

// Each value of a target of at most 16 bits, the middle to the next one, and the source's
// neighbours of both.
TEST_P(OracleWide, EveryBoundaryOfShortFormats) {
  const oracle::Format& source = oracle::Find(GetParam());
  if (source.kind != oracle::Kind::kFloat) return;  // integers have classes enough
  support::Failures failures;
  support::Comparison comparison(source, &failures);
  const std::uint64_t one = std::uint64_t{1} << source.low_zeros;
  const std::uint64_t mask = source.CodeMask() << source.low_zeros;
  for (const oracle::Format& target : oracle::Formats()) {
    if (target.bits > 16 || target.kind == oracle::Kind::kBool) continue;
    const exactcast::Format& library_target = support::LibraryFormat(target.name);
    for (std::size_t i = 0; i < target.points.size() && !failures.Enough();
         i += target.bits > 8 ? 3 * kStride : 1) {
      const double value = oracle::ToDouble(target.points[i].value);
      const double next = i + 1 < target.points.size()
                              ? oracle::ToDouble(target.points[i + 1].value)
                              : oracle::ToDouble(target.above_value);
      for (const double boundary : {value, value / 2 + next / 2}) {
        std::uint64_t word = std::bit_cast<std::uint64_t>(boundary);
        if (source.bits != 64) {
          word = std::bit_cast<std::uint32_t>(
              static_cast<float>(boundary));  // exact, but for tfloat32
        }
        for (const std::uint64_t neighbour : {word - one, word, word + one}) {
          comparison.Check(target, library_target, neighbour & mask, support::MainPolicies(target));
        }
      }
    }
  }
  RecordProperty("casts", std::to_string(comparison.casts()));
}

INSTANTIATE_TEST_SUITE_P(From, OracleWide, testing::ValuesIn(WideSources()),
                         [](const auto& param_info) { return param_info.param; });

// ---- MPFR ---------------------------------------------------------------------------------------

// A float format as MPFR is told about it.
struct MpfrTarget {
  const char* name;
  int precision;     // with the leading one
  int min_exponent;  // of the least normal value
  int max_exponent;
  int exponent_bits;
  int low_zeros;
  bool ieee;  // infinity above the largest finite value; else the comparison stops there
  bool has_negative_zero;
  double max_finite;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// clang-format off
constexpr MpfrTarget kMpfrTargets[] = {
    // name                precision   min    max  bits zeros  ieee   -0     largest
    {"float16",                   11,   -14,    15,   5,  0,  true,  true,  65504},
    {"bfloat16",                   8,  -126,   127,   8,  0,  true,  true,  0x1.fep127},
    {"float32",                   24,  -126,   127,   8,  0,  true,  true,  0x1.fffffep127},
    {"float64",                   53, -1022,  1023,  11,  0,  true,  true,  0x1.fffffffffffffp1023},
    {"tfloat32",                  11,  -126,   127,   8, 13,  true,  true,  0x1.ffcp127},
    {"float8_e5m2",                3,   -14,    15,   5,  0,  true,  true,  57344},
    {"float8_e4m3",                4,    -6,     7,   4,  0,  true,  true,  240},
    {"float8_e3m4",                5,    -2,     3,   3,  0,  true,  true,  15.5},
    {"float8_e4m3fn",              4,    -6,     8,   4,  0,  false, true,  448},
    {"float8_e4m3fnuz",            4,    -7,     7,   4,  0,  false, false, 240},
    {"float8_e5m2fnuz",            3,   -15,    15,   5,  0,  false, false, 57344},
    {"float8_e4m3b11fnuz",         4,   -10,     4,   4,  0,  false, false, 30},
    {"float6_e2m3fn",              4,     0,     2,   2,  0,  false, true,  7.5},
    {"float6_e3m2fn",              3,    -2,     4,   3,  0,  false, true,  28},
    {"float4_e2m1fn",              2,     0,     2,   2,  0,  false, true,  6},
};
// clang-format on

// The code of a value that the format has.
std::uint64_t Encode(double value, const MpfrTarget& t) {
  const int fraction_bits = t.precision - 1;
  const std::uint64_t sign =
      std::signbit(value) ? std::uint64_t{1} << (fraction_bits + t.exponent_bits) : 0;
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return t.has_negative_zero ? sign : 0;
  if (std::isinf(value)) {
    return sign | ((std::uint64_t{1} << t.exponent_bits) - 1) << fraction_bits;
  }
  int e = std::ilogb(magnitude);
  if (e < t.min_exponent) e = t.min_exponent - 1;
  const int place = (e < t.min_exponent ? t.min_exponent : e) - fraction_bits;
  const auto significand = static_cast<std::uint64_t>(std::ldexp(magnitude, -place));
  const auto field = static_cast<std::uint64_t>(e - t.min_exponent + 1);
  const std::uint64_t hidden = e < t.min_exponent ? 0 : std::uint64_t{1} << fraction_bits;
  return sign | field << fraction_bits | (significand - hidden);
}

class MpfrNumber {
 public:
  explicit MpfrNumber(mpfr_prec_t precision) { mpfr_init2(value, precision); }
  ~MpfrNumber() { mpfr_clear(value); }
  MpfrNumber(const MpfrNumber&) = delete;
  MpfrNumber& operator=(const MpfrNumber&) = delete;
  mpfr_t value;
};

// MPFR's range for one format, as long as this lives.
class MpfrRange {
 public:
  explicit MpfrRange(const MpfrTarget& t) : emin_(mpfr_get_emin()), emax_(mpfr_get_emax()) {
    // MPFR's significands are in [1/2, 1): all exponents are one more. emin is that of the least
    // subnormal value.
    mpfr_set_emin(t.min_exponent - (t.precision - 1) + 1);
    mpfr_set_emax(t.max_exponent + 1);
  }
  ~MpfrRange() {
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
  }
  MpfrRange(const MpfrRange&) = delete;
  MpfrRange& operator=(const MpfrRange&) = delete;

 private:
  mpfr_exp_t emin_, emax_;
};

struct MpfrResult {
  double value;
  bool exact;
};

MpfrResult RoundByMpfr(const mpfr_t& source, const MpfrTarget& t, mpfr_rnd_t rounding) {
  MpfrNumber result(t.precision);
  int ternary = mpfr_set(result.value, source, rounding);
  const MpfrRange range(t);
  ternary = mpfr_check_range(result.value, ternary, rounding);
  ternary = mpfr_subnormalize(result.value, ternary, rounding);
  return {mpfr_get_d(result.value, MPFR_RNDN), ternary == 0};
}

// Half away from zero; MPFR has it for a fixed precision and for integers, so subnormals are
// rounded as integers.
MpfrResult RoundAwayByMpfr(const mpfr_t& source, const MpfrTarget& t) {
  if (mpfr_zero_p(source) || mpfr_get_exp(source) - 1 >= t.min_exponent) {
    MpfrNumber result(t.precision);
    const int ternary = mpfr_round_nearest_away(mpfr_set, result.value, source);
    if (!mpfr_zero_p(result.value) && mpfr_get_exp(result.value) - 1 > t.max_exponent) {
      return {mpfr_signbit(result.value) ? -kInfinity : kInfinity, false};
    }
    return {mpfr_get_d(result.value, MPFR_RNDN), ternary == 0};
  }
  const int place = t.min_exponent - (t.precision - 1);
  MpfrNumber result(mpfr_get_prec(source));
  mpfr_mul_2si(result.value, source, -place, MPFR_RNDN);
  const bool exact = mpfr_integer_p(result.value) != 0;
  mpfr_round(result.value, result.value);
  mpfr_mul_2si(result.value, result.value, place, MPFR_RNDN);
  return {mpfr_get_d(result.value, MPFR_RNDN), exact};
}

// The code that MPFR stands for; false where the format ends before the value does.
bool ExpectedByMpfr(const mpfr_t& source, const MpfrTarget& t, oracle::Mode mode,
                    std::uint64_t* code, bool* exact) {
  MpfrResult result{};
  switch (mode) {
    case oracle::Mode::kRint:
      result = RoundByMpfr(source, t, MPFR_RNDN);
      break;
    case oracle::Mode::kFloor:
      result = RoundByMpfr(source, t, MPFR_RNDD);
      break;
    case oracle::Mode::kCeil:
      result = RoundByMpfr(source, t, MPFR_RNDU);
      break;
    case oracle::Mode::kTrunc:
    case oracle::Mode::kOdd:
      result = RoundByMpfr(source, t, MPFR_RNDZ);
      break;
    case oracle::Mode::kRound:
      result = RoundAwayByMpfr(source, t);
      break;
    default:
      return false;
  }
  if (!t.ieee && (std::fabs(result.value) > t.max_finite || mpfr_cmp_d(source, t.max_finite) > 0 ||
                  mpfr_cmp_d(source, -t.max_finite) < 0)) {
    return false;
  }
  *code = Encode(result.value, t);
  if (mode == oracle::Mode::kOdd && !result.exact) {
    *code |= 1;  // the largest finite code is odd already, as are all ends of IEEE's ranges
    // Without -0, what lies between it and the least negative value goes to the latter.
    if (!t.has_negative_zero && mpfr_signbit(source)) {
      *code |= std::uint64_t{1} << (t.precision - 1 + t.exponent_bits);
    }
  }
  *code <<= t.low_zeros;
  *exact = result.exact;
  return true;
}

class MpfrWide : public testing::TestWithParam<std::string> {};

TEST_P(MpfrWide, EveryRoundingClassToEveryIeeeLikeFloat) {
  const oracle::Format& source = oracle::Find(GetParam());
  const exactcast::Format& library_source = support::LibraryFormat(source.name);
  const oracle::Policy policy{"exact/ieee"};
  const exactcast::Rules rules = support::LibraryRules(policy);
  support::Failures failures;
  std::uint64_t casts = 0;
  for (const MpfrTarget& t : kMpfrTargets) {
    if (source.name == t.name) continue;
    const oracle::Format& target = oracle::Find(t.name);
    const exactcast::Format& library_target = support::LibraryFormat(t.name);
    const std::vector<std::uint64_t> words = support::Classes(source, target);
    for (std::size_t i = 0; i < words.size() && !failures.Enough(); i += kStride) {
      MpfrNumber exact_source(64);
      const std::uint64_t word = words[i];
      if (source.name == "float64") {
        mpfr_set_d(exact_source.value, std::bit_cast<double>(word), MPFR_RNDN);
      } else if (source.kind == oracle::Kind::kFloat) {
        const std::uint64_t clean = word >> source.low_zeros << source.low_zeros;
        mpfr_set_flt(exact_source.value, std::bit_cast<float>(static_cast<std::uint32_t>(clean)),
                     MPFR_RNDN);
      } else if (!source.is_signed) {
        mpfr_set_ui(exact_source.value, word, MPFR_RNDN);
      } else {
        const std::int64_t value =
            source.bits == 64 ? static_cast<std::int64_t>(word) : static_cast<std::int32_t>(word);
        mpfr_set_si(exact_source.value, value, MPFR_RNDN);
      }
      if (mpfr_nan_p(exact_source.value) || mpfr_inf_p(exact_source.value)) continue;
      for (const oracle::Mode mode : oracle::kModes) {
        std::uint64_t expected = 0;
        bool exact = false;
        if (!ExpectedByMpfr(exact_source.value, t, mode, &expected, &exact)) continue;
        ++casts;
        const exactcast::CastResult got = exactcast::Cast(word, library_source, library_target,
                                                          support::LibraryRounding(mode), rules);
        if (got.bits == expected && (got.outcome == exactcast::Outcome::kExact) == exact) continue;
        if (failures.Enough()) break;
        failures.Add(source, target, word, mode, policy, got, expected, exact ? "exact" : "inexact",
                     "MPFR  ");
      }
    }
  }
  RecordProperty("casts", std::to_string(casts));
}

INSTANTIATE_TEST_SUITE_P(From, MpfrWide, testing::ValuesIn(WideSources()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
