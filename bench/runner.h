// SPDX-License-Identifier: Apache-2.0
//
// The interleaved runner: every round samples each contender once, A B C A B C, so that what
// disturbs the machine disturbs all of them; medians over rounds, ratios within a round.
#ifndef EXACTCAST_BENCH_RUNNER_H_
#define EXACTCAST_BENCH_RUNNER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace exactcast::bench {

enum class Role {
  kBound,  // moves the row's bytes and does nothing with them
  kOurs,
  kCopy,  // memcpy of the row's input: the number that readers know
  kPeer,
};

struct Contender {
  Role role = Role::kOurs;
  std::string name;
  std::string detail;                                  // kernel, or what to know about a peer
  std::function<std::int64_t(int calls)> nanoseconds;  // of so many calls
  bool is_bound = false;                               // a ratio is to the best of these
  double same = -1;  // the part of the elements that are the library's; negative: not compared
};

// The function, timed: CPU time of this thread, or the wall's where several threads work.
Contender Timed(Role role, std::string name, std::string detail, bool wall,
                std::function<void()> call);

struct Pace {
  int rounds = 15;
  double sample_seconds = 0.002;
  double row_seconds = 10;  // no new round after these, once there are three
};

struct Timing {
  double median = 0;  // nanoseconds of a call
  double least = 0;
  double spread = 0;  // (third quartile - first) / median
  double ratio = 0;   // median over rounds of time / best bound of that round
};

struct Round {
  int rounds = 0;
  double bound = 0;  // median over rounds of the best bound, nanoseconds of a call
  std::vector<Timing> timings;
};

Round Measure(const std::vector<Contender>& contenders, const Pace& pace);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_RUNNER_H_
