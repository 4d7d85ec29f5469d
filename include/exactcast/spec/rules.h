// SPDX-License-Identifier: Apache-2.0
//
// Rules: a profile's answers to what rounding does not decide, as independent fields, so that a
// profile is a table.
#ifndef EXACTCAST_SPEC_RULES_H_
#define EXACTCAST_SPEC_RULES_H_

#include <cstdint>

namespace exactcast {

// What a cast does with a value.
enum class Operation : std::uint8_t {
  kConvert,          // to the nearest thing that the target has, by mode and rules
  kRoundToIntegral,  // to an integral value of the same float format
  kScaleToFloat16,   // int32 times a float16 scale, to float16, in four float32 steps (scaled.h)
  kScaleToInt8,      // int16 times a float32 scale plus an offset, to int8 or uint8 (scaled.h)
};

// A finite value that is outside the target's range once it has been rounded with an unbounded
// exponent.
enum class OverflowRule : std::uint8_t {
  kSaturate,  // the nearest end of the range
  kIeee,  // IEEE 754-2019 7.4: infinity or the largest finite value, by mode and sign; to odd: the
          // largest finite value
  kInfinity,         // infinity in every mode
  kNearestInfinity,  // the same, and whether it fits is asked of rounding to nearest even, in every
                     // mode
  kWrap,             // integers: the low bits of the rounded integer
};

// Where the target has no infinity all but kSaturate and kWrap give NaN, and the largest finite value where
// it has no NaN either. An infinity coming in goes to the end of an integer's range under every
// rule.
enum class InfinityRule : std::uint8_t {
  kKeep,      // infinity, or what stands for it as above
  kSaturate,  // the largest finite value of that sign
};

enum class NanRule : std::uint8_t {
  kKeep,  // NaN: quiet, sign and top payload bits kept where the target has them; +0 where it has
          // no NaN
  kZero,  // +0
};

// A negative value (not -0) to a float format without a sign.
enum class NegativeRule : std::uint8_t {
  kNan,
  kLowest,    // the least value of the format
  kDropSign,  // as if it were positive
};

// A NaN to an integer.
enum class NanToInteger : std::uint8_t { kZero, kLeast, kLargest };

// Subnormal values of formats that have them, without regard to the mode.
enum class SubnormalRule : std::uint8_t {
  kKeep,
  kFlush,  // a zero of the same sign
};

struct Rules {
  OverflowRule overflow = OverflowRule::kIeee;
  InfinityRule infinity = InfinityRule::kKeep;
  NanRule nan = NanRule::kKeep;
  NegativeRule negative = NegativeRule::kNan;
  NanToInteger nan_to_integer = NanToInteger::kZero;
  SubnormalRule subnormal_inputs = SubnormalRule::kKeep;
  SubnormalRule subnormal_results = SubnormalRule::kKeep;

  friend constexpr bool operator==(const Rules&, const Rules&) noexcept = default;
};

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_RULES_H_
