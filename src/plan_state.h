// SPDX-License-Identifier: Apache-2.0
//
// What a Plan holds: the request with every default filled in, boiled down to what kernels need.
#ifndef EXACTCAST_SRC_PLAN_STATE_H_
#define EXACTCAST_SRC_PLAN_STATE_H_

#include "exactcast/cast.h"
#include "exactcast/spec/profile.h"
#include "src/kernels/kernels.h"
#include "src/kernels/params.h"

namespace exactcast {

struct PlanState {
  const Format* from = nullptr;
  const Format* to = nullptr;
  Packing input_packing = Packing::kUnpacked;
  Packing output_packing = Packing::kUnpacked;
  const Profile* profile = nullptr;
  Rounding rounding = Rounding::kTiesToEven;  // as named; params holds what it means
  Overflow overflow = Overflow::kIeee;
  bool keeps_nan = true;
  bool unpredictable_nan = false;  // the profile permits any result for a NaN
  Params params;                   // scalar: the parts of complex formats
  const KernelRow* kernel = nullptr;
};

// The way in for what stands beside plans: explanations.
struct PlanAccess {
  static const PlanState& State(const Plan& plan) { return *plan.state_; }
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_PLAN_STATE_H_
