// SPDX-License-Identifier: Apache-2.0
//
// An input: a regular file, read anywhere, or a stream (standard input, a pipe, a device), read
// once from front to back. What the bytes mean is container_row.h's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_INPUT_FILE_H_
#define EXACTCAST_SRC_CONTAINERS_INPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exactcast/status.h"
#include "src/containers/descriptor.h"

namespace exactcast {

class InputFile {
 public:
  // kBadInput: missing, a folder, unreadable. The message begins with the path.
  static Result<InputFile> Open(const std::string& path);

  [[nodiscard]] bool regular() const { return regular_; }
  // Bytes in a regular file when it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Whether `path` leads to this very file, by whatever link. Standard streams and devices may be
  // both ends.
  [[nodiscard]] bool IsSameFileAs(const std::string& path) const;

  // The next bytes of a stream; fewer than `size` only at its end.
  Result<std::size_t> Read(std::byte* data, std::size_t size);
  // Bytes of a regular file; fewer than `size` only at its end.
  Result<std::size_t> ReadAt(std::uint64_t offset, std::byte* data, std::size_t size);
  // The first bytes, which Read will give again.
  Result<std::string> Peek(std::size_t size);

 private:
  InputFile(Descriptor descriptor, bool regular, bool standard, std::uint64_t size)
      : descriptor_(std::move(descriptor)), regular_(regular), standard_(standard), size_(size) {}

  Descriptor descriptor_;
  bool regular_;
  bool standard_;
  std::uint64_t size_;
  std::vector<std::byte> ahead_;  // read from a stream by Peek
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_INPUT_FILE_H_
