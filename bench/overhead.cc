// SPDX-License-Identifier: Apache-2.0
//
// Small calls, as a program makes them that casts a bias or a scale: default options, arrays in the
// first cache.
#include "bench/overhead.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>

namespace exactcast::bench {
namespace {

constexpr std::array<std::size_t, 4> kSizes = {1, 16, 256, 1024};  // elements

}  // namespace

void MeasureOverhead(const std::vector<Subject>& subjects, const Pace& pace) {
  fmt::print("{:<44}", "nanoseconds of a call for elements:");
  for (const std::size_t n : kSizes) fmt::print("{:>8}", n);
  fmt::print("  counts off:");
  for (const std::size_t n : kSizes) fmt::print("{:>8}", n);
  fmt::print("      plan\n");
  std::vector<std::byte> in(16 * kSizes.back());
  std::vector<std::byte> out(16 * kSizes.back());
  for (const Subject& subject : subjects) {
    std::vector<Contender> contenders;
    for (const bool counts : {true, false}) {
      for (const std::size_t n : kSizes) {
        const auto call = [&, n, counts] {
          subject.run(in.data(), out.data(), n, {.threads = 0, .counts = counts});
        };
        contenders.push_back(Timed(Role::kOurs, "", "", false, call));
      }
    }
    const auto plan = [&] { (void)MakeSubject(subject.row); };
    contenders.push_back(Timed(Role::kOurs, "", "", false, plan));
    contenders.front().is_bound = true;  // a round needs one
    const Round round = Measure(contenders, pace);
    fmt::print("{:<44}", Key(subject));
    for (std::size_t i = 0; i < round.timings.size(); ++i) {
      if (i == kSizes.size()) fmt::print("{:13}", "");
      fmt::print("{:>{}.0f}", round.timings[i].median, i == 2 * kSizes.size() ? 10 : 8);
    }
    fmt::print("\n");
  }
}

}  // namespace exactcast::bench
