// SPDX-License-Identifier: Apache-2.0
//
// .safetensors files built from their parts by the rules of the format, without the product's
// writer.
#ifndef EXACTCAST_TESTS_SUPPORT_SAFETENSORS_RECIPE_H_
#define EXACTCAST_TESTS_SUPPORT_SAFETENSORS_RECIPE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace support {

inline std::string LittleEndian64(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
  return bytes;
}

// "w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}; `shape` without its brackets.
inline std::string Entry(std::string_view name, std::string_view dtype, std::string_view shape,
                         std::uint64_t begin, std::uint64_t end) {
  std::string text = "\"";
  text += name;
  text += "\":{\"dtype\":\"";
  text += dtype;
  text += "\",\"shape\":[";
  text += shape;
  text += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
  return text;
}

inline std::string UnpaddedSafetensors(std::string_view header, std::string_view data) {
  return LittleEndian64(header.size()) + std::string(header) + std::string(data);
}

// The header padded with blanks to a multiple of 8, as the reference writer does.
inline std::string Safetensors(std::string header, std::string_view data) {
  while (header.size() % 8 != 0) header += ' ';
  return UnpaddedSafetensors(header, data);
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_SAFETENSORS_RECIPE_H_
