// SPDX-License-Identifier: Apache-2.0
//
// What is in a report, and as data for programs: JSON and CSV. What people read is report_text.cc and
// report_page.cc.
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

void Report::AddRow(ReportRow row) {
  const auto place =
      std::lower_bound(totals.begin(), totals.end(), row.to,
                       [](const ReportTotal& total, FormatId to) { return total.to < to; });
  const bool is_new = place == totals.end() || place->to != row.to;
  ReportTotal& total = is_new ? *totals.insert(place, {row.to, 0, {}, {}}) : *place;
  ++total.tensors;
  total.counts += row.counts;
  total.statistics += row.statistics;
  rows.push_back(std::move(row));
}

void Report::AddKept(const TensorOutcome& tensor) {
  kept.push_back({.name = tensor.name,
                  .format = std::string(tensor.from),
                  .note = tensor.refusal.ok() ? tensor.note : tensor.refusal.message()});
}

Counts Report::TotalCounts() const {
  Counts all;
  for (const ReportTotal& total : totals) all += total.counts;
  return all;
}

Statistics Report::TotalStatistics() const {
  Statistics all;
  for (const ReportTotal& total : totals) all += total.statistics;
  return all;
}

Report ReportOf(const FileCastRequest& request, const FileCastResult& result, std::string command) {
  Report report;
  report.command = std::move(command);
  report.input = Input(request.input);
  report.output = Output(request.output);
  report.profile = result.profile;
  report.AddRow({.name = report.input,
                 .file = "",
                 .from = result.from,
                 .to = result.to,
                 .round = std::string(Name(result.rounding)),
                 .shape = result.shape,
                 .counts = result.counts,
                 .statistics = result.statistics});
  return report;
}

ReportRow RowOf(const TensorOutcome& t) {
  return {.name = t.name,
          .file = t.file,
          .from = *ParseFormat(std::string(t.from)),
          .to = *ParseFormat(std::string(t.to)),
          .round = t.rounding ? std::string(Name(*t.rounding)) : "",
          .shape = t.shape,
          .counts = t.counts,
          .statistics = t.statistics};
}

Report ReportOf(const TensorFilesRequest& request, const TensorFilesResult& result,
                std::string command) {
  Report report;
  report.command = std::move(command);
  report.input = Input(request.input);
  report.output = Output(request.output);
  report.profile = result.profile;
  for (const TensorOutcome& tensor : result.tensors) {
    if (tensor.cast) {
      report.AddRow(RowOf(tensor));
    } else {
      report.AddKept(tensor);
    }
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

// ---- JSON and CSV -------------------------------------------------------------------------------

// RFC 4180. What a spreadsheet would take for a formula stays a word.
std::string CsvCell(std::string_view text) {
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

namespace {

Json Finite(double x) { return std::isfinite(x) ? Json(x) : Json(); }

}  // namespace

Json SourceJson(const Statistics& s) {
  return {{"nan", s.source_nan},
          {"inf", s.source_infinite},
          {"zero", s.source_zero},
          {"least", Finite(s.least)},
          {"greatest", Finite(s.greatest)}};
}

Json StatisticsJson(const Statistics& s) {
  Json json = {{"elements", s.elements},
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
               {"source", SourceJson(s)},
               {"exponents", Json::array()}};
  for (const auto& [exponent, count] : s.exponents) json["exponents"].push_back({exponent, count});
  return json;
}

Json ReportHead(const Report& report) {
  Json json = {{"report", report.kind == Report::Kind::kCast ? "cast" : "inspect"},
               {"version", kVersion},
               {"command", report.command},
               {"profile", report.profile},
               {"input", report.input}};
  if (!report.output.empty()) json["output"] = report.output;
  json["kept"] = Json::array();
  for (const KeptTensor& tensor : report.kept) {
    json["kept"].push_back(
        {{"name", tensor.name}, {"format", tensor.format}, {"note", tensor.note}});
  }
  return json;
}

namespace {

Json ElementJson(std::uint64_t word, const Format& f) {
  return {{"bits", CodeText(word, f)}, {"value", ExactDecimal(Decode(word, f))}};
}

Json NumbersJson(const Counts& c, const Statistics& s) {
  Json json = {{"elements", s.elements},       {"exact", c.exact},
               {"rounded", c.rounded},         {"overflowed", c.overflowed},
               {"underflowed", c.underflowed}, {"nan", c.nan}};
  json.update(StatisticsJson(s));
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

}  // namespace

std::string ReportJson(const Report& report) {
  if (report.kind == Report::Kind::kAsItIs) return InventoryJson(report);
  Json json = ReportHead(report);
  if (report.kind == Report::Kind::kCast) {
    json["total"] = NumbersJson(report.TotalCounts(), report.TotalStatistics());
  }
  json["targets"] = Json::array();
  for (const ReportTotal& total : report.totals) {
    Json target = {{"to", GetFormat(total.to).name}, {"tensors", total.tensors}};
    target.update(NumbersJson(total.counts, total.statistics));
    json["targets"].push_back(std::move(target));
  }
  json["tensors"] = Json::array();
  for (const ReportRow& row : report.rows) json["tensors"].push_back(RowJson(row));
  if (report.suggestion) {
    json["max_rel_error"] = report.suggestion->limit;
    json["map"] = report.suggestion->lines;
  }
  return JsonLine(json);
}

std::string ReportCsv(const Report& report) {
  if (report.kind == Report::Kind::kAsItIs) return InventoryCsv(report);
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
    text += fmt::format("{},{},{},{},{},{},{},", CsvCell(row.name), CsvCell(row.file),
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

}  // namespace exactcast::cli
