// SPDX-License-Identifier: Apache-2.0
//
// The machine, as Linux shows it.
#include "bench/machine.h"

#include <sched.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <new>
#include <sstream>

namespace exactcast::bench {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

std::int64_t Nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : size_((bytes + kLargePage - 1) / kLargePage * kLargePage) {
  mapped_ = size_ + kLargePage;
  mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  const std::size_t skip = (kLargePage - address % kLargePage) % kLargePage;
  data_ = static_cast<std::byte*>(mapping_) + skip;
  madvise(data_, size_, MADV_HUGEPAGE);
  std::memset(data_, 1, size_);
}

Buffer::~Buffer() { munmap(mapping_, mapped_); }

bool HasLargePages(std::size_t bytes) {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::size_t kibibytes = 0;
    if (words >> name >> kibibytes && name == "AnonHugePages:") return kibibytes * 1024 >= bytes;
  }
  return false;
}

std::vector<int> Pin(int count) {
  cpu_set_t allowed;
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return cores;
  for (int core = CPU_SETSIZE - 1; core >= 0 && static_cast<int>(cores.size()) < count; --core) {
    if (!CPU_ISSET(core, &allowed)) continue;  // from the last: the first serves interrupts
    CPU_SET(core, &chosen);
    cores.push_back(core);
  }
  if (sched_setaffinity(0, sizeof(chosen), &chosen) != 0) cores.clear();
  return cores;
}

std::int64_t ThreadNanoseconds() { return Nanoseconds(CLOCK_THREAD_CPUTIME_ID); }
std::int64_t WallNanoseconds() { return Nanoseconds(CLOCK_MONOTONIC); }

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

std::string Compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  return "gcc " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#endif
}

Team::Team(int threads) : start_(threads), end_(threads) {
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { Work(i); });
}

Team::~Team() {
  part_ = nullptr;
  start_.arrive_and_wait();
  for (std::thread& worker : workers_) worker.join();
}

void Team::Run(const std::function<void(int)>& part) {
  part_ = &part;
  start_.arrive_and_wait();
  part(0);
  end_.arrive_and_wait();
}

void Team::Work(int part) {
  for (;;) {
    start_.arrive_and_wait();
    if (part_ == nullptr) return;
    (*part_)(part);
    end_.arrive_and_wait();
  }
}

}  // namespace exactcast::bench
