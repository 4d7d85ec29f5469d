// SPDX-License-Identifier: Apache-2.0
//
// Rescaling on 64-bit integers, a block at a time: load, scale, clip. Notes no more than that a
// block has an unpredictable element, and then leaves the block to the reference.
#include <algorithm>
#include <array>

#include "src/kernels/rescale.h"
#include "src/kernels/words.h"

namespace exactcast {
namespace {

constexpr std::size_t kBlock = 1024;
using Block = std::array<std::int64_t, kBlock>;

bool Accepts(const RescaleParams& p) { return !p.lanes.empty(); }

// Values: inputs less the zero point.
void LoadBlock(const RescaleParams& p, const std::byte* in, std::size_t n, Block& values) {
  const std::uint64_t mask = LowMask(p.source->bits);
  const std::uint64_t sign = SignBit(*p.source);
  WithWord(p.source->storage_bits, [&](auto word) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t code = LoadWord<decltype(word)>(in, i) & mask;
      values[i] = static_cast<std::int64_t>((code ^ sign) - sign) - p.rules.input_zp;
    }
  });
}

// Values to sums with the output zero point; whether all are predictable. An unpredictable one may
// wrap: the block is done again.
bool ScaleBlock(const RescaleParams& p, std::size_t channel, std::size_t n, Block& values) {
  bool unsure = false;
  for (std::size_t i = 0; i < n; ++i) {
    const Lane& lane = p.lanes[channel];
    const std::int64_t value = values[i];
    const std::int64_t round = value < 0 ? lane.round_negative : lane.round;
    const std::uint64_t sum =
        static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(lane.multiplier) +
        static_cast<std::uint64_t>(round);
    values[i] = (static_cast<std::int64_t>(sum) >> lane.shift) + p.rules.output_zp;
    unsure |= value < lane.values.least || value > lane.values.greatest;
    if (++channel == p.lanes.size()) channel = 0;
  }
  return !unsure;
}

// Sums, which are int32 here, clipped; returns how many the clip changed.
std::uint64_t StoreBlock(const RescaleParams& p, std::byte* out, std::size_t n, const Block& sums) {
  std::uint64_t saturated = 0;
  const IntegerRange range = p.rules.output;
  const std::int64_t mask = p.rules.clip_takes_unsigned ? std::int64_t{0xffffffff} : -1;
  WithWord(p.target->storage_bits, [&](auto word) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t sum = sums[i];
      const std::int64_t clipped = range.Clip(sum & mask);
      saturated += clipped != sum ? 1 : 0;
      StoreWord(out, i, static_cast<decltype(word)>(clipped));
    }
  });
  return saturated;
}

void Run(const RescaleParams& p, const RescaleRange& range, RescaleTally& tally) {
  const auto in_size = static_cast<std::size_t>(p.source->storage_bits / 8);
  const auto out_size = static_cast<std::size_t>(p.target->storage_bits / 8);
  Block values;
  for (std::size_t at = 0; at < range.n; at += kBlock) {
    const std::size_t n = std::min(kBlock, range.n - at);
    LoadBlock(p, range.in + at * in_size, n, values);
    if (ScaleBlock(p, (range.channel + at) % p.lanes.size(), n, values)) {
      tally.saturated += StoreBlock(p, range.out + at * out_size, n, values);
    } else {
      RescaleByReference(p, range, at, n, tally);
    }
  }
}

}  // namespace

const RescaleKernel kRescalePortable = {"portable", Accepts, Run};

}  // namespace exactcast
