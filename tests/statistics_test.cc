// SPDX-License-Identifier: Apache-2.0
//
// Statistics against a slow computation of their own: exact fractions, element by element, neighbours
// by rank. And that they depend on nothing but the elements.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "exactcast/spec/codec.h"
#include "exactcast/spec/order.h"
#include "src/kernels/cpu_target.h"
#include "src/kernels/words.h"
#include "src/measurement.h"
#include "src/rational.h"
#include "tests/support/flush.h"

namespace exactcast {
namespace {

bool IsNumber(const Exact& x) { return x.cls == Class::kZero || x.cls == Class::kFinite; }

// What the statistics of one pair are to be.
struct Slow {
  Statistics counts;
  mpq_class error, squared_error, xx, yy, xy, largest_error;
  std::optional<double> largest_ulp;  // nothing: an element has no unit of its own
};

// The words beside `word` in the order of values, away from it towards `x`; nothing: none is finite.
std::optional<mpq_class> NeighbourTowards(const mpq_class& x, std::uint64_t word, const Format& f) {
  const mpq_class y = ToRational(Decode(word, f));
  const bool up = x > y;
  const Rank rank = RankOf(word, f);
  const bool is_zero = rank.magnitude == 0 && HasZero(f);
  const bool negative = is_zero ? !up : rank.negative;
  if (negative && !f.has_sign) return std::nullopt;
  const bool away = negative != up;
  if (!away && rank.magnitude == 0) return std::nullopt;
  const std::uint64_t magnitude = away ? rank.magnitude + 1 : rank.magnitude - 1;
  if (magnitude > LargestRank(f, negative)) return std::nullopt;
  const Exact other = Decode(WordOf({.negative = negative, .magnitude = magnitude}, f), f);
  if (!IsNumber(other)) return std::nullopt;
  return ToRational(other);
}

// The target's unit in the binade of its largest value; of integers 1.
mpq_class LastUnit(const Format& f) {
  if (IsInteger(f)) return 1;
  const Exact most = Decode(MaxFinite(f, false), f);
  const int bits =
      f.kind == Kind::kTapered ? hifloat8::MantissaBits(LeadingExponent(most)) : f.mantissa_bits;
  return PowerOfTwo(LeadingExponent(most) - bits);
}

void AddPair(std::uint64_t source, const Format& from, std::uint64_t result, const Format& to,
             std::uint64_t index, Slow* slow) {
  Statistics& s = slow->counts;
  const Exact x = Decode(source, from);
  const Exact y = Decode(result, to);
  ++s.elements;
  s.source_nan += x.cls == Class::kNan;
  s.source_infinite += x.cls == Class::kInfinity;
  s.source_zero += x.cls == Class::kZero;
  s.became_infinite += IsNumber(x) && y.cls == Class::kInfinity;
  s.became_nan += x.cls != Class::kNan && y.cls == Class::kNan;
  s.became_zero += (x.cls == Class::kFinite || x.cls == Class::kInfinity) && y.cls == Class::kZero;
  if (x.cls == Class::kFinite) {
    ++s.exponents[std::max(LeadingExponent(x), from.id == FormatId::kFloat64 ? -1023 : -127)];
  }
  if (IsNumber(x)) {
    const double value = ToRational(x).get_d();
    s.least = std::min(s.least, value);
    s.greatest = std::max(s.greatest, value);
  }
  const bool is_float = to.kind == Kind::kFloat || to.kind == Kind::kTapered;
  if (is_float && y.cls == Class::kFinite && HasZero(to)) {
    const int normal = to.kind == Kind::kTapered ? hifloat8::kMinNormal : MinExponent(to);
    s.subnormal += LeadingExponent(y) < normal;
  }
  if (!IsNumber(x) || !IsNumber(y)) return;
  ++s.compared;
  const mpq_class a = ToRational(x);
  const mpq_class b = ToRational(y);
  const mpq_class e = abs(a - b);
  slow->error += e;
  slow->squared_error += e * e;
  slow->xx += a * a;
  slow->yy += b * b;
  slow->xy += a * b;
  if (e > slow->largest_error) {
    slow->largest_error = e;
    s.worst = index;
    s.worst_source = source;
    s.worst_result = result;
  }
  if (e == 0 || to.kind == Kind::kBoolean) return;
  const std::optional<mpq_class> other = NeighbourTowards(a, result, to);
  // Between the two, or beyond all.
  const bool between = other && (a - b) * (a - *other) < 0;
  // Neither neighbour: a result that wraps, or of a format without zero or sign.
  if (!between && (other || (a < 0 && !to.has_sign) || !HasZero(to))) {
    slow->largest_ulp.reset();
    return;
  }
  s.ties += between && 2 * a == b + *other;
  const mpq_class gap = between ? mpq_class(abs(*other - b)) : LastUnit(to);
  if (slow->largest_ulp) {
    slow->largest_ulp = std::max(*slow->largest_ulp, mpq_class(e / gap).get_d());
  }
}

struct Data {
  std::vector<std::byte> source;
  std::vector<std::byte> result;
  std::size_t n = 0;
};

// `kind` 0: any bits; 1: normal numbers around 1, 2: and 2^-7, of both one in 50 any bits; 3: zeros; 4:
// numbers around 2^-7, 5: ties and zeros, with no others, as blocks without exceptions are measured
// in another way.
Data DataOf(const Plan& plan, std::size_t n, int kind, std::uint64_t seed) {
  const Format& from = plan.from();
  Data data{std::vector<std::byte>(plan.InputBytes(n)), std::vector<std::byte>(plan.OutputBytes(n)),
            n};
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  const Result<Plan> from_float =
      MakePlan({.from = FormatId::kFloat32, .to = from.id, .overflow = std::nullopt});
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t word = random();
    float value = kind == 1 ? normal(random) : std::ldexp(normal(random), kind == 5 ? 3 : -7);
    if (kind == 5) value = i % 10 == 0 ? 0 : std::nearbyint(value * 4) / 32;  // ties
    if (kind != 0 && (kind > 3 || random() % 50 != 0)) {
      from_float->Run(&value, &word, 1, {.threads = 1});
      if (kind == 3) word = 0;
    } else if (kind == 3) {
      word = 0;
    }
    word &= LowMask(from.storage_bits);
    if (from.bits < from.storage_bits) word = (word & LowMask(from.bits)) << from.low_zeros;
    if (from.kind == Kind::kBoolean) word &= 1;
    std::memcpy(data.source.data() + i * static_cast<std::size_t>(from.storage_bits) / 8, &word,
                static_cast<std::size_t>(from.storage_bits) / 8);
  }
  plan.Run(data.source.data(), data.result.data(), n, {.threads = 1});
  return data;
}

Slow SlowOf(const Plan& plan, const Data& data) {
  Slow slow;
  slow.largest_ulp = 0.0;
  for (std::size_t i = 0; i < data.n; ++i) {
    AddPair(LoadWord(data.source.data(), i, plan.from().storage_bits), plan.from(),
            LoadWord(data.result.data(), i, plan.to().storage_bits), plan.to(), i, &slow);
  }
  return slow;
}

Statistics FastOf(const Plan& plan, const Data& data) {
  const auto m = Measurement::Of(plan);
  EXPECT_TRUE(m.ok());
  if (data.n > 0) (*m)->Add(0, data.n, data.source.data(), data.result.data());
  return (*m)->Take();
}

void ExpectNear(double got, const mpq_class& want, std::size_t n, const std::string& what) {
  const double exact = want.get_d();
  if (!std::isfinite(exact)) return;  // beyond float64
  EXPECT_LE(std::abs(got - exact), std::abs(exact) * std::ldexp(static_cast<double>(n + 2), -52))
      << what;
}

std::uint64_t WordAt(const std::vector<std::byte>& data, std::size_t i, const Format& f) {
  return LoadWord(data.data(), i, f.storage_bits);
}

double ErrorAt(const Plan& plan, const Data& data, std::size_t i) {
  const mpq_class x = ToRational(Decode(WordAt(data.source, i, plan.from()), plan.from()));
  const mpq_class y = ToRational(Decode(WordAt(data.result, i, plan.to()), plan.to()));
  return std::abs(x.get_d() - y.get_d());
}

void Compare(const Plan& plan, const Data& data) {
  const Slow slow = SlowOf(plan, data);
  const Statistics fast = FastOf(plan, data);
  const std::string what = std::string(plan.from().name) + " to " + std::string(plan.to().name) +
                           ", " + std::string(Name(plan.rounding()));
  const auto counts = [](const Statistics& s) {
    return std::vector<std::uint64_t>{s.elements,    s.source_nan,      s.source_infinite,
                                      s.source_zero, s.became_infinite, s.became_nan,
                                      s.became_zero, s.subnormal,       s.compared};
  };
  EXPECT_EQ(counts(fast), counts(slow.counts)) << what;
  EXPECT_EQ(fast.exponents, slow.counts.exponents) << what;
  EXPECT_EQ(fast.least, slow.counts.least) << what;
  EXPECT_EQ(fast.greatest, slow.counts.greatest) << what;
  ExpectNear(fast.error_sum, slow.error, data.n, what + ", error");
  ExpectNear(fast.squared_error_sum, slow.squared_error, 3 * data.n, what + ", squared error");
  ExpectNear(fast.source_squares, slow.xx, data.n, what + ", sources");
  ExpectNear(fast.result_squares, slow.yy, data.n, what + ", results");
  // Products have both signs: the bound is that of their magnitudes.
  const double scale = std::sqrt(slow.xx.get_d()) * std::sqrt(slow.yy.get_d());
  if (std::isfinite(scale)) {
    EXPECT_NEAR(fast.products, slow.xy.get_d(), scale * std::ldexp(double(data.n + 2), -52))
        << what;
  }
  ExpectNear(fast.largest_error, slow.largest_error, 0, what + ", the largest");
  ASSERT_EQ(fast.worst == Statistics::kNoWorst, slow.largest_error == 0) << what;
  if (fast.worst != Statistics::kNoWorst) {
    EXPECT_EQ(fast.worst_source, WordAt(data.source, fast.worst, plan.from())) << what;
    EXPECT_EQ(fast.worst_result, WordAt(data.result, fast.worst, plan.to())) << what;
    // Errors that are the same as float64 are equally bad, and the first of them is told.
    EXPECT_EQ(ErrorAt(plan, data, fast.worst), fast.largest_error) << what;
    EXPECT_LE(fast.worst, slow.counts.worst) << what;
  }
  if (slow.largest_ulp) {
    EXPECT_EQ(fast.ties, slow.counts.ties) << what;
    EXPECT_DOUBLE_EQ(fast.largest_ulp, *slow.largest_ulp) << what;
  }
}

bool IsScalar(const Format& f) { return f.use == Use::kCast && f.kind != Kind::kComplex; }

// Every pair, usual numbers and any bits. Integers of 64 bits are the nearest float64 there.
TEST(Statistics, EveryPairIsAsExactFractionsSay) {
  std::uint64_t seed = 1;
  for (const Format& from : kFormats) {
    for (const Format& to : kFormats) {
      const bool rounds = from.bits == 64 && IsInteger(from);
      if (!IsScalar(from) || !IsScalar(to) || rounds || (IsInteger(to) && to.bits == 64)) continue;
      const Result<Plan> plan = MakePlan({.from = from.id, .to = to.id});
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      for (const int kind : {0, 1, 2, 3, 4, 5}) Compare(*plan, DataOf(*plan, 192, kind, ++seed));
    }
  }
}

TEST(Statistics, EveryModeAndFormIsAsExactFractionsSay) {
  std::uint64_t seed = 1000;
  for (const FormatId from : {FormatId::kFloat32, FormatId::kFloat16, FormatId::kFloat64}) {
    for (const FormatId to : {FormatId::kFloat8E4m3fn, FormatId::kFloat8E5m2, FormatId::kHifloat8,
                              FormatId::kBfloat16, FormatId::kInt8, FormatId::kFloat4E2m1fn}) {
      for (const RoundingRow& mode : kRoundings) {
        for (const Overflow overflow : {Overflow::kSaturate, Overflow::kIeee, Overflow::kWrap}) {
          const Result<Plan> plan =
              MakePlan({.from = from, .to = to, .rounding = mode.rounding, .overflow = overflow});
          if (!plan.ok()) continue;
          for (const int kind : {0, 1, 2, 4, 5}) Compare(*plan, DataOf(*plan, 320, kind, ++seed));
        }
      }
    }
  }
}

TEST(Statistics, OfNothingOfOneAndOfOneKind) {
  const Result<Plan> plan = MakePlan({.from = FormatId::kFloat32, .to = FormatId::kFloat8E4m3fn});
  ASSERT_TRUE(plan.ok());
  const auto of = [&](std::vector<float> values) {
    Data data{std::vector<std::byte>(values.size() * 4), std::vector<std::byte>(values.size()),
              values.size()};
    if (!values.empty()) std::memcpy(data.source.data(), values.data(), data.source.size());
    plan->Run(data.source.data(), data.result.data(), data.n);
    Compare(*plan, data);
    return FastOf(*plan, data);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Statistics nothing = of({});
  EXPECT_EQ(nothing.elements, 0u);
  EXPECT_TRUE(std::isnan(nothing.MeanError()) && std::isnan(nothing.RelativeError()));
  EXPECT_TRUE(std::isnan(of(std::vector<float>(4097, nan)).MeanError()));
  EXPECT_EQ(of(std::vector<float>(100, infinity)).source_infinite, 100u);
  const Statistics zeros = of(std::vector<float>(5000, 0.0F));
  EXPECT_EQ(zeros.source_zero, 5000u);
  EXPECT_EQ(zeros.RelativeError(), 0);
  EXPECT_TRUE(zeros.exponents.empty());
  EXPECT_EQ(of(std::vector<float>(4096, 1.0625F)).ties, 4096u);  // between 1 and 1.125
  EXPECT_EQ(of(std::vector<float>(333, 0x1p-140F)).became_zero, 333u);
  EXPECT_EQ(of({1.5F}).Sqnr(), std::numeric_limits<double>::infinity());
}

// Everything, bit for bit.
bool AreSame(const Statistics& a, const Statistics& b) {
  const auto bits = [](const Statistics& s) {
    std::vector<std::uint64_t> all = {s.elements,  s.ties,     s.became_zero,
                                      s.subnormal, s.compared, s.worst};
    for (const double x : {s.error_sum, s.squared_error_sum, s.source_squares, s.result_squares,
                           s.products, s.largest_error, s.largest_ulp, s.least, s.greatest}) {
      all.push_back(std::bit_cast<std::uint64_t>(x));
    }
    return all;
  };
  return bits(a) == bits(b) && a.exponents == b.exponents;
}

TEST(Statistics, NeitherPiecesNorThreadsNorTheCpuTargetChangeABit) {
  constexpr std::size_t kElements = 50 * kMeasureBlock + 77;
  for (const FormatId to :
       {FormatId::kBfloat16, FormatId::kFloat8E4m3fn, FormatId::kHifloat8, FormatId::kInt8}) {
    const Result<Plan> plan = MakePlan({.from = FormatId::kFloat32, .to = to});
    ASSERT_TRUE(plan.ok());
    for (const int kind : {0, 1, 2, 4, 5}) {
      const Data data = DataOf(*plan, kElements, kind, 5);
      const Statistics whole = FastOf(*plan, data);
      for (std::string_view target : CpuTargets()) {
        ASSERT_TRUE(UseCpuTarget(target));
        const auto m = Measurement::Of(*plan);
        ASSERT_TRUE(m.ok());
        std::vector<std::size_t> pieces(17);
        std::iota(pieces.begin(), pieces.end(), std::size_t{0});
        std::shuffle(pieces.begin(), pieces.end(), std::mt19937(3));
        const auto add = [&](std::size_t from, std::size_t end) {
          for (std::size_t i = from; i < end; ++i) {
            const std::size_t first = pieces[i] * 3 * kMeasureBlock;
            const std::size_t n = std::min(3 * kMeasureBlock, kElements - first);
            (*m)->Add(first, n, data.source.data() + plan->InputBytes(first),
                      data.result.data() + plan->OutputBytes(first));
          }
        };
        std::thread other(add, 0, 8);
        add(8, pieces.size());
        other.join();
        EXPECT_TRUE(AreSame(whole, (*m)->Take())) << plan->to().name << " on " << target;
      }
      UseCpuTarget("");
    }
  }
}

long double ValueOf(const Exact& x) {
  const long double magnitude = std::ldexp(static_cast<long double>(x.significand), x.exponent);
  return x.negative ? -magnitude : magnitude;
}

// A quarter of a million elements, several blocks: long double adds at most n * 2^-64 to the bound.
TEST(Statistics, SumsOfLargeTensorsAreWithinTheirBound) {
  constexpr std::size_t kElements = 60 * kMeasureBlock + 5;
  for (const FormatId to : {FormatId::kBfloat16, FormatId::kFloat8E4m3fn, FormatId::kFloat16}) {
    const Result<Plan> plan = MakePlan({.from = FormatId::kFloat32, .to = to});
    ASSERT_TRUE(plan.ok());
    const Data data = DataOf(*plan, kElements, 4, 11);
    const Statistics fast = FastOf(*plan, data);
    long double error = 0, squared = 0, xx = 0, yy = 0, xy = 0, magnitude = 0;
    for (std::size_t i = 0; i < kElements; ++i) {
      const long double x = ValueOf(Decode(WordAt(data.source, i, plan->from()), plan->from()));
      const long double y = ValueOf(Decode(WordAt(data.result, i, plan->to()), plan->to()));
      error += std::fabs(x - y);
      squared += (x - y) * (x - y);
      xx += x * x;
      yy += y * y;
      xy += x * y;
      magnitude += std::fabs(x * y);
    }
    const auto expect = [&](double got, long double want, long double size) {
      EXPECT_LE(std::fabs(got - want), size * std::ldexp(2.0L * kElements, -52)) << plan->to().name;
    };
    expect(fast.error_sum, error, error);
    expect(fast.squared_error_sum, squared, squared);
    expect(fast.source_squares, xx, xx);
    expect(fast.result_squares, yy, yy);
    expect(fast.products, xy, magnitude);
    EXPECT_EQ(fast.compared, kElements);
  }
}

// Nor the direction in which the caller rounds, nor its flushing of subnormals.
TEST(Statistics, TheCallersEnvironmentDoesNotChangeABit) {
  for (const FormatId to : {FormatId::kBfloat16, FormatId::kFloat8E4m3fn, FormatId::kHifloat8}) {
    const Result<Plan> plan = MakePlan({.from = FormatId::kFloat32, .to = to});
    ASSERT_TRUE(plan.ok());
    for (const int kind : {0, 2, 4}) {
      const Data data = DataOf(*plan, 2 * kMeasureBlock + 3, kind, 12);
      const Statistics usual = FastOf(*plan, data);
      for (const int direction : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(direction);
        const Statistics other = FastOf(*plan, data);
        std::fesetround(FE_TONEAREST);
        EXPECT_TRUE(AreSame(usual, other)) << plan->to().name;
      }
      support::SetFlush(true);
      const Statistics flushed = FastOf(*plan, data);
      support::SetFlush(false);
      EXPECT_TRUE(AreSame(usual, flushed)) << plan->to().name;
    }
  }
}

TEST(Statistics, PackedAndComplexElementsCountAsTheirParts) {
  const Result<Plan> plain = MakePlan({.from = FormatId::kFloat32, .to = FormatId::kFloat4E2m1fn});
  const Result<Plan> packed = MakePlan({.from = FormatId::kFloat32,
                                        .to = FormatId::kFloat4E2m1fn,
                                        .output_packing = Packing::kPacked});
  ASSERT_TRUE(plain.ok() && packed.ok());
  const Data one = DataOf(*plain, 9001, 1, 8);
  Data two = one;
  two.result.resize(packed->OutputBytes(two.n));
  packed->Run(two.source.data(), two.result.data(), two.n);
  EXPECT_TRUE(AreSame(FastOf(*plain, one), FastOf(*packed, two)));

  const Result<Plan> complex = MakePlan({.from = FormatId::kComplex64, .to = FormatId::kComplex32});
  const Result<Plan> half = MakePlan({.from = FormatId::kFloat32, .to = FormatId::kFloat16});
  ASSERT_TRUE(complex.ok() && half.ok());
  Data parts = DataOf(*half, 9000, 1, 9);
  const Statistics of_parts = FastOf(*half, parts);
  parts.n /= 2;
  EXPECT_TRUE(AreSame(of_parts, FastOf(*complex, parts)));
  const Result<Plan> real = MakePlan({.from = FormatId::kComplex64, .to = FormatId::kFloat32});
  EXPECT_EQ(Measurement::Of(*real).status().code(), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace exactcast
