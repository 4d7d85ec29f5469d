// SPDX-License-Identifier: Apache-2.0
//
// Threads for one array: started per call, joined before it returns.
#include "src/threads.h"

#include <sched.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace exactcast {

int AvailableThreads() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void ParallelRanges(std::size_t elements, std::size_t parts, std::size_t grain,
                    const std::function<void(std::size_t, std::size_t, std::size_t)>& work) {
  const std::size_t grains = elements / grain + (elements % grain != 0 ? 1 : 0);
  const auto begin_of = [&](std::size_t part) {
    return std::min(elements, grains * part / parts * grain);
  };
  std::vector<std::thread> threads;
  std::vector<std::size_t> here = {0};
  for (std::size_t part = 1; part < parts; ++part) {
    try {
      threads.emplace_back(work, part, begin_of(part), begin_of(part + 1));
    } catch (const std::system_error&) {
      here.push_back(part);
    }
  }
  for (std::size_t part : here) work(part, begin_of(part), begin_of(part + 1));
  for (std::thread& thread : threads) thread.join();
}

}  // namespace exactcast
