// SPDX-License-Identifier: Apache-2.0
//
// The fast family to bfloat16 and tfloat32, whose codes are float32's less its low bits: from float32
// in one pass, from other sources of 16 bits and up over blocks of float32 (block.h). In integers, in
// every mode: what is cut off carries into what is kept, subnormals and exponents alike.
//
//   float32    s eeeeeeee kkkkkkk rrrrrrrrrrrrrrrr      k: kept, r: cut off
//   bfloat16   s eeeeeeee kkkkkkk + 1 where r > c       c: by mode, the k's parity and the sign
//   tfloat32   (x + a) without its low 13 bits          a: likewise
//
// What is about to be beyond the range, infinities and NaN come out as anything; a block that has any
// is gone over again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/truncate.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "src/kernels/blocks-inl.h"
#include "src/kernels/choose-inl.h"
#include "src/kernels/halves-inl.h"
#include "src/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

// How a mode is made.
enum class Way : std::uint8_t {
  kNearest,   // to even or away; toward zero, too
  kDirected,  // by the sign
  kOdd,
};

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SSE4

// Constants of a mode, and what to look for.
struct Family {
  std::uint32_t base;  // c or a, to which the parity or the sign is added
  std::uint32_t odd;   // 1 where the parity counts
  std::uint32_t tiny;  // magnitudes of codes below are zero or subnormal
  std::uint32_t end;   // float32 magnitudes of the largest finite code and what is above
  std::size_t ahead;   // of the words being read: see FetchAhead()
};

// Of a block, by lane.
struct Counts {
  std::uint64_t inexact = 0;
  std::uint64_t tiny = 0;  // of these
  bool has_end = false;    // Family::end or above
};

// What is to be known of the elements. Magnitudes in lanes whose top bit is zero.
template <bool kCounts, class V>
class Notes {
  using D = hn::DFromV<V>;
  using Lane = hn::TFromD<D>;

 public:
  HWY_INLINE Notes(const Family& f, int end_shift)
      : end_(hn::Set(D(), static_cast<Lane>((f.end >> end_shift) - 1))),
        tiny_limit_(hn::Set(D(), static_cast<Lane>(f.tiny))),
        largest_(hn::Zero(D())) {}

  HWY_INLINE void Add(V magnitude, V lost, V code_magnitude) {
    largest_ = hn::Max(largest_, magnitude);
    if constexpr (kCounts) {
      const V exact = MaskWhere<V>(hn::Eq(lost, hn::Zero(D())));
      const V below = AllOnesWhere<V>(Greater(tiny_limit_, code_magnitude));
      exact_.Add(exact);
      tiny_.Add(hn::AndNot(exact, below));
    }
  }
  HWY_INLINE Counts Total(std::size_t n) const {
    Counts counts;
    counts.has_end = !hn::AllFalse(D(), Greater(largest_, end_));
    if constexpr (kCounts) {
      counts.inexact = n - exact_.Total();
      counts.tiny = tiny_.Total();
    }
    return counts;
  }

 private:
  V end_;
  V tiny_limit_;
  V largest_;
  LaneCounter<V> exact_;
  LaneCounter<V> tiny_;
};

// n is a multiple of Step().
struct ToBfloat16 {
  using Code = std::uint16_t;
  static constexpr int kDrop = 16;
  static HWY_INLINE std::size_t Step() { return hn::Lanes(hn::ScalableTag<std::uint16_t>()); }

  template <Way kWay, bool kCounts>
  static HWY_NOINLINE Counts Convert(const Family& f, const std::byte* in, std::byte* out,
                                     std::size_t n) {
    const hn::ScalableTag<std::uint16_t> d;
    using V = hn::Vec<decltype(d)>;
    const hn::RebindToSigned<decltype(d)> di;
    const V base = hn::Set(d, static_cast<std::uint16_t>(f.base));
    const V parity = hn::Set(d, static_cast<std::uint16_t>(f.odd));
    const V one = hn::Set(d, std::uint16_t{1});
    const V magnitude_mask = hn::Set(d, std::uint16_t{0x7fff});
    const WordOrder<true, std::remove_const_t<decltype(d)>> order;
    const std::size_t ahead = f.ahead;
    Notes<kCounts, V> notes(f, kDrop);
    const auto* words = reinterpret_cast<const std::uint32_t*>(in);
    auto* codes = reinterpret_cast<Code*>(out);
    for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
      FetchAhead(words + i, hn::Lanes(d), ahead);
      const auto x = FromFloat32::Load(d, words + i);
      const V low = LowerHalves(d, x.even, x.odd);
      V code = x.upper;
      if constexpr (kWay == Way::kOdd) {
        code = hn::Or(code, hn::Min(low, one));
      } else {
        const V turn =
            kWay == Way::kNearest
                ? hn::Sub(base, hn::And(code, parity))
                : hn::Xor(base, hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, code))));
        code = hn::Add(code, hn::Min(hn::SaturatedSub(low, turn), one));
      }
      notes.Add(hn::And(x.upper, magnitude_mask), low, hn::And(code, magnitude_mask));
      hn::StoreU(order.Words(code), d, codes + i);
    }
    return notes.Total(n);
  }
};

struct ToTfloat32 {
  using Code = std::uint32_t;
  static constexpr int kDrop = 13;
  static HWY_INLINE std::size_t Step() { return hn::Lanes(hn::ScalableTag<std::uint32_t>()); }

  template <Way kWay, bool kCounts>
  static HWY_NOINLINE Counts Convert(const Family& f, const std::byte* in, std::byte* out,
                                     std::size_t n) {
    const hn::ScalableTag<std::uint32_t> d;
    using V = hn::Vec<decltype(d)>;
    const V base = hn::Set(d, f.base);
    const V parity = hn::Set(d, f.odd);
    const V low_mask = hn::Set(d, 0x1fffu);
    const V magnitude_mask = hn::Set(d, 0x7fffffffu);
    const std::size_t ahead = f.ahead;
    Notes<kCounts, V> notes(f, 0);
    const auto* words = reinterpret_cast<const std::uint32_t*>(in);
    auto* codes = reinterpret_cast<Code*>(out);
    for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
      FetchAhead(words + i, hn::Lanes(d), ahead);
      const V x = hn::LoadU(d, words + i);
      const V low = hn::And(x, low_mask);
      V sum = hn::Zero(d);
      if constexpr (kWay == Way::kOdd) {
        sum = hn::Or(x, hn::Add(low, low_mask));
      } else if constexpr (kWay == Way::kNearest) {
        sum = hn::Add(x, hn::Add(base, hn::And(hn::ShiftRight<kDrop>(x), parity)));
      } else {
        sum = hn::Add(x, hn::And(hn::Xor(base, SignMask(x)), low_mask));
      }
      const V code = hn::AndNot(low_mask, sum);
      notes.Add(hn::And(x, magnitude_mask), low, hn::And(code, magnitude_mask));
      hn::StoreU(code, d, codes + i);
    }
    return notes.Total(n);
  }
};

template <class Target>
Family FamilyOf(const Encoding& e) {
  constexpr bool kTo16 = std::is_same_v<Target, ToBfloat16>;
  constexpr std::uint32_t kLow = (1u << Target::kDrop) - 1;
  Family f = {};
  std::uint32_t addend = 0;
  switch (e.rounding) {
    case Rounding::kTiesToEven:
      addend = kLow >> 1;
      f.odd = 1;
      break;
    case Rounding::kTiesToAway:
      addend = (kLow >> 1) + 1;
      break;
    case Rounding::kTowardPositive:
      addend = ~0u;
      break;
    default:
      break;
  }
  // A carry out of r + a is r > c.
  f.base = kTo16 ? ~addend & 0xffff : addend;
  f.tiny = static_cast<std::uint32_t>(e.tiny << (kTo16 ? 0 : Target::kDrop));
  f.end = static_cast<std::uint32_t>(e.max_code << Target::kDrop);
  return f;
}

// The elements at the end of the range again, by the rules; in `counts`, too. Classes but those of
// rounding are returned.
template <class Target>
HWY_NOINLINE LaneCounts PatchEnds(const Encoding& e, const Family& f, bool may_be_beyond,
                                  const std::byte* in, std::byte* out, std::size_t n,
                                  Counts* counts) {
  using Code = typename Target::Code;
  Specials specials = {.may_be_beyond = may_be_beyond};
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = LoadWord<std::uint32_t>(in, i);
    const std::uint32_t magnitude = x & 0x7fffffff;
    if (magnitude < f.end) continue;
    const Code code = static_cast<Code>(LoadWord<Code>(out, i) >> e.low_zeros);
    const std::uint32_t code_magnitude = code & ~(1u << (e.bits - 1));
    const bool is_finite = magnitude < 0x7f800000;
    if (is_finite && code_magnitude <= e.max_code) continue;
    if ((x & ((1u << Target::kDrop) - 1)) != 0) {
      --counts->inexact;
      if (code_magnitude < e.tiny) --counts->tiny;
    }
    ++beyond;
    if (is_finite) {
      StoreWord(out, i, static_cast<Code>(e.overflow[x >> 31]));
    } else {
      PatchElement<Code>(e, x, out, i, &specials);
    }
    StoreWord(out, i, static_cast<Code>(LoadWord<Code>(out, i) << e.low_zeros));
  }
  return {.nan = specials.nan, .infinite = specials.infinite, .beyond = beyond};
}

using Converter = Counts (*)(const Family&, const std::byte*, std::byte*, std::size_t);

template <class Target, bool kCounts>
Converter ConverterFor(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardNegative:
    case Rounding::kTowardPositive:
      return Target::template Convert<Way::kDirected, kCounts>;
    case Rounding::kToOdd:
      return Target::template Convert<Way::kOdd, kCounts>;
    default:
      return Target::template Convert<Way::kNearest, kCounts>;
  }
}

template <class Target>
void RunTo(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
           Tally* tally) {
  using Code = typename Target::Code;
  HWY_ALIGN std::uint32_t lanes[kBlockRoom];
  HWY_ALIGN std::byte codes[kBlockRoom * sizeof(Code)];
  const Encoding& e = p.encoding;
  Family f = FamilyOf<Target>(e);
  const Converter convert = tally == nullptr ? ConverterFor<Target, false>(e.rounding)
                                             : ConverterFor<Target, true>(e.rounding);
  const bool by_blocks = p.source->id != FormatId::kFloat32;
  f.ahead = by_blocks ? 0 : place.ahead;
  const Float32Decoder decode = DecoderToFloat32(p.source->id);
  const std::size_t in_bytes = static_cast<std::size_t>(p.source->storage_bits) / 8;
  std::size_t size = 0;
  for (std::size_t at = 0; at < n; at += size) {
    size = std::min(kBlock, n - at);
    if (size > Target::Step()) size -= size % Target::Step();  // what is left over comes last
    const std::size_t filled = (size + Target::Step() - 1) / Target::Step() * Target::Step();
    const std::byte* from = in + at * in_bytes;
    std::byte* to = out + at * sizeof(Code);
    if (by_blocks || filled != size) {
      decode(from, size, lanes);
      std::fill(lanes + size, lanes + filled, LaneFormat<std::uint32_t>::kOne);
      from = reinterpret_cast<const std::byte*>(lanes);
    }
    if (filled != size) to = codes;
    Counts counts = convert(f, from, to, filled);
    LaneCounts all;
    if (counts.has_end) {
      all = PatchEnds<Target>(e, f, p.source->id == FormatId::kFloat64, from, to, size, &counts);
    }
    if (filled != size) std::memcpy(out + at * sizeof(Code), codes, size * sizeof(Code));
    if (tally == nullptr) continue;
    all.inexact = counts.inexact;
    all.tiny = counts.tiny;
    AddCounts(all, e, size, tally);
  }
}

#endif  // HWY_TARGET

void RunTruncate(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
                 Tally* tally) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSE4
  kNarrowKernel.run(p, in, out, place, n, tally);
#else
  if (p.target->id == FormatId::kBfloat16) return RunTo<ToBfloat16>(p, in, out, place, n, tally);
  RunTo<ToTfloat32>(p, in, out, place, n, tally);
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

HWY_EXPORT(RunTruncate);

bool AcceptsTruncate(const Params& p) {
  const Encoding& e = p.encoding;
  return p.operation == Operation::kConvert && e.step == EncodeStep::kFloat && !e.is_rare &&
         (p.target->id == FormatId::kBfloat16 || p.target->id == FormatId::kTfloat32) &&
         p.source->storage_bits >= 16;
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
         Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunTruncate)(p, in, out, place, n, tally);
}

}  // namespace

const KernelRow kTruncateKernel = {"truncate", "float32 cut off after a carry", AcceptsTruncate,
                                   PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
