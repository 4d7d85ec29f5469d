// SPDX-License-Identifier: Apache-2.0
//
// Arm TOSA's CAST in every published version: one table of pairs, each with the version that
// brought it, and what a version permits beside its default. What did not change is not repeated;
// the differences and their sources are in docs/tosa.md. Block-scaled tensors are not here.
#ifndef EXACTCAST_SPEC_PROFILES_TOSA_H_
#define EXACTCAST_SPEC_PROFILES_TOSA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "exactcast/spec/format.h"
#include "exactcast/spec/profiles/cast_row.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"
#include "exactcast/spec/tosa_version.h"

namespace exactcast::tosa {

inline constexpr auto kProfileNames = std::to_array<std::string_view>(
    {"tosa-0.20", "tosa-0.21", "tosa-0.22", "tosa-0.23", "tosa-0.30", "tosa-0.40", "tosa-0.50",
     "tosa-0.60", "tosa-0.70", "tosa-0.80", "tosa-0.90", "tosa-1.0.0-rc0", "tosa-1.0",
     "tosa-1.1-draft"});
static_assert(kProfileNames.size() == static_cast<std::size_t>(kLatest) + 1);

constexpr std::string_view ProfileName(Version version) noexcept {
  return kProfileNames[static_cast<std::size_t>(version)];
}

// ---- what a device must have --------------------------------------------------------------------

enum class Need : std::uint8_t {
  kIntegers,
  kFloats,
  kBf16,
  kE4m3,
  kE5m2,
  kBf16E4m3,
  kBf16E5m2,
  kI64,
};

// From `since` on, until the next row of the same need.
struct NeedRow {
  Need need;
  Version since;
  std::string_view words;  // profiles and extensions, as the specification spells them
};

// clang-format off
inline constexpr auto kNeeds = [] {
  using enum Need;
  using enum Version;
  return std::to_array<NeedRow>({
    {kIntegers,  k020,      "Any"},
    {kIntegers,  k100Rc0,   "BI"},
    {kIntegers,  k100,      "PRO-INT"},
    {kFloats,    k020,      "Any"},
    {kFloats,    k023,      "MI, MT"},
    {kFloats,    k100Rc0,   "MI"},
    {kFloats,    k100,      "PRO-FP"},
    {kBf16,      k030,      "MI, MT"},
    {kBf16,      k100Rc0,   "EXT-BF16"},
    {kE4m3,      k100Rc0,   "EXT-FP8E4M3"},
    {kE5m2,      k100Rc0,   "EXT-FP8E5M2"},
    {kBf16E4m3,  k100Rc0,   "EXT-BF16 and EXT-FP8E4M3"},
    {kBf16E5m2,  k100Rc0,   "EXT-BF16 and EXT-FP8E5M2"},
    {kI64,       k110Draft, "EXT-INT64"},
  });
}();
// clang-format on

constexpr std::string_view WordsOf(Need need, Version version) noexcept {
  std::string_view words;
  for (const NeedRow& row : kNeeds) {
    if (row.need == need && row.since <= version) words = row.words;
  }
  return words;
}

// ---- the pairs ----------------------------------------------------------------------------------

struct VersionedPair {
  FormatId from;
  FormatId to;
  Need need;
  Version since;
  Version until = kLatest;
};

// clang-format off
inline constexpr auto kCastPairs = [] {
  using enum FormatId;
  using enum Need;
  using enum Version;
  return std::to_array<VersionedPair>({
    // from         to              needs       since
    {kBool,          kInt8,          kIntegers,  k020},
    {kBool,          kInt16,         kIntegers,  k020},
    {kBool,          kInt32,         kIntegers,  k020},
    {kBool,          kInt64,         kI64,       k110Draft},
    {kBool,          kFloat32,       kFloats,    k110Draft},
    {kInt8,          kBool,          kIntegers,  k020},
    {kInt8,          kInt16,         kIntegers,  k020},
    {kInt8,          kInt32,         kIntegers,  k020},
    {kInt8,          kFloat16,       kFloats,    k030},
    {kInt8,          kBfloat16,      kBf16,      k030},
    {kInt8,          kFloat32,       kFloats,    k020},
    {kInt16,         kBool,          kIntegers,  k020},
    {kInt16,         kInt8,          kIntegers,  k020},
    {kInt16,         kInt32,         kIntegers,  k020},
    {kInt16,         kFloat16,       kFloats,    k030},
    {kInt16,         kBfloat16,      kBf16,      k030},
    {kInt16,         kFloat32,       kFloats,    k020},
    {kInt32,         kBool,          kIntegers,  k020},
    {kInt32,         kInt8,          kIntegers,  k020},
    {kInt32,         kInt16,         kIntegers,  k020},
    {kInt32,         kInt64,         kI64,       k110Draft},
    {kInt32,         kFloat16,       kFloats,    k030},
    {kInt32,         kBfloat16,      kBf16,      k030},
    {kInt32,         kFloat32,       kFloats,    k020},
    {kInt64,         kBool,          kI64,       k110Draft},
    {kInt64,         kInt32,         kI64,       k110Draft},
    {kFloat16,       kInt8,          kFloats,    k030},
    {kFloat16,       kInt16,         kFloats,    k030},
    {kFloat16,       kInt32,         kFloats,    k030},
    {kFloat16,       kFloat8E4m3fn,  kE4m3,      k100Rc0},
    {kFloat16,       kFloat8E5m2,    kE5m2,      k100Rc0},
    {kFloat16,       kFloat32,       kFloats,    k050},
    {kBfloat16,      kInt8,          kBf16,      k030},
    {kBfloat16,      kInt16,         kBf16,      k030},
    {kBfloat16,      kInt32,         kBf16,      k030},
    {kBfloat16,      kFloat8E4m3fn,  kBf16E4m3,  k100Rc0},
    {kBfloat16,      kFloat8E5m2,    kBf16E5m2,  k100Rc0},
    {kBfloat16,      kFloat32,       kBf16,      k050},
    {kFloat32,       kBool,          kFloats,    k110Draft},
    {kFloat32,       kInt8,          kFloats,    k020},
    {kFloat32,       kInt16,         kFloats,    k020},
    {kFloat32,       kInt32,         kFloats,    k020},
    {kFloat32,       kFloat8E4m3fn,  kE4m3,      k100Rc0},
    {kFloat32,       kFloat8E5m2,    kE5m2,      k100Rc0},
    {kFloat32,       kFloat16,       kFloats,    k050},
    {kFloat32,       kBfloat16,      kBf16,      k050},
    {kFloat8E4m3fn,  kFloat16,       kE4m3,      k100Rc0},
    {kFloat8E4m3fn,  kBfloat16,      kBf16E4m3,  k100Rc0},
    {kFloat8E4m3fn,  kFloat32,       kE4m3,      k100Rc0},
    {kFloat8E5m2,    kFloat16,       kE5m2,      k100Rc0},
    {kFloat8E5m2,    kBfloat16,      kBf16E5m2,  k100Rc0},
    {kFloat8E5m2,    kFloat32,       kE5m2,      k100Rc0},
  });
}();
// clang-format on

constexpr bool Has(const VersionedPair& pair, Version version) noexcept {
  return pair.since <= version && version <= pair.until;
}

// The types have no sign of their own: from the draft of 1.1 on the attribute input_unsigned has
// the input read as unsigned.
inline constexpr Version kInputUnsignedSince = Version::k110Draft;

constexpr FormatId AsUnsigned(FormatId id) noexcept {
  switch (id) {
    case FormatId::kInt8:
      return FormatId::kUint8;
    case FormatId::kInt16:
      return FormatId::kUint16;
    case FormatId::kInt32:
      return FormatId::kUint32;
    case FormatId::kInt64:
      return FormatId::kUint64;
    default:
      return id;
  }
}

constexpr const VersionedPair* FindVersionedPair(FormatId from, FormatId to) noexcept {
  for (const VersionedPair& pair : kCastPairs) {
    if ((pair.from == from || AsUnsigned(pair.from) == from) && pair.to == to) return &pair;
  }
  return nullptr;
}

// ---- what a version permits ---------------------------------------------------------------------

constexpr bool IsFloat8(const Format& f) noexcept { return f.bits == 8 && IsFloat(f); }

// Bits that a magnitude of the integer format needs at most.
constexpr int ValueBits(const Format& f) noexcept {
  return f.kind == Kind::kBoolean ? 1 : f.bits - (f.has_sign ? 1 : 0);
}

// Only what can change a result: an integer that always fits has no ties, and so on.
constexpr Freedoms FreedomsOf(const Format& from, const Format& to, Version version) noexcept {
  const bool may_flush = version >= Version::k060;
  Freedoms freedoms;
  if (IsFloat(from)) {
    freedoms.Add(Freedom::kFlushInput, may_flush && !IsFloat8(from) && !IsInteger(to));
    freedoms.Add(Freedom::kUnpredictable, IsInteger(to));
    freedoms.Add(Freedom::kTie, IsInteger(to) && version < Version::k060);
  }
  if (!IsFloat(to)) return freedoms;
  if (!IsFloat(from)) {  // within half a place; 0.60 to 0.80 decide the tie for fp32
    const bool decided =
        to.id == FormatId::kFloat32 && version >= Version::k060 && version < Version::k090;
    return freedoms.Add(Freedom::kTie, !decided && ValueBits(from) > to.mantissa_bits + 1);
  }
  const bool narrower = to.bits < from.bits;
  const bool has_subnormal_results = MinExponent(from) - from.mantissa_bits < MinExponent(to);
  freedoms.Add(Freedom::kTie, narrower && !IsFloat8(to) && version < Version::k100);
  freedoms.Add(Freedom::kTowardZero, narrower && version >= Version::k100);
  freedoms.Add(Freedom::kFlushResult, may_flush && !IsFloat8(to) && has_subnormal_results);
  return freedoms.Add(Freedom::kNanPattern);
}

// Whether some value of `from`, infinity included, is outside the range of `to`.
constexpr bool MayOverflow(const Format& from, const Format& to) noexcept {
  if (to.kind == Kind::kBoolean || from.kind == Kind::kBoolean) return false;
  if (IsFloat(from)) return IsInteger(to) || HasInfinity(from);
  if (IsInteger(to)) return ValueBits(from) > ValueBits(to);
  return to.id == FormatId::kFloat16 && ValueBits(from) >= 16;
}

// Integers wrap, floats to integers saturate, floats overflow to infinity. A float8_e4m3fn has NaN
// for it, by the conversion of OCP OFP8, whose overflow is judged to nearest also toward zero.
constexpr Rules RulesOf(const Format& from, const Format& to) noexcept {
  if (IsInteger(to) && !IsFloat(from)) return {.overflow = OverflowRule::kWrap};
  if (!IsFloat(to)) return {.overflow = OverflowRule::kSaturate, .nan = NanRule::kZero};
  return {.overflow = HasInfinity(to) ? OverflowRule::kInfinity : OverflowRule::kNearestInfinity};
}

constexpr Modes ModesOf(FormatId from, FormatId to, Version version) noexcept {
  const Freedoms freedoms = FreedomsOf(GetFormat(from), GetFormat(to), version);
  return freedoms.Contains(Freedom::kTowardZero) ? Rounding::kTiesToEven | Rounding::kTowardZero
                                                 : Modes(Rounding::kTiesToEven);
}

constexpr CastRow TosaCast(const PairRow& pair, Version version) noexcept {
  const Format& from = GetFormat(pair.from);
  const Format& to = GetFormat(pair.to);
  const VersionedPair& versioned = *FindVersionedPair(pair.from, pair.to);
  const bool is_signed = versioned.from == pair.from;
  const Rules rules = RulesOf(from, to);
  const bool saturates = rules.overflow == OverflowRule::kSaturate;
  return {.from = pair.from,
          .to = pair.to,
          .operation = Operation::kConvert,
          .modes = pair.modes,
          .default_mode = Rounding::kTiesToEven,
          .none_means = Rounding::kTiesToEven,
          .saturating = saturates ? std::optional(rules) : std::nullopt,
          .not_saturating = saturates ? std::nullopt : std::optional(rules),
          .saturates_by_default = saturates,
          .absent_form_accepted = !MayOverflow(from, to),
          .may_keep_nan = false,
          .may_zero_nan = false,
          .freedoms = FreedomsOf(from, to, version),
          .since = ProfileName(is_signed ? versioned.since : kInputUnsignedSince),
          .until = ProfileName(versioned.until),
          .needs = WordsOf(versioned.need, version)};
}

// ---- one table a version, made from the one above -----------------------------------------------

template <Version kVersion>
constexpr std::size_t CountPairs() noexcept {
  std::size_t count = 0;
  for (const VersionedPair& pair : kCastPairs) {
    if (!Has(pair, kVersion)) continue;
    count += kVersion >= kInputUnsignedSince && AsUnsigned(pair.from) != pair.from ? 2 : 1;
  }
  return count;
}

template <Version kVersion>
inline constexpr auto kPairsOf = [] {
  std::array<PairRow, CountPairs<kVersion>()> rows{};
  std::size_t n = 0;
  for (const VersionedPair& pair : kCastPairs) {
    if (!Has(pair, kVersion)) continue;
    rows[n++] = {pair.from, pair.to, ModesOf(pair.from, pair.to, kVersion)};
    const FormatId as_unsigned = AsUnsigned(pair.from);
    if (kVersion < kInputUnsignedSince || as_unsigned == pair.from) continue;
    rows[n++] = {as_unsigned, pair.to, ModesOf(as_unsigned, pair.to, kVersion)};
  }
  return rows;
}();

static_assert(CountPairs<Version::k020>() == 18 && CountPairs<Version::k040>() == 30 &&
              CountPairs<Version::k090>() == 34 && CountPairs<Version::k100>() == 46 &&
              CountPairs<Version::k110Draft>() == 52 + 21);

// What the draft has and we have not.
inline constexpr std::string_view kNotYet =
    "block-scaled tensors (bs32_fp8ue8m0_... with elements fp8e4m3, fp8e5m2, fp6e3m2, fp6e2m3, "
    "fp4e2m1 and mxint8): 60 pairs of CAST, 12 of CAST_FROM_BLOCK_SCALED and 12 of "
    "CAST_TO_BLOCK_SCALED";

constexpr bool IsBlockElement(FormatId id) noexcept {
  return id == FormatId::kFloat6E3m2fn || id == FormatId::kFloat6E2m3fn ||
         id == FormatId::kFloat4E2m1fn;
}

}  // namespace exactcast::tosa

#endif  // EXACTCAST_SPEC_PROFILES_TOSA_H_
