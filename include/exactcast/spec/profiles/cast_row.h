// SPDX-License-Identifier: Apache-2.0
//
// The rows that profiles are made of: PairRow as the vendors' pages list pairs, CastRow with
// everything a plan needs.
#ifndef EXACTCAST_SPEC_PROFILES_CAST_ROW_H_
#define EXACTCAST_SPEC_PROFILES_CAST_ROW_H_

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
};

// The five modes of IEEE 754, which most pairs list.
inline constexpr Modes kIeeeModes = Rounding::kTiesToEven | Rounding::kTowardNegative |
                                    Rounding::kTowardPositive | Rounding::kTiesToAway |
                                    Rounding::kTowardZero;

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_PROFILES_CAST_ROW_H_
