// SPDX-License-Identifier: Apache-2.0
//
// The fast family from float32 to float16: by the CPU's conversion, in the direction of its control
// register; half away and to odd are made as in by_float64.cc. Blocks with what is beyond the range,
// an infinity or a NaN go to small_floats.cc, as everything does where the CPU has no conversion that
// heeds the direction.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/to_float16.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "src/kernels/block.h"
#include "src/kernels/choose-inl.h"
#include "src/kernels/float_environment.h"
#include "src/kernels/halves-inl.h"
#include "src/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

// How a mode is made.
enum class Way : std::uint8_t {
  kDirected,  // by the control register
  kAway,      // half away from zero
  kOdd,
};

struct BlockCounts {
  bool is_covered = true;
  std::uint64_t inexact = 0;
  std::uint64_t tiny = 0;
};

using D32 = hn::ScalableTag<std::uint32_t>;
using V32 = hn::Vec<D32>;
using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
using D16 = hn::Rebind<std::uint16_t, D32>;
using V16 = hn::Vec<D16>;

// Highway's own conversion rounds to nearest even, whatever the direction.
HWY_INLINE V16 ToFloat16(VF x) {
#if HWY_TARGET == HWY_AVX2
  return V16{_mm256_cvtps_ph(x.raw, _MM_FROUND_CUR_DIRECTION)};
#else
  return V16{_mm512_cvtps_ph(x.raw, _MM_FROUND_CUR_DIRECTION)};
#endif
}

// Half of the float16 unit at x, with its sign; of the least unit for what is smaller.
HWY_INLINE VF HalfUnit(VF x) {
  const D32 d;
  const V32 bits = hn::BitCast(d, x);
  const V32 exponent = hn::And(bits, Constant<V32>(0x7f800000));
  const V32 half =
      LargerOf(hn::Sub(exponent, Constant<V32>(11 << 23)), Constant<V32>((127 - 25) << 23));
  return hn::BitCast(DF(), hn::Or(half, hn::AndNot(Constant<V32>(0x7fffffff), bits)));
}

template <Way kWay, bool kCounts>
HWY_NOINLINE BlockCounts ConvertBlock(const float* in, std::uint16_t* out, std::size_t n,
                                      std::size_t ahead) {
  const DF df;
  const D32 d;
  const D16 d16;
  const V16 magnitude_mask = hn::Set(d16, std::uint16_t{0x7fff});
  V16 largest = hn::Zero(d16);
  LaneCounter<V32> exact;
  LaneCounter<V32> tiny;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    FetchLineAhead(in + i, ahead);
    const VF x = hn::LoadU(df, in + i);
    V16 code = ToFloat16(kWay == Way::kAway ? hn::Add(x, HalfUnit(x)) : x);
    const V16 magnitude = hn::And(code, magnitude_mask);
    largest = hn::Max(largest, magnitude);
    if constexpr (kCounts || kWay == Way::kOdd) {
      const V32 back = FromFloat16::Promote(d, code);
      const V32 same = hn::BitCast(d, hn::VecFromMask(df, hn::Eq(hn::BitCast(df, back), x)));
      if constexpr (kWay == Way::kOdd) {
        code = hn::Or(code, hn::TruncateTo(d16, hn::AndNot(same, hn::Set(d, 1u))));
      }
      if constexpr (kCounts) {
        exact.Add(same);
        const V32 below = AllOnesWhere<V32>(
            Greater(Constant<V32>(0x38800000), hn::And(back, Constant<V32>(0x7fffffff))));
        tiny.Add(hn::AndNot(same, below));
      }
    }
    hn::StoreU(code, d16, out + i);
  }
  BlockCounts counts;
  // Infinity, NaN, or the largest value, which may be in place of what is beyond it.
  counts.is_covered = hn::AllFalse(d16, hn::Gt(largest, hn::Set(d16, std::uint16_t{0x7bfe})));
  if constexpr (kCounts) {
    counts.inexact = n - exact.Total();
    counts.tiny = tiny.Total();
  }
  return counts;
}

using Convert = BlockCounts (*)(const float*, std::uint16_t*, std::size_t, std::size_t);

template <bool kCounts>
Convert ConvertFor(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTiesToAway:
      return ConvertBlock<Way::kAway, kCounts>;
    case Rounding::kToOdd:
      return ConvertBlock<Way::kOdd, kCounts>;
    default:
      return ConvertBlock<Way::kDirected, kCounts>;
  }
}

// In a function of its own: see float_environment.h.
HWY_NOINLINE BlockCounts RunDirected(Rounding direction, Convert convert, const float* in,
                                     std::uint16_t* out, std::size_t n, std::size_t ahead) {
  const DirectedRounding rounding(direction);
  return convert(in, out, n, ahead);
}

void RunFamily(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
               Tally* tally) {
  const Encoding& e = p.encoding;
  const Convert convert =
      tally == nullptr ? ConvertFor<false>(e.rounding) : ConvertFor<true>(e.rounding);
  const bool by_zero = e.rounding == Rounding::kTiesToAway || e.rounding == Rounding::kToOdd;
  const Rounding direction = by_zero ? Rounding::kTowardZero : e.rounding;
  const std::size_t step = hn::Lanes(D32());
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    const std::byte* const from = in + at * sizeof(float);
    std::byte* const to = out + at * sizeof(std::uint16_t);
    const auto* words = reinterpret_cast<const float*>(from);
    auto* codes = reinterpret_cast<std::uint16_t*>(to);
    HWY_ALIGN float rest[kBlock];
    HWY_ALIGN std::uint16_t rest_codes[kBlock];
    std::size_t filled = size;
    if (size % step != 0) {  // the last block alone
      filled = (size / step + 1) * step;
      std::memcpy(rest, from, size * sizeof(float));
      std::fill(rest + size, rest + filled, 1.0F);
      words = rest;
      codes = rest_codes;
    }
    const BlockCounts counts = RunDirected(direction, convert, words, codes, filled, place.ahead);
    if (!counts.is_covered) {
      kSmallFloatsKernel.run(p, from, to, {}, size, tally);
      continue;
    }
    if (filled != size) std::memcpy(to, rest_codes, size * sizeof(std::uint16_t));
    if (tally == nullptr) continue;
    AddCounts({.inexact = counts.inexact, .tiny = counts.tiny}, e, size, tally);
  }
}

#else

void RunFamily(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
               Tally* tally) {
  kSmallFloatsKernel.run(p, in, out, place, n, tally);
}

#endif  // HWY_TARGET

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(RunFamily);

bool AcceptsToFloat16(const Params& p) {
  return p.source->id == FormatId::kFloat32 && p.target->id == FormatId::kFloat16 &&
         kSmallFloatsKernel.accepts(p);
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
         Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunFamily)(p, in, out, place, n, tally);
}

}  // namespace

const KernelRow kToFloat16Kernel = {"to-float16", "the CPU's conversion to float16",
                                    AcceptsToFloat16, PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
