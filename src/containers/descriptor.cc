// SPDX-License-Identifier: Apache-2.0
//
// The system calls behind descriptor.h: reading, writing and opening that survive interruption, and
// errno in words.
#include "src/containers/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace exactcast {
namespace {

// Linux moves at most 0x7ffff000 bytes in one call.
constexpr std::size_t kLargestTransfer = std::size_t{1} << 30;

// Calls `move(done, size)` until `size` bytes have gone, nothing more comes, or it fails.
template <typename Move>
Transfer Repeat(int fd, short event, std::size_t size, Move move) {
  Transfer transfer;
  while (transfer.bytes < size) {
    const std::size_t wanted = std::min(size - transfer.bytes, kLargestTransfer);
    const ssize_t moved = move(transfer.bytes, wanted);
    if (moved > 0) {
      transfer.bytes += static_cast<std::size_t>(moved);
    } else if (moved == 0) {
      break;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd wait = {.fd = fd, .events = event, .revents = 0};
      poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      transfer.error = errno;
      break;
    }
  }
  return transfer;
}

// A write that moves nothing and reports nothing would otherwise pass for success.
Transfer Complete(Transfer transfer, std::size_t size) {
  if (transfer.error == 0 && transfer.bytes < size) transfer.error = EIO;
  return transfer;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    Close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

int Descriptor::Close() {
  const int fd = std::exchange(fd_, -1);
  if (fd < 0) return 0;
  // Not repeated after EINTR: Linux has closed the descriptor by then.
  return close(fd) == 0 || errno == EINTR ? 0 : errno;
}

Transfer ReadFully(int fd, std::byte* data, std::size_t size) {
  return Repeat(fd, POLLIN, size, [=](std::size_t done, std::size_t wanted) {
    return read(fd, data + done, wanted);
  });
}

Transfer ReadFullyAt(int fd, std::uint64_t offset, std::byte* data, std::size_t size) {
  return Repeat(fd, POLLIN, size, [=](std::size_t done, std::size_t wanted) {
    return pread(fd, data + done, wanted, static_cast<off_t>(offset + done));
  });
}

Transfer WriteFully(int fd, const std::byte* data, std::size_t size) {
  return Complete(
      Repeat(fd, POLLOUT, size,
             [=](std::size_t done, std::size_t wanted) { return write(fd, data + done, wanted); }),
      size);
}

Transfer WriteFullyAt(int fd, std::uint64_t offset, const std::byte* data, std::size_t size) {
  return Complete(Repeat(fd, POLLOUT, size,
                         [=](std::size_t done, std::size_t wanted) {
                           return pwrite(fd, data + done, wanted,
                                         static_cast<off_t>(offset + done));
                         }),
                  size);
}

int OpenAt(int folder, const std::string& path, int flags, mode_t mode) {
  int fd = -1;
  do {
    fd = openat(folder, path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  const int moved = Duplicate(fd);
  const int error = errno;
  close(fd);
  errno = error;
  return moved;
}

std::optional<int> HandedOver(std::string_view path, int standard) {
  if (path == "-") return standard;
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int fd = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), fd);
    if (error == std::errc() && end == digits.data() + digits.size() && fd >= 0) return fd;
  }
  return std::nullopt;
}

bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

int Duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); }

std::string ErrorText(int error) {
  switch (error) {
    case ENOSPC:
      return "no space left on the device";
    case EDQUOT:
      return "the disk quota is used up";
    case EFBIG:
      return "larger than a file may be here";
    case EPIPE:
      return "the reader has closed the pipe";
    case EACCES:
    case EPERM:
      return "permission denied";
    case EBADF:
      return "it is closed, or open in the other direction only";
    case ENOENT:
      return "no such file";
    case ENOTDIR:
      return "a part of the path is not a folder";
    case EISDIR:
      return "is a folder; name a file in it";
    case ELOOP:
      return "its symbolic links lead round in a circle";
    case EROFS:
      return "the file system is read-only";
    default:
      return std::generic_category().message(error);
  }
}

std::string Printable(std::string_view text) {
  std::string printable;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) {
      printable += fmt::format("\\x{:02x}", code);
    } else {
      printable += c;
    }
  }
  return printable;
}

std::string InputName(std::string_view path) {
  return path == "-" ? "standard input" : Printable(path);
}

std::string OutputName(std::string_view path) {
  return path == "-" ? "standard output" : Printable(path);
}

}  // namespace exactcast
