// SPDX-License-Identifier: Apache-2.0
//
// ReadNumbers: short lists of numbers, such as the scales of channels, from .npy or text files.
#include <fmt/format.h>

#include <algorithm>

#include "exactcast/number_text.h"
#include "exactcast/rescale.h"
#include "exactcast/spec/codec.h"
#include "src/containers/c_order_reader.h"
#include "src/containers/container_row.h"
#include "src/containers/descriptor.h"
#include "src/containers/element_reader.h"
#include "src/containers/input_file.h"
#include "src/kernels/words.h"

namespace exactcast {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 24;  // numbers
constexpr std::size_t kMostText = std::size_t{1} << 28;  // bytes

Status Named(const std::string& path, const Status& status) {
  return {status.code(), fmt::format("{}: {}", InputName(path), status.message())};
}

Result<std::vector<std::string>> ReadNpy(InputFile* input, const ContainerRow& row) {
  const Result<InputLayout> layout = row.read(*input, {});
  if (!layout.ok()) return layout.status();
  const Format& format = GetFormat(layout->format);
  if (format.kind == Kind::kComplex || format.kind == Kind::kBoolean) {
    return BadInput(fmt::format("its elements are {}, not numbers for a list", format.name));
  }
  if (*layout->elements > kMost) {
    return BadInput(fmt::format("{} elements are too many for a list", *layout->elements));
  }
  const auto count = static_cast<std::size_t>(*layout->elements);
  std::vector<std::byte> bytes(count * static_cast<std::size_t>(format.storage_bits / 8));
  ElementReader reader(*input, *layout);
  const Result<std::size_t> read = layout->fortran_order
                                       ? COrderReader(reader, *layout).Next(bytes.data(), count)
                                       : reader.Next(bytes.data(), count);
  if (!read.ok()) return read.status();
  std::vector<std::string> words;
  for (std::size_t i = 0; i < *read; ++i) {
    words.push_back(ExactDecimal(Decode(LoadWord(bytes.data(), i, format.storage_bits), format)));
  }
  return words;
}

Result<std::vector<std::string>> ReadText(InputFile* input) {
  std::string text(std::size_t{1} << 16, '\0');
  std::size_t size = 0;
  for (;;) {
    const Result<std::size_t> read =
        input->Read(reinterpret_cast<std::byte*>(text.data() + size), text.size() - size);
    if (!read.ok()) return read.status();
    if (*read == 0) break;
    size += *read;
    if (size > kMostText) return BadInput("it is too long for a list of numbers");
    if (size == text.size()) text.resize(2 * size);
  }
  text.resize(size);
  constexpr std::string_view kBetween = " \t\r\n,";
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    words.push_back(text.substr(at, end - at));
    if (words.size() > kMost) return BadInput("it has too many numbers for a list");
    at = text.find_first_not_of(kBetween, end);
  }
  return words;
}

}  // namespace

Result<std::vector<std::string>> ReadNumbers(const std::string& path) {
  const Result<const ContainerRow*> row = FindContainer(path);
  if (!row.ok()) return row.status();
  Result<InputFile> input = InputFile::Open(path);
  if (!input.ok()) return input.status();
  Result<std::vector<std::string>> words =
      *row == &kRawContainer ? ReadText(&*input) : ReadNpy(&*input, **row);
  if (!words.ok()) return Named(path, words.status());
  if (words->empty()) return Named(path, BadInput("it holds no numbers"));
  return words;
}

}  // namespace exactcast
