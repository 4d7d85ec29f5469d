// SPDX-License-Identifier: Apache-2.0
//
// Rounds, and what is made of their times.
#include "bench/runner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bench/machine.h"

namespace exactcast::bench {
namespace {

constexpr int kLeastRounds = 3;

double Quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const double at = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - std::floor(at)) * (values[above] - values[below]);
}

double Median(const std::vector<double>& values) { return Quantile(values, 0.5); }

double OneSample(const Contender& contender, int calls) {
  return static_cast<double>(contender.nanoseconds(calls)) / calls;
}

// Calls that together take a sample's time; also warms up.
int Calibrate(const Contender& contender, const Pace& pace) {
  OneSample(contender, 1);
  const double wanted = pace.sample_seconds * 1e9;
  int calls = 1;
  for (double time = OneSample(contender, 1); time * calls < wanted / 2;) {
    calls = static_cast<int>(std::min(calls * 8.0, std::ceil(wanted / std::max(time, 1.0))));
    time = OneSample(contender, calls);
  }
  return calls;
}

Timing Summarize(const std::vector<double>& times, const std::vector<double>& bounds) {
  std::vector<double> ratios(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) ratios[i] = times[i] / bounds[i];
  const double median = Median(times);
  return {.median = median,
          .least = std::ranges::min(times),
          .spread = (Quantile(times, 0.75) - Quantile(times, 0.25)) / median,
          .ratio = Median(ratios)};
}

}  // namespace

Contender Timed(Role role, std::string name, std::string detail, bool wall,
                std::function<void()> call) {
  const auto now = wall ? WallNanoseconds : ThreadNanoseconds;
  return {.role = role,
          .name = std::move(name),
          .detail = std::move(detail),
          .nanoseconds =
              [now, call = std::move(call)](int calls) {
                const std::int64_t start = now();
                for (int i = 0; i < calls; ++i) call();
                return now() - start;
              },
          .is_bound = role == Role::kBound};
}

Round Measure(const std::vector<Contender>& contenders, const Pace& pace) {
  const std::int64_t start = WallNanoseconds();
  std::vector<int> calls;
  calls.reserve(contenders.size());
  for (const Contender& contender : contenders) calls.push_back(Calibrate(contender, pace));

  std::vector<std::vector<double>> times(contenders.size());
  std::vector<double> bounds;
  for (int round = 0; round < pace.rounds; ++round) {
    const double elapsed = static_cast<double>(WallNanoseconds() - start) * 1e-9;
    if (round >= kLeastRounds && elapsed > pace.row_seconds) break;
    double bound = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      times[i].push_back(OneSample(contenders[i], calls[i]));
      if (contenders[i].is_bound) bound = std::min(bound, times[i].back());
    }
    bounds.push_back(bound);
  }

  Round result{.rounds = static_cast<int>(bounds.size()), .bound = Median(bounds), .timings = {}};
  for (const std::vector<double>& of_one : times) {
    result.timings.push_back(Summarize(of_one, bounds));
  }
  return result;
}

}  // namespace exactcast::bench
