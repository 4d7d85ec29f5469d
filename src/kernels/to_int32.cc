// SPDX-License-Identifier: Apache-2.0
//
// The fast family to int32 from float32, in one pass, and from floats that it holds, over blocks of
// float32: by the CPU's conversion, in the direction of its control register, saturated. Half away and
// to odd are made as in to_integers.cc. Blocks with a NaN, or with what is to wrap, go to the general
// kernel. Where the CPU's conversion has no direction but to nearest even, by_float64.cc does it.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/to_int32.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "src/kernels/blocks-inl.h"
#include "src/kernels/choose-inl.h"
#include "src/kernels/float_environment.h"
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
  bool has_nan = false;
  bool has_beyond = false;
  std::uint64_t beyond = 0;
  std::uint64_t inexact = 0;
};

using D32 = hn::ScalableTag<std::uint32_t>;
using V32 = hn::Vec<D32>;
using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

// All ones where the comparison holds; in it a NaN never does.
HWY_INLINE V32 Ones(decltype(hn::Eq(VF(), VF())) mask) {
  return hn::BitCast(D32(), hn::VecFromMask(DF(), mask));
}

template <Way kWay, bool kCounts>
HWY_NOINLINE BlockCounts ConvertBlock(const float* in, std::uint32_t* out, std::size_t n,
                                      std::size_t ahead) {
  const DF df;
  const D32 d;
  const hn::RebindToSigned<D32> di;
  const VF end = hn::Set(df, 0x1p31F);
  V32 no_nan = hn::Set(d, ~0u);
  V32 fits = no_nan;
  LaneCounter<V32> within;
  LaneCounter<V32> exact;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    FetchLineAhead(in + i, ahead);
    const VF x = hn::LoadU(df, in + i);
    V32 code = hn::Zero(d);
    if constexpr (kWay == Way::kAway) {  // the float32 below 1/2, see to_integers.cc
      const VF start = hn::Add(x, hn::CopySign(hn::Set(df, 0x1.fffffep-2F), x));
      code = hn::BitCast(d, hn::ConvertTo(di, start));
    } else {
      code = hn::BitCast(d, hn::NearestInt(x));
    }
    const V32 fit = hn::And(Ones(hn::Lt(x, end)), Ones(hn::Ge(x, hn::Neg(end))));
    fits = hn::And(fits, fit);
    if constexpr (kCounts) within.Add(fit);
    no_nan = hn::And(no_nan, Ones(hn::Eq(x, x)));
    if constexpr (kCounts || kWay == Way::kOdd) {
      const VF back = hn::ConvertTo(df, hn::BitCast(di, code));
      const V32 same = Ones(hn::Eq(back, x));
      if constexpr (kWay == Way::kOdd)
        code = hn::Or(code, hn::AndNot(same, hn::And(fit, hn::Set(d, 1u))));
      if constexpr (kCounts) exact.Add(hn::And(same, fit));
    }
    hn::StoreU(code, d, out + i);
  }
  BlockCounts counts;
  const V32 ones = hn::Set(d, ~0u);
  counts.has_nan = !hn::AllTrue(d, hn::Eq(no_nan, ones));
  counts.has_beyond = !hn::AllTrue(d, hn::Eq(fits, ones));
  if constexpr (kCounts) {
    counts.beyond = n - within.Total();
    counts.inexact = within.Total() - exact.Total();
  }
  return counts;
}

using Convert = BlockCounts (*)(const float*, std::uint32_t*, std::size_t, std::size_t);

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

// In a function of its own: see float_environment.h. The general kernel is to run in the usual one.
HWY_NOINLINE BlockCounts RunDirected(Rounding direction, Convert convert, const float* in,
                                     std::uint32_t* out, std::size_t n, std::size_t ahead) {
  const DirectedRounding rounding(direction);
  return convert(in, out, n, ahead);
}

void RunFamily(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
               Tally* tally) {
  HWY_ALIGN std::uint32_t lanes[kBlockRoom];
  HWY_ALIGN std::uint32_t codes[kBlockRoom];
  const Encoding& e = p.encoding;
  const Convert convert =
      tally == nullptr ? ConvertFor<false>(e.rounding) : ConvertFor<true>(e.rounding);
  const Rounding direction = e.rounding == Rounding::kToOdd        ? Rounding::kTowardNegative
                             : e.rounding == Rounding::kTiesToAway ? Rounding::kTiesToEven
                                                                   : e.rounding;
  const Float32Decoder decode = DecoderToFloat32(p.source->id);
  const bool as_is = p.source->id == FormatId::kFloat32;
  const std::size_t in_bytes = static_cast<std::size_t>(p.source->storage_bits) / 8;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    const std::byte* const from = in + at * in_bytes;
    std::byte* const to = out + at * sizeof(std::uint32_t);
    const bool is_whole = size % hn::Lanes(D32()) == 0;
    const bool direct = as_is && is_whole;
    const std::size_t filled = direct ? size : decode(from, size, lanes);
    const auto* words =
        direct ? reinterpret_cast<const float*>(from) : reinterpret_cast<const float*>(lanes);
    const BlockCounts counts = RunDirected(direction, convert, words,
                                           is_whole ? reinterpret_cast<std::uint32_t*>(to) : codes,
                                           filled, direct ? place.ahead : 0);
    if (counts.has_nan || (e.wraps && counts.has_beyond)) {
      kByFloat64Kernel.run(p, from, to, {}, size, tally);
      continue;
    }
    if (!is_whole) std::memcpy(to, codes, size * sizeof(std::uint32_t));
    if (tally == nullptr) continue;
    AddCounts({.beyond = counts.beyond, .inexact = counts.inexact}, e, size, tally);
  }
}

#else

void RunFamily(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
               Tally* tally) {
  kByFloat64Kernel.run(p, in, out, place, n, tally);
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

bool AcceptsToInt32(const Params& p) {
  const bool is_narrow = p.source->storage_bits == 16 || p.source->storage_bits == 32;
  return is_narrow && p.target->id == FormatId::kInt32 && kByFloat64Kernel.accepts(p);
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
         Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunFamily)(p, in, out, place, n, tally);
}

}  // namespace

const KernelRow kToInt32Kernel = {"to-int32", "the CPU's conversion to int32", AcceptsToInt32,
                                  PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
