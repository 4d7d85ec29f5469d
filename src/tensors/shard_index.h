// SPDX-License-Identifier: Apache-2.0
//
// The text of a checkpoint's index, which says in which shard each tensor is:
//
//   {"metadata": {"total_size": 16}, "weight_map": {"w": "model-00001-of-00002.safetensors"}}
//
// Whether it is true is shards.h's matter.
#ifndef EXACTCAST_SRC_TENSORS_SHARD_INDEX_H_
#define EXACTCAST_SRC_TENSORS_SHARD_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exactcast/status.h"

namespace exactcast {

struct ShardIndex {
  std::vector<std::string> shards;  // in the order in which they are first named
  // Tensors in the order of the text, each with its shard's place in `shards`.
  std::vector<std::pair<std::string, std::size_t>> map;
  // Plain values of "metadata" as JSON text, total_size among them.
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> warnings;
};

// kBadInput: no JSON, not of that form, a key twice, or a shard's name that leads elsewhere.
Result<ShardIndex> ParseShardIndex(std::string_view text);

// The text, as the hub's own helper writes it, with this total_size.
std::string ShardIndexText(const ShardIndex& index, std::uint64_t total_size);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_SHARD_INDEX_H_
