// SPDX-License-Identifier: Apache-2.0
//
// The oracle's formats, values and choices; see oracle.h for the idea. Speed matters little here
// and cleverness less.
#include "tests/oracle/oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "tests/support/csv.h"

namespace oracle {
namespace {

void Check(bool condition, std::string_view what) {
  if (!condition) throw std::logic_error("oracle: " + std::string(what));
}

// ---- Exact numbers ------------------------------------------------------------------------------

constexpr int kTopBit = 120;

int BitLength(Uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  const auto low = static_cast<std::uint64_t>(x);
  return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(low);
}

int CompareMagnitude(const Real& a, const Real& b) {
  if (a.IsZero() || b.IsZero())
    return static_cast<int>(!a.IsZero()) - static_cast<int>(!b.IsZero());
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  if (a.significand != b.significand) return a.significand < b.significand ? -1 : 1;
  return 0;
}

// a + b for neighbours in a format: both signs alike (or one is zero) and at most a factor of 2
// between them, so that nothing is shifted out.
Real AddNeighbours(const Real& a, const Real& b) {
  if (a.IsZero()) return b;
  if (b.IsZero()) return a;
  Check(a.negative == b.negative, "neighbours on both sides of zero");
  const Real& large = CompareMagnitude(a, b) > 0 ? a : b;
  const Real& small = CompareMagnitude(a, b) > 0 ? b : a;
  const int shift = large.exponent - small.exponent;
  Check(shift < kTopBit && small.significand >> shift << shift == small.significand,
        "the sum of two neighbours is too wide");
  return MakeReal(a.negative, large.significand + (small.significand >> shift), large.exponent);
}

Real Twice(Real a) {
  if (!a.IsZero()) ++a.exponent;
  return a;
}

// "-7/4", "3": numerator, and a power of two as denominator.
Uint128 ParseDigits(std::string_view digits) {
  Uint128 value = 0;
  Check(!digits.empty(), "digits expected");
  for (const char c : digits) {
    Check(c >= '0' && c <= '9', "not a digit");
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

Real ParseFraction(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t slash = text.find('/');
  const Uint128 numerator = ParseDigits(text.substr(0, slash));
  int exponent = 0;
  if (slash != std::string_view::npos) {
    const Uint128 denominator = ParseDigits(text.substr(slash + 1));
    exponent = 1 - BitLength(denominator);
    Check(denominator == Uint128{1} << -exponent, "the denominator is not a power of two");
  }
  return MakeReal(negative, numerator, exponent);
}

// "3*2^14"
Real ParseStep(std::string_view text) {
  const std::size_t mark = text.find("*2^");
  Check(mark != std::string_view::npos, "a step is written n*2^e");
  return MakeReal(false, ParseDigits(text.substr(0, mark)),
                  static_cast<int>(ParseDigits(text.substr(mark + 3))));
}

// ---- Formats ------------------------------------------------------------------------------------

std::vector<Format> MakeFormats() {
  using enum Kind;
  // Neither what a code means nor where the range ends is derived from these rows: codes of up to 8
  // bits are read from tests/golden/codepoints, IEEE layouts are decoded by their two field widths,
  // `above` is written out.
  constexpr bool y = true;
  constexpr bool n = false;
  // clang-format off
  return {
      // name                kind      sgn bit sto low  e   m  above       -0  nan-m sgn  code                inf
      {"bool",               kBool,    n,   8,  8,  0,  0,  0, "",         n,  -1,  n,  0,                  0},
      {"int2",               kInteger, y,   2,  8,  0,  0,  0, "1*2^1",    n,  -1,  n,  0,                  0},
      {"int4",               kInteger, y,   4,  8,  0,  0,  0, "1*2^3",    n,  -1,  n,  0,                  0},
      {"int8",               kInteger, y,   8,  8,  0,  0,  0, "1*2^7",    n,  -1,  n,  0,                  0},
      {"int16",              kInteger, y,  16, 16,  0,  0,  0, "1*2^15",   n,  -1,  n,  0,                  0},
      {"int32",              kInteger, y,  32, 32,  0,  0,  0, "1*2^31",   n,  -1,  n,  0,                  0},
      {"int64",              kInteger, y,  64, 64,  0,  0,  0, "1*2^63",   n,  -1,  n,  0,                  0},
      {"uint2",              kInteger, n,   2,  8,  0,  0,  0, "1*2^2",    n,  -1,  n,  0,                  0},
      {"uint4",              kInteger, n,   4,  8,  0,  0,  0, "1*2^4",    n,  -1,  n,  0,                  0},
      {"uint8",              kInteger, n,   8,  8,  0,  0,  0, "1*2^8",    n,  -1,  n,  0,                  0},
      {"uint16",             kInteger, n,  16, 16,  0,  0,  0, "1*2^16",   n,  -1,  n,  0,                  0},
      {"uint32",             kInteger, n,  32, 32,  0,  0,  0, "1*2^32",   n,  -1,  n,  0,                  0},
      {"uint64",             kInteger, n,  64, 64,  0,  0,  0, "1*2^64",   n,  -1,  n,  0,                  0},
      {"float16",            kFloat,   y,  16, 16,  0,  5, 10, "1*2^16",   y,  10,  y,  0x7e00,             0x7c00},
      {"bfloat16",           kFloat,   y,  16, 16,  0,  8,  7, "1*2^128",  y,   7,  y,  0x7fc0,             0x7f80},
      {"float32",            kFloat,   y,  32, 32,  0,  8, 23, "1*2^128",  y,  23,  y,  0x7fc00000,         0x7f800000},
      {"float64",            kFloat,   y,  64, 64,  0, 11, 52, "1*2^1024", y,  52,  y,  0x7ff8000000000000, 0x7ff0000000000000},
      {"float8_e5m2",        kFloat,   y,   8,  8,  0,  0,  0, "1*2^16",   y,   2,  y,  0x7e,               0x7c},
      {"float8_e4m3fn",      kFloat,   y,   8,  8,  0,  0,  0, "480*2^0",  y,   0,  y,  0x7f,               0},
      {"float8_e4m3fnuz",    kFloat,   y,   8,  8,  0,  0,  0, "256*2^0",  n,   0,  n,  0x80,               0},
      {"float8_e5m2fnuz",    kFloat,   y,   8,  8,  0,  0,  0, "1*2^16",   n,   0,  n,  0x80,               0},
      {"float8_e4m3b11fnuz", kFloat,   y,   8,  8,  0,  0,  0, "32*2^0",   n,   0,  n,  0x80,               0},
      {"float8_e4m3",        kFloat,   y,   8,  8,  0,  0,  0, "256*2^0",  y,   3,  y,  0x7c,               0x78},
      {"float8_e3m4",        kFloat,   y,   8,  8,  0,  0,  0, "16*2^0",   y,   4,  y,  0x78,               0x70},
      {"float8_e8m0fnu",     kFloat,   n,   8,  8,  0,  0,  0, "1*2^128",  n,   0,  n,  0xff,               0},
      {"float6_e2m3fn",      kFloat,   y,   6,  8,  0,  0,  0, "8*2^0",    y,  -1,  n,  0,                  0},
      {"float6_e3m2fn",      kFloat,   y,   6,  8,  0,  0,  0, "32*2^0",   y,  -1,  n,  0,                  0},
      {"float4_e2m1fn",      kFloat,   y,   4,  8,  0,  0,  0, "8*2^0",    y,  -1,  n,  0,                  0},
      {"float4_e1m2",        kFloat,   y,   4,  8,  0,  0,  0, "2*2^0",    y,  -1,  n,  0,                  0},
      {"hifloat8",           kFloat,   y,   8,  8,  0,  0,  0, "3*2^14",   n,   0,  n,  0x80,               0x6f},
      {"tfloat32",           kFloat,   y,  19, 32, 13,  8, 10, "1*2^128",  y,  10,  y,  0x3fe00,            0x3fc00},
  };
  // clang-format on
}

constexpr std::uint64_t kQuiet = std::uint64_t{1} << 63;

// [sign] exponent fraction, as IEEE 754 section 3.4 reads them.
Datum DecodeIeee(const Format& f, std::uint64_t code) {
  Datum datum;
  const std::uint64_t fraction = code & ((std::uint64_t{1} << f.mantissa_bits) - 1);
  const std::uint64_t field = code >> f.mantissa_bits & ((std::uint64_t{1} << f.exponent_bits) - 1);
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  datum.negative = (code & f.SignBit()) != 0;
  if (field == (std::uint64_t{1} << f.exponent_bits) - 1) {
    datum.cls = fraction == 0 ? Class::kInfinite : Class::kNan;
    datum.payload = fraction << (64 - f.mantissa_bits);
  } else if (field == 0) {
    datum.value = MakeReal(datum.negative, fraction, 1 - bias - f.mantissa_bits);
    datum.subnormal = fraction != 0;
  } else {
    datum.value = MakeReal(datum.negative, fraction + (std::uint64_t{1} << f.mantissa_bits),
                           static_cast<int>(field) - bias - f.mantissa_bits);
  }
  return datum;
}

Datum DecodeInteger(const Format& f, std::uint64_t code) {
  Datum datum;
  datum.negative = f.is_signed && (code & f.SignBit()) != 0;
  const Uint128 magnitude = datum.negative ? (Uint128{1} << f.bits) - code : Uint128{code};
  datum.value = MakeReal(datum.negative, magnitude, 0);
  return datum;
}

std::vector<Datum> ReadCodes(const Format& f) {
  std::vector<Datum> codes;
  for (const auto& row : support::ReadGoldenCsv("codepoints/" + std::string(f.name) + ".csv")) {
    Check(std::strtoul(row[0].c_str(), nullptr, 16) == codes.size(), "codes out of order");
    const std::string& cls = row[1];
    Datum datum;
    if (cls == "nan") {
      datum.cls = Class::kNan;
      // Where NaNs have a fraction it is the low bits of the code; a lone NaN is quiet and has
      // nothing else to say.
      datum.payload = f.nan_fraction_bits > 0
                          ? std::uint64_t{codes.size()} << (64 - f.nan_fraction_bits)
                          : kQuiet;
      datum.negative = f.nan_has_sign && (codes.size() & f.SignBit()) != 0;
    } else if (cls == "inf") {
      datum.cls = Class::kInfinite;
      datum.negative = row[2].starts_with('-');
    } else {
      datum.value = ParseFraction(row[2]);
      // The fraction of -0 is "0" or "-0"; the sign is in the code.
      if (datum.value.IsZero()) datum.value.negative = (codes.size() & f.SignBit()) != 0;
      datum.negative = datum.value.negative;
      datum.subnormal = cls == "subnormal";
      Check(datum.subnormal || cls == (datum.value.IsZero() ? "zero" : "normal"), "unknown class");
    }
    codes.push_back(datum);
  }
  Check(codes.size() == std::size_t{1} << f.bits, "a code is missing");
  return codes;
}

bool IsShort(const Format& f) { return f.bits <= 16; }

// Formats of more than 16 bits have no list; their values are numbered in ascending order instead.
struct Ordinals {
  Int128 first, last;
};

Ordinals WideOrdinals(const Format& f) {
  if (f.kind == Kind::kInteger) {
    const Int128 half = Int128{1} << (f.bits - 1);
    return f.is_signed ? Ordinals{-half, half - 1} : Ordinals{0, 2 * half - 1};
  }
  const auto largest = static_cast<Int128>(f.infinity - 1);
  return {-largest, largest};
}

Point WidePoint(const Format& f, Int128 ordinal) {
  std::uint64_t code;
  if (f.kind == Kind::kInteger) {
    code = static_cast<std::uint64_t>(ordinal) & f.CodeMask();
  } else {
    code = ordinal < 0 ? f.SignBit() | static_cast<std::uint64_t>(-ordinal)
                       : static_cast<std::uint64_t>(ordinal);
  }
  const Datum datum = f.kind == Kind::kInteger ? DecodeInteger(f, code) : DecodeIeee(f, code);
  return {datum.value, code, datum.subnormal};
}

void Prepare(Format& f) {
  if (f.kind != Kind::kBool) {
    f.above_value = ParseStep(f.above);
    if (f.kind == Kind::kFloat && !f.is_signed) {
      f.below_value =
          Real{};  // float8_e8m0fnu: positive values only, with neither zero nor less among them
    } else if (f.kind == Kind::kFloat) {
      f.below_value = f.above_value;
      f.below_value.negative = true;
    } else if (f.is_signed) {
      f.below_value = MakeReal(true, (Uint128{1} << (f.bits - 1)) + 1, 0);
    } else {
      f.below_value = MakeReal(true, 1, 0);
    }
  }
  if (!IsShort(f)) return;
  if (f.kind == Kind::kBool) {
    for (unsigned code = 0; code < 256; ++code) {
      Datum datum;
      datum.value = MakeReal(false, code != 0 ? 1 : 0, 0);
      f.codes.push_back(datum);
    }
    return;
  }
  if (f.bits <= 8) {
    f.codes = ReadCodes(f);
  } else {
    for (std::uint64_t code = 0; code <= f.CodeMask(); ++code) {
      f.codes.push_back(f.kind == Kind::kInteger ? DecodeInteger(f, code) : DecodeIeee(f, code));
    }
  }
  for (std::uint64_t code = 0; code <= f.CodeMask(); ++code) {
    const Datum& datum = f.codes[code];
    if (datum.cls != Class::kFinite || (datum.value.IsZero() && datum.negative)) continue;
    f.points.push_back({datum.value, code, datum.subnormal});
  }
  std::sort(f.points.begin(), f.points.end(),
            [](const Point& a, const Point& b) { return Compare(a.value, b.value) < 0; });
  for (std::size_t i = 1; i < f.points.size(); ++i) {
    Check(Compare(f.points[i - 1].value, f.points[i].value) < 0, "two codes of one value");
    Check((f.points[i - 1].code & 1) != (f.points[i].code & 1), "parities do not alternate");
  }
  Check(Compare(f.points.back().value, f.above_value) < 0, "the step above is inside");
}

// ---- Choosing a neighbour -----------------------------------------------------------------------

// The value lies strictly between two neighbours of unlike parity: is it the upper one (toward
// +infinity)?
bool TakesUpper(Mode mode, bool negative, int to_middle, bool lower_is_odd) {
  switch (mode) {
    case Mode::kFloor:
      return false;
    case Mode::kCeil:
      return true;
    case Mode::kTrunc:
      return negative;
    case Mode::kOdd:
      return !lower_is_odd;
    case Mode::kRound:
      return to_middle > 0 || (to_middle == 0 && !negative);
    case Mode::kRint:
    case Mode::kNone:
      return to_middle > 0 || (to_middle == 0 && lower_is_odd);
    case Mode::kHybrid:
      break;
  }
  Check(false, "hybrid does not choose by neighbours");
  return false;
}

std::uint64_t LargestCode(const Format& f, bool negative) {
  if (IsShort(f)) return negative ? f.points.front().code : f.points.back().code;
  const Ordinals ordinals = WideOrdinals(f);
  return WidePoint(f, negative ? ordinals.first : ordinals.last).code;
}

std::uint64_t NanCode(const Format& f, bool negative, std::uint64_t payload) {
  std::uint64_t code = f.nan;
  if (f.nan_fraction_bits > 0) code |= payload >> (64 - f.nan_fraction_bits);
  if (f.nan_has_sign && negative) code |= f.SignBit();
  return code;
}

// Infinity, or what stands for it: NaN, or the largest finite value where there is no NaN either.
std::uint64_t InfinityCode(const Format& f, bool negative) {
  if (f.infinity != 0) return negative ? f.infinity | f.SignBit() : f.infinity;
  if (f.nan_fraction_bits >= 0) return NanCode(f, negative, 0);
  return LargestCode(f, negative);
}

// The low 64 bits of the value rounded to an integer, however large that is.
std::uint64_t LowBitsOfInteger(const Real& value, Mode mode) {
  const int fraction_bits = -value.exponent;
  Uint128 whole;     // of the magnitude
  int to_half = -1;  // its fraction against one half
  bool exact = false;
  if (fraction_bits <= 0) {
    whole = -fraction_bits >= 64 ? 0 : value.significand << -fraction_bits;
    exact = true;
  } else if (fraction_bits > kTopBit + 1) {
    whole = 0;
  } else {
    whole = value.significand >> fraction_bits;
    const Uint128 fraction = value.significand - (whole << fraction_bits);
    const Uint128 half = Uint128{1} << (fraction_bits - 1);
    to_half = fraction < half ? -1 : static_cast<int>(fraction > half);
    exact = fraction == 0;
  }
  const auto low = static_cast<std::uint64_t>(whole);
  if (exact) return value.negative ? 0 - low : low;
  const std::uint64_t lower = value.negative ? 0 - low - 1 : low;
  const int to_middle = value.negative ? -to_half : to_half;
  return lower + (TakesUpper(mode, value.negative, to_middle, (lower & 1) != 0) ? 1 : 0);
}

Result Overflow(const Format& f, bool negative, const Real& value, Mode mode,
                const Policy& policy) {
  using Rule = Policy::Overflow;
  std::uint64_t code = LargestCode(f, negative);
  if (f.kind == Kind::kInteger) {
    Check(policy.overflow == Rule::kSaturate || policy.overflow == Rule::kWrap,
          "not a rule for integers");
    if (policy.overflow == Rule::kWrap) code = LowBitsOfInteger(value, mode) & f.CodeMask();
  } else {
    Check(policy.overflow != Rule::kWrap, "not a rule for floats");
    bool to_infinity = policy.overflow == Rule::kInfinity;
    if (policy.overflow == Rule::kIeee) {
      const bool outward = mode == (negative ? Mode::kFloor : Mode::kCeil);
      const bool nearest = mode == Mode::kRint || mode == Mode::kNone || mode == Mode::kRound ||
                           mode == Mode::kHybrid;
      to_infinity = outward || nearest;
    }
    if (to_infinity) code = InfinityCode(f, negative);
  }
  return {code << f.low_zeros, Outcome::kOverflowed};
}

Result Land(const Format& f, const Point& point, bool negative, bool exact) {
  std::uint64_t code = point.code;
  if (point.value.IsZero() && negative && f.has_negative_zero) code |= f.SignBit();
  Outcome outcome = exact ? Outcome::kExact : Outcome::kRounded;
  if (!exact && f.kind == Kind::kFloat && (point.value.IsZero() || point.subnormal)) {
    outcome = Outcome::kUnderflowed;
  }
  return {code << f.low_zeros, outcome};
}

// ---- Mode hybrid --------------------------------------------------------------------------------

// float32 or float16 to hifloat8: from |e| = 4 on a threshold out of the source's low bits stands
// in for one half.
Result Hybrid(const Format& target, const Datum& datum, const Policy& policy, const Format& source,
              std::uint64_t word) {
  Check(target.name == "hifloat8" && IsShort(target), "hybrid goes to hifloat8");
  const bool from_float32 = source.name == "float32";
  Check(from_float32 || source.name == "float16", "hybrid comes from float32 or float16");
  if (datum.value.IsZero()) return {0, Outcome::kExact};

  // |x| = 2^e * (1 + fraction / 2^width), fraction < 2^width: the significand below its leading
  // one.
  const int e = datum.value.exponent + kTopBit;
  const int width = from_float32 ? 23 : 10;
  const auto significand = static_cast<std::uint64_t>(datum.value.significand >> (kTopBit - width));
  const std::uint64_t fraction = significand - (std::uint64_t{1} << width);

  const int distance = std::abs(e);
  if (distance <= 3) {
    return Finish(target, datum, Place(target, datum.value), Mode::kRound, policy, source, word);
  }
  if (e > 15) return Overflow(target, datum.negative, datum.value, Mode::kHybrid, policy);
  if (e < -23) return {0, Outcome::kUnderflowed};

  const int compared_bits = from_float32 ? 14 : 2;
  const std::uint64_t threshold = from_float32 ? word & 0x3fff : (word & 1) << 1 | 1;
  if (e == -23) {
    // Between zero and the least value; the compared number is the leading one and what follows it.
    const std::uint64_t number = significand >> (width + 1 - compared_bits);
    const std::uint64_t least = datum.negative ? 0x81 : 0x01;
    return {number >= threshold ? least : 0, Outcome::kUnderflowed};
  }
  const int kept_bits = e <= -16 ? 0 : distance <= 7 ? 2 : 1;
  const int below = width - kept_bits;  // fraction bits below the kept ones
  const std::uint64_t number =
      fraction >> (below - compared_bits) & ((std::uint64_t{1} << compared_bits) - 1);
  const std::uint64_t kept = significand >> below;
  const Real result =
      MakeReal(datum.negative, number >= threshold ? kept + 1 : kept, e - kept_bits);
  const Placement placement = Place(target, result);
  if (placement.beyond) return Overflow(target, datum.negative, result, Mode::kHybrid, policy);
  Check(placement.exact, "hybrid left the format");
  return Land(target, placement.lower, datum.negative, Compare(result, datum.value) == 0);
}

}  // namespace

Real MakeReal(bool negative, Uint128 significand, int exponent) {
  if (significand == 0) return {negative, 0, 0};
  const int shift = kTopBit + 1 - BitLength(significand);
  if (shift < 0) {
    Check(significand >> -shift << -shift == significand, "a number is too wide");
    return {negative, significand >> -shift, exponent - shift};
  }
  return {negative, significand << shift, exponent - shift};
}

int Compare(const Real& a, const Real& b) {
  const bool a_below = a.negative && !a.IsZero();
  const bool b_below = b.negative && !b.IsZero();
  if (a_below != b_below) return a_below ? -1 : 1;
  return a_below ? CompareMagnitude(b, a) : CompareMagnitude(a, b);
}

double ToDouble(const Real& a) {
  const auto significand = static_cast<std::uint64_t>(a.significand >> (kTopBit + 1 - 64));
  const double magnitude =
      std::ldexp(static_cast<double>(significand), a.exponent + kTopBit + 1 - 64);
  return a.negative ? -magnitude : magnitude;
}

const std::vector<Format>& Formats() {
  static const std::vector<Format> formats = [] {
    std::vector<Format> made = MakeFormats();
    for (Format& f : made) Prepare(f);
    return made;
  }();
  return formats;
}

const Format& Find(std::string_view name) {
  for (const Format& f : Formats()) {
    if (f.name == name) return f;
  }
  throw std::out_of_range("oracle: no format " + std::string(name));
}

Datum Decode(const Format& f, std::uint64_t word) {
  const std::uint64_t code = word >> f.low_zeros & f.CodeMask();
  if (IsShort(f)) return f.codes[code];
  return f.kind == Kind::kInteger ? DecodeInteger(f, code) : DecodeIeee(f, code);
}

Placement Place(const Format& f, const Real& value) {
  Placement p;
  p.beyond = Compare(value, f.above_value) >= 0 || Compare(value, f.below_value) <= 0;
  if (p.beyond) return p;

  // The number of points at or below the value, by bisection.
  const Ordinals ordinals =
      IsShort(f) ? Ordinals{0, static_cast<Int128>(f.points.size()) - 1} : WideOrdinals(f);
  const auto point_at = [&f](Int128 ordinal) {
    return IsShort(f) ? f.points[static_cast<std::size_t>(ordinal)] : WidePoint(f, ordinal);
  };
  Int128 low = ordinals.first;
  Int128 high = ordinals.last + 1;  // all below `low` are <= value, all from `high` on are > value
  while (low < high) {
    const Int128 middle = low + (high - low) / 2;
    if (Compare(point_at(middle).value, value) <= 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const Int128 upper = low;
  p.lower_is_step = upper == ordinals.first;
  p.upper_is_step = upper > ordinals.last;
  p.lower = p.lower_is_step ? Point{f.below_value, 0, false} : point_at(upper - 1);
  p.upper = p.upper_is_step ? Point{f.above_value, 0, false} : point_at(upper);
  p.lower_is_odd = p.lower_is_step ? (p.upper.code & 1) == 0 : (p.lower.code & 1) != 0;
  p.exact = Compare(p.lower.value, value) == 0;
  if (!p.exact) p.to_middle = Compare(Twice(value), AddNeighbours(p.lower.value, p.upper.value));
  return p;
}

Result Finish(const Format& target, const Datum& datum, const Placement& placement, Mode mode,
              const Policy& policy, const Format& source, std::uint64_t word) {
  const bool never_zero = target.name == "float8_e8m0fnu";  // no zero, no sign

  if (source.name == target.name) {
    const std::uint64_t code = word >> target.low_zeros & target.CodeMask();
    return {code << target.low_zeros, datum.cls == Class::kNan ? Outcome::kNan : Outcome::kExact};
  }
  if (target.kind == Kind::kBool) {
    if (datum.cls == Class::kNan) return {1, Outcome::kNan};
    const bool truth = datum.cls == Class::kInfinite || !datum.value.IsZero();
    const bool exact =
        datum.cls == Class::kFinite && (!truth || Compare(datum.value, MakeReal(false, 1, 0)) == 0);
    return {truth ? 1u : 0u, exact ? Outcome::kExact : Outcome::kRounded};
  }
  if (datum.cls == Class::kNan) {
    const bool lost = policy.zero_nan || target.nan_fraction_bits < 0;
    const std::uint64_t code = lost ? 0 : NanCode(target, datum.negative, datum.payload);
    return {code << target.low_zeros, Outcome::kNan};
  }

  const bool is_zero = datum.cls == Class::kFinite && datum.value.IsZero();
  if (never_zero && is_zero) return {0, Outcome::kRounded};
  if (never_zero && datum.negative) {
    if (policy.negative == Policy::Negative::kNan) return {target.nan, Outcome::kOverflowed};
    if (policy.negative == Policy::Negative::kLowest) return {0, Outcome::kOverflowed};
    Datum positive = datum;
    positive.negative = false;
    positive.value.negative = false;
    Result result =
        Finish(target, positive, Place(target, positive.value), mode, policy, source, word);
    result.outcome = Outcome::kOverflowed;  // a negative value did not fit, whatever was written
    return result;
  }

  if (datum.cls == Class::kInfinite) {
    std::uint64_t code = LargestCode(target, datum.negative);
    if (target.kind == Kind::kFloat && !policy.saturate_infinity) {
      code = InfinityCode(target, datum.negative);
    }
    const bool kept = target.infinity != 0 && !policy.saturate_infinity;
    return {code << target.low_zeros, kept ? Outcome::kExact : Outcome::kOverflowed};
  }

  if (mode == Mode::kHybrid) return Hybrid(target, datum, policy, source, word);
  if (placement.beyond) {
    return Overflow(target, datum.value.negative, datum.value, mode, policy);
  }
  if (placement.exact) return Land(target, placement.lower, datum.negative, true);
  if (never_zero && placement.lower_is_step) return {0, Outcome::kRounded};
  const bool up = TakesUpper(mode, datum.negative, placement.to_middle, placement.lower_is_odd);
  if (up ? placement.upper_is_step : placement.lower_is_step) {
    return Overflow(target, !up, datum.value, mode, policy);
  }
  return Land(target, up ? placement.upper : placement.lower, datum.negative, false);
}

Result Cast(const Format& source, const Format& target, std::uint64_t word, Mode mode,
            const Policy& policy) {
  const Datum datum = Decode(source, word);
  Placement placement;
  if (datum.cls == Class::kFinite && target.kind != Kind::kBool) {
    placement = Place(target, datum.value);
  }
  return Finish(target, datum, placement, mode, policy, source, word);
}

}  // namespace oracle
