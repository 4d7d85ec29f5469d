// SPDX-License-Identifier: Apache-2.0
//
// Showing how far a long run is, and stopping it on a signal so that it can clean up. On a terminal
// one line is drawn again and again; elsewhere there is a plain line now and then.
#ifndef EXACTCAST_CLI_PROGRESS_H_
#define EXACTCAST_CLI_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "exactcast/status.h"

namespace exactcast::cli {

class Progress {
 public:
  explicit Progress(bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // From now on SIGINT, SIGTERM and SIGHUP make Tell answer false; a second one ends the process.
  void StopOnSignals();
  // From any thread. False: stop.
  bool Tell(std::uint64_t done, std::uint64_t total, std::string_view what);
  // For what tells of bytes only.
  std::function<bool(std::uint64_t)> ForBytes(std::uint64_t total, std::string what);
  // The run is over, and so is the line. Where it failed because a signal came, says so and ends the
  // process as the signal would have.
  void End(const Status& status);

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  bool watching_ = false;
  std::uint64_t done_ = 0;
  std::optional<std::uint64_t> before_;  // done when first told: by an earlier run
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_;
  std::mutex mutex_;
};

// "43 %  1.2 GiB of 2.8 GiB  812 MiB/s  2 s left  model.embed": at most `width` wide, the end of
// `what` kept. Of `done`, `before` was done before the seconds began.
std::string ProgressText(std::uint64_t done, std::uint64_t total, double seconds,
                         std::string_view what, std::size_t width, std::uint64_t before = 0);
std::string BytesText(std::uint64_t bytes);  // "1.2 GiB"

// Whether reading or writing it may take until somebody else does something: a pipe, a terminal, a
// socket. Then signals are better left to end the process, which has nothing to clean up.
bool MayWait(const std::string& path);
bool IsRegularFile(const std::string& path);
std::uint64_t FileBytes(const std::string& path);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_PROGRESS_H_
