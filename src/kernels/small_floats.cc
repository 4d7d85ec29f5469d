// SPDX-License-Identifier: Apache-2.0
//
// The fast family to float16 and floats of at most 8 bits, in every mode: from float32, bfloat16 and
// float16 in one pass, from other sources of 16 bits and up over blocks of float32 (block.h).
//
// Adding 1.5 * 2^(23-m) units of the last kept place makes the CPU round there: with E = 2^e, the
// power of two of the value or of the least normal one if that is larger,
//
//   t = x + E * 1.5 * 2^(23-m)      0 10000000 1kkkk...k     k: x in units of 2^(e-m), rounded
//
// so that the low 16 bits of t are k in two's complement, subnormals and all, and the code is
// |k| + (steps of e above the least) << m: the hidden bit, and a carry, step the exponent up. The
// direction is that of the CPU's control register, set once per call; toward zero, to odd and half
// away round magnitudes down, half away after half a unit is added. From there on lanes have 16 bits:
// the upper halves of two vectors of x hold signs and exponents, the lower halves of t the k.
//
// What lies beyond the range is clamped to the code that overflow gives, or the one above the largest
// finite value. Infinities and NaN are clamped alike; a block that has any is gone over again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/small_floats.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "src/kernels/blocks-inl.h"
#include "src/kernels/choose-inl.h"
#include "src/kernels/float_environment.h"
#include "src/kernels/halves-inl.h"
#include "src/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

// How a mode is made.
enum class Way : std::uint8_t {
  kSigned,     // by the control register, on signed values
  kMagnitude,  // toward zero
  kAway,       // half away from zero
  kOdd,
};

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SSE4

struct Family {
  float factor;         // 1.5 * 2^(23-m)
  float half;           // 2^(-m-1)
  std::uint32_t least;  // float32 bits of the least normal value
  int mantissa_bits;
  std::uint16_t sign_bit;
  std::uint16_t limit[2];  // by sign: the largest code, or what overflow gives
  std::uint16_t max_code;
  bool has_minus_zero;
  std::size_t ahead;  // of the words being read: see FetchAhead()
};

struct BlockCounts {
  std::uint64_t inexact = 0;
  std::uint64_t tiny = 0;
  std::uint64_t beyond = 0;  // infinities and NaN, too
  bool has_special = false;  // an infinity or a NaN
};

// Codes in 16-bit lanes, those of `even` and `odd` in turn, and what is to be known of the block.
template <Way kWay, bool kCounts, bool kTo16, class D16>
class Converter {
  using V16 = hn::Vec<D16>;
  using D32 = D32Of<D16>;
  using V32 = hn::Vec<D32>;
  using DF = hn::RebindToFloat<D32>;

 public:
  // Constants stand in vectors, as the compiler must take a store of bytes to change anything else.
  HWY_INLINE explicit Converter(const Family& f)
      : factor_(hn::Set(DF(), f.factor)),
        half_(hn::Set(DF(), f.half)),
        least_(hn::Set(D32(), f.least)),
        least_upper_(hn::Set(D16(), static_cast<std::uint16_t>(f.least >> 16))),
        most_upper_(hn::Set(D16(), static_cast<std::uint16_t>((f.least >> 16) + (32u << 7)))),
        limit_(hn::Set(D16(), f.limit[0])),
        limit_turn_(hn::Set(D16(), static_cast<std::uint16_t>(f.limit[0] ^ f.limit[1]))),
        sign_bit_(hn::Set(D16(), f.sign_bit)),
        max_code_(hn::Set(D16(), f.max_code)),
        tiny_limit_(hn::Set(D16(), static_cast<std::uint16_t>(1u << f.mantissa_bits))),
        step_shift_(kTo16 ? f.mantissa_bits - 7 : 7 - f.mantissa_bits),
        has_minus_zero_(f.has_minus_zero),
        special_(hn::Zero(D16())) {}

  HWY_INLINE V16 Convert(V32 even, V32 odd, V16 upper) {
    const D16 d;
    const hn::RebindToSigned<D16> di;
    const auto even_t = Round(even);
    const auto odd_t = Round(odd);
    V16 k = LowerHalves(d, even_t.t, odd_t.t);
    if constexpr (kWay == Way::kSigned) {
      k = hn::BitCast(d, hn::Abs(hn::BitCast(di, k)));
    }
    const V16 magnitude = hn::And(upper, hn::Set(d, std::uint16_t{0x7fff}));
    special_ = hn::Max(special_, magnitude);
    const V16 exponent = hn::Max(hn::And(upper, hn::Set(d, std::uint16_t{0x7f80})), least_upper_);
    // Where steps are large, no more than what is beyond every target: they are to fit.
    const V16 bounded = kTo16 ? hn::Min(exponent, most_upper_) : exponent;
    const V16 above = hn::Sub(bounded, least_upper_);
    const V16 steps =
        kTo16 ? hn::ShiftLeftSame(above, step_shift_) : hn::ShiftRightSame(above, step_shift_);
    // Saturating: far beyond the range k is anything.
    V16 code = hn::SaturatedAdd(k, steps);
    const V16 sign = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, upper)));
    if constexpr (kWay == Way::kOdd) {
      const V16 inexact =
          hn::OddEven(hn::BitCast(d, odd_t.inexact), hn::BitCast(d, even_t.inexact));
      code = hn::Or(code, hn::And(inexact, hn::Set(d, std::uint16_t{1})));
    }
    if constexpr (kCounts) {
      const V16 beyond = AllOnesWhere<V16>(hn::Gt(code, max_code_));
      const V16 inexact = hn::AndNot(
          beyond, hn::OddEven(hn::BitCast(d, odd_t.inexact), hn::BitCast(d, even_t.inexact)));
      beyond_.Add(beyond);
      inexact_.Add(inexact);
      tiny_.Add(hn::And(inexact, AllOnesWhere<V16>(hn::Gt(tiny_limit_, code))));
    }
    const V16 limit = hn::Xor(limit_, hn::And(sign, limit_turn_));
    code = hn::Min(code, limit);
    V16 sign_bit = hn::And(sign, sign_bit_);
    if (!has_minus_zero_) {
      sign_bit = hn::AndNot(AllOnesWhere<V16>(hn::Eq(code, hn::Zero(d))), sign_bit);
    }
    return hn::Or(code, sign_bit);
  }

  HWY_INLINE BlockCounts Counts() const {
    const D16 d;
    BlockCounts counts;
    counts.has_special = !hn::AllFalse(d, hn::Gt(special_, hn::Set(d, std::uint16_t{0x7f7f})));
    if constexpr (kCounts) {
      counts.inexact = inexact_.Total();
      counts.tiny = tiny_.Total();
      counts.beyond = beyond_.Total();
    }
    return counts;
  }

 private:
  struct Rounded {
    V32 t;
    V32 inexact;  // all ones
  };

  HWY_INLINE Rounded Round(V32 x) const {
    const D32 d32;
    const hn::RebindToFloat<D32> df;
    const V32 exponent = hn::Max(hn::And(x, hn::Set(d32, 0x7f800000u)), least_);
    const auto power = hn::BitCast(df, exponent);
    auto value = hn::BitCast(df, x);
    if constexpr (kWay != Way::kSigned) {
      value = hn::BitCast(df, hn::And(x, hn::Set(d32, 0x7fffffffu)));
    }
    auto start = value;
    if constexpr (kWay == Way::kAway) start = hn::MulAdd(power, half_, value);
    const auto t = hn::MulAdd(power, factor_, start);
    V32 inexact = hn::Zero(d32);
    if constexpr (kCounts || kWay == Way::kOdd) {
      const auto back = hn::NegMulAdd(power, factor_, t);
      inexact = hn::BitCast(d32, hn::VecFromMask(df, hn::Ne(back, value)));
    }
    return {hn::BitCast(d32, t), inexact};
  }

  hn::Vec<DF> factor_, half_;
  V32 least_;
  V16 least_upper_, most_upper_;
  V16 limit_;
  V16 limit_turn_;
  V16 sign_bit_;
  V16 max_code_;
  V16 tiny_limit_;
  int step_shift_;
  bool has_minus_zero_;
  V16 special_;
  LaneCounter<V16> inexact_;
  LaneCounter<V16> tiny_;
  LaneCounter<V16> beyond_;
};

// ---- blocks -------------------------------------------------------------------------------------

// n: a multiple of Unit().
template <typename Code>
HWY_INLINE std::size_t Unit() {
  return 2 * hn::Lanes(hn::ScalableTag<Code>());
}

template <class Source, typename Code, Way kWay, bool kCounts>
HWY_NOINLINE BlockCounts ConvertBlock(const Family& f, const std::byte* in, std::byte* out,
                                      std::size_t n) {
  using Word = typename Source::Word;
  const hn::ScalableTag<std::uint16_t> d;
  using D = std::remove_const_t<decltype(d)>;
  const hn::Repartition<Code, D> to;
  const std::size_t half = hn::Lanes(d);
  const std::size_t step = hn::Lanes(to);
  const auto* words = reinterpret_cast<const Word*>(in);
  auto* codes = reinterpret_cast<Code*>(out);
  constexpr bool kTo16 = sizeof(Code) == 2;
  const Order<Source::kSplits, D> order;
  const WordOrder<Source::kSplits, D> word_order;
  Converter<kWay, kCounts, kTo16, D> converter(f);
  const auto convert = [&, ahead = f.ahead](const Word* from, Code* result) HWY_ATTR {
    FetchAhead(from, step, ahead);
    const auto first = Source::Load(d, from);
    const auto first_codes = converter.Convert(first.even, first.odd, first.upper);
    if constexpr (kTo16) {
      hn::StoreU(word_order.Words(first_codes), to, result);
    } else {
      const auto second = Source::Load(d, from + half);
      const auto second_codes = converter.Convert(second.even, second.odd, second.upper);
      hn::StoreU(order.Bytes(first_codes, second_codes), to, result);
    }
  };
  for (std::size_t i = 0; i < n; i += 2 * step) {  // two at a time have fewer waits between them
    convert(words + i, codes + i);
    convert(words + i + step, codes + i + step);
  }
  return converter.Counts();
}

Family FamilyOf(const Encoding& e) {
  const int m = e.mantissa_bits;
  const auto power = [](int exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
  };
  Family f = {};
  f.factor = 1.5f * power(23 - m);
  f.half = power(-m - 1);
  f.least = static_cast<std::uint32_t>(e.min_exponent + 127) << 23;
  f.mantissa_bits = m;
  f.sign_bit = static_cast<std::uint16_t>(1u << (e.bits - 1));
  for (std::size_t sign : {0u, 1u}) {
    f.limit[sign] = static_cast<std::uint16_t>(LimitOf(e, sign));
  }
  f.max_code = static_cast<std::uint16_t>(e.max_code);
  f.has_minus_zero = e.has_negative_zero;
  return f;
}

using Convert = BlockCounts (*)(const Family&, const std::byte*, std::byte*, std::size_t);
using Patch = Specials (*)(const Encoding&, bool, const std::byte*, std::byte*, std::size_t);

// How a source becomes a target: not a template, for its size.
struct Steps {
  Convert convert;
  Patch patch;
  Float32Decoder decode;   // null where `convert` takes the source's words
  std::size_t word_bytes;  // of what `convert` takes
  std::size_t unit;        // of elements that `convert` takes
};

// A block of words, filled up with zeros, which are exact.
const std::byte* FillBlock(const Steps& s, const std::byte* in, std::size_t n, std::size_t filled,
                           std::uint32_t* lanes) {
  auto* bytes = reinterpret_cast<std::byte*>(lanes);
  if (s.decode != nullptr) {
    s.decode(in, n, lanes);
  } else {
    std::memcpy(bytes, in, n * s.word_bytes);
  }
  std::memset(bytes + n * s.word_bytes, 0, (filled - n) * s.word_bytes);
  return bytes;
}

void RunBlocks(const Params& p, const Steps& s, const std::byte* in, std::byte* out, Place place,
               std::size_t n, Tally* tally) {
  HWY_ALIGN std::uint32_t lanes[kBlockRoom];
  HWY_ALIGN std::byte codes[kBlock * 2];
  Family f = FamilyOf(p.encoding);
  f.ahead = s.decode == nullptr ? place.ahead : 0;
  const std::size_t in_bytes = static_cast<std::size_t>(p.source->storage_bits) / 8;
  const std::size_t out_bytes = static_cast<std::size_t>(p.target->storage_bits) / 8;
  const bool may_be_beyond = p.source->id == FormatId::kFloat64;
  std::size_t size = 0;
  for (std::size_t at = 0; at < n; at += size) {
    size = std::min(kBlock, n - at);
    if (size > s.unit) size -= size % s.unit;  // what is left over comes last
    const std::size_t filled = (size + s.unit - 1) / s.unit * s.unit;
    const std::byte* from = in + at * in_bytes;
    std::byte* to = filled == size ? out + at * out_bytes : codes;
    if (s.decode != nullptr || filled != size) from = FillBlock(s, from, size, filled, lanes);
    const BlockCounts counts = s.convert(f, from, to, filled);
    const Specials specials =
        counts.has_special ? s.patch(p.encoding, may_be_beyond, from, to, size) : Specials();
    if (filled != size) std::memcpy(out + at * out_bytes, codes, size * out_bytes);
    if (tally == nullptr) continue;
    AddCounts({.nan = specials.nan,
               .infinite = specials.infinite,
               .beyond = counts.beyond,
               .inexact = counts.inexact,
               .tiny = counts.tiny},
              p.encoding, size, tally);
  }
}

template <class Source, typename Code, bool kCounts>
Convert ConvertFor(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardZero:
      return ConvertBlock<Source, Code, Way::kMagnitude, kCounts>;
    case Rounding::kTiesToAway:
      return ConvertBlock<Source, Code, Way::kAway, kCounts>;
    case Rounding::kToOdd:
      return ConvertBlock<Source, Code, Way::kOdd, kCounts>;
    default:
      return ConvertBlock<Source, Code, Way::kSigned, kCounts>;
  }
}

template <class Source, typename Code>
void RunFrom(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
             Tally* tally) {
  const Rounding mode = p.encoding.rounding;
  const bool by_blocks = std::is_same_v<Source, FromFloat32> && p.source->id != FormatId::kFloat32;
  const Steps steps = {.convert = tally == nullptr ? ConvertFor<Source, Code, false>(mode)
                                                   : ConvertFor<Source, Code, true>(mode),
                       .patch = PatchBlock<Source, Code>,
                       .decode = by_blocks ? DecoderToFloat32(p.source->id) : nullptr,
                       .word_bytes = sizeof(typename Source::Word),
                       .unit = Unit<Code>()};
  RunBlocks(p, steps, in, out, place, n, tally);
}

#endif  // HWY_TARGET

void RunSmallFloats(const Params& p, const std::byte* in, std::byte* out, Place place,
                    std::size_t n, Tally* tally) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSE4
  // A lane of 32 bits has no halves there, or the CPU is too old to be worth the code.
  kNarrowKernel.run(p, in, out, place, n, tally);
#else
  const Rounding mode = p.encoding.rounding;
  const bool is_signed = mode == Rounding::kTiesToEven || mode == Rounding::kTowardPositive;
  const DirectedRounding direction(is_signed ? mode : Rounding::kTowardNegative);
  const bool to16 = p.target->storage_bits == 16;
  switch (p.source->id) {
    case FormatId::kFloat16:
      return RunFrom<FromFloat16, std::uint8_t>(p, in, out, place, n, tally);
    case FormatId::kBfloat16:
      return to16 ? RunFrom<FromBfloat16, std::uint16_t>(p, in, out, place, n, tally)
                  : RunFrom<FromBfloat16, std::uint8_t>(p, in, out, place, n, tally);
    default:
      return to16 ? RunFrom<FromFloat32, std::uint16_t>(p, in, out, place, n, tally)
                  : RunFrom<FromFloat32, std::uint8_t>(p, in, out, place, n, tally);
  }
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

HWY_EXPORT(RunSmallFloats);

// Overflow gives the largest finite code or the one above it, and nothing rare is asked for.
bool AcceptsSmallFloats(const Params& p) {
  const Encoding& e = p.encoding;
  if (p.operation != Operation::kConvert || e.step != EncodeStep::kFloat || e.bits > 16 ||
      e.is_rare || e.mantissa_bits == 0 || e.low_zeros != 0 || e.min_exponent < -20 ||
      p.source->storage_bits < 16) {
    return false;
  }
  const std::uint64_t sign_bit = std::uint64_t{1} << (e.bits - 1);
  for (std::size_t sign : {0u, 1u}) {
    const std::uint64_t limit = LimitOf(e, sign);
    const std::uint64_t code = limit | (sign != 0 ? sign_bit : 0);
    if (code != e.overflow[sign] || limit < e.max_code || limit > e.max_code + 1) return false;
  }
  return true;
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
         Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunSmallFloats)(p, in, out, place, n, tally);
}

}  // namespace

const KernelRow kSmallFloatsKernel = {"small-floats", "rounding by a float32 sum, 16-bit lanes",
                                      AcceptsSmallFloats, PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
