// SPDX-License-Identifier: Apache-2.0
//
// The pool. A job stands on its caller's stack; the caller takes parts of it like any other thread
// and leaves once none is left and none is being done.
#include "src/threads.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace exactcast {
namespace {

struct Job {
  std::size_t parts;
  void (*task)(const void* context, std::size_t part);
  const void* context;
  std::size_t next = 0;  // the first part that nobody has taken
  std::size_t done = 0;
};

class Pool {
 public:
  // The process's own: a child of fork() has none of its parent's threads and starts anew.
  static Pool& Get() {
    Pool* pool = pool_.load();
    if (pool == nullptr) {
      // Never destroyed: threads may outlive main's statics. No lock, as fork() could copy a held one.
      auto fresh = std::make_unique<Pool>();
      if (pool_.compare_exchange_strong(pool, fresh.get())) pool = fresh.release();
    }
    return *pool;
  }

  static void Forget() { pool_ = nullptr; }

  void Run(Job* job) {
    std::unique_lock lock(mutex_);
    Grow(job->parts - 1);
    jobs_.push_back(job);
    wake_.notify_all();
    while (job->next < job->parts) DoPart(job, lock);
    finished_.wait(lock, [&] { return job->done == job->parts; });
  }

 private:
  // At least `threads`, as far as they are to be had.
  void Grow(std::size_t threads) {
    try {
      while (size_ < std::min(threads, kMost)) {
        std::thread([this] { Work(); }).detach();
        ++size_;
      }
    } catch (...) {  // std::system_error: the caller does the rest
    }
  }

  // The job with parts left that came first. Called with the lock, which is let go meanwhile.
  void DoPart(Job* job, std::unique_lock<std::mutex>& lock) {
    const std::size_t part = job->next++;
    if (job->next == job->parts) std::erase(jobs_, job);
    lock.unlock();
    job->task(job->context, part);
    lock.lock();
    if (++job->done == job->parts) finished_.notify_all();
  }

  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return !jobs_.empty(); });
      DoPart(jobs_.front(), lock);
    }
  }

  static constexpr std::size_t kMost = 255;
  inline static std::atomic<Pool*> pool_ = nullptr;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable finished_;
  std::vector<Job*> jobs_;  // those with parts that nobody has taken
  std::size_t size_ = 0;
};

// Registered when the program is loaded: what is made on first use has a lock, which fork() may copy
// held.
[[maybe_unused]] const int kRegistered = pthread_atfork(nullptr, nullptr, Pool::Forget);

}  // namespace

int AvailableThreads() noexcept {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::size_t Parts(int threads, std::size_t elements, std::size_t grain) noexcept {
  const std::size_t most = elements / grain;
  if (most <= 1) return 1;  // asking the system how many there are takes longer than a small array
  return std::min(most, static_cast<std::size_t>(threads > 0 ? threads : AvailableThreads()));
}

void RunParts(std::size_t parts, void (*task)(const void* context, std::size_t part),
              const void* context) noexcept {
  Job job = {.parts = parts, .task = task, .context = context};
  if (parts == 0) return;
  try {
    return Pool::Get().Run(&job);
  } catch (...) {  // no memory for the pool
  }
  for (std::size_t part = job.next; part < parts; ++part) task(context, part);
}

}  // namespace exactcast
