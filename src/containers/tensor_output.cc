// SPDX-License-Identifier: Apache-2.0
//
// The list of what tensors can be written to, and files of a single array among them.
#include "src/containers/tensor_output.h"

#include <fmt/format.h>

#include <array>

#include "src/containers/descriptor.h"

namespace exactcast {
namespace {

Result<TensorLayout> LayOutArray(const ContainerRow& row,
                                 const std::vector<OutputTensor>& tensors) {
  if (tensors.size() != 1) {
    return UsageError(fmt::format(
        "a {} file holds one tensor, and there are {}; choose one with --include, or write "
        ".safetensors or .npz",
        row.name, tensors.size()));
  }
  const OutputTensor& tensor = tensors.front();
  if (!tensor.raw.empty()) {
    return UsageError(fmt::format("tensor '{}': {} can be copied to a file of its own kind only",
                                  Printable(tensor.name), tensor.raw));
  }
  Result<OutputLayout> array = row.write(
      {.format = tensor.format, .shape = tensor.shape, .fortran_order = tensor.fortran_order});
  if (!array.ok()) return array.status();
  const Format& format = GetFormat(tensor.format);
  const Result<std::uint64_t> elements =
      CountElements(tensor.shape, static_cast<std::uint64_t>(format.storage_bits / 8));
  if (!elements.ok()) return elements.status();
  TensorLayout layout;
  layout.order = {0};
  layout.packing = {array->packing};
  layout.bytes = {ArrayBytes(format, array->packing, static_cast<std::size_t>(*elements))};
  layout.data_bytes = layout.bytes[0];
  layout.header = std::move(array->header);
  layout.file_bytes = layout.header.size() + layout.data_bytes;
  if (!array->warning.empty()) layout.warnings.push_back(array->warning);
  return layout;
}

class ArrayOutput : public TensorOutput {
 public:
  ArrayOutput(OutputFile file, const TensorLayout& layout)
      : file_(std::move(file)), layout_(layout) {}

  Result<ByteSink*> Begin(std::size_t) override {
    Status status = file_.Write(layout_.header.data(), layout_.header.size());
    if (!status.ok()) return status;
    sink_.emplace(&file_, layout_.header.size());
    return &*sink_;
  }
  Status End() override { return {}; }
  Status Commit() override { return file_.Commit(); }

 private:
  OutputFile file_;
  const TensorLayout& layout_;
  std::optional<FileSink> sink_;
};

Result<std::unique_ptr<TensorOutput>> CreateArray(OutputFile file, const std::vector<OutputTensor>&,
                                                  const TensorLayout& layout) {
  return std::unique_ptr<TensorOutput>(std::make_unique<ArrayOutput>(std::move(file), layout));
}

Result<TensorLayout> LayOutNpy(const std::vector<OutputTensor>& tensors, const Metadata&) {
  return LayOutArray(kNpyContainer, tensors);
}
Result<TensorLayout> LayOutRaw(const std::vector<OutputTensor>& tensors, const Metadata&) {
  return LayOutArray(kRawContainer, tensors);
}

constexpr TensorContainer kNpyOutput = {.extension = ".npy",
                                        .name = ".npy",
                                        .c_order_only = false,
                                        .lay_out = LayOutNpy,
                                        .create = CreateArray};
constexpr TensorContainer kRawOutput = {.extension = "",
                                        .name = "raw",
                                        .c_order_only = false,
                                        .lay_out = LayOutRaw,
                                        .create = CreateArray};

}  // namespace

Result<const TensorContainer*> FindTensorContainer(std::string_view path) {
  const std::string extension = ExtensionOf(path);
  for (const TensorContainer* row : {&kSafetensorsOutput, &kNpzOutput}) {
    if (row->extension == extension) return row;
  }
  if (extension == ".gguf" || extension == ".json") {
    return UsageError(fmt::format("{}: {} files are read only; write .safetensors or .npz",
                                  Printable(path), extension));
  }
  const Result<const ContainerRow*> array = FindContainer(path);
  if (!array.ok()) return array.status();
  return *array == &kNpyContainer ? &kNpyOutput : &kRawOutput;
}

}  // namespace exactcast
