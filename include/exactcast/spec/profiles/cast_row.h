// SPDX-License-Identifier: Apache-2.0
//
// The rows that profiles are made of: PairRow as the vendors' pages list pairs, CastRow with
// everything a plan needs.
#ifndef EXACTCAST_SPEC_PROFILES_CAST_ROW_H_
#define EXACTCAST_SPEC_PROFILES_CAST_ROW_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "exactcast/spec/format.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"

namespace exactcast {

struct PairRow {
  FormatId from;
  FormatId to;
  Modes modes;
  Operation operation = Operation::kConvert;
};

constexpr bool IsScaled(Operation operation) noexcept {
  return operation == Operation::kScaleToFloat16 || operation == Operation::kScaleToInt8;
}

// What an option of ours is called on the device.
struct SwitchRow {
  std::string_view option;
  std::string_view setting;
};

// What a specification leaves to those who implement it. The default member of the set of results
// that it permits is the one of the row's rules: to nearest even, subnormals kept, a quiet NaN.
enum class Freedom : std::uint8_t {
  kTie = 1,             // a tie may go to either neighbour
  kTowardZero = 2,      // toward zero instead of to nearest
  kFlushInput = 4,      // subnormal inputs may be taken for zero
  kFlushResult = 8,     // subnormal results may become zero
  kNanPattern = 16,     // any NaN stands for a NaN
  kUnpredictable = 32,  // a NaN to an integer may give anything
};

class Freedoms {
 public:
  constexpr Freedoms() noexcept = default;
  constexpr Freedoms& Add(Freedom freedom, bool condition = true) noexcept {
    if (condition) bits_ = static_cast<std::uint8_t>(bits_ | static_cast<unsigned>(freedom));
    return *this;
  }
  [[nodiscard]] constexpr bool Contains(Freedom freedom) const noexcept {
    return (bits_ & static_cast<unsigned>(freedom)) != 0;
  }
  friend constexpr bool operator==(const Freedoms&, const Freedoms&) noexcept = default;

 private:
  std::uint8_t bits_ = 0;
};

struct CastRow {
  FormatId from;
  FormatId to;
  Operation operation;
  Modes modes;
  Rounding default_mode;
  Rounding none_means;                  // what mode none does
  std::optional<Rules> saturating;      // absent: the pair has no such form
  std::optional<Rules> not_saturating;  //
  bool saturates_by_default;
  bool
      absent_form_accepted;  // a form that is absent may be named: no result could differ, or the pair
                             // ignores the setting
  bool may_keep_nan;         // NanRule::kKeep can be asked for in the saturating form
  bool may_zero_nan;         // NanRule::kZero can be asked for where the form keeps NaN
  Freedoms freedoms = {};
  std::string_view since = {};  // of a family of versions: the first profile with the pair,
  std::string_view until = {};  // the last one,
  std::string_view needs = {};  // and which parts of the specification a device must have
};

// The five modes of IEEE 754, which most pairs list.
inline constexpr Modes kIeeeModes = Rounding::kTiesToEven | Rounding::kTowardNegative |
                                    Rounding::kTowardPositive | Rounding::kTiesToAway |
                                    Rounding::kTowardZero;

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_PROFILES_CAST_ROW_H_
