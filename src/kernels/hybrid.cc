// SPDX-License-Identifier: Apache-2.0
//
// The fast family to hifloat8 in mode hybrid, from float32 and float16 over blocks of float32: the
// threshold becomes a carry, so that what is left is rounding toward zero, which is tapered.cc's.
//
//   x        s eeeeeeee kk nnnnnnnnnnnnnn ttttttt      k: kept, n: the number, t: (part of) the threshold
//   + what n lacks to a carry where it reaches the threshold: 2^length - threshold, at n's place
//   = y      s eeeeeeee KK 00000000000000 000000i      K: kept and carried into, i: set if that is not x
//
// The second half is then what makes the counts right. See spec/hifloat8.h, ChooseHybrid.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/hybrid.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>

#include "exactcast/spec/hifloat8.h"
#include "src/kernels/blocks-inl.h"
#include "src/kernels/encode-inl.h"
#include "src/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON

constexpr int kBias = 127;
constexpr int kBelow =
    hifloat8::kMinExponent - 1 + kBias;  // the field of what only may become 2^-22

template <class V>
HWY_INLINE V Ones(V a, V b) {  // 1 where a > b
  return hn::And(AllOnesWhere<V>(Greater(a, b)), Constant<V>(1));
}

template <bool kFromFloat16, class V>
HWY_INLINE V CarryThreshold(V x) {
  const hn::DFromV<V> d;
  const hn::RebindToSigned<decltype(d)> di;
  constexpr int kLength = kFromFloat16 ? 2 : 14;
  const V magnitude = hn::And(x, Constant<V>(0x7fffffff));
  const V field = hn::ShiftRight<23>(magnitude);
  const V size = hn::BitCast(d, hn::Abs(hn::BitCast(di, hn::Sub(field, Constant<V>(kBias)))));
  // 1. One bit fewer is kept from 2^8 up or 2^-8 down, another one below 2^-15.
  const V fewer = hn::Add(Ones(size, Constant<V>(7)), Ones(Constant<V>(kBias - 15), field));
  const V place =  // of the number's last bit
      hn::Add(hn::Add(fewer, Constant<V>(21 - kLength)), Ones(Constant<V>(kBelow + 1), field));
  V lacks = Constant<V>(1 << kLength);
  if constexpr (kFromFloat16) {
    // Bit 0 of the float16: bit 13, higher for its subnormals.
    const V low_bit = hn::BitCast(
        d,
        hn::Min(hn::Max(hn::Sub(hn::Set(di, kBias - 1), hn::BitCast(di, field)), hn::Set(di, 13)),
                hn::Set(di, 23)));
    const V significand = hn::Or(hn::And(magnitude, Constant<V>(0x7fffff)), Constant<V>(0x800000));
    const V bit = hn::And(hn::Shr(significand, low_bit), Constant<V>(1));
    lacks = hn::Sub(Constant<V>(3), hn::Add(bit, bit));
  } else {
    lacks = hn::Sub(lacks, hn::And(magnitude, Constant<V>((1 << kLength) - 1)));
  }
  // 2. Half away by the first discarded bit up to 2^3, where 3 bits are kept.
  const V by_half = AllOnesWhere<V>(Greater(Constant<V>(4), size));
  const V carry = Select(by_half, Constant<V>(1 << 19), hn::Shl(lacks, place));
  const V discarded = Select(by_half, Constant<V>((1 << 20) - 1),
                             hn::Sub(hn::Shl(Constant<V>(1 << 21), fewer), Constant<V>(1)));
  // 3. Below the least denormal a carry gives that one, whatever is carried beyond.
  const V least = Constant<V>((kBelow + 1) << 23);
  V sum = hn::AndNot(discarded, hn::Add(magnitude, carry));
  sum = Select(AllOnesWhere<V>(hn::Eq(field, Constant<V>(kBelow))), SmallerOf(sum, least), sum);
  const V moved = hn::AndNot(MaskWhere<V>(hn::Eq(sum, magnitude)), Constant<V>(1));
  const V result = hn::Or(hn::Or(sum, moved), hn::AndNot(Constant<V>(0x7fffffff), x));
  // 4. What is smaller becomes zero, and what is larger is beyond the range, without a carry.
  const V plain = hn::Or(AllOnesWhere<V>(Greater(Constant<V>(kBelow), field)),
                         AllOnesWhere<V>(Greater(field, Constant<V>(kBias + 16))));
  return Select(plain, x, result);
}

template <bool kFromFloat16>
HWY_NOINLINE void CarryThresholds(std::uint32_t* lanes, std::size_t n) {
  const hn::ScalableTag<std::uint32_t> d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    hn::Store(CarryThreshold<kFromFloat16>(hn::Load(d, lanes + i)), d, lanes + i);
  }
}

#endif  // HWY_TARGET

void RunHybrid(const Params& p, const std::byte* in, std::byte* out, std::size_t n, Tally* tally) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
  HWY_ALIGN std::uint32_t lanes[kBlockRoom];
  Params then;
  then.source = &GetFormat(FormatId::kFloat32);
  then.target = p.target;
  then.encoding = p.encoding;
  then.encoding.rounding = Rounding::kTowardZero;
  const bool from_float16 = p.encoding.hybrid_from_float16;
  const Float32Decoder decode = DecoderToFloat32(p.source->id);
  const std::size_t in_bytes = static_cast<std::size_t>(p.source->storage_bits) / 8;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    const std::size_t filled = decode(in + at * in_bytes, size, lanes);
    from_float16 ? CarryThresholds<true>(lanes, filled) : CarryThresholds<false>(lanes, filled);
    kTaperedKernel.run(then, reinterpret_cast<const std::byte*>(lanes), out + at, {}, size, tally);
  }
#else
  kNarrowKernel.run(p, in, out, {}, n, tally);
#endif
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(RunHybrid);

// Where rounding toward zero is tapered.cc's.
bool AcceptsHybrid(const Params& p) {
  if (p.encoding.rounding != Rounding::kHybrid) return false;
  Params then;
  then.source = p.source;
  then.operation = p.operation;
  then.encoding = p.encoding;
  then.encoding.rounding = Rounding::kTowardZero;
  return kTaperedKernel.accepts(then);
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place, std::size_t n, Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunHybrid)(p, in, out, n, tally);
}

}  // namespace

const KernelRow kHybridKernel = {"hybrid", "threshold as a carry, then hifloat8 toward zero",
                                 AcceptsHybrid, PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
