// SPDX-License-Identifier: Apache-2.0
//
// .npy files built from their parts by the rules of the format, without the product's writer; and
// arrays of numbers as bytes.
#ifndef EXACTCAST_TESTS_SUPPORT_NPY_RECIPE_H_
#define EXACTCAST_TESTS_SUPPORT_NPY_RECIPE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

namespace support {

template <typename T>
std::string Bytes(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &value, sizeof(T));
    bytes += one;
  }
  return bytes;
}

// Magic, version, length, and `text` as it stands.
inline std::string NpyFile(int major, const std::string& text, std::string_view data) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  const std::size_t width = major == 1 ? 2 : 4;
  for (std::size_t i = 0; i < width; ++i) file += static_cast<char>(text.size() >> 8 * i & 0xff);
  return file + text + std::string(data);
}

// `text` with blanks and a newline so that the data begins at a multiple of `alignment`.
inline std::string PaddedNpyFile(int major, std::string text, std::string_view data,
                                 std::size_t alignment = 64) {
  const std::size_t before = major == 1 ? 10 : 12;
  while ((before + text.size() + 1) % alignment != 0) text += ' ';
  return NpyFile(major, text + '\n', data);
}

// As NumPy writes it today. `descr` and `shape` are Python text, quotes included; the headers of
// all recipes are padded from less than 128 bytes to 128, so that the growth blanks are no matter.
inline std::string CurrentNpyFile(int major, const std::string& descr, bool fortran_order,
                                  const std::string& shape, std::string_view data) {
  const std::string text = "{'descr': " + descr +
                           ", 'fortran_order': " + (fortran_order ? "True" : "False") +
                           ", 'shape': " + shape + ", }";
  return PaddedNpyFile(major, text + std::string(20, ' '), data);
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_NPY_RECIPE_H_
