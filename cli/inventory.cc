// SPDX-License-Identifier: Apache-2.0
//
// Reports of tensors as they are: formats, shapes, ranges.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/json.h"
#include "cli/report.h"
#include "exactcast/version.h"

namespace exactcast::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string TextLine(std::string_view name, std::size_t width, std::string_view format,
                     std::string_view shape, std::size_t shape_width, const Statistics& s) {
  return fmt::format("{:{}}  {:14}  {:{}}  {:>13}  {:>10}  {:>10}  {:>9}  {:>9}  {:>5}  {:>5}\n",
                     name, width, format, shape, shape_width, s.elements, NumberText(LeastOf(s)),
                     NumberText(GreatestOf(s)), PercentText(s.source_zero, s.elements),
                     PercentText(s.subnormal, s.elements), s.source_nan, s.source_infinite);
}

}  // namespace

std::string InventoryJson(const Report& report) {
  Json json = ReportHead(report);
  json["tensors"] = Json::array();
  for (const ReportRow& row : report.rows) {
    const Statistics& s = row.statistics;
    Json tensor = {{"name", row.name}};
    if (!row.file.empty()) tensor["file"] = row.file;
    tensor["format"] = GetFormat(row.from).name;
    tensor["shape"] = row.shape;
    tensor["elements"] = s.elements;
    tensor.update(SourceJson(s));
    tensor["subnormal"] = s.subnormal;
    tensor["exponents"] = Json::array();
    for (const auto& [exponent, count] : s.exponents) {
      tensor["exponents"].push_back({exponent, count});
    }
    json["tensors"].push_back(std::move(tensor));
  }
  return JsonLine(json);
}

std::string InventoryCsv(const Report& report) {
  std::string text = "name,file,format,shape,elements,nan,inf,zero,subnormal,least,greatest\r\n";
  for (const ReportRow& row : report.rows) {
    const Statistics& s = row.statistics;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\r\n", CsvCell(row.name),
                        CsvCell(row.file), GetFormat(row.from).name, fmt::join(row.shape, "x"),
                        s.elements, s.source_nan, s.source_infinite, s.source_zero, s.subnormal,
                        CsvNumber(s.least), CsvNumber(s.greatest));
  }
  return text;
}

std::string InventoryText(const Report& report) {
  std::size_t width = 6;
  std::size_t shape = 5;
  for (const ReportRow& row : report.rows) {
    width = std::max(width, ShortName(row.name).size());
    shape = std::max(shape, ShapeText(row.shape).size());
  }
  std::string text = fmt::format(
      "{:{}}  {:14}  {:{}}  {:>13}  {:>10}  {:>10}  {:>9}  {:>9}  {:>5}  {:>5}\n", "tensor", width,
      "format", "shape", shape, "elements", "least", "greatest", "zero", "subnormal", "NaN", "inf");
  for (const ReportRow& row : report.rows) {
    text += TextLine(ShortName(row.name), width, GetFormat(row.from).name, ShapeText(row.shape),
                     shape, row.statistics);
  }
  for (const KeptTensor& tensor : report.kept) {
    text += fmt::format("{:{}}  {:14}  {}\n", ShortName(tensor.name), width, tensor.format,
                        tensor.note);
  }
  for (const ReportTotal& total : report.totals) {
    if (total.tensors < 2) continue;
    text += TextLine("total", width, GetFormat(total.to).name, "", shape, total.statistics);
  }
  return text;
}

}  // namespace exactcast::cli
