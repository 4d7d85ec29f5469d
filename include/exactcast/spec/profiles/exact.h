// SPDX-License-Identifier: Apache-2.0
//
// Profile exact: every pair in every mode, as IEEE 754-2019 clauses 4 and 7.4 have it where they
// speak.
#ifndef EXACTCAST_SPEC_PROFILES_EXACT_H_
#define EXACTCAST_SPEC_PROFILES_EXACT_H_

#include "exactcast/spec/format.h"
#include "exactcast/spec/profiles/cast_row.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"

namespace exactcast::exact {

inline constexpr Modes kEveryDeterministicMode = kIeeeModes | Rounding::kToOdd | Rounding::kNone;

constexpr CastRow ExactCast(const Format& from, const Format& to) noexcept {
  const bool to_hifloat8 = to.id == FormatId::kHifloat8;
  const bool hybrid =
      to_hifloat8 && (from.id == FormatId::kFloat32 || from.id == FormatId::kFloat16);
  const bool to_float = IsFloat(GetFormat(to.part));
  return {.from = from.id,
          .to = to.id,
          .operation = Operation::kConvert,
          .modes = hybrid ? kEveryDeterministicMode | Rounding::kHybrid : kEveryDeterministicMode,
          .default_mode = to_hifloat8 ? Rounding::kTiesToAway : Rounding::kTiesToEven,
          .none_means = Rounding::kTiesToEven,
          .saturating = Rules{.overflow = OverflowRule::kSaturate,
                              .infinity = InfinityRule::kSaturate,
                              .nan = NanRule::kKeep,
                              .negative = NegativeRule::kLowest},
          .not_saturating = Rules{.overflow = to_float ? OverflowRule::kIeee : OverflowRule::kWrap,
                                  .infinity = InfinityRule::kKeep,
                                  .nan = NanRule::kKeep,
                                  .negative = NegativeRule::kNan},
          .saturates_by_default = !to_float,
          .absent_form_accepted = false,
          .may_keep_nan = true,
          .may_zero_nan = from.id != to.id};
}

}  // namespace exactcast::exact

#endif  // EXACTCAST_SPEC_PROFILES_EXACT_H_
