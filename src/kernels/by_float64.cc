// SPDX-License-Identifier: Apache-2.0
//
// The fast family over float64 lanes: to float32 from float64 and from integers of 32 and 64 bits, and
// to integers from float64 and tfloat32, to those of 32 and 64 bits from any other float.
//
// To float32 the CPU rounds, in the direction of its control register. To odd and half away it rounds
// toward zero: an inexact result gets its lowest bit set; half a unit, a power of two, is added before,
//
//   x                1fffffffffffffffffffffff hrrrrr...     h: the first bit that float32 lacks
//   half of a unit                            1
//
// To integers as in to_integers.cc, where a sum with 1.5 * 2^52 ends in the integer, which is clamped
// as a float:
//
//   t = x + 1.5 * 2^52      0 10000110011 1kkkk...k     k: x in units of 1, rounded, |k| < 2^51
//
// Blocks with what this does not cover (NaN, what is beyond float32, what wraps, integers from 2^51 up)
// go to the general kernels.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/by_float64.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "src/kernels/blocks-inl.h"
#include "src/kernels/choose-inl.h"
#include "src/kernels/float_environment.h"
#include "src/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_SSE4

// How a mode is made.
enum class Way : std::uint8_t {
  kDirected,  // by the control register
  kTruncate,  // to integers
  kAway,      // half away from zero
  kOdd,
};

using D64 = hn::ScalableTag<std::uint64_t>;
using V64 = hn::Vec<D64>;
using DF64 = hn::ScalableTag<double>;
using VF64 = hn::Vec<DF64>;

constexpr double kUnit = 6755399441055744;  // 1.5 * 2^52

// Limits of the sum, or of the integer it ends in; what is outside `covered` is not for here.
struct Family {
  std::size_t ahead;  // of the words being read: see FetchLineAhead()
  double limit[2];
  double covered[2];
  std::uint32_t code_mask;
};

struct BlockCounts {
  bool is_covered = true;
  std::uint64_t beyond = 0;
  std::uint64_t inexact = 0;
  std::uint64_t tiny = 0;
};

// All ones where the comparison holds; in it a NaN never does.
HWY_INLINE V64 Ones(decltype(hn::Eq(VF64(), VF64())) mask) {
  return hn::BitCast(D64(), hn::VecFromMask(DF64(), mask));
}

// ---- to float32 ---------------------------------------------------------------------------------

// Half of the float32 unit at x, with its sign; of the least unit for what is smaller.
HWY_INLINE VF64 HalfUnit(VF64 x) {
  const D64 d;
  const V64 bits = hn::BitCast(d, x);
  const V64 exponent = hn::And(bits, Constant<V64>(std::uint64_t{0x7ff} << 52));
  const V64 half = LargerOf(hn::Sub(exponent, Constant<V64>(std::uint64_t{24} << 52)),
                            Constant<V64>(std::uint64_t{1023 - 150} << 52));
  return hn::BitCast(DF64(), hn::Or(half, hn::And(bits, Constant<V64>(std::uint64_t{1} << 63))));
}

template <Way kWay, bool kCounts>
HWY_NOINLINE BlockCounts ToFloat32(const Family& f, const double* in, std::byte* out,
                                   std::size_t n) {
  const DF64 df;
  const hn::Rebind<float, DF64> df32;
  const hn::Rebind<std::uint32_t, DF64> d32;
  using V32 = hn::Vec<decltype(d32)>;
  const V32 magnitude_mask = hn::Set(d32, 0x7fffffffu);
  auto* codes = reinterpret_cast<std::uint32_t*>(out);
  V32 largest = hn::Zero(d32);
  LaneCounter<V64> exact;
  LaneCounter<V64> tiny;
  const std::size_t ahead = f.ahead;
  for (std::size_t i = 0; i < n; i += hn::Lanes(df)) {
    FetchLineAhead(in + i, ahead);
    const VF64 x = hn::LoadU(df, in + i);
    const auto rounded = hn::DemoteTo(df32, kWay == Way::kAway ? hn::Add(x, HalfUnit(x)) : x);
    V32 code = hn::BitCast(d32, rounded);
    largest = hn::Max(largest, hn::And(code, magnitude_mask));
    if constexpr (kCounts || kWay == Way::kOdd) {
      const VF64 back = hn::PromoteTo(df, rounded);
      const V64 same = Ones(hn::Eq(back, x));
      if constexpr (kWay == Way::kOdd) {
        const V32 narrow = hn::TruncateTo(d32, same);
        code = hn::Or(code, hn::AndNot(narrow, hn::Set(d32, 1u)));
      }
      if constexpr (kCounts) {
        exact.Add(same);
        const V64 below = Ones(hn::Lt(hn::Abs(back), hn::Set(df, 0x1p-126)));
        tiny.Add(hn::AndNot(same, below));
      }
    }
    hn::StoreU(code, d32, codes + i);
  }
  BlockCounts counts;
  // Infinity, NaN, or the largest value, which may be in place of what is beyond it.
  counts.is_covered = hn::AllFalse(d32, hn::Gt(largest, hn::Set(d32, 0x7f7ffffeu)));
  if constexpr (kCounts) {
    counts.inexact = n - exact.Total();
    counts.tiny = tiny.Total();
  }
  return counts;
}

// ---- to integers --------------------------------------------------------------------------------

template <Way kWay, bool kCounts, typename Code>
HWY_NOINLINE BlockCounts ToInteger(const Family& f, const double* in, std::byte* out,
                                   std::size_t n) {
  const DF64 df;
  const D64 d;
  const hn::Rebind<std::uint32_t, DF64> d32;
  const VF64 unit = hn::Set(df, kUnit);
  const VF64 largest = hn::Set(df, f.limit[0]);
  const VF64 least = hn::Set(df, f.limit[1]);
  const VF64 most_covered = hn::Set(df, f.covered[0]);
  const VF64 least_covered = hn::Set(df, f.covered[1]);
  const auto code_mask = hn::Set(d32, f.code_mask);
  auto* codes = reinterpret_cast<Code*>(out);
  V64 covered = hn::Set(d, ~std::uint64_t{0});
  LaneCounter<V64> within;
  LaneCounter<V64> exact;
  const std::size_t ahead = f.ahead;
  for (std::size_t i = 0; i < n; i += hn::Lanes(df)) {
    FetchLineAhead(in + i, ahead);
    const VF64 x = hn::LoadU(df, in + i);
    VF64 start = x;
    if constexpr (kWay == Way::kAway) {  // the float64 below 1/2, see to_integers.cc
      start = hn::Add(x, hn::CopySign(hn::Set(df, 0x1.fffffffffffffp-2), x));
    }
    if constexpr (kWay == Way::kTruncate || kWay == Way::kAway) start = hn::Trunc(start);
    VF64 t = hn::Add(start, unit);
    if constexpr (kWay == Way::kOdd) {
      const V64 lowest = hn::AndNot(Ones(hn::Eq(hn::Sub(t, unit), x)), Constant<V64>(1));
      t = hn::BitCast(df, hn::Or(hn::BitCast(d, t), lowest));
    }
    covered =
        hn::And(covered, hn::And(Ones(hn::Le(t, most_covered)), Ones(hn::Ge(t, least_covered))));
    const VF64 clamped = hn::Max(hn::Min(t, largest), least);
    if constexpr (kCounts) {
      within.Add(Ones(hn::Eq(t, clamped)));
      exact.Add(Ones(hn::Eq(hn::Sub(clamped, unit), x)));
    }
    const V64 bits = hn::BitCast(d, clamped);
    if constexpr (sizeof(Code) == 8) {
      hn::StoreU(hn::Sub(bits, hn::BitCast(d, unit)), d, codes + i);
    } else {
      hn::StoreU(hn::And(hn::TruncateTo(d32, bits), code_mask), d32, codes + i);
    }
  }
  BlockCounts counts;
  counts.is_covered = hn::AllTrue(d, hn::Eq(covered, hn::Set(d, ~std::uint64_t{0})));
  if constexpr (kCounts) {
    counts.beyond = n - within.Total();
    counts.inexact = within.Total() - exact.Total();
  }
  return counts;
}

Family FamilyOf(const Encoding& e) {
  Family f = {};
  if (e.step == EncodeStep::kFloat) return f;
  constexpr double kEnd = 0x1p51 - 1;
  for (std::size_t sign : {0u, 1u}) {
    const double turn = sign == 0 ? 1 : -1;
    const double limit = std::min(static_cast<double>(e.limit[sign]), kEnd);
    f.limit[sign] = kUnit + turn * limit;
    f.covered[sign] =
        e.wraps || limit == kEnd ? f.limit[sign] : turn * std::numeric_limits<double>::infinity();
  }
  f.code_mask = static_cast<std::uint32_t>(LowMask(std::min(e.bits, 32)));
  return f;
}

// ---- blocks -------------------------------------------------------------------------------------

using Convert = BlockCounts (*)(const Family&, const double*, std::byte*, std::size_t);

template <Way kWay, bool kCounts>
Convert ConvertTo(const Encoding& e) {
  if constexpr (kWay != Way::kTruncate) {
    if (e.step == EncodeStep::kFloat) return ToFloat32<kWay, kCounts>;
  }
  return e.bits == 64 ? ToInteger<kWay, kCounts, std::uint64_t>
                      : ToInteger<kWay, kCounts, std::uint32_t>;
}

template <bool kCounts>
Convert ConvertFor(const Encoding& e) {
  switch (e.rounding) {
    case Rounding::kTowardZero:
      return e.step == EncodeStep::kFloat ? ToFloat32<Way::kDirected, kCounts>
                                          : ConvertTo<Way::kTruncate, kCounts>(e);
    case Rounding::kTiesToAway:
      return ConvertTo<Way::kAway, kCounts>(e);
    case Rounding::kToOdd:
      return ConvertTo<Way::kOdd, kCounts>(e);
    default:
      return ConvertTo<Way::kDirected, kCounts>(e);
  }
}

Rounding DirectionOf(const Encoding& e) {
  const bool down = e.rounding == Rounding::kToOdd || e.rounding == Rounding::kTiesToAway;
  if (e.step == EncodeStep::kFloat) return down ? Rounding::kTowardZero : e.rounding;
  if (e.rounding == Rounding::kToOdd) return Rounding::kTowardNegative;
  return e.rounding == Rounding::kTowardZero ? Rounding::kTiesToEven : e.rounding;
}

// In a function of its own: see float_environment.h. The general kernels are to run in the usual one.
HWY_NOINLINE BlockCounts RunDirected(Rounding direction, Convert convert, const Family& f,
                                     const double* in, std::byte* out, std::size_t n) {
  const DirectedRounding rounding(direction);
  return convert(f, in, out, n);
}

void RunByFloat64(const Params& p, const KernelRow& general, const std::byte* in, std::byte* out,
                  Place place, std::size_t n, Tally* tally) {
  HWY_ALIGN std::uint64_t lanes[kBlockRoom];
  HWY_ALIGN std::byte codes[kBlockRoom * 8];
  const Encoding& e = p.encoding;
  Family f = FamilyOf(e);
  const Convert convert = tally == nullptr ? ConvertFor<false>(e) : ConvertFor<true>(e);
  const Rounding direction = DirectionOf(e);
  const Float64Decoder decode = DecoderToFloat64(p.source->id);
  const bool as_is = p.source->id == FormatId::kFloat64;
  f.ahead = as_is ? place.ahead : 0;
  const std::size_t in_bytes = static_cast<std::size_t>(p.source->storage_bits) / 8;
  const std::size_t out_bytes = static_cast<std::size_t>(p.target->storage_bits) / 8;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    const std::byte* const from = in + at * in_bytes;
    std::byte* const to = out + at * out_bytes;
    const bool direct = size % hn::Lanes(DF64()) == 0;
    std::size_t filled = size;
    if (!as_is || !direct) filled = decode(from, size, lanes);
    const auto* words = as_is && direct ? reinterpret_cast<const double*>(from)
                                        : reinterpret_cast<const double*>(lanes);
    std::byte* const results = direct && out_bytes >= 4 ? to : codes;
    const BlockCounts counts = RunDirected(direction, convert, f, words, results, filled);
    if (!counts.is_covered) {
      general.run(p, from, to, {}, size, tally);
      continue;
    }
    if (out_bytes < 4) {
      StoreWords(reinterpret_cast<const std::uint32_t*>(codes), size, p.target->storage_bits, to);
    } else if (results != to) {
      std::memcpy(to, codes, size * out_bytes);
    }
    if (tally == nullptr) continue;
    AddCounts({.beyond = counts.beyond, .inexact = counts.inexact, .tiny = counts.tiny}, e, size,
              tally);
  }
}

#endif  // HWY_TARGET

// The general kernel for the same: to few bits over float32 lanes, if it can.
void RunFamily(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
               Tally* tally) {
  const KernelRow& general = kNarrowKernel.accepts(p) ? kNarrowKernel : kWideKernel;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSE4
  general.run(p, in, out, place, n, tally);
#else
  RunByFloat64(p, general, in, out, place, n, tally);
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

HWY_EXPORT(RunFamily);

bool AcceptsByFloat64(const Params& p) {
  const Format& from = *p.source;
  const Encoding& e = p.encoding;
  if (p.operation != Operation::kConvert || from.storage_bits < 16) return false;
  if (p.target->id == FormatId::kFloat32) {
    return e.step == EncodeStep::kFloat && from.bits >= 32 && !e.is_rare;
  }
  return e.step == EncodeStep::kInteger && !IsInteger(from) && e.flush_below64 == 0 &&
         (from.id == FormatId::kFloat64 || from.id == FormatId::kTfloat32 || e.bits >= 32);
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
         Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunFamily)(p, in, out, place, n, tally);
}

}  // namespace

const KernelRow kByFloat64Kernel = {"by-float64", "rounding by the CPU in float64 lanes",
                                    AcceptsByFloat64, PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
