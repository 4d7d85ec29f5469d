// SPDX-License-Identifier: Apache-2.0
//
// The kernels of rescale.h in their order, the last of them, which is the reference element by
// element, and what all others are prepared with.
#include "src/kernels/rescale.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>

#include "src/kernels/words.h"

namespace exactcast {
namespace {

bool AcceptsAll(const RescaleParams&) { return true; }

void RunReference(const RescaleParams& p, const RescaleRange& range, RescaleTally& tally) {
  RescaleByReference(p, range, 0, range.n, tally);
}

constexpr RescaleKernel kReference = {"reference", AcceptsAll, RunReference};

// ---- preparing ----------------------------------------------------------------------------------

// Of a legal scale, the values whose results are predictable. With a value limit the scaled value
// is at most 2^30 and leaves room for any zero point, so that nothing else counts.
std::optional<IntegerRange> PredictableValues(const RescaleParams& p, const Scale& scale) {
  const std::int64_t zp = p.rules.input_zp;
  const IntegerRange domain = RangeOf(*p.source);
  if (p.rules.scale32 && p.rules.limit != ValueLimit::kNone) {
    const IntegerRange limit = ValueRange(p.rules.limit, scale.shift);
    return IntegerRange{std::max(domain.least - zp, limit.least),
                        std::min(domain.greatest - zp, limit.greatest)};
  }
  const std::optional<IntegerRange> inputs = PredictableInputs(domain, scale, p.rules);
  if (!inputs) return std::nullopt;
  return IntegerRange{inputs->least - zp, inputs->greatest - zp};
}

// Values of more than 32 bits with their sign, which only multipliers of 16 bits come with.
bool IsWide(const RescaleParams& p) {
  return !p.rules.scale32 && (p.source->bits > 32 || p.source->id == FormatId::kUint32);
}

// By how much multiplier and shift can go up together.
int Headroom(const Scale& scale) {
  const int zeros = std::countl_zero(static_cast<std::uint32_t>(scale.multiplier));
  return std::min(kGreatestShift - scale.shift, zeros - 1);
}

std::vector<Lane> MakeLanes(const RescaleParams& p) {
  const RescaleRules& rules = p.rules;
  // No type has more zero points; 48 bits by 32 fill more than 64.
  const bool usual = RangeOf(*p.source).Contains(rules.input_zp) &&
                     rules.output.Contains(rules.output_zp) && !rules.value_is_unset &&
                     std::max(rules.input_zp, rules.output_zp) <= 1 << 16 &&
                     std::min(rules.input_zp, rules.output_zp) >= -(1 << 16) &&
                     !(rules.scale32 && p.source->bits > 32);
  if (!usual) return {};
  // The first of two roundings has its place, and the shift says whether there is one. (With a single
  // scale that is known already.)
  const bool fixed =
      IsWide(p) || (rules.rounding == RescaleRounding::kDouble && p.scales.size() > 1);
  std::vector<Lane> lanes;
  lanes.reserve(p.scales.size());
  for (const Scale& scale : p.scales) {
    if (CheckScale(scale) != Unpredictable::kNone) return {};
    const std::optional<IntegerRange> values = PredictableValues(p, scale);
    if (!values) return {};
    const bool twice = rules.rounding == RescaleRounding::kDouble && scale.shift > 31;
    const int up = fixed || twice ? 0 : Headroom(scale);
    const int shift = scale.shift + up;
    const std::int64_t half = std::int64_t{1} << (shift - 1);
    const std::int64_t more = twice ? 1 << 30 : 0;
    lanes.push_back({.multiplier = scale.multiplier << up,
                     .round = half + more,
                     .round_negative = half - more,
                     .shift = shift,
                     .values = *values});
  }
  return lanes;
}

RescaleScaling ScalingOf(const RescaleParams& p) {
  if (IsWide(p)) return RescaleScaling::kWide64;
  const auto above = [](const Lane& lane) { return lane.shift > 32; };
  const bool upper = std::all_of(p.lanes.begin(), p.lanes.end(), above);
  if (p.lanes.size() > 1) return upper ? RescaleScaling::kManyUpper : RescaleScaling::kWide32;
  if (upper) return RescaleScaling::kOneUpper;
  return p.lanes[0].shift == 32 ? RescaleScaling::kOneExact : RescaleScaling::kOneLower;
}

std::size_t PeriodOf(std::size_t lanes) {
  const std::size_t even = std::lcm(lanes, kRescaleColumnGrain);
  return even <= kRescaleLongPeriod ? even : lanes;
}

template <typename T, typename Get>
void FillColumn(const RescaleParams& p, Column<T>& column, Get get) {
  column.resize(p.columns.period + kRescaleOverhang);
  std::size_t channel = 0;
  for (T& element : column) {
    element = static_cast<T>(get(p.lanes[channel]));
    if (++channel == p.lanes.size()) channel = 0;
  }
}

}  // namespace

void PrepareRescale(RescaleParams& p) {
  p.lanes = MakeLanes(p);
  PrepareRescaleColumns(p);
}

void PrepareRescaleColumns(RescaleParams& p) {
  RescaleColumns& c = p.columns;
  const std::vector<Lane>& lanes = p.lanes;
  c.scaling = RescaleScaling::kNone;
  if (lanes.empty()) return;
  const std::int64_t zp = p.rules.input_zp;
  const IntegerRange domain = RangeOf(*p.source);
  const IntegerRange all = {domain.least - zp, domain.greatest - zp};
  c.scaling = ScalingOf(p);
  c.period = PeriodOf(lanes.size());
  c.twice = std::any_of(lanes.begin(), lanes.end(),
                        [](const Lane& lane) { return lane.round != lane.round_negative; });
  c.checked =
      std::any_of(lanes.begin(), lanes.end(), [&](const Lane& lane) { return lane.values != all; });
  if (c.checked) {
    const auto least = [](const Lane& lane) { return lane.values.least; };
    const auto span = [](const Lane& lane) { return lane.values.greatest - lane.values.least; };
    if (c.scaling == RescaleScaling::kWide64) {
      FillColumn(p, c.least64, least);
      FillColumn(p, c.span64, span);
    } else {
      FillColumn(p, c.least, least);
      FillColumn(p, c.span, span);
    }
  }
  if (lanes.size() == 1 && c.scaling != RescaleScaling::kWide64) return;
  FillColumn(p, c.high_shift, [](const Lane& lane) { return std::max(lane.shift - 32, 0); });
  if (c.scaling == RescaleScaling::kManyUpper) {
    FillColumn(p, c.multiplier, [](const Lane& lane) { return lane.multiplier; });
    c.next_multiplier.assign(c.multiplier.begin() + 1, c.multiplier.end());
    FillColumn(p, c.round, [](const Lane& lane) { return std::int64_t{1} << (lane.shift - 33); });
    return;
  }
  FillColumn(p, c.multiplier64, [](const Lane& lane) { return lane.multiplier; });
  FillColumn(p, c.round64, [](const Lane& lane) { return lane.round; });
  FillColumn(p, c.round_negative64, [](const Lane& lane) { return lane.round_negative; });
  FillColumn(p, c.low_shift64, [](const Lane& lane) { return std::min(lane.shift, 32); });
}

void RescaleByReference(const RescaleParams& p, const RescaleRange& range, std::size_t begin,
                        std::size_t n, RescaleTally& tally) {
  std::size_t channel = (range.channel + begin) % p.scales.size();
  WithWord(p.target->storage_bits, [&](auto word) {
    for (std::size_t i = begin; i < begin + n; ++i) {
      const std::uint64_t bits = LoadWord(range.in, i, p.source->storage_bits);
      const Rescaled r = Rescale(IntegerOf(bits, *p.source), p.scales[channel], p.rules);
      StoreWord(range.out, i, static_cast<decltype(word)>(r.value));
      tally.saturated += r.saturated ? 1 : 0;
      if (r.why != Unpredictable::kNone) {
        ++tally.unpredictable[static_cast<std::size_t>(r.why)];
        tally.first = std::min(tally.first, i);
      }
      if (++channel == p.scales.size()) channel = 0;
    }
  });
}

namespace {

// Made when the program is loaded, as kernels.cc says.
const std::array<RescaleKernel, 3> kKernels = {kRescaleVector, kRescalePortable, kReference};

}  // namespace

std::span<const RescaleKernel> RescaleKernels() { return kKernels; }

}  // namespace exactcast
