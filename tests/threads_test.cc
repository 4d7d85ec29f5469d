// SPDX-License-Identifier: Apache-2.0
//
// The pool: every part is done once, by however many callers, nested or after fork(), and where no
// thread is to be had. The tests run under the thread sanitizer, too (CONTRIBUTING.md).
#include "src/threads.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "exactcast/cast.h"

namespace exactcast {
namespace {

// Calls task(part) for every part.
template <typename Task>
void ForParts(std::size_t parts, const Task& task) {
  RunParts(
      parts,
      [](const void* context, std::size_t part) { (*static_cast<const Task*>(context))(part); },
      &task);
}

using Flags = std::vector<std::atomic<int>>;

void ExpectEachOnce(const Flags& done) {
  for (std::size_t i = 0; i < done.size(); ++i) {
    ASSERT_EQ(done[i], 1) << "part " << i << " of " << done.size();
  }
}

TEST(Threads, EveryPartIsDoneOnceAlsoWhereThereAreMoreThanThreads) {
  for (std::size_t parts : {0u, 1u, 2u, 3u, 17u, 255u, 256u, 300u, 20'000u}) {
    Flags done(parts);
    ForParts(parts, [&](std::size_t part) { ++done[part]; });
    ExpectEachOnce(done);
  }
}

TEST(Threads, ManyCallersAtOnceGetTheirOwnParts) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (std::size_t caller = 0; caller < 12; ++caller) {
    callers.emplace_back([&wrong, caller] {
      for (std::size_t round = 0; round < 100; ++round) {
        const std::size_t parts = 1 + (caller + round) % 9;
        std::atomic<std::size_t> sum = 0;
        ForParts(parts, [&](std::size_t part) { sum += part + 1; });
        if (sum != parts * (parts + 1) / 2) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, PartsMayHavePartsOfTheirOwn) {
  Flags done(280);  // 8 * 7 * 5
  ForParts(8, [&](std::size_t a) {
    ForParts(7, [&](std::size_t b) {
      ForParts(5, [&](std::size_t c) { ++done[(a * 7 + b) * 5 + c]; });
    });
  });
  ExpectEachOnce(done);
}

TEST(Threads, ManyCallersMayNest) {
  std::vector<std::thread> callers;
  std::atomic<int> done = 0;
  callers.reserve(6);
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&done] {
      for (int round = 0; round < 20; ++round) {
        ForParts(4, [&](std::size_t) { ForParts(6, [&](std::size_t) { ++done; }); });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 6 * 20 * 4 * 6);
}

TEST(Threads, RangesCoverEveryElementOnceAndBeginAtMultiplesOfTheGrain) {
  for (std::size_t elements : {0u, 1u, 63u, 64u, 65u, 1000u, 4097u}) {
    for (std::size_t parts : {0u, 1u, 2u, 5u, 40u, 200u}) {
      Flags done(elements);
      std::atomic<int> uneven = 0;
      ParallelRanges(elements, parts, 64, [&](std::size_t begin, std::size_t end) {
        if (begin < end && begin % 64 != 0) ++uneven;
        for (std::size_t i = begin; i < end; ++i) ++done[i];
      });
      ExpectEachOnce(done);
      EXPECT_EQ(uneven, 0);
    }
  }
}

// ---- processes ----------------------------------------------------------------------------------

// With a sanitizer not as a program does: the search for leaks cannot stop a child's threads.
[[noreturn]] void Leave(int status) {
#ifdef EXACTCAST_SANITIZED
  _exit(status);
#else
  std::exit(status);
#endif
}

// Runs `body` in a child; its exit status, or -1 where it was killed, after a minute at the latest.
template <typename Body>
int StatusOfChild(const Body& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    Leave(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A large array on four threads; whether all results are right.
bool CastsRight(const Plan& plan) {
  const std::vector<float> in(1 << 19, 2.5f);
  std::vector<std::uint16_t> out(in.size());
  const Counts counts = plan.Run(in.data(), out.data(), in.size(), {.threads = 4});
  return counts.exact == in.size() && out == std::vector<std::uint16_t>(in.size(), 0x4100);
}

Plan ToFloat16() { return *MakePlan({.from = FormatId::kFloat32, .to = FormatId::kFloat16}); }

TEST(Threads, AChildOfForkStartsThreadsOfItsOwn) {
  const Plan plan = ToFloat16();
  ASSERT_TRUE(CastsRight(plan));  // the parent has threads now
  EXPECT_EQ(StatusOfChild([&] { return CastsRight(plan); }), 0);
  EXPECT_EQ(StatusOfChild([&] {
              return CastsRight(plan) && StatusOfChild([&] { return CastsRight(plan); }) == 0;
            }),
            0)
      << "a child's child";
  EXPECT_TRUE(CastsRight(plan)) << "the parent keeps its own";
}

#ifndef EXACTCAST_SANITIZED  // whose own locks fork() may copy held

TEST(Threads, AForkMayComeWhileThePoolIsAtWork) {
  const Plan plan = ToFloat16();
  std::atomic<bool> stop = false;
  std::vector<std::thread> callers;
  callers.reserve(3);
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      std::atomic<int> done = 0;
      while (!stop) ForParts(4, [&](std::size_t) { ++done; });
    });
  }
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(StatusOfChild([&] { return CastsRight(plan); }), 0) << "fork " << round;
  }
  stop = true;
  for (std::thread& caller : callers) caller.join();
}

// Stacks of a gigabyte, and room for a few megabytes. (The stacks of the parent's threads are left to
// the child, but are too small.)
bool LetNoThreadStart() {
  pthread_attr_t attributes;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t room = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (16 << 20);
  const rlimit limit = {.rlim_cur = room, .rlim_max = room};
  return pthread_attr_init(&attributes) == 0 &&
         pthread_attr_setstacksize(&attributes, std::size_t{1} << 30) == 0 &&
         pthread_setattr_default_np(&attributes) == 0 && setrlimit(RLIMIT_AS, &limit) == 0;
}

TEST(Threads, WhereNoThreadIsToBeHadTheCallerDoesAll) {
  EXPECT_EQ(StatusOfChild([] {
              if (!LetNoThreadStart()) return false;
              const std::thread::id self = std::this_thread::get_id();
              std::atomic<int> own = 0;
              ForParts(500,
                       [&](std::size_t) { own += std::this_thread::get_id() == self ? 1 : 0; });
              return own == 500;
            }),
            0);
}

#endif

}  // namespace
}  // namespace exactcast
