// SPDX-License-Identifier: Apache-2.0
//
// RESCALE against vectors made from exact fractions: results, what is unpredictable, errors, the
// interval of inexact rounding, the pairs of every version, and scales by every convention.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "exactcast/rescale.h"
#include "exactcast/spec/format_names.h"
#include "exactcast/spec/real_scale.h"

namespace exactcast {
namespace {

// Rows of named cells. A cell in quotes may hold commas.
class Table {
 public:
  explicit Table(const std::string& name) {
    std::ifstream file(std::string(EXACTCAST_GOLDEN_DIR) + "/" + name);
    for (std::string line; std::getline(file, line);) rows_.push_back(Split(line));
    if (rows_.empty()) ADD_FAILURE() << "cannot read " << name;
  }
  [[nodiscard]] std::size_t rows() const { return rows_.size() - 1; }
  [[nodiscard]] const std::string& At(std::size_t row, const std::string& column) const {
    const auto& names = rows_.front();
    const auto at = std::find(names.begin(), names.end(), column);
    EXPECT_NE(at, names.end()) << column;
    return rows_[row + 1].at(static_cast<std::size_t>(at - names.begin()));
  }

 private:
  static std::vector<std::string> Split(const std::string& line) {
    std::vector<std::string> cells = {""};
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.emplace_back();
      } else if (c != '\r') {
        cells.back() += c;
      }
    }
    return cells;
  }

  std::vector<std::vector<std::string>> rows_;
};

std::int64_t Number(const std::string& cell) { return std::stoll(cell); }

// ---- results ------------------------------------------------------------------------------------

struct GoldenCall {
  RescaleRequest request;
  std::int64_t x;
};

GoldenCall CallOf(const Table& t, std::size_t row) {
  GoldenCall call;
  RescaleRequest& r = call.request;
  r.profile = "tosa-" + t.At(row, "version");
  r.from = *FindFormat(t.At(row, "in_t"));
  r.to = *FindFormat(t.At(row, "out_t"));
  r.multipliers = {Number(t.At(row, "multiplier"))};
  r.shifts = {Number(t.At(row, "shift"))};
  r.input_zp = Number(t.At(row, "input_zp"));
  r.output_zp = Number(t.At(row, "output_zp"));
  r.scale32 = t.At(row, "scale32") == "1";
  r.rounding = *ParseRescaleRounding(t.At(row, "rounding_mode"));
  call.x = Number(t.At(row, "in_dec"));
  return call;
}

TEST(RescaleGolden, EveryRowHasItsStatusAndValueAndInterval) {
  const Table t("tosa_rescale.csv");
  ASSERT_EQ(t.rows(), 460u);
  std::size_t intervals = 0;
  for (std::size_t i = 0; i < t.rows(); ++i) {
    SCOPED_TRACE("row " + t.At(i, "id"));
    const auto [request, x] = CallOf(t, i);
    const Result<RescalePlan> plan = MakeRescalePlan(request);
    const std::string& status = t.At(i, "status");
    ASSERT_EQ(plan.ok(), status != "error");
    if (!plan.ok()) {
      EXPECT_EQ(plan.status().code(), StatusCode::kUnsupported);
      EXPECT_NE(plan.status().message().find("ERROR_IF"), std::string::npos);
      continue;
    }
    std::uint64_t out = 0;
    const RescaleCounts counts = plan->Run(&x, &out, 1);
    ASSERT_EQ(counts.unpredictable(), status == "unpredictable" ? 1u : 0u);
    const PermittedResults permitted = plan->Permitted(x);
    ASSERT_EQ(permitted.anything, status == "unpredictable");
    if (permitted.anything) continue;
    EXPECT_EQ(IntegerOf(out, plan->to()), Number(t.At(i, "out_dec")));
    EXPECT_EQ(out, std::stoull(t.At(i, "out_hex"), nullptr, 16));
    EXPECT_EQ(permitted.range.least, Number(t.At(i, "out_min")));
    EXPECT_EQ(permitted.range.greatest, Number(t.At(i, "out_max")));
    if (t.At(i, "inexact_fp32_eval").empty()) continue;
    ++intervals;
    EXPECT_TRUE(permitted.range.Contains(Number(t.At(i, "inexact_fp32_eval"))));
  }
  EXPECT_GT(intervals, 100u);
}

struct Reason {
  const char* word;  // in the note
  Unpredictable why;
};
constexpr Reason kReasons[] = {{"multiplier<0", Unpredictable::kMultiplier},
                               {"fails: shift", Unpredictable::kShift},
                               {"value range", Unpredictable::kValue},
                               {"result range", Unpredictable::kResult},
                               {"zero point add", Unpredictable::kZeroPoint}};

TEST(RescaleGolden, EveryUnpredictableRowHasItsReason) {
  const Table t("tosa_rescale.csv");
  for (std::size_t i = 0; i < t.rows(); ++i) {
    if (t.At(i, "status") != "unpredictable") continue;
    SCOPED_TRACE("row " + t.At(i, "id"));
    const auto [request, x] = CallOf(t, i);
    const Result<RescalePlan> plan = MakeRescalePlan(request);
    std::uint64_t out = 0;
    const RescaleCounts counts = plan->Run(&x, &out, 1);
    bool known = t.At(i, "note").find("zero point addition leaves") != std::string::npos;
    if (known) {
      EXPECT_EQ(counts.by_reason[static_cast<std::size_t>(Unpredictable::kZeroPoint)], 1u);
    }
    for (const Reason& reason : kReasons) {
      if (known || t.At(i, "note").find(reason.word) == std::string::npos) continue;
      known = true;
      EXPECT_EQ(counts.by_reason[static_cast<std::size_t>(reason.why)], 1u) << reason.word;
    }
    EXPECT_TRUE(known);
  }
}

// What people met elsewhere: a runtime's 12 for this requantization is double rounding, 11 single;
// single rounding takes -1.5 to -1.
TEST(RescaleGolden, PublicReports) {
  EXPECT_EQ(Scale32(7984, {1583594044, 40}, false, ValueLimit::kShiftMinus1).value, 11);
  EXPECT_EQ(Scale32(7984, {1583594044, 40}, true, ValueLimit::kShiftMinus1).value, 12);
  for (const bool twice : {false, true}) {
    EXPECT_EQ(Scale32(-966241705, {1373157221, 31}, twice, ValueLimit::kShiftMinus1).value,
              -617840222);
  }
  EXPECT_EQ(Scale32(-3, {1, 1}, false, ValueLimit::kShiftMinus1).value, -1);
}

// ---- pairs --------------------------------------------------------------------------------------

TEST(RescaleGolden, EveryVersionHasJustItsPairs) {
  const Table t("tosa_rescale_pairs.csv");
  std::vector<std::tuple<std::string, FormatId, FormatId, std::string>> listed;
  for (std::size_t i = 0; i < t.rows(); ++i) {
    listed.emplace_back("tosa-" + t.At(i, "version"), *FindFormat(t.At(i, "in")),
                        *FindFormat(t.At(i, "out")), t.At(i, "profile"));
  }
  std::sort(listed.begin(), listed.end());
  std::vector<std::tuple<std::string, FormatId, FormatId, std::string>> found;
  for (const tosa::RescaleVersion& row : tosa::kRescaleVersions) {
    std::vector<std::string> names = {std::string(row.profile)};
    if (row.version == tosa::Version::k100) names = {"tosa-1.0.0", "tosa-1.0.1", "tosa-1.0.2"};
    for (const std::string& name : names) {
      EXPECT_EQ(tosa::FindVersion(name), &row) << name;
      for (const Format& from : kFormats) {
        for (const Format& to : kFormats) {
          const bool wide = from.bits == 48;
          const RescaleRequest request = {.profile = name,
                                          .from = from.id,
                                          .to = to.id,
                                          .multipliers = {1},
                                          .shifts = {14},
                                          .scale32 = !wide};
          const bool ok = MakeRescalePlan(request).ok();
          EXPECT_EQ(ok, tosa::AllowsPair(row.version, from.id, to.id)) << from.name << to.name;
          if (!ok) continue;
          found.emplace_back(name, from.id, to.id,
                             std::string(tosa::PairNeeds(row.version, from.id)));
        }
      }
    }
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, listed);
  EXPECT_EQ(found.size(), 340u);
}

// ---- scales -------------------------------------------------------------------------------------

std::string StatusText(const RealScale& real) {
  switch (real.status) {
    case ScaleStatus::kOk:
      return "ok";
    case ScaleStatus::kLostBits:
      return "denormalised";
    case ScaleStatus::kNegative:
      return "invalid: negative multiplier";
    default:
      return "invalid: shift<2";
  }
}

void ExpectPair(const RealScale& real, const std::string& multiplier, const std::string& shift) {
  if (multiplier.empty()) return;
  if (multiplier == "assert") {
    EXPECT_TRUE(real.status == ScaleStatus::kNegative || real.status == ScaleStatus::kTooLarge);
    return;
  }
  EXPECT_EQ(real.scale.multiplier, Number(multiplier));
  EXPECT_EQ(real.scale.shift, Number(shift));
}

TEST(RescaleGolden, EveryConventionGivesItsMultiplierAndShift) {
  using enum ScaleConvention;
  const Table t("tosa_multiplier_shift.csv");
  ASSERT_EQ(t.rows(), 28u);
  for (std::size_t i = 0; i < t.rows(); ++i) {
    SCOPED_TRACE("row " + t.At(i, "id"));
    const double scale = std::strtod(t.At(i, "scale_hexfloat").c_str(), nullptr);
    EXPECT_EQ(scale, std::strtod(t.At(i, "scale").c_str(), nullptr));
    const auto bits = std::bit_cast<std::uint64_t>(scale);
    const RealScale wide = ScaleFromReal(bits, kMlir, true);
    const RealScale narrow = ScaleFromReal(bits, kMlir, false);
    ExpectPair(wide, t.At(i, "mult32"), t.At(i, "shift32"));
    ExpectPair(narrow, t.At(i, "mult16"), t.At(i, "shift16"));
    EXPECT_EQ(StatusText(wide), t.At(i, "status32"));
    EXPECT_EQ(StatusText(narrow), t.At(i, "status16"));
    ExpectPair(ScaleFromReal(bits, kExecutorch, true), t.At(i, "half_even_mult32"),
               t.At(i, "half_even_shift32"));
    ExpectPair(ScaleFromReal(bits, kExecutorch, false), t.At(i, "half_even_mult16"),
               t.At(i, "half_even_shift16"));
    ExpectPair(ScaleFromReal(bits, kMlir, true, 63), t.At(i, "max63_mult32"),
               t.At(i, "max63_shift32"));
    ExpectPair(ScaleFromReal(bits, kTflite, true), t.At(i, "tflite_mult"),
               t.At(i, "tflite_as_right_shift"));
    ExpectPair(ScaleFromReal(bits, kVela, true), t.At(i, "vela_mult"), t.At(i, "vela_shift"));
  }
}

TEST(RescaleGolden, TheConformanceGeneratorDoublesAtTheEndAndDividesAtTheStart) {
  const auto cts = [](double scale, bool wide) {
    return ScaleFromReal(std::bit_cast<std::uint64_t>(scale), ScaleConvention::kCts, wide);
  };
  EXPECT_EQ(cts(0x1p-33, true).scale, (Scale{std::int64_t{1} << 31, 62}));
  EXPECT_EQ(cts(0x1p29, true).scale, (Scale{1 << 29, 2}));
  EXPECT_EQ(cts(0x1p30, true).scale, (Scale{1 << 28, 2}));
  EXPECT_EQ(cts(0x1p31, true).status, ScaleStatus::kTooLarge);
  EXPECT_EQ(cts(0x1p-34, true).status, ScaleStatus::kTooSmall);
  EXPECT_EQ(cts(1.0, false).scale, (Scale{1 << 14, 14}));
}

TEST(RescaleGolden, SixteenBitsOfTfliteAreTheThirtyOneRounded) {
  const auto narrow = [](double scale) {
    return ScaleFromReal(std::bit_cast<std::uint64_t>(scale), ScaleConvention::kTflite16, false)
        .scale;
  };
  EXPECT_EQ(narrow(1.0), (Scale{1 << 14, 14}));
  EXPECT_EQ(narrow(0.9999999), (Scale{0x7fff, 15}));
  EXPECT_EQ(narrow(0.75 + 0x1p-16), (Scale{24577, 15}));
  EXPECT_EQ(narrow(0.0), (Scale{0, 15}));
}

}  // namespace
}  // namespace exactcast
