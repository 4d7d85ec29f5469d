// SPDX-License-Identifier: Apache-2.0
//
// The tensors behind a path, be it one file or the shards of a checkpoint, for reading alone.
#ifndef EXACTCAST_SRC_TENSORS_SOURCES_H_
#define EXACTCAST_SRC_TENSORS_SOURCES_H_

#include <memory>
#include <string>
#include <vector>

#include "exactcast/status.h"
#include "exactcast/tensor_files.h"
#include "src/containers/container_row.h"
#include "src/containers/tensor_input.h"
#include "src/tensors/shards.h"

namespace exactcast {

// A folder or an index, by its name where nothing is there.
bool AreShards(const std::string& path);

ReadRequest ReadRequestOf(const FileCastRequest& request);
// kUsage: the file knows what the caller says of it. For single files.
Status CheckRead(const std::string& path, const ReadRequest& request);

struct Sources {
  std::vector<TensorInput*> inputs;
  std::vector<std::string> names;  // of the inputs' files, in messages
  std::vector<std::string> files;  // the same within their folder; of a single file: empty
  std::vector<std::string> warnings;

  std::unique_ptr<TensorInput> file;  // what the inputs are held by
  Shards shards;
};

// kBadInput, kUsage; messages begin with a path.
Result<Sources> OpenSources(const std::string& path, const ReadRequest& request,
                            bool skip_unindexed);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_SOURCES_H_
