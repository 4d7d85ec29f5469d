// SPDX-License-Identifier: Apache-2.0
//
// Whether a format holds every value of another one: against the sets of values of all formats of at
// most 16 bits, against exact casts to wide ones, and with the witnesses that people know.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/derive.h"
#include "exactcast/spec/codec.h"
#include "exactcast/spec/derivation/loss.h"
#include "exactcast/spec/rounding.h"

namespace exactcast {
namespace {

using Value = std::tuple<int, bool, int, std::uint64_t>;

// The same value in one way: no sign of zero, an odd significand, no payload.
Value Normal(Exact x) {
  if (x.cls != Class::kFinite) {
    return {static_cast<int>(x.cls), x.negative && x.cls == Class::kInfinity, 0, 0};
  }
  while ((x.significand & 1) == 0) {
    x.significand >>= 1;
    ++x.exponent;
  }
  return {static_cast<int>(x.cls), x.negative, x.exponent, x.significand};
}

std::set<Value> ValuesOf(const Format& f) {
  std::set<Value> values;
  const std::uint64_t last = f.kind == Kind::kBoolean ? 1 : LowMask(f.bits);
  for (std::uint64_t code = 0; code <= last; ++code) values.insert(Normal(Decode(code, f)));
  return values;
}

bool IsSmall(const Format& f) { return f.kind != Kind::kComplex && f.bits <= 16; }

TEST(Losses, OfSmallFormatsAreThoseOfTheSetsOfValues) {
  std::vector<std::pair<const Format*, std::set<Value>>> formats;
  for (const Format& f : kFormats) {
    if (IsSmall(f)) formats.emplace_back(&f, ValuesOf(f));
  }
  EXPECT_EQ(formats.size(), 26u);
  for (const auto& [from, values] : formats) {
    for (const auto& [to, held] : formats) {
      const auto lost = derivation::FindLostValue(*from, *to);
      const bool all = std::includes(held.begin(), held.end(), values.begin(), values.end());
      EXPECT_EQ(!lost, all) << from->name << " to " << to->name;
      if (!lost) continue;
      EXPECT_TRUE(values.count(Normal(lost->value)) == 1) << from->name << " to " << to->name;
      EXPECT_TRUE(held.count(Normal(lost->value)) == 0) << from->name << " to " << to->name;
    }
  }
}

// Small to wide: a value is held if it is cast exactly.
TEST(Losses, OfSmallFormatsInWideOnesAreThoseOfExactCasts) {
  for (const Format& from : kFormats) {
    if (!IsSmall(from) || from.use != Use::kCast) continue;
    for (const Format& to : kFormats) {
      if (IsSmall(to) || to.kind == Kind::kComplex || to.use != Use::kCast) continue;
      const Result<Plan> plan =
          MakePlan({.from = from.id, .to = to.id, .rounding = Rounding::kTowardZero});
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      bool all = true;
      const std::uint64_t last = from.kind == Kind::kBoolean ? 1 : LowMask(from.bits);
      for (std::uint64_t code = 0; code <= last; ++code) {
        std::uint64_t word = 0;
        plan->Run(&code, &word, 1);
        all = all && Normal(Decode(word, to)) == Normal(Decode(code, from));
      }
      EXPECT_EQ(!derivation::FindLostValue(from, to), all) << from.name << " to " << to.name;
    }
  }
}

TEST(Losses, OfWideFormatsHaveTheWitnessesThatPeopleKnow) {
  using enum FormatId;
  const std::tuple<FormatId, FormatId, const char*> witnesses[] = {
      {kInt32, kBfloat16, "257"},
      {kInt32, kFloat16, "2049"},
      {kInt32, kFloat32, "16777217"},
      {kInt64, kFloat64, "9007199254740993"},
      {kUint64, kFloat64, "9007199254740993"},
      {kUint32, kInt32, "2147483648"},
      {kInt64, kUint64, "-1"},
      {kUint64, kInt64, "9223372036854775808"},
      {kFloat32, kBfloat16, "1.00000011920928955078125"},
      {kFloat64, kInt64, "1.0000000000000002220446049250313080847263336181640625"},
      {kFloat64, kFloat32, "1.0000000000000002220446049250313080847263336181640625"},
      {kTfloat32, kFloat16, "65536"},
      {kComplex128, kComplex64, "1.0000000000000002220446049250313080847263336181640625"},
      {kComplex64, kFloat64, "the imaginary part"},
      {kInt64, kComplex64, "16777217"},
      {kFloat32, kBool, "1.00000011920928955078125"},
  };
  for (const auto& [from, to, witness] : witnesses) {
    EXPECT_EQ(FindLoss(from, to), witness) << GetFormat(from).name << " to " << GetFormat(to).name;
  }
  for (const auto& [from, to] : {std::pair{kInt32, kFloat64},
                                 {kUint32, kInt64},
                                 {kFloat32, kFloat64},
                                 {kFloat32, kTfloat32},
                                 {kTfloat32, kFloat32},
                                 {kFloat16, kTfloat32},
                                 {kBfloat16, kTfloat32},
                                 {kComplex32, kComplex64},
                                 {kFloat32, kComplex64},
                                 {kInt16, kComplex64},
                                 {kUint48, kInt64},
                                 {kInt48, kFloat64}}) {
    const bool lossy = from == kFloat32 && to == kTfloat32;
    EXPECT_EQ(FindLoss(from, to).has_value(), lossy) << GetFormat(from).name;
  }
}

TEST(Losses, OfPythonNumbersAreThoseOfAllIntegersAndOfDouble) {
  const auto lost = [](Weak weak, FormatId tensor) {
    return Derive("numpy", {{OperandKind::kTensor, tensor}, {OperandKind::kPython, weak}})
        ->operands[1]
        .lost;
  };
  EXPECT_EQ(lost(Weak::kInt, FormatId::kInt8), "128");
  EXPECT_EQ(lost(Weak::kInt, FormatId::kUint64), "18446744073709551616");
  EXPECT_EQ(lost(Weak::kInt, FormatId::kFloat64), "9007199254740993");
  EXPECT_EQ(lost(Weak::kFloat, FormatId::kFloat32),
            "1.0000000000000002220446049250313080847263336181640625");
  EXPECT_EQ(lost(Weak::kFloat, FormatId::kFloat64), std::nullopt);
  EXPECT_EQ(lost(Weak::kBool, FormatId::kInt8), std::nullopt);
}

}  // namespace
}  // namespace exactcast
