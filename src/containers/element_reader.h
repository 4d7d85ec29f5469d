// SPDX-License-Identifier: Apache-2.0
//
// The elements of an input, in the order in which they are stored, little-endian and in pieces of
// any size. What is done with them is cast_file.cc's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_ELEMENT_READER_H_
#define EXACTCAST_SRC_CONTAINERS_ELEMENT_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/status.h"
#include "src/containers/container_row.h"
#include "src/containers/input_file.h"

namespace exactcast {

// Messages leave the file's name to the caller.
class ElementReader {
 public:
  // Both outlive the reader.
  ElementReader(InputFile& input, const InputLayout& layout);

  // How the elements come out; not always as the file holds them.
  [[nodiscard]] Packing packing() const;

  // The next `count` elements, a multiple of 4; fewer at the end only. kBadInput when the input
  // ends too soon, within an element, or, being a raw stream, goes on after its last element.
  Result<std::size_t> Next(std::byte* data, std::size_t count);

  // Whether At may be called for any elements, by several threads at once.
  [[nodiscard]] bool in_any_order() const {
    return input_.seekable() && layout_.elements && !layout_.pairs_apart;
  }
  // `count` elements from `first` on, a multiple of 4 where they come out packed. A stream is read
  // into memory for that.
  Status At(std::uint64_t first, std::byte* data, std::size_t count);

  // The stream was found to go on after the data, which is left unread.
  [[nodiscard]] bool goes_on() const { return goes_on_; }

 private:
  Status HoldStream();
  Result<std::size_t> NextOfStream(std::byte* data, std::size_t count);
  Status EndOfStream();
  Status ReadBytes(std::uint64_t offset, std::byte* data, std::size_t size);
  Status PairsApartAt(std::uint64_t first, std::byte* data, std::size_t count);
  void SwapBytes(std::byte* data, std::size_t count) const;
  [[nodiscard]] std::uint64_t Bytes(std::uint64_t elements) const;  // as they come out
  [[nodiscard]] std::uint64_t StoredBytes() const;                  // of all, as they lie there

  InputFile& input_;
  const InputLayout& layout_;
  const Format& format_;
  std::uint64_t position_ = 0;  // in elements
  bool goes_on_ = false;
  std::uint64_t slab_ = 0;  // bytes in a slab of pairs that lie apart
  // Of such a file, from window_begin_ on: slabs can be a few bytes long.
  std::vector<std::byte> window_;
  std::uint64_t window_begin_ = 0;
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_ELEMENT_READER_H_
