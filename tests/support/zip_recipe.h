// SPDX-License-Identifier: Apache-2.0
//
// Zip archives built from their parts by the rules of the format, without the product's library; and
// with the faults that a reader must find.
#ifndef EXACTCAST_TESTS_SUPPORT_ZIP_RECIPE_H_
#define EXACTCAST_TESTS_SUPPORT_ZIP_RECIPE_H_

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace support {

struct ZipMember {
  std::string name;
  std::string data;
  bool deflated = false;
  bool zip64 = false;  // sizes in the extra field, as NumPy writes them
  int method = -1;     // not what it is, but what the archive says
  std::uint16_t flags = 0;
  std::uint32_t crc_error = 0;
  std::uint64_t size_error = 0;  // of the inflated size that the archive says
};

inline std::string Little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
  return text;
}

inline std::string Deflated(const std::string& data) {
  std::string out(compressBound(static_cast<uLong>(data.size())) + 64, '\0');
  z_stream stream = {};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string Zip(const std::vector<ZipMember>& members) {
  std::string file;
  std::string list;
  for (const ZipMember& m : members) {
    const std::string stored = m.deflated ? Deflated(m.data) : m.data;
    const uLong crc =
        crc32(0, reinterpret_cast<const Bytef*>(m.data.data()), static_cast<uInt>(m.data.size())) ^
        m.crc_error;
    const std::uint64_t size = m.data.size() + m.size_error;
    const int method = m.method >= 0 ? m.method : m.deflated ? 8 : 0;
    const std::string extra =
        m.zip64 ? Little(1, 2) + Little(16, 2) + Little(size, 8) + Little(stored.size(), 8) : "";
    const std::string begin = Little(m.zip64 ? 45 : 20, 2) + Little(m.flags, 2) +
                              Little(static_cast<std::uint64_t>(method), 2) + Little(0, 2) +
                              Little(33, 2) + Little(crc, 4);
    const std::uint64_t all_ones = 0xffffffff;
    const std::string local_sizes =
        Little(m.zip64 ? all_ones : stored.size(), 4) + Little(m.zip64 ? all_ones : size, 4);
    const std::string sizes = Little(stored.size(), 4) + Little(size, 4);
    // No extra field, no comment, disk 0, no attributes.
    list += "PK\1\2" + Little(45, 2) + begin + sizes + Little(m.name.size(), 2) +
            std::string(12, '\0') + Little(file.size(), 4) + m.name;
    file += "PK\3\4" + begin + local_sizes + Little(m.name.size(), 2) + Little(extra.size(), 2) +
            m.name + extra + stored;
  }
  const std::uint64_t at = file.size();
  return file + list + "PK\5\6" + Little(0, 4) + Little(members.size(), 2) +
         Little(members.size(), 2) + Little(list.size(), 4) + Little(at, 4) + Little(0, 2);
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_ZIP_RECIPE_H_
