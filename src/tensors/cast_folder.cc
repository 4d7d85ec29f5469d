// SPDX-License-Identifier: Apache-2.0
//
// CastFolder: shard by shard into a folder that appears when it is complete, or all shards into one
// file. How the folder appears is work_folder.h's matter, what the input is that of shards.h.
#include "src/tensors/cast_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "src/containers/descriptor.h"
#include "src/containers/pump.h"
#include "src/tensors/decision.h"
#include "src/tensors/file_job.h"
#include "src/tensors/outcome.h"
#include "src/tensors/plan_hash.h"
#include "src/tensors/shard_record.h"
#include "src/tensors/shards.h"
#include "src/tensors/work_folder.h"

namespace exactcast {
namespace {

namespace fs = std::filesystem;

bool IsWithin(const fs::path& path, const fs::path& folder) {
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

class FolderCast {
 public:
  explicit FolderCast(const TensorFilesRequest& request) : request_(request), state_(request) {}

  Result<TensorFilesResult> Run() {
    Result<Shards> shards = OpenShards(request_.input, request_.skip_unindexed, true);
    if (!shards.ok()) return shards.status();
    if (request_.from || request_.shape || request_.unpacked) {
      return UsageError(fmt::format(
          "{}: shards know their formats and shapes; leave --from, --shape and --unpacked out",
          Printable(request_.input)));
    }
    shards_ = std::move(*shards);
    state_.warnings = shards_.warnings;
    if (Status status = CheckApart(); !status.ok()) return status;
    Choose();
    if (!request_.plan_only) {
      if (Status status = FirstRefusal(decisions_, names_); !status.ok()) return status;
    }
    return IsFolderOutput() ? ToFolder() : ToFile();
  }

 private:
  // By its name: "model-fp8/" and "model-v1.5" are folders, "w.npy", "w.bin" and "-" are not. (Nor is
  // "model.index.json", which is refused as a folder.)
  [[nodiscard]] bool IsFolderOutput() const {
    const std::string& path = request_.output;
    std::error_code error;
    if (path.empty() || path.ends_with('/') || fs::is_directory(path, error)) return true;
    const std::string extension = ExtensionOf(path);
    if (extension == ".json") return true;
    const Result<const TensorContainer*> container = FindTensorContainer(path);
    const bool raw = container.ok() && (*container)->extension.empty();
    return raw && extension != ".bin" && !HandedOver(path, STDOUT_FILENO);
  }

  // Nothing is written over what is read.
  [[nodiscard]] Status CheckApart() const {
    if (request_.output.empty()) return {};
    if (!IsFolderOutput()) {
      const Result<OutputPlace> place = OutputPlace::Find(request_.output);
      return place.ok() ? CheckNotInput(*place) : place.status();
    }
    if (ExtensionOf(request_.output) == ".json") {
      return UsageError(fmt::format("{}: name the folder that the shards and their index go to",
                                    Printable(request_.output)));
    }
    std::error_code error;
    const fs::path in = fs::canonical(shards_.folder, error);
    const fs::path out = fs::weakly_canonical(fs::absolute(OutputFolder(), error), error);
    if (in != out && !IsWithin(out, in) && !IsWithin(in, out)) return {};
    return UsageError(
        fmt::format("{} and {} are the same folder, or one is in the other; write to "
                    "another place",
                    Printable(shards_.folder), Printable(request_.output)));
  }

  [[nodiscard]] std::string OutputFolder() const {
    std::string path = request_.output;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
  }

  void Choose() {
    std::vector<TensorInput*> inputs;
    for (const auto& input : shards_.inputs) inputs.push_back(input.get());
    decisions_ = Decide(inputs, request_, &state_.plans, &state_.warnings);
    chosen_.resize(inputs.size());
    for (std::size_t i = 0, shard = 0; i < decisions_.size(); ++i) {
      while (decisions_[i].input != inputs[shard]) ++shard;
      names_.push_back(Printable((fs::path(shards_.folder) / shards_.files[shard]).string()));
      const bool skipped = request_.skip_unindexed &&
                           std::binary_search(shards_.unindexed.begin(), shards_.unindexed.end(),
                                              decisions_[i].tensor().name);
      if (!skipped) chosen_[shard].push_back(i);
    }
    for (const auto& part : chosen_) state_.total += BytesToRead(decisions_, part);
  }

  // ---- All into one file ------------------------------------------------------------------------

  Result<TensorFilesResult> ToFile() {
    if (request_.resume) return UsageError("--resume goes on with folders, not with a single file");
    const Result<const TensorContainer*> container = FindTensorContainer(request_.output);
    if (!container.ok()) return container.status();
    const Result<OutputPlace> place = OutputPlace::Find(request_.output);
    if (!place.ok()) return place.status();
    std::vector<std::size_t> all;
    for (const auto& part : chosen_) all.insert(all.end(), part.begin(), part.end());
    const std::vector<std::size_t> fitting = FittingOf(decisions_, all, **container);
    Result<FileJob> job = PlanFile(OutputName(request_.output), **container, decisions_, fitting,
                                   shards_.inputs.front()->metadata(), &state_);
    if (!job.ok()) return job.status();
    state_.total = BytesToRead(decisions_, job->sources);
    if (!request_.plan_only) {
      if (Status status = RunFile(decisions_, names_, *place, request_.force, &*job, &state_);
          !status.ok()) {
        return status;
      }
    }
    TensorFilesResult result = Summarise(request_, decisions_, &state_);
    AddFile(*job, "", &result);
    if (fitting.size() < all.size()) LeaveOutUnselected(&result);
    result.output_is_standard_output = !request_.output.empty() && place->is_standard_output();
    return Finish(std::move(result));
  }

  Status CheckNotInput(const OutputPlace& place) const {
    if (!place.facts) return {};
    for (const auto& input : shards_.inputs) {
      const std::optional<struct stat> facts = input->Facts();
      if (facts && facts->st_dev == place.facts->st_dev && facts->st_ino == place.facts->st_ino) {
        return UsageError(fmt::format("{} is one of the shards of {}; write to another name",
                                      OutputName(request_.output), Printable(request_.input)));
      }
    }
    return {};
  }

  Result<TensorFilesResult> Finish(TensorFilesResult result) const {
    if (!request_.skip_unindexed) {
      Total(&result);
      return result;
    }
    std::erase_if(result.tensors, [&](const TensorOutcome& outcome) {
      return std::binary_search(shards_.unindexed.begin(), shards_.unindexed.end(), outcome.name);
    });
    Total(&result);
    return result;
  }

  // ---- Shard by shard into a folder -------------------------------------------------------------

  Result<TensorFilesResult> ToFolder() {
    for (std::size_t i = 0; i < shards_.files.size(); ++i) {
      Result<FileJob> job = PlanFile(shards_.files[i], kSafetensorsOutput, decisions_, chosen_[i],
                                     shards_.inputs[i]->metadata(), &state_);
      if (!job.ok()) return job.status();
      jobs_.push_back(std::move(*job));
    }
    if (std::find(shards_.others.begin(), shards_.others.end(), "config.json") !=
        shards_.others.end()) {
      state_.warnings.emplace_back(
          "config.json is copied as it is; its torch_dtype and quantization_config may need a "
          "change");
    }
    if (!request_.output.empty()) {
      if (Status status = CheckOutput(); !status.ok()) return status;
    }
    if (!request_.plan_only) {
      if (Status status = Write(); !status.ok()) return status;
    }
    TensorFilesResult result = Summarise(request_, decisions_, &state_);
    for (const FileJob& job : jobs_) AddFile(job, job.name, &result);
    result.resumed = resumed_;
    return Finish(std::move(result));
  }

  Status CheckOutput() const {
    for (const std::string& name : shards_.others) {  // else it would stop the run at its end
      const std::string path = (fs::path(shards_.folder) / name).string();
      if (faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0) continue;
      return BadInput(fmt::format("{}: {}; make it readable, or move it away", Printable(path),
                                  ErrorText(errno)));
    }
    std::set<std::string> names(shards_.others.begin(), shards_.others.end());
    names.insert(shards_.files.begin(), shards_.files.end());
    if (!shards_.index_name.empty()) names.insert(shards_.index_name);
    return WorkFolder::CheckPlace(request_.output, names, request_.force);
  }

  Status Write() {
    Result<WorkFolder> work = WorkFolder::Begin(
        request_.output, {.force = request_.force,
                          .resume = request_.resume,
                          .sync = request_.sync,
                          .plan = PlanHash(request_, decisions_, names_, shards_)});
    if (!work.ok()) return work.status();
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      Status status = WriteShard(i, &*work);
      if (!status.ok()) return Left(status, &*work);
    }
    for (const std::string& name : shards_.others) {
      if (Status status = CopyOther(name, &*work); !status.ok()) return Left(status, &*work);
    }
    Status status = WriteIndex(&*work);
    if (status.ok()) status = work->Publish();
    return Left(status, &*work);
  }

  // A failure, and what it leaves.
  Status Left(const Status& status, WorkFolder* work) const {
    if (state_.refused_loss) work->Discard();
    if (status.ok() || !work->holds_records()) return status;
    return {status.code(),
            fmt::format("{}; {} of {} shards are complete: --resume goes on from there",
                        status.message(), complete_, jobs_.size())};
  }

  Status WriteShard(std::size_t i, WorkFolder* work) {
    FileJob& job = jobs_[i];
    if (const auto record = work->RecordOf(job.name, job.layout.file_bytes)) {
      if (ParseShardRecord(*record, &job)) {
        state_.done += BytesToRead(decisions_, chosen_[i]);
        ++resumed_;
        ++complete_;
        return {};
      }
    }
    if (Status status = CheckUnchanged(i); !status.ok()) return status;
    const Result<std::string> path = work->PathFor(job.name);
    if (!path.ok()) return path.status();
    const Result<OutputPlace> place = OutputPlace::Find(*path);
    if (!place.ok()) return place.status();
    if (Status status = RunFile(decisions_, names_, *place, true, &job, &state_); !status.ok()) {
      return status;
    }
    ++complete_;
    job.Release();
    return work->Record(job.name, ShardRecord(job));
  }

  // The shard is open since the plan was made; what was written to it since would be cast unseen.
  Status CheckUnchanged(std::size_t i) const {
    const std::optional<struct stat> facts = shards_.inputs[i]->Facts();
    if (facts && static_cast<std::uint64_t>(facts->st_size) == shards_.inputs[i]->file_bytes()) {
      return {};
    }
    return BadInput(fmt::format("{}: changed its size while the run was on; start anew",
                                Printable((fs::path(shards_.folder) / shards_.files[i]).string())));
  }

  Status CopyOther(const std::string& name, WorkFolder* work) {
    const std::string from = (fs::path(shards_.folder) / name).string();
    Result<InputFile> input = InputFile::Open(from);
    if (!input.ok()) return input.status();
    const Result<std::string> path = work->PathFor(name);
    if (!path.ok()) return path.status();
    Result<OutputFile> output =
        OutputFile::Create(*path, {.force = true, .sync = request_.sync, .bytes = input->size()});
    if (!output.ok()) return output.status();
    FileSink sink(&*output, 0);
    PumpOptions options;
    options.input_name = Printable(from);
    options.output_name = Printable(name);
    options.threads = request_.threads;
    options.progress = [this, &name](std::uint64_t) {
      return request_.tensor_progress == nullptr ||
             request_.tensor_progress({state_.done, state_.total, name});
    };
    Status status = CopyBytes(&*input, 0, input->size(), options, &sink);
    return status.ok() ? output->Commit() : status;
  }

  Status WriteIndex(WorkFolder* work) const {
    if (shards_.index_name.empty()) return {};
    std::uint64_t total = 0;
    for (const FileJob& job : jobs_) total += job.layout.data_bytes;
    const std::string text = ShardIndexText(shards_.index, total);
    const Result<std::string> path = work->PathFor(shards_.index_name);
    if (!path.ok()) return path.status();
    Result<OutputFile> output = OutputFile::Create(*path, {.force = true, .sync = request_.sync});
    if (!output.ok()) return output.status();
    if (Status status = output->Write(text.data(), text.size()); !status.ok()) return status;
    return output->Commit();
  }

  const TensorFilesRequest& request_;
  RunState state_;
  Shards shards_;
  std::vector<Decision> decisions_;
  std::vector<std::string> names_;                // of the shard of each decision
  std::vector<std::vector<std::size_t>> chosen_;  // for each shard: its decisions
  std::vector<FileJob> jobs_;
  std::size_t complete_ = 0;
  std::size_t resumed_ = 0;
};

}  // namespace

Result<TensorFilesResult> CastFolder(const TensorFilesRequest& request) {
  return FolderCast(request).Run();
}

}  // namespace exactcast
