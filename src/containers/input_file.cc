// SPDX-License-Identifier: Apache-2.0
//
// Opening and reading inputs, as input_file.h says.
#include "src/containers/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace exactcast {
namespace {

constexpr std::uint64_t kHoldPiece = std::uint64_t{1} << 20;

Result<std::size_t> Answer(const Transfer& transfer) {
  if (transfer.error != 0) {
    return BadInput(fmt::format("cannot be read: {}", ErrorText(transfer.error)));
  }
  return transfer.bytes;
}

// Files of /proc claim to be empty, those of /sys to be a page long: the last byte must be there,
// and none behind an empty file's end.
bool IsSizeTrue(int fd, std::uint64_t size) {
  std::byte byte = {};
  const Transfer transfer = ReadFullyAt(fd, size == 0 ? 0 : size - 1, &byte, 1);
  return transfer.error != 0 || (transfer.bytes == 1) == (size > 0);
}

}  // namespace

Result<InputFile> InputFile::Open(const std::string& path) {
  const std::optional<int> handed_over = HandedOver(path, STDIN_FILENO);
  auto failure = [&](int error) {
    return BadInput(fmt::format("{}: {}", InputName(path), ErrorText(error)));
  };
  Descriptor descriptor(handed_over ? Duplicate(*handed_over) : OpenAt(AT_FDCWD, path, O_RDONLY));
  if (!descriptor.ok()) return failure(errno);
  struct stat facts = {};
  if (fstat(descriptor.get(), &facts) != 0) return failure(errno);
  if (S_ISDIR(facts.st_mode)) return failure(EISDIR);

  const auto size = static_cast<std::uint64_t>(facts.st_size);
  const bool regular = S_ISREG(facts.st_mode) && !handed_over && IsSizeTrue(descriptor.get(), size);
  return InputFile(std::move(descriptor), regular, regular ? size : 0);
}

InputFile InputFile::FromStream(std::unique_ptr<ByteStream> stream) {
  InputFile file(Descriptor(), false, 0);
  file.stream_ = std::move(stream);
  return file;
}

std::optional<struct stat> InputFile::Facts() const {
  struct stat facts = {};
  if (fstat(descriptor_.get(), &facts) != 0) return std::nullopt;
  return facts;
}

bool InputFile::IsSameFileAs(const struct stat& other) const {
  struct stat mine = {};
  if (fstat(descriptor_.get(), &mine) != 0) return false;
  const bool both_ends = S_ISCHR(mine.st_mode) || S_ISSOCK(mine.st_mode);
  return mine.st_dev == other.st_dev && mine.st_ino == other.st_ino && !both_ends;
}

Result<std::size_t> InputFile::ReadOn(std::byte* data, std::size_t size) {
  if (stream_ != nullptr) return stream_->Read(data, size);
  return Answer(ReadFully(descriptor_.get(), data, size));
}

Result<std::size_t> InputFile::Read(std::byte* data, std::size_t size) {
  const std::size_t known = std::min(size, ahead_.size());
  if (known > 0) {
    std::memcpy(data, ahead_.data(), known);
    ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(known));
  }
  if (ended_) return known;
  const Result<std::size_t> count = ReadOn(data + known, size - known);
  ended_ = !count.ok() || *count < size - known;
  if (!count.ok()) return count.status();
  return known + *count;
}

Result<std::string> InputFile::Peek(std::size_t size) {
  ahead_.resize(size);
  const Result<std::size_t> count = ReadOn(ahead_.data(), ahead_.size());
  ahead_.resize(count.ok() ? *count : 0);
  if (!count.ok()) return count.status();
  ended_ = *count < size;
  return std::string(reinterpret_cast<const char*>(ahead_.data()), ahead_.size());
}

Result<std::size_t> InputFile::ReadAt(std::uint64_t offset, std::byte* data, std::size_t size) {
  if (!is_held_) return Answer(ReadFullyAt(descriptor_.get(), offset, data, size));
  const auto begin =
      static_cast<std::size_t>(std::min<std::uint64_t>(offset - held_begin_, held_.size()));
  const std::size_t count = std::min(size, held_.size() - begin);
  std::copy_n(held_.begin() + static_cast<std::ptrdiff_t>(begin), count, data);
  return count;
}

// A piece at a time: a header may promise more than ever comes.
Status InputFile::Hold(std::uint64_t offset, std::uint64_t size) {
  is_held_ = true;
  held_begin_ = offset;
  while (held_.size() < size) {
    const std::size_t before = held_.size();
    const std::uint64_t wanted = std::min(size - before, std::max(kHoldPiece, before));
    held_.resize(before + static_cast<std::size_t>(wanted));
    const Result<std::size_t> count = Read(held_.data() + before, held_.size() - before);
    if (!count.ok()) return count.status();
    if (*count == wanted) continue;
    held_.resize(before + *count);
    break;
  }
  return {};
}

}  // namespace exactcast
