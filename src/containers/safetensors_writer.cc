// SPDX-License-Identifier: Apache-2.0
//
// Writing .safetensors files, byte for byte as the reference writer does: tensors by dtype, the
// widest first, then by name; the header padded with blanks so that the data begins at a multiple
// of 8.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "src/containers/descriptor.h"
#include "src/containers/safetensors.h"

namespace exactcast {
namespace {

std::string Quote(const std::string& text) { return nlohmann::json(text).dump(); }

SafetensorsForm FormOf(const OutputTensor& tensor) {
  if (!tensor.raw.empty()) {
    return {.dtype = tensor.raw, .shape = tensor.shape, .bytes = tensor.raw_bytes};
  }
  const Result<std::uint64_t> elements = CountElements(
      tensor.shape, static_cast<std::uint64_t>(GetFormat(tensor.format).storage_bits / 8));
  return FormOf(tensor.format, tensor.shape, elements.ok() ? *elements : 0);
}

Status CheckTensor(const OutputTensor& tensor) {
  const std::string shown = Printable(tensor.name);
  if (tensor.name == kMetadataKey) {
    return BadInput(fmt::format("no tensor of a .safetensors file can be called {}", shown));
  }
  if (!IsUtf8(tensor.name)) {
    return BadInput(fmt::format(
        "tensor '{}': its name is not UTF-8, as those in .safetensors files are", shown));
  }
  if (tensor.fortran_order) {
    return BadInput(
        fmt::format("tensor '{}' is in Fortran order, and .safetensors files hold C "
                    "order; save it in C order first",
                    shown));
  }
  return CountElements(tensor.shape,
                       static_cast<std::uint64_t>(GetFormat(tensor.format).storage_bits / 8))
      .status();
}

std::string MetadataText(const Metadata& metadata, const Metadata& names) {
  std::string text;
  for (const Metadata* part : {&metadata, &names}) {
    for (const auto& [key, value] : *part) {
      text += fmt::format("{}{}:{}", text.empty() ? "" : ",", Quote(key), Quote(value));
    }
  }
  return text;
}

std::string EntryText(const OutputTensor& tensor, const SafetensorsForm& form,
                      std::uint64_t begin) {
  return fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                     Quote(tensor.name), form.dtype, fmt::join(form.shape, ","), begin,
                     begin + form.bytes);
}

std::string Prefixed(std::string text) {
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string length;
  for (std::size_t i = 0; i < 8; ++i) length += static_cast<char>(text.size() >> 8 * i & 0xff);
  return length + text;
}

void NoteOdd(const OutputTensor& tensor, const SafetensorsForm& form, TensorLayout* layout) {
  if (form.dtype == "F4" && (tensor.shape.empty() || tensor.shape.back() % 2 != 0)) {
    layout->warnings.push_back(fmt::format(
        "tensor '{}' is F4 with a last dimension that is odd, which PyTorch cannot read",
        Printable(tensor.name)));
  }
}

Result<TensorLayout> LayOut(const std::vector<OutputTensor>& tensors, const Metadata& metadata) {
  TensorLayout layout;
  std::vector<SafetensorsForm> forms;
  Metadata names;
  forms.reserve(tensors.size());
  for (const OutputTensor& tensor : tensors) {
    if (Status status = CheckTensor(tensor); !status.ok()) return status;
    forms.push_back(FormOf(tensor));
    const SafetensorsForm& form = forms.back();
    if (!form.named.empty()) names.emplace_back(std::string(kFormatKey) + tensor.name, form.named);
    layout.packing.push_back(form.packing);
    layout.bytes.push_back(form.bytes);
    NoteOdd(tensor, form, &layout);
  }
  layout.order.resize(tensors.size());
  std::iota(layout.order.begin(), layout.order.end(), std::size_t{0});
  std::sort(layout.order.begin(), layout.order.end(), [&](std::size_t a, std::size_t b) {
    const DtypeRow* first = FindDtype(forms[a].dtype);
    const DtypeRow* second = FindDtype(forms[b].dtype);
    return first != second ? first > second : tensors[a].name < tensors[b].name;
  });

  std::string text = "{";
  const std::string meta = MetadataText(metadata, names);
  if (!meta.empty()) text += fmt::format("\"{}\":{{{}}}", kMetadataKey, meta);
  layout.begin.resize(tensors.size());
  for (const std::size_t i : layout.order) {
    layout.begin[i] = layout.data_bytes;
    text += text.size() > 1 ? "," : "";
    text += EntryText(tensors[i], forms[i], layout.data_bytes);
    layout.data_bytes += forms[i].bytes;
  }
  layout.header = Prefixed(std::move(text += "}"));
  if (layout.header.size() - 8 > kLongestSafetensorsHeader) {
    return BadInput(
        fmt::format("the header of the output would have {} bytes, and at most {} are "
                    "allowed; write several files",
                    layout.header.size() - 8, kLongestSafetensorsHeader));
  }
  for (std::uint64_t& begin : layout.begin) begin += layout.header.size();
  layout.file_bytes = layout.header.size() + layout.data_bytes;
  return layout;
}

class SafetensorsOutput : public TensorOutput {
 public:
  SafetensorsOutput(OutputFile file, const TensorLayout& layout)
      : file_(std::move(file)), layout_(layout) {}

  Status WriteHeader() { return file_.Write(layout_.header.data(), layout_.header.size()); }
  Result<ByteSink*> Begin(std::size_t tensor) override {
    sink_.emplace(&file_, layout_.begin[tensor]);
    return &*sink_;
  }
  Status End() override { return {}; }
  Status Commit() override { return file_.Commit(); }

 private:
  OutputFile file_;
  const TensorLayout& layout_;
  std::optional<FileSink> sink_;
};

Result<std::unique_ptr<TensorOutput>> Create(OutputFile file, const std::vector<OutputTensor>&,
                                             const TensorLayout& layout) {
  auto output = std::make_unique<SafetensorsOutput>(std::move(file), layout);
  if (Status status = output->WriteHeader(); !status.ok()) return status;
  return std::unique_ptr<TensorOutput>(std::move(output));
}

}  // namespace

const TensorContainer kSafetensorsOutput = {.extension = ".safetensors",
                                            .name = ".safetensors",
                                            .c_order_only = true,
                                            .lay_out = LayOut,
                                            .create = Create};

}  // namespace exactcast
