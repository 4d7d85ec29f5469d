// SPDX-License-Identifier: Apache-2.0
//
// The fast family to saturating integers of at most 16 bits, from float32, bfloat16 and float16, in
// every mode.
//
// Adding 1.5 * 2^23 makes the CPU round to an integer, which is the low bits of the sum:
//
//   t = x + 1.5 * 2^23      0 10010110 1kkkk...k     k: x in units of 1, rounded, |k| < 2^22
//
// The sum does not fall while x grows, so that it is clamped in place of k, as a float, whatever x is.
// By mode: the direction is that of the CPU's control register; toward zero the CPU truncates first;
// half away it truncates after almost half a unit is added: the float32 below 1/2, whose sum with the
// float32 below n + 1/2 stays below n + 1; to odd is toward negative with the lowest bit set where
// that is inexact. A NaN comes out as anything; a block that has any is gone over again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/to_integers.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>

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
  kDirected,  // by the control register
  kTruncate,
  kAway,  // half away from zero
  kOdd,
};

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SSE4

constexpr float kUnit = 12582912;  // 1.5 * 2^23

// What is the same for every block.
template <bool kSplits>
struct Setup {
  using D = hn::ScalableTag<std::uint16_t>;
  using DF = hn::RebindToFloat<D32Of<D>>;
  HWY_INLINE Setup(const Encoding& e, std::size_t bytes_ahead)
      : ahead(bytes_ahead),
        least(hn::Set(DF(), kUnit - static_cast<float>(static_cast<std::int32_t>(e.limit[1])))),
        largest(hn::Set(DF(), kUnit + static_cast<float>(static_cast<std::int32_t>(e.limit[0])))),
        code_mask(hn::Set(D(), static_cast<std::uint16_t>(LowMask(e.bits)))) {}
  std::size_t ahead;  // of the words being read: see FetchAhead()
  hn::Vec<DF> least;
  hn::Vec<DF> largest;
  hn::Vec<D> code_mask;
  Order<kSplits, D> order;
  WordOrder<kSplits, D> word_order;
};

// Of a block, by lane.
struct LaneSums {
  static constexpr std::size_t kLanes = hn::MaxLanes(hn::ScalableTag<std::uint32_t>());
  HWY_ALIGN std::uint32_t within[kLanes];  // no NaN, and did not have to be clamped
  HWY_ALIGN std::uint32_t exact[kLanes];   // of these
  HWY_ALIGN std::uint32_t finite[kLanes];  // all ones where there is no infinity and no NaN
};

// Codes in 16-bit lanes, those of `even` and `odd` in turn, and what is to be known of the block.
template <Way kWay, bool kCounts, class SetupOf>
class Converter {
  using D16 = typename SetupOf::D;
  using V16 = hn::Vec<D16>;
  using D32 = D32Of<D16>;
  using V32 = hn::Vec<D32>;
  using DF = hn::RebindToFloat<D32>;
  using VF = hn::Vec<DF>;

 public:
  HWY_INLINE explicit Converter(const SetupOf& setup)
      : unit_(hn::Set(DF(), kUnit)),
        least_(setup.least),
        largest_(setup.largest),
        code_mask_(setup.code_mask),
        special_{hn::Zero(DF()), hn::Zero(DF()), hn::Zero(DF()), hn::Zero(DF())},
        within_(hn::Zero(D32())),
        exact_(hn::Zero(D32())) {}

  // `turn` of vectors that follow each other: 0 or 1, for shorter chains of sums.
  HWY_INLINE V16 Convert(V32 even, V32 odd, std::size_t turn) {
    const D16 d;
    const V32 even_t = Round(even, 2 * turn);
    const V32 odd_t = Round(odd, 2 * turn + 1);
    return hn::And(LowerHalves(d, even_t, odd_t), code_mask_);
  }

  HWY_INLINE void Store(LaneSums* sums) const {
    const D32 d32;
    if constexpr (kCounts) {
      hn::Store(within_, d32, sums->within);
      hn::Store(exact_, d32, sums->exact);
    }
    const VF all = hn::Add(hn::Add(special_[0], special_[1]), hn::Add(special_[2], special_[3]));
    hn::Store(Same(all, all), d32, sums->finite);
  }

 private:
  // All ones where equal; a NaN is not. What Ne makes of a NaN depends on the CPU.
  static HWY_INLINE V32 Same(VF a, VF b) {
    return hn::BitCast(D32(), hn::VecFromMask(DF(), hn::Eq(a, b)));
  }

  HWY_INLINE V32 Round(V32 bits, std::size_t turn) {
    const DF df;
    const D32 d32;
    const VF x = hn::BitCast(df, bits);
    VF start = x;
    if constexpr (kWay == Way::kAway) {
      const V32 sign = hn::And(bits, hn::Set(d32, 0x80000000u));
      start = hn::Add(x, hn::BitCast(df, hn::Or(sign, hn::Set(d32, 0x3effffffu))));
    }
    if constexpr (kWay == Way::kTruncate || kWay == Way::kAway) start = hn::Trunc(start);
    VF t = hn::Add(start, unit_);
    if constexpr (kWay == Way::kOdd) {
      const V32 lowest = hn::AndNot(Same(hn::Sub(t, unit_), x), hn::Set(d32, 1u));
      t = hn::BitCast(df, hn::Or(hn::BitCast(d32, t), lowest));
    }
    const VF clamped = hn::Max(hn::Min(t, largest_), least_);
    if constexpr (kCounts) {
      within_ = hn::Sub(within_, Same(t, clamped));
      exact_ = hn::Sub(exact_, Same(hn::Sub(clamped, unit_), x));
      turn %= 2;  // registers are few
    }
    special_[turn] = hn::MulAdd(x, hn::Zero(df), special_[turn]);  // infinity by 0 is a NaN
    return hn::BitCast(d32, clamped);
  }

  VF unit_;
  VF least_;
  VF largest_;
  V16 code_mask_;
  VF special_[4];
  V32 within_;
  V32 exact_;
};

// Elements that a kernel takes at a time.
HWY_INLINE std::size_t Step() { return 2 * hn::Lanes(hn::ScalableTag<std::uint16_t>()); }

// n: a multiple of Step().
template <class Source, typename Code, Way kWay, bool kCounts>
HWY_NOINLINE void ConvertBlock(const Setup<Source::kSplits>& setup, const std::byte* in,
                               std::byte* out, std::size_t n, LaneSums* sums) {
  using D = typename Setup<Source::kSplits>::D;
  const D d;
  const hn::Repartition<std::uint8_t, D> d8;
  const std::size_t half = hn::Lanes(d);
  const auto* words = reinterpret_cast<const typename Source::Word*>(in);
  auto* codes = reinterpret_cast<Code*>(out);
  const auto order = setup.order;
  const auto word_order = setup.word_order;
  const std::size_t ahead = setup.ahead;
  Converter<kWay, kCounts, Setup<Source::kSplits>> converter(setup);
  for (std::size_t i = 0; i < n; i += 2 * half) {
    FetchAhead(words + i, 2 * half, ahead);
    const auto a = Source::Load(d, words + i);
    const auto first = converter.Convert(a.even, a.odd, 0);
    const auto b = Source::Load(d, words + i + half);
    const auto second = converter.Convert(b.even, b.odd, 1);
    if constexpr (sizeof(Code) == 2) {
      hn::StoreU(word_order.Words(first), d, codes + i);
      hn::StoreU(word_order.Words(second), d, codes + i + half);
    } else {
      hn::StoreU(order.Bytes(first, second), d8, codes + i);
    }
  }
  converter.Store(sums);
}

template <bool kSplits>
using Convert = void (*)(const Setup<kSplits>&, const std::byte*, std::byte*, std::size_t,
                         LaneSums*);
using Patch = Specials (*)(const Encoding&, bool, const std::byte*, std::byte*, std::size_t);

template <class Source, typename Code, bool kCounts>
Convert<Source::kSplits> ConvertFor(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardZero:
      return ConvertBlock<Source, Code, Way::kTruncate, kCounts>;
    case Rounding::kTiesToAway:
      return ConvertBlock<Source, Code, Way::kAway, kCounts>;
    case Rounding::kToOdd:
      return ConvertBlock<Source, Code, Way::kOdd, kCounts>;
    default:
      return ConvertBlock<Source, Code, Way::kDirected, kCounts>;
  }
}

struct BlockCounts {
  std::uint64_t beyond = 0;
  std::uint64_t inexact = 0;  // and not beyond
  bool has_special = false;   // an infinity or a NaN

  void Add(const LaneSums& sums, std::size_t n) {
    beyond += n;
    for (std::size_t i = 0; i < hn::Lanes(hn::ScalableTag<std::uint32_t>()); ++i) {
      beyond -= sums.within[i];
      inexact += sums.within[i] - sums.exact[i];
      has_special |= sums.finite[i] == 0;
    }
  }
};

// Converts blocks, whole steps at first and then what is left, in a buffer.
template <bool kSplits>
class Runner {
 public:
  Runner(const Params& p, Convert<kSplits> convert, std::size_t ahead)
      : setup_(p.encoding, ahead),
        convert_(convert),
        in_bytes_(static_cast<std::size_t>(p.source->storage_bits) / 8),
        out_bytes_(static_cast<std::size_t>(p.target->storage_bits) / 8) {}

  BlockCounts Run(const std::byte* in, std::byte* out, std::size_t n) const {
    BlockCounts counts;
    LaneSums sums = {};
    const std::size_t whole = n - n % Step();
    convert_(setup_, in, out, whole, &sums);
    counts.Add(sums, whole);
    if (whole == n) return counts;
    HWY_ALIGN std::byte rest[kMaxStep * 4] = {};
    HWY_ALIGN std::byte codes[kMaxStep * 2];
    std::memcpy(rest, in + whole * in_bytes_, (n - whole) * in_bytes_);
    convert_(setup_, rest, codes, Step(), &sums);
    counts.Add(sums, Step());  // what fills it up is exact
    std::memcpy(out + whole * out_bytes_, codes, (n - whole) * out_bytes_);
    return counts;
  }

 private:
  static constexpr std::size_t kMaxStep = 2 * hn::MaxLanes(hn::ScalableTag<std::uint16_t>());
  Setup<kSplits> setup_;
  Convert<kSplits> convert_;
  std::size_t in_bytes_;
  std::size_t out_bytes_;
};

template <bool kSplits>
void RunBlocks(const Params& p, Convert<kSplits> convert, Patch patch, const std::byte* in,
               std::byte* out, Place place, std::size_t n, Tally* tally) {
  const Runner<kSplits> runner(p, convert, place.ahead);
  // What patches NaN writes infinities again, too.
  Encoding e = p.encoding;
  e.infinity = {e.limit[0], (0 - e.limit[1]) & LowMask(e.bits)};
  const std::size_t in_bytes = static_cast<std::size_t>(p.source->storage_bits) / 8;
  const std::size_t out_bytes = static_cast<std::size_t>(p.target->storage_bits) / 8;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    const std::byte* from = in + at * in_bytes;
    std::byte* to = out + at * out_bytes;
    const BlockCounts counts = runner.Run(from, to, size);
    const Specials specials = counts.has_special ? patch(e, false, from, to, size) : Specials();
    if (tally == nullptr) continue;
    AddCounts({.nan = specials.nan, .beyond = counts.beyond, .inexact = counts.inexact}, e, size,
              tally);
  }
}

template <class Source, typename Code>
void RunFromTo(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
               Tally* tally) {
  const Rounding mode = p.encoding.rounding;
  const auto convert = tally == nullptr ? ConvertFor<Source, Code, false>(mode)
                                        : ConvertFor<Source, Code, true>(mode);
  RunBlocks<Source::kSplits>(p, convert, PatchBlock<Source, Code>, in, out, place, n, tally);
}

template <typename Code>
void RunTo(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
           Tally* tally) {
  switch (p.source->id) {
    case FormatId::kFloat16:
      return RunFromTo<FromFloat16, Code>(p, in, out, place, n, tally);
    case FormatId::kBfloat16:
      return RunFromTo<FromBfloat16, Code>(p, in, out, place, n, tally);
    default:
      return RunFromTo<FromFloat32, Code>(p, in, out, place, n, tally);
  }
}

#endif  // HWY_TARGET

void RunToIntegers(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
                   Tally* tally) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSE4
  kNarrowKernel.run(p, in, out, place, n, tally);
#else
  const Rounding mode = p.encoding.rounding;
  const DirectedRounding direction(mode == Rounding::kToOdd ? Rounding::kTowardNegative : mode);
  if (p.target->storage_bits == 16) return RunTo<std::uint16_t>(p, in, out, place, n, tally);
  RunTo<std::uint8_t>(p, in, out, place, n, tally);
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

HWY_EXPORT(RunToIntegers);

bool AcceptsToIntegers(const Params& p) {
  const Encoding& e = p.encoding;
  const FormatId from = p.source->id;
  if (from != FormatId::kFloat32 && from != FormatId::kBfloat16 && from != FormatId::kFloat16) {
    return false;
  }
  return p.operation == Operation::kConvert && e.step == EncodeStep::kInteger && !e.wraps &&
         e.bits <= 16 && e.flush_below32 == 0;
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
         Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunToIntegers)(p, in, out, place, n, tally);
}

}  // namespace

const KernelRow kToIntegersKernel = {"to-integers", "rounding by a float32 sum to integers",
                                     AcceptsToIntegers, PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
