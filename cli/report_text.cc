// SPDX-License-Identifier: Apache-2.0
//
// Reports as a short table, and how numbers are shown to people.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "cli/report.h"
#include "exactcast/version.h"

namespace exactcast::cli {

std::string ModesText(const Report& report) {
  std::set<std::string> modes;
  for (const ReportRow& row : report.rows) {
    if (!row.round.empty()) modes.insert(row.round);
  }
  if (modes.empty()) return "";
  return fmt::format(", mode{} {}", modes.size() == 1 ? "" : "s", fmt::join(modes, ", "));
}

std::string NumberText(double x) {
  if (std::isnan(x)) return "-";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return fmt::format("{:.3g}", x);
}

double LeastOf(const Statistics& s) {
  return s.least > s.greatest ? std::numeric_limits<double>::quiet_NaN() : s.least;
}
double GreatestOf(const Statistics& s) {
  return s.least > s.greatest ? std::numeric_limits<double>::quiet_NaN() : s.greatest;
}

std::string CosineText(const Statistics& s) {
  return std::isnan(s.Cosine()) ? "-" : fmt::format("{:.6g}", s.Cosine());
}

std::string PercentText(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  if (part == 0) return "0 %";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent < 0.01) return "< 0.01 %";
  if (part < whole && percent >= 99.95) return "> 99.9 %";
  return fmt::format("{:.{}f} %", percent, percent < 10 ? 2 : 1);
}

std::string ShortName(std::string_view name) {
  constexpr std::size_t kWidest = 40;
  std::size_t cut = name.size() > kWidest ? name.size() - kWidest + 3 : 0;
  while (cut < name.size() && (static_cast<unsigned char>(name[cut]) & 0xc0) == 0x80) ++cut;
  std::string text = cut > 0 ? "..." : "";
  text += name.substr(cut);
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::string ShapeText(const std::vector<std::uint64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

namespace {

std::string TextLine(std::string_view name, std::size_t width, FormatId to, const Counts& c,
                     const Statistics& s) {
  return fmt::format("{:{}}  {:14}  {:>13}  {:>9}  {:>10}  {:>9}  {:>10}  {:>9}  {:>9}  {:>8}\n",
                     name, width, GetFormat(to).name, s.elements, PercentText(c.exact, s.elements),
                     c.overflowed, s.became_zero, s.became_nan + s.became_infinite,
                     NumberText(s.RelativeError()), NumberText(s.Sqnr()),
                     NumberText(s.largest_ulp));
}

std::string KeptText(const Report& report, std::size_t width) {
  std::string text;
  for (const KeptTensor& tensor : report.kept) {
    text += fmt::format("{:{}}  {:14}  {}\n", ShortName(tensor.name), width, "=", tensor.note);
  }
  return text;
}

}  // namespace

std::string ReportText(const Report& report) {
  if (report.kind == Report::Kind::kAsItIs) return InventoryText(report);
  std::size_t width = 6;
  for (const ReportRow& row : report.rows) width = std::max(width, ShortName(row.name).size());
  std::string text =
      fmt::format("{:{}}  {:14}  {:>13}  {:>9}  {:>10}  {:>9}  {:>10}  {:>9}  {:>9}  {:>8}\n",
                  "tensor", width, "to", "elements", "exact", "overflowed", "to zero", "to nan/inf",
                  "rel error", "SQNR dB", "max ulp");
  for (const ReportRow& row : report.rows) {
    text += TextLine(ShortName(row.name), width, row.to, row.counts, row.statistics);
  }
  if (report.kind == Report::Kind::kWouldCast) text += KeptText(report, width);
  for (const ReportTotal& total : report.totals) {
    if (total.tensors > 1) {
      text += TextLine("total", width, total.to, total.counts, total.statistics);
    }
  }
  text += fmt::format("profile {}{}; exactcast {}; {}\n", report.profile, ModesText(report),
                      kVersion, report.command);
  if (report.suggestion) {
    text += fmt::format("\nmap for relative errors of at most {}:\n{}\n", report.suggestion->limit,
                        fmt::join(report.suggestion->lines, "\n"));
  }
  return text;
}

}  // namespace exactcast::cli
