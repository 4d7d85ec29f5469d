// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints in shards: a folder, or the index in it.
#ifndef EXACTCAST_SRC_TENSORS_CAST_FOLDER_H_
#define EXACTCAST_SRC_TENSORS_CAST_FOLDER_H_

#include "exactcast/tensor_files.h"

namespace exactcast {

// `request.input` is a folder or ends in .index.json.
Result<TensorFilesResult> CastFolder(const TensorFilesRequest& request);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_CAST_FOLDER_H_
