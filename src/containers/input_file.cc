// SPDX-License-Identifier: Apache-2.0
//
// Opening and reading inputs, as input_file.h says.
#include "src/containers/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace exactcast {
namespace {

Result<std::size_t> Answer(const Transfer& transfer) {
  if (transfer.error != 0) {
    return BadInput(fmt::format("cannot be read: {}", ErrorText(transfer.error)));
  }
  return transfer.bytes;
}

}  // namespace

Result<InputFile> InputFile::Open(const std::string& path) {
  const bool standard = path == "-";
  const std::optional<int> named = NamedDescriptor(path);
  auto failure = [&](int error) {
    return BadInput(fmt::format("{}: {}", Printable(path), ErrorText(error)));
  };

  Descriptor descriptor = standard ? Descriptor::Borrowed(STDIN_FILENO)
                          : named  ? Descriptor::Owned(Duplicate(*named))
                                   : Descriptor::Owned(OpenAt(AT_FDCWD, path, O_RDONLY));
  if (!descriptor.ok()) return failure(errno);
  struct stat facts = {};
  if (fstat(descriptor.get(), &facts) != 0) return failure(errno);
  if (S_ISDIR(facts.st_mode)) return failure(EISDIR);

  // A descriptor that was handed over is a stream even if a file is behind it: it may stand in the
  // middle.
  const bool regular = S_ISREG(facts.st_mode) && !standard && !named;
  return InputFile(std::move(descriptor), regular, standard,
                   regular ? static_cast<std::uint64_t>(facts.st_size) : 0);
}

bool InputFile::IsSameFileAs(const std::string& path) const {
  struct stat mine = {};
  struct stat other = {};
  if (standard_ || path == "-") return false;
  if (fstat(descriptor_.get(), &mine) != 0 || stat(path.c_str(), &other) != 0) return false;
  return mine.st_dev == other.st_dev && mine.st_ino == other.st_ino && !S_ISCHR(mine.st_mode);
}

Result<std::size_t> InputFile::Read(std::byte* data, std::size_t size) {
  const std::size_t known = std::min(size, ahead_.size());
  if (known > 0) {
    std::memcpy(data, ahead_.data(), known);
    ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(known));
  }
  Transfer transfer = ReadFully(descriptor_.get(), data + known, size - known);
  transfer.bytes += known;
  return Answer(transfer);
}

Result<std::size_t> InputFile::ReadAt(std::uint64_t offset, std::byte* data, std::size_t size) {
  return Answer(ReadFullyAt(descriptor_.get(), offset, data, size));
}

Result<std::string> InputFile::Peek(std::size_t size) {
  std::vector<std::byte> start(size);
  Result<std::size_t> count = regular_ ? ReadAt(0, start.data(), size) : Read(start.data(), size);
  if (!count.ok()) return count.status();
  start.resize(*count);
  if (!regular_) ahead_.insert(ahead_.begin(), start.begin(), start.end());
  return std::string(reinterpret_cast<const char*>(start.data()), start.size());
}

}  // namespace exactcast
