// SPDX-License-Identifier: Apache-2.0
//
// The set of results that a specification permits for one cast, where that is more than one: by
// which freedom, if any, a result is a member. Freedoms are those of the profile's row.
#ifndef EXACTCAST_SPEC_PERMITTED_H_
#define EXACTCAST_SPEC_PERMITTED_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "exactcast/spec/codec.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/profiles/cast_row.h"
#include "exactcast/spec/reference.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"

namespace exactcast {

// The first that fits.
enum class Grounds : std::uint8_t {
  kUnpredictable,  // any result is a member
  kDefault,        // what the profile gives without options
  kNanPattern,     // another NaN
  kTie,            // the other neighbour, at the same distance; what overflows has no other
  kTowardZero,
  kFlush,     // zero for a subnormal
  kInterval,  // another integer that inexact rounding permits
  kNone,      // not permitted
};
inline constexpr std::array<std::string_view, 8> kGroundsNames = {
    "unpredictable", "default", "NaN pattern",      "other side of a tie",
    "toward zero",   "flush",   "inexact rounding", "not permitted"};
constexpr std::string_view Name(Grounds grounds) noexcept {
  return kGroundsNames[static_cast<std::size_t>(grounds)];
}

constexpr const Rules& DefaultRules(const CastRow& row) noexcept {
  return row.saturates_by_default && row.saturating ? *row.saturating : *row.not_saturating;
}

namespace internal {

// Half of the last place that `f` keeps is discarded.
constexpr bool IsTie(const Exact& x, const Format& f) noexcept {
  if (x.cls != Class::kFinite) return false;
  const int shift = LastPlace(LeadingExponent(x), f) - x.exponent;
  return shift > 0 && SplitAt(x.significand, shift).discarded == Discarded::kHalf;
}

constexpr bool IsByFlush(const Exact& x, std::uint64_t result, const Format& from, const Format& to,
                         Freedoms freedoms) noexcept {
  if (x.cls != Class::kFinite || result != FlushedToZero(x.negative, to).bits) return false;
  if (freedoms.Contains(Freedom::kFlushInput) && IsSubnormal(x, from)) return true;
  return freedoms.Contains(Freedom::kFlushResult) && IsSubnormal(x, to);
}

}  // namespace internal

// Why `result`, a word of row.to, is a permitted result for `word`. Scalar formats, plain casts.
constexpr Grounds GroundsFor(std::uint64_t word, std::uint64_t result,
                             const CastRow& row) noexcept {
  const Format& from = GetFormat(row.from);
  const Format& to = GetFormat(row.to);
  const Rules& rules = DefaultRules(row);
  const Freedoms freedoms = row.freedoms;
  const auto is_result_of = [&](Rounding rounding) {
    return Cast(word, from, to, rounding, rules).bits == result;
  };
  const Exact x = Decode(word, from);
  if (x.cls == Class::kNan && freedoms.Contains(Freedom::kUnpredictable)) {
    return Grounds::kUnpredictable;
  }
  const CastResult by_default = Cast(word, from, to, row.default_mode, rules);
  if (by_default.bits == result) return Grounds::kDefault;
  if (freedoms.Contains(Freedom::kNanPattern) && Decode(by_default.bits, to).cls == Class::kNan &&
      Decode(result, to).cls == Class::kNan) {
    return Grounds::kNanPattern;
  }
  if (freedoms.Contains(Freedom::kTie) && by_default.outcome != Outcome::kOverflowed &&
      internal::IsTie(x, to) &&
      (is_result_of(Rounding::kTiesToAway) || is_result_of(Rounding::kTowardZero))) {
    return Grounds::kTie;
  }
  if (freedoms.Contains(Freedom::kTowardZero) && is_result_of(Rounding::kTowardZero)) {
    return Grounds::kTowardZero;
  }
  return internal::IsByFlush(x, result, from, to, freedoms) ? Grounds::kFlush : Grounds::kNone;
}

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_PERMITTED_H_
