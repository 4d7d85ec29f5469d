// SPDX-License-Identifier: Apache-2.0
//
// minizip's view of an input or output file: it reads and writes through these functions, in large
// pieces whatever minizip asks for. What is in the archive is npz.cc's and npz_writer.cc's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_ZIP_IO_H_
#define EXACTCAST_SRC_CONTAINERS_ZIP_IO_H_

#include <minizip/ioapi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exactcast/status.h"
#include "src/containers/input_file.h"
#include "src/containers/output_file.h"

namespace exactcast {

class ZipReadIo {
 public:
  explicit ZipReadIo(InputFile* file) : file_(*file) {}
  // For unzOpen2_64; good as long as this is.
  zlib_filefunc64_def Functions();
  // The first read that failed.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  static uLong Read(voidpf opaque, voidpf stream, void* data, uLong size);
  static ZPOS64_T Tell(voidpf opaque, voidpf stream);
  static long Seek(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin);
  std::size_t ReadOn(std::byte* data, std::size_t size);

  InputFile& file_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> window_;
  std::uint64_t window_begin_ = 0;
  Status status_;
};

class ZipWriteIo {
 public:
  explicit ZipWriteIo(OutputFile* file) : file_(*file) {}
  // For zipOpen2_64.
  zlib_filefunc64_def Functions();
  // Writes what is still held. The first failure of all writes.
  Status Flush();
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  static uLong Write(voidpf opaque, voidpf stream, const void* data, uLong size);
  static ZPOS64_T Tell(voidpf opaque, voidpf stream);
  static long Seek(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin);

  OutputFile& file_;
  std::vector<std::byte> held_;  // to be written at held_begin_
  std::uint64_t held_begin_ = 0;
  std::uint64_t end_ = 0;  // of the file, held bytes included
  Status status_;
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_ZIP_IO_H_
