// SPDX-License-Identifier: Apache-2.0
//
// Rounding modes, and the only place where one is defined: RoundsAway.
#ifndef EXACTCAST_SPEC_ROUNDING_H_
#define EXACTCAST_SPEC_ROUNDING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace exactcast {

enum class Rounding : std::uint8_t {
  kTiesToEven,      // rint
  kTowardNegative,  // floor
  kTowardPositive,  // ceil
  kTiesToAway,      // round
  kTowardZero,      // trunc
  kToOdd,           // odd: inexact results end in an odd digit (von Neumann)
  kHybrid,          // to hifloat8 only: a threshold taken from the source's own low bits
  kNone,  // "no rounding asked": kTiesToEven by another name, unless a profile says otherwise
};

struct RoundingRow {
  Rounding rounding;
  std::string_view name;       // what output prints
  std::string_view long_name;  //
  std::string_view cast_name;  // Ascend C's RoundMode
};

// clang-format off
inline constexpr std::array<RoundingRow, 8> kRoundings = {{
  // rounding                  name      long name          Ascend C
  {Rounding::kTiesToEven,     "rint",   "nearest-even",    "CAST_RINT"},
  {Rounding::kTowardNegative, "floor",  "toward-negative", "CAST_FLOOR"},
  {Rounding::kTowardPositive, "ceil",   "toward-positive", "CAST_CEIL"},
  {Rounding::kTiesToAway,     "round",  "nearest-away",    "CAST_ROUND"},
  {Rounding::kTowardZero,     "trunc",  "toward-zero",     "CAST_TRUNC"},
  {Rounding::kToOdd,          "odd",    "to-odd",          "CAST_ODD"},
  {Rounding::kHybrid,         "hybrid", "hybrid",          "CAST_HYBRID"},
  {Rounding::kNone,           "none",   "none",            "CAST_NONE"},
}};
// clang-format on

static_assert(
    [] {
      for (std::size_t i = 0; i < kRoundings.size(); ++i) {
        if (static_cast<std::size_t>(kRoundings[i].rounding) != i) return false;
      }
      return true;
    }(),
    "rows stand in the order of Rounding");

constexpr std::string_view Name(Rounding r) noexcept {
  return kRoundings[static_cast<std::size_t>(r)].name;
}

// The part of a magnitude that does not fit, against half of the last kept place.
enum class Discarded : std::uint8_t { kZero, kBelowHalf, kHalf, kAboveHalf };

// All that a mode may look at. The kept part is a magnitude; "away" means one unit further from
// zero.
struct RoundingCase {
  bool negative;
  bool kept_is_odd;  // parity of the kept part's code, so that it alternates even where no fraction
                     // bit is kept
  Discarded discarded;
  bool threshold_met;  // kHybrid only
};

constexpr bool RoundsAway(Rounding rounding, const RoundingCase& c) noexcept {
  const bool inexact = c.discarded != Discarded::kZero;
  switch (rounding) {
    case Rounding::kNone:
    case Rounding::kTiesToEven:
      return c.discarded == Discarded::kAboveHalf ||
             (c.discarded == Discarded::kHalf && c.kept_is_odd);
    case Rounding::kTowardNegative:
      return c.negative && inexact;
    case Rounding::kTowardPositive:
      return !c.negative && inexact;
    case Rounding::kTiesToAway:
      return c.discarded >= Discarded::kHalf;
    case Rounding::kTowardZero:
      return false;
    case Rounding::kToOdd:
      return inexact && !c.kept_is_odd;
    case Rounding::kHybrid:
      return c.threshold_met;
  }
  return false;
}

// A set of modes: what a profile's pair lists.
class Modes {
 public:
  constexpr Modes() noexcept = default;
  constexpr Modes(Rounding r) noexcept : bits_(Bit(r)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] constexpr bool Contains(Rounding r) const noexcept { return (bits_ & Bit(r)) != 0; }

  friend constexpr Modes operator|(Modes a, Modes b) noexcept {
    Modes m;
    m.bits_ = static_cast<std::uint8_t>(a.bits_ | b.bits_);
    return m;
  }
  friend constexpr bool operator==(Modes, Modes) noexcept = default;

 private:
  static constexpr std::uint8_t Bit(Rounding r) noexcept {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(r));
  }
  std::uint8_t bits_ = 0;
};

constexpr Modes operator|(Rounding a, Rounding b) noexcept { return Modes(a) | Modes(b); }

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_ROUNDING_H_
