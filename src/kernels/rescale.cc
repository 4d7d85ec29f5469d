// SPDX-License-Identifier: Apache-2.0
//
// The kernels of rescale.h: the reference element by element, and a loop over native integers that
// notes no more than that something was unpredictable and then leaves the array to the reference.
#include "src/kernels/rescale.h"

#include <algorithm>
#include <limits>

#include "src/kernels/words.h"

namespace exactcast {
namespace {

// ---- the reference ------------------------------------------------------------------------------

bool AcceptsAll(const RescaleParams&) { return true; }

void RunReference(const RescaleParams& p, const std::byte* in, std::byte* out, std::size_t channel,
                  std::size_t n, RescaleTally& tally) {
  WithWord(p.target->storage_bits, [&](auto word) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t x = IntegerOf(LoadWord(in, i, p.source->storage_bits), *p.source);
      const Rescaled r = Rescale(x, p.scales[channel], p.rules);
      StoreWord(out, i, static_cast<decltype(word)>(r.value));
      tally.saturated += r.saturated ? 1 : 0;
      if (r.why != Unpredictable::kNone) {
        ++tally.unpredictable[static_cast<std::size_t>(r.why)];
        tally.first = std::min(tally.first, i);
      }
      if (++channel == p.scales.size()) channel = 0;
    }
  });
}

// ---- native integers ----------------------------------------------------------------------------

struct Int48 {};  // in 64 bits, of which the upper ones are ignored

template <typename In>
std::int64_t Load(const std::byte* in, std::size_t i) {
  return LoadWord<In>(in, i);
}
template <>
std::int64_t Load<Int48>(const std::byte* in, std::size_t i) {
  return static_cast<std::int64_t>(LoadWord<std::uint64_t>(in, i) << 16) >> 16;
}

// |value * multiplier| <= 2^62 and round <= 2^61 + 2^30: no sum leaves 64 bits.
template <typename In, typename Out, bool kOneLane>
void RunNative(const RescaleParams& p, const std::byte* in, std::byte* out, std::size_t channel,
               std::size_t n, RescaleTally& tally) {
  constexpr std::int64_t kLeast = std::numeric_limits<Out>::min();
  constexpr std::int64_t kGreatest = std::numeric_limits<Out>::max();
  const std::int64_t input_zp = p.rules.input_zp;
  const std::int64_t output_zp = p.rules.output_zp;
  const std::size_t first_channel = channel;
  Lane lane = p.lanes[channel];
  std::uint64_t saturated = 0;
  bool unsure = false;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t value = Load<In>(in, i) - input_zp;
    const std::int64_t round = value < 0 ? lane.round_negative : lane.round;
    const std::int64_t scaled = (value * lane.multiplier + round) >> lane.shift;
    const std::int64_t sum = scaled + output_zp;
    const std::int64_t clipped = std::min(std::max(sum, kLeast), kGreatest);
    unsure |= value < lane.values.least || value > lane.values.greatest ||
              scaled != static_cast<std::int32_t>(scaled) || sum != static_cast<std::int32_t>(sum);
    saturated += clipped != sum ? 1 : 0;
    StoreWord(out, i, static_cast<Out>(clipped));
    if constexpr (!kOneLane) {
      if (++channel == p.lanes.size()) channel = 0;
      lane = p.lanes[channel];
    }
  }
  if (unsure) return RunReference(p, in, out, first_channel, n, tally);
  tally.saturated += saturated;
}

using Run = void (*)(const RescaleParams&, const std::byte*, std::byte*, std::size_t, std::size_t,
                     RescaleTally&);

struct NativeRow {
  FormatId from;
  FormatId to;
  Run one;
  Run many;
};

template <typename In, typename Out>
constexpr NativeRow Native(FormatId from, FormatId to) {
  return {from, to, RunNative<In, Out, true>, RunNative<In, Out, false>};
}

template <typename In>
constexpr std::array<NativeRow, 6> NativeFrom(FormatId from) {
  return {{Native<In, std::int8_t>(from, FormatId::kInt8),
           Native<In, std::int16_t>(from, FormatId::kInt16),
           Native<In, std::int32_t>(from, FormatId::kInt32),
           Native<In, std::uint8_t>(from, FormatId::kUint8),
           Native<In, std::uint16_t>(from, FormatId::kUint16),
           Native<In, std::uint32_t>(from, FormatId::kUint32)}};
}

// Not from uint32 and uint48, which early versions alone have: their products fill 64 bits.
constexpr std::array<std::array<NativeRow, 6>, 6> kNative = {
    {NativeFrom<std::int8_t>(FormatId::kInt8), NativeFrom<std::uint8_t>(FormatId::kUint8),
     NativeFrom<std::int16_t>(FormatId::kInt16), NativeFrom<std::uint16_t>(FormatId::kUint16),
     NativeFrom<std::int32_t>(FormatId::kInt32), NativeFrom<Int48>(FormatId::kInt48)}};

const NativeRow* FindNative(const RescaleParams& p) {
  for (const auto& rows : kNative) {
    for (const NativeRow& row : rows) {
      if (row.from == p.source->id && row.to == p.target->id) return &row;
    }
  }
  return nullptr;
}

bool AcceptsNative(const RescaleParams& p) {
  return !p.lanes.empty() && !p.rules.value_is_unset && !p.rules.clip_takes_unsigned &&
         FindNative(p) != nullptr;
}

void RunNativeRow(const RescaleParams& p, const std::byte* in, std::byte* out, std::size_t channel,
                  std::size_t n, RescaleTally& tally) {
  const NativeRow& row = *FindNative(p);
  (p.lanes.size() == 1 ? row.one : row.many)(p, in, out, channel, n, tally);
}

constexpr std::array<RescaleKernel, 2> kKernels = {{
    {"native", AcceptsNative, RunNativeRow},
    {"reference", AcceptsAll, RunReference},
}};

}  // namespace

std::span<const RescaleKernel> RescaleKernels() { return kKernels; }

std::vector<Lane> MakeLanes(const RescaleParams& p) {
  const bool twice = p.rules.rounding == RescaleRounding::kDouble;
  std::vector<Lane> lanes;
  for (const Scale& scale : p.scales) {
    if (CheckScale(scale) != Unpredictable::kNone) return {};
    const std::int64_t half = std::int64_t{1} << (scale.shift - 1);
    const std::int64_t more = twice && scale.shift > 31 ? 1 << 30 : 0;
    lanes.push_back(
        {.multiplier = scale.multiplier,
         .round = half + more,
         .round_negative = half - more,
         .shift = scale.shift,
         .values = p.rules.scale32 ? ValueRange(p.rules.limit, scale.shift) : kInt48Range});
  }
  return lanes;
}

}  // namespace exactcast
