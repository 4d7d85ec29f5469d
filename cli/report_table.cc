// SPDX-License-Identifier: Apache-2.0
//
// Tables, as report_table.h says: a column is a head and what it shows of a row.
#include "cli/report_table.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "cli/report_pictures.h"

namespace exactcast::cli {
namespace {

std::string Cell(std::string_view sort, std::string_view html, bool warn = false) {
  return fmt::format("<td data-v=\"{}\"{}>{}</td>", sort, warn ? " class=\"warn\"" : "", html);
}
std::string TextCell(std::string_view text) { return Cell(EscapedText(text), EscapedText(text)); }
std::string CountCell(std::uint64_t count) {
  return Cell(fmt::format("{}", count), GroupedText(count));
}
std::string WarnedCell(std::uint64_t count) {
  return Cell(fmt::format("{}", count), GroupedText(count), count > 0);
}
std::string NumberCell(double x) {
  const std::string sort = std::isnan(x)   ? ""
                           : std::isinf(x) ? (x > 0 ? "1e999" : "-1e999")
                                           : fmt::format("{}", x);
  return Cell(sort, NumberText(x));
}
std::string ShareCell(std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  return Cell(fmt::format("{}", share), PercentText(part, whole));
}

// A name may be broken after each of its parts.
std::string NameCell(std::string_view name) {
  std::string html;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find_first_of("._/", at), name.size() - 1) + 1;
    html += EscapedText(name.substr(at, end - at));
    if (end < name.size()) html += "<wbr>";
    at = end;
  }
  return Cell(EscapedText(name), html);
}

std::string FormatCell(FormatId format) { return TextCell(GetFormat(format).name); }

template <typename Row>
struct Column {
  std::string_view head;
  bool is_text;
  std::string (*cell)(const Row& row);
};

template <typename Row, std::size_t kCount>
std::string Table(std::string_view id, const std::array<Column<Row>, kCount>& columns,
                  const std::vector<Row>& rows) {
  std::string html = fmt::format("<div class=\"scroll\"><table id=\"{}\"><thead><tr>", id);
  for (const Column<Row>& column : columns) {
    html += fmt::format("<th data-sort=\"{}\">{}</th>", column.is_text ? "text" : "number",
                        column.head);
  }
  html += "</tr></thead><tbody>\n";
  for (const Row& row : rows) {
    html += "<tr>";
    for (const Column<Row>& column : columns) html += column.cell(row);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

// Of rows and of totals.
template <typename Row>
constexpr std::array<Column<Row>, 11> kLosses = {{
    {"relative error", false,
     [](const Row& r) { return NumberCell(r.statistics.RelativeError()); }},
    {"SQNR, dB", false, [](const Row& r) { return NumberCell(r.statistics.Sqnr()); }},
    {"elements", false, [](const Row& r) { return CountCell(r.statistics.elements); }},
    {"exact", false, [](const Row& r) { return ShareCell(r.counts.exact, r.statistics.elements); }},
    {"ties", false, [](const Row& r) { return CountCell(r.statistics.ties); }},
    {"overflowed", false, [](const Row& r) { return WarnedCell(r.counts.overflowed); }},
    {"to zero", false, [](const Row& r) { return WarnedCell(r.statistics.became_zero); }},
    {"subnormal", false, [](const Row& r) { return CountCell(r.statistics.subnormal); }},
    {"to NaN, inf", false,
     [](const Row& r) {
       return WarnedCell(r.statistics.became_nan + r.statistics.became_infinite);
     }},
    {"largest error", false, [](const Row& r) { return NumberCell(r.statistics.largest_error); }},
    {"largest, ulp", false, [](const Row& r) { return NumberCell(r.statistics.largest_ulp); }},
}};

template <typename Row, std::size_t kBefore, std::size_t kAfter>
constexpr std::array<Column<Row>, kBefore + 11 + kAfter> Around(
    const std::array<Column<Row>, kBefore>& before, const std::array<Column<Row>, kAfter>& after) {
  std::array<Column<Row>, kBefore + 11 + kAfter> all = {};
  std::size_t i = 0;
  for (const Column<Row>& column : before) all[i++] = column;
  for (const Column<Row>& column : kLosses<Row>) all[i++] = column;
  for (const Column<Row>& column : after) all[i++] = column;
  return all;
}

constexpr std::array<Column<ReportRow>, 2> kNameAndTarget = {{
    {"tensor", true, [](const ReportRow& r) { return NameCell(r.name); }},
    {"to", true, [](const ReportRow& r) { return FormatCell(r.to); }},
}};
constexpr std::array<Column<ReportRow>, 1> kSource = {{
    {"from", true, [](const ReportRow& r) { return FormatCell(r.from); }},
}};
constexpr std::array<Column<ReportTotal>, 1> kTarget = {{
    {"to", true, [](const ReportTotal& t) { return FormatCell(t.to); }},
}};

constexpr std::array<Column<ReportRow>, 10> kInventory = {{
    {"tensor", true, [](const ReportRow& r) { return NameCell(r.name); }},
    {"format", true, [](const ReportRow& r) { return FormatCell(r.from); }},
    {"shape", true, [](const ReportRow& r) { return TextCell(ShapeText(r.shape)); }},
    {"elements", false, [](const ReportRow& r) { return CountCell(r.statistics.elements); }},
    {"least", false, [](const ReportRow& r) { return NumberCell(LeastOf(r.statistics)); }},
    {"greatest", false, [](const ReportRow& r) { return NumberCell(GreatestOf(r.statistics)); }},
    {"zero", false, [](const ReportRow& r) { return CountCell(r.statistics.source_zero); }},
    {"subnormal", false, [](const ReportRow& r) { return CountCell(r.statistics.subnormal); }},
    {"NaN", false, [](const ReportRow& r) { return WarnedCell(r.statistics.source_nan); }},
    {"inf", false, [](const ReportRow& r) { return WarnedCell(r.statistics.source_infinite); }},
}};

constexpr std::array<Column<KeptTensor>, 3> kKept = {{
    {"tensor", true, [](const KeptTensor& t) { return NameCell(t.name); }},
    {"format", true, [](const KeptTensor& t) { return TextCell(t.format); }},
    {"why", true, [](const KeptTensor& t) { return TextCell(t.note); }},
}};

}  // namespace

std::string LossTable(const std::vector<ReportRow>& rows) {
  return Table("tensors", Around(kNameAndTarget, kSource), rows);
}
std::string InventoryTable(const std::vector<ReportRow>& rows) {
  return Table("tensors", kInventory, rows);
}
std::string TargetTable(const std::vector<ReportTotal>& totals) {
  return Table("targets", Around(kTarget, std::array<Column<ReportTotal>, 0>()), totals);
}
std::string KeptTable(const std::vector<KeptTensor>& kept) { return Table("kept", kKept, kept); }

}  // namespace exactcast::cli
