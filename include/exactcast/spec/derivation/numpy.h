// SPDX-License-Identifier: Apache-2.0
//
// NumPy 2's result_type (NEP 50): arrays and typed scalars promote alike; Python numbers are weak
// and decide the kind at most. Source: numpy, doc/source/reference/arrays.promotion.rst.
#ifndef EXACTCAST_SPEC_DERIVATION_NUMPY_H_
#define EXACTCAST_SPEC_DERIVATION_NUMPY_H_

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "exactcast/spec/derivation/type.h"
#include "exactcast/spec/format.h"

namespace exactcast::derivation::numpy {

inline constexpr auto kFormats = [] {
  using enum FormatId;
  return std::to_array<FormatId>({kBool, kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kInt64,
                                  kUint64, kFloat16, kFloat32, kFloat64, kComplex64, kComplex128});
}();

inline constexpr auto kRemarks = std::to_array<Remark>({
    {"uint64 with a signed integer gives float64",
     "no integer type holds both; float64 counts as safe for both, though it rounds large values",
     [](FormatId a, FormatId b) {
       return (a == FormatId::kUint64 && GetFormat(b).kind == Kind::kSigned) ||
              (b == FormatId::kUint64 && GetFormat(a).kind == Kind::kSigned);
     }},
    {"float16 or float32 with a wider integer gives a wider float",
     "a float must have at least twice the bits of the integer, as far as there are such floats",
     [](FormatId a, FormatId b) {
       const FormatId real = IsFloating(a) ? a : b;
       const FormatId integer = IsFloating(a) ? b : a;
       return IsFloating(real) && CategoryOf(integer) == Category::kInteger &&
              GetFormat(integer).bits * 2 > GetFormat(real).bits && real != FormatId::kFloat64;
     }},
    {"complex64 with an integer of 32 or 64 bits gives complex128",
     "its parts are float32, and the integers need float64",
     [](FormatId a, FormatId b) {
       const FormatId complex = IsComplex(a) ? a : b;
       const FormatId integer = IsComplex(a) ? b : a;
       return complex == FormatId::kComplex64 && CategoryOf(integer) == Category::kInteger &&
              GetFormat(integer).bits >= 32;
     }},
});

constexpr FormatId IntegerAsFloat(FormatId integer) noexcept {
  const int bits = GetFormat(integer).bits;
  return bits == 8 ? FormatId::kFloat16 : bits == 16 ? FormatId::kFloat32 : FormatId::kFloat64;
}

constexpr FormatId ComplexOfPart(FormatId real) noexcept {
  return real == FormatId::kFloat64 ? FormatId::kComplex128 : FormatId::kComplex64;
}

// Two integer types: the smallest that holds both.
constexpr FormatId PromoteIntegers(FormatId a, FormatId b) noexcept {
  if (GetFormat(a).kind == GetFormat(b).kind) return Wider(a, b);
  const FormatId with_sign = GetFormat(a).kind == Kind::kSigned ? a : b;
  const FormatId without = GetFormat(a).kind == Kind::kSigned ? b : a;
  if (GetFormat(with_sign).bits > GetFormat(without).bits) return with_sign;
  switch (GetFormat(without).bits) {
    case 8:
      return FormatId::kInt16;
    case 16:
      return FormatId::kInt32;
    case 32:
      return FormatId::kInt64;
    default:
      return FormatId::kFloat64;
  }
}

// promote_types.
constexpr FormatId Promote(FormatId a, FormatId b) noexcept {
  if (CategoryOf(a) < CategoryOf(b)) return Promote(b, a);
  if (CategoryOf(b) == Category::kBool) return a;
  if (CategoryOf(a) == Category::kInteger) return PromoteIntegers(a, b);
  if (CategoryOf(b) == Category::kInteger) return Promote(a, IntegerAsFloat(b));
  if (IsComplex(a) && IsFloating(b)) return Wider(a, ComplexOfPart(b));
  return Wider(a, b);
}

// result_type of typed operands: each with the highest category first, which makes the order of
// operands irrelevant: int8, uint8 and float16 give float16, not int16 and float16's float32.
constexpr FormatId PromoteAll(std::span<const Operand> operands, FormatId highest) noexcept {
  for (const Operand& operand : operands) {
    if (operand.kind != OperandKind::kPython && CategoryOf(operand.type) == CategoryOf(highest)) {
      highest = Promote(highest, operand.type.format);
    }
  }
  FormatId all = highest;
  for (const Operand& operand : operands) {
    if (operand.kind != OperandKind::kPython) {
      all = Promote(all, Promote(highest, operand.type.format));
    }
  }
  return all;
}

// A Python number with a type; bool is no weak type but the type bool.
constexpr Derivation WithPython(const std::optional<FormatId>& typed, Weak weak) noexcept {
  const Category category = typed ? CategoryOf(*typed) : Category::kBool;
  if (weak == Weak::kBool) return {typed.value_or(FormatId::kBool), "a Python bool is a bool"};
  if (CategoryOf(weak) <= category) return {*typed, "a weak Python number keeps the type"};
  switch (weak) {
    case Weak::kInt:
      return {FormatId::kInt64, "a Python int without an integer type beside it is int64"};
    case Weak::kFloat:
      return {FormatId::kFloat64, "a Python float without a floating type beside it is float64"};
    default:
      return {category == Category::kFloat ? ComplexOfPart(*typed) : FormatId::kComplex128,
              "a Python complex: complex with the width of the floats, else complex128"};
  }
}

constexpr Derivation Join(std::span<const Operand> operands) noexcept {
  std::optional<FormatId> highest;
  Weak weak = Weak::kNone;
  std::size_t typed = 0;
  for (const Operand& operand : operands) {
    if (operand.kind == OperandKind::kPython) {
      if (operand.type.weak > weak) weak = operand.type.weak;
      continue;
    }
    ++typed;
    if (!highest || CategoryOf(*highest) < CategoryOf(operand.type)) highest = operand.type.format;
  }
  if (highest) highest = PromoteAll(operands, *highest);
  if (weak != Weak::kNone) return WithPython(highest, weak);
  Derivation result = {*highest,
                       "the smallest type to which NumPy calls every cast safe (promote_types)"};
  if (typed == 2) {
    result.irregular = FindRemark(kRemarks, operands[0].type.format, operands[1].type.format);
  }
  return result;
}

}  // namespace exactcast::derivation::numpy

#endif  // EXACTCAST_SPEC_DERIVATION_NUMPY_H_
