// SPDX-License-Identifier: Apache-2.0
//
// InspectTensorFiles: the decisions of a cast, and each tensor through its plan into nothing.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "exactcast/tensor_files.h"
#include "src/containers/pump.h"
#include "src/tensors/decision.h"
#include "src/tensors/file_job.h"
#include "src/tensors/outcome.h"
#include "src/tensors/sources.h"

namespace exactcast {
namespace {

TensorFilesRequest Measured(TensorFilesRequest request) {
  request.measure = true;
  request.strict = false;
  return request;
}

class Inspection {
 public:
  explicit Inspection(const TensorFilesRequest& request)
      : request_(Measured(request)), state_(request_) {}

  Result<TensorFilesResult> Run() {
    if (Status status = CheckCounts(request_); !status.ok()) return status;
    if (Status status = CheckSelection(request_); !status.ok()) return status;
    Result<Sources> sources =
        OpenSources(request_.input, ReadRequestOf(request_), request_.skip_unindexed);
    if (!sources.ok()) return sources.status();
    state_.warnings = sources->warnings;
    const std::vector<Decision> decisions =
        Decide(sources->inputs, request_, &state_.plans, &state_.warnings);
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      if (IsMeasured(decisions[i])) measured_.push_back(i);
    }
    state_.total = BytesToRead(decisions, measured_);
    TensorFilesResult result = Summarise(request_, decisions, &state_);
    if (Status status = Measure(*sources, decisions, &result); !status.ok()) return status;
    result.warnings.insert(result.warnings.end(), state_.warnings.begin(), state_.warnings.end());
    LeaveOutUnselected(&result);
    std::erase_if(result.tensors, [&](const TensorOutcome& outcome) {
      return std::binary_search(sources->shards.unindexed.begin(), sources->shards.unindexed.end(),
                                outcome.name) &&
             request_.skip_unindexed;
    });
    Total(&result);
    return result;
  }

 private:
  [[nodiscard]] bool IsMeasured(const Decision& decision) const {
    if (request_.has_target || !request_.targets.empty()) {
      return decision.cast && decision.refusal.ok();
    }
    const StoredTensor& tensor = decision.tensor();
    return decision.note != kNotSelected && tensor.is_array && tensor.layout.obstacle.empty();
  }

  Status Measure(const Sources& sources, const std::vector<Decision>& decisions,
                 TensorFilesResult* result) {
    std::size_t file = 0;
    auto next = measured_.begin();
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      while (decisions[i].input != sources.inputs[file]) ++file;
      TensorOutcome& outcome = result->tensors[i];
      outcome.file = sources.files[file];
      if (next == measured_.end() || *next != i) continue;
      ++next;
      Status status = MeasureTensor(decisions[i], sources.names[file], &state_, &outcome.counts,
                                    &outcome.statistics);
      if (!status.ok()) return status;
      if (!outcome.cast) outcome.note.clear();
    }
    return {};
  }

  const TensorFilesRequest request_;
  RunState state_;
  std::vector<std::size_t> measured_;  // of the decisions
};

}  // namespace

Result<TensorFilesResult> InspectTensorFiles(const TensorFilesRequest& request) {
  return Inspection(request).Run();
}

}  // namespace exactcast
