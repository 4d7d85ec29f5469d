// SPDX-License-Identifier: Apache-2.0
//
// Measuring in vectors of float64, as measure.h says. Compiled without contraction: every CPU target
// rounds each product and each sum alike.
#include "src/kernels/measure.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/measure.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "exactcast/spec/codec.h"
#include "exactcast/spec/hifloat8.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLanes = 8;  // of every sum

using D = hn::CappedTag<double, kLanes>;
using V = hn::Vec<D>;
using D64 = hn::RebindToUnsigned<D>;

template <typename Float>
HWY_INLINE V LoadLanes(const Float* from) {
  if constexpr (sizeof(Float) == 8) {
    return hn::LoadU(D(), from);
  } else {
    return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<float, D>(), from));
  }
}

struct Constants {
  V infinity, least, greatest, largest, least_normal, power_floor;
  hn::Vec<D64>
      inverse_of;  // less the bits of a power of two: those of units in that power, inverted
  V fixed_unit;    // kInteger: 1; kNone: 0

  HWY_INLINE explicit Constants(const Units& u)
      : infinity(hn::Set(D(), std::numeric_limits<double>::infinity())),
        least(hn::Set(D(), u.least)),
        greatest(hn::Set(D(), u.greatest)),
        largest(hn::Set(D(), std::max(u.greatest, -u.least))),
        least_normal(hn::Set(D(), u.least_normal)),
        power_floor(hn::Set(D(), std::ldexp(1.0, u.min_exponent))),
        inverse_of(hn::Set(D64(), static_cast<std::uint64_t>(2 * 1023 + u.mantissa_bits) << 52)),
        fixed_unit(hn::Set(D(), u.kind == Units::Kind::kInteger ? 1.0 : 0.0)) {}
};

// How many units 1 is, at the magnitude.
template <Units::Kind kKind>
HWY_INLINE V UnitsInOne(const Constants& c, V magnitude) {
  if constexpr (kKind == Units::Kind::kInteger || kKind == Units::Kind::kNone) return c.fixed_unit;
  const D d;
  const V exponent_bits = hn::BitCast(d, hn::Set(D64(), std::uint64_t{0x7ff} << 52));
  const V power = hn::Max(hn::And(hn::Min(magnitude, c.largest), exponent_bits), c.power_floor);
  V units = hn::BitCast(d, hn::Sub(c.inverse_of, hn::BitCast(D64(), power)));
  if constexpr (kKind == Units::Kind::kTapered) {  // a bit fewer beyond 2^3, 2^7, and below 2^-15
    const V half = hn::Set(d, 0.5);
    const auto fewer = [&](double from, double to) HWY_ATTR {
      const auto outside = hn::Or(hn::Ge(power, hn::Set(d, from)), hn::Le(power, hn::Set(d, to)));
      units = hn::IfThenElse(outside, hn::Mul(units, half), units);
    };
    fewer(0x1p4, 0x1p-4);
    fewer(0x1p8, 0x1p-8);
    fewer(0x1p99, 0x1p-16);
  }
  return units;
}

struct Sums {
  V error, squared_error, source_squares, result_squares, products;
  V largest_error, largest_ulp, least, greatest;
};

struct Places {
  std::size_t compared = 0, ties = 0, became_infinite = 0, became_nan = 0, became_zero = 0,
              subnormal = 0, source_nan = 0, source_infinite = 0, source_zero = 0;
};

template <Units::Kind kKind>
HWY_INLINE void AddPair(const Constants& c, V x, V y, Sums* s, Places* p) {
  const D d;
  const V zero = hn::Zero(d);
  const V ax = hn::Abs(x);
  const V ay = hn::Abs(y);
  const auto count = [&](auto mask) HWY_ATTR { return hn::CountTrue(d, mask); };
  const auto x_finite = hn::Lt(ax, c.infinity);
  const auto both_finite = hn::And(x_finite, hn::Lt(ay, c.infinity));
  const V xm = hn::IfThenElseZero(both_finite, x);
  const V ym = hn::IfThenElseZero(both_finite, y);
  const V e = hn::Abs(hn::Sub(xm, ym));
  s->error = hn::Add(s->error, e);
  s->squared_error = hn::Add(s->squared_error, hn::Mul(e, e));
  s->source_squares = hn::Add(s->source_squares, hn::Mul(xm, xm));
  s->result_squares = hn::Add(s->result_squares, hn::Mul(ym, ym));
  s->products = hn::Add(s->products, hn::Mul(xm, ym));
  s->largest_error = hn::Max(s->largest_error, e);
  s->least = hn::Min(s->least, hn::IfThenElse(x_finite, x, c.infinity));
  s->greatest = hn::Max(s->greatest, hn::IfThenElse(x_finite, x, hn::Neg(c.infinity)));
  const V ulps = hn::Mul(e, UnitsInOne<kKind>(c, ax));
  s->largest_ulp = hn::Max(s->largest_ulp, ulps);
  p->compared += count(both_finite);
  if constexpr (kKind != Units::Kind::kNone) {
    const auto within = hn::And(hn::Ge(x, c.least), hn::Le(x, c.greatest));
    p->ties += count(hn::And(hn::Eq(ulps, hn::Set(d, 0.5)), within));
    p->subnormal += count(hn::And(hn::Lt(ay, c.least_normal), hn::Gt(ay, zero)));
  }
  const auto x_number = hn::Eq(x, x);  // Ne is false of NaN on some targets
  p->became_infinite += count(hn::And(x_finite, hn::Eq(ay, c.infinity)));
  p->became_nan += count(hn::AndNot(hn::Eq(y, y), x_number));
  p->became_zero += count(hn::And(hn::Gt(ax, zero), hn::Eq(y, zero)));
  p->source_nan += count(hn::Not(x_number));
  p->source_infinite += count(hn::Eq(ax, c.infinity));
  p->source_zero += count(hn::Eq(x, zero));
}

// Lanes in a fixed order.
HWY_INLINE double SumOf(const std::array<double, kLanes>& lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

template <Units::Kind kKind, typename Float>
HWY_NOINLINE BlockMeasure MeasureAs(const Units& units, const Float* sources, const Float* results,
                                    std::size_t n) {
  const D d;
  const std::size_t step = hn::Lanes(d);
  const Constants c(units);
  constexpr std::size_t kVectors = kLanes / hn::MaxLanes(D());
  Sums sums[kVectors];
  for (Sums& s : sums) {
    s = {.error = hn::Zero(d),
         .squared_error = hn::Zero(d),
         .source_squares = hn::Zero(d),
         .result_squares = hn::Zero(d),
         .products = hn::Zero(d),
         .largest_error = hn::Zero(d),
         .largest_ulp = hn::Zero(d),
         .least = c.infinity,
         .greatest = hn::Neg(c.infinity)};
  }
  Places places;
  const auto add = [&](const Float* x, const Float* y) HWY_ATTR {
    for (std::size_t k = 0; k < kVectors; ++k) {
      AddPair<kKind>(c, LoadLanes(x + k * step), LoadLanes(y + k * step), &sums[k], &places);
    }
  };
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) add(sources + i, results + i);
  std::size_t padding = 0;
  if (i < n) {  // filled up with NaN, which nothing but their count knows of
    Float x[kLanes];
    Float y[kLanes];
    std::fill_n(x, kLanes, std::numeric_limits<Float>::quiet_NaN());
    std::fill_n(y, kLanes, std::numeric_limits<Float>::quiet_NaN());
    std::copy_n(sources + i, n - i, x);
    std::copy_n(results + i, n - i, y);
    padding = kLanes - (n - i);
    add(x, y);
  }
  const auto lanes = [&](V Sums::*member) HWY_ATTR {
    std::array<double, kLanes> all;
    for (std::size_t k = 0; k < kVectors; ++k)
      hn::StoreU(sums[k].*member, d, all.data() + k * step);
    return all;
  };
  const auto most = [&](V Sums::*member) HWY_ATTR {
    const auto all = lanes(member);
    return *std::max_element(all.begin(), all.end());
  };
  const auto least = lanes(&Sums::least);
  return {.error = SumOf(lanes(&Sums::error)),
          .squared_error = SumOf(lanes(&Sums::squared_error)),
          .source_squares = SumOf(lanes(&Sums::source_squares)),
          .result_squares = SumOf(lanes(&Sums::result_squares)),
          .products = SumOf(lanes(&Sums::products)),
          .largest_error = most(&Sums::largest_error),
          .largest_ulp = most(&Sums::largest_ulp),
          .least = *std::min_element(least.begin(), least.end()),
          .greatest = most(&Sums::greatest),
          .compared = places.compared,
          .ties = places.ties,
          .became_infinite = places.became_infinite,
          .became_nan = places.became_nan,
          .became_zero = places.became_zero,
          .subnormal = places.subnormal,
          .source_nan = places.source_nan - padding,
          .source_infinite = places.source_infinite,
          .source_zero = places.source_zero};
}

// ---- the usual block ----------------------------------------------------------------------------

// Numbers within the target's range, none so small that float32 has no room for its unit; all over
// float32, whose differences of neighbours are exact, and so are products as float64. Sums are those of
// MeasureAs, lane by lane.

using DF = hn::CappedTag<float, 2 * kLanes>;
using VF = hn::Vec<DF>;
using DI = hn::RebindToSigned<DF>;

struct UsualConstants {
  VF per_step;  // units in one step of float32's own codes
  VF per_one;   // units in 1, at the least normal value and below
  VF least_normal;

  HWY_INLINE explicit UsualConstants(const Units& u)
      : per_step(hn::Set(DF(), static_cast<float>(std::ldexp(1.0, u.mantissa_bits - 23)))),
        per_one(hn::Set(DF(), u.kind == Units::Kind::kFloat || u.kind == Units::Kind::kTapered
                                  ? PerOne(u)
                              : u.kind == Units::Kind::kInteger ? 1.0F
                                                                : 0.0F)),
        least_normal(hn::Set(DF(), static_cast<float>(u.least_normal))) {}

  // A tapered target has no bits at its least exponent.
  static float PerOne(const Units& u) {
    const int bits = u.kind == Units::Kind::kTapered ? 0 : u.mantissa_bits;
    return static_cast<float>(std::ldexp(1.0, std::min(bits - u.min_exponent, 127)));
  }
};

// The distance of codes of one sign, in units.
template <Units::Kind kKind>
HWY_INLINE VF Ulps(const UsualConstants& c, VF ax, VF ay, VF e) {
  if constexpr (kKind == Units::Kind::kInteger || kKind == Units::Kind::kNone) {
    return hn::Mul(e, c.per_one);
  }
  const DF df;
  const DI di;
  const auto steps = hn::Abs(hn::Sub(hn::BitCast(di, ax), hn::BitCast(di, ay)));
  VF ulps = hn::Mul(hn::ConvertTo(df, steps), c.per_step);
  if constexpr (kKind == Units::Kind::kTapered) {  // as UnitsInOne
    const VF half = hn::Set(df, 0.5F);
    const auto fewer = [&](float from, float below) HWY_ATTR {
      const auto outside = hn::Or(hn::Ge(ax, hn::Set(df, from)), hn::Lt(ax, hn::Set(df, below)));
      ulps = hn::IfThenElse(outside, hn::Mul(ulps, half), ulps);
    };
    fewer(0x1p4F, 0x1p-3F);
    fewer(0x1p8F, 0x1p-7F);
    fewer(0x1p99F, 0x1p-15F);
  }
  return hn::Min(ulps, hn::Mul(e, c.per_one));  // the larger of two units
}

// All ones count down.
HWY_INLINE void Count(decltype(hn::Eq(VF(), VF())) mask, hn::Vec<DI>* count) {
  *count = hn::Add(*count, hn::BitCast(DI(), hn::VecFromMask(DF(), mask)));
}

// False: the block is not usual. n is a multiple of 16.
template <Units::Kind kKind>
HWY_NOINLINE bool MeasureUsual(const Units& units, const float* sources, const float* results,
                               std::size_t n, BlockMeasure* m) {
  const D d;
  const DF df;
  const DI di;
  const UsualConstants c(units);
  constexpr std::size_t kVectors = kLanes / hn::MaxLanes(D());
  constexpr std::size_t kGroup = 2 * kLanes;
  V error[kVectors], squared[kVectors], xx[kVectors], yy[kVectors], xy[kVectors];
  for (std::size_t k = 0; k < kVectors; ++k) {
    error[k] = squared[k] = xx[k] = yy[k] = xy[k] = hn::Zero(d);
  }
  const VF zero = hn::Zero(df);
  VF largest_error = zero, largest_ulp = zero;
  VF least = hn::Set(df, std::numeric_limits<float>::infinity());
  VF greatest = hn::Neg(least);
  VF smallest = least;  // magnitude but zero
  auto ties = hn::Zero(di), zeros = hn::Zero(di), to_zero = hn::Zero(di), small = hn::Zero(di);
  for (std::size_t i = 0; i < n; i += kGroup) {
    for (std::size_t k = 0; k < kGroup; k += hn::Lanes(df)) {
      const VF x = hn::LoadU(df, sources + i + k);
      const VF y = hn::LoadU(df, results + i + k);
      const VF ax = hn::Abs(x);
      const VF ay = hn::Abs(y);
      const VF e = hn::Abs(hn::Sub(x, y));
      const VF ulps = Ulps<kKind>(c, ax, ay, e);
      largest_error = hn::Max(largest_error, e);
      largest_ulp = hn::Max(largest_ulp, ulps);
      least = hn::Min(least, x);
      greatest = hn::Max(greatest, x);
      const auto is_zero = hn::Eq(ax, zero);
      smallest = hn::Min(smallest, hn::IfThenElse(is_zero, smallest, ax));
      Count(is_zero, &zeros);
      Count(hn::Eq(ay, zero), &to_zero);
      if constexpr (kKind != Units::Kind::kNone) Count(hn::Eq(ulps, hn::Set(df, 0.5F)), &ties);
      if constexpr (kKind == Units::Kind::kFloat || kKind == Units::Kind::kTapered) {
        Count(hn::Lt(ay, c.least_normal), &small);
      }
    }
    for (std::size_t k = 0; k < kGroup / hn::Lanes(d); ++k) {
      const V x = LoadLanes(sources + i + k * hn::Lanes(d));
      const V y = LoadLanes(results + i + k * hn::Lanes(d));
      const V e = hn::Abs(hn::Sub(x, y));
      const std::size_t to = k % kVectors;
      error[to] = hn::Add(error[to], e);
      squared[to] = hn::Add(squared[to], hn::Mul(e, e));
      xx[to] = hn::MulAdd(x, x, xx[to]);
      yy[to] = hn::MulAdd(y, y, yy[to]);
      xy[to] = hn::MulAdd(x, y, xy[to]);
    }
  }
  const auto sum = [&](const V(&vectors)[kVectors]) HWY_ATTR {
    std::array<double, kLanes> all;
    for (std::size_t k = 0; k < kVectors; ++k) {
      hn::StoreU(vectors[k], d, all.data() + k * hn::Lanes(d));
    }
    return SumOf(all);
  };
  const auto total = [&](hn::Vec<DI> count) HWY_ATTR {
    std::int32_t lanes[hn::MaxLanes(DI())];
    hn::StoreU(count, di, lanes);
    std::int64_t all = 0;
    for (const std::int32_t lane : lanes) all -= lane;
    return static_cast<std::uint64_t>(all);
  };
  const auto lowest = [&](VF v) HWY_ATTR {
    float lanes[hn::MaxLanes(DF())];
    hn::StoreU(v, df, lanes);
    return static_cast<double>(*std::min_element(lanes, lanes + hn::MaxLanes(DF())));
  };
  m->error = sum(error);
  m->least = lowest(least);
  m->greatest = -lowest(hn::Neg(greatest));
  // A NaN or an infinity anywhere makes the sum one.
  if (!std::isfinite(m->error) || m->least < units.least || m->greatest > units.greatest ||
      lowest(smallest) < 0x1p-100) {
    return false;
  }
  m->squared_error = sum(squared);
  m->source_squares = sum(xx);
  m->result_squares = sum(yy);
  m->products = sum(xy);
  m->largest_error = -lowest(hn::Neg(largest_error));
  m->largest_ulp = -lowest(hn::Neg(largest_ulp));
  m->compared = n;
  m->ties = total(ties);
  m->source_zero = total(zeros);
  m->became_zero = total(to_zero) - m->source_zero;
  const bool has_subnormals = kKind == Units::Kind::kFloat || kKind == Units::Kind::kTapered;
  m->subnormal = has_subnormals ? total(small) - total(to_zero) : 0;
  return true;
}

template <Units::Kind kKind>
BlockMeasure Measure(const Units& units, const float* sources, const float* results,
                     std::size_t n) {
  BlockMeasure m;
  const bool is_float = kKind == Units::Kind::kFloat || kKind == Units::Kind::kTapered;
  const bool may_be_usual =
      n % (2 * kLanes) == 0 && kKind != Units::Kind::kNone && (!is_float || units.least_normal > 0);
  if (may_be_usual && MeasureUsual<kKind>(units, sources, results, n, &m)) return m;
  return MeasureAs<kKind>(units, sources, results, n);
}
template <Units::Kind kKind>
BlockMeasure Measure(const Units& units, const double* sources, const double* results,
                     std::size_t n) {
  return MeasureAs<kKind>(units, sources, results, n);
}

template <typename Float>
BlockMeasure MeasureFloats(const Units& units, const Float* sources, const Float* results,
                           std::size_t n) {
  switch (units.kind) {
    case Units::Kind::kNone:
      return Measure<Units::Kind::kNone>(units, sources, results, n);
    case Units::Kind::kTapered:
      return Measure<Units::Kind::kTapered>(units, sources, results, n);
    case Units::Kind::kInteger:
      return Measure<Units::Kind::kInteger>(units, sources, results, n);
    case Units::Kind::kFloat:
      break;
  }
  return Measure<Units::Kind::kFloat>(units, sources, results, n);
}

BlockMeasure Measure32(const Units& units, const float* sources, const float* results,
                       std::size_t n) {
  return MeasureFloats(units, sources, results, n);
}
BlockMeasure Measure64(const Units& units, const double* sources, const double* results,
                       std::size_t n) {
  return MeasureFloats(units, sources, results, n);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(Measure32);
HWY_EXPORT(Measure64);

double ValueOf(std::uint64_t word, const Format& f) {
  const Exact x = Decode(word, f);
  const double magnitude = std::ldexp(static_cast<double>(x.significand), x.exponent);
  return x.negative ? -magnitude : magnitude;
}

}  // namespace

Units UnitsOf(const Format& target) {
  Units units;
  if (IsInteger(target)) {
    units.kind = Units::Kind::kInteger;
    units.greatest = std::ldexp(1.0, target.bits - (target.has_sign ? 1 : 0)) - 1;
    units.least = target.has_sign ? -units.greatest - 1 : 0;
    return units;
  }
  if (target.kind != Kind::kFloat && target.kind != Kind::kTapered) return units;
  units.greatest = ValueOf(MaxFinite(target, false), target);
  units.least = target.has_sign ? -units.greatest : HasZero(target) ? 0 : ValueOf(0, target);
  if (target.kind == Kind::kTapered) {
    units.kind = Units::Kind::kTapered;
    units.mantissa_bits = 3;
    units.min_exponent = hifloat8::kMinExponent;
    units.least_normal = std::ldexp(1.0, hifloat8::kMinNormal);
    return units;
  }
  units.kind = Units::Kind::kFloat;
  units.mantissa_bits = target.mantissa_bits;
  // Low enough for anything that is not exact, high enough for the inverse to be a number.
  units.min_exponent = std::max(MinExponent(target), -900);
  if (HasZero(target)) units.least_normal = std::ldexp(1.0, MinExponent(target));
  return units;
}

BlockMeasure MeasureBlock(const Units& units, const float* sources, const float* results,
                          std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(Measure32)(units, sources, results, n);
}
BlockMeasure MeasureBlock(const Units& units, const double* sources, const double* results,
                          std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(Measure64)(units, sources, results, n);
}

namespace {

template <typename Word, int kMantissa, typename Float>
void CountFields(const Float* sources, std::size_t n, ExponentCounts* counts) {
  constexpr Word kField = (sizeof(Word) == 4 ? 0xff : 0x7ff);
  const auto field = [&](std::size_t i) {
    return static_cast<std::size_t>(std::bit_cast<Word>(sources[i]) >> kMantissa & kField);
  };
  constexpr std::size_t kTables = std::tuple_size_v<ExponentCounts>;
  std::size_t i = 0;
  for (; i + kTables <= n; i += kTables) {
    for (std::size_t k = 0; k < kTables; ++k) ++(*counts)[k][field(i + k)];
  }
  for (; i < n; ++i) ++(*counts)[0][field(i)];
}

}  // namespace

void CountExponents(const float* sources, std::size_t n, ExponentCounts* counts) {
  CountFields<std::uint32_t, 23>(sources, n, counts);
}
void CountExponents(const double* sources, std::size_t n, ExponentCounts* counts) {
  CountFields<std::uint64_t, 52>(sources, n, counts);
}

}  // namespace exactcast
#endif  // HWY_ONCE
