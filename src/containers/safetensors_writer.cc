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

// The input's, and the names of formats that have no dtype.
void AddMetadata(const std::vector<OutputTensor>& tensors, const Metadata& metadata,
                 std::string* text) {
  bool any = false;
  const auto add = [&](const std::string& key, const std::string& value) {
    *text += any ? std::string(",") : fmt::format("\"{}\":{{", kMetadataKey);
    *text += fmt::format("{}:{}", Quote(key), Quote(value));
    any = true;
  };
  for (const auto& [key, value] : metadata) add(key, value);
  for (const OutputTensor& tensor : tensors) {
    const SafetensorsForm form = FormOf(tensor);
    if (!form.named.empty()) add(std::string(kFormatKey) + tensor.name, form.named);
  }
  if (any) *text += '}';
}

std::string EntryText(const OutputTensor& tensor, const SafetensorsForm& form,
                      std::uint64_t begin) {
  return fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                     Quote(tensor.name), form.dtype, fmt::join(form.shape, ","), begin,
                     begin + form.bytes);
}

// Blanks behind the text, and its length into its first 8 bytes.
void Frame(std::string* text) {
  text->append((8 - text->size() % 8) % 8, ' ');
  const std::size_t length = text->size() - 8;
  for (std::size_t i = 0; i < 8; ++i) (*text)[i] = static_cast<char>(length >> 8 * i & 0xff);
}

void NoteOdd(const OutputTensor& tensor, const SafetensorsForm& form, TensorLayout* layout) {
  if (form.dtype == "F4" && (tensor.shape.empty() || tensor.shape.back() % 2 != 0)) {
    layout->warnings.push_back(fmt::format(
        "tensor '{}' is F4 with a last dimension that is odd, which PyTorch cannot read",
        Printable(tensor.name)));
  }
}

// The widest dtype first, then by name. Forms are made when they are needed, as headers can be
// large.
std::vector<std::size_t> OrderOf(const std::vector<OutputTensor>& tensors,
                                 const std::vector<const DtypeRow*>& dtypes) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return dtypes[a] != dtypes[b] ? dtypes[a] > dtypes[b] : tensors[a].name < tensors[b].name;
  });
  return order;
}

Status WriteHeader(const std::vector<OutputTensor>& tensors, const Metadata& metadata,
                   TensorLayout* layout) {
  std::string text;
  // Rather too much than to grow: memory that is not touched costs nothing.
  std::size_t size = 0;
  for (const OutputTensor& tensor : tensors) size += 2 * tensor.name.size() + 256;
  text.reserve(size);
  text.append(8, '\0');  // room for its length
  text += '{';
  AddMetadata(tensors, metadata, &text);
  layout->begin.resize(tensors.size());
  for (const std::size_t i : layout->order) {
    layout->begin[i] = layout->data_bytes;
    if (!text.ends_with('{')) text += ',';
    text += EntryText(tensors[i], FormOf(tensors[i]), layout->data_bytes);
    layout->data_bytes += layout->bytes[i];
  }
  text += '}';
  Frame(&text);
  if (text.size() - 8 > kLongestSafetensorsHeader) {
    return BadInput(
        fmt::format("the header of the output would have {} bytes, and at most {} are allowed; "
                    "write several files",
                    text.size() - 8, kLongestSafetensorsHeader));
  }
  for (std::uint64_t& begin : layout->begin) begin += text.size();
  layout->file_bytes = text.size() + layout->data_bytes;
  layout->header = std::move(text);
  return {};
}

Result<TensorLayout> LayOut(const std::vector<OutputTensor>& tensors, const Metadata& metadata) {
  TensorLayout layout;
  std::vector<const DtypeRow*> dtypes;
  dtypes.reserve(tensors.size());
  layout.packing.reserve(tensors.size());
  layout.bytes.reserve(tensors.size());
  for (const OutputTensor& tensor : tensors) {
    if (Status status = CheckTensor(tensor); !status.ok()) return status;
    const SafetensorsForm form = FormOf(tensor);
    dtypes.push_back(FindDtype(form.dtype));
    layout.packing.push_back(form.packing);
    layout.bytes.push_back(form.bytes);
    NoteOdd(tensor, form, &layout);
  }
  layout.order = OrderOf(tensors, dtypes);
  if (Status status = WriteHeader(tensors, metadata, &layout); !status.ok()) return status;
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
