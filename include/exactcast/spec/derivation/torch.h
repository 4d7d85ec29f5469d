// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's result_type: operands fall into three categories (tensors with dimensions, 0-d tensors,
// wrapped Python numbers), each is promoted by itself, then the categories are combined.
// Sources: pytorch, aten/src/ATen/native/TypeProperties.cpp, c10/core/ScalarType.cpp.
#ifndef EXACTCAST_SPEC_DERIVATION_TORCH_H_
#define EXACTCAST_SPEC_DERIVATION_TORCH_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "exactcast/spec/derivation/type.h"
#include "exactcast/spec/format.h"

namespace exactcast::derivation::torch {

// The 16 types of the tables, then the float8 types, which promote with nothing.
inline constexpr std::size_t kTableFormats = 16;
inline constexpr auto kFormats = [] {
  using enum FormatId;
  return std::to_array<FormatId>(
      {kFloat32,        kFloat16,        kFloat64,      kBfloat16,   kInt8,       kUint8,
       kInt16,          kUint16,         kInt32,        kUint32,     kInt64,      kUint64,
       kBool,           kComplex32,      kComplex64,    kComplex128, kFloat8E5m2, kFloat8E4m3fn,
       kFloat8E4m3fnuz, kFloat8E5m2fnuz, kFloat8E8m0fnu});
}();

// torch.set_default_dtype takes these.
inline constexpr std::array<FormatId, 4> kDefaults = {FormatId::kFloat32, FormatId::kFloat16,
                                                      FormatId::kFloat64, FormatId::kBfloat16};

constexpr bool IsFloat8(FormatId id) noexcept { return IsFloating(id) && GetFormat(id).bits == 8; }

inline constexpr std::string_view kNoFloat8 =
    "float8 types do not promote: convert the operand first";
inline constexpr std::string_view kNoUnsigned =
    "uint16, uint32 and uint64 promote with floating types only";

inline constexpr auto kRemarks = std::to_array<Remark>({
    {"uint16, uint32 or uint64 with a floating type gives the floating type, with anything else no "
     "type",
     "promotion of these types is left open: int64 does not hold uint64, and uint8 was decided "
     "otherwise before",
     [](FormatId a, FormatId b) { return a != b && (IsWideUnsigned(a) || IsWideUnsigned(b)); }},
    {"float16 with bfloat16 gives float32", "neither holds the other's values",
     [](FormatId a, FormatId b) {
       return (a == FormatId::kFloat16 && b == FormatId::kBfloat16) ||
              (b == FormatId::kFloat16 && a == FormatId::kBfloat16);
     }},
    {"bfloat16 with complex32 gives complex64",
     "bfloat16 has no complex type of its own and counts as float32",
     [](FormatId a, FormatId b) {
       return (a == FormatId::kBfloat16 && b == FormatId::kComplex32) ||
              (b == FormatId::kBfloat16 && a == FormatId::kComplex32);
     }},
});

inline constexpr std::string_view kWhyBfloat16 =
    "bfloat16 counts as float32; PyTorch 2.15 gives bcomplex32 here, a pair of bfloat16 that is no "
    "format of ours";

constexpr FormatId PromoteWithin(FormatId a, FormatId b) noexcept {
  const bool differ = a != b && GetFormat(a).bits == GetFormat(b).bits;
  if (differ && IsFloating(a)) return FormatId::kFloat32;  // float16, bfloat16
  if (differ) return FormatId::kInt16;                     // int8, uint8
  return Wider(a, b);
}

// promoteTypes: the higher category wins; within a category the wider type.
constexpr Derivation Promote(FormatId a, FormatId b) noexcept {
  if (a == b) return {a, "both have this type"};
  if (IsFloat8(a) || IsFloat8(b)) return {std::nullopt, kNoFloat8};
  const std::string_view remark = FindRemark(kRemarks, a, b);
  if (CategoryOf(a) < CategoryOf(b)) {
    const FormatId low = a;
    a = b;
    b = low;
  }
  if (IsWideUnsigned(a) || IsWideUnsigned(b)) {
    if (IsFloating(a)) return {a, "a floating type with an unsigned one", remark};
    return {std::nullopt, kNoUnsigned, remark};
  }
  if (CategoryOf(a) == CategoryOf(b)) {
    return {PromoteWithin(a, b), "the smallest type that holds both", remark};
  }
  if (IsComplex(a) && IsFloating(b)) {
    return {Wider(a, *ComplexOf(b)), "complex, as wide as either operand needs", remark};
  }
  return {a, "the higher of the categories bool, integer, float, complex", remark};
}

using Slot = std::optional<FormatId>;

constexpr Derivation PromoteSlots(const Slot& a, const Slot& b) noexcept {
  if (!a || !b) return {a ? *a : *b, "one category of operands"};
  return Promote(*a, *b);
}

// combine_categories: what `low` may change in `high`. At least one of them is there.
constexpr Derivation Combine(const Slot& high, const Slot& low) noexcept {
  if (!high || !low) return PromoteSlots(high, low);
  if (IsComplex(*high)) return {*high, "a complex type keeps its width"};
  if (IsComplex(*low)) {
    if (!IsFloating(*high)) return {*low, "only the lower category of operands is complex"};
    const std::optional<FormatId> type = ComplexOf(*high);
    if (!type) return {std::nullopt, "a float8 type has no complex type"};
    return {*type, "complex with the value type of the higher category of operands",
            *high == FormatId::kBfloat16 ? kWhyBfloat16 : std::string_view{}};
  }
  if (IsFloating(*high)) return {*high, "a floating type keeps its width"};
  if (*high == FormatId::kBool || IsFloating(*low)) return Promote(*high, *low);
  return {*high, "an integer type keeps its width"};
}

constexpr FormatId FromPython(Weak weak, FormatId default_dtype) noexcept {
  switch (weak) {
    case Weak::kBool:
      return FormatId::kBool;
    case Weak::kInt:
      return FormatId::kInt64;
    case Weak::kComplex:
      return *ComplexOf(default_dtype == FormatId::kBfloat16 ? FormatId::kFloat32 : default_dtype);
    default:
      return default_dtype;
  }
}

constexpr Derivation Join(std::span<const Operand> operands,
                          const DeriveOptions& options) noexcept {
  std::array<Slot, 3> slots;  // in the order of OperandKind
  std::array<std::size_t, 3> counts = {};
  Derivation last;
  for (const Operand& operand : operands) {
    const auto kind = static_cast<std::size_t>(operand.kind);
    const FormatId format = operand.kind == OperandKind::kPython
                                ? FromPython(operand.type.weak, options.default_dtype)
                                : operand.type.format;
    last = PromoteSlots(slots[kind], format);
    if (!last.type) return last;
    slots[kind] = last.type->format;
    ++counts[kind];
  }
  for (const std::size_t count : counts) {
    if (count == operands.size()) return last;
  }
  Slot lower = slots[1] ? slots[1] : slots[2];
  if (slots[1] && slots[2]) {
    last = Combine(slots[1], slots[2]);
    if (!last.type || !slots[0]) return last;
    lower = last.type->format;
  }
  return Combine(slots[0], lower);
}

}  // namespace exactcast::derivation::torch

#endif  // EXACTCAST_SPEC_DERIVATION_TORCH_H_
