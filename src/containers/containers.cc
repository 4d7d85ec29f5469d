// SPDX-License-Identifier: Apache-2.0
//
// The list of containers, and what all of them need: shapes and their sizes. Each container has a
// file of its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "src/containers/container_row.h"
#include "src/containers/descriptor.h"

namespace exactcast {
namespace {

constexpr std::array kContainers = {&kNpyContainer, &kRawContainer};

// Files of many tensors, which have no place among those of one array.
constexpr auto kManyTensors =
    std::to_array<std::string_view>({".npz", ".safetensors", ".json", ".gguf"});

// Names that somebody would be surprised to see read as raw bytes. `.bin` is not among them: it is
// raw here.
constexpr auto kNotReadYet =
    std::to_array<std::string_view>({".pt", ".pth", ".onnx", ".h5", ".zip"});

template <typename List>
bool Holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::string ExtensionOf(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  const std::size_t dot = file.rfind('.');
  std::string extension(dot == std::string_view::npos ? "" : file.substr(dot));
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

bool HoldsManyTensors(std::string_view path) { return Holds(kManyTensors, ExtensionOf(path)); }

Result<const ContainerRow*> FindContainer(std::string_view path) {
  if (path.empty()) return UsageError("a file's name is empty; a standard stream is -");
  const std::string extension = ExtensionOf(path);
  if (Holds(kManyTensors, extension)) {
    return UsageError(fmt::format(
        "{}: {} files hold many tensors, and this takes one array: .npy, or raw elements under any "
        "other name, such as .bin; 'exactcast cast' takes one out with --include",
        Printable(path), extension));
  }
  if (Holds(kNotReadYet, extension)) {
    return UsageError(fmt::format(
        "{}: {} files are neither read nor written yet; there are .npy, and raw elements under "
        "any other name, such as .bin",
        Printable(path), extension));
  }
  for (const ContainerRow* row : kContainers) {
    if (row->extension.empty() || row->extension == extension) return row;
  }
  return &kRawContainer;
}

Status CheckPacking(bool packed, bool unpacked, const PackingSide& a, const PackingSide& b) {
  const auto among = [&](const ContainerRow& row) {
    return a.container == &row || b.container == &row;
  };
  if (packed && !among(kNpyContainer)) {
    return UsageError("--packed is for .npy files; raw files are packed without it");
  }
  if (unpacked && !among(kRawContainer)) {
    return UsageError("--unpacked is for raw files; .npy files are unpacked without it");
  }
  for (const PackingSide& side : {a, b}) {
    if (!packed || side.container != &kNpyContainer || !side.format) continue;
    const Format& format = GetFormat(*side.format);
    if (format.bits != 2) continue;
    return UsageError(fmt::format(
        "--packed packs 4-bit formats only; {} is one element a byte in .npy", format.name));
  }
  return {};
}

Result<std::uint64_t> CountElements(const Shape& shape, std::uint64_t bytes_each) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  std::uint64_t bytes = bytes_each;
  bool empty = false;
  for (const std::uint64_t dimension : shape) {
    if (dimension == 0) {
      empty = true;
    } else if (dimension > kLargest / bytes) {
      return BadInput(fmt::format("shape {} of {}-byte elements is larger than a file can be",
                                  ShapeText(shape), bytes_each));
    } else {
      bytes *= dimension;
    }
  }
  return empty ? 0 : bytes / bytes_each;
}

std::string NotWhole(std::uint64_t bytes, const Format& format) {
  return fmt::format("{} bytes are not a whole number of {} elements of {} bytes; is it {}?", bytes,
                     format.name, format.storage_bits / 8, format.name);
}

std::string ShapeText(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

bool OrderMatters(const Shape& shape) {
  const auto longer = std::count_if(shape.begin(), shape.end(), [](auto d) { return d > 1; });
  return longer > 1 && std::find(shape.begin(), shape.end(), 0) == shape.end();
}

}  // namespace exactcast
