// SPDX-License-Identifier: Apache-2.0
//
// Running a process to its end, and what it took.
#ifndef EXACTCAST_BENCH_PROCESS_H_
#define EXACTCAST_BENCH_PROCESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace exactcast::bench {

struct ProcessTaken {
  int status = -1;         // exit status, or 128 + the signal
  double wall = 0;         // seconds
  double cpu = 0;          // of user and system, seconds
  std::uint64_t peak = 0;  // resident bytes
};

// Runs a program found in PATH, its output thrown away.
ProcessTaken RunProgram(const std::vector<std::string>& words);
// Runs `work` in a process of its own, which ends with what it returns.
ProcessTaken RunApart(const std::function<int()>& work);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_PROCESS_H_
