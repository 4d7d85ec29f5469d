// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint in shards as it lies in its folder: index and shards checked against each other in
// both directions, and what else is there.
#ifndef EXACTCAST_SRC_TENSORS_SHARDS_H_
#define EXACTCAST_SRC_TENSORS_SHARDS_H_

#include <memory>
#include <string>
#include <vector>

#include "exactcast/status.h"
#include "src/containers/tensor_input.h"
#include "src/tensors/shard_index.h"

namespace exactcast {

struct Shards {
  std::string folder;
  std::string index_name;          // empty: there is none
  ShardIndex index;                // tensors that it did not name are added, each with a warning
  std::vector<std::string> files;  // of the shards, in the folder
  std::vector<std::unique_ptr<TensorInput>> inputs;  // of `files`
  std::vector<std::string> others;     // other files, as paths from the folder on; sorted
  std::vector<std::string> unindexed;  // tensors that the index does not name; sorted
  std::vector<std::string> warnings;
};

// `path` is a folder, or an index in one; `others` too, where all of it is to be copied. kBadInput,
// kUsage; messages begin with a path.
Result<Shards> OpenShards(const std::string& path, bool skip_unindexed, bool others);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_SHARDS_H_
