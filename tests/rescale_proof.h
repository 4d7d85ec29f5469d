// SPDX-License-Identifier: Apache-2.0
//
// What the tests of rescaling's kernels share: the CPU targets, one after the other, and one array
// through a kernel against spec/rescale.h, with the bytes around the output watched.
#ifndef EXACTCAST_TESTS_RESCALE_PROOF_H_
#define EXACTCAST_TESTS_RESCALE_PROOF_H_

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "src/kernels/rescale.h"
#include "src/kernels/words.h"

namespace exactcast {

// A kernel on a CPU target.
struct RescaleRunner {
  const RescaleKernel* kernel;
  std::int64_t target;
  std::string name;
};

inline void SetCpuTarget(std::int64_t target) {  // 0: as the CPU is
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// All kernels but the reference; the vector kernel once per CPU target that runs here.
inline std::vector<RescaleRunner> RescaleRunners() {
  std::vector<RescaleRunner> runners;
  const std::int64_t supported = hwy::SupportedTargets() | HWY_SCALAR;
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    if ((supported & target) == 0) continue;
    SetCpuTarget(target);
    const std::string name = "vector on " + std::string(RescaleCpuTarget());
    const auto same = [&](const RescaleRunner& runner) { return runner.name == name; };
    if (std::any_of(runners.begin(), runners.end(), same)) continue;
    runners.push_back({&kRescaleVector, target, name});
  }
  SetCpuTarget(0);
  runners.push_back({&kRescalePortable, 0, "portable"});
  return runners;
}

struct RescaleArray {
  std::vector<std::byte> bytes;  // of `n` elements, `offset` bytes in
  std::size_t n = 0;
  std::size_t offset = 0;

  [[nodiscard]] const std::byte* data() const { return bytes.data() + offset; }
};

inline RescaleArray MakeArray(const Format& f, const std::vector<std::int64_t>& values,
                              std::size_t offset = 0) {
  const auto size = static_cast<std::size_t>(f.storage_bits / 8);
  RescaleArray array = {.bytes = {}, .n = values.size(), .offset = offset};
  array.bytes.resize(offset + values.size() * size);  // no byte more: sanitizers see the end
  WithWord(f.storage_bits, [&](auto w) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      StoreWord(array.bytes.data() + offset, i, static_cast<decltype(w)>(values[i]));
    }
  });
  return array;
}

struct RescaleAnswer {
  std::vector<std::byte> bytes;
  RescaleTally tally;
};

inline RescaleAnswer ExpectedAnswer(const RescaleParams& p, const RescaleArray& in,
                                    std::size_t channel) {
  RescaleAnswer answer = {.bytes = {}, .tally = {.first = in.n}};
  answer.bytes.resize(in.n * static_cast<std::size_t>(p.target->storage_bits / 8));
  for (std::size_t i = 0; i < in.n; ++i) {
    const std::int64_t x = IntegerOf(LoadWord(in.data(), i, p.source->storage_bits), *p.source);
    const Rescaled r = Rescale(x, p.scales[(channel + i) % p.scales.size()], p.rules);
    answer.tally.saturated += r.saturated ? 1 : 0;
    if (r.why != Unpredictable::kNone) {
      ++answer.tally.unpredictable[static_cast<std::size_t>(r.why)];
      answer.tally.first = std::min(answer.tally.first, i);
    }
    WithWord(p.target->storage_bits,
             [&](auto w) { StoreWord(answer.bytes.data(), i, static_cast<decltype(w)>(r.value)); });
  }
  return answer;
}

inline std::string DescribeElement(const RescaleParams& p, const RescaleArray& in,
                                   std::size_t channel, std::size_t i) {
  const Scale& scale = p.scales[(channel + i) % p.scales.size()];
  return std::string(p.source->name) + " to " + std::string(p.target->name) + ", element " +
         std::to_string(i) + " of " + std::to_string(in.n) + ", input " +
         std::to_string(IntegerOf(LoadWord(in.data(), i, p.source->storage_bits), *p.source)) +
         ", multiplier " + std::to_string(scale.multiplier) + ", shift " +
         std::to_string(scale.shift) + ", channels " + std::to_string(p.scales.size());
}

struct RescalePlace {
  std::size_t channel = 0;
  std::size_t offset = 0;  // of the output, in bytes from where any vector is aligned
  bool large = false;
};

// Runs and compares results, counts and canaries.
inline void ExpectAnswer(const RescaleRunner& runner, const RescaleParams& p,
                         const RescaleArray& in, const RescaleAnswer& expected,
                         const RescalePlace& place = {}) {
  constexpr std::size_t kMargin = 128;
  constexpr auto kCanary = std::byte{0xa5};
  if (!runner.kernel->accepts(p)) return;
  if (runner.target != 0) SetCpuTarget(runner.target);
  std::vector<std::byte> buffer(expected.bytes.size() + 4 * kMargin, kCanary);
  const std::size_t up = reinterpret_cast<std::uintptr_t>(buffer.data()) % kMargin;
  std::byte* out = buffer.data() + 2 * kMargin - up + place.offset;
  RescaleTally tally = {.first = in.n};
  const RescaleRange range = {
      .in = in.data(), .out = out, .n = in.n, .channel = place.channel, .large = place.large};
  runner.kernel->run(p, range, tally);
  const std::size_t size = expected.bytes.size();
  if (size > 0 && std::memcmp(out, expected.bytes.data(), size) != 0) {
    const auto out_size = static_cast<std::size_t>(p.target->storage_bits / 8);
    std::size_t i = 0;
    while (out[i] == expected.bytes[i]) ++i;
    FAIL() << runner.name << ", " << DescribeElement(p, in, place.channel, i / out_size) << ": "
           << LoadWord(out, i / out_size, p.target->storage_bits) << ", not "
           << LoadWord(expected.bytes.data(), i / out_size, p.target->storage_bits);
  }
  const bool untouched =
      std::all_of(buffer.data(), out, [&](std::byte b) { return b == kCanary; }) &&
      std::all_of(out + size, buffer.data() + buffer.size(),
                  [&](std::byte b) { return b == kCanary; });
  ASSERT_TRUE(untouched) << runner.name << " writes beside the output of " << in.n;
  ASSERT_EQ(tally.saturated, expected.tally.saturated) << runner.name;
  ASSERT_EQ(tally.unpredictable, expected.tally.unpredictable) << runner.name;
  ASSERT_EQ(tally.first, expected.tally.first) << runner.name;
}

}  // namespace exactcast

#endif  // EXACTCAST_TESTS_RESCALE_PROOF_H_
