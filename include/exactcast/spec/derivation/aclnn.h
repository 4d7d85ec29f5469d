// SPDX-License-Identifier: Apache-2.0
//
// Type derivation of Ascend's aclnn operators (CANN, "deduction relationship" and "conversion
// relationship"): as the documents publish it, and as the public headers code it. Operators may
// deviate: this is what the tables and the shared functions say.
#ifndef EXACTCAST_SPEC_DERIVATION_ACLNN_H_
#define EXACTCAST_SPEC_DERIVATION_ACLNN_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "exactcast/spec/derivation/type.h"
#include "exactcast/spec/format.h"

namespace exactcast::derivation::aclnn {

enum class Source : bool { kPublished, kCode };

// --- tensor with tensor -------------------------------------------------------------------------

// clang-format off
inline constexpr auto kFormats = [] {
  using enum FormatId;
  return std::to_array<FormatId>({kFloat32, kFloat16, kFloat64, kBfloat16, kInt8, kUint8, kInt16, kUint16,
                                  kInt32, kUint32, kInt64, kUint64, kBool, kComplex32, kComplex64, kComplex128});
}();

// PromoteType as published, symmetric. Rows and columns in the order of kFormats.
inline constexpr auto kPromoteTypes = [] {
  const auto f32 = FormatId::kFloat32, f16 = FormatId::kFloat16, f64 = FormatId::kFloat64, bf = FormatId::kBfloat16;
  const auto s8 = FormatId::kInt8, s16 = FormatId::kInt16, s32 = FormatId::kInt32, s64 = FormatId::kInt64;
  const auto u8 = FormatId::kUint8, u16 = FormatId::kUint16, u32 = FormatId::kUint32, u64 = FormatId::kUint64;
  const auto b = FormatId::kBool;
  const auto c32 = FormatId::kComplex32, c64 = FormatId::kComplex64, c128 = FormatId::kComplex128;
  const std::nullopt_t x = std::nullopt;
  using Row = std::array<std::optional<FormatId>, kFormats.size()>;
  return std::to_array<Row>({
  //          f32   f16   f64   bf    s8    u8    s16   u16   s32   u32   s64   u64   bool  c32   c64   c128
  /* f32  */ {f32,  f32,  f64,  f32,  f32,  f32,  f32,  x,    f32,  x,    f32,  x,    f32,  c64,  c64,  c128},
  /* f16  */ {f32,  f16,  f64,  f32,  f16,  f16,  f16,  x,    f16,  x,    f16,  x,    f16,  c32,  c64,  c128},
  /* f64  */ {f64,  f64,  f64,  f64,  f64,  f64,  f64,  x,    f64,  x,    f64,  x,    f64,  c128, c128, c128},
  /* bf   */ {f32,  f32,  f64,  bf,   bf,   bf,   bf,   x,    bf,   x,    bf,   x,    bf,   c32,  c64,  c128},
  /* s8   */ {f32,  f16,  f64,  bf,   s8,   s16,  s16,  x,    s32,  x,    s64,  x,    s8,   c32,  c64,  c128},
  /* u8   */ {f32,  f16,  f64,  bf,   s16,  u8,   s16,  x,    s32,  x,    s64,  x,    u8,   c32,  c64,  c128},
  /* s16  */ {f32,  f16,  f64,  bf,   s16,  s16,  s16,  x,    s32,  x,    s64,  x,    s16,  c32,  c64,  c128},
  /* u16  */ {x,    x,    x,    x,    x,    x,    x,    u16,  x,    x,    x,    x,    x,    x,    x,    x},
  /* s32  */ {f32,  f16,  f64,  bf,   s32,  s32,  s32,  x,    s32,  x,    s64,  x,    s32,  c32,  c64,  c128},
  /* u32  */ {x,    x,    x,    x,    x,    x,    x,    x,    x,    u32,  x,    x,    x,    x,    x,    x},
  /* s64  */ {f32,  f16,  f64,  bf,   s64,  s64,  s64,  x,    s64,  x,    s64,  x,    s64,  c32,  c64,  c128},
  /* u64  */ {x,    x,    x,    x,    x,    x,    x,    x,    x,    x,    x,    u64,  x,    x,    x,    x},
  /* bool */ {f32,  f16,  f64,  bf,   s8,   u8,   s16,  x,    s32,  x,    s64,  x,    b,    c32,  c64,  c128},
  /* c32  */ {c64,  c32,  c128, c32,  c32,  c32,  c32,  x,    c32,  x,    c32,  x,    c32,  c32,  c64,  c128},
  /* c64  */ {c64,  c64,  c128, c64,  c64,  c64,  c64,  x,    c64,  x,    c64,  x,    c64,  c64,  c64,  c128},
  /* c128 */ {c128, c128, c128, c128, c128, c128, c128, x,    c128, x,    c128, x,    c128, c128, c128, c128},
  });
}();

// Where the coded table is another one: (first, second, result).
struct Difference {
  FormatId first;
  FormatId second;
  FormatId coded;
  std::string_view why;
};

inline constexpr std::string_view kWhyBfloat16 =
    "the published table gives complex32, whose parts hold neither the range nor the values of bfloat16; "
    "the code gives complex64, as PyTorch does";
inline constexpr std::string_view kWhyUnsigned =
    "the coded table fills this cell only with the unsigned type as first operand: it is not symmetric; "
    "the published table has no type here";

inline constexpr auto kDifferences = [] {
  using enum FormatId;
  return std::to_array<Difference>({
  // first       second        coded
  {kBfloat16,    kComplex32,   kComplex64,   kWhyBfloat16},
  {kComplex32,   kBfloat16,    kComplex64,   kWhyBfloat16},
  {kUint16,      kComplex64,   kComplex64,   kWhyUnsigned},
  {kUint32,      kComplex64,   kComplex64,   kWhyUnsigned},
  {kUint64,      kComplex64,   kComplex128,  kWhyUnsigned},
  {kUint16,      kComplex128,  kComplex128,  kWhyUnsigned},
  {kUint32,      kComplex128,  kComplex128,  kWhyUnsigned},
  {kUint64,      kComplex128,  kComplex128,  kWhyUnsigned},
  });
}();
// clang-format on

static_assert(
    [] {
      for (std::size_t i = 0; i < kFormats.size(); ++i) {
        if (kPromoteTypes[i][i] != kFormats[i]) return false;
        for (std::size_t j = 0; j < i; ++j) {
          if (kPromoteTypes[i][j] != kPromoteTypes[j][i]) return false;
        }
      }
      return true;
    }(),
    "the published table is symmetric, and a type with itself is that type");

constexpr std::size_t IndexOf(FormatId id) noexcept {
  std::size_t i = 0;
  while (kFormats[i] != id) ++i;
  return i;
}

constexpr std::optional<Difference> FindDifference(FormatId first, FormatId second) noexcept {
  for (const Difference& row : kDifferences) {
    if (row.first == first && row.second == second) return row;
  }
  return std::nullopt;
}

inline constexpr std::string_view kNoUnsigned =
    "PromoteType has no entry for uint16, uint32 and uint64 with another type";

constexpr Derivation PromoteType(FormatId first, FormatId second, Source source) noexcept {
  const std::optional<Difference> difference = FindDifference(first, second);
  if (difference && source == Source::kCode) {
    return {difference->coded, "PromoteType, as coded", difference->why};
  }
  const std::optional<FormatId> cell = kPromoteTypes[IndexOf(first)][IndexOf(second)];
  if (!cell) return {std::nullopt, kNoUnsigned, difference ? difference->why : kNoUnsigned};
  return {*cell, first == second ? "both have this type" : "PromoteType",
          difference ? difference->why : std::string_view{}};
}

// --- tensor with scalar -------------------------------------------------------------------------

// The two published cells that the algorithm does not give.
struct Exception {
  FormatId tensor;
  FormatId scalar;
  FormatId published;
};
inline constexpr auto kExceptions = [] {
  using enum FormatId;
  return std::to_array<Exception>({{kComplex32, kFloat64, kComplex128},  //
                                   {kComplex64, kFloat64, kComplex128}});
}();
inline constexpr std::string_view kWhyException =
    "looks like an error of the table: a complex128 scalar does not widen the tensor, float64 "
    "does; it equals PromoteType, which older chips' aclnnMuls used, and not the coded algorithm";
inline constexpr std::string_view kExceptionRule = "a listed exception of the published table";
inline constexpr std::string_view kWhyNoException =
    "the published table gives complex128 here, which looks like an error";

// Cells that surprise (tensor, scalar), the first remark that applies. All but the last follow
// from the algorithm.
inline constexpr auto kRemarks = std::to_array<Remark>({
    {"a float64 scalar with a float32, integer or bool tensor gives float32",
     "intended: a scalar counts by its category, not its width; every float scalar stands for "
     "float32, as PyTorch's wrapped numbers do",
     [](FormatId tensor, FormatId scalar) {
       return scalar == FormatId::kFloat64 && !IsWideUnsigned(tensor) &&
              (tensor == FormatId::kFloat32 || CategoryOf(tensor) < Category::kFloat);
     }},
    {"a float16 or bfloat16 scalar with an integer or bool tensor gives float32",
     "intended: every float scalar stands for float32",
     [](FormatId tensor, FormatId scalar) {
       return (scalar == FormatId::kFloat16 || scalar == FormatId::kBfloat16) &&
              !IsWideUnsigned(tensor) && CategoryOf(tensor) < Category::kFloat;
     }},
    {"a complex scalar with a float16 tensor gives complex32, with bfloat16 complex64",
     "intended, and as in PyTorch: the tensor keeps the type of its values; bfloat16 has no "
     "complex "
     "format of its own",
     [](FormatId tensor, FormatId scalar) {
       return IsComplex(scalar) && (tensor == FormatId::kFloat16 || tensor == FormatId::kBfloat16);
     }},
    {"uint16, uint32 or uint64: no type for a bool tensor with such a scalar, nor for such a "
     "tensor with a float scalar",
     "an artefact: both go through PromoteType, which has no rows for these types",
     [](FormatId tensor, FormatId scalar) {
       return (tensor == FormatId::kBool && IsWideUnsigned(scalar)) ||
              (IsWideUnsigned(tensor) && IsFloating(scalar));
     }},
    {"a uint16, uint32 or uint64 tensor with a complex scalar gives complex64",
     "an artefact: the complex branch is left before PromoteType, which would have no type",
     [](FormatId tensor, FormatId scalar) { return IsWideUnsigned(tensor) && IsComplex(scalar); }},
    {"a complex128 scalar with a float32, complex64, integer or bool tensor gives complex64, a "
     "complex32 scalar with an integer or bool tensor too",
     "intended: every complex scalar stands for complex64",
     [](FormatId tensor, FormatId scalar) {
       return (scalar == FormatId::kComplex128 &&
               (tensor == FormatId::kFloat32 || tensor == FormatId::kComplex64 ||
                CategoryOf(tensor) < Category::kFloat)) ||
              (scalar == FormatId::kComplex32 && CategoryOf(tensor) < Category::kFloat);
     }},
    {"an integer scalar with a bool tensor keeps the scalar's type",
     "intended: scalars have a type here; PyTorch's Python integers become int64",
     [](FormatId tensor, FormatId scalar) {
       return tensor == FormatId::kBool && CategoryOf(scalar) == Category::kInteger;
     }},
    {"a float64 scalar with a complex32 or complex64 tensor gives complex128 (as published; the "
     "code keeps the tensor's type)",
     kWhyException,
     [](FormatId tensor, FormatId scalar) {
       return scalar == FormatId::kFloat64 &&
              (tensor == FormatId::kComplex32 || tensor == FormatId::kComplex64);
     }},
});

constexpr FormatId ScalarDefault(FormatId scalar) noexcept {
  return IsComplex(scalar)    ? FormatId::kComplex64
         : IsFloating(scalar) ? FormatId::kFloat32
                              : scalar;
}

// The operators' CombineCategoriesWithComplex(tensor, default of the scalar).
constexpr Derivation Combine(FormatId high, FormatId low, Source source) noexcept {
  if (IsComplex(high)) return {high, "a complex tensor keeps its type"};
  if (IsComplex(low)) {
    if (!IsFloating(high)) return {low, "a complex scalar with an integer or bool tensor"};
    return {*ComplexOf(high), "a complex scalar: the complex type of the tensor's values"};
  }
  if (IsFloating(high)) return {high, "a float tensor keeps its type"};
  if (high == FormatId::kBool || IsFloating(low)) return PromoteType(high, low, source);
  return {high, "an integer tensor keeps its type with an integer or bool scalar"};
}

constexpr Derivation TensorScalar(FormatId tensor, FormatId scalar, Source source) noexcept {
  Derivation result = Combine(tensor, ScalarDefault(scalar), source);
  result.irregular = FindRemark(kRemarks, tensor, scalar);
  for (const Exception& row : kExceptions) {
    if (row.tensor != tensor || row.scalar != scalar) continue;
    if (source == Source::kPublished) return {row.published, kExceptionRule, kWhyException};
    result.irregular = kWhyNoException;
  }
  return result;
}

// Two operands; a scalar takes its role in either place.
constexpr Derivation Join(const Operand& first, const Operand& second, Source source) noexcept {
  const bool second_is_scalar = second.kind == OperandKind::kScalar;
  if (first.kind == OperandKind::kScalar) {
    if (second_is_scalar) return {std::nullopt, "it has no operation on scalars alone"};
    return TensorScalar(second.type.format, first.type.format, source);
  }
  return second_is_scalar ? TensorScalar(first.type.format, second.type.format, source)
                          : PromoteType(first.type.format, second.type.format, source);
}

// --- output -------------------------------------------------------------------------------------

// Whether a derived type may be written to an output of another type.
constexpr bool MayWrite(FormatId from, FormatId to, Source source) noexcept {
  const Category a = CategoryOf(from);
  const Category b = CategoryOf(to);
  if (from == to) return true;
  if (b == Category::kBool) return false;
  if (source == Source::kPublished) return a != Category::kComplex || b >= Category::kFloat;
  if (a == Category::kComplex) return b == Category::kComplex;
  return a != Category::kFloat || b != Category::kInteger;
}

}  // namespace exactcast::derivation::aclnn

#endif  // EXACTCAST_SPEC_DERIVATION_ACLNN_H_
