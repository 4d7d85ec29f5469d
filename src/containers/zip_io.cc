// SPDX-License-Identifier: Apache-2.0
//
// Files as minizip wants them, as zip_io.h says.
#include "src/containers/zip_io.h"

#include <algorithm>
#include <cstring>

namespace exactcast {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20;

int NoError(voidpf, voidpf) { return 0; }
// The file is the caller's.
int NoClose(voidpf, voidpf) { return 0; }
voidpf Opened(voidpf opaque, const void*, int) { return opaque; }

}  // namespace

// ---- Reading ------------------------------------------------------------------------------------

zlib_filefunc64_def ZipReadIo::Functions() {
  return {.zopen64_file = Opened,
          .zread_file = Read,
          .zwrite_file = nullptr,
          .ztell64_file = Tell,
          .zseek64_file = Seek,
          .zclose_file = NoClose,
          .zerror_file = NoError,
          .opaque = this};
}

uLong ZipReadIo::Read(voidpf opaque, voidpf, void* data, uLong size) {
  return static_cast<ZipReadIo*>(opaque)->ReadOn(static_cast<std::byte*>(data), size);
}

std::size_t ZipReadIo::ReadOn(std::byte* data, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const bool inside = position_ >= window_begin_ && position_ - window_begin_ < window_.size();
    // minizip may ask for more than there is a hundred thousand times on end.
    if (position_ >= file_.size() || !status_.ok()) break;
    if (!inside) {
      window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, file_.size())));
      const Result<std::size_t> got = file_.ReadAt(position_, window_.data(), window_.size());
      if (!got.ok() && status_.ok()) status_ = got.status();
      window_.resize(got.ok() ? *got : 0);
      window_begin_ = position_;
      if (window_.empty()) break;
    }
    const auto from = static_cast<std::size_t>(position_ - window_begin_);
    const std::size_t count = std::min(size - done, window_.size() - from);
    std::memcpy(data + done, window_.data() + from, count);
    done += count;
    position_ += count;
  }
  return done;
}

ZPOS64_T ZipReadIo::Tell(voidpf opaque, voidpf) {
  return static_cast<ZipReadIo*>(opaque)->position_;
}

long ZipReadIo::Seek(voidpf opaque, voidpf, ZPOS64_T offset, int origin) {
  auto* io = static_cast<ZipReadIo*>(opaque);
  const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                             : origin == ZLIB_FILEFUNC_SEEK_CUR ? io->position_
                                                                : io->file_.size();
  const std::uint64_t target = base + offset;  // wraps round for what is negative
  if (target > io->file_.size()) return -1;
  io->position_ = target;
  return 0;
}

// ---- Writing ------------------------------------------------------------------------------------

zlib_filefunc64_def ZipWriteIo::Functions() {
  return {.zopen64_file = Opened,
          .zread_file = nullptr,
          .zwrite_file = Write,
          .ztell64_file = Tell,
          .zseek64_file = Seek,
          .zclose_file = NoClose,
          .zerror_file = NoError,
          .opaque = this};
}

uLong ZipWriteIo::Write(voidpf opaque, voidpf, const void* data, uLong size) {
  auto* io = static_cast<ZipWriteIo*>(opaque);
  if (io->held_.size() + size > kWindow && !io->Flush().ok()) return 0;
  const auto* bytes = static_cast<const std::byte*>(data);
  io->held_.insert(io->held_.end(), bytes, bytes + size);
  io->end_ = std::max(io->end_, io->held_begin_ + io->held_.size());
  return size;
}

ZPOS64_T ZipWriteIo::Tell(voidpf opaque, voidpf) {
  const auto* io = static_cast<ZipWriteIo*>(opaque);
  return io->held_begin_ + io->held_.size();
}

long ZipWriteIo::Seek(voidpf opaque, voidpf stream, ZPOS64_T offset, int origin) {
  auto* io = static_cast<ZipWriteIo*>(opaque);
  const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                             : origin == ZLIB_FILEFUNC_SEEK_CUR ? Tell(opaque, stream)
                                                                : io->end_;
  if (!io->Flush().ok()) return -1;
  io->held_begin_ = base + offset;
  return 0;
}

Status ZipWriteIo::Flush() {
  if (status_.ok() && !held_.empty()) {
    status_ = file_.Patch(held_begin_, held_.data(), held_.size());
  }
  held_begin_ += held_.size();
  held_.clear();
  return status_;
}

}  // namespace exactcast
