// SPDX-License-Identifier: Apache-2.0
//
// What a comparison counts, against a model that takes values and places from the oracle and
// tolerances as exact fractions. Files and the command are compare_files_test.cc's matter.
#include "exactcast/compare.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/oracle/oracle.h"
#include "tests/support/compare.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

TEST(UlpRanges, AdjoinAndHoldEveryDistance) {
  static_assert(UlpRange(0) == 0 && UlpRange(1) == 1 && UlpRange(2) == 2 && UlpRange(3) == 3);
  static_assert(UlpRange(4) == 3 && UlpRange(5) == 4 && UlpRange(8) == 4 && UlpRange(9) == 5);
  for (std::size_t i = 0; i < kUlpRanges; ++i) {
    EXPECT_EQ(UlpRange(UlpRangeBegin(i)), i);
    EXPECT_EQ(UlpRange(UlpRangeEnd(i)), i);
    if (i > 0) {
      EXPECT_EQ(UlpRangeBegin(i), UlpRangeEnd(i - 1) + 1);
    }
  }
  EXPECT_EQ(UlpRangeEnd(kUlpRanges - 1), ~std::uint64_t{0});
}

// ---- a model in fractions -----------------------------------------------------------------------

mpq_class Fraction(const oracle::Real& x) {
  mpz_class digits = static_cast<unsigned long>(x.significand >> 64);
  digits <<= 64;
  digits += static_cast<unsigned long>(x.significand);
  mpq_class value = digits;
  if (x.exponent >= 0) {
    mpq_mul_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<unsigned long>(x.exponent));
  } else {
    mpq_div_2exp(value.get_mpq_t(), value.get_mpq_t(), static_cast<unsigned long>(-x.exponent));
  }
  return x.negative ? -value : value;
}

struct Tolerances {
  std::optional<std::uint64_t> ulp = {};
  std::optional<std::string> atol = {}, rtol = {};
  bool nan_payload = false;
};

// The part formats by the oracle, distances by counting points or by the fields of IEEE formats.
class Model {
 public:
  explicit Model(const Format& part) : oracle_(oracle::Find(part.name)) {
    for (std::size_t i = 0; i < oracle_.points.size(); ++i) {
      places_[oracle_.points[i].code] = static_cast<std::int64_t>(i);
    }
  }

  std::uint64_t Distance(std::uint64_t a, std::uint64_t b) {
    const __int128 d = static_cast<__int128>(Place(a)) - static_cast<__int128>(Place(b));
    return static_cast<std::uint64_t>(d < 0 ? -d : d);
  }

  void Add(std::uint64_t index, bool imaginary, std::uint64_t a, std::uint64_t b,
           const Tolerances& t) {
    const std::uint64_t mask = oracle_.CodeMask() << oracle_.low_zeros;
    const oracle::Datum x = oracle::Decode(oracle_, a);
    const oracle::Datum y = oracle::Decode(oracle_, b);
    const bool x_nan = x.cls == oracle::Class::kNan;
    const bool y_nan = y.cls == oracle::Class::kNan;
    if ((a & mask) == (b & mask) || (x_nan && y_nan && !t.nan_payload)) {
      ++expected.equal;
      return;
    }
    bool accepted = false;
    std::uint64_t ulp = 0;
    if (x_nan || y_nan) {
      ++(x_nan && y_nan ? expected.nan_bits : expected.nan_against_number);
    } else {
      ulp = Distance(a & mask, b & mask);
      accepted = (t.ulp && ulp <= *t.ulp) || Near(x, y, t);
      ++expected.ulp_ranges[UlpRange(ulp)];
      expected.largest_ulp = std::max(expected.largest_ulp, ulp);
    }
    ++(accepted ? expected.accepted : expected.differing);
    const int kind = x_nan != y_nan ? 0 : x_nan ? 1 : 2;
    order.emplace_back(accepted, kind, ~ulp, index, imaginary);
  }

  Differences expected;
  std::vector<std::tuple<bool, int, std::uint64_t, std::uint64_t, bool>> order;

 private:
  static bool Near(const oracle::Datum& x, const oracle::Datum& y, const Tolerances& t) {
    if (!t.atol && !t.rtol) return false;
    if (x.cls != oracle::Class::kFinite || y.cls != oracle::Class::kFinite) return false;
    const mpq_class a = Fraction(x.value);
    const mpq_class b = Fraction(y.value);
    const mpq_class atol(t.atol.value_or("0"));
    const mpq_class rtol(t.rtol.value_or("0"));
    const mpq_class distance = a > b ? mpq_class(a - b) : mpq_class(b - a);
    return distance <= atol + rtol * abs(b);
  }

  // Places in value order, by other means than order.h's.
  __int128 Place(std::uint64_t word) {
    const std::uint64_t code = word >> oracle_.low_zeros;
    const bool negative = (code & oracle_.SignBit()) != 0;
    if (oracle_.kind == oracle::Kind::kBool) return code == 0 ? 0 : 1;
    if (oracle_.kind == oracle::Kind::kInteger && oracle_.bits > 16) {
      if (!oracle_.is_signed || !negative) return static_cast<__int128>(code);
      return static_cast<__int128>(code) - (static_cast<__int128>(oracle_.CodeMask()) + 1);
    }
    if (oracle_.bits > 16) {
      const auto magnitude = static_cast<__int128>(code & ~oracle_.SignBit());
      return negative ? -magnitude : magnitude;
    }
    const oracle::Datum d = oracle::Decode(oracle_, word);
    if (d.cls == oracle::Class::kInfinite) {
      return d.negative ? -1 : static_cast<std::int64_t>(oracle_.points.size());
    }
    return d.value.IsZero() && places_.contains(0) ? places_[0] : places_[code];
  }

  const oracle::Format& oracle_;
  std::map<std::uint64_t, std::int64_t> places_;
};

std::string ToBytes(const std::vector<std::uint64_t>& words, int bits) {
  std::string bytes;
  for (const std::uint64_t word : words) {
    for (int shift = 0; shift < bits; shift += 8) bytes += static_cast<char>(word >> shift & 0xff);
  }
  return bytes;
}

class CompareModel : public testing::TestWithParam<FormatId> {};

std::vector<FormatId> CastFormats() {
  std::vector<FormatId> ids;
  for (const Format& f : kFormats) {
    if (f.use == Use::kCast) ids.push_back(f.id);
  }
  return ids;
}
INSTANTIATE_TEST_SUITE_P(In, CompareModel, testing::ValuesIn(CastFormats()),
                         [](const auto& p) { return std::string(GetFormat(p.param).name); });

// Random words, some equal, some a few steps apart, some unrelated; unused bits filled with dirt.
std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>> RandomPairs(const Format& part,
                                                                              std::size_t count) {
  std::mt19937_64 random(static_cast<std::uint64_t>(part.id));
  const std::uint64_t one = std::uint64_t{1} << part.low_zeros;
  const std::uint64_t sign = SignBit(part) << part.low_zeros;
  std::vector<std::uint64_t> a;
  std::vector<std::uint64_t> b;
  for (std::size_t i = 0; i < count; ++i) {
    a.push_back(random());
    switch (random() % 8) {
      case 0:
      case 1:
        b.push_back(a.back());
        break;
      case 2:
        b.push_back(random());
        break;
      case 3:
        b.push_back(a.back() ^ sign);
        break;
      case 4:  // NaNs, infinities, zeros
        a.back() = ~std::uint64_t{0} >> random() % 3;
        b.push_back(~std::uint64_t{0} << random() % 64);
        break;
      case 5:
        a.back() = sign;
        b.push_back(0);
        break;
      default:
        b.push_back(a.back() + one * (random() % 40));
    }
  }
  return {a, b};
}

void ExpectCounts(const Differences& d, const Differences& expected) {
  EXPECT_EQ(d.equal, expected.equal);
  EXPECT_EQ(d.accepted, expected.accepted);
  EXPECT_EQ(d.differing, expected.differing);
  EXPECT_EQ(d.nan_against_number, expected.nan_against_number);
  EXPECT_EQ(d.nan_bits, expected.nan_bits);
  EXPECT_EQ(d.ulp_ranges, expected.ulp_ranges);
  EXPECT_EQ(d.largest_ulp, expected.largest_ulp);
}

void ExpectWorst(const Differences& d, Model* model) {
  std::sort(model->order.begin(), model->order.end());
  model->order.resize(std::min<std::size_t>(model->order.size(), 10));
  ASSERT_EQ(d.worst.size(), model->order.size());
  for (std::size_t i = 0; i < d.worst.size(); ++i) {
    const Difference& w = d.worst[i];
    EXPECT_EQ(std::tuple(w.accepted, static_cast<int>(w.mismatch), ~w.ulp, w.index, w.imaginary),
              model->order[i])
        << i;
  }
}

TEST_P(CompareModel, EveryFieldIsTheModels) {
  const Format& format = GetFormat(GetParam());
  const Format& part = GetFormat(format.part);
  const std::size_t parts = format.kind == Kind::kComplex ? 2 : 1;
  const std::uint64_t mask = LowMask(part.bits) << part.low_zeros;
  const auto [a, b] = RandomPairs(part, 2000);
  const support::TemporaryFolder folder;
  CompareRequest request = {.a = folder.File("a.bin", ToBytes(a, part.storage_bits)),
                            .b = folder.File("b.bin", ToBytes(b, part.storage_bits)),
                            .format = format.id,
                            .unpacked = IsPackable(format)};
  for (const Tolerances& t :
       {Tolerances{}, Tolerances{.nan_payload = true}, Tolerances{.ulp = 0}, Tolerances{.ulp = 7},
        Tolerances{.atol = "0"}, Tolerances{.atol = "3"}, Tolerances{.rtol = "1/8"},
        Tolerances{.ulp = 1, .atol = "1/100", .rtol = "1/3", .nan_payload = true}}) {
    Model model(part);
    for (std::size_t i = 0; i < a.size(); ++i) model.Add(i / parts, i % parts != 0, a[i], b[i], t);
    request.nan_payload = t.nan_payload;
    request.ulp = t.ulp;
    request.atol = t.atol;
    request.rtol = t.rtol;
    const Result<CompareResult> result = CompareFiles(request);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->elements, a.size() / parts);
    EXPECT_EQ(result->agree(), model.expected.differing == 0);
    ExpectCounts(result->differences, model.expected);
    ExpectWorst(result->differences, &model);
    for (const Difference& w : result->differences.worst) {
      EXPECT_EQ(w.a, a[parts * w.index + (w.imaginary ? 1 : 0)] & mask);
      EXPECT_EQ(w.b, b[parts * w.index + (w.imaginary ? 1 : 0)] & mask);
    }
  }
}

// Where doubles would round: 1 + 2^-52 is further from 1 than 2^-53, and 0.1 is no float64.
TEST(Tolerance, IsJudgedWithoutRounding) {
  const support::TemporaryFolder folder;
  const auto accepted = [&](std::uint64_t a, std::uint64_t b, const char* atol, const char* rtol,
                            FormatId format) {
    CompareRequest request = {.a = folder.File("a.bin", ToBytes({a}, 64)),
                              .b = folder.File("b.bin", ToBytes({b}, 64)),
                              .format = format};
    if (*atol != '\0') request.atol = atol;
    if (*rtol != '\0') request.rtol = rtol;
    return CompareFiles(request)->differences.accepted == 1;
  };
  const std::uint64_t one = 0x3ff0000000000000;
  const FormatId f64 = FormatId::kFloat64;
  EXPECT_TRUE(accepted(one + 1, one, "0x1p-52", "", f64));
  EXPECT_FALSE(accepted(one + 1, one, "0x1.fffffffffffffffffffffp-53", "", f64));
  EXPECT_TRUE(accepted(one + 1, one, "0x1p-53", "0x1p-53", f64));
  EXPECT_FALSE(accepted(one + 1, one, "0x1p-53", "0x0.ffffffffffffffffffp-53", f64));
  EXPECT_FALSE(accepted(0x3fb999999999999a, 0, "0.1", "", f64));  // a little above a tenth
  EXPECT_TRUE(accepted(0x3fb9999999999999, 0, "1e-1", "", f64));
  EXPECT_TRUE(accepted(0x7fffffffffffffff, 0x8000000000000000, "18446744073709551615", "",
                       FormatId::kInt64));
  EXPECT_FALSE(accepted(0x7fffffffffffffff, 0x8000000000000000, "18446744073709551614.5", "",
                        FormatId::kInt64));
  EXPECT_FALSE(accepted(0x7ff0000000000000, 0x7fefffffffffffff, "1e300000", "1e9", f64));  // inf
  EXPECT_TRUE(accepted(0x7fefffffffffffff, 1, "1e400", "", f64));
  EXPECT_TRUE(accepted(2, 1, "", "1", f64));  // the least subnormals; relative to B
  EXPECT_FALSE(accepted(3, 1, "", "1.99", f64));
  EXPECT_TRUE(accepted(1, 3, "", "2/3", f64));
}

}  // namespace
}  // namespace exactcast
