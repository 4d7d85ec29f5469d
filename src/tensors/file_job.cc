// SPDX-License-Identifier: Apache-2.0
//
// Planning and writing one file of tensors, as file_job.h says.
#include "src/tensors/file_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "src/containers/descriptor.h"
#include "src/containers/element_reader.h"
#include "src/containers/pump.h"
#include "src/containers/safetensors.h"

namespace exactcast {
namespace {

std::string Quoted(const std::string& name) { return fmt::format("tensor '{}'", Printable(name)); }

// Bytes of an input that an output of this kind can hold as they are. Empty: there are none.
std::string RawKind(const Decision& decision, const TensorContainer& container) {
  const StoredTensor& tensor = decision.tensor();
  if (decision.cast) return "";
  if (!tensor.member.empty()) return &container == &kNpzOutput ? tensor.member : "";
  const bool opaque = !tensor.layout.obstacle.empty() && FindDtype(tensor.type) != nullptr;
  return opaque && &container == &kSafetensorsOutput ? std::string(tensor.type) : "";
}

// Nothing: the tensor is left out.
Result<std::optional<OutputTensor>> ToOutput(const Decision& decision,
                                             const TensorContainer& container, RunState* state) {
  const StoredTensor& tensor = decision.tensor();
  OutputTensor output = {.name = tensor.name,
                         .format = decision.cast ? decision.to : tensor.layout.format,
                         .shape = tensor.layout.shape,
                         .fortran_order = tensor.layout.fortran_order,
                         .raw = RawKind(decision, container),
                         .raw_bytes = 0,
                         .deflated = tensor.deflated};
  if (!output.raw.empty()) {
    output.raw_bytes = tensor.member.empty() ? tensor.bytes : tensor.member_bytes;
    if (tensor.is_array && !tensor.layout.obstacle.empty()) {
      state->warnings.push_back(
          fmt::format("{} is copied as it is: {}", Quoted(tensor.name), tensor.layout.obstacle));
    }
  } else if (!tensor.is_array) {
    state->warnings.push_back(
        fmt::format("member '{}' is no array, and {} files hold nothing else: "
                    "it is left out",
                    Printable(tensor.name), container.name));
    return std::optional<OutputTensor>();
  } else if (!tensor.layout.obstacle.empty()) {
    const std::string_view own = !tensor.member.empty()              ? "; write .npz"
                                 : FindDtype(tensor.type) != nullptr ? "; write .safetensors"
                                                                     : "";
    return UsageError(fmt::format("{} cannot be written to a {} file: {}{}", Quoted(tensor.name),
                                  container.name, tensor.layout.obstacle, own));
  }
  return std::optional(std::move(output));
}

class NoSink : public ByteSink {
 public:
  Status Write(const void*, std::size_t) override { return {}; }
  [[nodiscard]] bool any_order() const override { return true; }
};

// One tensor on its way.
class TensorRun {
 public:
  TensorRun(const Decision& decision, std::string input_name, std::string output_name,
            RunState* state)
      : decision_(decision), tensor_(decision.tensor()), state_(*state) {
    options_.input_name =
        fmt::format("{}: {}", std::move(input_name), Quoted(decision.tensor().name));
    options_.output_name = std::move(output_name);
    options_.strict = state->request.strict;
    options_.refuse_unpredictable = RefusesUnpredictable(state->request);
    options_.counts = state->request.counts;
    options_.threads = state->request.threads;
    options_.progress = [this](std::uint64_t bytes) { return Report(bytes); };
  }

  // Through a sink that keeps nothing.
  Status Measure(Counts* counts, Statistics* statistics) {
    const Result<InputFile*> file = decision_.input->Open(decision_.index);
    if (!file.ok()) return OfInput(file.status());
    NoSink sink;
    Status status = Convert(*file, Packing::kUnpacked, &sink, counts, statistics);
    if (!status.ok()) return status;
    status = decision_.input->Finish();
    return status.ok() ? status : OfInput(status);
  }

  Status Run(const OutputTensor& output, Packing packing, ByteSink* sink, Counts* counts,
             Statistics* statistics) {
    TensorInput& input = *decision_.input;
    const bool member = !output.raw.empty() && !tensor_.member.empty();
    const Result<InputFile*> file =
        member ? input.OpenMember(decision_.index) : input.Open(decision_.index);
    if (!file.ok()) return OfInput(file.status());
    Status status;
    if (member) {
      status = CopyBytes(*file, 0, output.raw_bytes, options_, sink);
    } else if (!output.raw.empty() || IsSameOnDisk(packing)) {
      status = CopyBytes(*file, tensor_.layout.begin, tensor_.bytes, options_, sink);
    } else {
      status = Convert(*file, packing, sink, counts, statistics);
    }
    if (!status.ok()) return status;
    status = input.Finish();
    return status.ok() ? status : OfInput(status);
  }

 private:
  Status OfInput(const Status& status) const {
    return {status.code(), fmt::format("{}: {}", options_.input_name, status.message())};
  }

  [[nodiscard]] bool IsSameOnDisk(Packing packing) const {
    const bool packed_alike =
        !IsPackable(GetFormat(tensor_.layout.format)) || packing == tensor_.layout.packing;
    return !decision_.cast && !tensor_.layout.swap_bytes && packed_alike;
  }

  Status Convert(InputFile* file, Packing packing, ByteSink* sink, Counts* counts,
                 Statistics* statistics) {
    ElementReader reader(*file, tensor_.layout);
    const FormatId from = tensor_.layout.format;
    const Result<Plan>& plan =
        decision_.cast ? state_.plans.ForCast(from, decision_.to, reader.packing(), packing)
                       : state_.plans.ForCopy(from, reader.packing(), packing);
    if (!plan.ok()) return OfInput(plan.status());
    std::unique_ptr<Measurement> measurement;
    if (statistics != nullptr) {
      Result<std::unique_ptr<Measurement>> made =
          decision_.cast ? Measurement::Of(*plan)
                         : Measurement::Of(GetFormat(from), reader.packing());
      if (!made.ok()) return OfInput(made.status());
      measurement = std::move(*made);
      options_.measurement = measurement.get();
    }
    Pump pump(options_, *plan, tensor_.layout, &reader, sink);
    Status status = pump.Run();
    state_.refused_loss = pump.refused();
    if (!status.ok()) return status;
    if (decision_.cast) *counts = pump.counts();
    if (measurement != nullptr) *statistics = measurement->Take();
    if (decision_.cast && !pump.bool_warning().empty()) {
      state_.warnings.push_back(fmt::format("{}: {}", Quoted(tensor_.name), pump.bool_warning()));
    }
    return {};
  }

  bool Report(std::uint64_t bytes) {
    const std::uint64_t done = state_.done.fetch_add(bytes) + bytes;
    const auto& tell = state_.request.tensor_progress;
    return tell == nullptr || tell({.done = done, .total = state_.total, .tensor = tensor_.name});
  }

  const Decision& decision_;
  const StoredTensor& tensor_;
  RunState& state_;
  PumpOptions options_;
};

}  // namespace

std::uint64_t DataBytes(const StoredTensor& tensor) {
  return tensor.layout.obstacle.empty() ? tensor.bytes
                                        : std::max(tensor.bytes, tensor.member_bytes);
}

std::vector<std::size_t> FittingOf(const std::vector<Decision>& decisions,
                                   const std::vector<std::size_t>& chosen,
                                   const TensorContainer& container) {
  if (&container == &kSafetensorsOutput || &container == &kNpzOutput) return chosen;
  std::vector<std::size_t> fitting;
  for (const std::size_t i : chosen) {
    if (decisions[i].note != kNotSelected) fitting.push_back(i);
  }
  return fitting;
}

Result<FileJob> PlanFile(const std::string& name, const TensorContainer& container,
                         const std::vector<Decision>& decisions,
                         const std::vector<std::size_t>& chosen, const Metadata& metadata,
                         RunState* state) {
  FileJob job;
  job.name = name;
  job.container = &container;
  job.sources.reserve(chosen.size());
  job.tensors.reserve(chosen.size());
  for (const std::size_t i : chosen) {
    Result<std::optional<OutputTensor>> tensor = ToOutput(decisions[i], container, state);
    if (!tensor.ok()) {
      return Status(tensor.status().code(), fmt::format("{}: {}", name, tensor.status().message()));
    }
    if (!*tensor) continue;
    job.sources.push_back(i);
    job.tensors.push_back(std::move(**tensor));
  }
  Result<TensorLayout> layout = container.lay_out(job.tensors, metadata);
  if (!layout.ok()) {
    return Status(layout.status().code(), fmt::format("{}: {}", name, layout.status().message()));
  }
  job.layout = std::move(*layout);
  for (const std::string& warning : job.layout.warnings) {
    state->warnings.push_back(fmt::format("{}: {}", name, warning));
  }
  job.counts.resize(job.tensors.size());
  job.statistics.resize(state->request.measure ? job.tensors.size() : 0);
  for (std::size_t k = 0; k < job.tensors.size(); ++k) {
    const bool raw = !job.tensors[k].raw.empty();
    job.bytes.push_back(raw ? DataBytes(decisions[job.sources[k]].tensor()) : job.layout.bytes[k]);
  }
  return job;
}

Status RunFile(const std::vector<Decision>& decisions, const std::vector<std::string>& input_names,
               const OutputPlace& place, bool replace, FileJob* job, RunState* state) {
  const TensorFilesRequest& request = state->request;
  const bool may_stop = request.strict || RefusesUnpredictable(request);
  Result<OutputFile> file =
      OutputFile::Create(place, {.force = replace,
                                 .sync = request.sync,
                                 .hold_back = may_stop,
                                 .bytes = job->layout.file_bytes.value_or(0)});
  if (!file.ok()) return file.status();
  const auto of_output = [&](const Status& status) -> Status {
    // What the file itself says begins with its path.
    if (status.message().starts_with(job->name)) return status;
    return {status.code(), fmt::format("{}: {}", job->name, status.message())};
  };
  auto output = job->container->create(std::move(*file), job->tensors, job->layout);
  if (!output.ok()) return of_output(output.status());
  for (const std::size_t i : job->layout.order) {
    const Decision& decision = decisions[job->sources[i]];
    const Result<ByteSink*> sink = (*output)->Begin(i);
    if (!sink.ok()) return of_output(sink.status());
    TensorRun run(decision, input_names[job->sources[i]], job->name, state);
    Status status = run.Run(job->tensors[i], job->layout.packing[i], *sink, &job->counts[i],
                            request.measure && decision.cast ? &job->statistics[i] : nullptr);
    if (!status.ok()) return status;
    if (status = (*output)->End(); !status.ok()) return of_output(status);
  }
  const Status status = (*output)->Commit();
  return status.ok() ? status : of_output(status);
}

Status MeasureTensor(const Decision& decision, const std::string& input_name, RunState* state,
                     Counts* counts, Statistics* statistics) {
  return TensorRun(decision, input_name, "", state).Measure(counts, statistics);
}

}  // namespace exactcast
