// SPDX-License-Identifier: Apache-2.0
//
// Rounding in vectors of unsigned lanes, and counting: what the encoders of encode-inl.h share. A
// lane is 32 or 64 bits and holds float32 or float64 bits. Included once per CPU target.
#if defined(EXACTCAST_SRC_KERNELS_ROUNDING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTCAST_SRC_KERNELS_ROUNDING_INL_H_
#undef EXACTCAST_SRC_KERNELS_ROUNDING_INL_H_
#else
#define EXACTCAST_SRC_KERNELS_ROUNDING_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exactcast/spec/rounding.h"
#include "src/kernels/encoding.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The float format whose bits a lane holds.
template <typename Lane>
struct LaneFormat {
  static constexpr bool kIsWide = sizeof(Lane) == 8;
  static constexpr int kBits = kIsWide ? 64 : 32;
  static constexpr int kMantissa = kIsWide ? 52 : 23;
  static constexpr int kBias = kIsWide ? 1023 : 127;
  static constexpr Lane kMsb = Lane{1} << (kBits - 1);
  static constexpr Lane kHidden = Lane{1} << kMantissa;
  static constexpr Lane kInfinity = static_cast<Lane>(2 * kBias + 1) << kMantissa;
  static constexpr Lane kOne = static_cast<Lane>(kBias) << kMantissa;
};

template <class V>
using Signed = hn::Vec<hn::RebindToSigned<hn::DFromV<V>>>;

// Unsigned lanes below the top bit compare as signed ones, which every CPU can.
template <class V>
HWY_INLINE auto Greater(V a, V b) {
  const hn::RebindToSigned<hn::DFromV<V>> di;
  return hn::RebindMask(hn::DFromV<V>(), hn::Gt(hn::BitCast(di, a), hn::BitCast(di, b)));
}
template <class V>
HWY_INLINE V AllOnesWhere(decltype(hn::Gt(V(), V())) mask) {
  return hn::VecFromMask(hn::DFromV<V>(), mask);
}
// As signed lanes. Where the CPU has no such instruction of 64 bits, by comparison.
template <class V>
HWY_INLINE V SmallerOf(V a, V b) {
  if constexpr (sizeof(hn::TFromD<hn::DFromV<V>>) == 8) {
    return hn::IfThenElse(Greater(a, b), b, a);
  } else {
    const hn::RebindToSigned<hn::DFromV<V>> di;
    return hn::BitCast(hn::DFromV<V>(), hn::Min(hn::BitCast(di, a), hn::BitCast(di, b)));
  }
}
template <class V>
HWY_INLINE V LargerOf(V a, V b) {
  if constexpr (sizeof(hn::TFromD<hn::DFromV<V>>) == 8) {
    return hn::IfThenElse(Greater(a, b), a, b);
  } else {
    const hn::RebindToSigned<hn::DFromV<V>> di;
    return hn::BitCast(hn::DFromV<V>(), hn::Max(hn::BitCast(di, a), hn::BitCast(di, b)));
  }
}
// All ones where the top bit is set.
template <class V>
HWY_INLINE V SignMask(V x) {
  const hn::RebindToSigned<hn::DFromV<V>> di;
  return hn::BitCast(hn::DFromV<V>(), hn::BroadcastSignBit(hn::BitCast(di, x)));
}

// significand / 2^shift, as the part kept and the part discarded.
template <class V>
struct SplitLanes {
  V kept;
  V discarded;  // moved to the top of the lane: half of the last place is the top bit
};

// 1 <= shift <= mantissa bits + 2, below the width of the lane by enough to leave the lowest bit of
// `discarded` 0.
template <class V>
HWY_INLINE SplitLanes<V> SplitAt(V significand, V shift) {
  using Lane = hn::TFromD<hn::DFromV<V>>;
  const V width = hn::Set(hn::DFromV<V>(), Lane{LaneFormat<Lane>::kBits});
  return {hn::Shr(significand, shift), hn::Shl(significand, hn::Sub(width, shift))};
}

// All ones where the mode goes away from zero. `code` is what the kept part has for a code: its
// lowest bit is the parity; `sign` is all ones for a negative value. spec/rounding.h's RoundsAway,
// one branch a mode.
template <Rounding kMode, class V>
HWY_INLINE V AwayMask(V discarded, V code, V sign) {
  const hn::DFromV<V> d;
  using Lane = hn::TFromD<hn::DFromV<V>>;
  const V zero = hn::Zero(d);
  if constexpr (kMode == Rounding::kTiesToEven) {
    const V odd = hn::And(code, hn::Set(d, Lane{1}));
    const V quarter = hn::Set(d, LaneFormat<Lane>::kMsb >> 1);
    return AllOnesWhere<V>(Greater(hn::Add(hn::ShiftRight<1>(discarded), odd), quarter));
  } else if constexpr (kMode == Rounding::kTiesToAway) {
    return SignMask(discarded);
  } else if constexpr (kMode == Rounding::kTowardZero) {
    return zero;
  } else {
    const V exact = AllOnesWhere<V>(hn::Eq(discarded, zero));
    if constexpr (kMode == Rounding::kTowardNegative) return hn::AndNot(exact, sign);
    if constexpr (kMode == Rounding::kTowardPositive) {
      return hn::Not(hn::Or(exact, sign));
    }
    const V odd = hn::And(code, hn::Set(d, Lane{1}));  // kToOdd
    return hn::AndNot(hn::Or(exact, hn::Sub(zero, odd)), hn::Set(d, static_cast<Lane>(~Lane{0})));
  }
}

// The same for a mode known at run time.
template <class V>
HWY_INLINE V AwayMaskOf(Rounding mode, V discarded, V code, V sign) {
  switch (mode) {
    case Rounding::kTowardNegative:
      return AwayMask<Rounding::kTowardNegative>(discarded, code, sign);
    case Rounding::kTowardPositive:
      return AwayMask<Rounding::kTowardPositive>(discarded, code, sign);
    case Rounding::kTiesToAway:
      return AwayMask<Rounding::kTiesToAway>(discarded, code, sign);
    case Rounding::kTowardZero:
      return AwayMask<Rounding::kTowardZero>(discarded, code, sign);
    case Rounding::kToOdd:
      return AwayMask<Rounding::kToOdd>(discarded, code, sign);
    default:
      return AwayMask<Rounding::kTiesToEven>(discarded, code, sign);
  }
}

// How many lanes fell into a class: a lane of `mask` is all ones or zero.
template <class V>
class LaneCounter {
 public:
  // Written out, as a default one is compiled for no CPU target in particular.
  HWY_INLINE LaneCounter() : sum_(hn::Zero(hn::DFromV<V>())) {}
  HWY_INLINE void Add(V mask) { sum_ = hn::Sub(sum_, mask); }
  HWY_INLINE std::uint64_t Total() const {
    const hn::DFromV<V> d;
    using Lane = hn::TFromD<hn::DFromV<V>>;
    if constexpr (sizeof(Lane) == 1) {
      const hn::Repartition<std::uint64_t, hn::DFromV<V>> d64;
      return hn::GetLane(hn::SumOfLanes(d64, hn::SumsOf8(sum_)));
    }
    HWY_ALIGN Lane lanes[hn::MaxLanes(hn::DFromV<V>())];
    hn::Store(sum_, d, lanes);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) total += lanes[i];
    return total;
  }

 private:
  V sum_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#endif  // EXACTCAST_SRC_KERNELS_ROUNDING_INL_H_
