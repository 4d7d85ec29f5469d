// SPDX-License-Identifier: Apache-2.0
//
// Progress, as progress.h says.
#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <vector>

#include "cli/command.h"

namespace exactcast::cli {
namespace {

using std::chrono::milliseconds;

// A run that is over sooner says nothing.
constexpr milliseconds kFirstDrawn{500};
constexpr milliseconds kDrawn{100};
constexpr milliseconds kPlain{10000};
constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t caught = 0;

void Catch(int signal) { caught = signal; }

std::size_t TerminalWidth() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string TimeText(double seconds) {
  const auto s = static_cast<std::uint64_t>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

// The end of a name that is too long, from the beginning of a character on.
std::string ShortName(std::string_view name, std::size_t room) {
  if (name.size() <= room) return std::string(name);
  if (room < 3) return "";
  name.remove_prefix(name.size() - room + 2);
  while (!name.empty() && (static_cast<unsigned char>(name.front()) & 0xc0) == 0x80) {
    name.remove_prefix(1);
  }
  return fmt::format("..{}", name);
}

}  // namespace

std::string BytesText(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, kUnits[unit]);
}

// Parts that find no place are left out whole: half a number would be another one.
std::string ProgressText(std::uint64_t done, std::uint64_t total, double seconds,
                         std::string_view what, std::size_t width, std::uint64_t before) {
  done = std::min(done, total);
  const double rate =
      seconds > 0 ? static_cast<double>(done - std::min(before, done)) / seconds : 0;
  const double share = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
  std::vector<std::string> parts = {
      fmt::format("{:3.0f} %", 100 * share),
      fmt::format("{} of {}", BytesText(done), BytesText(total)),
      fmt::format("{}/s", BytesText(static_cast<std::uint64_t>(rate)))};
  if (rate > 0) {
    parts.push_back(fmt::format("{} left", TimeText(static_cast<double>(total - done) / rate)));
  }
  std::string text;
  for (const std::string& part : parts) {
    const std::size_t gap = text.empty() ? 0 : 2;
    if (text.size() + gap + part.size() > width) return text;
    text.append(gap, ' ').append(part);
  }
  if (text.size() + 3 > width) return text;
  const std::string name = ShortName(what, width - text.size() - 2);
  return name.empty() ? text : fmt::format("{}  {}", text, name);
}

Progress::Progress(bool quiet)
    : quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      next_(begin_ + (terminal_ ? kFirstDrawn : kPlain)) {}

Progress::~Progress() {
  if (!watching_) return;
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

void Progress::StopOnSignals() {
  watching_ = true;
  for (const int signal : kSignals) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;  // nohup
    action = {};
    action.sa_handler = Catch;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

bool Progress::Tell(std::uint64_t done, std::uint64_t total, std::string_view what) {
  if (caught != 0) return false;
  if (quiet_) return true;
  const std::lock_guard<std::mutex> lock(mutex_);
  done_ = std::max(done_, done);
  if (!before_) before_ = done;
  const Clock::time_point now = Clock::now();
  if (now < next_) return true;
  next_ = now + (terminal_ ? kDrawn : kPlain);
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const std::size_t width = terminal_ ? TerminalWidth() - 1 : 200;
  std::string printable(what);
  std::replace_if(
      printable.begin(), printable.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  const std::string text = ProgressText(done_, total, seconds, printable, width, *before_);
  std::fputs(
      terminal_ ? fmt::format("\r\x1b[K{}", text).c_str() : fmt::format("{}\n", text).c_str(),
      stderr);
  std::fflush(stderr);
  drawn_ = terminal_;
  return true;
}

std::function<bool(std::uint64_t)> Progress::ForBytes(std::uint64_t total, std::string what) {
  return
      [this, total, what = std::move(what), done = std::uint64_t{0}](std::uint64_t bytes) mutable {
        {
          const std::lock_guard<std::mutex> lock(mutex_);
          done += bytes;
        }
        return Tell(done, total, what);
      };
}

void Progress::End(const Status& status) {
  if (std::exchange(drawn_, false)) {
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
  }
  if (status.ok() || caught == 0) return;
  PrintError(status.message());
  std::signal(caught, SIG_DFL);
  std::raise(caught);
}

bool MayWait(const std::string& path) {
  struct stat facts = {};
  if (path == "-") return true;
  return stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

bool IsRegularFile(const std::string& path) {
  struct stat facts = {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

std::uint64_t FileBytes(const std::string& path) {
  struct stat facts = {};
  return stat(path.c_str(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

}  // namespace exactcast::cli
