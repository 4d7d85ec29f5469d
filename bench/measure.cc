// SPDX-License-Identifier: Apache-2.0
//
// Making the contenders of a row.
#include "bench/measure.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "bench/bound.h"
#include "exactcast/spec/codec.h"

namespace exactcast::bench {
namespace {

constexpr std::size_t kCompared = 1 << 16;  // elements
constexpr std::size_t kLargestL2 = 1 << 18;
constexpr std::size_t kLeastDram = 1 << 24;
constexpr double kTwoThreadGoal = 1.10;  // in memory

double GoalOf(const Row& row, std::size_t n, int threads) {
  if (n >= kLeastDram)
    return threads == 1 ? row.goal.dram : std::max(row.goal.dram, kTwoThreadGoal);
  return threads == 1 && n <= kLargestL2 ? row.goal.l2 : 0;
}

// The part of the elements that have the same bits, or are both NaN.
double Same(const std::vector<std::byte>& expected, const std::byte* actual, const Row& row) {
  const Format& f = GetFormat(GetFormat(row.to).part);
  const std::size_t width =
      row.packed && IsPackable(f) ? 1 : static_cast<std::size_t>(f.storage_bits) / 8;
  const auto is_nan = [&](const std::byte* at) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, width);
    return Decode(word, f).cls == Class::kNan;
  };
  std::size_t same = 0;
  for (std::size_t at = 0; at < expected.size(); at += width) {
    const std::byte* a = expected.data() + at;
    const std::byte* b = actual + at;
    same += std::memcmp(a, b, width) == 0 || (is_nan(a) && is_nan(b)) ? 1 : 0;
  }
  return static_cast<double>(same * width) / static_cast<double>(expected.size());
}

// [begin, end) of a part, in whole units.
std::pair<std::size_t, std::size_t> PartOf(std::size_t size, std::size_t unit, int part,
                                           int parts) {
  const auto at = [&](int i) {
    return size / unit * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts) * unit;
  };
  return {at(part), at(part + 1)};
}

}  // namespace

double Speed(double bytes, double nanoseconds) { return bytes / nanoseconds; }

const Entry* Ours(const Record& record, bool counts) {
  for (const Entry& entry : record.entries) {
    const bool has_counts = entry.name.ends_with("counts");
    if (entry.role == Role::kOurs && has_counts == counts) return &entry;
  }
  return nullptr;
}

Bench::Bench(std::size_t bytes, int threads, std::vector<std::unique_ptr<Peer>> peers)
    : in_(bytes),
      out_(bytes),
      has_large_pages_(HasLargePages(in_.size() + out_.size())),
      team_(threads),
      peers_(std::move(peers)) {}

void Bench::AddBounds(const Subject& subject, std::size_t n, std::vector<Contender>& contenders) {
  const std::size_t in_bytes = subject.in_bytes(n);
  const std::size_t out_bytes = subject.out_bytes(n);
  const std::size_t smaller = std::min(in_bytes, out_bytes);
  const Traffic traffic = TrafficOf(in_bytes, out_bytes);
  for (const bool stream : {false, true}) {
    const auto part = [=, this](int i) {
      const auto [begin, end] = PartOf(smaller, kBoundUnit, i, team_.threads());
      RunBound(traffic, stream, in_.data() + in_bytes / smaller * begin,
               out_.data() + out_bytes / smaller * begin, end - begin);
    };
    contenders.push_back(Timed(Role::kBound, stream ? "bound, streaming" : "bound",
                               stream ? "stores past the caches" : "stores through the caches",
                               wall(), [this, part] { team_.Run(part); }));
  }
  const auto copy = [=, this](int i) {
    const auto [begin, end] = PartOf(in_bytes, kBoundUnit, i, team_.threads());
    std::memcpy(out_.data() + begin, in_.data() + begin, end - begin);
  };
  contenders.push_back(Timed(Role::kCopy, "memcpy", "the input, as it is", wall(),
                             [this, copy] { team_.Run(copy); }));
  contenders.back().is_bound = in_bytes == out_bytes;
}

void Bench::AddOurs(const Subject& subject, const Setting& setting,
                    std::vector<Contender>& contenders) {
  for (const bool counts : {false, true}) {
    const bool wanted =
        setting.counts == CountsWanted::kBoth || counts == (setting.counts == CountsWanted::kOn);
    if (counts ? !wanted && subject.has_counts_off : !wanted || !subject.has_counts_off) continue;
    contenders.push_back(
        Timed(Role::kOurs, counts ? "exactcast, counts" : "exactcast", subject.kernel, wall(),
              [=, this, run = subject.run] {
                run(in_.data(), out_.data(), setting.n,
                    {.threads = team_.threads(), .counts = counts, .stores = setting.stores});
              }));
  }
}

void Bench::AddPeers(const Subject& subject, std::size_t n, std::vector<Contender>& contenders) {
  if (team_.threads() > 1) return;
  subject.run(in_.data(), out_.data(), n, {.threads = 1, .counts = false});
  const std::size_t compared = subject.out_bytes(std::min(n, kCompared));
  const std::vector<std::byte> expected(out_.data(), out_.data() + compared);
  for (const std::unique_ptr<Peer>& peer : peers_) {
    std::memset(out_.data(), 0xa5, compared);
    std::optional<Contender> contender =
        peer->Prepare(subject, {.in = in_.data(), .out = out_.data(), .n = n});
    if (!contender) continue;
    contender->nanoseconds(1);
    contender->same = Same(expected, out_.data(), subject.row);
    contenders.push_back(std::move(*contender));
  }
}

Record Bench::Run(const Subject& subject, const Setting& setting) {
  const std::size_t n = setting.n;
  Fill(setting.data, subject, n, in_.data());
  std::vector<Contender> contenders;
  AddBounds(subject, n, contenders);
  AddOurs(subject, setting, contenders);
  AddPeers(subject, n, contenders);
  const Round round = Measure(contenders, setting.pace);

  const auto elements = static_cast<double>(n);
  const auto in_bytes = static_cast<double>(subject.in_bytes(n)) / elements;
  const auto out_bytes = static_cast<double>(subject.out_bytes(n)) / elements;
  Record record{.subject = subject,
                .n = n,
                .data = setting.data,
                .threads = team_.threads(),
                .rounds = round.rounds,
                .bytes = in_bytes + out_bytes,
                .bound = round.bound / elements,
                .goal = GoalOf(subject.row, n, team_.threads()),
                .entries = {}};
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const Contender& c = contenders[i];
    Timing timing = round.timings[i];
    timing.median /= elements;
    timing.least /= elements;
    const double bytes = c.role == Role::kCopy ? 2 * in_bytes : record.bytes;
    record.entries.push_back({c.role, c.name, c.detail, c.same, bytes, timing});
  }
  return record;
}

}  // namespace exactcast::bench
