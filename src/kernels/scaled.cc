// SPDX-License-Identifier: Apache-2.0
//
// The scaled operations (spec/scaled.h): int32 by a float16 scale to float16, int16 by float32 scales
// plus offsets to int8 or uint8. Their float32 steps are the CPU's, to nearest even.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/scaled.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/kernels/blocks-inl.h"
#include "src/kernels/choose-inl.h"
#include "src/kernels/kernels.h"
#include "src/kernels/words.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

// Integers of 32 bits as float64, which holds them, their products with a scale, and every float32.
template <class D64>
HWY_INLINE hn::Vec<D64> LoadInt32(D64 d, const std::int32_t* x) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<std::int32_t, D64>(), x));
}

// To the nearest float32, and back.
template <class D64>
HWY_INLINE hn::Vec<D64> ThroughFloat32(D64 d, hn::Vec<D64> x) {
  return hn::PromoteTo(d, hn::DemoteTo(hn::Rebind<float, D64>(), x));
}

template <class D64>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D64>> MaskOf(D64, hn::Mask<D64> mask) {
  const hn::RebindToUnsigned<D64> du;
  return hn::VecFromMask(du, hn::RebindMask(du, mask));
}

// ---- int32 to float16 ---------------------------------------------------------------------------

// Integers to float32 bits. `lost` is all ones where a step was inexact; the steps by powers of two
// are exact at these sizes, so the conversion and the product with the scale are left.
HWY_NOINLINE void ScaleBlock(double scale, const std::int32_t* in, std::size_t n,
                             std::uint32_t* lanes, std::uint32_t* lost) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> d32;
  const hn::Rebind<std::uint32_t, decltype(d)> du32;
  const auto factor = hn::Set(d, scale);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto x = LoadInt32(d, in + i);
    const auto t = ThroughFloat32(d, x);
    const auto product = hn::Mul(t, factor);
    const auto rounded = ThroughFloat32(d, product);
    const auto inexact = hn::Or(MaskOf(d, hn::Ne(x, t)), MaskOf(d, hn::Ne(product, rounded)));
    hn::StoreU(hn::BitCast(du32, hn::DemoteTo(d32, rounded)), du32, lanes + i);
    hn::StoreU(hn::TruncateTo(du32, inexact), du32, lost + i);
  }
}

void RunToFloat16(const Params& p, const std::byte* in, std::byte* out, std::size_t n,
                  Tally* tally) {
  HWY_ALIGN std::int32_t integers[kBlockRoom];
  HWY_ALIGN std::uint32_t lanes[kBlockRoom];
  HWY_ALIGN std::uint32_t lost[kBlockRoom];
  const Exact exact = Decode(p.scales[0], GetFormat(FormatId::kFloat16));
  const double magnitude = std::ldexp(static_cast<double>(exact.significand), exact.exponent);
  const double scale = exact.negative ? -magnitude : magnitude;
  constexpr auto kEncode = EncodeFloat<false, Rounding::kTiesToEven, std::uint32_t>;
  const std::size_t step = hn::Lanes(hn::ScalableTag<std::uint32_t>());
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    const std::size_t filled = (size + step - 1) / step * step;
    std::memcpy(integers, in + at * 4, size * 4);
    std::fill(integers + size, integers + filled, 0);
    ScaleBlock(scale, integers, filled, lanes, lost);
    const LaneCounts counts =
        kEncode(p.encoding, {lanes, filled, LaneFormat<std::uint32_t>::kInfinity, lost});
    StoreWords(lanes, size, 16, out + at * 2);
    if (tally != nullptr) AddCounts(counts, p.encoding, size, tally);
  }
}

// ---- int16 to int8 and uint8 --------------------------------------------------------------------

struct Scales {
  // 16 in turn, and again as far as a vector reaches.
  double scale[32];
  double offset[32];
  double least;  // of the target
  double largest;
};

struct Changed {
  std::uint64_t beyond = 0;
  std::uint64_t inexact = 0;  // and not beyond
};

// t = float32(x * scale); rint and clamp to -256..255; add the offset; clamp to the target.
template <bool kCounts>
HWY_NOINLINE Changed DequantizeBlock(const Scales& s, std::uint64_t first, const std::int32_t* in,
                                     std::size_t n, std::uint32_t* lanes) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<std::int32_t, decltype(d)> di32;
  const hn::Rebind<std::uint32_t, decltype(d)> du32;
  const auto clamp = [&](auto x, double least, double largest) HWY_ATTR {
    return hn::Min(hn::Max(x, hn::Set(d, least)), hn::Set(d, largest));
  };
  LaneCounter<hn::Vec<decltype(du)>> beyond_count;
  LaneCounter<hn::Vec<decltype(du)>> inexact_count;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const std::size_t turn = (first + i) % 16;
    const auto product = hn::Mul(LoadInt32(d, in + i), hn::LoadU(d, s.scale + turn));
    const auto t = ThroughFloat32(d, product);
    // Far outside is outside all the same; Round is then exact.
    const auto rounded = hn::Round(clamp(t, -65536.0, 65536.0));
    const auto clamped = clamp(rounded, -256.0, 255.0);
    const auto sum = hn::Add(clamped, hn::LoadU(d, s.offset + turn));
    const auto result = clamp(sum, s.least, s.largest);
    if constexpr (kCounts) {
      const auto beyond =
          hn::Or(MaskOf(d, hn::Ne(clamped, rounded)), MaskOf(d, hn::Ne(result, sum)));
      const auto inexact = hn::Or(MaskOf(d, hn::Ne(product, t)), MaskOf(d, hn::Ne(t, rounded)));
      beyond_count.Add(beyond);
      inexact_count.Add(hn::AndNot(beyond, inexact));
    }
    hn::StoreU(hn::BitCast(du32, hn::DemoteTo(di32, result)), du32, lanes + i);
  }
  if constexpr (!kCounts) return {};
  return {beyond_count.Total(), inexact_count.Total()};
}

double Float32Value(std::uint64_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

Scales ScalesFor(const Params& p) {
  Scales s = {};
  for (std::size_t i = 0; i < 32; ++i) {
    s.scale[i] = Float32Value(CutScale(p.scales[i % 16 % p.scales.size()]));
    s.offset[i] = p.offsets[i % 16 % p.offsets.size()];
  }
  s.least = p.target->has_sign ? -128 : 0;
  s.largest = p.target->has_sign ? 127 : 255;
  return s;
}

void RunToInt8(const Params& p, const std::byte* in, std::byte* out, std::uint64_t first,
               std::size_t n, Tally* tally) {
  HWY_ALIGN std::int32_t integers[kBlockRoom];
  HWY_ALIGN std::uint32_t lanes[kBlockRoom];
  const Scales scales = ScalesFor(p);
  const std::size_t step = hn::Lanes(hn::ScalableTag<std::uint32_t>());
  Changed changed;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    const std::size_t filled = (size + step - 1) / step * step;
    for (std::size_t i = 0; i < size; ++i) integers[i] = LoadWord<std::int16_t>(in, at + i);
    const auto convert = tally != nullptr ? DequantizeBlock<true> : DequantizeBlock<false>;
    std::fill(integers + size, integers + filled, 0);
    const Changed block = convert(scales, first + at, integers, filled, lanes);
    changed.beyond += block.beyond;
    changed.inexact += block.inexact;
    // What fills the last vector up is 0, but with its offset may not fit: not an element.
    for (std::size_t i = size; i < filled; ++i) {
      const double offset = scales.offset[(first + at + i) % 16];
      if (offset < scales.least || offset > scales.largest) changed.beyond -= tally != nullptr;
    }
    StoreWords(lanes, size, 8, out + at);
  }
  if (tally == nullptr) return;
  (*tally)[static_cast<std::size_t>(Outcome::kOverflowed)] += changed.beyond;
  (*tally)[static_cast<std::size_t>(Outcome::kRounded)] += changed.inexact;
  (*tally)[static_cast<std::size_t>(Outcome::kExact)] += n - changed.beyond - changed.inexact;
}

void RunScaled(const Params& p, const std::byte* in, std::byte* out, std::uint64_t first,
               std::size_t n, Tally* tally) {
  if (p.operation == Operation::kScaleToFloat16) return RunToFloat16(p, in, out, n, tally);
  RunToInt8(p, in, out, first, n, tally);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(RunScaled);

bool AcceptsScaled(const Params& p) {
  return p.operation == Operation::kScaleToFloat16 || p.operation == Operation::kScaleToInt8;
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
         Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunScaled)(p, in, out, place.first, n, tally);
}

}  // namespace

const KernelRow kScaledKernel = {"scaled", "float64 lanes, float32 steps", AcceptsScaled,
                                 PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
