// SPDX-License-Identifier: Apache-2.0
//
// RESCALE of every published version of Arm TOSA, as tables: the versions, the pairs that each has,
// the conditions that must be reported as errors, and where the letter of the text is not what it
// means. The arithmetic is rescale.h.
#ifndef EXACTCAST_SPEC_TOSA_RESCALE_H_
#define EXACTCAST_SPEC_TOSA_RESCALE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "exactcast/spec/format.h"
#include "exactcast/spec/format_names.h"
#include "exactcast/spec/rescale.h"
#include "exactcast/spec/tosa_version.h"

namespace exactcast::tosa {

// How a version says which pairs there are.
enum class Pairs : std::uint8_t {
  kListed14,  // integers with and without sign are types of their own
  kListed18,
  kByWidth,  // 8, 16, 32 and 48 bits, each side flagged unsigned or not, less what is an error
};

struct RescaleVersion {
  Version version;
  std::string_view profile;
  std::string_view date;
  std::string_view also;  // names of the same rules, separated by a blank
  Pairs pairs;
  ValueLimit limit;
  bool shift_has_six_bits;  // 0 to 63; later an int8
  bool checks_the_sum;      // by name; before, an int32 that overflowed was unpredictable anyway
  bool names_roundings;     // an enumeration with INEXACT_ROUND; before, double_round
};

// clang-format off
inline constexpr auto kRescaleVersions = [] {
  using enum Version;
  using enum Pairs;
  using enum ValueLimit;
  const bool y = true;
  const bool n = false;
  return std::to_array<RescaleVersion>({
  // version   profile            date          also                     pairs      limit         6 bits sum  names
  {k020,      "tosa-0.20",       "2020-10-29", "",                      kListed14, kNone,        y,     n,   n},
  {k021,      "tosa-0.21",       "2021",       "",                      kListed14, kNone,        y,     n,   n},
  {k022,      "tosa-0.22",       "2021",       "",                      kListed14, kNone,        y,     n,   n},
  {k023,      "tosa-0.23",       "2021-10-29", "",                      kListed14, kNone,        y,     n,   n},
  {k030,      "tosa-0.30",       "2022-06-19", "",                      kListed18, kShiftMinus2, y,     n,   n},
  {k040,      "tosa-0.40",       "2022-08-31", "",                      kListed18, kShiftMinus1, y,     n,   n},
  {k050,      "tosa-0.50",       "2022-12-06", "",                      kListed18, kShiftMinus1, y,     y,   n},
  {k060,      "tosa-0.60",       "2023-03-08", "",                      kListed18, kShiftMinus1, y,     y,   n},
  {k070,      "tosa-0.70",       "2023-05-29", "",                      kListed18, kShiftMinus1, n,     y,   n},
  {k080,      "tosa-0.80",       "2023-09-18", "",                      kByWidth,  kShiftMinus1, n,     y,   n},
  {k090,      "tosa-0.90",       "2024-03-26", "",                      kByWidth,  kShiftMinus1, n,     y,   n},
  {k100Rc0,   "tosa-1.0.0-rc0",  "2024-04-22", "",                      kByWidth,  kShiftMinus1, n,     y,   n},
  {k100,      "tosa-1.0",        "2025-05-16", "tosa-1.0.0 tosa-1.0.1 tosa-1.0.2", kByWidth, kShiftMinus1, n, y, y},
  {k110Draft, "tosa-1.1-draft",  "2026-08-07", "",                      kByWidth,  kShiftMinus1, n,     y,   y},
  });
}();
// clang-format on

static_assert(
    [] {
      for (std::size_t i = 0; i < kRescaleVersions.size(); ++i) {
        if (static_cast<std::size_t>(kRescaleVersions[i].version) != i) return false;
      }
      return kRescaleVersions.back().version == kLatest;
    }(),
    "rows stand in the order of Version");

constexpr const RescaleVersion& Get(Version version) noexcept {
  return kRescaleVersions[static_cast<std::size_t>(version)];
}

// The version whose profile has this name, or one of the names of the same rules.
constexpr const RescaleVersion* FindVersion(std::string_view profile) noexcept {
  for (const RescaleVersion& row : kRescaleVersions) {
    if (EqualsIgnoringCase(row.profile, profile)) return &row;
    for (std::string_view rest = row.also; !rest.empty();) {
      const std::size_t blank = rest.find(' ');
      if (EqualsIgnoringCase(rest.substr(0, blank), profile)) return &row;
      rest.remove_prefix(blank == std::string_view::npos ? rest.size() : blank + 1);
    }
  }
  return nullptr;
}

// ---- what a call says of itself -----------------------------------------------------------------

struct RescaleAttributes {
  FormatId from = FormatId::kInt8;
  FormatId to = FormatId::kInt8;
  std::int64_t input_zp = 0;
  std::int64_t output_zp = 0;
  bool scale32 = true;
  RescaleRounding rounding = RescaleRounding::kSingle;
  bool per_channel = false;
  bool rank_is_zero = false;
  bool as_printed = false;  // the letter of the text where it is not what it means
};

constexpr bool IsUnsigned(FormatId id) noexcept { return GetFormat(id).kind == Kind::kUnsigned; }
constexpr int Width(FormatId id) noexcept { return GetFormat(id).bits; }

// ---- the pairs ----------------------------------------------------------------------------------

struct RescalePair {
  FormatId from;
  FormatId to;
};

// Between integers with sign: to no more than 32 bits. All versions have these twelve.
constexpr bool IsSignedPair(FormatId from, FormatId to) noexcept {
  using enum FormatId;
  const bool known_from = from == kInt8 || from == kInt16 || from == kInt32 || from == kInt48;
  return known_from && (to == kInt8 || to == kInt16 || to == kInt32);
}

// clang-format off
inline constexpr auto kUnsignedPairs14 = std::to_array<RescalePair>({
  {FormatId::kUint8,  FormatId::kInt8},
  {FormatId::kInt8,   FormatId::kUint8},
});
inline constexpr auto kUnsignedPairs18 = std::to_array<RescalePair>({
  {FormatId::kUint8,  FormatId::kInt8},
  {FormatId::kInt8,   FormatId::kUint8},
  {FormatId::kUint8,  FormatId::kInt16},
  {FormatId::kInt16,  FormatId::kUint8},
  {FormatId::kUint16, FormatId::kInt16},
  {FormatId::kInt16,  FormatId::kUint16},
});
// clang-format on

// The type without its flag; nothing for what TOSA never rescales.
constexpr std::optional<FormatId> Signless(FormatId id) noexcept {
  using enum FormatId;
  const int bits = Width(id);
  if (!IsInteger(GetFormat(id))) return std::nullopt;
  return bits == 8    ? std::optional(kInt8)
         : bits == 16 ? std::optional(kInt16)
         : bits == 32 ? std::optional(kInt32)
         : bits == 48 ? std::optional(kInt48)
                      : std::nullopt;
}

// Whether the version's table of types has the pair; an error condition may forbid it all the same.
constexpr bool HasPair(Version version, FormatId from, FormatId to) noexcept {
  const std::optional<FormatId> in = Signless(from);
  const std::optional<FormatId> out = Signless(to);
  if (!in || !out || !IsSignedPair(*in, *out)) return false;
  if (IsSignedPair(from, to) || Get(version).pairs == Pairs::kByWidth) return true;
  const auto listed = [&](const auto& list) {
    for (const RescalePair& pair : list) {
      if (pair.from == from && pair.to == to) return true;
    }
    return false;
  };
  return Get(version).pairs == Pairs::kListed14 ? listed(kUnsignedPairs14)
                                                : listed(kUnsignedPairs18);
}

// The profile or extension of TOSA that has the pair.
constexpr std::string_view PairNeeds(Version version, FormatId from) noexcept {
  if (version < Version::k100Rc0) return "Any";
  if (Width(from) == 48) return "EXT-INT16";
  return version == Version::k100Rc0 ? "BI" : "PRO-INT";
}

// ---- the errors ---------------------------------------------------------------------------------

enum class Error : std::uint8_t {
  kInputZeroPoint,
  kOutputZeroPoint,
  kInputZeroPointRange,
  kOutputZeroPointRange,
  kUint16Printed,
  kUint16InputZeroPoint,
  kUint16OutputZeroPoint,
  kScale32OfInt48,
  kDoubleWithScale16,
  kUint16To32Bits,
  k32BitsToUint16,
  kBothUnsigned,
  kUnsignedTo32Bits,
  k32BitsToUnsigned,
  k48BitsToUnsigned,
  kUint48Input,
  kUint32Input,
  kUint32Output,
  kPerChannelOfRankZero,
};

struct ErrorIf {
  Error error;
  Version since;
  Version until;  // inclusive
  std::string_view text;
};

// clang-format off
inline constexpr auto kErrorIfs = [] {
  using enum Error;
  using enum Version;
  return std::to_array<ErrorIf>({
  // error                  since    until   what is wrong
  {kUint16Printed,          k030,    k060,   "a uint16 side: its zero point always fails the check as printed"},
  {kInputZeroPoint,         k020,    kLatest,  "input_zp other than 0, and the input is none of int8, uint8 and uint16"},
  {kOutputZeroPoint,        k020,    kLatest,  "output_zp other than 0, and the output is none of int8, uint8 and uint16"},
  {kInputZeroPointRange,    k020,    kLatest,  "input_zp outside the range of the 8-bit input"},
  {kOutputZeroPointRange,   k020,    kLatest,  "output_zp outside the range of the 8-bit output"},
  {kUint16InputZeroPoint,   k030,    kLatest,  "input_zp of a uint16 input other than 0 and 32768"},
  {kUint16OutputZeroPoint,  k030,    kLatest,  "output_zp of a uint16 output other than 0 and 32768"},
  {kScale32OfInt48,         k020,    kLatest,  "scale32 with a 48-bit input"},
  {kDoubleWithScale16,      k020,    kLatest,  "double rounding without scale32"},
  {kUint16To32Bits,         k080,    k090,   "a uint16 input with a 32-bit output"},
  {k32BitsToUint16,         k080,    k090,   "a 32-bit input with a uint16 output"},
  {kBothUnsigned,           k100Rc0, kLatest,  "both input_unsigned and output_unsigned"},
  {kUnsignedTo32Bits,       k100Rc0, kLatest,  "input_unsigned with a 32-bit output"},
  {k32BitsToUnsigned,       k100Rc0, kLatest,  "output_unsigned with a 32-bit input"},
  {k48BitsToUnsigned,       k100Rc0, kLatest,  "output_unsigned with a 48-bit input"},
  {kUint48Input,            k100,    kLatest,  "input_unsigned with a 48-bit input"},
  {kUint32Input,            k100,    kLatest,  "input_unsigned with a 32-bit input"},
  {kUint32Output,           k100,    kLatest,  "output_unsigned with a 32-bit output"},
  {kPerChannelOfRankZero,   k100Rc0, kLatest,  "per_channel with a tensor of rank 0"},
  });
}();
// clang-format on

constexpr bool IsUint16(FormatId id) noexcept { return id == FormatId::kUint16; }
constexpr bool HasZeroPoint(FormatId id) noexcept { return Width(id) == 8 || IsUint16(id); }
constexpr bool ZeroPointFits(FormatId id, std::int64_t zp) noexcept {
  return Width(id) != 8 || RangeOf(GetFormat(id)).Contains(zp);
}
constexpr bool IsUint16ZeroPoint(FormatId id, std::int64_t zp) noexcept {
  return !IsUint16(id) || zp == 0 || zp == 32768;
}

// Whether the condition holds, in whichever version.
constexpr bool Holds(Error error, const RescaleAttributes& a) noexcept {
  const bool unsigned_in = IsUnsigned(a.from);
  const bool unsigned_out = IsUnsigned(a.to);
  switch (error) {
    case Error::kInputZeroPoint:
      return !HasZeroPoint(a.from) && a.input_zp != 0;
    case Error::kOutputZeroPoint:
      return !HasZeroPoint(a.to) && a.output_zp != 0;
    case Error::kInputZeroPointRange:
      return !ZeroPointFits(a.from, a.input_zp);
    case Error::kOutputZeroPointRange:
      return !ZeroPointFits(a.to, a.output_zp);
    case Error::kUint16Printed:
      return a.as_printed && (IsUint16(a.from) || IsUint16(a.to));
    case Error::kUint16InputZeroPoint:
      return !IsUint16ZeroPoint(a.from, a.input_zp);
    case Error::kUint16OutputZeroPoint:
      return !IsUint16ZeroPoint(a.to, a.output_zp);
    case Error::kScale32OfInt48:
      return a.scale32 && Width(a.from) == 48;
    case Error::kDoubleWithScale16:
      return !a.scale32 && a.rounding == RescaleRounding::kDouble;
    case Error::kUint16To32Bits:
      return IsUint16(a.from) && Width(a.to) == 32;
    case Error::k32BitsToUint16:
      return Width(a.from) == 32 && IsUint16(a.to);
    case Error::kBothUnsigned:
      return unsigned_in && unsigned_out;
    case Error::kUnsignedTo32Bits:
      return unsigned_in && Width(a.to) == 32;
    case Error::k32BitsToUnsigned:
      return Width(a.from) == 32 && unsigned_out;
    case Error::k48BitsToUnsigned:
      return Width(a.from) == 48 && unsigned_out;
    case Error::kUint48Input:
      return unsigned_in && Width(a.from) == 48;
    case Error::kUint32Input:
      return unsigned_in && Width(a.from) == 32;
    case Error::kUint32Output:
      return unsigned_out && Width(a.to) == 32;
    case Error::kPerChannelOfRankZero:
      return a.per_channel && a.rank_is_zero;
  }
  return false;
}

constexpr bool Applies(const ErrorIf& row, Version version,
                       const RescaleAttributes& attributes) noexcept {
  return row.since <= version && version <= row.until && Holds(row.error, attributes);
}

constexpr const ErrorIf* FirstError(Version version, const RescaleAttributes& a) noexcept {
  for (const ErrorIf& row : kErrorIfs) {
    if (Applies(row, version, a)) return &row;
  }
  return nullptr;
}

// The pair is in the table of types, and no error condition forbids it whatever the zero points.
constexpr bool AllowsPair(Version version, FormatId from, FormatId to) noexcept {
  return HasPair(version, from, to) &&
         FirstError(version, {.from = from, .to = to, .scale32 = Width(from) != 48}) == nullptr;
}

constexpr bool HasInexact(Version version) noexcept { return Get(version).names_roundings; }

// The extension that a rounding needs; empty: none.
constexpr std::string_view RoundingNeeds(Version version, RescaleRounding rounding) noexcept {
  if (!HasInexact(version)) return "";
  return rounding == RescaleRounding::kDouble    ? "EXT-DOUBLEROUND"
         : rounding == RescaleRounding::kInexact ? "EXT-INEXACTROUND"
                                                 : "";
}

// ---- the call -----------------------------------------------------------------------------------

// What the arithmetic is told. As printed, from 0.80 on the value of an input with sign is read
// from a variable that is not set, and from 0.90 on the clip to an unsigned output compares the
// signed sum as if it had no sign.
constexpr RescaleRules RulesOf(Version version, const RescaleAttributes& a) noexcept {
  return {.output = RangeOf(GetFormat(a.to)),
          .input_zp = a.input_zp,
          .output_zp = a.output_zp,
          .scale32 = a.scale32,
          .rounding = a.rounding,
          .limit = Get(version).limit,
          .value_is_unset = a.as_printed && version >= Version::k080 && !IsUnsigned(a.from),
          .clip_takes_unsigned = a.as_printed && version >= Version::k090 && IsUnsigned(a.to)};
}

enum class Verdict : std::uint8_t { kValue, kUnpredictable, kError, kNoSuchPair };

// One element of a call. Shifts below 1 are not to be asked for.
struct RescaleAnswer {
  Verdict verdict = Verdict::kValue;
  std::int64_t value = 0;                     // kValue and kUnpredictable
  Unpredictable why = Unpredictable::kNone;   // kUnpredictable
  std::optional<Error> error = std::nullopt;  // kError
};

constexpr RescaleAnswer RescaleOne(Version version, const RescaleAttributes& a, const Scale& scale,
                                   std::int64_t x) noexcept {
  if (!HasPair(version, a.from, a.to)) return {.verdict = Verdict::kNoSuchPair};
  if (const ErrorIf* row = FirstError(version, a); row != nullptr) {
    return {.verdict = Verdict::kError, .error = row->error};
  }
  const Rescaled r = Rescale(x, scale, RulesOf(version, a));
  const bool sure = r.why == Unpredictable::kNone;
  return {
      .verdict = sure ? Verdict::kValue : Verdict::kUnpredictable, .value = r.value, .why = r.why};
}

}  // namespace exactcast::tosa

#endif  // EXACTCAST_SPEC_TOSA_RESCALE_H_
