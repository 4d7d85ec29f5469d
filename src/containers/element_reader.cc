// SPDX-License-Identifier: Apache-2.0
//
// Reading elements, as element_reader.h says.
#include "src/containers/element_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace exactcast {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements in memory and in files have the same order of bytes");

constexpr std::size_t kWindow = std::size_t{1} << 16;

Status EndsTooSoon(std::uint64_t expected, std::uint64_t found) {
  return BadInput(fmt::format("expected {} bytes of data, found {}", expected, found));
}

std::uint16_t Swapped(std::uint16_t word) { return __builtin_bswap16(word); }
std::uint32_t Swapped(std::uint32_t word) { return __builtin_bswap32(word); }
std::uint64_t Swapped(std::uint64_t word) { return __builtin_bswap64(word); }

template <typename Word>
void SwapWords(std::byte* data, std::size_t size) {
  for (std::size_t i = 0; i < size; i += sizeof(Word)) {
    Word word = 0;
    std::memcpy(&word, data + i, sizeof(word));
    word = Swapped(word);
    std::memcpy(data + i, &word, sizeof(word));
  }
}

}  // namespace

ElementReader::ElementReader(InputFile& input, const InputLayout& layout)
    : input_(input), layout_(layout), format_(GetFormat(layout.format)) {
  if (layout_.pairs_apart) slab_ = *layout_.elements / layout_.shape.back();
}

Packing ElementReader::packing() const {
  return layout_.pairs_apart ? Packing::kUnpacked : layout_.packing;
}

std::uint64_t ElementReader::Bytes(std::uint64_t elements) const {
  return ArrayBytes(format_, packing(), elements);
}

std::uint64_t ElementReader::StoredBytes() const {
  return layout_.pairs_apart ? *layout_.elements / 2 : Bytes(*layout_.elements);
}

Result<std::size_t> ElementReader::Next(std::byte* data, std::size_t count) {
  if (!input_.seekable() && !layout_.pairs_apart) return NextOfStream(data, count);
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, *layout_.elements - position_));
  if (Status status = At(position_, data, count); !status.ok()) return status;
  position_ += count;
  return count;
}

Result<std::size_t> ElementReader::NextOfStream(std::byte* data, std::size_t count) {
  if (layout_.elements) {
    count = static_cast<std::size_t>(std::min<std::uint64_t>(count, *layout_.elements - position_));
    if (count == 0) {
      if (Status status = EndOfStream(); !status.ok()) return status;
      return std::size_t{0};
    }
  }
  const std::size_t size = static_cast<std::size_t>(Bytes(count));
  const Result<std::size_t> got = input_.Read(data, size);
  if (!got.ok()) return got.status();
  const std::uint64_t before = Bytes(position_);
  if (*got < size) {
    if (layout_.elements) return EndsTooSoon(Bytes(*layout_.elements), before + *got);
    const auto each = static_cast<std::size_t>(format_.storage_bits / 8);
    if (*got % each != 0) {
      return BadInput(NotWhole(before + *got, format_));
    }
    const std::size_t per_byte =
        packing() == Packing::kPacked ? static_cast<std::size_t>(8 / format_.bits) : std::size_t{1};
    count = *got / each * per_byte;
  }
  SwapBytes(data, count);
  position_ += count;
  return count;
}

Status ElementReader::EndOfStream() {
  std::byte more = {};
  const Result<std::size_t> got = input_.Read(&more, 1);
  if (!got.ok()) return got.status();
  if (*got == 0) return {};
  goes_on_ = true;
  if (layout_.may_go_on) return {};
  return BadInput(fmt::format("expected {} bytes for shape {} of {}, found more; check --shape",
                              StoredBytes(), ShapeText(layout_.shape), format_.name));
}

Status ElementReader::HoldStream() {
  if (Status status = input_.Hold(layout_.begin, StoredBytes()); !status.ok()) return status;
  return EndOfStream();
}

Status ElementReader::At(std::uint64_t first, std::byte* data, std::size_t count) {
  if (!input_.seekable()) {
    if (Status status = HoldStream(); !status.ok()) return status;
  }
  if (layout_.pairs_apart) return PairsApartAt(first, data, count);
  const auto size = static_cast<std::size_t>(Bytes(count));
  const Result<std::size_t> got = input_.ReadAt(layout_.begin + Bytes(first), data, size);
  if (!got.ok()) return got.status();
  if (*got < size) return EndsTooSoon(Bytes(*layout_.elements), Bytes(first) + *got);
  SwapBytes(data, count);
  return {};
}

// Bytes of the data, through the window where they are few.
Status ElementReader::ReadBytes(std::uint64_t offset, std::byte* data, std::size_t size) {
  const bool direct = size >= kWindow;
  const bool inside = offset >= window_begin_ && offset + size <= window_begin_ + window_.size();
  if (!direct && inside) {
    std::memcpy(data, window_.data() + (offset - window_begin_), size);
    return {};
  }
  if (!direct) window_.resize(kWindow);
  std::byte* into = direct ? data : window_.data();
  const Result<std::size_t> got =
      input_.ReadAt(layout_.begin + offset, into, direct ? size : window_.size());
  if (!got.ok()) return got.status();
  if (!direct) {
    window_.resize(*got);
    window_begin_ = offset;
    std::memcpy(data, window_.data(), std::min(size, *got));
  }
  return *got >= size ? Status() : EndsTooSoon(StoredBytes(), offset + *got);
}

// Element `first` has the last index first / slab_; see InputLayout::pairs_apart.
Status ElementReader::PairsApartAt(std::uint64_t first, std::byte* data, std::size_t count) {
  while (count > 0) {
    const std::uint64_t last_index = first / slab_;
    const std::uint64_t within = first % slab_;
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(count, slab_ - within));
    const std::uint64_t offset = last_index / 2 * slab_ + within;
    if (Status status = ReadBytes(offset, data, piece); !status.ok()) return status;
    const int shift = last_index % 2 == 0 ? 0 : 4;
    for (std::size_t i = 0; i < piece; ++i) data[i] = data[i] >> shift & std::byte{0x0f};
    first += piece;
    data += piece;
    count -= piece;
  }
  return {};
}

void ElementReader::SwapBytes(std::byte* data, std::size_t count) const {
  if (!layout_.swap_bytes) return;
  const auto size = static_cast<std::size_t>(Bytes(count));
  switch (GetFormat(format_.part).storage_bits) {
    case 16:
      return SwapWords<std::uint16_t>(data, size);
    case 32:
      return SwapWords<std::uint32_t>(data, size);
    case 64:
      return SwapWords<std::uint64_t>(data, size);
    default:
      return;
  }
}

}  // namespace exactcast
