// SPDX-License-Identifier: Apache-2.0
//
// Indexes of checkpoints: what can be read can be written, and read again it says the same.
#include <algorithm>

#include "fuzz/fuzz_file.h"
#include "src/tensors/shard_index.h"

namespace exactcast::fuzz {
namespace {

void FuzzIndex(std::string_view text) {
  const Result<ShardIndex> index = ParseShardIndex(text);
  if (!index.ok()) return;
  for (const std::string& shard : index->shards) {
    Check(shard.find('/') == std::string::npos && shard != "..", "a shard lies beside its index");
  }
  const std::string written = ShardIndexText(*index, 7);
  const Result<ShardIndex> again = ParseShardIndex(written);
  Check(again.ok(), "what was written is read");
  Check(again->shards == index->shards && again->map == index->map, "shards and tensors are kept");
  Check(ShardIndexText(*again, 7) == written, "written again it is the same");
}

}  // namespace
}  // namespace exactcast::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  exactcast::fuzz::FuzzIndex({reinterpret_cast<const char*>(data), size});
  return 0;
}
