// SPDX-License-Identifier: Apache-2.0
//
// JAX's type promotion: the least upper bound in a lattice, computed from its edges. Python numbers
// and weakly typed arrays are the nodes i*, f* and c*. Source: jax, jax/_src/dtypes.py.
#ifndef EXACTCAST_SPEC_DERIVATION_JAX_H_
#define EXACTCAST_SPEC_DERIVATION_JAX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "exactcast/spec/derivation/type.h"
#include "exactcast/spec/format.h"

namespace exactcast::derivation::jax {

// clang-format off
inline constexpr auto kNodes = [] {
  using enum FormatId;
  return std::to_array<NumberType>({
  kFloat4E2m1fn, kFloat6E2m3fn, kFloat6E3m2fn, kFloat8E3m4, kFloat8E4m3, kFloat8E8m0fnu, kFloat8E4m3b11fnuz,
  kFloat8E4m3fn, kFloat8E4m3fnuz, kFloat8E5m2, kFloat8E5m2fnuz,
  kComplex128, kFloat64, kComplex64, kFloat32, kBfloat16, kFloat16, Weak::kComplex, Weak::kFloat,
  kInt64, kInt32, kInt16, kUint64, kUint32, kUint16, kUint8, kUint2, kUint4, kInt8, kInt2, kInt4, kInt1, kUint1,
  Weak::kInt, kBool});
}();

struct Edge {
  NumberType lower;
  NumberType upper;
};

inline constexpr auto kEdges = [] {
  using enum FormatId;
  return std::to_array<Edge>({
  {kBool, Weak::kInt},
  {Weak::kInt, kUint8}, {Weak::kInt, kUint4}, {Weak::kInt, kUint2}, {Weak::kInt, kUint1},
  {Weak::kInt, kInt8},  {Weak::kInt, kInt4},  {Weak::kInt, kInt2},  {Weak::kInt, kInt1},
  {kUint8, kInt16}, {kUint8, kUint16}, {kUint16, kInt32}, {kUint16, kUint32}, {kUint32, kInt64}, {kUint32, kUint64},
  {kInt8, kInt16}, {kInt16, kInt32}, {kInt32, kInt64},
  {kUint64, Weak::kFloat}, {kInt64, Weak::kFloat},
  {Weak::kFloat, kFloat4E2m1fn}, {Weak::kFloat, kFloat6E2m3fn}, {Weak::kFloat, kFloat6E3m2fn}, {Weak::kFloat, kFloat8E3m4},
  {Weak::kFloat, kFloat8E4m3}, {Weak::kFloat, kFloat8E8m0fnu}, {Weak::kFloat, kFloat8E4m3b11fnuz},
  {Weak::kFloat, kFloat8E4m3fn}, {Weak::kFloat, kFloat8E4m3fnuz}, {Weak::kFloat, kFloat8E5m2}, {Weak::kFloat, kFloat8E5m2fnuz},
  {Weak::kFloat, kBfloat16}, {Weak::kFloat, kFloat16}, {Weak::kFloat, Weak::kComplex},
  {kBfloat16, kFloat32}, {kFloat16, kFloat32}, {kFloat32, kFloat64}, {kFloat32, kComplex64},
  {kFloat64, kComplex128}, {Weak::kComplex, kComplex64}, {kComplex64, kComplex128},
  });
}();

// With x64 off nothing may become 64 bits wide that was not: one edge is another.
inline constexpr Edge kX64Edge = {FormatId::kUint32, FormatId::kInt64};
inline constexpr Edge kX32Edge = {FormatId::kUint32, FormatId::kInt32};
// clang-format on

using NodeSet = std::uint64_t;  // bit i: kNodes[i]
inline constexpr std::size_t kNoNode = kNodes.size();
static_assert(kNodes.size() <= 64);

constexpr std::size_t IndexOf(const NumberType& type) noexcept {
  std::size_t i = 0;
  while (i < kNodes.size() && kNodes[i] != type) ++i;
  return i;
}

constexpr NodeSet Bit(std::size_t node) noexcept { return NodeSet{1} << node; }

// For each node the set of nodes above it, itself included.
using Bounds = std::array<NodeSet, kNodes.size()>;

constexpr Bounds UpperBounds(bool x64) noexcept {
  Bounds bounds{};
  for (std::size_t i = 0; i < bounds.size(); ++i) bounds[i] = Bit(i);
  // As often as the longest way up: bool i* uint8 uint16 uint32 uint64 f* bfloat16 float32 ...
  for (std::size_t round = 0; round < kNodes.size(); ++round) {
    const Bounds before = bounds;
    for (const Edge& edge : kEdges) {
      const bool replaced = !x64 && edge.lower == kX64Edge.lower && edge.upper == kX64Edge.upper;
      const Edge& e = replaced ? kX32Edge : edge;
      bounds[IndexOf(e.lower)] |= bounds[IndexOf(e.upper)];
    }
    if (bounds == before) break;
  }
  return bounds;
}

inline constexpr Bounds kBoundsX64 = UpperBounds(true);
inline constexpr Bounds kBoundsX32 = UpperBounds(false);

// The node of `common` that lies below all others there; kNoNode without one.
constexpr std::size_t Least(NodeSet common, const Bounds& bounds) noexcept {
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if ((common & Bit(i)) != 0 && (common & ~bounds[i]) == 0) return i;
  }
  return kNoNode;
}

constexpr std::string_view WhyNot(std::span<const Operand> operands) noexcept {
  for (const Operand& operand : operands) {
    const Format& f = GetFormat(operand.type.format);
    if (operand.type.weak != Weak::kNone || f.bits > 8) continue;
    if (IsFloat(f)) return "floats of at most 8 bits do not promote with other floats";
    if (IsInteger(f) && f.bits < 8) return "integers below 8 bits do not promote with other types";
  }
  return "no type lies above all of them";
}

inline constexpr auto kRemarks = std::to_array<Remark>({
    {"an integer with a float of at most 8 bits gives that float: int64 with float8_e4m3fn, too",
     "every integer lies below f*, and f* below every float, however narrow",
     [](FormatId a, FormatId b) {
       const FormatId real = IsFloating(a) ? a : b;
       const FormatId integer = IsFloating(a) ? b : a;
       return IsFloating(real) && GetFormat(real).bits <= 8 &&
              CategoryOf(integer) == Category::kInteger && GetFormat(integer).bits >= 8;
     }},
    {"uint64 with a signed integer gives f*",
     "no integer type lies above both: the next common type is the weak float",
     [](FormatId a, FormatId b) {
       return (a == FormatId::kUint64 && GetFormat(b).kind == Kind::kSigned) ||
              (b == FormatId::kUint64 && GetFormat(a).kind == Kind::kSigned);
     }},
});

inline constexpr std::string_view kWhyX32 =
    "with x64 off nothing becomes 64 bits wide: uint32 lies below int32, whose range is smaller";
inline constexpr std::string_view kWhyNarrowed =
    "with x64 off there are no types of 64 bits: they come in with 32";
// Both at once.
inline constexpr std::string_view kWhyNarrowedX32 =
    "with x64 off there are no types of 64 bits: they come in with 32, and uint32 lies below "
    "int32, "
    "whose range is smaller";

// What is to be said about the lattice with x64 off.
inline constexpr std::string_view kBareLattice =
    "the bare lattice, as jnp.promote_types has it; derive with operands, as jnp.result_type, "
    "first "
    "takes those of 64 bits as 32 bits wide (int64 as int32), since x64 is off";

constexpr std::string_view WhyIrregular(const Operand& a, const Operand& b, bool x64) noexcept {
  if (a.type.weak != Weak::kNone || b.type.weak != Weak::kNone) return {};
  const auto is_signed = [](FormatId id) { return GetFormat(id).kind == Kind::kSigned; };
  const FormatId x = a.type.format;
  const FormatId y = b.type.format;
  const auto small = [&](FormatId id) { return is_signed(id) && GetFormat(id).bits <= 32; };
  if (!x64 && ((x == FormatId::kUint32 && small(y)) || (y == FormatId::kUint32 && small(x)))) {
    return kWhyX32;
  }
  return FindRemark(kRemarks, x, y);
}

// The least upper bound of all operands.
constexpr Derivation Join(std::span<const Operand> operands, bool x64) noexcept {
  const Bounds& bounds = x64 ? kBoundsX64 : kBoundsX32;
  NodeSet common = ~NodeSet{0};
  for (const Operand& operand : operands) common &= bounds[IndexOf(operand.type)];
  const std::size_t least = Least(common, bounds);
  if (least == kNoNode) return {std::nullopt, WhyNot(operands)};
  Derivation result = {kNodes[least], "the least upper bound in the lattice"};
  for (const Operand& operand : operands) {
    if (operand.type == kNodes[least]) result.rule = "this operand's type lies above the others";
  }
  if (operands.size() == 2) result.irregular = WhyIrregular(operands[0], operands[1], x64);
  return result;
}

// What an operand is before it promotes. With x64 off there are no arrays of 64 bits: they come in
// with half as many (complex128: as complex64).
constexpr NumberType Canonical(const NumberType& type, bool x64) noexcept {
  if (type.weak == Weak::kBool) return FormatId::kBool;  // a Python bool is not weak
  if (type.weak != Weak::kNone || x64) return type;
  switch (type.format) {
    case FormatId::kInt64:
      return FormatId::kInt32;
    case FormatId::kUint64:
      return FormatId::kUint32;
    case FormatId::kFloat64:
      return FormatId::kFloat32;
    case FormatId::kComplex128:
      return FormatId::kComplex64;
    default:
      return type;
  }
}

// The format that holds a weak type.
constexpr FormatId StorageOf(const NumberType& type, bool x64) noexcept {
  switch (type.weak) {
    case Weak::kNone:
      return type.format;
    case Weak::kBool:
      return FormatId::kBool;
    case Weak::kInt:
      return x64 ? FormatId::kInt64 : FormatId::kInt32;
    case Weak::kFloat:
      return x64 ? FormatId::kFloat64 : FormatId::kFloat32;
    case Weak::kComplex:
      return x64 ? FormatId::kComplex128 : FormatId::kComplex64;
  }
  return type.format;
}

}  // namespace exactcast::derivation::jax

#endif  // EXACTCAST_SPEC_DERIVATION_JAX_H_
