// SPDX-License-Identifier: Apache-2.0
//
// What the sources of exactcast compare share.
#ifndef EXACTCAST_CLI_COMPARE_H_
#define EXACTCAST_CLI_COMPARE_H_

#include "cli/command.h"
#include "exactcast/compare.h"

namespace exactcast::cli {

// Files of many tensors: those that differ, a line each.
Ending CompareTensors(const CompareRequest& request, bool json);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_COMPARE_H_
