// SPDX-License-Identifier: Apache-2.0
//
// Reports as data: JSON and CSV for programs, a short table for people. The page is report_page.cc.
#include "cli/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/json.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/codec.h"
#include "exactcast/version.h"

namespace exactcast::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string command_line;

bool IsPlain(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  return !word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos;
}

std::string Quoted(std::string_view word) {
  if (IsPlain(word)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// As messages call a stream.
std::string Input(const std::string& path) { return path == "-" ? "standard input" : path; }
std::string Output(const std::string& path) { return path == "-" ? "standard output" : path; }

}  // namespace

void RememberCommand(int argc, const char* const* argv) {
  command_line = "exactcast";
  for (int i = 1; i < argc; ++i) command_line += fmt::format(" {}", Quoted(argv[i]));
}
const std::string& CommandText() { return command_line; }

// ---- what is reported ---------------------------------------------------------------------------

Counts Report::TotalCounts() const {
  Counts total;
  for (const ReportRow& row : rows) total += row.counts;
  return total;
}

Statistics Report::TotalStatistics() const {
  Statistics total;
  for (const ReportRow& row : rows) total += row.statistics;
  return total;
}

Report ReportOf(const FileCastRequest& request, const FileCastResult& result, std::string command) {
  return {.title = "cast",
          .command = std::move(command),
          .input = Input(request.input),
          .output = Output(request.output),
          .profile = result.profile,
          .kept = 0,
          .rows = {{.name = Input(request.input),
                    .file = "",
                    .from = result.from,
                    .to = result.to,
                    .round = std::string(Name(result.rounding)),
                    .shape = result.shape,
                    .counts = result.counts,
                    .statistics = result.statistics}}};
}

Report ReportOf(const TensorFilesRequest& request, const TensorFilesResult& result,
                std::string command) {
  Report report{.title = "cast",
                .command = std::move(command),
                .input = Input(request.input),
                .output = Output(request.output),
                .profile = result.profile,
                .kept = 0,
                .rows = {}};
  for (const TensorOutcome& t : result.tensors) {
    if (!t.cast) {
      ++report.kept;
      continue;
    }
    report.rows.push_back({.name = t.name,
                           .file = t.file,
                           .from = *ParseFormat(std::string(t.from)),
                           .to = *ParseFormat(std::string(t.to)),
                           .round = t.rounding ? std::string(Name(*t.rounding)) : "",
                           .shape = t.shape,
                           .counts = t.counts,
                           .statistics = t.statistics});
  }
  return report;
}

std::optional<ExponentRange> ExponentsOf(const Format& format) {
  const Format& f = GetFormat(format.part);
  if (f.kind == Kind::kBoolean) return std::nullopt;
  if (IsInteger(f)) return ExponentRange{0, 0, f.bits - (f.has_sign ? 2 : 1)};
  if (f.kind == Kind::kTapered) {
    return ExponentRange{hifloat8::kMinExponent, hifloat8::kMinNormal, hifloat8::kMaxExponent};
  }
  const int normal = MinExponent(f);
  const int most = LeadingExponent(Decode(MaxFinite(f, false), f));
  return ExponentRange{HasZero(f) ? normal - f.mantissa_bits : normal, normal, most};
}

Beyond BeyondOf(const Statistics& statistics, const Format& to) {
  Beyond beyond;
  const std::optional<ExponentRange> range = ExponentsOf(to);
  if (!range) return beyond;
  for (const auto& [exponent, count] : statistics.exponents) {
    if (exponent > range->most) beyond.above += count;
    if (exponent < range->least) beyond.below += count;
  }
  return beyond;
}

std::string NumberText(double x) {
  if (std::isnan(x)) return "-";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  return fmt::format("{:.3g}", x);
}

std::string PercentText(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  if (part == 0) return "0 %";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent < 0.01) return "< 0.01 %";
  if (part < whole && percent > 99.99) return "> 99.99 %";
  return fmt::format("{:.{}f} %", percent, percent < 10 ? 2 : 1);
}

// ---- JSON and CSV -------------------------------------------------------------------------------

namespace {

Json Finite(double x) { return std::isfinite(x) ? Json(x) : Json(); }

Json ElementJson(std::uint64_t word, const Format& f) {
  return {{"bits", CodeText(word, f)}, {"value", ExactDecimal(Decode(word, f))}};
}

Json NumbersJson(const Counts& c, const Statistics& s) {
  Json json = {{"elements", s.elements},
               {"exact", c.exact},
               {"rounded", c.rounded},
               {"overflowed", c.overflowed},
               {"underflowed", c.underflowed},
               {"nan", c.nan},
               {"ties", s.ties},
               {"became_inf", s.became_infinite},
               {"became_nan", s.became_nan},
               {"became_zero", s.became_zero},
               {"subnormal", s.subnormal},
               {"compared", s.compared},
               {"mean_error", Finite(s.MeanError())},
               {"largest_error", Finite(s.largest_error)},
               {"largest_ulp", Finite(s.largest_ulp)},
               {"relative_error", Finite(s.RelativeError())},
               {"sqnr_db", Finite(s.Sqnr())},
               {"cosine", Finite(s.Cosine())},
               {"source",
                {{"nan", s.source_nan},
                 {"inf", s.source_infinite},
                 {"zero", s.source_zero},
                 {"least", Finite(s.least)},
                 {"greatest", Finite(s.greatest)}}},
               {"exponents", Json::array()}};
  for (const auto& [exponent, count] : s.exponents) json["exponents"].push_back({exponent, count});
  return json;
}

Json RowJson(const ReportRow& row) {
  const Format& from = GetFormat(GetFormat(row.from).part);
  const Format& to = GetFormat(GetFormat(row.to).part);
  const Statistics& s = row.statistics;
  Json json = {{"name", row.name}};
  if (!row.file.empty()) json["file"] = row.file;
  json["from"] = GetFormat(row.from).name;
  json["to"] = GetFormat(row.to).name;
  if (!row.round.empty()) json["round"] = row.round;
  json["shape"] = row.shape;
  json.update(NumbersJson(row.counts, s));
  if (s.worst != Statistics::kNoWorst) {
    json["worst"] = {{"index", s.worst},
                     {"source", ElementJson(s.worst_source, from)},
                     {"result", ElementJson(s.worst_result, to)}};
  }
  if (const std::optional<ExponentRange> range = ExponentsOf(to)) {
    const Beyond beyond = BeyondOf(s, to);
    json["range"] = {{"subnormal", range->least},
                     {"normal", range->normal},
                     {"most", range->most},
                     {"above", beyond.above},
                     {"below", beyond.below}};
  }
  return json;
}

// RFC 4180. What a spreadsheet would take for a formula stays a word.
std::string Cell(std::string_view text) {
  std::string cell;
  if (!text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos) {
    cell = "'";
  }
  cell += text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string CsvNumber(double x) { return std::isfinite(x) ? fmt::format("{}", x) : ""; }

}  // namespace

std::string ReportJson(const Report& report) {
  Json json = {{"report", report.title},
               {"version", kVersion},
               {"command", report.command},
               {"profile", report.profile},
               {"input", report.input}};
  if (!report.output.empty()) json["output"] = report.output;
  json["tensors_kept"] = report.kept;
  json["total"] = NumbersJson(report.TotalCounts(), report.TotalStatistics());
  json["tensors"] = Json::array();
  for (const ReportRow& row : report.rows) json["tensors"].push_back(RowJson(row));
  return JsonLine(json);
}

std::string ReportCsv(const Report& report) {
  std::string text =
      "name,file,from,to,round,shape,elements,exact,rounded,overflowed,underflowed,nan,ties,"
      "became_inf,became_nan,became_zero,subnormal,mean_error,largest_error,largest_ulp,"
      "relative_error,sqnr_db,cosine,worst_index,worst_source,worst_result,source_nan,source_inf,"
      "source_zero,least,greatest,above,below\r\n";
  for (const ReportRow& row : report.rows) {
    const Counts& c = row.counts;
    const Statistics& s = row.statistics;
    const bool has_worst = s.worst != Statistics::kNoWorst;
    const Format& from = GetFormat(GetFormat(row.from).part);
    const Format& to = GetFormat(GetFormat(row.to).part);
    const Beyond beyond = BeyondOf(s, to);
    const auto value = [&](std::uint64_t word, const Format& f) {
      return has_worst ? ExactDecimal(Decode(word, f)) : "";
    };
    text += fmt::format("{},{},{},{},{},{},{},", Cell(row.name), Cell(row.file),
                        GetFormat(row.from).name, GetFormat(row.to).name, row.round,
                        fmt::join(row.shape, "x"), s.elements);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},", c.exact, c.rounded, c.overflowed,
                        c.underflowed, c.nan, s.ties, s.became_infinite, s.became_nan,
                        s.became_zero, s.subnormal);
    text += fmt::format("{},{},{},{},{},{},", CsvNumber(s.MeanError()), CsvNumber(s.largest_error),
                        CsvNumber(s.largest_ulp), CsvNumber(s.RelativeError()), CsvNumber(s.Sqnr()),
                        CsvNumber(s.Cosine()));
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\r\n",
                        has_worst ? fmt::format("{}", s.worst) : "", value(s.worst_source, from),
                        value(s.worst_result, to), s.source_nan, s.source_infinite, s.source_zero,
                        CsvNumber(s.least), CsvNumber(s.greatest), beyond.above, beyond.below);
  }
  return text;
}

// ---- text ---------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kWidestName = 40;

// The end of a long name says more than its beginning. Control characters would be obeyed.
std::string ShortName(std::string_view name) {
  std::string text(name.size() > kWidestName ? name.substr(name.size() - kWidestName + 3) : name);
  if (name.size() > kWidestName) text.insert(0, "...");
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::string TextLine(std::string_view name, std::size_t width, std::string_view to, const Counts& c,
                     const Statistics& s) {
  return fmt::format("{:{}}  {:14}  {:>13}  {:>9}  {:>10}  {:>9}  {:>9}  {:>9}  {:>9}  {:>8}\n",
                     name, width, to, s.elements, PercentText(c.exact, s.elements), c.overflowed,
                     s.became_zero, s.became_nan + s.became_infinite, NumberText(s.RelativeError()),
                     NumberText(s.Sqnr()), NumberText(s.largest_ulp));
}

}  // namespace

std::string ReportText(const Report& report) {
  std::size_t width = 6;
  for (const ReportRow& row : report.rows) width = std::max(width, ShortName(row.name).size());
  std::string text =
      fmt::format("{:{}}  {:14}  {:>13}  {:>9}  {:>10}  {:>9}  {:>9}  {:>9}  {:>9}  {:>8}\n",
                  "tensor", width, "to", "elements", "exact", "overflowed", "to zero", "to nan/inf",
                  "rel error", "SQNR dB", "max ulp");
  for (const ReportRow& row : report.rows) {
    text +=
        TextLine(ShortName(row.name), width, GetFormat(row.to).name, row.counts, row.statistics);
  }
  if (report.rows.size() != 1) {
    text += TextLine("total", width, "", report.TotalCounts(), report.TotalStatistics());
  }
  text += fmt::format("profile {}; exactcast {}; {}\n", report.profile, kVersion, report.command);
  return text;
}

}  // namespace exactcast::cli
