// SPDX-License-Identifier: Apache-2.0
//
// An input: a regular file, read anywhere, or a stream (standard input, a pipe, a device), read
// once from front to back; or a part of an archive. What the bytes mean is container_row.h's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_INPUT_FILE_H_
#define EXACTCAST_SRC_CONTAINERS_INPUT_FILE_H_

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exactcast/status.h"
#include "src/containers/descriptor.h"

namespace exactcast {

// Bytes that come from elsewhere than a descriptor: a member of an archive.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // The next bytes; fewer than `size` only at the end.
  virtual Result<std::size_t> Read(std::byte* data, std::size_t size) = 0;
};

class InputFile {
 public:
  // kBadInput: missing, a folder, unreadable. The message begins with the path.
  static Result<InputFile> Open(const std::string& path);
  static InputFile FromStream(std::unique_ptr<ByteStream> stream);

  // A file that says how long it is. What is handed over as a descriptor is none, as it may stand
  // in the middle, nor are the files of /proc and /sys.
  [[nodiscard]] bool regular() const { return regular_; }
  // Bytes in a regular file when it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Whether writing to what has these facts would spoil what is read here. Terminals and sockets
  // may be both ends.
  [[nodiscard]] bool IsSameFileAs(const struct stat& other) const;
  // What fstat(2) says; nothing for a part of an archive.
  [[nodiscard]] std::optional<struct stat> Facts() const;

  // The next bytes; fewer than `size` only at the end.
  Result<std::size_t> Read(std::byte* data, std::size_t size);
  // The first bytes, which Read will give again. Before the first Read only.
  Result<std::string> Peek(std::size_t size);

  // Bytes anywhere in a regular file, or in what is held of a stream; fewer than `size` only at the
  // end.
  Result<std::size_t> ReadAt(std::uint64_t offset, std::byte* data, std::size_t size);
  [[nodiscard]] bool seekable() const { return regular_ || is_held_; }
  // Reads the next `size` bytes of a stream, or as many as there are, into memory. `offset` is what
  // ReadAt calls the first of them.
  Status Hold(std::uint64_t offset, std::uint64_t size);

 private:
  InputFile(Descriptor descriptor, bool regular, std::uint64_t size)
      : descriptor_(std::move(descriptor)), regular_(regular), size_(size) {}
  Result<std::size_t> ReadOn(std::byte* data, std::size_t size);

  std::unique_ptr<ByteStream> stream_;  // in place of the descriptor
  Descriptor descriptor_;
  bool regular_;
  std::uint64_t size_;
  std::vector<std::byte> ahead_;  // read by Peek
  bool ended_ = false;            // a terminal would ask for its end again
  bool is_held_ = false;
  std::uint64_t held_begin_ = 0;
  std::vector<std::byte> held_;
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_INPUT_FILE_H_
