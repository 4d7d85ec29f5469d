// SPDX-License-Identifier: Apache-2.0
//
// Choosing by name, type and scale, as decision.h says.
#include "src/tensors/decision.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/containers/descriptor.h"
#include "src/tensors/glob.h"
#include "src/tensors/scales.h"

namespace exactcast {
namespace {

std::string_view NameOf(FormatId format) { return GetFormat(format).name; }

// A format to itself is a copy, but for the pairs that some profile gives an operation of its own.
// Of a format to itself: only float32 has a cast there that changes anything, to integral values.
bool IsCopy(const Plan& plan) {
  return plan.from().part != FormatId::kFloat32 || plan.kernel() == "copy";
}

class Chooser {
 public:
  Chooser(const TensorFilesRequest& request, const std::vector<const StoredTensor*>& tensors,
          Plans* plans)
      : request_(request),
        tensors_(tensors),
        plans_(*plans),
        scales_(FindScales(tensors)),
        target_used_(request.targets.size()),
        include_used_(request.include.size()),
        exclude_used_(request.exclude.size()) {}

  void Choose(std::size_t i, Decision* decision) {
    const StoredTensor& tensor = *tensors_[i];
    const TensorTarget* target = FindTarget(tensor.name);
    const bool selected = IsSelected(tensor.name);
    if (target != nullptr) return ChooseTarget(i, *target, decision);
    if (!tensor.layout.obstacle.empty()) return Keep(tensor.layout.obstacle, decision);
    if (!selected) return Keep(std::string(kNotSelected), decision);
    if (!request_.has_target) return Keep("no --map names it", decision);
    if (scales_.scaled[i] != kNoTensor) {
      const std::string& scaled = tensors_[scales_.scaled[i]]->name;
      return Keep(fmt::format("scale of '{}'", Printable(scaled)), decision);
    }
    if (request_.only_floating && !IsFloat(GetFormat(tensor.layout.format))) {
      return Keep("not floating", decision);
    }
    Cast(i, request_.to, decision);
  }

  // Patterns that no tensor matched, which are more likely to be slips than to be meant.
  void WarnOfUnused(std::vector<std::string>* warnings) const {
    const auto warn = [&](std::string_view option, std::string_view pattern) {
      warnings->push_back(fmt::format("{} '{}' matches no tensor", option, Printable(pattern)));
    };
    for (std::size_t i = 0; i < target_used_.size(); ++i) {
      if (!target_used_[i]) warn("--map", request_.targets[i].pattern);
    }
    for (std::size_t i = 0; i < include_used_.size(); ++i) {
      if (!include_used_[i]) warn("--include", request_.include[i]);
    }
    for (std::size_t i = 0; i < exclude_used_.size(); ++i) {
      if (!exclude_used_[i]) warn("--exclude", request_.exclude[i]);
    }
  }

 private:
  static void Keep(std::string note, Decision* decision) { decision->note = std::move(note); }

  const TensorTarget* FindTarget(std::string_view name) {
    for (std::size_t i = 0; i < request_.targets.size(); ++i) {
      if (!MatchesPattern(request_.targets[i].pattern, name)) continue;
      target_used_[i] = true;
      return &request_.targets[i];
    }
    return nullptr;
  }

  static bool MatchesAny(const std::vector<std::string>& patterns, std::string_view name,
                         std::vector<bool>* used) {
    bool matches = false;
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      if (!MatchesPattern(patterns[i], name)) continue;
      matches = true;
      (*used)[i] = true;
    }
    return matches;
  }

  bool IsSelected(std::string_view name) {
    const bool included = MatchesAny(request_.include, name, &include_used_);
    const bool excluded = MatchesAny(request_.exclude, name, &exclude_used_);
    return (included || request_.include.empty()) && !excluded;
  }

  void ChooseTarget(std::size_t i, const TensorTarget& target, Decision* decision) {
    const StoredTensor& tensor = *tensors_[i];
    if (!target.to) return Keep("kept by --map", decision);
    if (!tensor.layout.obstacle.empty()) {
      decision->refusal = BadInput(fmt::format("tensor '{}' cannot be cast: {}",
                                               Printable(tensor.name), tensor.layout.obstacle));
      return;
    }
    Cast(i, *target.to, decision);
  }

  void Cast(std::size_t i, FormatId to, Decision* decision) {
    const StoredTensor& tensor = *tensors_[i];
    const FormatId from = tensor.layout.format;
    const Result<Plan>& plan = plans_.ForCast(from, to);
    if (from == to && (!plan.ok() || IsCopy(*plan))) {
      return Keep(fmt::format("already {}", NameOf(to)), decision);
    }
    decision->cast = true;
    decision->to = to;
    if (plan.ok()) decision->rounding = plan->rounding();
    if (scales_.scale[i] != kNoTensor && !request_.ignore_scales) {
      const std::string& scale = tensors_[scales_.scale[i]]->name;
      decision->refusal = BadInput(
          fmt::format("tensor '{}' ({}) has a scale, '{}', without which its numbers mean nothing; "
                      "--ignore-scales casts it as if it had none, --exclude keeps it as it is",
                      Printable(tensor.name), NameOf(from), Printable(scale)));
    } else if (plan.ok() && request_.measure &&
               (plan->from().kind == Kind::kComplex) != (plan->to().kind == Kind::kComplex)) {
      decision->refusal =
          Unsupported(fmt::format("tensor '{}': {} and {} have no errors that could be told",
                                  Printable(tensor.name), NameOf(from), NameOf(to)));
    } else if (!plan.ok()) {
      decision->refusal = {
          plan.status().code(),
          fmt::format("tensor '{}': {}", Printable(tensor.name), plan.status().message())};
    }
  }

  const TensorFilesRequest& request_;
  const std::vector<const StoredTensor*>& tensors_;
  Plans& plans_;
  ScaleFacts scales_;
  std::vector<bool> target_used_;
  std::vector<bool> include_used_;
  std::vector<bool> exclude_used_;
};

}  // namespace

Status CheckSelection(const TensorFilesRequest& request) {
  for (const auto* patterns : {&request.include, &request.exclude}) {
    for (const std::string& pattern : *patterns) {
      if (Status status = CheckPattern(pattern); !status.ok()) return status;
    }
  }
  for (const TensorTarget& target : request.targets) {
    if (Status status = CheckPattern(target.pattern); !status.ok()) return status;
    if (target.to && GetFormat(*target.to).use != Use::kCast) {
      return Unsupported(fmt::format("--map '{}={}': nothing is cast to {}", target.pattern,
                                     NameOf(*target.to), NameOf(*target.to)));
    }
  }
  if (request.derive_with) return UsageError("--derive-with is for files of one array");
  if (request.dequantization) return UsageError("--deqscale is for files of one array");
  if (request.packed) return UsageError("--packed is for .npy files beside raw ones");
  return {};
}

std::vector<Decision> Decide(const std::vector<TensorInput*>& inputs,
                             const TensorFilesRequest& request, Plans* plans,
                             std::vector<std::string>* warnings) {
  std::vector<const StoredTensor*> tensors;
  std::vector<Decision> decisions;
  std::size_t count = 0;
  for (const TensorInput* input : inputs) count += input->tensors().size();
  tensors.reserve(count);
  decisions.reserve(count);
  for (TensorInput* input : inputs) {
    for (std::size_t i = 0; i < input->tensors().size(); ++i) {
      tensors.push_back(&input->tensors()[i]);
      Decision& decision = decisions.emplace_back();
      decision.input = input;
      decision.index = i;
    }
  }
  Chooser chooser(request, tensors, plans);
  for (std::size_t i = 0; i < decisions.size(); ++i) chooser.Choose(i, &decisions[i]);
  chooser.WarnOfUnused(warnings);
  return decisions;
}

}  // namespace exactcast
