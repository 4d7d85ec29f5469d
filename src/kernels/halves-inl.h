// SPDX-License-Identifier: Apache-2.0
//
// What the kernels in 16-bit lanes and less share: float32 lanes by their halves, bytes put in order,
// and infinities and NaN. Included once per CPU target.
#if defined(EXACTCAST_SRC_KERNELS_HALVES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTCAST_SRC_KERNELS_HALVES_INL_H_
#undef EXACTCAST_SRC_KERNELS_HALVES_INL_H_
#else
#define EXACTCAST_SRC_KERNELS_HALVES_INL_H_
#endif

#include "src/kernels/decode-inl.h"
#include "src/kernels/encoding.h"
#include "src/kernels/words.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SSE4

template <class D16>
using D32Of = hn::Repartition<std::uint32_t, D16>;

// Two vectors of float32 as one of their halves: lane 2i is of element i of `even`, lane 2i + 1 of
// `odd`.
template <class D16>
HWY_INLINE hn::Vec<D16> UpperHalves(D16 d16, hn::Vec<D32Of<D16>> even, hn::Vec<D32Of<D16>> odd) {
  return hn::OddEven(hn::BitCast(d16, odd), hn::BitCast(d16, hn::ShiftRight<16>(even)));
}
template <class D16>
HWY_INLINE hn::Vec<D16> LowerHalves(D16 d16, hn::Vec<D32Of<D16>> even, hn::Vec<D32Of<D16>> odd) {
  return hn::OddEven(hn::BitCast(d16, hn::ShiftLeft<16>(odd)), hn::BitCast(d16, even));
}

// ---- sources: two vectors of 16-bit lanes of elements that follow each other ---------------------

// Elements in the order of memory: even, odd, even, odd of the halves that are loaded.
template <class D16>
struct Loaded {
  hn::Vec<D32Of<D16>> even;
  hn::Vec<D32Of<D16>> odd;
  hn::Vec<D16> upper;
};

struct FromFloat32 {
  using Word = std::uint32_t;
  static constexpr bool kHasLowerHalf = true;  // anything in it
  static constexpr Word kLargestFinite = 0x7f7fffff;
  static constexpr bool kSplits =
      true;  // even holds the first half of the elements, odd the second
  template <class D16>
  static HWY_INLINE Loaded<D16> Load(D16 d, const Word* words) {
    const D32Of<D16> d32;
    const auto even = hn::LoadU(d32, words);
    const auto odd = hn::LoadU(d32, words + hn::Lanes(d32));
    return {even, odd, UpperHalves(d, even, odd)};
  }
  static std::uint32_t Float32(Word word) { return word; }
};

struct FromFloat16 {
  using Word = std::uint16_t;
  static constexpr bool kHasLowerHalf = true;
  static constexpr Word kLargestFinite = 0x7bff;
  static constexpr bool kSplits = true;
  template <class D16>
  static HWY_INLINE Loaded<D16> Load(D16 d, const Word* words) {
    const D32Of<D16> d32;
    const hn::Rebind<Word, decltype(d32)> half;
    const auto even = Promote(d32, hn::LoadU(half, words));
    const auto odd = Promote(d32, hn::LoadU(half, words + hn::Lanes(d32)));
    return {even, odd, UpperHalves(d, even, odd)};
  }
  // Exact, NaN apart, which are patched: by the CPU's conversion where it has one.
  template <class D32>
  static HWY_INLINE hn::Vec<D32> Promote(D32 d32, hn::Vec<hn::Rebind<Word, D32>> halves) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    const hn::Rebind<hwy::float16_t, D32> d16;
    const hn::RebindToFloat<D32> df;
    return hn::BitCast(d32, hn::PromoteTo(df, hn::BitCast(d16, halves)));
#else
    return Float16ToFloat32(d32, hn::PromoteTo(d32, halves));
#endif
  }
  // Of an infinity or a NaN; else something finite.
  static std::uint32_t Float32(Word word) {
    const std::uint32_t sign = (word & 0x8000u) << 16;
    if ((word & 0x7c00u) != 0x7c00u) return sign;
    return sign | 0x7f800000u | (word & 0x3ffu) << 13;
  }
};

struct FromBfloat16 {
  using Word = std::uint16_t;
  static constexpr bool kHasLowerHalf = false;
  static constexpr Word kLargestFinite = 0x7f7f;
  static constexpr bool kSplits = false;  // even and odd are what they say
  template <class D16>
  static HWY_INLINE Loaded<D16> Load(D16 d, const Word* words) {
    const D32Of<D16> d32;
    const auto upper = hn::LoadU(d, words);
    const auto both = hn::BitCast(d32, upper);
    return {hn::ShiftLeft<16>(both), hn::And(both, hn::Set(d32, 0xffff0000u)), upper};
  }
  static std::uint32_t Float32(Word word) { return std::uint32_t{word} << 16; }
};

// ---- putting codes in order ---------------------------------------------------------------------

// Two vectors of 16-bit lanes to one of bytes, in the order of memory. `first` and `second` came from
// loads that follow each other.
//
//   after the merge, by 128-bit block   f0 s0 f1 s1 f2 s2 ...    f: first's lanes, s: second's
//   where a load split its elements     f0 f2 f4 f6 | f1 f3 f5 f7 | s0 s2 s4 s6 | s1 s3 s5 s7
template <bool kSplits, class D16>
class Order {
  using D8 = hn::Repartition<std::uint8_t, D16>;
  using D32 = D32Of<D16>;

 public:
  HWY_INLINE Order() {
    static constexpr std::uint8_t kSplit[16] = {0, 4, 8, 12, 2, 6, 10, 14,
                                                1, 5, 9, 13, 3, 7, 11, 15};
    static constexpr std::uint8_t kPlain[16] = {0, 2, 4, 6, 8, 10, 12, 14,
                                                1, 3, 5, 7, 9, 11, 13, 15};
    bytes_ = hn::LoadDup128(D8(), kSplits ? kSplit : kPlain);
    // Then every block's first part, every block's second part, ...
    constexpr std::size_t kWords = kSplits ? 1 : 2;  // of a part, in 32 bits
    const std::size_t lanes = hn::Lanes(D32());
    const std::size_t blocks = lanes / 4;
    std::int32_t index[hn::MaxLanes(D32())];
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::size_t word = i % kWords;
      const std::size_t block = i / kWords % blocks;
      const std::size_t part = i / kWords / blocks;
      index[i] = static_cast<std::int32_t>(block * 4 + part * kWords + word);
    }
    words_ = hn::SetTableIndices(D32(), index);
  }

  HWY_INLINE hn::Vec<D8> Bytes(hn::Vec<D16> first, hn::Vec<D16> second) const {
    return InOrder(hn::BitCast(D8(), hn::Or(first, hn::ShiftLeft<8>(second))));
  }
  HWY_INLINE hn::Vec<D8> InOrder(hn::Vec<D8> merged) const {
    const auto in_blocks = hn::BitCast(D32(), hn::TableLookupBytes(merged, bytes_));
    return hn::BitCast(D8(), hn::TableLookupLanes(in_blocks, words_));
  }

 private:
  hn::Vec<D8> bytes_;
  decltype(hn::SetTableIndices(D32(), static_cast<const std::int32_t*>(nullptr))) words_;
};

// Order's like for codes of 16 bits: one vector, a 64-bit word of each half at a time.
template <bool kSplits, class D16>
class WordOrder {
  using D8 = hn::Repartition<std::uint8_t, D16>;
  using D32 = D32Of<D16>;

 public:
  HWY_INLINE WordOrder() {
    static constexpr std::uint8_t kHalves[16] = {0, 1, 4, 5, 8,  9,  12, 13,
                                                 2, 3, 6, 7, 10, 11, 14, 15};
    bytes_ = hn::LoadDup128(D8(), kHalves);
    const std::size_t lanes = hn::Lanes(D32());
    const std::size_t blocks = lanes / 4;
    std::int32_t index[hn::MaxLanes(D32())];
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::size_t block = i / 2 % blocks;
      index[i] = static_cast<std::int32_t>(block * 4 + i / 2 / blocks * 2 + i % 2);
    }
    words_ = hn::SetTableIndices(D32(), index);
  }

  HWY_INLINE hn::Vec<D16> Words(hn::Vec<D16> codes) const {
    if constexpr (!kSplits) return codes;
    const auto in_blocks = hn::TableLookupBytes(hn::BitCast(D8(), codes), bytes_);
    return hn::BitCast(D16(), hn::TableLookupLanes(hn::BitCast(D32(), in_blocks), words_));
  }

 private:
  hn::Vec<D8> bytes_;
  decltype(hn::SetTableIndices(D32(), static_cast<const std::int32_t*>(nullptr))) words_;
};

// ---- infinities and NaN -------------------------------------------------------------------------

struct Specials {
  bool may_be_beyond = false;  // kBeyondFloat32 is no NaN
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
};

// The code of an infinity or a NaN, given as float32 bits; anything else is left.
template <typename Code>
void PatchElement(const Encoding& e, std::uint32_t bits, std::byte* out, std::size_t i,
                  Specials* specials) {
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude < 0x7f800000) return;
  const bool negative = bits != magnitude;
  if (magnitude == 0x7f800000) {
    ++specials->infinite;
    StoreWord(out, i, static_cast<Code>(e.infinity[negative ? 1 : 0]));
    return;
  }
  if (magnitude == kBeyondFloat32 && specials->may_be_beyond) {
    StoreWord(out, i, static_cast<Code>(e.overflow[negative ? 1 : 0]));
    return;
  }
  ++specials->nan;
  StoreWord(out, i,
            static_cast<Code>(e.nan | (negative ? e.nan_sign : 0) |
                              ((magnitude >> (23 - e.mantissa_bits)) & e.nan_payload)));
}

// Infinities and NaN again, by the rules.
template <class Source, typename Code>
HWY_NOINLINE Specials PatchBlock(const Encoding& e, bool may_be_beyond, const std::byte* in,
                                 std::byte* out, std::size_t n) {
  using Word = typename Source::Word;
  const hn::ScalableTag<Word> d;
  const auto magnitude_mask = hn::Set(d, static_cast<Word>(static_cast<Word>(~Word{0}) >> 1));
  const auto finite = hn::Set(d, Source::kLargestFinite);
  const auto* words = reinterpret_cast<const Word*>(in);
  const std::size_t step = hn::Lanes(d);
  Specials specials = {.may_be_beyond = may_be_beyond};
  std::size_t i = 0;
  const auto patch = [&](std::size_t end) {
    for (; i < end; ++i) {
      PatchElement<Code>(e, Source::Float32(LoadWord<Word>(in, i)), out, i, &specials);
    }
  };
  while (i + step <= n) {
    const auto magnitude = hn::And(hn::LoadU(d, words + i), magnitude_mask);
    if (hn::AllFalse(d, hn::Gt(magnitude, finite))) {
      i += step;
    } else {
      patch(i + step);
    }
  }
  patch(n);
  return specials;
}

#endif  // HWY_TARGET

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#endif  // EXACTCAST_SRC_KERNELS_HALVES_INL_H_
