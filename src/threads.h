// SPDX-License-Identifier: Apache-2.0
//
// Splitting a range over threads. Which thread converts an element never changes what it becomes.
#ifndef EXACTCAST_SRC_THREADS_H_
#define EXACTCAST_SRC_THREADS_H_

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace exactcast {

// The processors that this process may run on; at least 1.
int AvailableThreads() noexcept;

// Splits [0, elements) into `parts` ranges that begin at multiples of `grain`, and calls
// work(begin, end) for each, the first on the calling thread. Where no thread or no memory for one
// is to be had, the calling thread does the rest. `work` does not throw.
template <typename Work>
void ParallelRanges(std::size_t elements, std::size_t parts, std::size_t grain,
                    const Work& work) noexcept {
  const std::size_t grains = elements / grain + (elements % grain != 0 ? 1 : 0);
  const auto begin_of = [&](std::size_t part) {
    return std::min(elements,
                    grains / parts * part * grain + std::min(part, grains % parts) * grain);
  };
  std::vector<std::jthread> threads;  // joined on the way out
  std::size_t started = 1;            // the first part is the calling thread's own
  try {
    threads.reserve(parts - 1);
    for (; started < parts; ++started) {
      const std::size_t begin = begin_of(started);
      const std::size_t end = begin_of(started + 1);
      threads.emplace_back([&work, begin, end] { work(begin, end); });
    }
  } catch (...) {  // std::system_error or std::bad_alloc: parts from `started` on are left to do
  }
  work(std::size_t{0}, begin_of(1));
  for (std::size_t part = started; part < parts; ++part) work(begin_of(part), begin_of(part + 1));
}

}  // namespace exactcast

#endif  // EXACTCAST_SRC_THREADS_H_
