// SPDX-License-Identifier: Apache-2.0
//
// RescaleFile: a container through a plan of RESCALE into another. How containers look and how
// files appear is containers/'s matter.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "exactcast/number_text.h"
#include "exactcast/rescale.h"
#include "src/containers/container_row.h"
#include "src/containers/descriptor.h"
#include "src/containers/element_reader.h"
#include "src/containers/output_file.h"
#include "src/kernels/words.h"

namespace exactcast {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;  // elements

// 48-bit integers lie in containers of 64.
FormatId StoredAs(FormatId id) {
  return id == FormatId::kInt48    ? FormatId::kInt64
         : id == FormatId::kUint48 ? FormatId::kUint64
                                   : id;
}
FormatId RescaledAs(FormatId id) {
  return id == FormatId::kInt64    ? FormatId::kInt48
         : id == FormatId::kUint64 ? FormatId::kUint48
                                   : id;
}

class FileRescale {
 public:
  explicit FileRescale(const FileRescaleRequest& request)
      : request_(request),
        rescale_(request.rescale),
        input_name_(InputName(request.input)),
        output_name_(OutputName(request.output)) {}

  Result<FileRescaleResult> Run() {
    if (Status status = CheckRequest(); !status.ok()) return status;
    std::optional<OutputPlace> place;
    if (writes()) {
      Result<OutputPlace> found = OutputPlace::Find(request_.output);
      if (!found.ok()) return found.status();
      place = std::move(*found);
    }
    Result<InputFile> input = InputFile::Open(request_.input);
    if (!input.ok()) return input.status();
    if (place && place->facts && input->IsSameFileAs(*place->facts)) {
      return UsageError(fmt::format("{} and {} are the same file; write to another name",
                                    input_name_, output_name_));
    }
    if (Status status = ReadLayout(&*input); !status.ok()) return status;
    const Result<RescalePlan> plan = MakePlan(rescale_.rounding);
    if (!plan.ok()) return plan.status();
    if (Status status = CheckChannels(); !status.ok()) return status;
    ElementReader reader(*input, in_);
    return place ? RunInto(*plan, *place, &reader) : RunAlone(*plan, &reader);
  }

 private:
  [[nodiscard]] bool writes() const { return !request_.output.empty(); }
  [[nodiscard]] Status OfInput(const Status& status) const {
    return {status.code(), fmt::format("{}: {}", input_name_, status.message())};
  }
  [[nodiscard]] Status OfOutput(const Status& status) const {
    return {status.code(), fmt::format("{}: {}", output_name_, status.message())};
  }

  [[nodiscard]] Result<RescalePlan> MakePlan(RescaleRounding rounding) const {
    RescaleRequest request = rescale_;
    request.rounding = rounding;
    return MakeRescalePlan(request);
  }

  // All that can be said before a file is opened.
  Status CheckRequest() {
    const Result<const ContainerRow*> in = FindContainer(request_.input);
    if (!in.ok()) return in.status();
    in_row_ = *in;
    if (writes()) {
      const Result<const ContainerRow*> out = FindContainer(request_.output);
      if (!out.ok()) return out.status();
      out_row_ = *out;
    }
    if (in_row_ == &kRawContainer && !request_.from) {
      return OfInput(UsageError("raw elements do not say their format; give it with --from"));
    }
    if (!request_.from) return {};
    rescale_.from = RescaledAs(*request_.from);
    rescale_.rank_is_zero = request_.shape && request_.shape->empty();
    const Result<RescalePlan> plan = MakePlan(rescale_.rounding);
    return plan.ok() ? Status() : plan.status();
  }

  Status ReadLayout(InputFile* input) {
    ReadRequest read = {.from = request_.from, .shape = request_.shape};
    if (read.from) read.from = StoredAs(RescaledAs(*read.from));
    Result<InputLayout> layout = in_row_->read(*input, read);
    if (!layout.ok()) return OfInput(layout.status());
    in_ = std::move(*layout);
    rescale_.from = RescaledAs(in_.format);
    rescale_.rank_is_zero = in_.elements && in_.shape.empty();
    return {};
  }

  // As many scales as the last dimension has; a raw file without a shape has rows of that length.
  Status CheckChannels() {
    const std::uint64_t channels = rescale_.multipliers.size();
    if (!rescale_.per_channel || !in_.elements || in_.shape.empty()) return {};
    const bool shapeless = in_row_ == &kRawContainer && !request_.shape;
    const std::uint64_t last = in_.shape.back();
    if (shapeless && last % channels == 0) {
      in_.shape = {last / channels, channels};
    } else if (last != channels) {
      return OfInput(BadInput(fmt::format(
          "{} channels and {} multipliers; the last dimension of shape {} has to have one each",
          last, channels, ShapeText(in_.shape))));
    }
    return {};
  }

  [[nodiscard]] Result<OutputLayout> LayoutFor(const Shape& shape) const {
    Result<OutputLayout> layout = out_row_->write(
        {.format = rescale_.to, .shape = shape, .fortran_order = in_.fortran_order});
    if (!layout.ok()) return OfOutput(layout.status());
    return layout;
  }

  Result<FileRescaleResult> RunAlone(const RescalePlan& plan, ElementReader* reader) {
    if (Status status = Pump(plan, reader, nullptr); !status.ok()) return status;
    return Finish(plan, *reader);
  }

  Result<FileRescaleResult> RunInto(const RescalePlan& plan, const OutputPlace& place,
                                    ElementReader* reader) {
    const Result<OutputLayout> layout = LayoutFor(in_.elements ? in_.shape : Shape{0});
    if (!layout.ok()) return layout.status();
    if (!in_.elements && !layout->header.empty() && place.straight_through()) {
      return OfOutput(UsageError(
          fmt::format("a {} header goes before the data, and the number of elements is not known "
                      "before the end of {}; give it with --shape",
                      out_row_->name, input_name_)));
    }
    Result<OutputFile> output =
        OutputFile::Create(place, {.force = request_.force, .hold_back = request_.strict});
    if (!output.ok()) return output.status();
    Status status = output->Write(layout->header.data(), layout->header.size());
    if (status.ok()) status = Pump(plan, reader, &*output);
    if (status.ok() && !in_.elements && !layout->header.empty()) {
      const Result<OutputLayout> final = LayoutFor({result_.counts.elements});
      if (!final.ok()) return final.status();
      status = output->Patch(0, final->header.data(), final->header.size());
    }
    if (status.ok()) status = output->Commit();
    if (!status.ok()) return status;
    result_.output_is_standard_output = place.is_standard_output();
    if (!layout->warning.empty()) {
      result_.warnings.push_back(OfOutput(UsageError(layout->warning)).message());
    }
    return Finish(plan, *reader);
  }

  // All elements, a block at a time; written where there is an output.
  Status Pump(const RescalePlan& plan, ElementReader* reader, OutputFile* output) {
    const Result<RescalePlan> twice =
        request_.compare_roundings ? MakePlan(RescaleRounding::kDouble) : plan;
    if (!twice.ok()) return twice.status();
    const auto block =
        static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, in_.elements.value_or(kBlock)));
    const auto in_size = static_cast<std::size_t>(plan.from().storage_bits / 8);
    const auto out_size = static_cast<std::size_t>(plan.to().storage_bits / 8);
    source_.resize(block * in_size);
    target_.resize(block * out_size);
    RescaleRunOptions run = {.threads = request_.threads};
    if (in_.fortran_order) run.channel_stride = *in_.elements / rescale_.multipliers.size();
    for (;;) {
      const Result<std::size_t> count = reader->Next(source_.data(), block);
      if (!count.ok()) return OfInput(count.status());
      if (*count == 0) break;
      run.first = result_.counts.elements;
      result_.counts += plan.Run(source_.data(), target_.data(), *count, run);
      CheckContainers(plan, run.first, *count);
      if (request_.compare_roundings) Compare(*twice, run, *count, out_size);
      if (request_.strict && result_.counts.first_unpredictable != kNoIndex) {
        return Refusal(plan, run.first);
      }
      if (output == nullptr) continue;
      Status status = output->Write(target_.data(), *count * out_size);
      if (!status.ok()) return status;
    }
    return CheckRows();
  }

  // A stream without a shape is known to be whole rows at its end only.
  [[nodiscard]] Status CheckRows() const {
    const std::uint64_t channels = rescale_.multipliers.size();
    if (in_.elements || !rescale_.per_channel || result_.counts.elements % channels == 0) return {};
    return OfInput(BadInput(fmt::format("{} elements are not whole rows of {} channels",
                                        result_.counts.elements, channels)));
  }

  void Compare(const RescalePlan& twice, const RescaleRunOptions& run, std::size_t count,
               std::size_t size) {
    other_.resize(target_.size());
    twice.Run(source_.data(), other_.data(), count, run);
    for (std::size_t i = 0; i < count; ++i) {
      const bool same = std::equal(target_.begin() + static_cast<std::ptrdiff_t>(i * size),
                                   target_.begin() + static_cast<std::ptrdiff_t>((i + 1) * size),
                                   other_.begin() + static_cast<std::ptrdiff_t>(i * size));
      if (same) continue;
      ++result_.differing;
      result_.first_differing = std::min(result_.first_differing, run.first + i);
    }
  }

  [[nodiscard]] std::string IndexText(std::uint64_t index) const {
    if (!in_.fortran_order) return fmt::format("{}", index);
    Shape place;
    for (const std::uint64_t dimension : in_.shape) {
      place.push_back(index % dimension);
      index /= dimension;
    }
    return fmt::format("[{}]", fmt::join(place, ", "));
  }

  // The upper bits of a 64-bit container are ignored; that they say something else is worth a word.
  void CheckContainers(const RescalePlan& plan, std::uint64_t first, std::size_t count) {
    if (plan.from().bits != 48 || warned_) return;
    for (std::size_t i = 0; i < count; ++i) {
      const auto word = LoadWord<std::uint64_t>(source_.data(), i);
      const auto whole = static_cast<std::int64_t>(word);
      if (whole == IntegerOf(word, plan.from())) continue;
      warned_ = true;
      result_.warnings.push_back(
          fmt::format("{}: element {} ({}) is no {}; its low 48 bits are used", input_name_,
                      IndexText(first + i), whole, plan.from().name));
      return;
    }
  }

  [[nodiscard]] Status Refusal(const RescalePlan& plan, std::uint64_t first) const {
    const std::uint64_t index = result_.counts.first_unpredictable;
    const auto at = static_cast<std::size_t>(index - first);
    const std::int64_t x =
        IntegerOf(LoadWord(source_.data(), at, plan.from().storage_bits), plan.from());
    const std::uint64_t channels = plan.scales().size();
    const std::uint64_t stride = in_.fortran_order ? *in_.elements / channels : 1;
    const Scale& scale = plan.scales()[static_cast<std::size_t>(index / stride % channels)];
    const Rescaled r = Rescale(x, scale, plan.rules());
    return OfInput(BadInput(fmt::format(
        "the result of element {} ({}) is unpredictable in {}: {} (multiplier {}, shift {}); leave "
        "--strict out to have such elements counted instead",
        IndexText(index), x, plan.profile(), Describe(r.why), scale.multiplier, scale.shift)));
  }

  Result<FileRescaleResult> Finish(const RescalePlan& plan, const ElementReader& reader) {
    result_.from = plan.from().id;
    result_.to = plan.to().id;
    result_.shape = in_.elements ? in_.shape : Shape{result_.counts.elements};
    if (reader.goes_on()) in_.warnings.emplace_back("what follows the data is ignored");
    for (const std::string& warning : in_.warnings) {
      result_.warnings.push_back(OfInput(UsageError(warning)).message());
    }
    return std::move(result_);
  }

  const FileRescaleRequest& request_;
  RescaleRequest rescale_;
  std::string input_name_;  // in messages
  std::string output_name_;
  const ContainerRow* in_row_ = nullptr;
  const ContainerRow* out_row_ = nullptr;
  InputLayout in_;
  std::vector<std::byte> source_;
  std::vector<std::byte> target_;
  std::vector<std::byte> other_;  // by the other rounding
  bool warned_ = false;
  FileRescaleResult result_;
};

}  // namespace

Result<FileRescaleResult> RescaleFile(const FileRescaleRequest& request) {
  return FileRescale(request).Run();
}

}  // namespace exactcast
