// SPDX-License-Identifier: Apache-2.0
//
// Why a single cast gives what it gives: the source by field, what is kept and what is discarded,
// both neighbours, the tie, the rule, and the result with its error. Facts only; drawing them is
// the command's matter.
#ifndef EXACTCAST_EXPLAIN_H_
#define EXACTCAST_EXPLAIN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/reference.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/status.h"

namespace exactcast {

struct BitField {
  std::string_view label;  // sign, exponent, fraction, dot, mantissa, integer
  std::string bits;        // most significant first
};

// One element of a scalar format.
struct ElementFacts {
  std::uint64_t word = 0;
  std::string code;     // "0x3f80"
  std::string decimal;  // all digits, inf, nan
  std::string hexfloat;
  std::vector<BitField> fields;
};

// A value of the target beside the exact value.
struct Neighbour {
  ElementFacts element;
  std::string distance;  // exact decimal
};

// A step of a scaled cast.
struct ScaledStep {
  std::string what;  // "t = t * 2^-17"
  std::string decimal;
  bool rounded = false;
  bool saturated = false;
};

struct Explanation {
  const Format* from = nullptr;
  const Format* to = nullptr;
  std::string_view profile;
  Rounding rounding = Rounding::kTiesToEven;
  Overflow overflow = Overflow::kIeee;
  ElementFacts source;

  // A finite value that is rounded: its magnitude in binary, cut at the target's last place there,
  // whose weight is 2^place. Empty for zero, infinity, NaN, copies, casts to bool and scaled casts.
  std::string kept;
  std::string discarded;  // empty: everything is kept
  int place = 0;
  bool is_rounded = false;  // kept, discarded and place hold
  bool tie = false;
  std::optional<Neighbour> below;  // the largest value of the target that is not above
  std::optional<Neighbour> above;  // the least that is not below

  std::vector<ScaledStep> steps;
  std::vector<std::string> reasons;  // sentences, in the order in which the rules apply

  ElementFacts result;
  Outcome outcome = Outcome::kExact;
  std::string error;  // result minus source value, exact decimal; empty where one is not finite
  std::string
      ulp_error;  // its magnitude in units of 2^place, exact decimal; empty without a place and
                  // where the value did not fit
};

// Explains the cast of one element `word` as `request` has it; packings do not matter.
// Statuses as MakePlan; kUsage also for complex formats, whose parts are explained one by one.
Result<Explanation> Explain(const CastRequest& request, std::uint64_t word);

ElementFacts DescribeElement(std::uint64_t word, const Format& format);

// "exact", "rounded", "underflowed", "overflowed" or "nan".
std::string_view Name(Outcome outcome);

}  // namespace exactcast

#endif  // EXACTCAST_EXPLAIN_H_
