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
#include <array>
#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kMeasureLanes>;
using V = hn::Vec<D>;
using D64 = hn::RebindToUnsigned<D>;

HWY_INLINE V LoadLanes(const double* from) { return hn::LoadU(D(), from); }
HWY_INLINE V LoadLanes(const float* from) {
  return hn::PromoteTo(D(), hn::LoadU(hn::Rebind<float, D>(), from));
}

// The units in 1 are 2^m / P, P the power of two of the magnitude within limits; both are 1 of integers.
struct Constants {
  V infinity, least, greatest, largest, least_normal, power_floor;
  hn::Vec<D64>
      inverse_of;  // less the bits of a power of two: those of units in that power, inverted
  bool tapered;

  HWY_INLINE explicit Constants(const Units& u)
      : infinity(hn::Set(D(), std::numeric_limits<double>::infinity())),
        least(hn::Set(D(), u.least)),
        greatest(hn::Set(D(), u.greatest)),
        largest(hn::Set(D(), u.IsFloat() ? std::max(u.greatest, -u.least) : 1.0)),
        least_normal(hn::Set(D(), u.least_normal)),
        power_floor(hn::Set(D(), u.IsFloat() ? std::ldexp(1.0, u.min_exponent) : 1.0)),
        inverse_of(
            hn::Set(D64(), u.kind == Units::Kind::kNone
                               ? std::uint64_t{1023} << 52
                               : static_cast<std::uint64_t>(2 * 1023 + u.mantissa_bits) << 52)),
        tapered(u.kind == Units::Kind::kTapered) {}
};

HWY_INLINE V UnitsInOne(const Constants& c, V magnitude) {
  const D d;
  const V exponent_bits = hn::BitCast(d, hn::Set(D64(), std::uint64_t{0x7ff} << 52));
  const V power = hn::Max(hn::And(hn::Min(magnitude, c.largest), exponent_bits), c.power_floor);
  V units = hn::BitCast(d, hn::Sub(c.inverse_of, hn::BitCast(D64(), power)));
  if (c.tapered) {  // a bit fewer beyond 2^3, 2^7, and below 2^-15
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

  HWY_INLINE Sums()
      : error(hn::Zero(D())),
        squared_error(error),
        source_squares(error),
        result_squares(error),
        products(error),
        largest_error(error),
        largest_ulp(error),
        least(hn::Set(D(), std::numeric_limits<double>::infinity())),
        greatest(hn::Neg(least)) {}
};

struct Places {
  std::size_t compared = 0, ties = 0, became_infinite = 0, became_nan = 0, became_zero = 0,
              subnormal = 0, source_nan = 0, source_infinite = 0, source_zero = 0;
};

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
  const V ulps = hn::Mul(e, UnitsInOne(c, ax));
  s->largest_ulp = hn::Max(s->largest_ulp, ulps);
  p->compared += count(both_finite);
  const auto within = hn::And(hn::Ge(x, c.least), hn::Le(x, c.greatest));
  p->ties += count(hn::And(hn::Eq(ulps, hn::Set(d, 0.5)), within));
  p->subnormal += count(hn::And(hn::Lt(ay, c.least_normal), hn::Gt(ay, zero)));
  const auto x_number = hn::Eq(x, x);  // Ne is false of NaN on some targets
  p->became_infinite += count(hn::And(x_finite, hn::Eq(ay, c.infinity)));
  p->became_nan += count(hn::AndNot(hn::Eq(y, y), x_number));
  p->became_zero += count(hn::And(hn::Gt(ax, zero), hn::Eq(y, zero)));
  p->source_nan += count(hn::Not(x_number));
  p->source_infinite += count(hn::Eq(ax, c.infinity));
  p->source_zero += count(hn::Eq(x, zero));
}

// Lanes in a fixed order.
HWY_INLINE double SumOf(const std::array<double, kMeasureLanes>& lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

HWY_NOINLINE BlockMeasure MeasureDoubles(const Units& units, const double* sources,
                                         const double* results, std::size_t n) {
  const D d;
  const std::size_t step = hn::Lanes(d);
  const Constants c(units);
  constexpr std::size_t kVectors = kMeasureLanes / hn::MaxLanes(D());
  Sums sums[kVectors];
  Places places;
  const auto add = [&](const double* x, const double* y) HWY_ATTR {
    for (std::size_t k = 0; k < kVectors; ++k) {
      AddPair(c, LoadLanes(x + k * step), LoadLanes(y + k * step), &sums[k], &places);
    }
  };
  std::size_t i = 0;
  for (; i + kMeasureLanes <= n; i += kMeasureLanes) add(sources + i, results + i);
  std::size_t padding = 0;
  if (i < n) {  // filled up with NaN, which nothing but their count knows of
    double x[kMeasureLanes];
    double y[kMeasureLanes];
    std::fill_n(x, kMeasureLanes, std::numeric_limits<double>::quiet_NaN());
    std::fill_n(y, kMeasureLanes, std::numeric_limits<double>::quiet_NaN());
    std::copy_n(sources + i, n - i, x);
    std::copy_n(results + i, n - i, y);
    padding = kMeasureLanes - (n - i);
    add(x, y);
  }
  const auto lanes = [&](V Sums::*member) HWY_ATTR {
    std::array<double, kMeasureLanes> all;
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

// Numbers within the target's range, none so small that float32 has no room for its unit, and the
// nearest results: all over float32, which holds their differences, as float64 holds all products. (Of
// two numbers within a factor of two the difference is exact; else the result is zero.) Sums are those
// of MeasureDoubles, lane by lane.

using DF = hn::CappedTag<float, 2 * kMeasureLanes>;
using VF = hn::Vec<DF>;
using DI = hn::RebindToSigned<DF>;

struct UsualConstants {
  hn::Vec<DI> exponent_bits, power_floor, inverse_of, one;
  VF least_normal;
  bool tapered;

  HWY_INLINE explicit UsualConstants(const Units& u)
      : exponent_bits(hn::Set(DI(), u.IsFloat() ? 0xff << 23 : 0)),
        power_floor(
            hn::Set(DI(), u.IsFloat() ? std::max(u.min_exponent + 127, 1) << 23 : 127 << 23)),
        inverse_of(hn::Set(DI(), static_cast<std::int32_t>(
                                     static_cast<std::uint32_t>(2 * 127 + u.mantissa_bits) << 23))),
        one(hn::Set(DI(), 127 << 23)),
        least_normal(hn::Set(DF(), static_cast<float>(u.least_normal))),
        tapered(u.kind == Units::Kind::kTapered) {}
};

// How many units 1 is, as UnitsInOne.
HWY_INLINE VF UsualUnits(const UsualConstants& c, VF ax) {
  const DF df;
  const DI di;
  const auto power = hn::Max(hn::And(hn::BitCast(di, ax), c.exponent_bits), c.power_floor);
  auto units = hn::Sub(c.inverse_of, power);
  if (c.tapered) {  // 4 - e bits, 2^e the power of two of the exponent's size, at least 2
    const auto size = hn::ShiftRight<23>(hn::Abs(hn::Sub(power, c.one)));
    const auto log = hn::BitCast(di, hn::ConvertTo(df, hn::Max(size, hn::Set(di, 2))));
    units = hn::Add(units, hn::Sub(hn::Set(di, 128 << 23), hn::And(log, c.exponent_bits)));
  }
  return hn::BitCast(df, units);
}

// All ones count down; where masks are registers of their own, one is taken off under the mask.
HWY_INLINE void Count(decltype(hn::Eq(VF(), VF())) mask, hn::Vec<DI>* count) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  *count = hn::IfThenElse(hn::RebindMask(DI(), mask), hn::Sub(*count, hn::Set(DI(), 1)), *count);
#else
  *count = hn::Add(*count, hn::BitCast(DI(), hn::VecFromMask(DF(), mask)));
#endif
}

// False: the block is not usual. n is a multiple of 16. `all_normal`: no source but zero is below the
// target's least normal value.
HWY_NOINLINE bool MeasureUsual(const Units& units, bool all_normal, bool has_zeros,
                               const float* sources, const float* results, std::size_t n,
                               BlockMeasure* m) {
  const bool has_subnormals = units.IsFloat();
  const D d;
  const DF df;
  const DI di;
  const UsualConstants c(units);
  constexpr std::size_t kVectors = kMeasureLanes / hn::MaxLanes(D());
  constexpr std::size_t kGroup = 2 * kMeasureLanes;
  V error[kVectors], squared[kVectors], xx[kVectors], yy[kVectors], xy[kVectors];
  for (std::size_t k = 0; k < kVectors; ++k) {
    error[k] = squared[k] = xx[k] = yy[k] = xy[k] = hn::Zero(d);
  }
  const VF zero = hn::Zero(df);
  VF largest_error = zero, largest_ulp = zero;
  VF least = hn::Set(df, std::numeric_limits<float>::infinity());
  VF greatest = hn::Neg(least);
  auto most_steps = hn::Zero(di);
  const auto half_unit = hn::Set(di, std::int32_t{1} << std::max(22 - units.mantissa_bits, 0));
  auto ties = hn::Zero(di), zeros = hn::Zero(di), to_zero = hn::Zero(di), small = hn::Zero(di);
  for (std::size_t i = 0; i < n; i += kGroup) {
    for (std::size_t k = 0; k < kGroup; k += hn::Lanes(df)) {
      const VF x = hn::LoadU(df, sources + i + k);
      const VF y = hn::LoadU(df, results + i + k);
      const VF ax = hn::Abs(x);
      const VF ay = hn::Abs(y);
      const VF e = hn::Abs(hn::Sub(x, y));
      largest_error = hn::Max(largest_error, e);
      least = hn::Min(least, x);
      greatest = hn::Max(greatest, x);
      if (has_zeros) Count(hn::Eq(ax, zero), &zeros);
      if (all_normal) {  // one unit in all of a binade
        const auto steps = hn::Abs(hn::Sub(hn::BitCast(di, ax), hn::BitCast(di, ay)));
        most_steps = hn::Max(most_steps, steps);
        Count(hn::RebindMask(df, hn::Eq(steps, half_unit)), &ties);
        continue;
      }
      const VF ulps = hn::Mul(e, UsualUnits(c, ax));
      largest_ulp = hn::Max(largest_ulp, ulps);
      Count(hn::Eq(ulps, hn::Set(df, 0.5F)), &ties);
      Count(hn::Eq(ay, zero), &to_zero);
      if (has_subnormals) Count(hn::Lt(ay, c.least_normal), &small);
    }
    for (std::size_t k = 0; k < kGroup / hn::Lanes(d); ++k) {
      const V x = LoadLanes(sources + i + k * hn::Lanes(d));
      const V y = LoadLanes(results + i + k * hn::Lanes(d));
      const V e = hn::Abs(hn::Sub(x, y));
      const std::size_t to = k % kVectors;
      error[to] = hn::Add(error[to], e);
      squared[to] = hn::MulAdd(e, e, squared[to]);
      xx[to] = hn::MulAdd(x, x, xx[to]);
      yy[to] = hn::MulAdd(y, y, yy[to]);
      xy[to] = hn::MulAdd(x, y, xy[to]);
    }
  }
  const auto sum = [&](const V(&vectors)[kVectors]) HWY_ATTR {
    std::array<double, kMeasureLanes> all;
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
  if (!std::isfinite(m->error) || m->least < units.least || m->greatest > units.greatest) {
    return false;
  }
  m->squared_error = sum(squared);
  m->source_squares = sum(xx);
  m->result_squares = sum(yy);
  m->products = sum(xy);
  m->largest_error = -lowest(hn::Neg(largest_error));
  m->largest_ulp = -lowest(hn::Neg(largest_ulp));
  if (m->largest_ulp > 0.5) return false;  // a directed mode, whose errors may not fit
  m->compared = n;
  m->ties = total(ties);
  m->source_zero = total(zeros);
  if (all_normal) {
    const VF steps = hn::ConvertTo(df, most_steps);
    m->largest_ulp = std::ldexp(-lowest(hn::Neg(steps)), units.mantissa_bits - 23);
    return true;
  }
  m->became_zero = total(to_zero) - m->source_zero;
  m->subnormal = has_subnormals ? total(small) - total(to_zero) : 0;
  return true;
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(MeasureUsual);
HWY_EXPORT(MeasureDoubles);

}  // namespace

BlockMeasure MeasureBlock(const Units& units, const BlockExponents& exponents, const float* sources,
                          const float* results, std::size_t n) {
  // Without a NaN, and none so small that float32 has no room for its unit.
  const bool may_be_usual = n % (2 * kMeasureLanes) == 0 && exponents.least > 127 - 100 &&
                            units.kind != Units::Kind::kNone &&
                            (!units.IsFloat() || units.least_normal > 0);
  if (may_be_usual) {
    BlockMeasure m;
    const bool all_normal = units.kind == Units::Kind::kFloat && units.mantissa_bits <= 22 &&
                            exponents.least - 127 >= units.min_exponent;
    if (HWY_DYNAMIC_DISPATCH(MeasureUsual)(units, all_normal, exponents.zeros > 0, sources, results,
                                           n, &m) &&
        m.source_zero == exponents.zeros) {
      return m;
    }
  }
  std::array<double, kMeasureBlock> x;
  std::array<double, kMeasureBlock> y;
  std::copy_n(sources, n, x.data());
  std::copy_n(results, n, y.data());
  return MeasureBlock(units, x.data(), y.data(), n);
}
BlockMeasure MeasureBlock(const Units& units, const double* sources, const double* results,
                          std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(MeasureDoubles)(units, sources, results, n);
}

}  // namespace exactcast
#endif  // HWY_ONCE
