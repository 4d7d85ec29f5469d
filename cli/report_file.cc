// SPDX-License-Identifier: Apache-2.0
//
// Files of reports: checked before the work, written after it, whole or not at all.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/report.h"

namespace exactcast::cli {
namespace {

struct Kind {
  std::string_view ending;
  std::string (*text)(const Report&);
};
constexpr std::array<Kind, 4> kKinds = {
    {{".json", ReportJson}, {".csv", ReportCsv}, {".txt", ReportText}, {".html", ReportPage}}};

const Kind* KindOf(const std::string& path) {
  for (const Kind& kind : kKinds) {
    if (path.ends_with(kind.ending)) return &kind;
  }
  return nullptr;
}

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// Of files that may not be there yet.
std::string Canonical(const std::string& path) {
  std::error_code error;
  const auto canonical =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : canonical.string();
}

bool AreSame(const std::string& a, const std::string& b) {
  struct stat of_a = {};
  struct stat of_b = {};
  return stat(a.c_str(), &of_a) == 0 && stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

// The other file itself, or in it, if it is a folder.
bool IsOrIsIn(const std::string& path, const std::string& other) {
  if (other.empty() || other == "-") return false;
  const std::string real = Canonical(path);
  std::string folder = Canonical(other);
  if (folder.ends_with('/')) folder.pop_back();
  return real == folder || real.starts_with(folder + '/') || AreSame(path, other);
}

Status Failed(std::string_view option, const std::string& path, std::string_view why) {
  return NotWritten(fmt::format("{} {}: {}", option, path, why));
}

}  // namespace

Status CheckOutputFile(std::string_view option, const std::string& path,
                       const std::vector<std::string>& others, bool force) {
  if (path.empty()) return UsageError(fmt::format("{}: a file's name is empty", option));
  for (const std::string& other : others) {
    if (IsOrIsIn(path, other)) {
      return UsageError(fmt::format(
          "{} {}: is a file of this run, or in its folder; choose another place", option, path));
    }
  }
  struct stat facts = {};
  if (stat(path.c_str(), &facts) == 0) {
    if (S_ISDIR(facts.st_mode)) return Failed(option, path, "is a folder");
    if (!force) return Failed(option, path, "exists; --force replaces it");
  }
  const std::string folder = FolderOf(path);
  if (stat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) {
    return Failed(option, path, fmt::format("there is no folder {}; make it", folder));
  }
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0) {
    return Failed(option, path, fmt::format("{}: {}", folder, std::strerror(errno)));
  }
  return {};
}

Status WriteOutputFile(std::string_view option, const std::string& path, std::string_view text) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  std::FILE* file = std::fopen(temporary.c_str(), "wxe");
  if (file == nullptr) return Failed(option, path, std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
                       std::fflush(file) == 0 && fsync(fileno(file)) == 0;
  const int error = errno;
  const bool closed = std::fclose(file) == 0;
  if (written && closed && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  const int last = written ? errno : error;
  std::remove(temporary.c_str());
  return Failed(option, path, std::strerror(last));
}

Status CheckReportFile(const std::string& path, const std::vector<std::string>& others,
                       bool force) {
  if (KindOf(path) == nullptr) {
    return UsageError(
        fmt::format("--report {}: its name is to end in .html, .json, .csv or .txt", path));
  }
  return CheckOutputFile("--report", path, others, force);
}

Status WriteReportFile(const std::string& path, const Report& report) {
  return WriteOutputFile("--report", path, KindOf(path)->text(report));
}

}  // namespace exactcast::cli
