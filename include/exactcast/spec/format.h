// SPDX-License-Identifier: Apache-2.0
//
// Number formats, one row each, and what follows from a row: ranges, special codes. Every format is
// described by the same few fields; hifloat8, whose field widths vary, has its codec in hifloat8.h.
// How one format becomes another is reference.h.
#ifndef EXACTCAST_SPEC_FORMAT_H_
#define EXACTCAST_SPEC_FORMAT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace exactcast {

enum class FormatId : std::uint8_t {
  kBool,
  kInt2,
  kInt4,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint2,
  kUint4,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kFloat8E5m2,
  kFloat8E4m3fn,
  kFloat8E4m3fnuz,
  kFloat8E5m2fnuz,
  kFloat8E4m3b11fnuz,
  kFloat8E4m3,
  kFloat8E3m4,
  kFloat8E8m0fnu,
  kFloat6E2m3fn,
  kFloat6E3m2fn,
  kFloat4E2m1fn,
  kFloat4E1m2,
  kHifloat8,
  kTfloat32,
  kComplex32,
  kComplex64,
  kComplex128,
  // Known by name only: rescale has int48 and uint48, derive has int1 and uint1.
  kInt48,
  kUint48,
  kInt1,
  kUint1,
};

enum class Kind : std::uint8_t {
  kBoolean,   // zero is false, every other byte is true
  kSigned,    // two's complement
  kUnsigned,  //
  kFloat,     // [sign] exponent fraction, exponent biased
  kTapered,   // [sign] dot exponent fraction: hifloat8, see hifloat8.h
  kComplex,   // two parts, real first
};

// Which codes of a kFloat are not finite numbers.
enum class Specials : std::uint8_t {
  kNone,       // every code is a number
  kIeee,       // exponent all ones: infinity where the fraction is zero, else NaN
  kAllOnes,    // exponent and fraction all ones: NaN; no infinity ("fn")
  kMinusZero,  // the code of -0 is the only NaN; no infinity, no -0 ("fnuz")
};

// Which parts of the product know a format.
enum class Use : std::uint8_t { kCast, kRescaleOnly, kDeriveOnly };

struct Format {
  FormatId id;
  std::string_view name;  // as ml_dtypes spells it
  Kind kind;
  std::int16_t bits;          // of one code; a packed file holds just these
  std::int16_t storage_bits;  // of one element in an array
  std::int16_t low_zeros;     // bits below the code in the storage word: 13 for tfloat32
  bool has_sign;
  std::int16_t exponent_bits;
  std::int16_t mantissa_bits;  // stored fraction bits
  std::int16_t bias;
  Specials specials;
  FormatId part;  // of a complex format; else the format itself
  Use use;
};

// clang-format off
inline constexpr auto kFormats = [] {
  using enum FormatId;
  using enum Kind;
  using enum Specials;
  using enum Use;
  const bool s = true;   // has a sign
  const bool u = false;  // has none
  return std::to_array<Format>({
  // id                name                   kind       bits store low  sign  e   m  bias  specials    part               use
  {kBool,              "bool",                kBoolean,     8,   8,  0,  u,   0,  0,    0,  kNone,      kBool,             kCast},
  {kInt2,              "int2",                kSigned,      2,   8,  0,  s,   0,  0,    0,  kNone,      kInt2,             kCast},
  {kInt4,              "int4",                kSigned,      4,   8,  0,  s,   0,  0,    0,  kNone,      kInt4,             kCast},
  {kInt8,              "int8",                kSigned,      8,   8,  0,  s,   0,  0,    0,  kNone,      kInt8,             kCast},
  {kInt16,             "int16",               kSigned,     16,  16,  0,  s,   0,  0,    0,  kNone,      kInt16,            kCast},
  {kInt32,             "int32",               kSigned,     32,  32,  0,  s,   0,  0,    0,  kNone,      kInt32,            kCast},
  {kInt64,             "int64",               kSigned,     64,  64,  0,  s,   0,  0,    0,  kNone,      kInt64,            kCast},
  {kUint2,             "uint2",               kUnsigned,    2,   8,  0,  u,   0,  0,    0,  kNone,      kUint2,            kCast},
  {kUint4,             "uint4",               kUnsigned,    4,   8,  0,  u,   0,  0,    0,  kNone,      kUint4,            kCast},
  {kUint8,             "uint8",               kUnsigned,    8,   8,  0,  u,   0,  0,    0,  kNone,      kUint8,            kCast},
  {kUint16,            "uint16",              kUnsigned,   16,  16,  0,  u,   0,  0,    0,  kNone,      kUint16,           kCast},
  {kUint32,            "uint32",              kUnsigned,   32,  32,  0,  u,   0,  0,    0,  kNone,      kUint32,           kCast},
  {kUint64,            "uint64",              kUnsigned,   64,  64,  0,  u,   0,  0,    0,  kNone,      kUint64,           kCast},
  {kFloat16,           "float16",             kFloat,      16,  16,  0,  s,   5, 10,   15,  kIeee,      kFloat16,          kCast},
  {kBfloat16,          "bfloat16",            kFloat,      16,  16,  0,  s,   8,  7,  127,  kIeee,      kBfloat16,         kCast},
  {kFloat32,           "float32",             kFloat,      32,  32,  0,  s,   8, 23,  127,  kIeee,      kFloat32,          kCast},
  {kFloat64,           "float64",             kFloat,      64,  64,  0,  s,  11, 52, 1023,  kIeee,      kFloat64,          kCast},
  {kFloat8E5m2,        "float8_e5m2",         kFloat,       8,   8,  0,  s,   5,  2,   15,  kIeee,      kFloat8E5m2,       kCast},
  {kFloat8E4m3fn,      "float8_e4m3fn",       kFloat,       8,   8,  0,  s,   4,  3,    7,  kAllOnes,   kFloat8E4m3fn,     kCast},
  {kFloat8E4m3fnuz,    "float8_e4m3fnuz",     kFloat,       8,   8,  0,  s,   4,  3,    8,  kMinusZero, kFloat8E4m3fnuz,   kCast},
  {kFloat8E5m2fnuz,    "float8_e5m2fnuz",     kFloat,       8,   8,  0,  s,   5,  2,   16,  kMinusZero, kFloat8E5m2fnuz,   kCast},
  {kFloat8E4m3b11fnuz, "float8_e4m3b11fnuz",  kFloat,       8,   8,  0,  s,   4,  3,   11,  kMinusZero, kFloat8E4m3b11fnuz,kCast},
  {kFloat8E4m3,        "float8_e4m3",         kFloat,       8,   8,  0,  s,   4,  3,    7,  kIeee,      kFloat8E4m3,       kCast},
  {kFloat8E3m4,        "float8_e3m4",         kFloat,       8,   8,  0,  s,   3,  4,    3,  kIeee,      kFloat8E3m4,       kCast},
  {kFloat8E8m0fnu,     "float8_e8m0fnu",      kFloat,       8,   8,  0,  u,   8,  0,  127,  kAllOnes,   kFloat8E8m0fnu,    kCast},
  {kFloat6E2m3fn,      "float6_e2m3fn",       kFloat,       6,   8,  0,  s,   2,  3,    1,  kNone,      kFloat6E2m3fn,     kCast},
  {kFloat6E3m2fn,      "float6_e3m2fn",       kFloat,       6,   8,  0,  s,   3,  2,    3,  kNone,      kFloat6E3m2fn,     kCast},
  {kFloat4E2m1fn,      "float4_e2m1fn",       kFloat,       4,   8,  0,  s,   2,  1,    1,  kNone,      kFloat4E2m1fn,     kCast},
  {kFloat4E1m2,        "float4_e1m2",         kFloat,       4,   8,  0,  s,   1,  2,    1,  kNone,      kFloat4E1m2,       kCast},
  {kHifloat8,          "hifloat8",            kTapered,     8,   8,  0,  s,   0,  0,    0,  kNone,      kHifloat8,         kCast},
  {kTfloat32,          "tfloat32",            kFloat,      19,  32, 13,  s,   8, 10,  127,  kIeee,      kTfloat32,         kCast},
  {kComplex32,         "complex32",           kComplex,    32,  32,  0,  s,   0,  0,    0,  kNone,      kFloat16,          kCast},
  {kComplex64,         "complex64",           kComplex,    64,  64,  0,  s,   0,  0,    0,  kNone,      kFloat32,          kCast},
  {kComplex128,        "complex128",          kComplex,   128, 128,  0,  s,   0,  0,    0,  kNone,      kFloat64,          kCast},
  {kInt48,             "int48",               kSigned,     48,  64,  0,  s,   0,  0,    0,  kNone,      kInt48,            kRescaleOnly},
  {kUint48,            "uint48",              kUnsigned,   48,  64,  0,  u,   0,  0,    0,  kNone,      kUint48,           kRescaleOnly},
  {kInt1,              "int1",                kSigned,      1,   8,  0,  s,   0,  0,    0,  kNone,      kInt1,             kDeriveOnly},
  {kUint1,             "uint1",               kUnsigned,    1,   8,  0,  u,   0,  0,    0,  kNone,      kUint1,            kDeriveOnly},
  });
}();
// clang-format on

static_assert(
    [] {
      for (std::size_t i = 0; i < kFormats.size(); ++i) {
        const Format& f = kFormats[i];
        if (static_cast<std::size_t>(f.id) != i) return false;
        if (f.kind == Kind::kFloat &&
            f.bits != (f.has_sign ? 1 : 0) + f.exponent_bits + f.mantissa_bits) {
          return false;
        }
      }
      return true;
    }(),
    "rows stand in the order of FormatId, and the fields of a float fill its code");

constexpr const Format& GetFormat(FormatId id) noexcept {
  return kFormats[static_cast<std::size_t>(id)];
}

constexpr bool IsInteger(const Format& f) noexcept {
  return f.kind == Kind::kSigned || f.kind == Kind::kUnsigned;
}
// A number format with a binary point: what "float target" means in the rules.
constexpr bool IsFloat(const Format& f) noexcept {
  return f.kind == Kind::kFloat || f.kind == Kind::kTapered;
}
// Two or more elements share a byte in a packed file.
constexpr bool IsPackable(const Format& f) noexcept { return f.bits == 4 || f.bits == 2; }

constexpr std::uint64_t LowMask(int bits) noexcept {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

constexpr std::uint64_t SignBit(const Format& f) noexcept {
  return f.has_sign ? std::uint64_t{1} << (f.bits - 1) : 0;
}

// A float without fraction bits spends no exponent code on zero and subnormals.
constexpr bool HasZero(const Format& f) noexcept {
  return f.kind != Kind::kFloat || f.mantissa_bits > 0;
}
constexpr bool HasNegativeZero(const Format& f) noexcept {
  return f.kind == Kind::kFloat && f.has_sign && f.specials != Specials::kMinusZero;
}
constexpr bool HasInfinity(const Format& f) noexcept {
  return f.kind == Kind::kTapered || (f.kind == Kind::kFloat && f.specials == Specials::kIeee);
}
constexpr bool HasNan(const Format& f) noexcept {
  return f.kind == Kind::kTapered || (f.kind == Kind::kFloat && f.specials != Specials::kNone);
}

// kFloat: the exponent of the least normal value.
constexpr int MinExponent(const Format& f) noexcept { return (HasZero(f) ? 1 : 0) - f.bias; }

// What a code stands for. A finite value is (-1)^negative * significand * 2^exponent, exactly,
// significand != 0.
enum class Class : std::uint8_t { kZero, kFinite, kInfinity, kNan };

struct Exact {
  Class cls = Class::kZero;
  bool negative = false;
  int exponent = 0;
  std::uint64_t significand = 0;
  std::uint64_t payload = 0;  // NaN: the fraction, moved to the top; bit 63 is the quiet bit
};

inline constexpr std::uint64_t kQuietBit = std::uint64_t{1} << 63;

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_FORMAT_H_
