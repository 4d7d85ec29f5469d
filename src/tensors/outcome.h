// SPDX-License-Identifier: Apache-2.0
//
// From decisions and files to the result that callers see.
#ifndef EXACTCAST_SRC_TENSORS_OUTCOME_H_
#define EXACTCAST_SRC_TENSORS_OUTCOME_H_

#include <string>
#include <vector>

#include "exactcast/tensor_files.h"
#include "src/tensors/decision.h"
#include "src/tensors/file_job.h"

namespace exactcast {

// The first decision that refuses, under the name of its input, and how many more do. `names` are
// those of the decisions' inputs.
Status FirstRefusal(const std::vector<Decision>& decisions, const std::vector<std::string>& names);

// Bytes that moving these takes from the inputs.
std::uint64_t BytesToRead(const std::vector<Decision>& decisions,
                          const std::vector<std::size_t>& chosen);

// One outcome for each decision, still without what is known of the files. Takes the warnings.
TensorFilesResult Summarise(const TensorFilesRequest& request,
                            const std::vector<Decision>& decisions, RunState* state);

// What became of the tensors of a file.
void AddFile(const FileJob& job, const std::string& file, TensorFilesResult* result);

// A file of one array has nothing to do with what is not selected.
void LeaveOutUnselected(TensorFilesResult* result);

// Sums over all tensors.
void Total(TensorFilesResult* result);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_OUTCOME_H_
