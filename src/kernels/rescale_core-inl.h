// SPDX-License-Identifier: Apache-2.0
//
// Rescaling in vectors, the arithmetic: a vector of 32-bit values to a vector of scaled ones, right
// wherever the result is predictable. Included once per CPU target.
//
//   product       h h h h h h h h l l l l l l l l     64 bits of each even, then each odd value
//   shift > 32   the half to be added and the result lie in h: add and shift 32 bits
//   shift = 32   the result is h of the sum
//   shift < 32   the result is l of the sum, shifted without regard to its sign
#if defined(EXACTCAST_SRC_KERNELS_RESCALE_CORE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTCAST_SRC_KERNELS_RESCALE_CORE_INL_H_
#undef EXACTCAST_SRC_KERNELS_RESCALE_CORE_INL_H_
#else
#define EXACTCAST_SRC_KERNELS_RESCALE_CORE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "src/kernels/rescale.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Full vectors of each lane; their lengths in bytes are the same.
using U8 = hn::ScalableTag<std::uint8_t>;
using I16 = hn::ScalableTag<std::int16_t>;
using U16 = hn::ScalableTag<std::uint16_t>;
using I32 = hn::ScalableTag<std::int32_t>;
using U32 = hn::ScalableTag<std::uint32_t>;
using I64 = hn::ScalableTag<std::int64_t>;
using U64 = hn::ScalableTag<std::uint64_t>;
using VU8 = hn::Vec<U8>;
using VI16 = hn::Vec<I16>;
using VI32 = hn::Vec<I32>;
using VU32 = hn::Vec<U32>;
using VI64 = hn::Vec<I64>;
using VU64 = hn::Vec<U64>;

HWY_INLINE VI32 LoadInt32(const std::byte* in) {
  return hn::BitCast(I32(), hn::LoadU(U8(), reinterpret_cast<const std::uint8_t*>(in)));
}
HWY_INLINE VI64 LoadInt64(const std::byte* in) {
  return hn::BitCast(I64(), hn::LoadU(U8(), reinterpret_cast<const std::uint8_t*>(in)));
}

// The odd lanes where a multiplication takes the even ones.
HWY_INLINE VI32 Odd(VI32 v) {
  return hn::BitCast(I32(), hn::ShiftRight<32>(hn::BitCast(U64(), v)));
}

// 128 bits at a time the upper (lower) halves e0 e1 of `even` and o0 o1 of `odd`, as e0 e1 o0 o1:
// elements 0 2 1 3. One instruction; the store puts them in order again.
HWY_INLINE VI32 UpperHalves(VI64 even, VI64 odd) {
#if HWY_TARGET == HWY_AVX2
  return VI32{_mm256_castps_si256(
      _mm256_shuffle_ps(_mm256_castsi256_ps(even.raw), _mm256_castsi256_ps(odd.raw), 0xdd))};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return VI32{_mm512_castps_si512(
      _mm512_shuffle_ps(_mm512_castsi512_ps(even.raw), _mm512_castsi512_ps(odd.raw), 0xdd))};
#else
  return hn::ConcatOdd(I32(), hn::BitCast(I32(), odd), hn::BitCast(I32(), even));
#endif
}
HWY_INLINE VI32 LowerHalves(VU64 even, VU64 odd) {
#if HWY_TARGET == HWY_AVX2
  return VI32{_mm256_castps_si256(
      _mm256_shuffle_ps(_mm256_castsi256_ps(even.raw), _mm256_castsi256_ps(odd.raw), 0x88))};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return VI32{_mm512_castps_si512(
      _mm512_shuffle_ps(_mm512_castsi512_ps(even.raw), _mm512_castsi512_ps(odd.raw), 0x88))};
#else
  return hn::ConcatEven(I32(), hn::BitCast(I32(), odd), hn::BitCast(I32(), even));
#endif
}

// A core scales the N values at `in`, N being the 32-bit lanes of a vector; the first of them is of
// `column`. It may read four bytes past them.

template <RescaleScaling kScaling, bool kTwice>
class OneScale {
 public:
  static constexpr std::size_t kInSize = 4;
  static constexpr bool kInOrder = false;  // elements come as UpperHalves says

  explicit OneScale(const RescaleParams& p)
      : multiplier_(hn::Set(I32(), static_cast<std::int32_t>(p.lanes[0].multiplier))),
        round_(hn::Set(I64(), p.lanes[0].round)),
        round_negative_(hn::Set(I64(), p.lanes[0].round_negative)),
        upper_round_(hn::Set(I32(), static_cast<std::int32_t>(p.lanes[0].round >> 32))),
        shift_(p.lanes[0].shift) {}

  // The odd values are those that lie in even lanes four bytes on; shifting them there would cost
  // an instruction where there are too many shifts already.
  HWY_INLINE VI32 Scale(const std::byte* in, std::size_t) const {
    const VI64 even = Rounded(hn::MulEven(LoadInt32(in), multiplier_));
    const VI64 odd = Rounded(hn::MulEven(LoadInt32(in + 4), multiplier_));
    if constexpr (kScaling == RescaleScaling::kOneLower) {
      return LowerHalves(hn::ShiftRightSame(hn::BitCast(U64(), even), shift_),
                         hn::ShiftRightSame(hn::BitCast(U64(), odd), shift_));
    } else if constexpr (kScaling == RescaleScaling::kOneExact) {
      return UpperHalves(even, odd);
    } else {
      VI32 upper = UpperHalves(even, odd);
      if constexpr (!kTwice) upper = hn::Add(upper, upper_round_);
      return hn::ShiftRightSame(upper, shift_ - 32);
    }
  }

 private:
  HWY_INLINE VI64 Rounded(VI64 product) const {
    if constexpr (kTwice) {
      return hn::Add(product, hn::IfNegativeThenElse(product, round_negative_, round_));
    } else if constexpr (kScaling != RescaleScaling::kOneUpper) {
      return hn::Add(product, round_);
    } else {
      return product;
    }
  }

  VI32 multiplier_;
  VI64 round_;
  VI64 round_negative_;
  VI32 upper_round_;
  int shift_;
};

// One scale per channel, all shifts above 32.
template <bool kTwice>
class UpperScales {
 public:
  static constexpr std::size_t kInSize = 4;
  static constexpr bool kInOrder = true;

  explicit UpperScales(const RescaleParams& p)
      : multiplier_(p.columns.multiplier.data()),
        next_multiplier_(p.columns.next_multiplier.data()),
        round_(p.columns.round.data()),
        shift_(p.columns.high_shift.data()) {}

  HWY_INLINE VI32 Scale(const std::byte* in, std::size_t column) const {
    const I32 d;
    const VI32 v = LoadInt32(in);
    const VI64 even = Rounded(hn::MulEven(v, hn::LoadU(d, multiplier_ + column)));
    const VI64 odd = Rounded(hn::MulEven(Odd(v), hn::LoadU(d, next_multiplier_ + column)));
    const VI32 high = hn::OddEven(hn::BitCast(d, odd),
                                  hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(U64(), even))));
    const VI32 sum = hn::Add(high, hn::LoadU(d, round_ + column));
    return hn::Shr(sum, hn::LoadU(d, shift_ + column));
  }

 private:
  // The first of the two roundings, half a unit of bit 31; the second follows in 32 bits.
  static HWY_INLINE VI64 Rounded(VI64 product) {
    if constexpr (!kTwice) return product;
    const VI64 up = hn::Set(I64(), std::int64_t{1} << 30);
    const VI64 down = hn::Set(I64(), -(std::int64_t{1} << 30));
    return hn::Add(product, hn::IfNegativeThenElse(product, down, up));
  }

  const std::int32_t* multiplier_;
  const std::int32_t* next_multiplier_;
  const std::int32_t* round_;
  const std::int32_t* shift_;
};

// Any scales, in 64-bit lanes in the order of the elements. A shift above 32 is made in two steps,
// of which the first, of 32, is the choice of the upper half.
template <bool kTwice, bool kFrom64>
class WideScales {
 public:
  static constexpr std::size_t kInSize = kFrom64 ? 8 : 4;
  static constexpr bool kInOrder = true;

  explicit WideScales(const RescaleParams& p) : columns_(p.columns) {}

  HWY_INLINE VI32 Scale(const std::byte* in, std::size_t column) const {
    constexpr std::size_t kHalf = HWY_MAX_BYTES / 8;
    const I32 d;
    VI64 low, high;
    if constexpr (kFrom64) {
      low = LoadInt64(in);
      high = LoadInt64(in + HWY_MAX_BYTES);
    } else {
      const hn::Half<I32> half;
      const VI32 v = LoadInt32(in);
      low = hn::PromoteTo(I64(), hn::LowerHalf(half, v));
      high = hn::PromoteTo(I64(), hn::UpperHalf(half, v));
    }
    const VI32 even = hn::ConcatEven(d, Shifted(high, column + kHalf), Shifted(low, column));
    return hn::Shr(even, hn::LoadU(d, columns_.high_shift.data() + column));
  }

 private:
  HWY_INLINE VI32 Shifted(VI64 value, std::size_t column) const {
    const I64 d;
    const VI64 product = Product(value, hn::LoadU(d, columns_.multiplier64.data() + column));
    VI64 round = hn::LoadU(d, columns_.round64.data() + column);
    if constexpr (kTwice) {
      const VI64 negative = hn::LoadU(d, columns_.round_negative64.data() + column);
      round = hn::IfNegativeThenElse(product, negative, round);
    }
    const VU64 shift = hn::BitCast(U64(), hn::LoadU(d, columns_.low_shift64.data() + column));
    return hn::BitCast(I32(), hn::Shr(hn::BitCast(U64(), hn::Add(product, round)), shift));
  }

  // From 64 bits: 2^32 h + l, h with sign and l without; the multiplier has 15 bits.
  static HWY_INLINE VI64 Product(VI64 value, VI64 multiplier) {
    const VI32 m = hn::BitCast(I32(), multiplier);
    if constexpr (!kFrom64) return hn::MulEven(hn::BitCast(I32(), value), m);
    const VU64 low = hn::MulEven(hn::BitCast(U32(), value), hn::BitCast(U32(), multiplier));
    const VI64 high = hn::MulEven(Odd(hn::BitCast(I32(), value)), m);
    return hn::Add(hn::BitCast(I64(), low), hn::ShiftLeft<32>(high));
  }

  const RescaleColumns& columns_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#endif  // EXACTCAST_SRC_KERNELS_RESCALE_CORE_INL_H_
