// SPDX-License-Identifier: Apache-2.0
//
// Creating, writing and publishing outputs, as output_file.h says.
#include "src/containers/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <vector>

namespace exactcast {
namespace {

constexpr mode_t kPermissions = 0777;
constexpr std::size_t kSendPiece = std::size_t{1} << 20;
constexpr int kAttempts = 100;
// Of bytes to be written. Smaller files gain nothing from room that is made beforehand.
constexpr std::uint64_t kWorthRoom = std::uint64_t{1} << 18;
// Written bytes that the disk is told of at a time: told of each block, it has many small pieces to
// find places for, and takes twice as long.
constexpr std::uint64_t kWriteback = std::uint64_t{1} << 24;

// A name beside `name` that nobody uses: .NAME.exactcast-k3x9qa
std::string TemporaryName(const std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  constexpr std::size_t kLongestName = 255;
  std::array<unsigned char, 6> random = {};
  // Should there be no random bytes yet, the file that is in the way makes the caller try again.
  [[maybe_unused]] const ssize_t ignored = getrandom(random.data(), random.size(), GRND_NONBLOCK);
  std::string suffix = ".exactcast-";
  for (const unsigned char r : random) suffix += kLetters[r % kLetters.size()];
  return fmt::format(".{}{}", name.substr(0, kLongestName - 1 - suffix.size()), suffix);
}

int SyncFile(int fd) {
  if (fsync(fd) == 0) return 0;
  // Some file systems have nothing to sync with.
  return errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

// A file without a name can be given one only through /proc.
std::string ProcPath(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

int LinkUnnamed(int fd, int folder, const std::string& name) {
  const std::string source = ProcPath(fd);
  return linkat(AT_FDCWD, source.c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

int Rename(int folder, const std::string& from, const std::string& to) {
  return renameat(folder, from.c_str(), folder, to.c_str()) == 0 ? 0 : errno;
}

// Renames unless `to` exists; EEXIST if it does.
int RenameToNew(int folder, const std::string& from, const std::string& to) {
  if (renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
  if (linkat(folder, from.c_str(), folder, to.c_str(), 0) == 0) {
    unlinkat(folder, from.c_str(), 0);
    return 0;
  }
  if (errno == EEXIST) return errno;
  // No links either (FAT over the network): look, then rename.
  if (faccessat(folder, to.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return Rename(folder, from, to);
}

// A file that nobody else can see and that ends with its descriptor. Not /tmp first: that is often
// memory.
Descriptor OpenSpool() {
  for (const char* folder : {"/var/tmp", "/tmp"}) {
    const int fd = OpenAt(AT_FDCWD, folder, O_TMPFILE | O_RDWR, 0600);
    if (fd >= 0) return Descriptor(fd);
  }
  std::FILE* file = std::tmpfile();
  if (file == nullptr) return {};
  const int fd = Duplicate(fileno(file));
  std::fclose(file);
  return Descriptor(fd);
}

}  // namespace

Result<std::string> FollowLinks(std::string path) {
  for (int hop = 0; hop < 40; ++hop) {
    std::vector<char> target(4096);
    const ssize_t length = readlink(path.c_str(), target.data(), target.size());
    if (length < 0) return path;  // not a link, or not there
    const std::string next(target.data(), static_cast<std::size_t>(length));
    const std::size_t slash = path.rfind('/');
    if (next.starts_with('/') || slash == std::string::npos) {
      path = next;
    } else {
      path.replace(slash + 1, std::string::npos, next);
    }
  }
  return NotWritten(ErrorText(ELOOP));
}

Result<OutputPlace> OutputPlace::Find(const std::string& path) {
  OutputPlace place = {.path = path, .handed_over = HandedOver(path, STDOUT_FILENO), .facts = {}};
  struct stat facts = {};
  const int found =
      place.handed_over ? fstat(*place.handed_over, &facts) : stat(path.c_str(), &facts);
  if (found == 0 && !(S_ISDIR(facts.st_mode) && !place.handed_over)) {
    place.facts = facts;
    return place;
  }
  const int error = found == 0 ? EISDIR : errno;
  if (error == ENOENT) return place;
  return NotWritten(fmt::format("{}: {}", OutputName(path), ErrorText(error)));
}

bool OutputPlace::straight_through() const {
  return handed_over || (facts && !S_ISREG(facts->st_mode));
}

bool OutputPlace::is_standard_output() const {
  struct stat standard = {};
  if (!straight_through() || fstat(STDOUT_FILENO, &standard) != 0) return false;
  // A device that was opened by its name is not shared: /dev/null keeps nothing apart or together.
  if (!handed_over && S_ISCHR(facts->st_mode)) return false;
  return facts->st_dev == standard.st_dev && facts->st_ino == standard.st_ino;
}

OutputFile::~OutputFile() {
  if (folder_.ok() && !temporary_.empty()) unlinkat(folder_.get(), temporary_.c_str(), 0);
}

Status OutputFile::Failure(int error) const {
  return NotWritten(fmt::format("{}: {}", OutputName(path_), ErrorText(error)));
}

Result<OutputFile> OutputFile::Create(const std::string& path, const OutputOptions& options) {
  const Result<OutputPlace> place = OutputPlace::Find(path);
  if (!place.ok()) return place.status();
  return Create(*place, options);
}

Result<OutputFile> OutputFile::Create(const OutputPlace& place, const OutputOptions& options) {
  OutputFile output(place, options);
  if (place.straight_through()) {
    Status status = output.OpenStraight(place.handed_over, options);
    if (!status.ok()) return status;
    return output;
  }
  if (place.facts && !options.force) {
    return NotWritten(fmt::format("{}: exists; use --force to replace it", Printable(place.path)));
  }
  if (Status status = output.OpenPending(options); !status.ok()) return status;
  if (const int error = output.MakeRoom(options.bytes); error != 0) {
    return NotWritten(fmt::format("{}: {}; it takes {} bytes", OutputName(place.path),
                                  ErrorText(error), options.bytes));
  }
  return output;
}

Status OutputFile::OpenStraight(std::optional<int> handed_over, const OutputOptions& options) {
  file_ = Descriptor(handed_over ? Duplicate(*handed_over) : OpenAt(AT_FDCWD, path_, O_WRONLY));
  if (!file_.ok()) return Failure(errno);
  if (!options.hold_back) return {};
  straight_ = std::move(file_);
  file_ = OpenSpool();
  if (file_.ok()) return {};
  return NotWritten(fmt::format("{}: no temporary file to hold the output back in: {}",
                                OutputName(path_), ErrorText(errno)));
}

// A new file gets what the umask leaves, the successor of an old one what KeepOwnerAndMode gives.
mode_t OutputFile::NewMode() const { return replaced_ ? 0600 : 0666; }

Status OutputFile::OpenPending(const OutputOptions& options) {
  Result<std::string> target = FollowLinks(path_);
  if (!target.ok()) return Failure(ELOOP);
  const std::size_t slash = target->rfind('/');
  const std::string folder = slash == std::string::npos ? "." : target->substr(0, slash + 1);
  name_ = target->substr(slash == std::string::npos ? 0 : slash + 1);
  if (name_.empty()) {
    return NotWritten(fmt::format("{}: there is no such folder; make it, and name a file in it",
                                  Printable(path_)));
  }

  folder_ = Descriptor(OpenAt(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY));
  if (!folder_.ok() && errno == EACCES) {  // writable folders need not be readable
    folder_ = Descriptor(OpenAt(AT_FDCWD, folder, O_PATH | O_DIRECTORY));
  }
  if (!folder_.ok()) {
    if (errno != ENOENT) return Failure(errno);
    return NotWritten(fmt::format("{}: there is no folder {}; make it first", Printable(path_),
                                  Printable(folder)));
  }

  if (!options.use_named) {
    file_ = Descriptor(OpenAt(folder_.get(), ".", O_TMPFILE | O_WRONLY, NewMode()));
    if (file_.ok() && access(ProcPath(file_.get()).c_str(), F_OK) == 0) return {};
    const bool unsupported = errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
    if (!file_.ok() && !unsupported) return Failure(errno);
  }
  const int error = OpenNamed();
  return error == 0 ? Status() : Failure(error);
}

int OutputFile::OpenNamed() {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name = TemporaryName(name_);
    file_ = Descriptor(OpenAt(folder_.get(), name, O_CREAT | O_EXCL | O_WRONLY, NewMode()));
    if (file_.ok()) {
      temporary_ = std::move(name);
      return 0;
    }
    if (errno != EEXIST) return errno;
  }
  return EEXIST;
}

// A disk that is too full says so before the work and not after it, and a file whose place is known
// is written faster. The length is left to what is written. Most failures only say that this file
// system does not do it.
int OutputFile::MakeRoom(std::uint64_t bytes) const {
  if (bytes < kWorthRoom) return 0;
  if (fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0) return 0;
  return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? errno : 0;
}

Status OutputFile::Write(const void* data, std::size_t size) {
  const Transfer transfer = WriteFully(file_.get(), static_cast<const std::byte*>(data), size);
  if (transfer.error == 0) StartWriteback(size);
  return transfer.error == 0 ? Status() : Failure(transfer.error);
}

Status OutputFile::Patch(std::uint64_t offset, const void* data, std::size_t size) {
  const Transfer transfer =
      WriteFullyAt(file_.get(), offset, static_cast<const std::byte*>(data), size);
  if (transfer.error == 0) StartWriteback(size);
  return transfer.error == 0 ? Status() : Failure(transfer.error);
}

// The disk may begin while the rest is still being made, so that the sync at the end is short. Only
// a hint: what fails here fails there.
void OutputFile::StartWriteback(std::size_t size) {
  if (!sync_ || !folder_.ok()) return;
  const std::uint64_t before = std::atomic_ref(written_).fetch_add(size);
  if (before / kWriteback == (before + size) / kWriteback) return;
  [[maybe_unused]] const int ignored = sync_file_range(file_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
}

Status OutputFile::SendHeldBack() {
  std::vector<std::byte> piece(kSendPiece);
  for (std::uint64_t sent = 0;;) {
    const Transfer in = ReadFullyAt(file_.get(), sent, piece.data(), piece.size());
    if (in.error != 0) return Failure(in.error);
    if (in.bytes == 0) return {};
    const Transfer out = WriteFully(straight_.get(), piece.data(), in.bytes);
    if (out.error != 0) return Failure(out.error);
    sent += in.bytes;
  }
}

// Owner and group as far as the process may give a file away; the bits in any case.
int OutputFile::KeepOwnerAndMode() const {
  if (!replaced_) return 0;
  if (fchown(file_.get(), replaced_->st_uid, replaced_->st_gid) != 0) {
    [[maybe_unused]] const int ignored = fchown(file_.get(), -1U, replaced_->st_gid);
  }
  return fchmod(file_.get(), replaced_->st_mode & kPermissions) == 0 ? 0 : errno;
}

Status OutputFile::Commit() {
  if (!folder_.ok()) {
    if (!straight_.ok()) {
      const int error = file_.Close();
      return error == 0 ? Status() : Failure(error);
    }
    if (Status status = SendHeldBack(); !status.ok()) return status;
    const int error = straight_.Close();
    return error == 0 ? Status() : Failure(error);
  }
  if (const int error = KeepOwnerAndMode(); error != 0) return Failure(error);
  if (const int error = sync_ ? SyncFile(file_.get()) : 0; error != 0) return Failure(error);
  if (const int error = Publish(); error != 0) {
    if (error != EEXIST) return Failure(error);
    return NotWritten(
        fmt::format("{}: appeared in the meantime; use --force to replace it", Printable(path_)));
  }
  // The file stands. A folder that cannot be synced (or was opened by path only) takes nothing
  // back.
  if (sync_) fsync(folder_.get());
  return {};
}

int OutputFile::Publish() { return temporary_.empty() ? PublishUnnamed() : PublishNamed(); }

int OutputFile::PublishUnnamed() {
  const int linked = LinkUnnamed(file_.get(), folder_.get(), name_);
  if (linked != EEXIST || !force_) return linked;
  // Nothing links over a name that exists: link beside it, then rename.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string beside = TemporaryName(name_);
    const int error = LinkUnnamed(file_.get(), folder_.get(), beside);
    if (error == EEXIST) continue;
    if (error != 0) return error;
    temporary_ = std::move(beside);
    return PublishNamed();
  }
  return EEXIST;
}

int OutputFile::PublishNamed() {
  const int error = force_ ? Rename(folder_.get(), temporary_, name_)
                           : RenameToNew(folder_.get(), temporary_, name_);
  if (error == 0) temporary_.clear();
  return error;
}

}  // namespace exactcast
