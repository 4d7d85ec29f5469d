// SPDX-License-Identifier: Apache-2.0
//
// One output file: which tensors go into it, what it will look like, and how their bytes get there.
// Which files a checkpoint has is shards.h's matter.
#ifndef EXACTCAST_SRC_TENSORS_FILE_JOB_H_
#define EXACTCAST_SRC_TENSORS_FILE_JOB_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "exactcast/tensor_files.h"
#include "src/containers/output_file.h"
#include "src/containers/tensor_output.h"
#include "src/tensors/decision.h"
#include "src/tensors/plans.h"

namespace exactcast {

// What all files of a run share.
struct RunState {
  explicit RunState(const TensorFilesRequest& r) : request(r), plans(r) {}

  const TensorFilesRequest& request;
  Plans plans;
  std::atomic<std::uint64_t> done = 0;  // bytes of the inputs
  std::uint64_t total = 0;
  std::vector<std::string> warnings;
  bool refused_loss = false;  // a failure that would come again
};

struct FileJob {
  std::string name;  // in messages
  const TensorContainer* container = nullptr;
  std::vector<std::size_t> sources;  // of each output tensor: its place among the decisions
  std::vector<OutputTensor> tensors;
  TensorLayout layout;
  std::vector<std::uint64_t> bytes;    // of each tensor's data
  std::vector<Counts> counts;          // once it has run
  std::vector<Statistics> statistics;  // likewise, if they are wanted

  // Lets go of what only writing needs, as lists of tensors can be large.
  void Release() {
    tensors = std::vector<OutputTensor>();  // assigning {} would keep the memory
    layout.header = std::string();
    layout.begin = std::vector<std::uint64_t>();
  }
};

// Of its data; where they are not known, of the whole member.
std::uint64_t DataBytes(const StoredTensor& tensor);

// Of the chosen what such a file can take: one of one array takes what is selected.
std::vector<std::size_t> FittingOf(const std::vector<Decision>& decisions,
                                   const std::vector<std::size_t>& chosen,
                                   const TensorContainer& container);

// The chosen of the decisions as one file. What cannot be part of such a file is refused, or, being
// no array, left out with a warning.
Result<FileJob> PlanFile(const std::string& name, const TensorContainer& container,
                         const std::vector<Decision>& decisions,
                         const std::vector<std::size_t>& chosen, const Metadata& metadata,
                         RunState* state);

// Writes the file, whole or not at all; `replace` what is there. `input_names` are those of the
// decisions' inputs, for messages.
Status RunFile(const std::vector<Decision>& decisions, const std::vector<std::string>& input_names,
               const OutputPlace& place, bool replace, FileJob* job, RunState* state);

// Reads a tensor and writes nothing: what casting it does to it, or what it is where it is not cast.
Status MeasureTensor(const Decision& decision, const std::string& input_name, RunState* state,
                     Counts* counts, Statistics* statistics);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_FILE_JOB_H_
