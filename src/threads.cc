// SPDX-License-Identifier: Apache-2.0
//
// How many threads there are to have.
#include "src/threads.h"

#include <sched.h>

namespace exactcast {

int AvailableThreads() noexcept {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace exactcast
