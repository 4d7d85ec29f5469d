// SPDX-License-Identifier: Apache-2.0
//
// What a run over shards does, in one line: a later run goes on with it only where the line is the
// same. It tells slips apart, not attacks.
#ifndef EXACTCAST_SRC_TENSORS_PLAN_HASH_H_
#define EXACTCAST_SRC_TENSORS_PLAN_HASH_H_

#include <string>
#include <vector>

#include "exactcast/tensor_files.h"
#include "src/tensors/decision.h"
#include "src/tensors/shards.h"

namespace exactcast {

// Over every tensor with its place, type, shape and target, the options that change a bit, and the
// size and time of every shard.
std::string PlanHash(const TensorFilesRequest& request, const std::vector<Decision>& decisions,
                     const std::vector<std::string>& files, const Shards& shards);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_PLAN_HASH_H_
