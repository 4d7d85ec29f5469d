// SPDX-License-Identifier: Apache-2.0
//
// The spellings of scales in published checkpoints.
#include "src/tensors/scales.h"

#include <array>
#include <string>
#include <unordered_map>

namespace exactcast {
namespace {

// Behind the name of the tensor that is scaled: "w.weight" and "w.weight_scale_inv".
constexpr auto kSuffixes = std::to_array<std::string_view>(
    {"_scale", "_scale_inv", "_scales", "_scale_2", "_scale_2_inv", "_global_scale", "_scale_1",
     "_inv_scale", ".scale", ".scales", "_scaling_factor", "_block_scale"});
// In place of its last part: "w.weight" and "w.scale_weight".
constexpr auto kPrefixes = std::to_array<std::string_view>({"scale_", "inv_scale_"});
// In place of its last part, where that is "weight": activations have scales, too.
constexpr auto kSiblings = std::to_array<std::string_view>(
    {"input_scale", "scale_input", "output_scale", "scale", "scales", "scale_inv"});
// Endings of packed weights that stand for the weight in the name of the scale: "up_blocks" and
// "up_scales", "weight_packed" and "weight_scale".
constexpr auto kPackedEndings = std::to_array<std::string_view>({"_blocks", "_packed"});

bool IsPackedName(std::string_view name) {
  for (const std::string_view ending : kPackedEndings) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

bool MayBeScaled(const StoredTensor& tensor) {
  if (!tensor.is_array) return false;
  const Format& format = GetFormat(tensor.layout.format);
  const bool packed = format.storage_bits == 8 && IsInteger(format);
  return IsNarrowFloat(format) ||
         (packed && (IsPackedName(tensor.name) || format.id == FormatId::kInt8));
}

std::vector<std::string> CandidateNames(const std::string& name) {
  std::vector<std::string> names;
  std::string stem = name;
  for (const std::string_view ending : kPackedEndings) {
    if (stem.ends_with(ending)) stem.resize(stem.size() - ending.size());
  }
  for (const std::string_view suffix : kSuffixes) names.push_back(stem + std::string(suffix));
  const std::size_t dot = stem.rfind('.');
  const std::string folder = dot == std::string::npos ? "" : stem.substr(0, dot + 1);
  const std::string leaf = stem.substr(folder.size());
  for (const std::string_view prefix : kPrefixes) {
    names.push_back(folder + std::string(prefix) + leaf);
  }
  if (leaf == "weight") {
    for (const std::string_view sibling : kSiblings) names.push_back(folder + std::string(sibling));
  }
  return names;
}

}  // namespace

bool IsNarrowFloat(const Format& format) {
  return IsFloat(format) && format.bits <= 8 && format.id != FormatId::kFloat8E8m0fnu;
}

ScaleFacts FindScales(const std::vector<const StoredTensor*>& tensors) {
  ScaleFacts facts;
  facts.scale.assign(tensors.size(), kNoTensor);
  facts.scaled.assign(tensors.size(), kNoTensor);
  bool any = false;
  for (const StoredTensor* tensor : tensors) any = any || MayBeScaled(*tensor);
  if (!any) return facts;
  std::unordered_map<std::string_view, std::size_t> by_name;
  by_name.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) by_name.emplace(tensors[i]->name, i);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!MayBeScaled(*tensors[i])) continue;
    for (const std::string& name : CandidateNames(tensors[i]->name)) {
      const auto found = by_name.find(name);
      if (found == by_name.end() || found->second == i) continue;
      if (facts.scale[i] == kNoTensor) facts.scale[i] = found->second;
      facts.scaled[found->second] = i;
    }
  }
  return facts;
}

}  // namespace exactcast
