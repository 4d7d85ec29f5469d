// SPDX-License-Identifier: Apache-2.0
//
// Making plans, as plans.h says.
#include "src/tensors/plans.h"

namespace exactcast {

const Result<Plan>& Plans::ForCast(FormatId from, FormatId to, Packing in, Packing out) {
  const Key key = {true, from, to, in, out};
  auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  const CastRequest request = {.from = from,
                               .to = to,
                               .profile = request_.profile,
                               .rounding = request_.rounding,
                               .overflow = request_.overflow,
                               .nan = request_.nan,
                               .float_rounding = request_.float_rounding,
                               .flush_subnormals = request_.flush_subnormals,
                               .nan_to_integer = request_.nan_to_integer,
                               .input_packing = in,
                               .output_packing = out};
  return plans_.emplace(key, MakePlan(request)).first->second;
}

const Result<Plan>& Plans::ForCopy(FormatId format, Packing in, Packing out) {
  const Key key = {false, format, format, in, out};
  auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  return plans_
      .emplace(key,
               MakePlan({.from = format, .to = format, .input_packing = in, .output_packing = out}))
      .first->second;
}

}  // namespace exactcast
