// SPDX-License-Identifier: Apache-2.0
//
// Type derivation with names, reasons and losses: which type an operation has on these operands in
// aclnn, PyTorch, NumPy or JAX, which operands are converted, and whether that loses values. The
// rules themselves are spec/derivation.h.
//
//   auto derived = exactcast::Derive("torch", {{OperandKind::kTensor, FormatId::kBfloat16},
//                                              {OperandKind::kTensor, FormatId::kInt32}});
#ifndef EXACTCAST_DERIVE_H_
#define EXACTCAST_DERIVE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/spec/derivation.h"
#include "exactcast/status.h"

namespace exactcast {

struct DerivedOperand {
  Operand operand;
  bool converted = false;
  // A value of the operand that does not survive, "257"; nothing when all do. Decided from the
  // formats, for the operand's whole range: a Python int has none.
  std::optional<std::string> lost;
  std::string_view raises;  // what the system raises for such a value; empty: it takes the loss
};

struct Derived {
  NumberType type;
  FormatId storage;  // of a weak type, the format that holds it; else the type's own
  std::vector<DerivedOperand> operands;
  std::vector<NumberType> steps;  // aclnn, more than two operands: the type after each pair
  std::string rule;
  std::string irregular;  // why the answer is not what one expects; empty where it is
};

// At least two operands, in their order, joined as the system does it (DerivationSystem::more).
// kUsage: an unknown system, too few operands, a default dtype that is none. kUnsupported: a type
// or a kind of operand that the system does not know, and operands for which it has no type; the
// message says why.
Result<Derived> Derive(std::string_view system, const std::vector<Operand>& operands,
                       const DeriveOptions& options = {});

// A value of `from` that `to` does not hold, "257"; nothing when it holds all of them.
std::optional<std::string> FindLoss(FormatId from, FormatId to);

Result<const DerivationSystem*> ParseDerivationSystem(std::string_view word);
// A format, or a weak type: i*, f*, c*.
Result<NumberType> ParseNumberType(std::string_view word);
Result<Weak> ParsePythonNumber(std::string_view word);  // bool, int, float, complex

// "float32"; of weak types "i*", "f*", "c*".
std::string_view Name(const NumberType& type);
// For tables: the shortest spelling, "f32", "bf16", "e4m3fn".
std::string_view ShortName(const NumberType& type);
// "tensor float32", "scalar int8", "python int".
std::string Name(const Operand& operand);

// Whether aclnn may write a derived type to an output of another type.
struct OutputConversion {
  bool published = false;
  bool coded = false;
};
Result<OutputConversion> ConvertsToOutput(FormatId derived, FormatId output);

// A whole table of a system. The answer of a cell is that of a column's and a row's operand: the
// row is the scalar where the two differ in kind, else the first operand.
struct DerivationTable {
  std::string_view name;  // "tensor-scalar"
  std::vector<Operand> rows;
  std::vector<Operand> columns;
  std::vector<std::vector<Derivation>> cells;  // [row][column]
  std::string_view note;  // where the table is not what Derive answers; empty elsewhere
};
std::vector<DerivationTable> DerivationTables(const DerivationSystem& system,
                                              const DeriveOptions& options = {});

}  // namespace exactcast

#endif  // EXACTCAST_DERIVE_H_
