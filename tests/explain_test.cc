// SPDX-License-Identifier: Apache-2.0
//
// Explanations: their facts against the reference for every short pair, the vendor's worked examples
// and what people reported elsewhere; and the command that draws them.
#include "exactcast/explain.h"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/format_names.h"
#include "tests/support/command.h"
#include "tests/support/csv.h"

namespace exactcast {
namespace {

using support::CommandResult;
using support::RunCommand;

// A decimal expansion that ends, as a fraction.
mpq_class Fraction(const std::string& decimal) {
  std::string digits = decimal;
  const std::size_t point = digits.find('.');
  mpz_class scale = 1;
  if (point != std::string::npos) {
    mpz_ui_pow_ui(scale.get_mpz_t(), 10, digits.size() - point - 1);
    digits.erase(point, 1);
  }
  mpq_class value(mpz_class(digits, 10), scale);
  value.canonicalize();
  return value;
}

bool IsFinite(const ElementFacts& element) {
  return element.decimal.find_first_of("in") == std::string::npos;  // inf, nan
}

// The kept and discarded bits put together again.
mpq_class Magnitude(const Explanation& e) {
  mpq_class value(mpz_class(e.kept + e.discarded, 2));
  const long exponent = e.place - static_cast<long>(e.discarded.size());
  mpz_class power = 1;
  power <<= static_cast<unsigned long>(std::abs(exponent));
  if (exponent < 0) return value / power;
  return value * power;
}

void ExpectConsistent(const Explanation& e) {
  const std::string where = e.source.code + " " + std::string(e.from->name) + " to " +
                            std::string(e.to->name) + " " + std::string(Name(e.rounding));
  std::string fields;
  for (const BitField& field : e.source.fields) fields += field.bits;
  EXPECT_EQ(std::stoull(fields, nullptr, 2),
            e.source.word & LowMask(static_cast<int>(fields.size())))
      << where;
  if (!e.is_rounded) return;
  const mpq_class x = Fraction(e.source.decimal);
  EXPECT_EQ(Magnitude(e), abs(x)) << where;
  if (e.below && IsFinite(e.below->element)) {
    EXPECT_EQ(Fraction(e.below->element.decimal) + Fraction(e.below->distance), x) << where;
  }
  if (e.above && IsFinite(e.above->element)) {
    EXPECT_EQ(Fraction(e.above->element.decimal) - Fraction(e.above->distance), x) << where;
  }
  if (IsFinite(e.result)) {
    EXPECT_EQ(x + Fraction(e.error), Fraction(e.result.decimal)) << where;
  }
  const bool in_range = e.outcome != Outcome::kOverflowed;
  const bool both = e.below && e.above && IsFinite(e.below->element) && IsFinite(e.above->element);
  if (in_range && both) {
    // A rounding ends on one of the neighbours (-0 and +0 are one), and a tie is half way.
    EXPECT_TRUE(Fraction(e.result.decimal) == Fraction(e.below->element.decimal) ||
                Fraction(e.result.decimal) == Fraction(e.above->element.decimal))
        << where;
    EXPECT_EQ(e.tie, !e.discarded.empty() && e.below->element.word != e.above->element.word &&
                         e.below->distance == e.above->distance)
        << where;
  }
}

TEST(Explain, FactsOfEveryShortPairAreConsistentAndTheResultIsThePlans) {
  std::size_t explained = 0;
  for (const Format& from : kFormats) {
    if (from.use != Use::kCast || from.bits > 8 || from.kind == Kind::kBoolean) continue;
    for (const Format& to : kFormats) {
      if (to.use != Use::kCast || to.kind == Kind::kComplex || to.bits > 32) continue;
      for (Rounding rounding :
           {Rounding::kTiesToEven, Rounding::kTowardPositive, Rounding::kToOdd}) {
        const CastRequest request = {.from = from.id, .to = to.id, .rounding = rounding};
        const Plan plan = *MakePlan(request);
        for (std::uint64_t code = 0; code <= LowMask(from.bits); code += 5) {
          const Result<Explanation> e = Explain(request, code);
          ASSERT_TRUE(e.ok()) << e.status().message();
          std::uint64_t out = 0;
          plan.Run(&code, &out, 1);
          EXPECT_EQ(e->result.word, out);
          EXPECT_FALSE(e->reasons.empty());
          ExpectConsistent(*e);
          ++explained;
        }
      }
    }
  }
  EXPECT_GT(explained, 50000u);
}

TEST(Explain, TheAgreeingExamplesOfTheAscendPageAreExplained) {
  for (const auto& row : support::ReadGoldenCsv("ascend_examples.csv")) {
    if (row[8] == "no") continue;
    const Result<Explanation> e = Explain({.from = *FindFormat(row[0]),
                                           .to = *FindFormat(row[1]),
                                           .profile = "ascend950",
                                           .rounding = *ParseRounding(row[2])},
                                          std::stoull(row[4], nullptr, 16));
    ASSERT_TRUE(e.ok()) << e.status().message();
    EXPECT_EQ(e->result.word, std::stoull(row[7], nullptr, 16));
    ExpectConsistent(*e);
  }
}

// What a person who filed one of tests/golden/public_reports.csv would have wanted to read.
struct Expected {
  const char* id;
  const char* from;
  const char* input;
  const char* to;
  const char* round;
  const char* form;
  bool tie;
  const char* below;  // codes
  const char* above;
  const char* result;
  const char* reason;  // part of one of the sentences
};

// clang-format off
constexpr Expected kExpected[] = {
  {"B001", "f64", "bits:0x3ff0020000001000", "f16", "rint", "ieee", false, "0x3c00", "0x3c01", "0x3c01", "more than half"},
  {"B013", "f32", "bits:0x3f880001", "e4m3fn", "rint", "ieee", false, "0x38", "0x39", "0x39", "more than half"},
  {"B023", "f32", "bits:0x34200000", "f16", "rint", "ieee", true, "0x0002", "0x0003", "0x0002", "kept code is even"},
  {"B023", "f32", "bits:0x34200000", "f16", "round", "ieee", true, "0x0002", "0x0003", "0x0003", "away from zero"},
  {"B025", "f16", "9", "e5m2", "rint", "ieee", true, "0x48", "0x49", "0x48", "kept code is even"},
  {"B028", "f32", "300", "e4m3fn", "rint", "ieee", false, "0x79", "0x7a", "0x79", "less than half"},
  {"B031", "f32", "464", "e4m3fn", "rint", "ieee", true, "0x7e", "", "0x7e", "kept code is even"},
  {"B031", "f32", "465", "e4m3fn", "rint", "ieee", false, "0x7e", "", "0x7f", "no infinity: NaN stands for it"},
  {"B031", "f32", "465", "e4m3fn", "rint", "saturate", false, "0x7e", "", "0x7e", "saturates: the end of the range"},
  {"B056", "s32", "259", "bf16", "rint", "ieee", true, "0x4381", "0x4382", "0x4382", "kept code is odd"},
  {"B068", "f32", "bits:0x3effffff", "s32", "round", "saturate", false, "0x00000000", "0x00000001", "0x00000000", "less than half"},
  {"B077", "f32", "65520", "f16", "rint", "ieee", true, "0x7bff", "0x7c00", "0x7c00", "overflows to infinity"},
  {"B084", "f32", "300", "u8", "trunc", "wrap", false, "0xff", "", "0x2c", "low 8 bits"},
  {"B085", "f32", "2147483646", "s32", "trunc", "saturate", false, "0x7fffffff", "", "0x7fffffff", "beyond 2147483647"},
  {"B109", "f32", "bits:0xb3d6bf95", "e4m3fnuz", "rint", "ieee", false, "0x81", "0x00", "0x00", "is zero: it underflowed"},
  {"B118", "f32", "bits:0x36d70000", "f16", "rint", "ieee", true, "0x006b", "0x006c", "0x006c", "kept code is odd"},
  {"B161", "f32", "36864", "hif8", "round", "ieee", false, "0x6e", "0x6f", "0x6e", "less than half"},
};
// clang-format on

TEST(Explain, PublicReportsHaveTheExplanationTheirAuthorsNeeded) {
  for (const Expected& x : kExpected) {
    const Format& from = GetFormat(*FindFormat(x.from));
    const Result<Explanation> e = Explain({.from = from.id,
                                           .to = *FindFormat(x.to),
                                           .rounding = *ParseRounding(x.round),
                                           .overflow = *ParseOverflow(x.form)},
                                          ParseNumber(x.input, from)->word);
    ASSERT_TRUE(e.ok()) << x.id << e.status().message();
    EXPECT_EQ(e->tie, x.tie) << x.id;
    EXPECT_EQ(e->below ? e->below->element.code : "", x.below) << x.id;
    EXPECT_EQ(e->above ? e->above->element.code : "", x.above) << x.id;
    EXPECT_EQ(e->result.code, x.result) << x.id;
    const bool said = std::any_of(e->reasons.begin(), e->reasons.end(), [&](const std::string& r) {
      return r.find(x.reason) != std::string::npos;
    });
    EXPECT_TRUE(said) << x.id << ": " << x.reason;
    ExpectConsistent(*e);
  }
}

TEST(Explain, ScaledCastsShowTheirSteps) {
  const Result<Explanation> e = Explain({.from = FormatId::kInt32,
                                         .to = FormatId::kFloat16,
                                         .profile = "ascend950",
                                         .dequantization = Dequantization{{0x101c}, {}}},
                                        25460861);
  ASSERT_TRUE(e.ok());
  ASSERT_EQ(e->steps.size(), 5u);
  EXPECT_EQ(e->steps[0].decimal, "25460860");
  EXPECT_TRUE(e->steps[0].rounded);
  EXPECT_EQ(e->steps[4].decimal, "12768");
  EXPECT_EQ(e->result.code, "0x723c");
  const Result<Explanation> d = Explain({.from = FormatId::kInt16,
                                         .to = FormatId::kInt8,
                                         .profile = "atlas-a2",
                                         .dequantization = Dequantization{{0x3b58c000}, {-5}}},
                                        27061);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->steps.back().decimal, "85");
}

TEST(Explain, RoundingToAnIntegralValueShowsTheIntegersBeside) {
  const Result<Explanation> e = Explain({.from = FormatId::kFloat32,
                                         .to = FormatId::kFloat32,
                                         .profile = "ascend950",
                                         .rounding = Rounding::kTowardNegative},
                                        0xbe99999a);  // -0.3
  ASSERT_TRUE(e.ok());
  EXPECT_EQ(e->below->element.decimal, "-1");
  EXPECT_EQ(e->above->element.decimal, "-0");
  EXPECT_EQ(e->result.decimal, "-1");
}

// ---- numbers as people type them ----------------------------------------------------------------

TEST(ParseNumber, RoundsOnceFromTheExactNumber) {
  const Format& f16 = GetFormat(FormatId::kFloat16);
  const Format& f32 = GetFormat(FormatId::kFloat32);
  const Format& f64 = GetFormat(FormatId::kFloat64);
  EXPECT_EQ(ParseNumber("1.75", f16)->word, 0x3f00u);
  EXPECT_EQ(ParseNumber("-0.0", f16)->word, 0x8000u);
  EXPECT_EQ(ParseNumber("5/2", f16)->word, 0x4100u);
  EXPECT_EQ(ParseNumber("0x1.8p-3", f16)->word, 0x3200u);
  EXPECT_EQ(ParseNumber("0.1", f64)->word, 0x3fb999999999999au);
  EXPECT_EQ(ParseNumber("1/3", f32)->word, 0x3eaaaaabu);
  EXPECT_EQ(ParseNumber("1/3", f32)->off_by, "9.93410746e-09");
  // A decimal just above the midpoint between two float16, by the last of many digits.
  EXPECT_EQ(ParseNumber("1.00048828125", f16)->word, 0x3c00u);
  EXPECT_EQ(ParseNumber("1.000488281250000000000000000000000000000000000000000001", f16)->word,
            0x3c01u);
  EXPECT_EQ(ParseNumber("9223372036854775807", GetFormat(FormatId::kInt64))->word,
            0x7fffffffffffffffu);
  EXPECT_EQ(ParseNumber("-9223372036854775808", GetFormat(FormatId::kInt64))->word,
            0x8000000000000000u);
  EXPECT_EQ(ParseNumber("18446744073709551615", GetFormat(FormatId::kUint64))->word,
            ~std::uint64_t{0});
  EXPECT_EQ(ParseNumber("1e-400", f64)->word, 0u);
  EXPECT_EQ(ParseNumber("-inf", f16)->word, 0xfc00u);
  EXPECT_EQ(ParseNumber("NaN", f16)->word, 0x7e00u);
}

TEST(ParseNumber, RefusesWhatTheFormatCannotHold) {
  const auto message = [](const char* text, FormatId id) {
    const Result<ParsedNumber> number = ParseNumber(text, GetFormat(id));
    EXPECT_FALSE(number.ok()) << text;
    return number.ok() ? "" : number.status().message();
  };
  using enum FormatId;
  EXPECT_NE(message("1e400", kFloat32).find("outside the range of float32"), std::string::npos);
  EXPECT_NE(message("1e99999999999999999999", kFloat64).find("outside"), std::string::npos);
  EXPECT_NE(message("bits:0x1ffff", kFloat16).find("float16 has 16 bits"), std::string::npos);
  EXPECT_NE(message("", kFloat16).find("empty"), std::string::npos);
  EXPECT_NE(message("1.5", kInt8).find("not an integer"), std::string::npos);
  EXPECT_NE(message("9223372036854775806.75", kInt64).find("not an integer"), std::string::npos);
  EXPECT_NE(message("128", kInt8).find("outside"), std::string::npos);
  EXPECT_NE(message("inf", kFloat8E4m3fn).find("no infinity"), std::string::npos);
  EXPECT_NE(message("nan", kFloat4E2m1fn).find("no NaN"), std::string::npos);
  EXPECT_NE(message("0", kFloat8E8m0fnu).find("outside"), std::string::npos);
  for (const char* bad :
       {"abc", "1.2.3", "--1", "1e", "0x", "1/0", "1/", "bits:", "bits:xyz", "1 2"}) {
    message(bad, kFloat32);
  }
}

// ---- the command --------------------------------------------------------------------------------

TEST(ExplainCommand, DrawsInEightyColumns) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"2.5", "--to", "float4_e2m1fn"},
        {"2.5", "--to", "float4_e2m1fn", "--round", "all"},
        {"0.1", "--from", "f64", "--to", "f32"},
        {"1e-300", "--from", "f64", "--to", "bf16"},
        {"-1.7976931348623157e308", "--from", "f64", "--to", "f16"},
        {"-9223372036854775807", "--from", "s64", "--to", "f32"},
        {"0x1p-1074", "--from", "f64", "--to", "f32", "--via", "f16"},
        {"464", "--to", "e4m3fn", "--profile", "all"},
        {"0.1", "--from", "f64", "--to", "f32", "--round", "all"},
        {"1.7", "--to", "float16", "--profile", "ascend950", "--round", "all"},
        {"0.3", "--to", "float16", "--profile", "all", "--round", "rint"},
        {"bits:0xff7c15920538c20f", "--from", "u64", "--to", "f64"},
        {"1e19", "--from", "f64", "--to", "u64"},
        {"1e19", "--from", "f64", "--to", "f64", "--round", "all"},
        {"27061", "--from", "s16", "--to", "s8", "--profile", "ascend950", "--deqscale",
         "867/262144"}}) {
    std::vector<std::string> all = {"explain"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const CommandResult run = RunCommand(all);
    EXPECT_EQ(run.status, 0) << run.err;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 80u) << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << "[" << line << "]";
    }
    EXPECT_EQ(run.out.find('\x1b'), std::string::npos) << "no colour where there is no terminal";
  }
}

TEST(Explain, TheValueAtHandIsANeighbourAlsoAtTheEndOfTheRange) {
  const Result<Explanation> negative =
      Explain({.from = FormatId::kFloat32, .to = FormatId::kUint8}, 0xbecccccd);  // -0.4
  EXPECT_FALSE(negative->below);
  EXPECT_EQ(negative->above->element.code, "0x00");
  EXPECT_EQ(negative->above->distance, "0.4000000059604644775390625");
  const Result<Explanation> tiny =
      Explain({.from = FormatId::kFloat32, .to = FormatId::kFloat8E8m0fnu}, 0x000116c2);  // 1e-40
  EXPECT_FALSE(tiny->below);
  EXPECT_EQ(tiny->above->element.code, "0x00");
}

TEST(Explain, HybridShowsWhatItCompared) {
  const auto reasons = [](std::uint64_t word) {
    const Result<Explanation> e = Explain({.from = FormatId::kFloat32,
                                           .to = FormatId::kHifloat8,
                                           .profile = "ascend950",
                                           .rounding = Rounding::kHybrid},
                                          word);
    std::string all;
    for (const std::string& reason : e->reasons) all += reason + "\n";
    return all;
  };
  EXPECT_NE(reasons(0x3f880000).find("hybrid is round from 2^-3 up to 2^4"), std::string::npos);
  EXPECT_NE(reasons(0x41800000)
                .find("are 00000000000000, the threshold from the source's low bits is "
                      "00000000000000; reached"),
            std::string::npos);
  EXPECT_NE(reasons(0x41800000).find("the literal rule moves this value"), std::string::npos);
}

TEST(ExplainCommand, SaysWhatAPersonWhoSuspectsABugWantsToKnow) {
  const std::string out = RunCommand({"explain", "2.5", "--to", "fp4_e2m1", "--round", "all"}).out;
  for (const char* part :
       {"10|1", "below    0x4  2, 0.5 away", "above    0x5  3, 0.5 away", "tie      yes"}) {
    EXPECT_NE(out.find(part), std::string::npos) << part << "\n" << out;
  }
  for (const char* mode : {"rint ", "floor ", "ceil ", "round ", "trunc ", "odd ", "none "}) {
    EXPECT_NE(out.find(std::string("\n") + mode), std::string::npos) << mode;
  }
  const std::string via =
      RunCommand({"explain", "1.0625001", "--to", "e4m3fn", "--via", "f16"}).out;
  EXPECT_NE(via.find("rounding twice gives another result"), std::string::npos) << via;
  const std::string same = RunCommand({"explain", "1.5", "--to", "e4m3fn", "--via", "f16"}).out;
  EXPECT_NE(same.find("rounding twice gives the same result"), std::string::npos);
  const std::string off = RunCommand({"explain", "0.1", "--to", "f16"}).out;
  EXPECT_NE(off.find("0.1 is not a value of float32"), std::string::npos) << off;
}

TEST(ExplainCommand, JsonHasTheFacts) {
  const auto one =
      nlohmann::json::parse(RunCommand({"explain", "-2.5", "--to", "fp4_e2m1", "--json"}).out);
  EXPECT_EQ(one["source"]["bits"], "0xc0200000");
  EXPECT_EQ(one["source"]["fields"]["exponent"], "10000000");
  EXPECT_EQ(one["kept"], "10");
  EXPECT_EQ(one["place"], 0);
  EXPECT_EQ(one["tie"], true);
  EXPECT_EQ(one["below"]["bits"], "0xd");
  EXPECT_EQ(one["above"]["distance"], "0.5");
  EXPECT_EQ(one["result"]["decimal"], "-2");
  EXPECT_EQ(one["error"], "0.5");
  EXPECT_EQ(one["ulp_error"], "0.5");
  const auto modes = nlohmann::json::parse(
      RunCommand({"explain", "2.5", "--to", "fp4_e2m1", "--round", "all", "--json"}).out);
  EXPECT_EQ(modes.size(), 7u);
  const auto profiles = nlohmann::json::parse(
      RunCommand({"explain", "1.5", "--to", "f16", "--profile", "all", "--json"}).out);
  EXPECT_EQ(profiles.size(), 15u)
      << "exact, six products and eight versions of TOSA that have float32 to float16";
  EXPECT_EQ(nlohmann::json::parse(
                RunCommand({"explain", "0.1", "--to", "f16", "--json"}).out)["source"]["off_by"],
            "1.49011612e-09");
}

TEST(ExplainCommand, ErrorsAreOneLineWithTheDocumentedStatus) {
  const auto expect = [](std::vector<std::string> arguments, int status, const char* part) {
    arguments.insert(arguments.begin(), "explain");
    const CommandResult run = RunCommand(arguments);
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
  };
  expect({"1e400", "--from", "float32", "--to", "f16"}, 3, "outside the range of float32");
  expect({"bits:0x1ffff", "--from", "float16", "--to", "f32"}, 3, "float16 has 16 bits");
  expect({"", "--to", "f16"}, 3, "empty");
  expect({"1", "--to", "f16", "--round", "rond"}, 2, "did you mean round");
  expect({"1", "--to", "floot16"}, 2, "did you mean float16");
  expect({"1", "--to", "f16", "--profile", "ascend95"}, 2, "did you mean ascend950");
  expect({"1", "--to", "c64"}, 2, "explain float32");
  expect({"1", "--to", "e4m3fnuz", "--profile", "ascend950"}, 4, "--profile exact has it");
  expect({"1", "--to", "e4m3fn", "--profile", "ascend950", "--round", "trunc"}, 4,
         "with rint, not trunc");
  expect({"1", "--from", "s32", "--to", "f16", "--profile", "ascend950"}, 2, "--deqscale");
  expect({"1", "--to", "f16", "--round", "all", "--via", "f64"}, 2, "one at a time");
  expect({"--to", "f16"}, 2, "VALUE is required");
  expect({"1.5", "--to", "f16", "--profile", "all", "--round", "hybrid"}, 4, "hybrid");
  expect({"300", "--from", "s16", "--to", "s8", "--profile", "all", "--overflow", "ieee"}, 2,
         "spelt wrap");
  expect({"2", "--from", "bool", "--to", "f16"}, 3, "outside the range of bool");
  expect({"1e-50", "--from", "e8m0", "--to", "f16"}, 3, "outside the range");
}

TEST(ExplainCommand, AValueMayBeginWithAMinus) {
  for (const char* value : {"-inf", "-2.5", "-.5", "-5/2", "-0x1p-3", "-nan"}) {
    EXPECT_EQ(RunCommand({"explain", value, "--to", "f16"}).status, 0) << value;
    EXPECT_EQ(RunCommand({"explain", "--to", "f16", "--json", value}).status, 0) << value;
    EXPECT_EQ(RunCommand({"explain", "--to", "f16", "--", value}).status, 0) << value;
  }
}

}  // namespace
}  // namespace exactcast
