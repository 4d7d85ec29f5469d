// SPDX-License-Identifier: Apache-2.0
//
// Derivation with reasons: what a system does not know, what becomes of each operand, whole tables.
#include "exactcast/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/derivation/loss.h"
#include "exactcast/spec/format_names.h"

namespace exactcast {
namespace {

namespace jax = derivation::jax;

constexpr std::array<std::string_view, 4> kPythonNames = {"bool", "int", "float", "complex"};
constexpr std::array<Weak, 4> kPythonNumbers = {Weak::kBool, Weak::kInt, Weak::kFloat,
                                                Weak::kComplex};

std::string FormatList(std::span<const FormatId> formats) {
  std::vector<std::string_view> names;
  names.reserve(formats.size());
  for (const FormatId id : formats) names.push_back(GetFormat(id).name);
  return WordList(names, "and");
}

std::string OperandList(const std::vector<Operand>& operands) {
  std::vector<std::string> names;
  names.reserve(operands.size());
  for (const Operand& operand : operands) names.push_back(Name(operand));
  return WordList({names.begin(), names.end()}, "and");
}

Status CheckOperand(const DerivationSystem& system, const Operand& operand) {
  const bool python = operand.kind == OperandKind::kPython;
  if (python && operand.type.weak == Weak::kNone) {
    return UsageError("a Python number is bool, int, float or complex");
  }
  if (python && !system.has_python) {
    return Unsupported(
        fmt::format("{} has no Python numbers: its scalars have a type", system.name));
  }
  if (python) return {};
  if (operand.type.weak != Weak::kNone) {
    if (system.has_weak_types && operand.type.weak != Weak::kBool) return {};
    return Unsupported(fmt::format("{} has no weak type {}", system.name, Name(operand.type)));
  }
  if (derivation::Contains(system.formats, operand.type.format)) return {};
  return Unsupported(fmt::format("{} does not know {}; its types are {}", system.name,
                                 Name(operand.type), FormatList(system.formats)));
}

Status Check(const DerivationSystem& system, const std::vector<Operand>& operands,
             const DeriveOptions& options) {
  if (!derivation::Contains(derivation::torch::kDefaults, options.default_dtype)) {
    return UsageError(fmt::format("a default dtype is one of {}, not {}",
                                  FormatList(derivation::torch::kDefaults),
                                  GetFormat(options.default_dtype).name));
  }
  if (operands.size() < 2) return UsageError("derivation takes at least two operands");
  for (const Operand& operand : operands) {
    if (Status status = CheckOperand(system, operand); !status.ok()) return status;
  }
  return {};
}

Status NoType(const DerivationSystem& system, const std::vector<Operand>& operands,
              std::string_view reason) {
  return Unsupported(
      fmt::format("{} has no type for {}: {}", system.name, OperandList(operands), reason));
}

// Sentences that differ, in their order.
void Append(std::string& text, std::string_view more, std::string_view joint) {
  if (more.empty() || text.find(more) != std::string::npos) return;
  if (!text.empty()) text += joint;
  text += more;
}

bool IsJax(const DerivationSystem& system) { return system.has_weak_types; }

FormatId StorageOf(const DerivationSystem& system, const NumberType& type,
                   const DeriveOptions& options) {
  return IsJax(system) ? jax::StorageOf(type, options.x64) : type.format;
}

std::optional<derivation::LostValue> FindLost(const DerivationSystem& system,
                                              const Operand& operand, FormatId to,
                                              const DeriveOptions& options) {
  const Format& target = GetFormat(to);
  if (operand.kind == OperandKind::kPython) {
    switch (operand.type.weak) {
      case Weak::kInt:
        return derivation::FindLostInteger(target);
      case Weak::kFloat:
        return derivation::FindLostValue(GetFormat(FormatId::kFloat64), target);
      case Weak::kComplex:
        return derivation::FindLostValue(GetFormat(FormatId::kComplex128), target);
      default:
        return derivation::FindLostValue(GetFormat(FormatId::kBool), target);
    }
  }
  return derivation::FindLostValue(GetFormat(StorageOf(system, operand.type, options)), target);
}

std::string LostText(const derivation::LostValue& lost) {
  return lost.imaginary ? "the imaginary part" : ExactDecimal(lost.value);
}

// The operand goes through the formats of `path`, which end in the derived one.
DerivedOperand Follow(const DerivationSystem& system, const Operand& operand,
                      const Derived& derived, const std::vector<FormatId>& path,
                      const DeriveOptions& options) {
  // A Python bool is no weak type but a bool.
  const NumberType type =
      operand.type.weak == Weak::kBool ? NumberType(FormatId::kBool) : operand.type;
  DerivedOperand result = {operand, type != derived.type, std::nullopt, {}};
  if (!result.converted && path.size() == 1) return result;
  for (const FormatId format : path) {
    if (type == NumberType(format)) continue;
    const auto lost = FindLost(system, operand, format, options);
    if (!lost) continue;
    result.lost = LostText(*lost);
    const bool python_int = operand.kind == OperandKind::kPython && type.weak == Weak::kInt;
    if (python_int && IsInteger(GetFormat(format))) result.raises = system.python_overflow;
    break;
  }
  return result;
}

// That operands of 64 bits came in with 32, beside what the lattice says.
std::string WithNarrowing(std::string_view irregular) {
  if (irregular == jax::kWhyX32) return std::string(jax::kWhyNarrowedX32);
  std::string text(irregular);
  Append(text, jax::kWhyNarrowed, "; ");
  return text;
}

// All operands at once: torch, numpy, jax.
Result<Derived> DeriveAtOnce(const DerivationSystem& system, const std::vector<Operand>& operands,
                             const DeriveOptions& options) {
  std::vector<Operand> canonical = operands;
  if (IsJax(system)) {
    for (Operand& operand : canonical) operand.type = jax::Canonical(operand.type, options.x64);
  }
  const Derivation answer = system.join(canonical, options);
  if (!answer.type) return NoType(system, operands, answer.rule);
  Derived derived = {*answer.type,
                     StorageOf(system, *answer.type, options),
                     {},
                     {},
                     std::string(answer.rule),
                     std::string(answer.irregular)};
  bool narrowed = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::vector<FormatId> path = {derived.storage};
    if (canonical[i].type != operands[i].type && operands[i].kind != OperandKind::kPython) {
      path.insert(path.begin(), canonical[i].type.format);
      narrowed = true;
    }
    derived.operands.push_back(Follow(system, operands[i], derived, path, options));
  }
  if (narrowed) derived.irregular = WithNarrowing(answer.irregular);
  return derived;
}

// Pair by pair from left to right: aclnn.
Result<Derived> DerivePairwise(const DerivationSystem& system, const std::vector<Operand>& operands,
                               const DeriveOptions& options) {
  Derived derived;
  Operand so_far = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const std::vector<Operand> pair = {so_far, operands[i]};
    const Derivation answer = system.join(pair, options);
    if (!answer.type) return NoType(system, pair, answer.rule);
    so_far = {OperandKind::kTensor, *answer.type};
    derived.steps.push_back(*answer.type);
    Append(derived.rule, answer.rule, "; then ");
    Append(derived.irregular, answer.irregular, "; ");
  }
  derived.type = so_far.type;
  derived.storage = so_far.type.format;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::vector<FormatId> path;
    for (std::size_t step = i > 0 ? i - 1 : 0; step < derived.steps.size(); ++step) {
      path.push_back(derived.steps[step].format);
    }
    derived.operands.push_back(Follow(system, operands[i], derived, path, options));
  }
  if (operands.size() == 2) derived.steps.clear();
  return derived;
}

std::vector<Operand> Operands(OperandKind kind, std::span<const FormatId> formats) {
  std::vector<Operand> operands;
  for (const FormatId id : formats) operands.push_back({kind, id});
  return operands;
}

DerivationTable MakeTable(const DerivationSystem& system, const DeriveOptions& options,
                          std::string_view name, std::vector<Operand> rows,
                          std::vector<Operand> columns) {
  DerivationTable table = {name, std::move(rows), std::move(columns), {}, {}};
  for (const Operand& row : table.rows) {
    std::vector<Derivation>& cells = table.cells.emplace_back();
    for (const Operand& column : table.columns) {
      const bool scalar_row = row.kind != OperandKind::kTensor;
      const std::array<Operand, 2> pair = {scalar_row ? column : row, scalar_row ? row : column};
      cells.push_back(system.join(pair, options));
    }
  }
  return table;
}

}  // namespace

Result<Derived> Derive(std::string_view name, const std::vector<Operand>& operands,
                       const DeriveOptions& options) {
  const Result<const DerivationSystem*> system = ParseDerivationSystem(name);
  if (!system.ok()) return system.status();
  if (Status status = Check(**system, operands, options); !status.ok()) return status;
  return (*system)->pairwise ? DerivePairwise(**system, operands, options)
                             : DeriveAtOnce(**system, operands, options);
}

std::optional<std::string> FindLoss(FormatId from, FormatId to) {
  const auto lost = derivation::FindLostValue(GetFormat(from), GetFormat(to));
  return lost ? std::optional(LostText(*lost)) : std::nullopt;
}

Result<const DerivationSystem*> ParseDerivationSystem(std::string_view word) {
  std::vector<std::string_view> names;
  for (const DerivationSystem& system : kDerivationSystems) {
    if (EqualsIgnoringCase(system.name, word)) return &system;
    names.push_back(system.name);
  }
  return UsageError(fmt::format("unknown profile '{}' of type derivation; there are {}", word,
                                WordList(names, "and")));
}

Result<NumberType> ParseNumberType(std::string_view word) {
  for (const Weak weak : {Weak::kInt, Weak::kFloat, Weak::kComplex}) {
    if (EqualsIgnoringCase(Name(weak), word)) return NumberType(weak);
  }
  const Result<FormatId> format = ParseFormat(word);
  if (!format.ok()) return format.status();
  return NumberType(*format);
}

Result<Weak> ParsePythonNumber(std::string_view word) {
  for (std::size_t i = 0; i < kPythonNames.size(); ++i) {
    if (EqualsIgnoringCase(kPythonNames[i], word)) return kPythonNumbers[i];
  }
  return UsageError(
      fmt::format("unknown Python number '{}'; there are bool, int, float and complex", word));
}

std::string_view Name(const NumberType& type) {
  switch (type.weak) {
    case Weak::kInt:
      return "i*";
    case Weak::kFloat:
      return "f*";
    case Weak::kComplex:
      return "c*";
    case Weak::kBool:
      return "bool";
    case Weak::kNone:
      break;
  }
  return GetFormat(type.format).name;
}

std::string_view ShortName(const NumberType& type) {
  std::string_view shortest = Name(type);
  if (type.weak != Weak::kNone) return shortest;
  for (const FormatSpelling& row : kFormatSpellings) {
    const bool word = row.spelling.front() != '<' && row.spelling.front() != '|';
    if (row.id == type.format && word && row.spelling.size() < shortest.size()) {
      shortest = row.spelling;
    }
  }
  return shortest;
}

std::string Name(const Operand& operand) {
  if (operand.kind == OperandKind::kPython) {
    return fmt::format("python {}", kPythonNames[static_cast<std::size_t>(operand.type.weak) - 1]);
  }
  return fmt::format("{} {}", operand.kind == OperandKind::kTensor ? "tensor" : "scalar",
                     Name(operand.type));
}

Result<OutputConversion> ConvertsToOutput(FormatId derived, FormatId output) {
  namespace aclnn = derivation::aclnn;
  for (const FormatId id : {derived, output}) {
    if (Status status = CheckOperand(kDerivationSystems[0], {OperandKind::kTensor, id});
        !status.ok()) {
      return status;
    }
  }
  return OutputConversion{aclnn::MayWrite(derived, output, aclnn::Source::kPublished),
                          aclnn::MayWrite(derived, output, aclnn::Source::kCode)};
}

std::vector<DerivationTable> DerivationTables(const DerivationSystem& system,
                                              const DeriveOptions& options) {
  using enum OperandKind;
  std::vector<DerivationTable> tables;
  const auto add = [&](std::string_view name, std::vector<Operand> rows,
                       std::vector<Operand> columns) {
    tables.push_back(MakeTable(system, options, name, std::move(rows), std::move(columns)));
  };
  if (IsJax(system)) {
    std::vector<Operand> nodes;
    nodes.reserve(jax::kNodes.size());
    for (const NumberType& node : jax::kNodes) nodes.push_back({kTensor, node});
    add("lattice", nodes, nodes);
    if (!options.x64) tables.back().note = jax::kBareLattice;
    return tables;
  }
  // torch: without the float8 types, which promote with nothing.
  const std::size_t count = std::min(system.formats.size(), derivation::torch::kTableFormats);
  const std::vector<Operand> tensors = Operands(kTensor, system.formats.first(count));
  add("tensor-tensor", tensors, tensors);
  if (system.has_scalars) {
    add(system.pairwise ? "tensor-scalar" : "zero-dim",
        Operands(kScalar, system.formats.first(count)), tensors);
  }
  if (!system.has_python) return tables;
  std::vector<Operand> numbers;
  numbers.reserve(kPythonNumbers.size());
  for (const Weak weak : kPythonNumbers) numbers.push_back({kPython, weak});
  add("python", numbers, tensors);
  return tables;
}

}  // namespace exactcast
