// SPDX-License-Identifier: Apache-2.0
//
// Source words to lanes of float32 or float64 bits. Exact, but that wide
// integers and float64 become float32 bits rounded to odd (block.h). Included once per CPU target.
#if defined(EXACTCAST_SRC_KERNELS_DECODE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTCAST_SRC_KERNELS_DECODE_INL_H_
#undef EXACTCAST_SRC_KERNELS_DECODE_INL_H_
#else
#define EXACTCAST_SRC_KERNELS_DECODE_INL_H_
#endif

#include <hwy/cache_control.h>

#include "exactcast/spec/format.h"
#include "src/kernels/block.h"
#include "src/kernels/rounding-inl.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {

// Asks for what lies `ahead` bytes after n words at `from`; with 0 for nothing.
template <typename Word>
HWY_INLINE void FetchAhead(const Word* from, std::size_t n, std::size_t ahead) {
  if (HWY_LIKELY(ahead == 0)) return;
  constexpr std::size_t kLine = 64;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from) + ahead;
  for (std::size_t at = 0; at < n * sizeof(Word); at += kLine) hwy::Prefetch(bytes + at);
}

// For loops so short that the branch shows: one line; with 0 ahead that of `from`, for next to nothing.
template <typename Word>
HWY_INLINE void FetchLineAhead(const Word* from, std::size_t ahead) {
  hwy::Prefetch(reinterpret_cast<const std::uint8_t*>(from) + ahead);
}

// ---- one vector ---------------------------------------------------------------------------------

template <class V>
HWY_INLINE V MaskWhere(decltype(hn::Eq(V(), V())) mask) {
  return hn::VecFromMask(hn::DFromV<V>(), mask);
}

//   float16   s eeeee ffffffffff      subnormals are integers times 2^-24
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Float16ToFloat32(D d, V x) {
  const hn::RebindToSigned<D> di;
  const hn::RebindToFloat<D> df;
  const V magnitude = hn::And(x, hn::Set(d, 0x7fffu));
  const V sign = hn::ShiftLeft<16>(hn::Xor(x, magnitude));
  const V rebias = hn::Set(d, 112u << 23);
  V normal = hn::Add(hn::ShiftLeft<13>(magnitude), rebias);
  normal =
      hn::Add(normal, hn::And(rebias, AllOnesWhere<V>(Greater(magnitude, hn::Set(d, 0x7bffu)))));
  const V integer = hn::BitCast(d, hn::ConvertTo(df, hn::BitCast(di, magnitude)));
  const V is_zero = MaskWhere<V>(hn::Eq(magnitude, hn::Zero(d)));
  const V subnormal = hn::Sub(integer, hn::AndNot(is_zero, hn::Set(d, 24u << 23)));
  const V is_normal = AllOnesWhere<V>(Greater(magnitude, hn::Set(d, 0x3ffu)));
  return hn::Or(hn::IfVecThenElse(is_normal, normal, subnormal), sign);
}

// |x| < 2^24, exactly.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V IntegerToFloat32(D d, V x) {
  const hn::RebindToSigned<D> di;
  const hn::RebindToFloat<D> df;
  return hn::BitCast(d, hn::ConvertTo(df, hn::BitCast(di, x)));
}

// A magnitude of 32 bits, to odd: from 2^24 up the low byte becomes one bit.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Magnitude32ToFloat32(D d, V magnitude) {
  const V low = hn::And(magnitude, hn::Set(d, 0xffu));
  const V sticky = hn::AndNot(MaskWhere<V>(hn::Eq(low, hn::Zero(d))), hn::Set(d, 1u));
  const V high = hn::ShiftRight<8>(magnitude);
  const V is_large = AllOnesWhere<V>(Greater(high, hn::Set(d, 0xffffu)));
  const V integer = hn::IfVecThenElse(is_large, hn::Or(high, sticky), magnitude);
  return hn::Add(IntegerToFloat32(d, integer), hn::And(is_large, hn::Set(d, 8u << 23)));
}

// x < 2^52, exactly: 2^52 + x has x for its fraction.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V IntegerToFloat64(D d, V x) {
  const hn::RebindToFloat<D> df;
  const V two52 = hn::Set(d, std::uint64_t{0x433} << 52);
  // Rounding toward negative makes a difference of 0 a -0.
  return hn::BitCast(d,
                     hn::Abs(hn::Sub(hn::BitCast(df, hn::Or(x, two52)), hn::BitCast(df, two52))));
}

// A magnitude of 64 bits, to odd: from 2^52 up the low 12 bits become one.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Magnitude64ToFloat64(D d, V magnitude) {
  const V low = hn::And(magnitude, hn::Set(d, std::uint64_t{0xfff}));
  const V sticky = hn::AndNot(MaskWhere<V>(hn::Eq(low, hn::Zero(d))), hn::Set(d, std::uint64_t{1}));
  const V is_small = MaskWhere<V>(hn::Eq(hn::ShiftRight<52>(magnitude), hn::Zero(d)));
  const V integer =
      hn::IfVecThenElse(is_small, magnitude, hn::Or(hn::ShiftRight<12>(magnitude), sticky));
  return hn::Add(IntegerToFloat64(d, integer),
                 hn::AndNot(is_small, hn::Set(d, std::uint64_t{12} << 52)));
}

// float64 to float32 bits in the low half of each lane, to odd, whatever direction the CPU rounds in:
// where its result is above the magnitude, the float32 below is meant.
// kFinite: no infinity, and nothing beyond float32.
template <bool kFinite, class D, class V = hn::Vec<D>>
HWY_INLINE V Float64ToFloat32(D d, V x) {
  const hn::RebindToFloat<D> df;
  const hn::Rebind<float, D> d32;
  const hn::Rebind<std::uint32_t, D> du32;
  const auto constant = [&](std::uint64_t value) HWY_ATTR { return hn::Set(d, value); };
  const V magnitude = hn::And(x, constant(~LaneFormat<std::uint64_t>::kMsb));
  const V sign = hn::ShiftRight<32>(hn::Xor(x, magnitude));
  const auto value = hn::BitCast(df, magnitude);
  const auto near = hn::DemoteTo(d32, value);
  const auto back = hn::PromoteTo(df, near);
  const V is_above = hn::VecFromMask(d, hn::RebindMask(d, hn::Gt(back, value)));
  const V is_inexact = hn::VecFromMask(d, hn::RebindMask(d, hn::Ne(back, value)));
  const V bits = hn::PromoteTo(d, hn::BitCast(du32, near));
  const V odd = hn::Or(hn::Add(bits, is_above), hn::And(is_inexact, constant(1)));
  if constexpr (kFinite) return hn::Or(odd, sign);
  // Infinity, which not every conversion keeps, and what is beyond float32 but finite.
  const V infinity = constant(LaneFormat<std::uint64_t>::kInfinity);
  const V is_infinite = MaskWhere<V>(hn::Eq(magnitude, infinity));
  const V is_large =
      hn::And(AllOnesWhere<V>(Greater(magnitude, constant((std::uint64_t{1023 + 128} << 52) - 1))),
              AllOnesWhere<V>(Greater(infinity, magnitude)));
  const V result = hn::IfVecThenElse(is_large, constant(kBeyondFloat32),
                                     hn::IfVecThenElse(is_infinite, constant(0x7f800000), odd));
  return hn::Or(result, sign);
}

// ---- source formats -----------------------------------------------------------------------------
//
// Each: the word an array holds, and Read: a vector of words to lanes of `d`.

template <class D, typename Word>
HWY_INLINE hn::Vec<D> LoadAs(D d, const Word* words) {
  const hn::Rebind<Word, D> from;
  if constexpr (sizeof(Word) == sizeof(hn::TFromD<D>)) {
    return hn::BitCast(d, hn::LoadU(from, words));
  } else if constexpr (std::is_signed_v<Word>) {
    return hn::BitCast(d, hn::PromoteTo(hn::RebindToSigned<D>(), hn::LoadU(from, words)));
  } else {
    return hn::PromoteTo(d, hn::LoadU(from, words));
  }
}

template <FormatId kSource>
struct Reader;

template <>
struct Reader<FormatId::kFloat32> {
  using Word = std::uint32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat32(D d, const Word* words) {
    return hn::LoadU(d, words);
  }
};
template <>
struct Reader<FormatId::kTfloat32> {
  using Word = std::uint32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat32(D d, const Word* words) {
    return hn::And(hn::LoadU(d, words), hn::Set(d, 0xffffe000u));
  }
};
template <>
struct Reader<FormatId::kBfloat16> {
  using Word = std::uint16_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat32(D d, const Word* words) {
    return hn::ShiftLeft<16>(LoadAs(d, words));
  }
};
template <>
struct Reader<FormatId::kFloat16> {
  using Word = std::uint16_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat32(D d, const Word* words) {
    return Float16ToFloat32(d, LoadAs(d, words));
  }
};
template <>
struct Reader<FormatId::kInt8> {
  using Word = std::int8_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat32(D d, const Word* words) {
    return IntegerToFloat32(d, LoadAs(d, words));
  }
};
template <>
struct Reader<FormatId::kUint8> {
  using Word = std::uint8_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat32(D d, const Word* words) {
    return IntegerToFloat32(d, LoadAs(d, words));
  }
};
template <>
struct Reader<FormatId::kInt16> {
  using Word = std::int16_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat32(D d, const Word* words) {
    return IntegerToFloat32(d, LoadAs(d, words));
  }
};
template <>
struct Reader<FormatId::kUint16> {
  using Word = std::uint16_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat32(D d, const Word* words) {
    return IntegerToFloat32(d, LoadAs(d, words));
  }
};
template <>
struct Reader<FormatId::kInt32> {
  using Word = std::int32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat32(D d, const Word* words) {
    using V = hn::Vec<D>;
    const V x = LoadAs(d, words);
    const V sign = SignMask(x);
    const V result = Magnitude32ToFloat32(d, hn::Sub(hn::Xor(x, sign), sign));
    return hn::Or(result, hn::And(x, hn::Set(d, 0x80000000u)));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat64(D d, const Word* words) {
    const hn::Rebind<Word, D> from;
    return hn::BitCast(d, hn::PromoteTo(hn::RebindToFloat<D>(), hn::LoadU(from, words)));
  }
};
template <>
struct Reader<FormatId::kUint32> {
  using Word = std::uint32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat32(D d, const Word* words) {
    return Magnitude32ToFloat32(d, hn::LoadU(d, words));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat64(D d, const Word* words) {
    return IntegerToFloat64(d, LoadAs(d, words));
  }
};
template <>
struct Reader<FormatId::kUint64> {
  using Word = std::uint64_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat64(D d, const Word* words) {
    return Magnitude64ToFloat64(d, hn::LoadU(d, words));
  }
};
template <>
struct Reader<FormatId::kInt64> {
  using Word = std::int64_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat64(D d, const Word* words) {
    using V = hn::Vec<D>;
    const V x = LoadAs(d, words);
    const V sign = SignMask(x);
    const V result = Magnitude64ToFloat64(d, hn::Sub(hn::Xor(x, sign), sign));
    return hn::Or(result, hn::And(x, hn::Set(d, LaneFormat<std::uint64_t>::kMsb)));
  }
};
template <>
struct Reader<FormatId::kFloat64> {
  using Word = std::uint64_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> ToFloat64(D d, const Word* words) {
    return hn::LoadU(d, words);
  }
};

// Stores one vector of lanes.
template <FormatId kSource>
struct ReadToFloat32 {
  using Word = typename Reader<kSource>::Word;
  using Lane = std::uint32_t;
  static HWY_INLINE std::size_t Step() { return hn::Lanes(hn::ScalableTag<Lane>()); }
  static HWY_INLINE void Read(const Word* words, Lane* lanes) {
    const hn::ScalableTag<Lane> d;
    if constexpr (sizeof(Word) == 8) {
      const hn::ScalableTag<std::uint64_t> d64;
      const hn::Rebind<Lane, decltype(d64)> part;
      constexpr bool kFinite = kSource != FormatId::kFloat64;  // an integer
      for (std::size_t i = 0; i < hn::Lanes(d); i += hn::Lanes(d64)) {
        const auto wide = Reader<kSource>::ToFloat64(d64, words + i);
        hn::StoreU(hn::TruncateTo(part, Float64ToFloat32<kFinite>(d64, wide)), part, lanes + i);
      }
    } else {
      hn::StoreU(Reader<kSource>::ToFloat32(d, words), d, lanes);
    }
  }
};
template <FormatId kSource>
struct ReadToFloat64 {
  using Word = typename Reader<kSource>::Word;
  using Lane = std::uint64_t;
  static HWY_INLINE std::size_t Step() { return hn::Lanes(hn::ScalableTag<Lane>()); }
  static HWY_INLINE void Read(const Word* words, Lane* lanes) {
    const hn::ScalableTag<Lane> d;
    constexpr bool kByFloat32 =
        sizeof(Word) < 8 && kSource != FormatId::kInt32 && kSource != FormatId::kUint32;
    if constexpr (kByFloat32) {
      const hn::Rebind<std::uint32_t, decltype(d)> d32;
      const auto x =
          hn::BitCast(hn::RebindToFloat<decltype(d32)>(), Reader<kSource>::ToFloat32(d32, words));
      const hn::RebindToFloat<decltype(d)> df;
      hn::StoreU(hn::BitCast(d, hn::PromoteTo(df, x)), d, lanes);
    } else {
      hn::StoreU(Reader<kSource>::ToFloat64(d, words), d, lanes);
    }
  }
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#endif  // EXACTCAST_SRC_KERNELS_DECODE_INL_H_
