// SPDX-License-Identifier: Apache-2.0
//
// Rescaling in vectors, the way out: four vectors of scaled values plus the output zero point,
// clipped, counted where the clip changed them, narrowed and stored. Included once per CPU target.
//
// Counting: a sum is brought to where the output's range begins at 0, so that whatever the clip
// changes has bits above the output's.
//   16 bits of an 8-bit output    h h l l    saturated where h is not 0; min(h, 1) is added up
#if defined(EXACTCAST_SRC_KERNELS_RESCALE_STORE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTCAST_SRC_KERNELS_RESCALE_STORE_INL_H_
#undef EXACTCAST_SRC_KERNELS_RESCALE_STORE_INL_H_
#else
#define EXACTCAST_SRC_KERNELS_RESCALE_STORE_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "src/kernels/rescale.h"
#include "src/kernels/rescale_core-inl.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t kVectorBytes = HWY_MAX_BYTES;
constexpr std::size_t kBlocks = kVectorBytes / 16;  // of 128 bits

// 128 bits at a time: those of `a`, narrowed with saturation, then those of `b`.
HWY_INLINE VU8 PackUnsigned8(VI16 a, VI16 b) {
#if HWY_TARGET == HWY_SSE4
  return VU8{_mm_packus_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
  return VU8{_mm256_packus_epi16(a.raw, b.raw)};
#elif HWY_ARCH_X86
  return VU8{_mm512_packus_epi16(a.raw, b.raw)};
#else
  return VU8{vcombine_u8(vqmovun_s16(a.raw), vqmovun_s16(b.raw))};
#endif
}
HWY_INLINE VU8 PackUnsigned16(VI32 a, VI32 b) {
#if HWY_TARGET == HWY_SSE4
  return VU8{_mm_packus_epi32(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
  return VU8{_mm256_packus_epi32(a.raw, b.raw)};
#elif HWY_ARCH_X86
  return VU8{_mm512_packus_epi32(a.raw, b.raw)};
#else
  return VU8{vreinterpretq_u8_u16(vcombine_u16(vqmovun_s32(a.raw), vqmovun_s32(b.raw)))};
#endif
}

// Puts narrowed elements of `kSize` bytes in order: those of a core in each 128 bits, and, of
// 4 / kSize vectors packed into one, the blocks of each vector side by side.
template <std::size_t kSize>
class Order {
 public:
  explicit Order(bool in_order) {
    alignas(64) std::array<std::uint8_t, kVectorBytes> bytes;
    for (std::size_t i = 0; i < kVectorBytes; ++i) {
      const std::size_t element = i % 16 / kSize;
      const std::size_t swapped =
          element % 4 == 1 || element % 4 == 2 ? element ^ 3 : element;  // 0 2 1 3
      bytes[i] = static_cast<std::uint8_t>((in_order ? element : swapped) * kSize + i % kSize);
    }
    bytes_ = hn::Load(U8(), bytes.data());
    if constexpr (kBlocks > 1) {
      constexpr std::size_t kPacked = 4 / kSize;
      std::array<std::int32_t, kVectorBytes / 4> lanes;
      for (std::size_t i = 0; i < lanes.size(); ++i) {  // element i of vector v lies in block b
        const std::size_t piece = i / kSize;
        const std::size_t v = piece / kBlocks;
        const std::size_t b = piece % kBlocks;
        lanes[i] = static_cast<std::int32_t>((b * kPacked + v) * kSize + i % kSize);
      }
      lanes_ = hn::IndicesFromVec(
          U32(), hn::LoadU(U32(), reinterpret_cast<const std::uint32_t*>(lanes.data())));
    }
  }

  HWY_INLINE VU8 operator()(VU8 v) const {
    v = hn::TableLookupBytes(v, bytes_);
    if constexpr (kBlocks > 1 && kSize < 4) {
      v = hn::BitCast(U8(), hn::TableLookupLanes(hn::BitCast(U32(), v), lanes_));
    }
    return v;
  }

 private:
  VU8 bytes_;
  decltype(hn::IndicesFromVec(U32(), hn::Zero(U32()))) lanes_;
};

// The counts of a unit's lanes, gathered before a byte of them can overflow.
class Count {
 public:
  static constexpr std::size_t kUnits = 32;  // at most four are added per unit and lane

  Count() : sum_(hn::Zero(U8())), total_(hn::Zero(U64())) {}

  HWY_INLINE void Add8(VU8 v) { sum_ = hn::Add(sum_, hn::Min(v, hn::Set(U8(), 1))); }
  HWY_INLINE void Add16(hn::Vec<U16> v) {
    sum_ = hn::BitCast(U8(), hn::Add(hn::BitCast(U16(), sum_), hn::Min(v, hn::Set(U16(), 1))));
  }
  HWY_INLINE void Add32(VU32 zeros_and_ones) {
    sum_ = hn::BitCast(U8(), hn::Add(hn::BitCast(U32(), sum_), zeros_and_ones));
  }
  HWY_INLINE void Gather() {
    total_ = hn::Add(total_, hn::SumsOf8(sum_));
    sum_ = hn::Zero(U8());
  }
  std::uint64_t Total() const {
    std::array<std::uint64_t, kVectorBytes / 8> lanes;
    hn::StoreU(total_, U64(), lanes.data());
    std::uint64_t sum = 0;
    for (const std::uint64_t lane : lanes) sum += lane;
    return sum;
  }

 private:
  VU8 sum_;
  VU64 total_;
};

// `out` is aligned where `stream` is set: past the caches.
HWY_INLINE void StoreBytes(VU8 v, std::byte* out, bool stream) {
  if (stream) {
    hn::Stream(v, U8(), reinterpret_cast<std::uint8_t*>(out));
  } else {
    hn::StoreU(v, U8(), reinterpret_cast<std::uint8_t*>(out));
  }
}

class Store8 {
 public:
  static constexpr std::size_t kOutSize = 1;

  Store8(const RescaleParams& p, bool in_order)
      : zero_point_(
            hn::Set(I16(), static_cast<std::int16_t>(p.rules.output_zp - p.rules.output.least))),
        flip_(hn::Set(U8(), p.rules.output.least < 0 ? std::uint8_t{0x80} : std::uint8_t{0})),
        order_(in_order) {}

  // The zero point has at most 10 bits with its sign: what saturates 16 bits before it is added,
  // or when it is, saturates 8 bits after.
  HWY_INLINE void Store(VI32 a, VI32 b, VI32 c, VI32 d, std::byte* out, bool stream) {
    const VI16 ab = hn::SaturatedAdd(hn::ReorderDemote2To(I16(), a, b), zero_point_);
    const VI16 cd = hn::SaturatedAdd(hn::ReorderDemote2To(I16(), c, d), zero_point_);
    const auto above = hn::Or(hn::ShiftRight<8>(hn::BitCast(U16(), ab)),
                              hn::And(hn::BitCast(U16(), cd), hn::Set(U16(), 0xff00)));
    count_.Add8(hn::BitCast(U8(), above));
    StoreBytes(order_(hn::Xor(PackUnsigned8(ab, cd), flip_)), out, stream);
  }
  Count& count() { return count_; }

 private:
  VI16 zero_point_;
  VU8 flip_;
  Order<1> order_;
  Count count_;
};

class Store16 {
 public:
  static constexpr std::size_t kOutSize = 2;

  Store16(const RescaleParams& p, bool in_order)
      : zero_point_(
            hn::Set(I32(), static_cast<std::int32_t>(p.rules.output_zp - p.rules.output.least))),
        flip_(hn::BitCast(U8(), hn::Set(U16(), p.rules.output.least < 0 ? std::uint16_t{0x8000}
                                                                        : std::uint16_t{0}))),
        order_(in_order) {}

  HWY_INLINE void Store(VI32 a, VI32 b, VI32 c, VI32 d, std::byte* out, bool stream) {
    StoreTwo(a, b, out, stream);
    StoreTwo(c, d, out + kVectorBytes, stream);
  }
  Count& count() { return count_; }

 private:
  HWY_INLINE void StoreTwo(VI32 a, VI32 b, std::byte* out, bool stream) {
    a = FromLeast(a);
    b = FromLeast(b);
    const VU32 above_a = hn::ShiftRight<16>(hn::BitCast(U32(), a));
    count_.Add16(hn::OddEven(hn::BitCast(U16(), b), hn::BitCast(U16(), above_a)));
    StoreBytes(order_(hn::Xor(PackUnsigned16(a, b), flip_)), out, stream);
  }

  // Less the least output the sum might be no int32; what is far above its range may be less so.
  HWY_INLINE VI32 FromLeast(VI32 scaled) const {
    return hn::Add(hn::Min(scaled, hn::Set(I32(), 0x7ffe0000)), zero_point_);
  }

  VI32 zero_point_;  // less the least output: from 0 to 2^16
  VU8 flip_;
  Order<2> order_;
  Count count_;
};

class Store32 {
 public:
  static constexpr std::size_t kOutSize = 4;

  Store32(const RescaleParams& p, bool in_order)
      : zero_point_(hn::Set(I32(), static_cast<std::int32_t>(p.rules.output_zp))),
        clips_(p.rules.output.least == 0),
        order_(in_order) {}

  HWY_INLINE void Store(VI32 a, VI32 b, VI32 c, VI32 d, std::byte* out, bool stream) {
    StoreOne(a, out, stream);
    StoreOne(b, out + kVectorBytes, stream);
    StoreOne(c, out + 2 * kVectorBytes, stream);
    StoreOne(d, out + 3 * kVectorBytes, stream);
  }
  Count& count() { return count_; }

 private:
  // A sum is an int32: of a signed output it is in range, of an unsigned one below 0 or in range.
  HWY_INLINE void StoreOne(VI32 scaled, std::byte* out, bool stream) {
    VI32 sum = hn::Add(scaled, zero_point_);
    if (clips_) {
      count_.Add32(hn::ShiftRight<31>(hn::BitCast(U32(), sum)));
      sum = hn::Max(sum, hn::Zero(I32()));
    }
    StoreBytes(order_(hn::BitCast(U8(), sum)), out, stream);
  }

  VI32 zero_point_;
  bool clips_;
  Order<4> order_;
  Count count_;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#endif  // EXACTCAST_SRC_KERNELS_RESCALE_STORE_INL_H_
