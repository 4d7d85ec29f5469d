// SPDX-License-Identifier: Apache-2.0
//
// Lanes to hifloat8's codes, in every mode, as encode-inl.h does it for other floats. Included once
// per CPU target.
#if defined(EXACTCAST_SRC_KERNELS_ENCODE_TAPERED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTCAST_SRC_KERNELS_ENCODE_TAPERED_INL_H_
#undef EXACTCAST_SRC_KERNELS_ENCODE_TAPERED_INL_H_
#else
#define EXACTCAST_SRC_KERNELS_ENCODE_TAPERED_INL_H_
#endif

#include "src/kernels/encode-inl.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {

// spec/hifloat8.h's ChooseHybrid: all ones where the number reaches the threshold. `position` and
// `fraction` are of a normal lane; `width` the fraction bits kept.
template <class V>
HWY_INLINE V HybridMask(const Parts<V>& x, V width, V discarded, bool from_float16) {
  const hn::DFromV<V> d;
  const V fraction = hn::And(x.magnitude, Constant<V>(0x7fffff));
  const V e = hn::Sub(x.exponent, Constant<V>(127));
  const int length = from_float16 ? 2 : 14;
  const V mask = Constant<V>((1 << length) - 1);
  // The bit of the lane that is bit 0 of the float16: 13, higher for its subnormals.
  const V low_bit =
      SmallerOf(LargerOf(Constant<V>(13), hn::Sub(Constant<V>(-1), e)), Constant<V>(23));
  const V threshold =
      from_float16
          ? hn::Or(hn::ShiftLeft<1>(hn::And(hn::Shr(x.significand, low_bit), Constant<V>(1))),
                   Constant<V>(1))
          : hn::And(fraction, mask);
  const V down = hn::Sub(Constant<V>(23 - length), width);
  const V plain = hn::And(hn::Shr(fraction, down), mask);
  const V below =
      hn::Or(Constant<V>(1 << (length - 1)), hn::ShiftRightSame(fraction, 23 - length + 1));
  const V is_below = AllOnesWhere<V>(hn::Eq(e, Constant<V>(-23)));
  const V number = Select(is_below, below, plain);
  const V met = hn::Not(AllOnesWhere<V>(Greater(threshold, number)));
  const V by_half = AllOnesWhere<V>(Greater(
      Constant<V>(4), hn::BitCast(d, hn::Abs(hn::BitCast(hn::RebindToSigned<decltype(d)>(), e)))));
  const V too_small = AllOnesWhere<V>(Greater(Constant<V>(-23), e));
  return hn::AndNot(too_small, Select(by_half, SignMask(discarded), met));
}

// The mode at run time: other kernels serve most of this.
template <typename Lane>
HWY_NOINLINE LaneCounts EncodeTapered(const Encoding& e, const BlockOf<Lane>& block) {
  static_assert(sizeof(Lane) == 4);
  const hn::ScalableTag<Lane> d;
  const hn::RebindToSigned<decltype(d)> di;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const V one = Constant<V>(1);
  const V nan_above = hn::Set(d, block.nan_above);
  Counter<V> counter;
  for (std::size_t i = 0; i < block.n; i += hn::Lanes(d)) {
    const Parts<V> x = TakeApart(hn::Load(d, block.lanes + i));
    const V nan = NanMask(x.magnitude, nan_above);
    const V infinite = InfinityMask(x.magnitude);
    // 1. The fraction bits of the binade: 3, 2, 1 by the size of the exponent, 0 for denormals.
    const V exponent = LargerOf(x.exponent, Constant<V>(127 - 22));
    const V value = hn::Sub(exponent, Constant<V>(127));
    const V size = hn::BitCast(d, hn::Abs(hn::BitCast(di, value)));
    const V denormal = AllOnesWhere<V>(Greater(Constant<V>(127 - 15), exponent));
    const V width = hn::AndNot(
        denormal, hn::Add(Constant<V>(3), hn::Add(AllOnesWhere<V>(Greater(size, Constant<V>(3))),
                                                  AllOnesWhere<V>(Greater(size, Constant<V>(7))))));
    const V shift = SmallerOf(
        hn::Add(hn::Sub(Constant<V>(23), width), hn::Sub(exponent, x.position)), Constant<V>(25));
    const SplitLanes<V> split = SplitAt(x.significand, shift);
    // 2. Rounding; a denormal's parity is that of its code, the exponent plus 23.
    V away = zero;
    if (e.rounding == Rounding::kHybrid) {
      away = HybridMask(x, width, split.discarded, e.hybrid_from_float16);
    } else {
      const V parity = Select(
          denormal, hn::And(split.kept, hn::Sub(exponent, Constant<V>(127 - 23))), split.kept);
      away = AwayMaskOf(e.rounding, split.discarded, parity, x.sign);
    }
    const V kept = hn::Sub(split.kept, away);
    // 3. A carry out of the fraction steps the exponent up and leaves the fraction 0.
    const V carry = hn::Shr(kept, hn::Add(width, one));
    const V fraction = hn::And(kept, hn::Sub(hn::Shl(one, width), one));
    const V power = hn::Add(value, carry);
    // 4. The code: prefix and exponent by the size of the exponent, its sign as a field in between.
    const V negative = SignMask(power);
    const V s = hn::BitCast(d, hn::Abs(hn::BitCast(di, power)));
    const V from2 = AllOnesWhere<V>(Greater(s, one));
    const V from4 = AllOnesWhere<V>(Greater(s, Constant<V>(3)));
    const V from8 = AllOnesWhere<V>(Greater(s, Constant<V>(7)));
    const V out_width = hn::Add(Constant<V>(3), hn::Add(from4, from8));
    V code = hn::Add(Constant<V>(8), hn::Shl(s, out_width));
    code = hn::Add(code, hn::And(from2, Constant<V>(8)));
    code = hn::Add(code, hn::And(from4, Constant<V>(32)));
    code = hn::Add(code, hn::And(from8, Constant<V>(32)));
    const V half = hn::Add(Constant<V>(8), hn::And(from2, Constant<V>(8)));
    code = hn::Or(hn::Add(code, hn::And(negative, half)), fraction);
    const V still_denormal = AllOnesWhere<V>(Greater(Constant<V>(-15), power));
    code = Select(still_denormal, hn::Add(power, Constant<V>(23)), code);
    code = hn::AndNot(AllOnesWhere<V>(hn::Eq(kept, zero)), code);
    // 5. 1.1 * 2^15 is infinity's code.
    const V beyond =
        AllOnesWhere<V>(Greater(hn::Add(hn::Add(power, power), fraction), Constant<V>(30)));
    const V inexact = hn::Or(away, AllOnesWhere<V>(hn::Ne(split.discarded, zero)));
    const V is_tiny = AllOnesWhere<V>(Greater(Constant<V>(8), code));
    code = hn::Or(code,
                  hn::And(hn::And(x.sign, Constant<V>(0x80)), AllOnesWhere<V>(hn::Ne(code, zero))));
    const V end = Select(infinite, BySign(x.sign, e.infinity), BySign(x.sign, e.overflow));
    code = Select(beyond, end, code);
    code = Select(nan, Constant<V>(e.nan), code);
    counter.Add(nan, e.infinity_is_exact ? infinite : zero, beyond, inexact, is_tiny);
    hn::Store(code, d, block.lanes + i);
  }
  return counter.Total();
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#endif  // EXACTCAST_SRC_KERNELS_ENCODE_TAPERED_INL_H_
