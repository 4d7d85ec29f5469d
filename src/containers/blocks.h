// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a file handed out to threads, each of which reads, converts and writes its own: disjoint
// ranges instead of a pipeline. Splitting what lies in memory is src/threads.h's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_BLOCKS_H_
#define EXACTCAST_SRC_CONTAINERS_BLOCKS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "exactcast/status.h"
#include "src/threads.h"

namespace exactcast {

// Told of bytes that have been read and written, from any thread; false stops the work.
using Progress = std::function<bool(std::uint64_t bytes)>;

// With its output it finds place in a core's second cache. Writes of half a mebibyte and more that lie
// well are given pages so large that a virtual machine may have to fetch them from its host.
constexpr std::size_t kBlockBytes = std::size_t{1} << 19;
constexpr std::size_t kMostWorkers = 12;  // two blocks each: 12 MiB

// `threads` as in RunOptions.
inline std::size_t Workers(int threads, std::uint64_t blocks) {
  const auto wanted = static_cast<std::size_t>(threads == 0 ? AvailableThreads() : threads);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(std::min(wanted, kMostWorkers), 1,
                                                            std::max<std::uint64_t>(blocks, 1)));
}

// The failure of the earliest block, whichever thread met it; from a failure on no block is begun.
class BlockFailure {
 public:
  void Note(std::uint64_t block, Status status) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (block < block_) status_ = std::move(status);
    block_ = std::min(block_, block);
    any_ = true;
  }
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] Status status() const { return status_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> any_ = false;
  std::uint64_t block_ = ~std::uint64_t{0};
  Status status_;
};

// Calls work(worker, block) for every block, in order of the blocks, on `workers` threads, until
// stop() says so. `work` does not throw.
template <typename Work, typename Stop>
void HandOutBlocks(std::uint64_t blocks, std::size_t workers, const Stop& stop, const Work& work) {
  std::atomic<std::uint64_t> next = 0;
  const auto loop = [&](std::size_t worker) {
    while (!stop()) {
      const std::uint64_t block = next.fetch_add(1);
      if (block >= blocks) return;
      work(worker, block);
    }
  };
  std::vector<std::jthread> threads;  // joined on the way out
  try {
    for (std::size_t worker = 1; worker < workers; ++worker) {
      threads.emplace_back([&loop, worker] { loop(worker); });
    }
  } catch (...) {  // no more threads to be had: those that run do it all
  }
  loop(0);
}

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_BLOCKS_H_
