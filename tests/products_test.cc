// SPDX-License-Identifier: Apache-2.0
//
// The Ascend products: which pair in which mode is accepted, against the vendor's list; the forms
// of what does not fit; and what a refusal says.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "exactcast/spec/format_names.h"
#include "tests/support/csv.h"

namespace exactcast {
namespace {

using Pair = std::pair<FormatId, FormatId>;

struct Listed {
  std::map<std::string, std::map<Pair, std::string>>
      modes;  // by product; "deqscale" or modes with blanks between
  std::set<Pair> pairs;
};

Listed ReadPairs() {
  Listed listed;
  for (const auto& row : support::ReadGoldenCsv("ascend_cast_pairs.csv")) {
    const Pair pair = {*FindFormat(row[1]), *FindFormat(row[2])};
    listed.modes[row[0]][pair] = row[3];
    listed.pairs.insert(pair);
  }
  listed.modes["ascend950"][{FormatId::kBfloat16, FormatId::kFloat8E8m0fnu}] = "none";
  listed.modes["ascend950"][{FormatId::kFloat8E8m0fnu, FormatId::kBfloat16}] = "none";
  listed.pairs.insert({FormatId::kBfloat16, FormatId::kFloat8E8m0fnu});
  listed.pairs.insert({FormatId::kFloat8E8m0fnu, FormatId::kBfloat16});
  return listed;
}

bool Lists(const std::string& modes, std::string_view mode) {
  std::istringstream words(modes);
  for (std::string word; words >> word;) {
    if (word == mode) return true;
  }
  return false;
}

StatusCode CodeOf(const Result<Plan>& plan) {
  return plan.ok() ? StatusCode::kOk : plan.status().code();
}

TEST(Products, APairAndModeIsAcceptedExactlyWhereTheVendorListsIt) {
  const Listed listed = ReadPairs();
  ASSERT_EQ(listed.modes.size(), 8u);
  ASSERT_EQ(listed.pairs.size(), 66u);
  for (const auto& [product, pairs] : listed.modes) {
    for (const Pair& pair : listed.pairs) {
      const auto found = pairs.find(pair);
      for (const RoundingRow& mode : kRoundings) {
        const Result<Plan> plan = MakePlan(
            {.from = pair.first, .to = pair.second, .profile = product, .rounding = mode.rounding});
        StatusCode want = StatusCode::kUnsupported;
        if (found != pairs.end() && found->second == "deqscale")
          want = StatusCode::kUsage;  // --deqscale is missing
        if (found != pairs.end() && Lists(found->second, mode.name)) want = StatusCode::kOk;
        EXPECT_EQ(CodeOf(plan), want) << product << " " << GetFormat(pair.first).name << " to "
                                      << GetFormat(pair.second).name << " " << mode.name;
      }
    }
  }
}

TEST(Products, NoPairBesideTheListedOnesIsAccepted) {
  const Listed listed = ReadPairs();
  for (const auto& [product, pairs] : listed.modes) {
    for (const Format& from : kFormats) {
      for (const Format& to : kFormats) {
        const auto found = pairs.find({from.id, to.id});
        const bool plain = found != pairs.end() && found->second != "deqscale";
        EXPECT_EQ(MakePlan({.from = from.id, .to = to.id, .profile = product}).ok(), plain)
            << product << " " << from.name << " to " << to.name;
      }
    }
  }
}

TEST(Products, TheDefaultModeIsNoneThenRintThenRoundThenTheOnlyOne) {
  const Listed listed = ReadPairs();
  for (const auto& [product, pairs] : listed.modes) {
    for (const auto& [pair, modes] : pairs) {
      if (modes == "deqscale") continue;
      const Result<Plan> plan =
          MakePlan({.from = pair.first, .to = pair.second, .profile = product});
      ASSERT_TRUE(plan.ok());
      std::string want = modes;
      for (const char* preferred : {"round", "rint", "none"}) {
        if (Lists(modes, preferred)) want = preferred;
      }
      EXPECT_EQ(Name(plan->rounding()), want) << product << " " << modes;
    }
  }
}

Result<Plan> Form(FormatId from, FormatId to, Overflow overflow,
                  std::string_view profile = "ascend950") {
  return MakePlan({.from = from, .to = to, .profile = std::string(profile), .overflow = overflow});
}

TEST(Products, AFormThatThePairLacksIsRefusedWhereItCouldChangeAResult) {
  using enum FormatId;
  const Listed listed = ReadPairs();
  for (const auto& [pair, modes] : listed.modes.at("ascend950")) {
    if (modes == "deqscale") continue;
    const bool to_float = IsFloat(GetFormat(GetFormat(pair.second).part));
    const Overflow other = to_float ? Overflow::kIeee : Overflow::kWrap;
    const bool no_saturate = pair == Pair{kFloat64, kFloat32};
    const bool no_wrap = pair == Pair{kInt16, kUint32} || pair == Pair{kFloat64, kInt32} ||
                         pair == Pair{kFloat64, kInt64};
    EXPECT_EQ(CodeOf(Form(pair.first, pair.second, Overflow::kSaturate)),
              no_saturate ? StatusCode::kUnsupported : StatusCode::kOk);
    EXPECT_EQ(CodeOf(Form(pair.first, pair.second, other)),
              no_wrap ? StatusCode::kUnsupported : StatusCode::kOk);
    const Overflow wrong = to_float ? Overflow::kWrap : Overflow::kIeee;
    EXPECT_EQ(CodeOf(Form(pair.first, pair.second, wrong)), StatusCode::kUsage);
  }
}

TEST(Products, NanIsKeptOnlyWhereControlBit50Reaches) {
  using enum FormatId;
  const auto nan = [](FormatId from, FormatId to, NanRule rule, std::optional<Overflow> overflow,
                      std::string_view profile = "ascend950") {
    return CodeOf(MakePlan({.from = from,
                            .to = to,
                            .profile = std::string(profile),
                            .overflow = overflow,
                            .nan = rule}));
  };
  for (FormatId fp8 : {kFloat8E4m3fn, kFloat8E5m2}) {
    EXPECT_EQ(nan(kFloat32, fp8, NanRule::kKeep, Overflow::kSaturate), StatusCode::kOk);
    EXPECT_EQ(nan(kFloat32, fp8, NanRule::kZero, Overflow::kSaturate), StatusCode::kOk);
    EXPECT_EQ(nan(kFloat32, fp8, NanRule::kKeep, Overflow::kIeee), StatusCode::kOk);
    EXPECT_EQ(nan(kFloat32, fp8, NanRule::kZero, Overflow::kIeee), StatusCode::kUnsupported);
  }
  for (FormatId to : {kHifloat8, kFloat16, kBfloat16, kInt16, kInt32}) {
    EXPECT_EQ(nan(kFloat32, to, NanRule::kKeep, std::nullopt), StatusCode::kUnsupported)
        << GetFormat(to).name;
    EXPECT_EQ(nan(kFloat32, to, NanRule::kZero, std::nullopt), StatusCode::kOk)
        << GetFormat(to).name;
  }
  EXPECT_EQ(nan(kFloat16, kFloat32, NanRule::kKeep, std::nullopt), StatusCode::kOk);
  EXPECT_EQ(nan(kFloat16, kFloat32, NanRule::kZero, std::nullopt), StatusCode::kUnsupported);
  EXPECT_EQ(nan(kInt16, kUint8, NanRule::kKeep, std::nullopt), StatusCode::kOk)
      << "an integer is never NaN";
  EXPECT_EQ(nan(kFloat32, kFloat16, NanRule::kKeep, std::nullopt, "atlas-a2"),
            StatusCode::kUnsupported);

  const Plan keep = *MakePlan(
      {.from = kFloat32, .to = kFloat8E4m3fn, .profile = "ascend950", .nan = NanRule::kKeep});
  const std::vector<std::uint32_t> in = {0x7fc00000, 0x7f800000, 0x43fa0000};
  std::vector<std::uint8_t> out(in.size());
  keep.Run(in.data(), out.data(), in.size());
  EXPECT_EQ(out, (std::vector<std::uint8_t>{0x7f, 0x7e, 0x7e})) << "NaN kept, the rest saturated";
}

// Register operands only: sign and fraction are dropped, what is too large is 254, NaN is 255, zero
// and what is too small 0.
TEST(Products, Bfloat16ToE8m0DropsSignAndFraction) {
  using enum FormatId;
  for (Overflow overflow : {Overflow::kSaturate, Overflow::kIeee}) {
    const Plan plan = *Form(kBfloat16, kFloat8E8m0fnu, overflow);
    for (std::uint32_t code = 0; code < 0x10000; ++code) {
      const auto in = static_cast<std::uint16_t>(code);
      std::uint8_t out = 0;
      plan.Run(&in, &out, 1);
      const std::uint32_t exponent = (code >> 7) & 0xff;
      const std::uint32_t want = exponent == 255 ? ((code & 0x7f) != 0 ? 255 : 254) : exponent;
      ASSERT_EQ(out, want) << std::hex << code;
    }
    const Plan back = *Form(kFloat8E8m0fnu, kBfloat16, overflow);
    for (std::uint32_t code = 0; code < 256; ++code) {
      const auto in = static_cast<std::uint8_t>(code);
      std::uint16_t out = 0;
      back.Run(&in, &out, 1);
      if (code == 255) {
        EXPECT_GT(out & 0x7fff, 0x7f80);
      } else {
        EXPECT_EQ(out, code == 0 ? 0x0040u : code << 7);
      }
    }
  }
}

TEST(Products, ARefusalNamesTheModesAndTheProductsThereAre) {
  using enum FormatId;
  const auto message = [](const CastRequest& request) {
    return MakePlan(request).status().message();
  };
  EXPECT_EQ(message({.from = kFloat32,
                     .to = kFloat8E4m3fn,
                     .profile = "ascend950",
                     .rounding = Rounding::kTowardZero}),
            "ascend950 casts float32 to float8_e4m3fn with rint, not trunc; leave --round out");
  EXPECT_EQ(message({.from = kInt4, .to = kFloat16, .profile = "atlas-training"}),
            "atlas-training has no cast from int4 to float16; these have it: ascend950, atlas-a3 "
            "and atlas-a2");
  EXPECT_EQ(message({.from = kInt32, .to = kFloat16, .profile = "ascend950"}),
            "ascend950 casts int32 to float16 with a scale only; give --deqscale S");
  EXPECT_EQ(message({.from = kFloat64,
                     .to = kFloat32,
                     .profile = "ascend950",
                     .overflow = Overflow::kSaturate}),
            "ascend950 casts float64 to float32 in the form ieee only, not saturate; leave "
            "--overflow out");
  EXPECT_EQ(
      message({.from = kFloat32, .to = kInt8, .profile = "exact", .overflow = Overflow::kIeee}),
      "not to saturate is spelt wrap for int8, not ieee");
  EXPECT_EQ(message({.from = kInt48, .to = kInt8}), "int48 is known to rescale only, not to cast");
  EXPECT_EQ(message({.from = kInt8, .to = kInt16, .profile = "asend950"}),
            "unknown profile 'asend950'; did you mean ascend950?");
}

TEST(Products, HybridIsForFloat32AndFloat16ToHifloat8InEveryProfile) {
  for (const Profile& profile : kProfiles) {
    for (const Format& from : kFormats) {
      for (const Format& to : kFormats) {
        const bool hybrid = to.id == FormatId::kHifloat8 &&
                            (from.id == FormatId::kFloat32 || from.id == FormatId::kFloat16) &&
                            (profile.name == "exact" || profile.name == "ascend950");
        const Result<Plan> plan = MakePlan({.from = from.id,
                                            .to = to.id,
                                            .profile = std::string(profile.name),
                                            .rounding = Rounding::kHybrid});
        EXPECT_EQ(plan.ok(), hybrid) << profile.name << " " << from.name << " to " << to.name;
      }
    }
  }
}

}  // namespace
}  // namespace exactcast
