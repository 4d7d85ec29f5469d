// SPDX-License-Identifier: Apache-2.0
//
// Results, as outcome.h says.
#include "src/tensors/outcome.h"

#include <fmt/format.h>

#include <algorithm>

namespace exactcast {
namespace {

TensorOutcome OutcomeOf(const Decision& decision) {
  const StoredTensor& tensor = decision.tensor();
  TensorOutcome outcome;
  outcome.name = tensor.name;
  outcome.from = tensor.layout.obstacle.empty() ? GetFormat(tensor.layout.format).name
                 : tensor.type.empty()          ? "bytes"
                                                : tensor.type;
  outcome.to = decision.cast ? GetFormat(decision.to).name : outcome.from;
  outcome.cast = decision.cast;
  outcome.rounding = decision.rounding;
  outcome.note = decision.note;
  outcome.refusal = decision.refusal;
  outcome.shape = tensor.layout.shape;
  outcome.elements = tensor.layout.elements.value_or(0);
  outcome.bytes_before = DataBytes(tensor);
  return outcome;
}

}  // namespace

Status FirstRefusal(const std::vector<Decision>& decisions, const std::vector<std::string>& names) {
  const auto refuses = [](const Decision& decision) { return !decision.refusal.ok(); };
  const auto first = std::find_if(decisions.begin(), decisions.end(), refuses);
  if (first == decisions.end()) return {};
  const std::string& name = names[static_cast<std::size_t>(first - decisions.begin())];
  const auto more = std::count_if(first + 1, decisions.end(), refuses);
  return {first->refusal.code(),
          fmt::format(
              "{}: {}{}", name, first->refusal.message(),
              more == 0 ? "" : fmt::format(" (so it is with {} more; --plan lists all)", more))};
}

std::uint64_t BytesToRead(const std::vector<Decision>& decisions,
                          const std::vector<std::size_t>& chosen) {
  std::uint64_t bytes = 0;
  for (const std::size_t i : chosen) {
    bytes += DataBytes(decisions[i].tensor());
  }
  return bytes;
}

TensorFilesResult Summarise(const TensorFilesRequest& request,
                            const std::vector<Decision>& decisions, RunState* state) {
  TensorFilesResult result;
  result.profile = request.profile;
  result.counted = request.counts;
  result.tensors.reserve(decisions.size());
  for (const Decision& decision : decisions) result.tensors.push_back(OutcomeOf(decision));
  result.warnings = std::move(state->warnings);
  return result;
}

void AddFile(const FileJob& job, const std::string& file, TensorFilesResult* result) {
  ++result->files;
  for (std::size_t k = 0; k < job.sources.size(); ++k) {
    TensorOutcome& outcome = result->tensors[job.sources[k]];
    outcome.file = file;
    outcome.bytes_after = job.bytes[k];
    outcome.counts = job.counts[k];
    if (!job.statistics.empty()) outcome.statistics = job.statistics[k];
  }
}

void LeaveOutUnselected(TensorFilesResult* result) {
  std::erase_if(result->tensors, [](const TensorOutcome& t) { return t.note == kNotSelected; });
}

void Total(TensorFilesResult* result) {
  for (const TensorOutcome& outcome : result->tensors) {
    result->bytes_before += outcome.bytes_before;
    result->bytes_after += outcome.bytes_after;
    result->counts += outcome.counts;
    result->statistics += outcome.statistics;
  }
}

}  // namespace exactcast
