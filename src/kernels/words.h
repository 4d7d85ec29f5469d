// SPDX-License-Identifier: Apache-2.0
//
// Little-endian storage words of 8 to 64 bits in unaligned arrays.
#ifndef EXACTCAST_SRC_KERNELS_WORDS_H_
#define EXACTCAST_SRC_KERNELS_WORDS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace exactcast {

static_assert(std::endian::native == std::endian::little, "arrays are little-endian");

template <typename Word>
Word LoadWord(const std::byte* in, std::size_t index) {
  Word word;
  std::memcpy(&word, in + index * sizeof(Word), sizeof(Word));
  return word;
}

template <typename Word>
void StoreWord(std::byte* out, std::size_t index, Word word) {
  std::memcpy(out + index * sizeof(Word), &word, sizeof(Word));
}

// Calls `function` with a word of the width: a template over storage widths, chosen at run time.
template <typename Function>
void WithWord(int storage_bits, Function&& function) {
  switch (storage_bits) {
    case 8:
      return function(std::uint8_t{});
    case 16:
      return function(std::uint16_t{});
    case 32:
      return function(std::uint32_t{});
    default:
      return function(std::uint64_t{});
  }
}

inline std::uint64_t LoadWord(const std::byte* in, std::size_t index, int storage_bits) {
  std::uint64_t word = 0;
  WithWord(storage_bits, [&](auto w) { word = LoadWord<decltype(w)>(in, index); });
  return word;
}

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_WORDS_H_
