// SPDX-License-Identifier: Apache-2.0
//
// File descriptors: ownership, whole reads and writes, errors in words. What is read and written,
// and under which name it appears, is input_file.h's and output_file.h's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_DESCRIPTOR_H_
#define EXACTCAST_SRC_CONTAINERS_DESCRIPTOR_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace exactcast {

// Owns a descriptor and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { Close(); }

  [[nodiscard]] bool ok() const { return fd_ >= 0; }
  [[nodiscard]] int get() const { return fd_; }
  // Zero, or the errno of close(2), which for some file systems is where a write fails.
  int Close();

 private:
  int fd_ = -1;
};

struct Transfer {
  std::size_t bytes = 0;
  int error = 0;  // an errno; reading past the end is none
};

// Interrupted calls and short transfers are carried on; a descriptor that does not block is waited
// for.
Transfer ReadFully(int fd, std::byte* data, std::size_t size);
Transfer ReadFullyAt(int fd, std::uint64_t offset, std::byte* data, std::size_t size);
Transfer WriteFully(int fd, const std::byte* data, std::size_t size);
Transfer WriteFullyAt(int fd, std::uint64_t offset, const std::byte* data, std::size_t size);

// open(2), close-on-exec, carried on when interrupted; `folder` as for openat(2). The numbers 0 to
// 2 belong to the standard streams, also where those are closed: neither this nor Duplicate gives
// one.
int OpenAt(int folder, const std::string& path, int flags, mode_t mode = 0);

// The descriptor that a path stands for: /dev/stdin, /dev/stdout, /dev/stderr, /dev/fd/N,
// /proc/self/fd/N, and `standard` for "-". Opening such a path anew fails for sockets and loses the
// place in a file, so it is duplicated instead. Whether the caller has it open must be asked before
// anything else is opened, which could get its number.
std::optional<int> HandedOver(std::string_view path, int standard);
bool IsOpen(int fd);
int Duplicate(int fd);

// An errno in words: "no space left on the device".
std::string ErrorText(int error);

// A name from outside, fit for a message of one line: control characters as \x0a.
std::string Printable(std::string_view text);

// What messages call an input and an output: the path, or the standard stream that "-" is.
std::string InputName(std::string_view path);
std::string OutputName(std::string_view path);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_DESCRIPTOR_H_
