// SPDX-License-Identifier: Apache-2.0
//
// Spellings of the formats: whole names from one table, compared without regard to case; no rule
// takes names apart. The first spelling of a format is its own name in format.h. What means
// different formats in different systems is listed apart.
#ifndef EXACTCAST_SPEC_FORMAT_NAMES_H_
#define EXACTCAST_SPEC_FORMAT_NAMES_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "exactcast/spec/format.h"

namespace exactcast {

struct FormatSpelling {
  std::string_view spelling;  // in small letters
  FormatId id;
};

struct AmbiguousSpelling {
  std::string_view spelling;
  std::string_view candidates;
};

// A bare letter and number counts bits (i8 is int8); NumPy's names count bytes and need their order
// mark (<i8 is int64).
// clang-format off
inline constexpr auto kFormatSpellings = [] {
  using enum FormatId;
  return std::to_array<FormatSpelling>({
  {"bool", kBool}, {"boolean", kBool}, {"bool_", kBool}, {"bool8", kBool}, {"|b1", kBool},
  {"int2", kInt2}, {"i2", kInt2}, {"s2", kInt2}, {"si2", kInt2}, {"int2_t", kInt2},
  {"int4", kInt4}, {"i4", kInt4}, {"s4", kInt4}, {"si4", kInt4}, {"int4_t", kInt4}, {"int4b_t", kInt4}, {"int4x2_t", kInt4},
  {"int8", kInt8}, {"i8", kInt8}, {"s8", kInt8}, {"si8", kInt8}, {"int8_t", kInt8}, {"|i1", kInt8}, {"<i1", kInt8},
  {"int16", kInt16}, {"i16", kInt16}, {"s16", kInt16}, {"si16", kInt16}, {"int16_t", kInt16}, {"<i2", kInt16},
  {"int32", kInt32}, {"i32", kInt32}, {"s32", kInt32}, {"si32", kInt32}, {"int32_t", kInt32}, {"<i4", kInt32},
  {"int64", kInt64}, {"i64", kInt64}, {"s64", kInt64}, {"si64", kInt64}, {"int64_t", kInt64}, {"<i8", kInt64},
  {"uint2", kUint2}, {"u2", kUint2}, {"ui2", kUint2}, {"uint2_t", kUint2},
  {"uint4", kUint4}, {"u4", kUint4}, {"ui4", kUint4}, {"uint4_t", kUint4},
  {"uint8", kUint8}, {"u8", kUint8}, {"ui8", kUint8}, {"uint8_t", kUint8}, {"|u1", kUint8}, {"<u1", kUint8},
  {"uint16", kUint16}, {"u16", kUint16}, {"ui16", kUint16}, {"uint16_t", kUint16}, {"<u2", kUint16},
  {"uint32", kUint32}, {"u32", kUint32}, {"ui32", kUint32}, {"uint32_t", kUint32}, {"<u4", kUint32},
  {"uint64", kUint64}, {"u64", kUint64}, {"ui64", kUint64}, {"uint64_t", kUint64}, {"<u8", kUint64},
  {"float16", kFloat16}, {"f16", kFloat16}, {"fp16", kFloat16}, {"half", kFloat16}, {"float16_t", kFloat16},
  {"binary16", kFloat16}, {"<f2", kFloat16},
  {"bfloat16", kBfloat16}, {"bf16", kBfloat16}, {"bfloat16_t", kBfloat16}, {"bfloat", kBfloat16}, {"brain16", kBfloat16},
  {"float32", kFloat32}, {"f32", kFloat32}, {"fp32", kFloat32}, {"float", kFloat32}, {"single", kFloat32},
  {"float32_t", kFloat32}, {"binary32", kFloat32}, {"<f4", kFloat32},
  {"float64", kFloat64}, {"f64", kFloat64}, {"fp64", kFloat64}, {"double", kFloat64}, {"float64_t", kFloat64},
  {"binary64", kFloat64}, {"<f8", kFloat64},
  {"float8_e5m2", kFloat8E5m2}, {"e5m2", kFloat8E5m2}, {"f8e5m2", kFloat8E5m2}, {"fp8e5m2", kFloat8E5m2},
  {"fp8_e5m2", kFloat8E5m2}, {"fp8_e5m2_t", kFloat8E5m2}, {"f8_e5m2", kFloat8E5m2}, {"float8e5m2", kFloat8E5m2},
  {"float8_e4m3fn", kFloat8E4m3fn}, {"e4m3fn", kFloat8E4m3fn}, {"f8e4m3fn", kFloat8E4m3fn}, {"fp8e4m3fn", kFloat8E4m3fn},
  {"fp8_e4m3fn", kFloat8E4m3fn}, {"fp8_e4m3fn_t", kFloat8E4m3fn}, {"f8_e4m3", kFloat8E4m3fn}, {"f8_e4m3fn", kFloat8E4m3fn},
  {"fp8e4m3", kFloat8E4m3fn}, {"fp8_e4m3", kFloat8E4m3fn}, {"float8e4m3fn", kFloat8E4m3fn},
  {"float8_e4m3fnuz", kFloat8E4m3fnuz}, {"e4m3fnuz", kFloat8E4m3fnuz}, {"f8e4m3fnuz", kFloat8E4m3fnuz},
  {"fp8e4m3fnuz", kFloat8E4m3fnuz}, {"fp8_e4m3fnuz", kFloat8E4m3fnuz}, {"f8_e4m3fnuz", kFloat8E4m3fnuz},
  {"float8e4m3fnuz", kFloat8E4m3fnuz},
  {"float8_e5m2fnuz", kFloat8E5m2fnuz}, {"e5m2fnuz", kFloat8E5m2fnuz}, {"f8e5m2fnuz", kFloat8E5m2fnuz},
  {"fp8e5m2fnuz", kFloat8E5m2fnuz}, {"fp8_e5m2fnuz", kFloat8E5m2fnuz}, {"f8_e5m2fnuz", kFloat8E5m2fnuz},
  {"float8e5m2fnuz", kFloat8E5m2fnuz},
  {"float8_e4m3b11fnuz", kFloat8E4m3b11fnuz}, {"e4m3b11fnuz", kFloat8E4m3b11fnuz}, {"f8e4m3b11fnuz", kFloat8E4m3b11fnuz},
  {"float8_e4m3b11", kFloat8E4m3b11fnuz}, {"e4m3b11", kFloat8E4m3b11fnuz}, {"fp8_e4m3b11fnuz", kFloat8E4m3b11fnuz},
  {"float8_e4m3", kFloat8E4m3},
  {"float8_e3m4", kFloat8E3m4}, {"e3m4", kFloat8E3m4}, {"f8e3m4", kFloat8E3m4}, {"fp8e3m4", kFloat8E3m4},
  {"fp8_e3m4", kFloat8E3m4}, {"f8_e3m4", kFloat8E3m4},
  {"float8_e8m0fnu", kFloat8E8m0fnu}, {"float8_e8m0", kFloat8E8m0fnu}, {"e8m0", kFloat8E8m0fnu},
  {"e8m0fnu", kFloat8E8m0fnu}, {"f8e8m0fnu", kFloat8E8m0fnu}, {"fp8_e8m0", kFloat8E8m0fnu}, {"fp8_e8m0_t", kFloat8E8m0fnu},
  {"fp8e8m0", kFloat8E8m0fnu}, {"f8_e8m0", kFloat8E8m0fnu}, {"f8e8m0", kFloat8E8m0fnu}, {"ue8m0", kFloat8E8m0fnu},
  {"float8e8m0", kFloat8E8m0fnu},
  {"float6_e2m3fn", kFloat6E2m3fn}, {"float6_e2m3", kFloat6E2m3fn}, {"e2m3fn", kFloat6E2m3fn}, {"e2m3", kFloat6E2m3fn},
  {"f6e2m3fn", kFloat6E2m3fn}, {"f6_e2m3", kFloat6E2m3fn}, {"fp6_e2m3", kFloat6E2m3fn}, {"fp6e2m3", kFloat6E2m3fn},
  {"float6_e3m2fn", kFloat6E3m2fn}, {"float6_e3m2", kFloat6E3m2fn}, {"e3m2fn", kFloat6E3m2fn}, {"e3m2", kFloat6E3m2fn},
  {"f6e3m2fn", kFloat6E3m2fn}, {"f6_e3m2", kFloat6E3m2fn}, {"fp6_e3m2", kFloat6E3m2fn}, {"fp6e3m2", kFloat6E3m2fn},
  {"float4_e2m1fn", kFloat4E2m1fn}, {"float4_e2m1", kFloat4E2m1fn}, {"e2m1fn", kFloat4E2m1fn}, {"e2m1", kFloat4E2m1fn},
  {"f4e2m1fn", kFloat4E2m1fn}, {"f4_e2m1", kFloat4E2m1fn}, {"fp4_e2m1", kFloat4E2m1fn}, {"fp4e2m1", kFloat4E2m1fn},
  {"fp4_e2m1_t", kFloat4E2m1fn}, {"fp4x2_e2m1_t", kFloat4E2m1fn}, {"float4e2m1", kFloat4E2m1fn},
  {"float4_e1m2", kFloat4E1m2}, {"float4_e1m2fn", kFloat4E1m2}, {"e1m2", kFloat4E1m2}, {"f4e1m2", kFloat4E1m2},
  {"f4_e1m2", kFloat4E1m2}, {"fp4_e1m2", kFloat4E1m2}, {"fp4e1m2", kFloat4E1m2}, {"fp4_e1m2_t", kFloat4E1m2},
  {"fp4x2_e1m2_t", kFloat4E1m2},
  {"hifloat8", kHifloat8}, {"hif8", kHifloat8}, {"hifloat8_t", kHifloat8}, {"hi_f8", kHifloat8},
  {"tfloat32", kTfloat32}, {"tf32", kTfloat32},
  {"complex32", kComplex32}, {"c32", kComplex32}, {"chalf", kComplex32}, {"<c4", kComplex32},
  {"complex64", kComplex64}, {"c64", kComplex64}, {"cfloat", kComplex64}, {"<c8", kComplex64},
  {"complex128", kComplex128}, {"c128", kComplex128}, {"cdouble", kComplex128}, {"<c16", kComplex128},
  {"int48", kInt48}, {"i48", kInt48}, {"s48", kInt48},
  {"uint48", kUint48}, {"u48", kUint48},
  {"int1", kInt1}, {"s1", kInt1},
  {"uint1", kUint1}, {"u1", kUint1},
  });
}();

inline constexpr auto kAmbiguousSpellings = std::to_array<AmbiguousSpelling>({
  {"e4m3", "float8_e4m3fn, float8_e4m3, float8_e4m3fnuz or float8_e4m3b11fnuz"},
  {"f8e4m3", "float8_e4m3 (MLIR) or float8_e4m3fn"},
  {"fp8", "float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz or hifloat8"},
  {"float8", "float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz or hifloat8"},
  {"f8", "float8_e4m3fn, float8_e5m2 or hifloat8 (NumPy counts bytes: float64)"},
  {"fp6", "float6_e2m3fn or float6_e3m2fn"},
  {"float6", "float6_e2m3fn or float6_e3m2fn"},
  {"f6", "float6_e2m3fn or float6_e3m2fn"},
  {"fp4", "float4_e2m1fn or float4_e1m2"},
  {"float4", "float4_e2m1fn or float4_e1m2"},
  {"f4", "float4_e2m1fn or float4_e1m2 (NumPy counts bytes: float32)"},
  {"i1", "int1, bool (MLIR) or int8 (NumPy counts bytes)"},
  {"bf8", "float8_e5m2 or float8_e5m2fnuz"},
  {"hf8", "float8_e4m3fn or hifloat8"},
  {"int", "int32 or int64"},
  {"uint", "uint32 or uint64"},
  {"complex", "complex64 or complex128"},
});
// clang-format on

constexpr char ToLower(char c) noexcept {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool EqualsIgnoringCase(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (ToLower(a[i]) != ToLower(b[i])) return false;
  }
  return true;
}

constexpr std::optional<FormatId> FindFormat(std::string_view name) noexcept {
  for (const FormatSpelling& row : kFormatSpellings) {
    if (EqualsIgnoringCase(row.spelling, name)) return row.id;
  }
  return std::nullopt;
}

static_assert(
    [] {
      for (const Format& f : kFormats) {
        if (FindFormat(f.name) != f.id) return false;
      }
      for (const AmbiguousSpelling& row : kAmbiguousSpellings) {
        if (FindFormat(row.spelling)) return false;
      }
      return true;
    }(),
    "every format is found by its name, and no ambiguous spelling is");

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_FORMAT_NAMES_H_
