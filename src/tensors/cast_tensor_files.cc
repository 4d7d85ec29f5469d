// SPDX-License-Identifier: Apache-2.0
//
// CastTensorFiles: one file of tensors to another, and the choice between that and a folder of
// shards, which is cast_folder.cc's matter.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "exactcast/tensor_files.h"
#include "src/containers/descriptor.h"
#include "src/containers/pump.h"
#include "src/tensors/cast_folder.h"
#include "src/tensors/decision.h"
#include "src/tensors/file_job.h"
#include "src/tensors/outcome.h"
#include "src/tensors/scales.h"
#include "src/tensors/sources.h"

namespace exactcast {
namespace {

constexpr std::string_view kShardEnding = ".safetensors";

// "model-00001-of-00002.safetensors"
bool IsShardName(std::string_view path) {
  const std::size_t of = path.rfind("-of-");
  if (of == std::string_view::npos || !path.ends_with(kShardEnding)) return false;
  const std::string_view count = path.substr(of + 4, path.size() - of - 4 - kShardEnding.size());
  return count.find_first_not_of("0123456789") == std::string_view::npos;
}

// A tensor and its scale are often in different shards, and of one shard alone each is cast as if
// it were by itself.
bool MissesScales(const std::vector<Decision>& decisions) {
  return std::any_of(decisions.begin(), decisions.end(), [](const Decision& decision) {
    const StoredTensor& tensor = decision.tensor();
    return decision.cast && (IsNarrowFloat(GetFormat(tensor.layout.format)) ||
                             tensor.name.find("scale") != std::string::npos);
  });
}

// A single file to a single file.
class FileCast {
 public:
  explicit FileCast(const TensorFilesRequest& request) : request_(request), state_(request) {}

  Result<TensorFilesResult> Run() {
    const bool has_output = !request_.output.empty();
    const bool as_input = !has_output && ExtensionOf(request_.input) != ".gguf";
    const Result<const TensorContainer*> container =
        FindTensorContainer(has_output ? request_.output
                            : as_input ? request_.input
                                       : std::string(kSafetensorsOutput.extension));
    if (!container.ok()) return container.status();
    if (Status status = CheckRead(request_.input, ReadRequestOf(request_)); !status.ok()) {
      return status;
    }
    Result<std::unique_ptr<TensorInput>> input =
        OpenTensorInput(request_.input, ReadRequestOf(request_));
    if (!input.ok()) return input.status();
    const Result<OutputPlace> place =
        has_output ? FindPlace(**input) : Result<OutputPlace>(OutputPlace());
    if (!place.ok()) return place.status();
    return Cast(input->get(), **container, *place);
  }

 private:
  Result<OutputPlace> FindPlace(const TensorInput& input) const {
    Result<OutputPlace> place = OutputPlace::Find(request_.output);
    if (!place.ok() || !place->facts) return place;
    const std::optional<struct stat> facts = input.Facts();
    if (facts && facts->st_dev == place->facts->st_dev && facts->st_ino == place->facts->st_ino) {
      return UsageError(fmt::format("{} and {} are the same file; write to another name",
                                    InputName(request_.input), OutputName(request_.output)));
    }
    return place;
  }

  Result<TensorFilesResult> Cast(TensorInput* input, const TensorContainer& container,
                                 const OutputPlace& place) {
    for (const std::string& warning : input->warnings()) {
      state_.warnings.push_back(fmt::format("{}: {}", InputName(request_.input), warning));
    }
    const std::vector<Decision> decisions =
        Decide({input}, request_, &state_.plans, &state_.warnings);
    const std::vector<std::string> names(decisions.size(), InputName(request_.input));
    if (!request_.plan_only) {
      if (Status status = FirstRefusal(decisions, names); !status.ok()) return status;
    }
    if (IsShardName(request_.input) && !request_.ignore_scales && MissesScales(decisions)) {
      state_.warnings.push_back(fmt::format(
          "{}: is one of several shards, and scales in the others are not seen; cast the folder",
          InputName(request_.input)));
    }
    std::vector<std::size_t> all(decisions.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const std::vector<std::size_t> chosen = FittingOf(decisions, all, container);
    Result<FileJob> job = PlanFile(OutputName(request_.output), container, decisions, chosen,
                                   input->metadata(), &state_);
    if (!job.ok()) return job.status();
    if (!request_.plan_only) {
      state_.total = BytesToRead(decisions, job->sources);
      if (Status status = RunFile(decisions, names, place, request_.force, &*job, &state_);
          !status.ok()) {
        return status;
      }
    }
    job->Release();
    TensorFilesResult result = Summarise(request_, decisions, &state_);
    AddFile(*job, "", &result);
    if (chosen.size() < all.size()) LeaveOutUnselected(&result);
    Total(&result);
    result.output_is_standard_output = !request_.output.empty() && place.is_standard_output();
    return result;
  }

  const TensorFilesRequest& request_;
  RunState state_;
};

}  // namespace

bool AreTensorFiles(const std::string& input, const std::string& output) {
  return HoldsManyTensors(input) || HoldsManyTensors(output) || AreShards(input);
}

Result<TensorFilesResult> CastTensorFiles(const TensorFilesRequest& request) {
  if (request.input.empty()) {
    return UsageError("a file's name is empty; a standard stream is -");
  }
  if (request.output.empty() && !request.plan_only) return UsageError("no OUTPUT is named");
  if (Status status = CheckCounts(request); !status.ok()) return status;
  if (Status status = CheckSelection(request); !status.ok()) return status;
  if (AreShards(request.input)) return CastFolder(request);
  if (request.resume || request.skip_unindexed) {
    return UsageError(fmt::format("--{} is for checkpoints in shards, and {} is one file",
                                  request.resume ? "resume" : "skip-unindexed",
                                  InputName(request.input)));
  }
  return FileCast(request).Run();
}

}  // namespace exactcast
