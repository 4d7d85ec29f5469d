// SPDX-License-Identifier: Apache-2.0
//
// Type derivation: which type an operation on several operands has, as five systems decide it. A
// system is a row; its rule stands in derivation/, one file a system. Names, messages and losses
// are derive.h.
#ifndef EXACTCAST_SPEC_DERIVATION_H_
#define EXACTCAST_SPEC_DERIVATION_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "exactcast/spec/derivation/aclnn.h"
#include "exactcast/spec/derivation/jax.h"
#include "exactcast/spec/derivation/numpy.h"
#include "exactcast/spec/derivation/torch.h"
#include "exactcast/spec/derivation/type.h"
#include "exactcast/spec/format.h"

namespace exactcast {

struct DerivationSystem {
  std::string_view name;
  std::string_view title;
  std::string_view source;            // what the rules are from
  std::string_view more;              // more than two operands
  std::span<const FormatId> formats;  // the types that it knows
  bool has_scalars;                   // scalars promote unlike tensors
  bool has_python;                    // weak Python numbers
  bool has_weak_types;                // i*, f*, c*
  bool pairwise;                      // from left to right; else all operands at once
  std::string_view python_overflow;   // raised for a Python int that an integer type does not hold
  Derivation (*join)(std::span<const Operand> operands, const DeriveOptions& options);
};

namespace derivation {

template <aclnn::Source kSource>
constexpr Derivation JoinAclnn(std::span<const Operand> operands, const DeriveOptions&) noexcept {
  return aclnn::Join(operands[0], operands[1], kSource);
}
constexpr Derivation JoinTorch(std::span<const Operand> operands,
                               const DeriveOptions& options) noexcept {
  return torch::Join(operands, options);
}
constexpr Derivation JoinNumpy(std::span<const Operand> operands, const DeriveOptions&) noexcept {
  return numpy::Join(operands);
}
constexpr Derivation JoinJax(std::span<const Operand> operands,
                             const DeriveOptions& options) noexcept {
  return jax::Join(operands, options.x64);
}

// The formats among JAX's nodes, in their order.
inline constexpr auto kJaxFormats = [] {
  std::array<FormatId, jax::kNodes.size() - 3> formats{};
  std::size_t n = 0;
  for (const NumberType& node : jax::kNodes) {
    if (node.weak == Weak::kNone) formats[n++] = node.format;
  }
  return formats;
}();

}  // namespace derivation

// clang-format off
inline constexpr auto kDerivationSystems = std::to_array<DerivationSystem>({
  {"aclnn",      "Ascend aclnn, as published",        "CANN, deduction relationship of types, tables 1 and 2",
   "pair by pair from left to right",                 derivation::aclnn::kFormats, true,  false, false, true,  "",
   derivation::JoinAclnn<derivation::aclnn::Source::kPublished>},
  {"aclnn-code", "Ascend aclnn, as coded",            "CANN, PromoteType and CombineCategoriesWithComplex of the public headers and operators",
   "pair by pair from left to right",                 derivation::aclnn::kFormats, true,  false, false, true,  "",
   derivation::JoinAclnn<derivation::aclnn::Source::kCode>},
  {"torch",      "PyTorch result_type",               "PyTorch, TypeProperties.cpp and ScalarType.cpp",
   "each category of operands by itself, then the categories", derivation::torch::kFormats, true, true, false, false, "",
   derivation::JoinTorch},
  {"numpy",      "NumPy 2 result_type",               "NumPy, data type promotion; NEP 50",
   "all at once, the highest kind first; the order is irrelevant", derivation::numpy::kFormats, false, true, false, false, "OverflowError",
   derivation::JoinNumpy},
  {"jax",        "JAX result_type",                   "JAX, type promotion semantics; dtypes.py",
   "the least upper bound of all",                    derivation::kJaxFormats, false, true, true, false, "",
   derivation::JoinJax},
});
// clang-format on

constexpr const DerivationSystem* FindDerivationSystem(std::string_view name) noexcept {
  for (const DerivationSystem& system : kDerivationSystems) {
    if (system.name == name) return &system;
  }
  return nullptr;
}

// From the documents: CANN's irregular cell and its coded table, NEP 50, JAX's lattice.
static_assert(
    [] {
      using enum FormatId;
      using enum OperandKind;
      const auto join = [](std::string_view system, Operand a, Operand b) {
        const std::array<Operand, 2> operands = {a, b};
        return FindDerivationSystem(system)->join(operands, {}).type;
      };
      return join("aclnn", {kTensor, kBool}, {kScalar, kFloat32}) == kFloat32 &&
             join("aclnn", {kTensor, kComplex64}, {kScalar, kFloat64}) == kComplex128 &&
             join("aclnn-code", {kTensor, kComplex64}, {kScalar, kFloat64}) == kComplex64 &&
             !join("aclnn", {kTensor, kUint16}, {kScalar, kFloat32}) &&
             join("torch", {kTensor, kInt64}, {kTensor, kFloat16}) == kFloat16 &&
             join("numpy", {kTensor, kUint8}, {kPython, Weak::kInt}) == kUint8 &&
             join("jax", {kTensor, kInt8}, {kTensor, kUint64}) == Weak::kFloat;
    }(),
    "examples of the documents");

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_DERIVATION_H_
