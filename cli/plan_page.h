// SPDX-License-Identifier: Apache-2.0
//
// cast --explain-plan: which kernel converts, on which instruction set, and why those.
#ifndef EXACTCAST_CLI_PLAN_PAGE_H_
#define EXACTCAST_CLI_PLAN_PAGE_H_

#include <string>

#include "exactcast/cast.h"

namespace exactcast::cli {

// The page, or one line of JSON.
std::string PlanText(const Plan& plan, bool json);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_PLAN_PAGE_H_
