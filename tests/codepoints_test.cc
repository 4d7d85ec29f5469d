// SPDX-License-Identifier: Apache-2.0
//
// Every code of every format of at most 8 bits against the golden tables: what it decodes to, and
// that it survives the way to float64 and back.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "exactcast/spec/reference.h"
#include "tests/oracle/oracle.h"
#include "tests/support/compare.h"
#include "tests/support/csv.h"

namespace {

// bool has no table: its 256 bytes are two values.
std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const exactcast::Format& f : exactcast::kFormats) {
    if (f.bits <= 8 && f.kind != exactcast::Kind::kBoolean) names.emplace_back(f.name);
  }
  return names;
}

std::uint64_t NumberOfCodes(const exactcast::Format& f) { return std::uint64_t{1} << f.bits; }

// The columns code, class, hexfloat of one row. (The oracle reads the column fraction.)
struct Row {
  std::uint64_t code;
  std::string cls;
  double value;
};

std::vector<Row> ReadRows(const std::string& name) {
  std::vector<Row> rows;
  for (const auto& cells : support::ReadGoldenCsv("codepoints/" + name + ".csv")) {
    rows.push_back({std::strtoull(cells[0].c_str(), nullptr, 16), cells[1],
                    std::strtod(cells[4].c_str(), nullptr)});
  }
  return rows;
}

TEST(CodepointTables, ThereIsATableForEveryShortFormat) {
  EXPECT_EQ(Names().size(), 21u);
  for (const std::string& name : Names()) {
    EXPECT_EQ(ReadRows(name).size(), NumberOfCodes(support::LibraryFormat(name))) << name;
  }
}

class Codepoints : public testing::TestWithParam<std::string> {};

TEST_P(Codepoints, DecodeGivesTheGoldenClassAndValue) {
  const exactcast::Format& format = support::LibraryFormat(GetParam());
  // Below this a value is subnormal; integers and float8_e8m0fnu have none.
  const double min_normal = format.kind == exactcast::Kind::kTapered ? 0x1p-15
                            : format.kind == exactcast::Kind::kFloat
                                ? std::ldexp(1.0, exactcast::MinExponent(format))
                                : 1.0;
  for (const Row& row : ReadRows(GetParam())) {
    SCOPED_TRACE(GetParam() + " code " + support::Hex(row.code, format.bits));
    const exactcast::Exact exact = exactcast::Decode(row.code, format);
    if (row.cls == "nan") {
      EXPECT_EQ(exact.cls, exactcast::Class::kNan);
      EXPECT_NE(exact.payload, 0u);
    } else if (row.cls == "inf") {
      EXPECT_EQ(exact.cls, exactcast::Class::kInfinity);
      EXPECT_EQ(exact.negative, row.value < 0);
    } else if (row.cls == "zero") {
      EXPECT_EQ(exact.cls, exactcast::Class::kZero);
      EXPECT_EQ(exact.negative, (row.code & exactcast::SignBit(format)) != 0);
    } else {
      ASSERT_EQ(exact.cls, exactcast::Class::kFinite);
      ASSERT_LT(exact.significand, std::uint64_t{1} << 53);
      const double magnitude = std::ldexp(static_cast<double>(exact.significand), exact.exponent);
      EXPECT_EQ(exact.negative ? -magnitude : magnitude, row.value);
      EXPECT_EQ(magnitude < min_normal, row.cls == "subnormal");
      EXPECT_TRUE(row.cls == "subnormal" || row.cls == "normal") << row.cls;
    }
  }
}

TEST_P(Codepoints, BitsOutsideTheCodeDoNotMatter) {
  const exactcast::Format& format = support::LibraryFormat(GetParam());
  for (std::uint64_t word = NumberOfCodes(format); word < 256; ++word) {
    const exactcast::Exact clean = exactcast::Decode(word & (NumberOfCodes(format) - 1), format);
    const exactcast::Exact dirty = exactcast::Decode(word, format);
    EXPECT_EQ(clean.cls, dirty.cls) << GetParam() << " word " << support::Hex(word, 8);
    EXPECT_EQ(clean.negative, dirty.negative);
    EXPECT_EQ(clean.significand, dirty.significand);
    EXPECT_EQ(clean.exponent, dirty.exponent);
  }
}

TEST_P(Codepoints, ToFloat64IsTheValueAndBackIsTheCode) {
  const exactcast::Format& format = support::LibraryFormat(GetParam());
  const exactcast::Format& float64 = support::LibraryFormat("float64");
  if (format.use != exactcast::Use::kCast) return;  // int1 and uint1 are decoded, never cast
  for (const Row& row : ReadRows(GetParam())) {
    for (const oracle::Mode mode : oracle::kModes) {
      SCOPED_TRACE(GetParam() + " code " + support::Hex(row.code, format.bits) + " mode " +
                   std::string(Name(mode)));
      const exactcast::Rounding rounding = support::LibraryRounding(mode);
      const exactcast::Rules there{};
      const exactcast::Rules back{exactcast::IsInteger(format) ? exactcast::OverflowRule::kSaturate
                                                               : exactcast::OverflowRule::kIeee};
      const exactcast::CastResult wide = Cast(row.code, format, float64, rounding, there);
      double value;
      static_assert(sizeof value == sizeof wide.bits);
      __builtin_memcpy(&value, &wide.bits, sizeof value);
      const exactcast::CastResult code = Cast(wide.bits, float64, format, rounding, back);
      if (row.cls == "nan") {
        EXPECT_TRUE(std::isnan(value));
        EXPECT_EQ(wide.bits >> 51 & 1, 1u) << "a quiet NaN";
        const bool has_fraction = format.specials == exactcast::Specials::kIeee;
        const std::uint64_t quiet =
            has_fraction ? std::uint64_t{1} << (format.mantissa_bits - 1) : 0;
        EXPECT_EQ(code.bits, row.code | quiet);
        EXPECT_EQ(code.outcome, exactcast::Outcome::kNan);
      } else {
        EXPECT_EQ(value, row.value);
        EXPECT_EQ(std::signbit(value), exactcast::Decode(row.code, format).negative);
        EXPECT_EQ(wide.outcome, exactcast::Outcome::kExact);
        EXPECT_EQ(code.bits, row.code);
        EXPECT_EQ(code.outcome, exactcast::Outcome::kExact);
      }
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Codepoints, testing::ValuesIn(Names()),
                         [](const auto& param_info) { return param_info.param; });

// The two columns that carry the exact value say the same; the oracle relies on one, the tests
// above on the other.
TEST(CodepointTables, FractionAndHexfloatAgree) {
  for (const oracle::Format& format : oracle::Formats()) {
    if (format.bits > 8 || format.kind == oracle::Kind::kBool) continue;
    for (const Row& row : ReadRows(std::string(format.name))) {
      const oracle::Datum datum = oracle::Decode(format, row.code);
      if (datum.cls != oracle::Class::kFinite) continue;
      EXPECT_EQ(oracle::ToDouble(datum.value), row.value)
          << format.name << " code " << support::Hex(row.code, format.bits);
    }
  }
}

}  // namespace
