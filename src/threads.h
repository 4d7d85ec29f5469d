// SPDX-License-Identifier: Apache-2.0
//
// Splitting a range over threads. Which thread converts an element never changes what it becomes.
#ifndef EXACTCAST_SRC_THREADS_H_
#define EXACTCAST_SRC_THREADS_H_

#include <cstddef>
#include <functional>

namespace exactcast {

// The processors that this process may run on; at least 1.
int AvailableThreads();

// Splits [0, elements) into `parts` ranges that begin at multiples of `grain`, and calls work(part,
// begin, end) for each, the first on the calling thread. Falls back to the calling thread where no
// other can be started.
void ParallelRanges(std::size_t elements, std::size_t parts, std::size_t grain,
                    const std::function<void(std::size_t, std::size_t, std::size_t)>& work);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_THREADS_H_
