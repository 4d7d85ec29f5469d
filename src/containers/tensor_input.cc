// SPDX-License-Identifier: Apache-2.0
//
// Opening files of tensors by their names, and files of a single array as such.
#include "src/containers/tensor_input.h"

#include <fmt/format.h>

#include "src/containers/descriptor.h"

namespace exactcast {
namespace {

// "layers/w.npy" -> "w"
std::string StemOf(std::string_view path) {
  std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  if (const std::size_t dot = file.rfind('.'); dot != std::string_view::npos && dot > 0) {
    file = file.substr(0, dot);
  }
  return file == "-" ? "tensor" : std::string(file);
}

class ArrayInput : public TensorInput {
 public:
  explicit ArrayInput(InputFile file) : file_(std::move(file)) { file_bytes_ = file_.size(); }

  Status Read(const ContainerRow& row, const std::string& path, const ReadRequest& request) {
    Result<InputLayout> layout = row.read(file_, request);
    if (!layout.ok()) return layout.status();
    if (!layout->elements) {
      return UsageError("its length is not known beforehand; give its shape with --shape");
    }
    StoredTensor& tensor = tensors_.emplace_back();
    tensor.name = StemOf(path);
    tensor.type = GetFormat(layout->format).name;
    warnings_ = std::move(layout->warnings);
    tensor.layout = std::move(*layout);
    tensor.bytes = ArrayBytes(GetFormat(tensor.layout.format), tensor.layout.packing,
                              static_cast<std::size_t>(*tensor.layout.elements));
    return {};
  }

  Result<InputFile*> Open(std::size_t) override { return &file_; }
  [[nodiscard]] std::optional<struct stat> Facts() const override { return file_.Facts(); }

 private:
  InputFile file_;
};

Result<std::unique_ptr<TensorInput>> OpenArray(const std::string& path, InputFile file,
                                               const ReadRequest& request) {
  const Result<const ContainerRow*> row = FindContainer(path);
  if (!row.ok()) return row.status();
  auto input = std::make_unique<ArrayInput>(std::move(file));
  if (Status status = input->Read(**row, path, request); !status.ok()) return status;
  return std::unique_ptr<TensorInput>(std::move(input));
}

}  // namespace

Result<std::unique_ptr<TensorInput>> OpenTensorInput(const std::string& path,
                                                     const ReadRequest& request) {
  Result<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  const std::string extension = ExtensionOf(path);
  Result<std::unique_ptr<TensorInput>> input =
      extension == ".safetensors" ? OpenSafetensors(std::move(*file))
      : extension == ".npz"       ? OpenNpz(std::move(*file), request)
      : extension == ".gguf"      ? OpenGguf(std::move(*file))
                                  : OpenArray(path, std::move(*file), request);
  if (input.ok()) return input;
  return Status(input.status().code(),
                fmt::format("{}: {}", InputName(path), input.status().message()));
}

std::string_view LikelyKind(std::string_view start) {
  if (start.starts_with("version ")) {
    return "; it looks like a git-lfs pointer: fetch the file itself with 'git lfs pull'";
  }
  if (start.starts_with("PK")) return "; it looks like a zip archive (.npz? PyTorch's .pt?)";
  if (start.starts_with("<")) return "; it looks like a web page: the download went wrong";
  if (start.starts_with("GGUF")) return "; it looks like a .gguf file";
  if (start.starts_with("\x93NUMPY")) return "; it looks like a .npy file";
  if (start.starts_with("{")) return "; it looks like JSON text (an index?)";
  return "";
}

bool IsUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    const int more = lead >= 0xf5 ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc2 ? 1 : 0;
    if (more == 0) return false;
    std::uint32_t code = lead & (0x3fU >> more);
    for (int k = 0; k < more; ++k, ++i) {
      if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return false;
      code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
    }
    constexpr std::uint32_t kLeast[] = {0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code < kLeast[more - 1] || code > 0x10ffff || surrogate) return false;
  }
  return true;
}

}  // namespace exactcast
