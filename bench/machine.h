// SPDX-License-Identifier: Apache-2.0
//
// What measuring needs of the machine: memory on large pages, a core of one's own, clocks, threads,
// and the names of what there is.
#ifndef EXACTCAST_BENCH_MACHINE_H_
#define EXACTCAST_BENCH_MACHINE_H_

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace exactcast::bench {

// Anonymous memory, aligned to 2 MiB, on pages of 2 MiB where the system allows it; touched, so
// that no fault is measured.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Whether the process has at least `bytes` on large pages.
bool HasLargePages(std::size_t bytes);

// Keeps the process, and threads it starts later, on `count` of the cores it may use; returns them.
std::vector<int> Pin(int count);

std::int64_t ThreadNanoseconds();  // CPU time of this thread
std::int64_t WallNanoseconds();

std::string CpuModel();
std::string Compiler();

// Threads that wait for work: part(i) runs once on each, part 0 on the caller's.
class Team {
 public:
  explicit Team(int threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  void Run(const std::function<void(int part)>& part);
  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

 private:
  void Work(int part);

  std::barrier<> start_;
  std::barrier<> end_;
  const std::function<void(int)>* part_ = nullptr;  // none: the threads end
  std::vector<std::thread> workers_;
};

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_MACHINE_H_
