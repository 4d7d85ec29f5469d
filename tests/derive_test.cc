// SPDX-License-Identifier: Apache-2.0
//
// Type derivation: every cell of the golden tables, what the packages themselves answer for more
// operands, categories, outputs, refusals. The tables under
// golden/derivation are the CANN documents' and headers', PyTorch's, NumPy's and JAX's; packages.csv
// holds answers of torch 2.15.0, numpy 2.4.6 and jax 0.10.2 for random operands.
#include "exactcast/derive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exactcast/names.h"
#include "tests/support/csv.h"

namespace exactcast {
namespace {

using enum OperandKind;
using support::ReadGoldenCsv;

Operand Tensor(FormatId id) { return {kTensor, id}; }
Operand Scalar(FormatId id) { return {kScalar, id}; }
Operand Python(Weak weak) { return {kPython, weak}; }

std::string Answer(std::string_view system, const std::vector<Operand>& operands,
                   const DeriveOptions& options = {}) {
  const Result<Derived> derived = Derive(system, operands, options);
  if (derived.ok()) return std::string(Name(derived->type));
  EXPECT_EQ(derived.status().code(), StatusCode::kUnsupported) << derived.status().message();
  return "x";
}

// --- golden tables ------------------------------------------------------------------------------

std::vector<std::string> HeaderOf(const std::string& file) {
  std::ifstream in(std::string(EXACTCAST_GOLDEN_DIR) + "/" + file);
  std::string line;
  std::getline(in, line);
  std::vector<std::string> cells;
  std::istringstream words(line);
  for (std::string cell; std::getline(words, cell, ',');) cells.push_back(cell);
  return cells;
}

Operand FromCsv(OperandKind kind, const std::string& word) {
  if (kind == kPython) return {kind, *ParsePythonNumber(word)};
  return {kind, *ParseNumberType(word)};
}

// A row's operand of `row_kind` and a column's tensor; the row comes first where both are tensors.
struct GoldenTable {
  const char* file;
  const char* system;
  const char* table;
  OperandKind row_kind;
  DeriveOptions options;
  int cells;
};

const GoldenTable kTables[] = {
    {"aclnn_tensor_scalar.csv", "aclnn", "tensor-scalar", kScalar, {}, 256},
    {"aclnn_tensor_tensor.csv", "aclnn", "tensor-tensor", kTensor, {}, 256},
    {"aclnn_tensor_tensor_code.csv", "aclnn-code", "tensor-tensor", kTensor, {}, 256},
    {"pytorch_promote_types.csv", "torch", "tensor-tensor", kTensor, {}, 256},
    {"pytorch_zero_dim.csv", "torch", "zero-dim", kScalar, {}, 256},
    {"pytorch_wrapped_number.csv", "torch", "python", kPython, {}, 64},
    {"numpy_promote_types.csv", "numpy", "tensor-tensor", kTensor, {}, 196},
    {"numpy_weak_scalar.csv", "numpy", "python", kPython, {}, 56},
    {"jax_lattice_x64.csv", "jax", "lattice", kTensor, {.x64 = true}, 1225},
    {"jax_lattice_x32.csv", "jax", "lattice", kTensor, {.x64 = false}, 1225},
};

const DerivationTable& Find(const std::vector<DerivationTable>& tables, std::string_view name) {
  for (const DerivationTable& table : tables) {
    if (table.name == name) return table;
  }
  throw std::runtime_error("no table " + std::string(name));
}

// The word of a golden cell as we print it: "s8" is int8.
std::string Printed(const std::string& word) {
  return word == "x" ? word : std::string(Name(*ParseNumberType(word)));
}

TEST(Derivation, EveryCellOfEveryGoldenTable) {
  for (const GoldenTable& golden : kTables) {
    const std::string file = std::string("derivation/") + golden.file;
    const std::vector<std::string> header = HeaderOf(file);
    const auto tables = DerivationTables(*FindDerivationSystem(golden.system), golden.options);
    const DerivationTable& table = Find(tables, golden.table);
    const auto rows = ReadGoldenCsv(file);
    ASSERT_EQ(rows.size(), table.rows.size()) << file;
    int cells = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(Name(table.rows[i]), Name(FromCsv(golden.row_kind, rows[i][0]))) << file;
      for (std::size_t j = 1; j < header.size(); ++j, ++cells) {
        EXPECT_EQ(Name(table.columns[j - 1]), Name(FromCsv(kTensor, header[j]))) << file;
        const Derivation& cell = table.cells[i][j - 1];
        EXPECT_EQ(cell.type ? std::string(Name(*cell.type)) : "x", Printed(rows[i][j]))
            << file << ": row " << rows[i][0] << ", column " << header[j];
        EXPECT_FALSE(cell.rule.empty());
      }
    }
    EXPECT_EQ(cells, golden.cells) << file;
  }
}

// Derive itself, not only the tables. JAX without x64 changes its operands first: next test.
TEST(Derivation, DeriveAnswersAsTheGoldenTables) {
  for (const GoldenTable& golden : kTables) {
    const std::string file = std::string("derivation/") + golden.file;
    if (golden.system == std::string_view("jax") && !golden.options.x64) continue;
    const std::vector<std::string> header = HeaderOf(file);
    for (const auto& row : ReadGoldenCsv(file)) {
      for (std::size_t j = 1; j < header.size(); ++j) {
        const Operand a = FromCsv(golden.row_kind, row[0]);
        const Operand b = FromCsv(kTensor, header[j]);
        EXPECT_EQ(Answer(golden.system, {a, b}, golden.options), Printed(row[j])) << file;
        if (golden.row_kind == kTensor) continue;
        EXPECT_EQ(Answer(golden.system, {b, a}, golden.options), Printed(row[j])) << file;
      }
    }
  }
}

TEST(Derivation, JaxWithoutX64TakesOperandsOf64BitsAs32) {
  const auto canonical = [](const std::string& word) {
    return word == "int64"        ? "int32"
           : word == "uint64"     ? "uint32"
           : word == "float64"    ? "float32"
           : word == "complex128" ? "complex64"
                                  : word;
  };
  const std::string file = "derivation/jax_lattice_x32.csv";
  const std::vector<std::string> header = HeaderOf(file);
  const auto rows = ReadGoldenCsv(file);
  const auto index = [&](const std::string& word) {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), word) - header.begin());
  };
  for (const auto& row : rows) {
    for (std::size_t j = 1; j < header.size(); ++j) {
      const std::string& expected = rows[index(canonical(row[0])) - 1][index(canonical(header[j]))];
      EXPECT_EQ(Answer("jax", {FromCsv(kTensor, row[0]), FromCsv(kTensor, header[j])}), expected)
          << row[0] << " with " << header[j];
    }
  }
  const auto derived = Derive("jax", {Tensor(FormatId::kInt64), Tensor(FormatId::kInt64)});
  EXPECT_EQ(Name(derived->type), "int32");
  EXPECT_EQ(derived->operands[0].lost, "2147483648");
  EXPECT_NE(derived->irregular.find("x64 off"), std::string::npos);
}

TEST(Derivation, AnswersAsThePackagesDoForAnyOperands) {
  for (const auto& row : ReadGoldenCsv("derivation/packages.csv")) {
    DeriveOptions options;
    if (row[0] == "torch") options.default_dtype = *ParseFormat(row[1]);
    options.x64 = row[1] == "on";
    std::vector<Operand> operands;
    std::istringstream words(row[3]);
    for (std::string word; words >> word;) {
      const std::size_t colon = word.find(':');
      const std::string kind = word.substr(0, colon);
      operands.push_back(FromCsv(kind == "tensor"   ? kTensor
                                 : kind == "scalar" ? kScalar
                                                    : kPython,
                                 word.substr(colon + 1)));
    }
    EXPECT_EQ(Answer(row[0], operands, options), row[2])
        << row[0] << " " << row[1] << ": " << row[3];
  }
}

// --- what the tables do not show ----------------------------------------------------------------

TEST(Derivation, TheCodeGivesTheScalarTableButForItsTwoExceptions) {
  std::vector<std::string> differences;
  for (const FormatId tensor : derivation::aclnn::kFormats) {
    for (const FormatId scalar : derivation::aclnn::kFormats) {
      const std::vector<Operand> operands = {Tensor(tensor), Scalar(scalar)};
      if (Answer("aclnn", operands) == Answer("aclnn-code", operands)) continue;
      differences.push_back(Name(operands[0]) + ", " + Name(operands[1]) + ": " +
                            Answer("aclnn-code", operands));
    }
  }
  EXPECT_EQ(differences, (std::vector<std::string>{"tensor complex32, scalar float64: complex32",
                                                   "tensor complex64, scalar float64: complex64"}));
}

TEST(Derivation, TheCodedTableIsAsymmetric) {
  EXPECT_EQ(Answer("aclnn-code", {Tensor(FormatId::kUint64), Tensor(FormatId::kComplex64)}),
            "complex128");
  EXPECT_EQ(Answer("aclnn-code", {Tensor(FormatId::kComplex64), Tensor(FormatId::kUint64)}), "x");
}

TEST(Derivation, EveryIrregularCellSaysWhyAndEveryRemarkHasACell) {
  const auto derived = Derive("aclnn", {Tensor(FormatId::kComplex64), Scalar(FormatId::kFloat64)});
  EXPECT_NE(derived->irregular.find("looks like an error"), std::string::npos);
  std::set<std::string_view> seen;
  for (const DerivationSystem& system : kDerivationSystems) {
    for (const bool x64 : {false, true}) {
      for (const DerivationTable& table : DerivationTables(system, {.x64 = x64})) {
        for (const auto& row : table.cells) {
          for (const Derivation& cell : row) seen.insert(cell.irregular);
        }
      }
    }
  }
  const auto expect_seen = [&](std::span<const derivation::Remark> remarks) {
    for (const derivation::Remark& remark : remarks) {
      EXPECT_TRUE(seen.count(remark.why) == 1) << remark.what;
    }
  };
  expect_seen(derivation::aclnn::kRemarks);
  expect_seen(derivation::torch::kRemarks);
  expect_seen(derivation::numpy::kRemarks);
  expect_seen(derivation::jax::kRemarks);
  for (const derivation::aclnn::Difference& row : derivation::aclnn::kDifferences) {
    EXPECT_TRUE(seen.count(row.why) == 1);
  }
}

TEST(Derivation, AclnnGoesFromLeftToRight) {
  const auto derived = Derive(
      "aclnn", {Tensor(FormatId::kInt32), Tensor(FormatId::kFloat16), Tensor(FormatId::kFloat64)});
  ASSERT_TRUE(derived.ok());
  EXPECT_EQ(Name(derived->type), "float64");
  ASSERT_EQ(derived->steps.size(), 2u);
  EXPECT_EQ(Name(derived->steps[0]), "float16");
  // int32 goes through float16, although float64 would hold it.
  EXPECT_EQ(derived->operands[0].lost, "2049");
  EXPECT_FALSE(derived->operands[1].lost);
  EXPECT_FALSE(derived->operands[2].converted);

  // uint16 first meets complex64 in one order only.
  EXPECT_EQ(Answer("aclnn-code", {Tensor(FormatId::kUint16), Tensor(FormatId::kComplex64),
                                  Tensor(FormatId::kFloat32)}),
            "complex64");
  const auto refused =
      Derive("aclnn-code",
             {Tensor(FormatId::kFloat32), Tensor(FormatId::kComplex64), Tensor(FormatId::kUint16)});
  EXPECT_NE(refused.status().message().find("tensor complex64 and tensor uint16"),
            std::string::npos);
}

// torch: the categories, not the order.
TEST(Derivation, TorchCombinesCategories) {
  EXPECT_EQ(Answer("torch", {Tensor(FormatId::kInt8), Scalar(FormatId::kInt64),
                             Scalar(FormatId::kFloat16), Python(Weak::kComplex)}),
            "complex32");
  EXPECT_EQ(Answer("torch", {Python(Weak::kFloat), Tensor(FormatId::kInt8)},
                   {.default_dtype = FormatId::kFloat64}),
            "float64");
  EXPECT_EQ(Answer("torch", {Tensor(FormatId::kBool), Python(Weak::kComplex)},
                   {.default_dtype = FormatId::kFloat16}),
            "complex32");
  EXPECT_EQ(Answer("torch", {Tensor(FormatId::kFloat8E4m3fn), Python(Weak::kFloat)}),
            "float8_e4m3fn");
  EXPECT_EQ(Answer("torch", {Tensor(FormatId::kFloat8E4m3fn), Tensor(FormatId::kFloat32)}), "x");
}

TEST(Derivation, JaxWeakTypesHaveNamesAndAreHeldInFormats) {
  const auto weak =
      Derive("jax", {Tensor(FormatId::kInt8), Tensor(FormatId::kUint64)}, {.x64 = true});
  EXPECT_EQ(Name(weak->type), "f*");
  EXPECT_EQ(weak->storage, FormatId::kFloat64);
  EXPECT_EQ(weak->operands[1].lost, "9007199254740993");
  EXPECT_EQ(Answer("jax", {Python(Weak::kInt), Python(Weak::kBool)}), "i*");
  EXPECT_EQ(Answer("jax", {Python(Weak::kComplex), {kTensor, Weak::kInt}}), "c*");
  EXPECT_EQ(Derive("jax", {Python(Weak::kInt), Python(Weak::kFloat)})->storage, FormatId::kFloat32);
}

// --- outputs and refusals -----------------------------------------------------------------------

TEST(Derivation, OutputsFollowThePublishedAndTheCodedRule) {
  using enum FormatId;
  struct Row {
    FormatId from, to;
    bool published, coded;
  };
  const Row rows[] = {{kInt32, kInt8, true, true},          {kInt32, kBfloat16, true, true},
                      {kInt32, kComplex64, true, true},     {kFloat32, kInt32, true, false},
                      {kFloat32, kComplex64, true, true},   {kComplex64, kFloat32, true, false},
                      {kComplex64, kComplex32, true, true}, {kComplex64, kInt32, false, false},
                      {kBool, kInt8, true, true},           {kBool, kBool, true, true},
                      {kInt8, kBool, false, false},         {kComplex64, kBool, false, false},
                      {kFloat32, kBool, false, false}};
  for (const Row& row : rows) {
    const auto output = ConvertsToOutput(row.from, row.to);
    EXPECT_EQ(output->published, row.published) << Name(row.from) << " to " << Name(row.to);
    EXPECT_EQ(output->coded, row.coded) << Name(row.from) << " to " << Name(row.to);
  }
  EXPECT_EQ(ConvertsToOutput(kFloat32, kHifloat8).status().code(), StatusCode::kUnsupported);
}

TEST(Derivation, RefusalsSayWhatAndWhy) {
  using enum FormatId;
  const auto expect = [](std::string_view system, const std::vector<Operand>& operands,
                         StatusCode code, std::string_view part) {
    const auto derived = Derive(system, operands);
    ASSERT_FALSE(derived.ok());
    EXPECT_EQ(derived.status().code(), code);
    EXPECT_NE(derived.status().message().find(part), std::string::npos)
        << derived.status().message();
  };
  constexpr StatusCode kUsage = StatusCode::kUsage;
  constexpr StatusCode kUnsupported = StatusCode::kUnsupported;
  expect("aclnn", {Tensor(kHifloat8), Scalar(kFloat32)}, kUnsupported, "does not know hifloat8");
  expect("aclnn", {Tensor(kUint16), Scalar(kFloat32)}, kUnsupported, "PromoteType has no entry");
  expect("aclnn", {Tensor(kInt8), Python(Weak::kInt)}, kUnsupported, "no Python numbers");
  expect("aclnn", {Scalar(kInt8), Scalar(kInt8)}, kUnsupported, "scalars alone");
  expect("aclnn", {Tensor(kUint1), Tensor(kInt8)}, kUnsupported, "does not know uint1");
  expect("numpy", {Tensor(kBfloat16), Tensor(kInt8)}, kUnsupported, "does not know bfloat16");
  expect("numpy", {{kTensor, Weak::kInt}, Tensor(kInt8)}, kUnsupported, "no weak type i*");
  expect("torch", {Tensor(kUint16), Tensor(kInt8)}, kUnsupported, "floating types only");
  expect("jax", {Tensor(kFloat8E5m2), Tensor(kFloat32)}, kUnsupported, "at most 8 bits");
  expect("jax", {Tensor(kInt4), Tensor(kInt8)}, kUnsupported, "below 8 bits");
  expect("jax", {Tensor(kComplex32), Tensor(kInt8)}, kUnsupported, "does not know complex32");
  expect("jax", {Tensor(kInt48), Tensor(kInt8)}, kUnsupported, "does not know int48");
  expect("acln", {Tensor(kInt8), Tensor(kInt8)}, kUsage, "there are aclnn, aclnn-code, torch");
  expect("aclnn", {Tensor(kInt8)}, kUsage, "at least two");
  EXPECT_EQ(
      Derive("torch", {Tensor(kInt8), Tensor(kInt8)}, {.default_dtype = kInt8}).status().code(),
      kUsage);
}

}  // namespace
}  // namespace exactcast
