// SPDX-License-Identifier: Apache-2.0
//
// Splitting a range over the threads of a small pool, which starts on first use and is kept. Which
// thread converts an element never changes what it becomes.
#ifndef EXACTCAST_SRC_THREADS_H_
#define EXACTCAST_SRC_THREADS_H_

#include <algorithm>
#include <cstddef>

namespace exactcast {

// The processors that this process may run on; at least 1.
int AvailableThreads() noexcept;

// Into how many parts an array is split: `threads`, or as many as the process may use if that is 0;
// fewer where a part would have less than `grain` elements.
std::size_t Parts(int threads, std::size_t elements, std::size_t grain) noexcept;

// Calls task(context, part) for every part below `parts`, on the calling thread and on as many of
// the pool's as are free; returns when all are done. Where no thread is to be had the calling thread
// does them all. May be called from several threads at once, and from within a task. `task` does not
// throw.
void RunParts(std::size_t parts, void (*task)(const void* context, std::size_t part),
              const void* context) noexcept;

// Splits [0, elements) into `parts` ranges that begin at multiples of `grain`, and calls
// work(begin, end) for each. `work` does not throw.
template <typename Work>
void ParallelRanges(std::size_t elements, std::size_t parts, std::size_t grain,
                    const Work& work) noexcept {
  const std::size_t grains = elements / grain + (elements % grain != 0 ? 1 : 0);
  const auto begin_of = [=](std::size_t part) {
    return std::min(elements,
                    grains / parts * part * grain + std::min(part, grains % parts) * grain);
  };
  if (parts <= 1) return work(std::size_t{0}, elements);
  const auto run_part = [&](std::size_t part) { work(begin_of(part), begin_of(part + 1)); };
  RunParts(
      parts,
      [](const void* context, std::size_t part) {
        (*static_cast<const decltype(run_part)*>(context))(part);
      },
      &run_part);
}

}  // namespace exactcast

#endif  // EXACTCAST_SRC_THREADS_H_
