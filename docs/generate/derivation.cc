// SPDX-License-Identifier: Apache-2.0
//
// docs/derivation.md: every table of type derivation, with the reason of each cell that surprises.
// All cells are computed by the rules in spec/derivation/.
#include "exactcast/spec/derivation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "docs/generate/pages.h"
#include "exactcast/derive.h"

namespace exactcast::docs {
namespace {

namespace aclnn = derivation::aclnn;
namespace jax = derivation::jax;

constexpr const char* kIntroduction =
    R"(# Type derivation

<!-- Generated from include/exactcast/spec/derivation/ by `./dev docs`; do not edit. -->

Which type has an operation on operands of several types? `exactcast derive` answers as five systems do, says which operands
are converted and whether that loses values. This page shows all their tables. `x`: no type, the operation is refused. A
number behind a cell is the remark under the table that says why the cell is as it is.

)";

constexpr const char* kTensorScalar =
    R"(
## aclnn: tensor with scalar

The scalar counts by its category: a float stands for float32, a complex for complex64, integers and bool for themselves.
Then, with that type of the scalar:

1. a complex tensor keeps its type;
2. a complex scalar gives the complex type of the tensor's values (float16: complex32, bfloat16 and float32: complex64,
   float64: complex128), with an integer or bool tensor its own;
3. a float tensor keeps its type;
4. a bool tensor, and any tensor with a float scalar, takes PromoteType of both (below);
5. an integer tensor keeps its type.

This gives all cells of the published table but two. `aclnn-code` is the algorithm alone. Rows: the scalar; columns: the
tensor.

)";

constexpr const char* kOperators =
    R"(
Operators may deviate: on newer chips aclnnMuls keeps float16 and bfloat16 only if the value of the scalar survives the cast
within an absolute 1.19e-7, else it computes in float32, and it takes complex64 for complex32. Of two tensors of which one
has no dimensions, the shared code treats that one as the scalar above, with its own type in place of float32 or complex64.
)";

constexpr const char* kTensorTensor =
    R"(
## aclnn: tensor with tensor

PromoteType. The published table:

)";

constexpr const char* kDifferences =
    R"(
The coded table (`aclnn-code`) is another one in these cells:

| first | second | published | coded | why |
|---|---|---|---|---|
)";

constexpr const char* kAfterDifferences =
    R"(
Both have exactly the types above. In the code, the rows of the types that were added later (hifloat8, float8, float6,
float4) are filled with zeros, and zero is the number of float32: PromoteType of such a type and another one reads as
float32. That is no rule; `derive` refuses these types.

## aclnn: output

Whether the derived type may be written to an output of another type (`--out`):

| derived | output | published | coded |
|---|---|---|---|
)";

constexpr const char* kTorch =
    R"(
## torch

Operands fall into three categories: tensors with dimensions, tensors without (`--scalar`), Python numbers (`--python`: bool;
int64; the default dtype; its complex type). Each category is promoted by itself. A lower category changes the type of a
higher one only if it is of a higher kind (bool, integer, float, complex), and then the width of the values stays. The float8
types promote with nothing but survive beside operands of lower categories. The tables are for the default dtype float32.

)";

constexpr const char* kNumpy =
    R"(
## numpy

NumPy 2: arrays and typed scalars promote alike. Python int, float and complex are weak: they decide the kind at most. More
than two operands: each is promoted with those of the highest kind first, so that the order is irrelevant (int8, uint8 and
float16 give float16).

)";

constexpr const char* kJax =
    R"(
## jax

The result is the least type above all operands. Python numbers and weakly typed arrays are `i*`, `f*`, `c*` (held as int32,
float32, complex64, or with x64 on as int64, float64, complex128); a Python bool is bool. With x64 off (JAX's default) there
are no 64-bit arrays: int64, uint64, float64 and complex128 come in as int32, uint32, float32 and complex64, which `derive`
does first. The tables are the lattice itself, as jnp.promote_types has it. The lattice, each type with those directly above it:

| type | directly above it |
|---|---|
)";

constexpr const char* kLosses =
    R"(
## What a conversion loses

A conversion loses values if some value of the operand's format is no value of the derived one. That is decided from the rows
of the two formats: in each binade the last place of the derived format must be at least as fine, and both ends of the range
must be reached, as must zero, infinity and NaN. The value shown is one that is lost:

| operand | derived | lost |
|---|---|---|
)";

// The distinct remarks of a table, in the order of their first cells.
std::size_t NumberOf(std::string_view why, std::vector<std::string_view>& remarks) {
  const auto found = std::find(remarks.begin(), remarks.end(), why);
  const auto index = static_cast<std::size_t>(found - remarks.begin());
  if (found == remarks.end()) remarks.push_back(why);
  return index + 1;
}

// The cells that a remark is about, in words; empty where the tables have none.
std::string_view CellsOf(std::string_view why) {
  const std::array<std::span<const derivation::Remark>, 4> all = {
      aclnn::kRemarks, derivation::torch::kRemarks, derivation::numpy::kRemarks, jax::kRemarks};
  for (const auto& remarks : all) {
    for (const derivation::Remark& remark : remarks) {
      if (remark.why == why) return remark.what;
    }
  }
  return {};
}

// i*, f* and c* in running text.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '*' ? std::string("\\*") : std::string(1, c);
  return escaped;
}

std::string LabelOf(const Operand& operand) {
  if (operand.kind == OperandKind::kPython) return Name(operand);
  return fmt::format("**{}**", Escaped(ShortName(operand.type)));
}

std::string CellText(const Derivation& cell, std::vector<std::string_view>& remarks) {
  std::string word = cell.type ? Escaped(ShortName(*cell.type)) : "x";
  if (cell.irregular.empty()) return word;
  return fmt::format("{} <sup>{}</sup>", word, NumberOf(cell.irregular, remarks));
}

std::string TableText(const DerivationTable& table) {
  std::vector<std::string_view> remarks;
  std::string head = "| |";
  std::string rule = "|---|";
  for (const Operand& column : table.columns) {
    head += fmt::format(" {} |", Escaped(ShortName(column.type)));
    rule += "---|";
  }
  std::string text = head + "\n" + rule + "\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    text += fmt::format("| {} |", LabelOf(table.rows[i]));
    for (const Derivation& cell : table.cells[i]) {
      text += fmt::format(" {} |", CellText(cell, remarks));
    }
    text += "\n";
  }
  if (!remarks.empty()) text += "\n";
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    const std::string_view cells = CellsOf(remarks[i]);
    text +=
        fmt::format("{}. {}{}\n", i + 1, cells.empty() ? "" : fmt::format("_{}_: ", Escaped(cells)),
                    Escaped(remarks[i]));
  }
  return text;
}

std::vector<DerivationTable> TablesOf(std::string_view system, const DeriveOptions& options = {}) {
  return DerivationTables(*FindDerivationSystem(system), options);
}

std::string Systems() {
  std::string text = "| profile | what | source | more than two operands |\n|---|---|---|---|\n";
  for (const DerivationSystem& system : kDerivationSystems) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", system.name, system.title, system.source,
                        system.more);
  }
  return text;
}

std::string_view TypeName(const Derivation& cell) { return cell.type ? Name(*cell.type) : "x"; }

std::string Differences() {
  std::string text;
  for (const aclnn::Difference& row : aclnn::kDifferences) {
    const Derivation published =
        aclnn::PromoteType(row.first, row.second, aclnn::Source::kPublished);
    text += fmt::format("| {} | {} | {} | {} | {} |\n", Name(row.first), Name(row.second),
                        TypeName(published), Name(row.coded), row.why);
  }
  return text;
}

std::string Outputs() {
  constexpr std::array<std::pair<std::string_view, FormatId>, 4> kCategories = {
      {{"bool", FormatId::kBool},
       {"an integer", FormatId::kInt32},
       {"a float", FormatId::kFloat32},
       {"complex", FormatId::kComplex64}}};
  std::string text;
  const auto word = [](FormatId a, FormatId b, aclnn::Source source) {
    return aclnn::MayWrite(a, b, source) ? "yes" : "no";
  };
  for (const auto& [from, a] : kCategories) {
    for (const auto& [to, b] : kCategories) {
      text += fmt::format("| {} | {} | {} | {} |\n", from, to,
                          word(a, b, aclnn::Source::kPublished), word(a, b, aclnn::Source::kCode));
    }
  }
  return text + "\nA type may always be written to itself.\n";
}

std::string Edges() {
  std::string text;
  for (const NumberType& node : jax::kNodes) {
    std::string above;
    for (const jax::Edge& edge : jax::kEdges) {
      if (edge.lower != node) continue;
      above += fmt::format("{}`{}`", above.empty() ? "" : " ", Name(edge.upper));
    }
    if (!above.empty()) text += fmt::format("| `{}` | {} |\n", Name(node), above);
  }
  return text;
}

// The cells in which the two lattices differ.
std::string X32Differences(const DerivationTable& on, const DerivationTable& off) {
  std::string text = fmt::format(
      "\nWith x64 off `{}` lies below `{}` instead of `{}`, which changes these cells:\n\n"
      "| | | x64 on | x64 off |\n|---|---|---|---|\n",
      Name(jax::kX32Edge.lower), Name(jax::kX32Edge.upper), Name(jax::kX64Edge.upper));
  for (std::size_t i = 0; i < on.rows.size(); ++i) {
    for (std::size_t j = 0; j < on.columns.size(); ++j) {
      const Derivation& a = on.cells[i][j];
      const Derivation& b = off.cells[i][j];
      if (a.type == b.type) continue;
      text += fmt::format("| {} | {} | {} | {} |\n", Name(on.rows[i].type),
                          Name(on.columns[j].type), TypeName(a), TypeName(b));
    }
  }
  return text;
}

std::string Losses() {
  using enum FormatId;
  constexpr auto kPairs = std::to_array<std::pair<FormatId, FormatId>>({{kInt32, kBfloat16},
                                                                        {kInt16, kFloat16},
                                                                        {kInt64, kFloat32},
                                                                        {kInt8, kBfloat16},
                                                                        {kUint8, kInt8},
                                                                        {kFloat16, kBfloat16},
                                                                        {kBfloat16, kFloat16},
                                                                        {kInt32, kFloat64},
                                                                        {kInt8, kFloat16}});
  std::string text;
  for (const auto& [from, to] : kPairs) {
    const auto lost = FindLoss(from, to);
    text += fmt::format("| {} | {} | {} |\n", Name(from), Name(to), lost.value_or("nothing"));
  }
  return text;
}

}  // namespace

std::string DerivationPage(const std::string&) {
  std::string page = kIntroduction;
  page += Systems();
  const std::vector<DerivationTable> published = TablesOf("aclnn");
  page += kTensorScalar + TableText(published[1]);
  page += kOperators;
  page += kTensorTensor + TableText(published[0]);
  page += kDifferences + Differences() + kAfterDifferences + Outputs();
  page += kTorch;
  for (const DerivationTable& table : TablesOf("torch")) {
    page += fmt::format("### {}\n\n{}\n", table.name, TableText(table));
  }
  page += kNumpy;
  for (const DerivationTable& table : TablesOf("numpy")) {
    page += fmt::format("### {}\n\n{}\n", table.name, TableText(table));
  }
  const DerivationTable on = TablesOf("jax", {.x64 = true})[0];
  page += kJax + Edges() + "\n### x64 on\n\n" + TableText(on);
  page += X32Differences(on, TablesOf("jax", {.x64 = false})[0]);
  return page + kLosses + Losses();
}

}  // namespace exactcast::docs
