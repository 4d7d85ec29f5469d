// SPDX-License-Identifier: Apache-2.0
//
// exactcast derive --table: the whole tables of a system, or every pair of tensors in all systems.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/derive.h"
#include "cli/json.h"
#include "exactcast/derive.h"

namespace exactcast::cli {
namespace {

using Json = nlohmann::ordered_json;

// The distinct reasons of irregular cells, numbered from 1.
using Reasons = std::map<std::string_view, int>;

std::string LabelOf(const Operand& operand) {
  if (operand.kind != OperandKind::kPython) return std::string(ShortName(operand.type));
  return TypeName(operand);
}

std::string CellText(const Derivation& cell, Reasons& reasons) {
  std::string word(cell.type ? ShortName(*cell.type) : "x");
  if (cell.irregular.empty()) return word;
  const int next = static_cast<int>(reasons.size()) + 1;
  return fmt::format("{}[{}]", word, reasons.try_emplace(cell.irregular, next).first->second);
}

std::string TableText(const DerivationSystem& system, const DerivationTable& table) {
  Reasons reasons;
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string>& header = lines.emplace_back(1, "");
  for (const Operand& column : table.columns) header.push_back(LabelOf(column));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<std::string>& line = lines.emplace_back(1, LabelOf(table.rows[i]));
    for (const Derivation& cell : table.cells[i]) line.push_back(CellText(cell, reasons));
  }
  std::string text = fmt::format("{} {}: rows {}, columns {}\n", system.name, table.name,
                                 KindName(table.rows[0].kind), KindName(table.columns[0].kind));
  if (!table.note.empty()) text += fmt::format("note: {}\n", table.note);
  std::vector<std::size_t> widths(lines[0].size(), 0);
  for (const auto& line : lines) {
    for (std::size_t j = 0; j < line.size(); ++j) widths[j] = std::max(widths[j], line[j].size());
  }
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t j = 0; j < line.size(); ++j) row += fmt::format("{:<{}} ", line[j], widths[j]);
    text += row.erase(row.find_last_not_of(' ') + 1) + "\n";
  }
  std::vector<std::string> notes(reasons.size());
  for (const auto& [why, number] : reasons) {
    notes[static_cast<std::size_t>(number) - 1] = fmt::format("[{}] {}\n", number, why);
  }
  for (const std::string& note : notes) text += note;
  return text;
}

Json TableJson(const DerivationTable& table) {
  Json json = {{"name", table.name},
               {"row_kind", KindName(table.rows[0].kind)},
               {"column_kind", KindName(table.columns[0].kind)}};
  if (!table.note.empty()) json["note"] = table.note;
  const auto names = [](const std::vector<Operand>& operands) {
    Json array = Json::array();
    for (const Operand& operand : operands) array.push_back(TypeName(operand));
    return array;
  };
  json["rows"] = names(table.rows);
  json["columns"] = names(table.columns);
  json["cells"] = Json::array();
  json["irregular"] = Json::array();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      const Derivation& cell = table.cells[i][j];
      row.push_back(cell.type ? Json(Name(*cell.type)) : Json(nullptr));
      if (cell.irregular.empty()) continue;
      json["irregular"].push_back(
          {{"row", json["rows"][i]}, {"column", json["columns"][j]}, {"why", cell.irregular}});
    }
    json["cells"].push_back(std::move(row));
  }
  return json;
}

}  // namespace

Status RunTable(const DeriveRequest& request, bool json) {
  const DerivationSystem& system = *request.system;
  Json object = {{"profile", system.name}, {"tables", Json::array()}};
  std::string text;
  for (const DerivationTable& table : DerivationTables(system, request.options)) {
    if (!text.empty()) text += "\n";
    text += TableText(system, table);
    object["tables"].push_back(TableJson(table));
  }
  return Print(json ? JsonLine(object) : text);
}

// Every pair of tensors of aclnn's types, one line a pair, all systems.
Status RunTableOfAll(const DeriveRequest& request, bool json) {
  Json array = Json::array();
  std::string text = fmt::format("{:<11} {:<11}", "first", "second");
  for (const DerivationSystem& system : kDerivationSystems) {
    text += fmt::format(" {:<12}", system.name);
  }
  text.erase(text.find_last_not_of(' ') + 1) += "\n";
  for (const FormatId a : derivation::aclnn::kFormats) {
    for (const FormatId b : derivation::aclnn::kFormats) {
      std::string line = fmt::format("{:<11} {:<11}", GetFormat(a).name, GetFormat(b).name);
      Json object = {{"first", GetFormat(a).name}, {"second", GetFormat(b).name}};
      for (const auto& [system, derived, differs] :
           AskAll(request, {{OperandKind::kTensor, a}, {OperandKind::kTensor, b}})) {
        const std::string_view word = derived.ok() ? Name(derived->type) : "x";
        line += fmt::format(" {:<12}", fmt::format("{}{}", word, differs ? "*" : ""));
        object[std::string(system->name)] = derived.ok() ? Json(word) : Json(nullptr);
        if (differs) object["differ"].push_back(system->name);
      }
      text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
      array.push_back(std::move(object));
    }
  }
  text += fmt::format("* differs from {}; x: no type, or a type that the system does not know\n",
                      request.system->name);
  return Print(json ? JsonLine(array) : text);
}

}  // namespace exactcast::cli
