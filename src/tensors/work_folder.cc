// SPDX-License-Identifier: Apache-2.0
//
// Building a folder beside its place, as work_folder.h says.
#include "src/tensors/work_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "src/containers/input_file.h"
#include "src/containers/output_file.h"

namespace exactcast {
namespace {

namespace fs = std::filesystem;

std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

bool Exists(const std::string& path) {
  struct stat facts = {};
  return lstat(path.c_str(), &facts) == 0;
}

int MakeFolder(const std::string& path) {
  return mkdir(path.c_str(), 0777) == 0 || errno == EEXIST ? 0 : errno;
}

int SyncFolder(const std::string& path) {
  const Descriptor folder(OpenAt(AT_FDCWD, path, O_RDONLY | O_DIRECTORY));
  if (!folder.ok()) return errno;
  return fsync(folder.get()) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

std::optional<std::string> ReadSmall(const std::string& path) {
  Result<InputFile> file = InputFile::Open(path);
  if (!file.ok() || !file->regular()) return std::nullopt;
  std::string text(static_cast<std::size_t>(file->size()), '\0');
  const Result<std::size_t> got =
      file->ReadAt(0, reinterpret_cast<std::byte*>(text.data()), text.size());
  if (!got.ok() || *got < text.size()) return std::nullopt;
  return text;
}

Status WriteSmall(const std::string& path, std::string_view text, bool sync) {
  Result<OutputFile> file = OutputFile::Create(path, {.force = true, .sync = sync});
  if (!file.ok()) return file.status();
  if (Status status = file->Write(text.data(), text.size()); !status.ok()) return status;
  return file->Commit();
}

// A file of the folder that its successor would not have; empty: there is none.
std::string FindForeign(const std::string& path, const std::set<std::string>& names) {
  std::error_code error;
  const fs::path root(path);
  fs::recursive_directory_iterator entry(root, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->is_directory(error) && !entry->is_symlink(error)) continue;
    const std::string name = entry->path().lexically_relative(root).string();
    if (!names.contains(name)) return name;
  }
  return error ? std::string("(unreadable)") : "";
}

bool IsEmptyFolder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) && fs::is_empty(path, error) && !error;
}

}  // namespace

Status WorkFolder::CheckPlace(const std::string& given, const std::set<std::string>& names,
                              bool force) {
  const std::string path = WithoutSlash(given);
  const std::string shown = Printable(path);
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    return NotWritten(fmt::format("{}: is a symbolic link; name the folder itself", shown));
  }
  if (!Exists(path) || IsEmptyFolder(path)) return {};
  if (!fs::is_directory(path, error)) {
    return NotWritten(fmt::format("{}: is a file, and a checkpoint is written to a folder", shown));
  }
  if (!force) return NotWritten(fmt::format("{}: exists; use --force to replace it", shown));
  const std::string foreign = FindForeign(path, names);
  if (foreign.empty()) return {};
  return NotWritten(
      fmt::format("{}: holds {}, which the new folder would not have; move it away, or "
                  "write to another name",
                  shown, Printable(foreign)));
}

WorkFolder::WorkFolder(std::string path, WorkOptions options)
    : path_(std::move(path)), options_(std::move(options)) {
  const std::size_t slash = path_.rfind('/');
  parent_ = slash == std::string::npos ? "." : slash == 0 ? "/" : path_.substr(0, slash);
  const std::string name = path_.substr(slash == std::string::npos ? 0 : slash + 1);
  root_ = fmt::format("{}/.{}.exactcast-partial", parent_, name);
}

Result<WorkFolder> WorkFolder::Begin(const std::string& path, const WorkOptions& options) {
  WorkFolder folder(WithoutSlash(path), options);
  const bool existed = Exists(folder.root_);
  if (!existed && !Exists(folder.parent_)) {
    return NotWritten(fmt::format("{}: there is no folder {}; make it first", Printable(path),
                                  Printable(folder.parent_)));
  }
  if (const int error = MakeFolder(folder.root_); error != 0) return folder.Failure(error);
  if (Status status = folder.Lock(); !status.ok()) {
    folder.lock_.Close();
    return status;
  }
  if (existed) {
    if (Status status = folder.TakeOver(); !status.ok()) {
      folder.holds_records_ = true;  // another run's: they stay
      return status;
    }
  }
  if (Status status = folder.Prepare(); !status.ok()) return status;
  return folder;
}

WorkFolder::~WorkFolder() {
  if (!lock_.ok() || holds_records_) return;
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

Status WorkFolder::Failure(int error) const {
  return NotWritten(fmt::format("{}: {}", Printable(root_), ErrorText(error)));
}

// One run at a time.
Status WorkFolder::Lock() {
  lock_ = Descriptor(OpenAt(AT_FDCWD, root_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  if (!lock_.ok()) return Failure(errno);
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return {};  // no locks on this file system
  return NotWritten(
      fmt::format("{}: another run is writing it; wait for it, or stop it", Printable(path_)));
}

// What an earlier run left.
Status WorkFolder::TakeOver() {
  const bool complete = Exists(root_ + "/files") && Exists(root_ + "/done");
  const bool has_records = complete && !IsEmptyFolder(root_ + "/done");
  if (has_records && options_.resume) {
    if (ReadSmall(root_ + "/plan") == options_.plan) {
      holds_records_ = true;
      return {};
    }
    if (!options_.force) {
      return UsageError(
          fmt::format("{}: was begun with other options or other inputs, so that --resume cannot "
                      "go on with it; "
                      "--force starts anew",
                      Printable(root_)));
    }
  } else if (has_records && !options_.force) {
    return NotWritten(fmt::format(
        "{}: left by a run that was stopped; --resume goes on with it, --force starts anew",
        Printable(root_)));
  }
  std::error_code error;
  for (const char* name : {"/files", "/done", "/plan"}) {
    fs::remove_all(root_ + name, error);
    if (error) return Failure(error.value());
  }
  return {};
}

Status WorkFolder::Prepare() {
  for (const char* name : {"/files", "/done"}) {
    if (const int error = MakeFolder(root_ + name); error != 0) return Failure(error);
  }
  if (holds_records_) return {};
  return WriteSmall(root_ + "/plan", options_.plan, options_.sync);
}

Result<std::string> WorkFolder::PathFor(const std::string& name) {
  std::string path = FilePath(name);
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) return Failure(error.value());
  return path;
}

std::string WorkFolder::RecordPath(const std::string& name) const {
  return root_ + "/done/" + name;
}

std::optional<std::string> WorkFolder::RecordOf(const std::string& name,
                                                std::optional<std::uint64_t> size) const {
  if (!holds_records_) return std::nullopt;
  struct stat facts = {};
  if (lstat(FilePath(name).c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  if (size && static_cast<std::uint64_t>(facts.st_size) != *size) return std::nullopt;
  return ReadSmall(RecordPath(name));
}

Status WorkFolder::Record(const std::string& name, std::string_view record) {
  Status status = WriteSmall(RecordPath(name), record, options_.sync);
  if (status.ok()) holds_records_ = true;
  return status;
}

Status WorkFolder::Publish() {
  const std::string files = root_ + "/files";
  if (options_.sync) {
    if (const int error = SyncFolder(files); error != 0) return Failure(error);
  }
  const bool replaces = Exists(path_) && !IsEmptyFolder(path_);
  const unsigned how = replaces ? RENAME_EXCHANGE : 0U;
  if (replaces && !options_.force) {
    return NotWritten(
        fmt::format("{}: appeared in the meantime; use --force to replace it", Printable(path_)));
  }
  if (renameat2(AT_FDCWD, files.c_str(), AT_FDCWD, path_.c_str(), how) != 0) {
    return NotWritten(fmt::format("{}: {}", Printable(path_), ErrorText(errno)));
  }
  if (options_.sync) SyncFolder(parent_);
  holds_records_ = false;  // what is left may go, and with it the folder that was replaced
  return {};
}

}  // namespace exactcast
