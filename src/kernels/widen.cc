// SPDX-License-Identifier: Apache-2.0
//
// The fast family to float32 and float64 from sources that these hold exactly: one pass, each vector
// loaded, converted and stored. Infinities and NaN come out as the CPU makes them; a block that has
// any is gone over again, by the rules. Subnormals are kept: flushing them is the general kernels'.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/widen.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "src/kernels/choose-inl.h"
#include "src/kernels/halves-inl.h"
#include "src/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SSE4

template <FormatId kSource, typename Lane>
struct ReadTo
    : std::conditional_t<sizeof(Lane) == 4, ReadToFloat32<kSource>, ReadToFloat64<kSource>> {};

// How a word is a float16: as it is; float8_e5m2 as the upper byte; float8_e4m3fn, whose exponent has
// one bit fewer and another bias, 2^8 times too small, its NaN as if it were 480:
//
//   s eeee mmm                  the byte
//   s 0eeee mmm0000000          the float16
enum class Half : std::uint8_t { kSame, kUpperByte, kE4m3 };

// Through float16.
template <Half kHalf, class SourceWord, typename Lane>
struct ReadHalvesTo {
  using Word = SourceWord;
  static constexpr std::size_t kVectors = sizeof(Word) == 1 && sizeof(Lane) == 4 ? 2 : 1;

  static HWY_INLINE std::size_t Step() { return kVectors * hn::Lanes(hn::ScalableTag<Lane>()); }
  static HWY_INLINE void Read(const Word* words, Lane* lanes) {
    const hn::ScalableTag<Lane> d;
    const hn::Rebind<std::uint16_t, decltype(d)> d16;
    if constexpr (kVectors == 1) {
      Widen(Halves(d16, words), lanes);
    } else {  // whole vectors of halves
      const hn::ScalableTag<std::uint16_t> whole;
      const auto halves = Halves(whole, words);
      Widen(hn::LowerHalf(d16, halves), lanes);
      Widen(hn::UpperHalf(d16, halves), lanes + hn::Lanes(d));
    }
  }

 private:
  template <class D16>
  static HWY_INLINE hn::Vec<D16> Halves(D16 d, const Word* words) {
    if constexpr (kHalf == Half::kSame) {
      return hn::LoadU(d, words);
    } else {
      const auto half = hn::PromoteTo(d, hn::LoadU(hn::Rebind<Word, D16>(), words));
      if constexpr (kHalf == Half::kUpperByte) return hn::ShiftLeft<8>(half);
      const auto sign = hn::And(half, hn::Set(d, std::uint16_t{0x80}));
      return hn::ShiftLeft<7>(hn::Add(half, sign));
    }
  }
  template <class V16>
  static HWY_INLINE void Widen(V16 halves, Lane* lanes) {
    const hn::ScalableTag<Lane> d;
    const hn::Rebind<std::uint32_t, decltype(d)> d32;
    const hn::RebindToFloat<decltype(d32)> df32;
    auto x = hn::BitCast(df32, FromFloat16::Promote(d32, halves));
    if constexpr (kHalf == Half::kE4m3) x = hn::Mul(x, hn::Set(df32, 0x1p8F));
    if constexpr (sizeof(Lane) == 4) {
      hn::StoreU(hn::BitCast(d, x), d, lanes);
    } else {
      hn::StoreU(hn::BitCast(d, hn::PromoteTo(hn::RebindToFloat<decltype(d)>(), x)), d, lanes);
    }
  }
};

template <typename Lane>
struct ReadTo<FormatId::kFloat16, Lane> : ReadHalvesTo<Half::kSame, std::uint16_t, Lane> {};
template <typename Lane>
struct ReadTo<FormatId::kFloat8E5m2, Lane> : ReadHalvesTo<Half::kUpperByte, std::uint8_t, Lane> {};
template <typename Lane>
struct ReadTo<FormatId::kFloat8E4m3fn, Lane> : ReadHalvesTo<Half::kE4m3, std::uint8_t, Lane> {};

// The word of infinity, or of the only NaN; 0 for integers.
constexpr std::uint32_t InfinityWord(FormatId source) {
  switch (source) {
    case FormatId::kFloat32:
    case FormatId::kTfloat32:
      return 0x7f800000;
    case FormatId::kBfloat16:
      return 0x7f80;
    case FormatId::kFloat16:
      return 0x7c00;
    case FormatId::kFloat8E5m2:
      return 0x7c;
    case FormatId::kFloat8E4m3fn:
      return 0x7f;
    default:
      return 0;
  }
}

// Whether the block has an infinity or a NaN.
template <FormatId kSource, typename Lane>
HWY_NOINLINE bool WidenBlock(const std::byte* in, std::byte* out, std::size_t n) {
  using Read = ReadTo<kSource, Lane>;
  using SourceWord = typename Read::Word;
  using Word = std::make_unsigned_t<SourceWord>;
  const hn::ScalableTag<Word> d;
  using V = hn::Vec<decltype(d)>;
  constexpr auto kInfinity = static_cast<Word>(InfinityWord(kSource));
  const V magnitude_mask = hn::Set(d, static_cast<Word>(static_cast<Word>(~Word{0}) >> 1));
  const auto* words = reinterpret_cast<const Word*>(in);
  auto* lanes = reinterpret_cast<Lane*>(out);
  const std::size_t step = hn::Lanes(d);
  V largest = hn::Zero(d);
  const auto convert = [&](const Word* from, Lane* to) HWY_ATTR {
    if constexpr (kInfinity != 0) {
      largest = hn::Max(largest, hn::And(hn::LoadU(d, from), magnitude_mask));
    }
    for (std::size_t k = 0; k < step; k += Read::Step()) {
      Read::Read(reinterpret_cast<const SourceWord*>(from) + k, to + k);
    }
  };
  std::size_t i = 0;
  for (; i + step <= n; i += step) convert(words + i, lanes + i);
  if (i < n) {
    HWY_ALIGN Word rest[hn::MaxLanes(decltype(d)())] = {};
    HWY_ALIGN Lane rest_lanes[hn::MaxLanes(decltype(d)())];
    std::memcpy(rest, words + i, (n - i) * sizeof(Word));
    convert(rest, rest_lanes);
    std::memcpy(lanes + i, rest_lanes, (n - i) * sizeof(Lane));
  }
  if constexpr (kInfinity == 0) return false;
  return !hn::AllFalse(d, hn::Gt(largest, hn::Set(d, static_cast<Word>(kInfinity - 1))));
}

// Infinities and NaN again, in place, by the rules. What is above `largest` is NaN.
template <typename Lane>
HWY_NOINLINE LaneCounts PatchLanes(const Encoding& e, Lane largest, std::byte* out, std::size_t n) {
  using F = LaneFormat<Lane>;
  const hn::ScalableTag<Lane> d;
  using V = hn::Vec<decltype(d)>;
  const V magnitude_mask = hn::Set(d, static_cast<Lane>(~F::kMsb));
  const V infinity = hn::Set(d, F::kInfinity);
  const V nan_above = hn::Set(d, largest);
  const V plus = Constant<V>(e.infinity[0]);
  const V turn = Constant<V>(e.infinity[0] ^ e.infinity[1]);
  const V nan = Constant<V>(e.nan);
  const V nan_sign = Constant<V>(e.nan_sign);
  const V nan_payload = Constant<V>(e.nan_payload);
  auto* lanes = reinterpret_cast<Lane*>(out);
  LaneCounter<V> nan_counter;
  LaneCounter<V> infinite_counter;
  const auto patch = [&](Lane* at) HWY_ATTR {
    const V bits = hn::LoadU(d, at);
    const V magnitude = hn::And(bits, magnitude_mask);
    const V sign = SignMask(bits);
    const V is_nan = AllOnesWhere<V>(Greater(magnitude, nan_above));
    const V is_infinite = MaskWhere<V>(hn::Eq(magnitude, infinity));
    const V nan_code =
        hn::Or(hn::Or(nan, hn::And(sign, nan_sign)), hn::And(magnitude, nan_payload));
    const V end = hn::Xor(plus, hn::And(sign, turn));
    nan_counter.Add(is_nan);
    infinite_counter.Add(is_infinite);
    hn::StoreU(Select(is_infinite, end, Select(is_nan, nan_code, bits)), d, at);
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) patch(lanes + i);
  if (i < n) {
    HWY_ALIGN Lane rest[hn::MaxLanes(decltype(d)())] = {};
    std::memcpy(rest, lanes + i, (n - i) * sizeof(Lane));
    patch(rest);
    std::memcpy(lanes + i, rest, (n - i) * sizeof(Lane));
  }
  const std::uint64_t nans = nan_counter.Total();
  const std::uint64_t infinite = infinite_counter.Total();
  return {.nan = nans, .infinite = infinite, .beyond = nans + infinite};
}

using Widener = bool (*)(const std::byte*, std::byte*, std::size_t);

template <typename Lane>
Widener WidenerFrom(FormatId source) {
  switch (source) {
    case FormatId::kBfloat16:
      return WidenBlock<FormatId::kBfloat16, Lane>;
    case FormatId::kFloat16:
      return WidenBlock<FormatId::kFloat16, Lane>;
    case FormatId::kFloat8E5m2:
      return WidenBlock<FormatId::kFloat8E5m2, Lane>;
    case FormatId::kFloat8E4m3fn:
      return WidenBlock<FormatId::kFloat8E4m3fn, Lane>;
    case FormatId::kInt8:
      return WidenBlock<FormatId::kInt8, Lane>;
    case FormatId::kUint8:
      return WidenBlock<FormatId::kUint8, Lane>;
    case FormatId::kInt16:
      return WidenBlock<FormatId::kInt16, Lane>;
    case FormatId::kUint16:
      return WidenBlock<FormatId::kUint16, Lane>;
    case FormatId::kTfloat32:
      return WidenBlock<FormatId::kTfloat32, Lane>;
    default:
      break;
  }
  if constexpr (sizeof(Lane) == 8) {
    if (source == FormatId::kInt32) return WidenBlock<FormatId::kInt32, Lane>;
    if (source == FormatId::kUint32) return WidenBlock<FormatId::kUint32, Lane>;
    return WidenBlock<FormatId::kFloat32, Lane>;
  }
  return nullptr;
}

template <typename Lane>
void RunTo(const Params& p, const std::byte* in, std::byte* out, std::size_t n, Tally* tally) {
  const Widener widen = WidenerFrom<Lane>(p.source->id);
  using Float = std::conditional_t<sizeof(Lane) == 4, float, double>;
  const Lane largest = p.source->id == FormatId::kFloat8E4m3fn ? std::bit_cast<Lane>(Float{448})
                                                               : LaneFormat<Lane>::kInfinity;
  const std::size_t in_bytes = static_cast<std::size_t>(p.source->storage_bits) / 8;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    std::byte* to = out + at * sizeof(Lane);
    LaneCounts counts;
    if (widen(in + at * in_bytes, to, size))
      counts = PatchLanes<Lane>(p.encoding, largest, to, size);
    if (tally != nullptr) AddCounts(counts, p.encoding, size, tally);
  }
}

#endif  // HWY_TARGET

void RunWiden(const Params& p, const std::byte* in, std::byte* out, std::size_t n, Tally* tally) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSE4
  const KernelRow& general = p.source->storage_bits == 8    ? kTable8Kernel
                             : p.target->storage_bits == 32 ? kNarrowKernel
                                                            : kWideKernel;
  general.prepare(p, n);
  general.run(p, in, out, {}, n, tally);
#else
  if (p.target->storage_bits == 32) return RunTo<std::uint32_t>(p, in, out, n, tally);
  RunTo<std::uint64_t>(p, in, out, n, tally);
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

HWY_EXPORT(RunWiden);

bool AcceptsWiden(const Params& p) {
  const Format& from = *p.source;
  const Format& to = *p.target;
  if (p.operation != Operation::kConvert || p.encoding.step != EncodeStep::kSame ||
      from.id == to.id || from.storage_bits > 32) {
    return false;
  }
  const bool is_byte = from.id == FormatId::kInt8 || from.id == FormatId::kUint8 ||
                       from.id == FormatId::kFloat8E5m2 || from.id == FormatId::kFloat8E4m3fn;
  if (from.storage_bits < 16 && !is_byte) return false;
  if (to.id != FormatId::kFloat32 && to.id != FormatId::kFloat64) return false;
  return IsInteger(from) || p.encoding.flush_below64 == 0;
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place, std::size_t n, Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunWiden)(p, in, out, n, tally);
}

}  // namespace

const KernelRow kWidenKernel = {"widen", "one pass to a wider float", AcceptsWiden, PrepareNothing,
                                Run};

}  // namespace exactcast
#endif  // HWY_ONCE
