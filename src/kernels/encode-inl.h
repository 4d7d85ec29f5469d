// SPDX-License-Identifier: Apache-2.0
//
// Lanes to codes, in place, on integers alone: the format comes as constants at run time, the mode
// is a template parameter. Included once per CPU target.
//
//   lane      s eeeeeeee fffffffffffffffffffffff      float32 bits; float64's likewise
//   kept      1ffff                                   hidden bit and what the target has room for
//   discarded fffffffffffff000...                     the rest, moved to the top of the lane
//   code      s eeee ffff                             kept + (exponent above the least one) << m: the
//                                                     hidden bit, and a carry, step the exponent up
#if defined(EXACTCAST_SRC_KERNELS_ENCODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTCAST_SRC_KERNELS_ENCODE_INL_H_
#undef EXACTCAST_SRC_KERNELS_ENCODE_INL_H_
#else
#define EXACTCAST_SRC_KERNELS_ENCODE_INL_H_
#endif

#include "src/kernels/block.h"
#include "src/kernels/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {

// A lane taken apart. Subnormals have the least exponent and no hidden bit.
template <class V>
struct Parts {
  V sign;  // all ones where negative
  V magnitude;
  V exponent;  // the field
  V position;  // the field, 1 for subnormals: significand counts 2^(position - bias - mantissa)
  V significand;
};

template <class V>
HWY_INLINE Parts<V> TakeApart(V x) {
  const hn::DFromV<V> d;
  using Lane = hn::TFromD<hn::DFromV<V>>;
  using F = LaneFormat<Lane>;
  const V magnitude = hn::AndNot(hn::Set(d, F::kMsb), x);
  const V exponent = hn::ShiftRight<F::kMantissa>(magnitude);
  const V subnormal = AllOnesWhere<V>(hn::Eq(exponent, hn::Zero(d)));
  const V hidden = hn::AndNot(subnormal, hn::Set(d, F::kHidden));
  const V fraction = hn::And(magnitude, hn::Set(d, static_cast<Lane>(F::kHidden - 1)));
  return {SignMask(x), magnitude, exponent, hn::Sub(exponent, subnormal), hn::Or(fraction, hidden)};
}

// Constants of an Encoding in the lane's width.
template <class V>
HWY_INLINE V Constant(std::uint64_t value) {
  return hn::Set(hn::DFromV<V>(), static_cast<hn::TFromD<hn::DFromV<V>>>(value));
}
template <class V>
HWY_INLINE V Constant(int value) {
  return Constant<V>(static_cast<std::uint64_t>(std::int64_t{value}));
}

// by_sign[0], or [1] where `sign` is all ones.
template <class V>
HWY_INLINE V BySign(V sign, const std::array<std::uint64_t, 2>& by_sign) {
  return hn::Xor(Constant<V>(by_sign[0]), hn::And(sign, Constant<V>(by_sign[0] ^ by_sign[1])));
}

// The classes of what has been encoded. Every NaN and every infinity is beyond, too.
struct LaneCounts {
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
  std::uint64_t beyond = 0;
  std::uint64_t inexact = 0;  // and not beyond
  std::uint64_t tiny = 0;     // of the inexact ones: became zero or subnormal
};

template <class V>
class Counter {
 public:
  HWY_INLINE Counter() {}
  // Masks of all ones or zero.
  HWY_INLINE void Add(V nan, V infinite, V beyond, V inexact, V tiny) {
    const V within = hn::AndNot(beyond, inexact);
    nan_.Add(nan);
    infinite_.Add(infinite);
    beyond_.Add(beyond);
    inexact_.Add(within);
    tiny_.Add(hn::And(within, tiny));
  }
  HWY_INLINE LaneCounts Total() const {
    return {nan_.Total(), infinite_.Total(), beyond_.Total(), inexact_.Total(), tiny_.Total()};
  }

 private:
  LaneCounter<V> nan_;
  LaneCounter<V> infinite_;
  LaneCounter<V> beyond_;
  LaneCounter<V> inexact_;
  LaneCounter<V> tiny_;
};

template <class V>
HWY_INLINE V FlushBelow(const Encoding& e) {
  return Constant<V>(sizeof(hn::TFromD<hn::DFromV<V>>) == 8 ? e.flush_below64 : e.flush_below32);
}
template <class V>
HWY_INLINE V LeastBeyond(const Encoding& e) {
  return Constant<V>(sizeof(hn::TFromD<hn::DFromV<V>>) == 8 ? e.least_beyond64 : e.least_beyond32);
}

// All ones for a NaN. `above` is the largest lane magnitude that is none (block.h).
template <class V>
HWY_INLINE V NanMask(V magnitude, V above) {
  return AllOnesWhere<V>(Greater(magnitude, above));
}

template <class V>
HWY_INLINE V InfinityMask(V magnitude) {
  using F = LaneFormat<hn::TFromD<hn::DFromV<V>>>;
  return AllOnesWhere<V>(hn::Eq(magnitude, Constant<V>(std::uint64_t{F::kInfinity})));
}

// What a NaN becomes. `drop`: the fraction bits of the lane that the target has no room for.
template <class V>
HWY_INLINE V NanCode(const Encoding& e, V sign, V magnitude, int drop) {
  return hn::Or(hn::Or(Constant<V>(e.nan), hn::And(sign, Constant<V>(e.nan_sign))),
                hn::And(hn::ShiftRightSame(magnitude, drop), Constant<V>(e.nan_payload)));
}

template <class V>
HWY_INLINE V Select(V mask, V yes, V no) {
  return hn::IfVecThenElse(mask, yes, no);
}

// ---- to a float ---------------------------------------------------------------------------------

// kRare: unsigned targets, flushed subnormals, overflow judged by another mode; the mode is read from
// `e`, not kMode.
template <bool kRare, Rounding kMode, typename Lane>
HWY_NOINLINE LaneCounts EncodeFloat(const Encoding& e, const BlockOf<Lane>& block) {
  using F = LaneFormat<Lane>;
  const hn::ScalableTag<Lane> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const V least = Constant<V>(e.min_exponent + F::kBias);
  const V base_shift = Constant<V>(F::kMantissa - e.mantissa_bits);
  const V max_shift = Constant<V>(F::kMantissa + 2);
  const V max_code = Constant<V>(e.max_code);
  const V tiny = Constant<V>(e.tiny);
  const V gap = Constant<V>(e.zero_gap);
  const V sign_bit = Constant<V>(e.has_sign ? std::uint64_t{1} << (e.bits - 1) : 0);
  const V signed_zero = e.has_negative_zero ? Constant<V>(~std::uint64_t{0}) : zero;
  const V nan_above = hn::Set(d, block.nan_above);
  Counter<V> counter;
  for (std::size_t i = 0; i < block.n; i += hn::Lanes(d)) {
    Parts<V> x = TakeApart(hn::Load(d, block.lanes + i));
    V flushed = zero;
    V negative = zero;
    if constexpr (kRare) {
      if (!e.has_sign) negative = hn::And(x.sign, AllOnesWhere<V>(hn::Ne(x.magnitude, zero)));
      if (e.drops_sign) x.sign = zero;
      flushed = hn::And(AllOnesWhere<V>(Greater(FlushBelow<V>(e), x.magnitude)),
                        AllOnesWhere<V>(hn::Ne(x.magnitude, zero)));
      x.magnitude = hn::AndNot(flushed, x.magnitude);
      x.significand = hn::AndNot(flushed, x.significand);
      negative = hn::AndNot(flushed, negative);
    }
    const V nan = NanMask(x.magnitude, nan_above);
    // 1. Where the last kept place is: the target's fraction bits below the leading bit, not below
    //    its least place.
    const V exponent = LargerOf(x.exponent, least);
    const V shift = SmallerOf(hn::Add(base_shift, hn::Sub(exponent, x.position)), max_shift);
    const SplitLanes<V> split = SplitAt(x.significand, shift);
    // 2. The code of the kept part, and of what rounding makes of it.
    const V steps = hn::ShiftLeftSame(hn::Sub(exponent, least), e.mantissa_bits);
    V code = hn::Add(split.kept, steps);
    if constexpr (kRare) code = hn::Sub(code, gap);
    if constexpr (kRare) {
      code = hn::Sub(code, AwayMaskOf(e.rounding, split.discarded, code, x.sign));
      code = hn::AndNot(SignMask(code), code);
    } else {
      code = hn::Sub(code, AwayMask<kMode>(split.discarded, code, x.sign));
    }
    V inexact = AllOnesWhere<V>(hn::Ne(split.discarded, zero));
    // What only an earlier step lost is rounded, not tiny.
    V is_tiny = hn::And(AllOnesWhere<V>(Greater(tiny, code)), inexact);
    if (block.lost != nullptr) inexact = hn::Or(inexact, hn::Load(d, block.lost + i));
    if constexpr (kRare) {
      const V below = AllOnesWhere<V>(Greater(tiny, code));
      const V to_zero =
          e.flushes_results ? hn::And(below, AllOnesWhere<V>(hn::Ne(code, zero))) : zero;
      code = hn::AndNot(to_zero, code);
      inexact = hn::Or(inexact, hn::Or(to_zero, flushed));
      is_tiny = hn::Or(is_tiny, hn::Or(to_zero, flushed));
      // Without a code for zero, a zero is not exact.
      if (e.zero_gap != 0) {
        inexact = hn::Or(inexact, AllOnesWhere<V>(hn::Eq(x.magnitude, zero)));
      }
    }
    // 3. What is beyond the range, infinity and NaN among it.
    V beyond = AllOnesWhere<V>(Greater(code, max_code));
    if constexpr (kRare) {
      if (e.judges_nearest) {
        const V least_beyond = LeastBeyond<V>(e);
        beyond = hn::Or(beyond, hn::Not(AllOnesWhere<V>(Greater(least_beyond, x.magnitude))));
      }
    }
    const V infinite = InfinityMask(x.magnitude);
    const V sign = hn::And(
        x.sign, hn::And(sign_bit, hn::Or(signed_zero, AllOnesWhere<V>(hn::Ne(code, zero)))));
    code = hn::Or(code, sign);
    const V end = Select(infinite, BySign(x.sign, e.infinity), BySign(x.sign, e.overflow));
    code = Select(beyond, end, code);
    if constexpr (kRare) {
      beyond = hn::Or(beyond, negative);
      if (!e.drops_sign) code = Select(negative, Constant<V>(e.negative), code);
    }
    code = Select(nan, NanCode(e, x.sign, x.magnitude, F::kMantissa - e.mantissa_bits), code);
    counter.Add(nan, e.infinity_is_exact ? infinite : zero, beyond, inexact, is_tiny);
    hn::Store(hn::ShiftLeftSame(code, e.low_zeros), d, block.lanes + i);
  }
  return counter.Total();
}

// ---- to an integer ------------------------------------------------------------------------------

template <Rounding kMode, typename Lane>
HWY_NOINLINE LaneCounts EncodeInteger(const Encoding& e, const BlockOf<Lane>& block) {
  using F = LaneFormat<Lane>;
  const hn::ScalableTag<Lane> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const V unit = Constant<V>(F::kBias + F::kMantissa);  // the position of a last place of 1
  const V msb = hn::Set(d, F::kMsb);
  const V mask = Constant<V>(LowMask(e.bits));
  const V saturates = e.wraps ? zero : Constant<V>(~std::uint64_t{0});
  const V nan_above = hn::Set(d, block.nan_above);
  Counter<V> counter;
  for (std::size_t i = 0; i < block.n; i += hn::Lanes(d)) {
    Parts<V> x = TakeApart(hn::Load(d, block.lanes + i));
    const V flushed = hn::And(AllOnesWhere<V>(Greater(FlushBelow<V>(e), x.magnitude)),
                              AllOnesWhere<V>(hn::Ne(x.magnitude, zero)));
    const V significand = hn::AndNot(flushed, x.significand);
    const V nan = NanMask(x.magnitude, nan_above);
    const V infinite = InfinityMask(x.magnitude);
    // 1. Down to integers, or up: one of the two shifts is by nothing.
    const V right = hn::Sub(unit, x.position);
    const V left = hn::Sub(x.position, unit);
    const V is_left = AllOnesWhere<V>(Greater(left, zero));
    const V down = SmallerOf(hn::AndNot(is_left, right), Constant<V>(F::kMantissa + 2));
    const V kept = hn::Shr(significand, down);
    const V moved = hn::AndNot(
        AllOnesWhere<V>(hn::Eq(down, zero)),
        hn::Shl(significand, hn::Sub(Constant<V>(F::kBits), LargerOf(down, Constant<V>(1)))));
    const V rounded = hn::Sub(kept, AwayMask<kMode>(moved, kept, x.sign));
    const V lost_all = AllOnesWhere<V>(Greater(left, Constant<V>(F::kBits - 1)));
    const V up = SmallerOf(left, Constant<V>(F::kBits - 1));
    const V magnitude =
        Select(is_left, hn::AndNot(lost_all, hn::Shl(significand, hn::And(is_left, up))), rounded);
    // 2. What does not fit: leading bits beyond the lane, or a magnitude above the limit.
    const V limit = BySign(x.sign, e.limit);
    const V outside = AllOnesWhere<V>(Greater(x.position, Constant<V>(F::kBias + F::kBits - 1)));
    const V above = AllOnesWhere<V>(Greater(hn::Xor(magnitude, msb), hn::Xor(limit, msb)));
    const V beyond = hn::Or(outside, above);
    const V clamped = hn::And(beyond, hn::Or(saturates, infinite));
    const V value = Select(clamped, limit, magnitude);
    const V code = hn::And(hn::Sub(hn::Xor(value, x.sign), x.sign), mask);
    const V inexact = hn::Or(flushed, AllOnesWhere<V>(hn::Ne(moved, zero)));
    counter.Add(nan, zero, hn::Or(beyond, nan), inexact, zero);
    hn::Store(Select(nan, Constant<V>(e.nan), code), d, block.lanes + i);
  }
  return counter.Total();
}

// ---- to bool, to an integral float, to the lane's own format ------------------------------------

template <typename Lane>
HWY_NOINLINE LaneCounts EncodeBoolean(const Encoding& e, const BlockOf<Lane>& block) {
  const hn::ScalableTag<Lane> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const V one = Constant<V>(1);
  const V nan_above = hn::Set(d, block.nan_above);
  const V exact_one = hn::Set(d, LaneFormat<Lane>::kOne);
  Counter<V> counter;
  for (std::size_t i = 0; i < block.n; i += hn::Lanes(d)) {
    const V x = hn::Load(d, block.lanes + i);
    const V magnitude = hn::AndNot(hn::Set(d, LaneFormat<Lane>::kMsb), x);
    const V is_zero = AllOnesWhere<V>(hn::Eq(magnitude, zero));
    const V flushed = AllOnesWhere<V>(Greater(FlushBelow<V>(e), magnitude));
    const V nan = NanMask(magnitude, nan_above);
    const V inexact = hn::Not(hn::Or(is_zero, AllOnesWhere<V>(hn::Eq(x, exact_one))));
    counter.Add(nan, zero, nan, inexact, zero);
    const V truth = hn::AndNot(hn::Or(is_zero, flushed), one);
    hn::Store(Select(nan, Constant<V>(e.nan), truth), d, block.lanes + i);
  }
  return counter.Total();
}

template <typename Lane>
HWY_NOINLINE LaneCounts EncodeIntegral(const Encoding& e, const BlockOf<Lane>& block) {
  using F = LaneFormat<Lane>;
  const hn::ScalableTag<Lane> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const V unit = Constant<V>(F::kBias + F::kMantissa);
  const V one = hn::Set(d, F::kOne);
  const V msb = hn::Set(d, F::kMsb);
  const V nan_above = hn::Set(d, F::kInfinity);
  Counter<V> counter;
  for (std::size_t i = 0; i < block.n; i += hn::Lanes(d)) {
    const V bits = hn::Load(d, block.lanes + i);
    const Parts<V> x = TakeApart(bits);
    const V nan = NanMask(x.magnitude, nan_above);
    // 1. Integers are split into the kept units and the rest; from 2^mantissa up all are integral.
    const V integral =
        AllOnesWhere<V>(Greater(x.position, Constant<V>(F::kBias + F::kMantissa - 1)));
    const V down = SmallerOf(Select(integral, Constant<V>(1), hn::Sub(unit, x.position)),
                             Constant<V>(F::kMantissa + 2));
    const SplitLanes<V> split = SplitAt(x.significand, down);
    const V units =
        hn::Sub(split.kept, AwayMaskOf(e.rounding, split.discarded, split.kept, x.sign));
    // 2. Back to where they came from; below 1 there is only 0 and 1.
    const V moved = hn::Shl(units, SmallerOf(down, Constant<V>(F::kMantissa)));
    const V exponent = hn::ShiftLeft<F::kMantissa>(hn::Sub(x.position, Constant<V>(1)));
    const V small = AllOnesWhere<V>(Greater(one, x.magnitude));
    const V below_one = hn::AndNot(AllOnesWhere<V>(hn::Eq(units, zero)), one);
    const V rounded =
        hn::Or(Select(small, below_one, hn::Add(exponent, moved)), hn::And(bits, msb));
    V code = Select(integral, bits, rounded);
    code = Select(nan, hn::Or(bits, Constant<V>(e.nan)), code);
    const V inexact = hn::AndNot(integral, AllOnesWhere<V>(hn::Ne(split.discarded, zero)));
    counter.Add(nan, zero, nan, inexact, AllOnesWhere<V>(hn::Eq(units, zero)));
    hn::Store(code, d, block.lanes + i);
  }
  return counter.Total();
}

template <typename Lane>
HWY_NOINLINE LaneCounts EncodeSame(const Encoding& e, const BlockOf<Lane>& block) {
  using F = LaneFormat<Lane>;
  const hn::ScalableTag<Lane> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const V nan_above = hn::Set(d, F::kInfinity);
  const int drop = F::kMantissa - (e.bits == F::kBits ? F::kMantissa : e.mantissa_bits);
  Counter<V> counter;
  for (std::size_t i = 0; i < block.n; i += hn::Lanes(d)) {
    const V bits = hn::Load(d, block.lanes + i);
    const V magnitude = hn::AndNot(hn::Set(d, F::kMsb), bits);
    const V nan = NanMask(magnitude, nan_above);
    const V flushed = hn::And(AllOnesWhere<V>(Greater(FlushBelow<V>(e), magnitude)),
                              AllOnesWhere<V>(hn::Ne(magnitude, zero)));
    const V kept = hn::AndNot(hn::AndNot(hn::Set(d, F::kMsb), flushed), bits);
    const V nan_code = hn::ShiftLeftSame(NanCode(e, SignMask(bits), magnitude, drop), drop);
    const V infinite = InfinityMask(magnitude);
    const V end = hn::ShiftLeftSame(BySign(SignMask(bits), e.infinity), drop);
    const V code = Select(infinite, end, Select(nan, nan_code, kept));
    counter.Add(nan, e.infinity_is_exact ? infinite : zero, hn::Or(nan, infinite), flushed,
                flushed);
    hn::Store(code, d, block.lanes + i);
  }
  return counter.Total();
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#endif  // EXACTCAST_SRC_KERNELS_ENCODE_INL_H_
