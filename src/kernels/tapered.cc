// SPDX-License-Identifier: Apache-2.0
//
// The fast family to hifloat8, from float32, bfloat16 and float16, in every mode but hybrid, which
// looks at all of the source's bits. The format keeps at most 3 fraction bits, so 7 and one that says
// whether any below is set decide every mode. An element is three bytes, in lanes of 8 bits:
//
//   sign      s.......
//   exponent  eeeeeeee    float32's field
//   fraction  fffffff|    |: any bit below
//
// Tables of 16 bytes, by the size of the exponent, give what is added to the fraction to round it. A
// carry steps the exponent up and leaves a fraction of 0. Further tables turn the exponent into the
// code without its fraction, and the top of the fraction into 3, 2, 1 or no bits. Exponents outside
// the range are taken for the next one outside: below is the place of code 0, above the code after the
// largest finite one. Infinities and NaN end there too; a block that has any is gone over again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/tapered.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "src/kernels/blocks-inl.h"
#include "src/kernels/choose-inl.h"
#include "src/kernels/halves-inl.h"
#include "src/kernels/kernels.h"
#include "src/kernels/tapered_tables.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON

// How a mode is made.
enum class Way : std::uint8_t {
  kFixed,     // toward zero, half away: by the exponent alone
  kEven,      //
  kOdd,       //
  kDirected,  // by the sign
};

// What depends on mode and rules.
struct Choice {
  const tapered::Tables* tables = nullptr;
  std::uint8_t flip = 0;           // kDirected: all ones where positive values go away from zero
  std::uint8_t saturates[2] = {};  // by sign: all ones where overflow gives the largest finite code
  std::size_t ahead = 0;           // of the words being read: see FetchAhead()
};

// ---- lanes --------------------------------------------------------------------------------------

template <class V8>
struct Bytes {
  V8 sign;  // and other bits
  V8 exponent;
  V8 fraction;
};

// The vectors of bytes are of elements in turn as Order takes them.
template <class Source, bool kSticky, class D16>
HWY_INLINE Bytes<hn::Vec<hn::Repartition<std::uint8_t, D16>>> LoadBytes(
    D16 d, const typename Source::Word* words) {
  const hn::Repartition<std::uint8_t, D16> d8;
  const auto a = Source::Load(d, words);
  const auto b = Source::Load(d, words + hn::Lanes(d));
  auto a_rest = hn::Add(a.upper, a.upper);
  auto b_rest = hn::Add(b.upper, b.upper);
  if constexpr (kSticky && Source::kHasLowerHalf) {
    const auto one = hn::Set(d, std::uint16_t{1});
    a_rest = hn::Or(a_rest, hn::Min(LowerHalves(d, a.even, a.odd), one));
    b_rest = hn::Or(b_rest, hn::Min(LowerHalves(d, b.even, b.odd), one));
  }
  const auto upper_bytes = [&](auto x, auto y) HWY_ATTR {
    return hn::OddEven(hn::BitCast(d8, y), hn::BitCast(d8, hn::ShiftRight<8>(x)));
  };
  const auto lower_bytes = [&](auto x, auto y) HWY_ATTR {
    return hn::OddEven(hn::BitCast(d8, hn::ShiftLeft<8>(y)), hn::BitCast(d8, x));
  };
  return {upper_bytes(a.upper, b.upper), upper_bytes(a_rest, b_rest), lower_bytes(a_rest, b_rest)};
}

// Two blocks: fewer than 256 vectors, which is what the counters have room for.
constexpr std::size_t kElements = 2 * kBlock;
static_assert(kElements / 16 < 256);

struct BlockCounts {
  std::uint64_t inexact = 0;
  std::uint64_t tiny = 0;
  std::uint64_t beyond = 0;  // infinities and NaN, too
  bool has_special = false;  // an infinity or a NaN
};

template <Way kWay, bool kCounts, class D16>
class Converter {
  using D8 = hn::Repartition<std::uint8_t, D16>;
  using V8 = hn::Vec<D8>;

 public:
  // Constants stand in vectors, as the compiler must take a store of bytes to change anything else.
  HWY_INLINE explicit Converter(const Choice& c)
      : codes0_(hn::LoadDup128(D8(), c.tables->codes[0].data())),
        codes1_(hn::LoadDup128(D8(), c.tables->codes[1].data())),
        codes2_(hn::LoadDup128(D8(), c.tables->codes[2].data())),
        increments0_(hn::LoadDup128(D8(), c.tables->increments[0].data())),
        increments1_(hn::LoadDup128(D8(), c.tables->increments[1].data())),
        units_(hn::LoadDup128(D8(), c.tables->units.data())),
        rests_(hn::LoadDup128(D8(), c.tables->rests.data())),
        kinds_(hn::LoadDup128(D8(), c.tables->kinds.data())),
        narrow_(hn::LoadDup128(D8(), tapered::kNarrow.data())),
        least_field_(hn::Set(D8(), c.tables->least_field)),
        flip_(hn::Set(D8(), c.flip)),
        saturates_(hn::Set(D8(), c.saturates[0])),
        turn_(hn::Set(D8(), static_cast<std::uint8_t>(c.saturates[0] ^ c.saturates[1]))),
        special_(hn::Zero(D8())) {}

  HWY_INLINE V8 Convert(const Bytes<V8>& x) {
    const D8 d;
    const hn::RebindToSigned<D8> di;
    special_ = hn::Max(special_, x.exponent);
    // 1. What goes by the exponent, e, or its size.
    const V8 field = hn::Min(hn::Max(x.exponent, least_field_),
                             Byte(hifloat8::kMaxExponent + 1 + tapered::kBias));
    const V8 e = hn::Sub(field, Byte(tapered::kBias));
    const V8 size = hn::BitCast(d, hn::Abs(hn::BitCast(di, e)));
    const V8 pair = hn::And(ShiftBytes<1>(size), Byte(0x0f));
    const V8 kind = Look(kinds_, pair);
    // Below the least denormal all that is left is whether the value is 0.
    V8 whole = x.fraction;
    if constexpr (kCounts || kWay == Way::kOdd || kWay == Way::kDirected) {
      const V8 below = hn::Min(x.exponent, Byte(hifloat8::kMinExponent - 1 + tapered::kBias));
      whole = hn::Or(whole, hn::And(x.exponent, Mask(hn::Eq(below, x.exponent))));
    }
    // 2. Rounding. Where nothing is carried the sum is not below the fraction.
    const V8 sign = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, x.sign)));
    const V8 start = kWay == Way::kOdd || kWay == Way::kDirected ? whole : x.fraction;
    const V8 sum = hn::Add(start, Increment(x.fraction, size, pair, sign));
    const V8 stays = Mask(hn::Eq(hn::Max(sum, start), sum));
    // 3. The code.
    const V8 stepped = hn::Add(e, stays);  // e - 1, or e after a carry
    V8 code = Look(codes0_, hn::Add(stepped, Byte(1 - tapered::kLeast)));
    code = hn::Xor(code, Look(codes1_, hn::Add(stepped, Byte(1 - tapered::kLeast - 16))));
    code = hn::Xor(code, Look(codes2_, hn::Add(stepped, Byte(1 - tapered::kLeast - 32))));
    const V8 top = hn::And(ShiftBytes<5>(sum), Byte(7));
    code = hn::Or(code, hn::And(top, kind));
    code = hn::Or(code, Look(narrow_, hn::Or(top, kind)));
    // 4. Its sign, and what is beyond the range.
    const V8 beyond = Mask(hn::Eq(code, Byte(tapered::kLimit)));
    if constexpr (kCounts) Count(hn::And(whole, Look(rests_, pair)), code, beyond);
    V8 saturates = saturates_;
    if constexpr (kWay == Way::kDirected) saturates = hn::Xor(saturates, hn::And(sign, turn_));
    code = hn::Add(code, hn::And(beyond, saturates));
    const V8 sign_bit = hn::And(x.sign, Byte(hifloat8::kSign));
    return hn::Or(code, hn::AndNot(Mask(hn::Eq(code, hn::Zero(d))), sign_bit));
  }

  HWY_INLINE BlockCounts Counts() const {
    const D8 d;
    BlockCounts counts;
    counts.has_special = !hn::AllFalse(d, hn::Eq(special_, Byte(0xff)));
    if constexpr (kCounts) {
      counts.inexact = inexact_.Total();
      counts.tiny = tiny_.Total();
      counts.beyond = beyond_.Total();
    }
    return counts;
  }

 private:
  static HWY_INLINE V8 Byte(int value) { return hn::Set(D8(), static_cast<std::uint8_t>(value)); }
  static HWY_INLINE V8 Mask(decltype(hn::Eq(V8(), V8())) mask) {
    return hn::VecFromMask(D8(), mask);
  }
  static HWY_INLINE V8 Look(V8 table, V8 index) { return hn::TableLookupBytesOr0(table, index); }
  // The upper bits are those of a neighbour.
  template <int kBy>
  static HWY_INLINE V8 ShiftBytes(V8 x) {
    return hn::BitCast(D8(), hn::ShiftRight<kBy>(hn::BitCast(D16(), x)));
  }

  HWY_INLINE V8 Increment(V8 fraction, V8 size, V8 pair, V8 sign) const {
    if constexpr (kWay == Way::kFixed) {
      return Look(increments0_, pair);
    } else if constexpr (kWay == Way::kDirected) {
      return hn::And(Look(rests_, pair), hn::Xor(sign, flip_));
    } else {
      const V8 is_even = Mask(hn::Eq(hn::And(fraction, Look(units_, pair)), hn::Zero(D8())));
      const V8 increment =
          hn::Xor(Look(increments0_, size), Look(increments1_, hn::Sub(size, Byte(16))));
      return kWay == Way::kEven ? hn::Add(increment, is_even) : hn::And(increment, is_even);
    }
  }

  HWY_INLINE void Count(V8 discarded, V8 code, V8 beyond) {
    const D8 d;
    const V8 exact = Mask(hn::Eq(discarded, hn::Zero(d)));
    const V8 inexact = hn::AndNot(hn::Or(exact, beyond), Byte(0xff));
    inexact_.Add(inexact);
    tiny_.Add(hn::And(inexact, Mask(hn::Eq(hn::Min(code, Byte(7)), code))));
    beyond_.Add(beyond);
  }

  V8 codes0_, codes1_, codes2_;
  V8 increments0_;
  V8 increments1_;
  V8 units_;
  V8 rests_;
  V8 kinds_;
  V8 narrow_;
  V8 least_field_;
  V8 flip_;
  V8 saturates_;
  V8 turn_;
  V8 special_;
  LaneCounter<V8> inexact_;
  LaneCounter<V8> tiny_;
  LaneCounter<V8> beyond_;
};

// ---- blocks -------------------------------------------------------------------------------------

// n is a multiple of a vector's bytes.
template <class Source, Way kWay, bool kCounts>
HWY_NOINLINE BlockCounts ConvertBlock(const Choice& choice, const std::byte* in, std::byte* out,
                                      std::size_t n) {
  const hn::ScalableTag<std::uint16_t> d;
  using D = std::remove_const_t<decltype(d)>;
  const hn::Repartition<std::uint8_t, D> d8;
  const auto* words = reinterpret_cast<const typename Source::Word*>(in);
  auto* codes = reinterpret_cast<std::uint8_t*>(out);
  const Order<Source::kSplits, D> order;
  const std::size_t ahead = choice.ahead;
  Converter<kWay, kCounts, D> converter(choice);
  for (std::size_t i = 0; i < n; i += hn::Lanes(d8)) {
    FetchAhead(words + i, hn::Lanes(d8), ahead);
    const auto bytes = LoadBytes < Source, kCounts || kWay != Way::kFixed > (d, words + i);
    hn::StoreU(order.InOrder(converter.Convert(bytes)), d8, codes + i);
  }
  return converter.Counts();
}

using BlockConverter = BlockCounts (*)(const Choice&, const std::byte*, std::byte*, std::size_t);

template <class Source, bool kCounts>
BlockConverter ConverterOf(Rounding mode) {
  switch (mode) {
    case Rounding::kTowardZero:
    case Rounding::kTiesToAway:
      return ConvertBlock<Source, Way::kFixed, kCounts>;
    case Rounding::kToOdd:
      return ConvertBlock<Source, Way::kOdd, kCounts>;
    case Rounding::kTowardNegative:
    case Rounding::kTowardPositive:
      return ConvertBlock<Source, Way::kDirected, kCounts>;
    default:
      return ConvertBlock<Source, Way::kEven, kCounts>;
  }
}

Choice ChoiceOf(const Encoding& e) {
  const Rounding mode = e.rounding;
  Choice choice;
  choice.tables = mode == Rounding::kTiesToEven   ? &tapered::kToEven
                  : mode == Rounding::kTiesToAway ? &tapered::kToAway
                  : mode == Rounding::kToOdd      ? &tapered::kToOdd
                                                  : &tapered::kPlain;
  choice.flip = mode == Rounding::kTowardPositive ? 0xff : 0;
  for (std::size_t sign : {0u, 1u}) {
    choice.saturates[sign] = LimitOf(e, sign) == tapered::kLimit ? 0 : 0xff;
  }
  return choice;
}

// Fewer than a vector's elements, as a whole vector: zeros change no count.
template <typename Word>
HWY_NOINLINE BlockCounts ConvertRest(BlockConverter convert, const Choice& choice,
                                     const std::byte* in, std::byte* out, std::size_t n) {
  const hn::ScalableTag<std::uint8_t> d8;
  HWY_ALIGN std::byte words[sizeof(Word) * hn::MaxLanes(d8)] = {};
  HWY_ALIGN std::byte codes[hn::MaxLanes(d8)];
  std::memcpy(words, in, n * sizeof(Word));
  const BlockCounts counts = convert(choice, words, codes, hn::Lanes(d8));
  std::memcpy(out, codes, n);
  return counts;
}

template <class Source>
void RunFrom(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
             Tally* tally) {
  using Word = typename Source::Word;
  Choice choice = ChoiceOf(p.encoding);
  choice.ahead = place.ahead;
  const BlockConverter convert = tally == nullptr ? ConverterOf<Source, false>(p.encoding.rounding)
                                                  : ConverterOf<Source, true>(p.encoding.rounding);
  const std::size_t step = hn::Lanes(hn::ScalableTag<std::uint8_t>());
  std::size_t size = 0;
  for (std::size_t at = 0; at < n; at += size) {
    const std::byte* from = in + at * sizeof(Word);
    size = std::min(kElements, (n - at) / step * step);
    BlockCounts counts;
    if (size != 0) {
      counts = convert(choice, from, out + at, size);
    } else {
      size = n - at;
      counts = ConvertRest<Word>(convert, choice, from, out + at, size);
    }
    const Specials specials =
        counts.has_special
            ? PatchBlock<Source, std::uint8_t>(p.encoding, p.source->id == FormatId::kFloat64, from,
                                               out + at, size)
            : Specials();
    if (tally == nullptr) continue;
    AddCounts({.nan = specials.nan,
               .infinite = specials.infinite,
               .beyond = counts.beyond,
               .inexact = counts.inexact,
               .tiny = counts.tiny},
              p.encoding, size, tally);
  }
}

// Any other source, over blocks of float32 (block.h).
void RunByBlocks(const Params& p, const std::byte* in, std::byte* out, std::size_t n,
                 Tally* tally) {
  HWY_ALIGN std::uint32_t lanes[kBlockRoom];
  const Float32Decoder decode = DecoderToFloat32(p.source->id);
  const std::size_t in_bytes = static_cast<std::size_t>(p.source->storage_bits) / 8;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    decode(in + at * in_bytes, size, lanes);
    RunFrom<FromFloat32>(p, reinterpret_cast<const std::byte*>(lanes), out + at, {}, size, tally);
  }
}

#endif  // HWY_TARGET

void RunTapered(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
                Tally* tally) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
  switch (p.source->id) {
    case FormatId::kFloat16:
      return RunFrom<FromFloat16>(p, in, out, place, n, tally);
    case FormatId::kBfloat16:
      return RunFrom<FromBfloat16>(p, in, out, place, n, tally);
    case FormatId::kFloat32:
      return RunFrom<FromFloat32>(p, in, out, place, n, tally);
    default:
      return RunByBlocks(p, in, out, n, tally);
  }
#else
  // Others are too old to be worth the code, or look up bytes in another way.
  kNarrowKernel.run(p, in, out, place, n, tally);
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

HWY_EXPORT(RunTapered);

// Overflow gives the largest finite code or the one after it, alike for both signs unless the mode
// goes by the sign.
bool AcceptsTapered(const Params& p) {
  const Encoding& e = p.encoding;
  if (p.operation != Operation::kConvert || e.step != EncodeStep::kTapered || e.is_rare ||
      e.rounding == Rounding::kHybrid || p.source->storage_bits < 16) {
    return false;
  }
  for (std::size_t sign : {0u, 1u}) {
    const std::uint64_t limit = LimitOf(e, sign);
    if ((limit | (sign != 0 ? hifloat8::kSign : 0)) != e.overflow[sign]) return false;
    if (limit != hifloat8::kMaxFinite && limit != hifloat8::kInfinity) return false;
  }
  return LimitOf(e, 0) == LimitOf(e, 1) || e.rounding == Rounding::kTowardNegative ||
         e.rounding == Rounding::kTowardPositive;
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
         Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunTapered)(p, in, out, place, n, tally);
}

}  // namespace

const KernelRow kTaperedKernel = {"hifloat8", "rounding and codes by byte tables, 8-bit lanes",
                                  AcceptsTapered, PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
