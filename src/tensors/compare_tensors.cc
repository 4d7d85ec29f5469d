// SPDX-License-Identifier: Apache-2.0
//
// CompareTensorFiles: tensors paired by name, and each pair by compare_arrays.h.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exactcast/compare.h"
#include "exactcast/tensor_files.h"
#include "src/compare_arrays.h"
#include "src/containers/descriptor.h"
#include "src/containers/tensor_input.h"
#include "src/difference_tally.h"
#include "src/tensors/sources.h"

namespace exactcast {
namespace {

// A tensor of one of the two.
struct Place {
  TensorInput* input;
  std::size_t index;
  const std::string* file;  // in messages

  [[nodiscard]] const StoredTensor& tensor() const { return input->tensors()[index]; }
  [[nodiscard]] bool IsBytes() const {
    return !tensor().is_array || !tensor().layout.obstacle.empty();
  }
  [[nodiscard]] std::string Type() const {
    if (!IsBytes()) return std::string(GetFormat(tensor().layout.format).name);
    return tensor().type.empty() ? "bytes" : std::string(tensor().type);
  }
};

std::vector<Place> PlacesOf(const Sources& sources) {
  std::vector<Place> places;
  for (std::size_t file = 0; file < sources.inputs.size(); ++file) {
    for (std::size_t i = 0; i < sources.inputs[file]->tensors().size(); ++i) {
      places.push_back({sources.inputs[file], i, &sources.names[file]});
    }
  }
  return places;
}

Status CheckRequest(const CompareRequest& request) {
  if (request.permitted || request.packed) {
    return UsageError(fmt::format("{} is for files of one array; leave it out",
                                  request.packed ? "--packed" : "--permitted"));
  }
  const auto knows = [](const std::string& path) {
    return AreShards(path) || HoldsManyTensors(path);
  };
  if (!knows(request.a) || !knows(request.b)) return {};
  if (!request.format && !request.shape && !request.unpacked) return {};
  return UsageError(fmt::format("both files know their formats and shapes; leave {} out",
                                request.format  ? "--format"
                                : request.shape ? "--shape"
                                                : "--unpacked"));
}

Result<Sources> Open(const CompareRequest& request, const std::string& path) {
  ReadRequest read;
  if (!AreShards(path) && !HoldsManyTensors(path)) {
    read.from = request.format;
    read.shape = request.shape;
    read.unpacked = request.unpacked;
    read.from_option = "--format";
  }
  return OpenSources(path, read, false);
}

// One side of a pair, open; `bytes` where it is taken for bytes.
struct OpenSide {
  ArraySide side;
  InputLayout bytes;

  Status Begin(const Place& place, bool as_bytes) {
    side.name = fmt::format("{}: tensor '{}'", *place.file, Printable(place.tensor().name));
    const StoredTensor& tensor = place.tensor();
    const bool is_member = as_bytes && !tensor.member.empty();
    const Result<InputFile*> file =
        is_member ? place.input->OpenMember(place.index) : place.input->Open(place.index);
    if (!file.ok()) {
      return {file.status().code(), fmt::format("{}: {}", side.name, file.status().message())};
    }
    side.file = *file;
    side.layout = &tensor.layout;
    if (!as_bytes) return {};
    bytes.format = FormatId::kUint8;
    bytes.elements = is_member ? tensor.member_bytes : tensor.bytes;
    bytes.shape = {*bytes.elements};
    bytes.begin = is_member ? 0 : tensor.layout.begin;
    side.layout = &bytes;
    return {};
  }
};

class Comparing {
 public:
  explicit Comparing(const CompareRequest& request) : request_(request) {}

  Result<TensorsCompareResult> Run() {
    if (Status status = CheckRequest(request_); !status.ok()) return status;
    Result<std::optional<NearEnough>> near = ParseNearEnough(request_);
    if (!near.ok()) return near.status();
    near_ = std::move(*near);
    const Result<Sources> a = Open(request_, request_.a);
    if (!a.ok()) return a.status();
    const Result<Sources> b = Open(request_, request_.b);
    if (!b.ok()) return b.status();
    for (const Sources* sources : {&*a, &*b}) {
      result_.warnings.insert(result_.warnings.end(), sources->warnings.begin(),
                              sources->warnings.end());
    }
    if (Status status = Pair(PlacesOf(*a), PlacesOf(*b)); !status.ok()) return status;
    return std::move(result_);
  }

 private:
  Status Pair(const std::vector<Place>& of_a, const std::vector<Place>& of_b) {
    std::unordered_map<std::string_view, const Place*> rest;
    for (const Place& place : of_b) rest.emplace(place.tensor().name, &place);
    for (const Place& place : of_a) {
      const auto found = rest.find(place.tensor().name);
      if (found == rest.end()) {
        AddOne(place, TensorVerdict::kOnlyInA);
        continue;
      }
      if (Status status = Compare(place, *found->second); !status.ok()) return status;
      rest.erase(found);
    }
    for (const Place& place : of_b) {
      if (rest.contains(place.tensor().name)) AddOne(place, TensorVerdict::kOnlyInB);
    }
    return {};
  }

  void AddOne(const Place& place, TensorVerdict verdict) {
    TensorComparison& comparison = result_.tensors.emplace_back();
    comparison.name = place.tensor().name;
    comparison.verdict = verdict;
    const bool in_a = verdict == TensorVerdict::kOnlyInA;
    (in_a ? comparison.format_a : comparison.format_b) = place.Type();
    (in_a ? comparison.shape_a : comparison.shape_b) = place.tensor().layout.shape;
  }

  Status Compare(const Place& a, const Place& b) {
    TensorComparison& comparison = result_.tensors.emplace_back();
    comparison.name = a.tensor().name;
    comparison.format_a = a.Type();
    comparison.format_b = b.Type();
    comparison.shape_a = a.tensor().layout.shape;
    comparison.shape_b = b.tensor().layout.shape;
    if (comparison.shape_a != comparison.shape_b) {
      comparison.verdict = TensorVerdict::kOtherShape;
      return {};
    }
    const bool as_bytes = a.IsBytes() && b.IsBytes();
    if (comparison.format_a != comparison.format_b) {
      comparison.verdict = TensorVerdict::kOtherFormat;
      if (a.IsBytes() || b.IsBytes()) return {};
    }
    OpenSide of_a;
    OpenSide of_b;
    if (Status status = of_a.Begin(a, as_bytes); !status.ok()) return status;
    if (Status status = of_b.Begin(b, as_bytes); !status.ok()) return status;
    return comparison.verdict == TensorVerdict::kOtherFormat
               ? Measure(of_a.side, of_b.side, &comparison)
               : Compare(of_a.side, of_b.side, &comparison);
  }

  static Status Measure(const ArraySide& a, const ArraySide& b, TensorComparison* comparison) {
    Result<Statistics> statistics = MeasureArrays(a, b);
    if (statistics.ok()) {
      comparison->statistics = std::move(*statistics);
    } else if (statistics.status().code() != StatusCode::kUnsupported) {
      return statistics.status();
    }
    return {};
  }

  Status Compare(const ArraySide& a, const ArraySide& b, TensorComparison* comparison) {
    if (*a.layout->elements != *b.layout->elements) {  // of bytes
      comparison->verdict = TensorVerdict::kOtherShape;
      comparison->shape_a = a.layout->shape;
      comparison->shape_b = b.layout->shape;
      return {};
    }
    Result<CompareResult> result = CompareArrays(request_, near_, a, b, nullptr, nullptr);
    if (!result.ok()) return result.status();
    comparison->format = result->format;
    comparison->verdict = result->agree() ? TensorVerdict::kAgree : TensorVerdict::kDiffer;
    comparison->differences = std::move(result->differences);
    return {};
  }

  const CompareRequest& request_;
  std::optional<NearEnough> near_;
  TensorsCompareResult result_;
};

}  // namespace

std::uint64_t TensorsCompareResult::Count(TensorVerdict verdict) const {
  return static_cast<std::uint64_t>(
      std::count_if(tensors.begin(), tensors.end(),
                    [&](const TensorComparison& tensor) { return tensor.verdict == verdict; }));
}

Result<TensorsCompareResult> CompareTensorFiles(const CompareRequest& request) {
  return Comparing(request).Run();
}

}  // namespace exactcast
