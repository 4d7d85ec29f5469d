// SPDX-License-Identifier: Apache-2.0
//
// What derivation speaks of: number types (formats, and numbers whose width is still open),
// operands, and the answer for a set of operands. The rules of the systems stand beside this file.
#ifndef EXACTCAST_SPEC_DERIVATION_TYPE_H_
#define EXACTCAST_SPEC_DERIVATION_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "exactcast/spec/format.h"

namespace exactcast {

// A number whose kind is known and whose width is not: a Python number, JAX's weak types.
enum class Weak : std::uint8_t { kNone, kBool, kInt, kFloat, kComplex };

struct NumberType {
  constexpr NumberType() = default;
  constexpr NumberType(FormatId id) : format(id) {}  // NOLINT(google-explicit-constructor)
  constexpr NumberType(Weak kind) : weak(kind) {}    // NOLINT(google-explicit-constructor)

  FormatId format = FormatId::kBool;  // without meaning in a weak type
  Weak weak = Weak::kNone;

  friend constexpr bool operator==(const NumberType&, const NumberType&) = default;
};

enum class OperandKind : std::uint8_t {
  kTensor,
  kScalar,  // aclnn's typed scalar, a 0-d tensor of PyTorch, a typed scalar of NumPy or JAX
  kPython,  // a number of the language: weak
};

struct Operand {
  OperandKind kind = OperandKind::kTensor;
  NumberType type;
};

struct DeriveOptions {
  FormatId default_dtype = FormatId::kFloat32;  // torch: what a Python float becomes
  bool x64 = false;                             // jax: jax_enable_x64
};

// The answer for some operands. Without a type, `rule` is the reason why there is none.
struct Derivation {
  std::optional<NumberType> type;
  std::string_view rule;
  std::string_view irregular = {};  // why the cell is not what one expects; empty where it is
};

namespace derivation {

enum class Category : std::uint8_t { kBool, kInteger, kFloat, kComplex };

constexpr Category CategoryOf(FormatId id) noexcept {
  const Format& f = GetFormat(id);
  if (f.kind == Kind::kBoolean) return Category::kBool;
  if (f.kind == Kind::kComplex) return Category::kComplex;
  return IsInteger(f) ? Category::kInteger : Category::kFloat;
}

constexpr Category CategoryOf(Weak weak) noexcept {
  return weak == Weak::kBool      ? Category::kBool
         : weak == Weak::kInt     ? Category::kInteger
         : weak == Weak::kComplex ? Category::kComplex
                                  : Category::kFloat;
}

constexpr Category CategoryOf(const NumberType& type) noexcept {
  return type.weak == Weak::kNone ? CategoryOf(type.format) : CategoryOf(type.weak);
}

constexpr bool IsComplex(FormatId id) noexcept { return CategoryOf(id) == Category::kComplex; }
constexpr bool IsFloating(FormatId id) noexcept { return CategoryOf(id) == Category::kFloat; }

constexpr bool IsWideUnsigned(FormatId id) noexcept {
  return id == FormatId::kUint16 || id == FormatId::kUint32 || id == FormatId::kUint64;
}

// The complex format for a part; bfloat16 has the range of float32 and takes its format.
constexpr std::optional<FormatId> ComplexOf(FormatId part) noexcept {
  switch (part) {
    case FormatId::kFloat16:
      return FormatId::kComplex32;
    case FormatId::kBfloat16:
    case FormatId::kFloat32:
      return FormatId::kComplex64;
    case FormatId::kFloat64:
      return FormatId::kComplex128;
    default:
      return std::nullopt;
  }
}

constexpr FormatId Wider(FormatId a, FormatId b) noexcept {
  return GetFormat(b).bits > GetFormat(a).bits ? b : a;
}

// One remark on some cells of a table, with the cells as a predicate. For a table of tensor and
// scalar, the tensor comes first.
struct Remark {
  std::string_view what;  // the cells
  std::string_view why;
  bool (*applies)(FormatId a, FormatId b);
};

constexpr std::string_view FindRemark(std::span<const Remark> remarks, FormatId a,
                                      FormatId b) noexcept {
  for (const Remark& remark : remarks) {
    if (remark.applies(a, b)) return remark.why;
  }
  return {};
}

constexpr bool Contains(std::span<const FormatId> formats, FormatId id) noexcept {
  for (const FormatId format : formats) {
    if (format == id) return true;
  }
  return false;
}

}  // namespace derivation
}  // namespace exactcast

#endif  // EXACTCAST_SPEC_DERIVATION_TYPE_H_
