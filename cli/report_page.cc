// SPDX-License-Identifier: Apache-2.0
//
// A report as one HTML page: no network, no script needed to read it, for screens of any width, light
// or dark, and for paper. Its pictures are report_pictures.cc's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/report.h"
#include "cli/report_pictures.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/codec.h"
#include "exactcast/version.h"

namespace exactcast::cli {
namespace {

constexpr std::size_t kMostDetails = 60;  // tensors with a picture of their own

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6675;--line:#d9dee6;--page:#fff;--card:#f5f7fa;
--good:#2f6fde;--fair:#e0a126;--bad:#d6453d;--zero:#8a5bd0;--band:#2f6fde1f;--low:#e0a1262b}
@media(prefers-color-scheme:dark){:root{--ink:#e4e9f1;--soft:#97a3b4;--line:#333c4a;--page:#12161d;
--card:#1a202a;--good:#6aa0ff;--fair:#f0bd55;--bad:#ff7a70;--zero:#b394f0;--band:#6aa0ff26;--low:#f0bd5530}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:70rem;margin:0 auto;padding:1.2rem 1rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:.2rem 0 .6rem}h2{font-size:1.15rem;margin:2rem 0 .6rem}
p{margin:.4rem 0}.soft{color:var(--soft)}code{font:.85em ui-monospace,monospace}
pre{background:var(--card);border-radius:6px;padding:.5rem .7rem;white-space:pre-wrap;margin:.6rem 0}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.6rem;margin:.8rem 0}
.card{background:var(--card);border-radius:8px;padding:.55rem .8rem}
.card b{display:block;font-size:1.2rem;font-variant-numeric:tabular-nums}.card>span{color:var(--soft);font-size:.85rem}
svg{display:block;width:100%;max-width:36rem;height:auto;margin:.4rem 0}
svg text{fill:var(--soft);font:11px system-ui,sans-serif}svg .axis{stroke:var(--line)}
.normal{fill:var(--good)}.subnormal{fill:var(--fair)}.beyond{fill:var(--bad)}.zero{fill:var(--zero)}
.band{fill:var(--band)}.lowband{fill:var(--low)}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .6rem;text-align:right;border-top:1px solid var(--line);white-space:nowrap}
thead th{border-top:0;background:var(--card);color:var(--soft);font-weight:600;position:sticky;top:0}
th:first-child,td:first-child{text-align:left;white-space:normal;min-width:9rem;max-width:22rem;overflow-wrap:anywhere}
th[data-sort]{cursor:pointer}th[aria-sort]::after{content:" \2193"}th[aria-sort=ascending]::after{content:" \2191"}
.warn{color:var(--bad);font-weight:600}
details{border-top:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer}summary .soft{margin-left:.6rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .9rem;margin:.5rem 0}dt{color:var(--soft)}dd{margin:0}
@media print{.scroll{overflow:visible;border:0}th,td{padding:.15rem .3rem;white-space:normal}body{font-size:11px}details{break-inside:avoid}}
)";

// A click on a head sorts by the column; on it again, the other way.
constexpr std::string_view kScript = R"(
document.querySelectorAll('th[data-sort]').forEach(function(head){head.addEventListener('click',function(){
var row=head.parentNode,i=[].indexOf.call(row.children,head),body=row.parentNode.parentNode.tBodies[0];
var up=head.getAttribute('aria-sort')==='descending';
[].forEach.call(row.children,function(h){h.removeAttribute('aria-sort')});
head.setAttribute('aria-sort',up?'ascending':'descending');
var key=function(r){return r.children[i].getAttribute('data-v')};
[].slice.call(body.rows).sort(function(a,b){var x=key(a),y=key(b),d=head.dataset.sort==='text'?
(x<y?-1:x>y?1:0):(x===''?-1/0:+x)-(y===''?-1/0:+y);return up?d:-d}).forEach(function(r){body.appendChild(r)})})});
)";

std::string Card(std::string_view value, std::string_view label) {
  return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", value, label);
}

std::string CosineText(const Statistics& s) {
  return std::isnan(s.Cosine()) ? "-" : fmt::format("{:.6g}", s.Cosine());
}

// What a person looks at first.
std::string Cards(const Counts& c, const Statistics& s, std::size_t tensors) {
  const auto warned = [](std::uint64_t count) {
    return count == 0 ? "0" : fmt::format("<span class=\"warn\">{}</span>", GroupedText(count));
  };
  std::string html = "<div class=\"cards\">\n";
  html += Card(GroupedText(tensors), tensors == 1 ? "tensor" : "tensors");
  html += Card(GroupedText(s.elements), "elements");
  html += Card(PercentText(c.exact, s.elements), "exact");
  html += Card(NumberText(s.RelativeError()), "relative error (Frobenius)");
  html += Card(fmt::format("{} dB", NumberText(s.Sqnr())), "signal to error (SQNR)");
  html += Card(CosineText(s), "cosine");
  html += Card(warned(c.overflowed), "overflowed");
  html += Card(warned(s.became_zero), "became zero");
  html += Card(warned(s.became_nan + s.became_infinite), "became NaN or infinite");
  return html + "</div>\n";
}

std::string Cell(std::string_view sort, std::string_view text, bool warn = false) {
  return fmt::format("<td data-v=\"{}\"{}>{}</td>", sort, warn ? " class=\"warn\"" : "", text);
}
std::string CountCell(std::uint64_t count, bool warn = false) {
  return Cell(fmt::format("{}", count), GroupedText(count), warn && count > 0);
}
std::string NumberCell(double x) {
  const std::string sort = std::isnan(x) ? "" : std::isinf(x) ? "1e999" : fmt::format("{}", x);
  return Cell(sort, NumberText(x));
}

// A name may be broken after each of its parts.
std::string BreakableText(std::string_view name) {
  std::string html;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find_first_of("._/", at), name.size() - 1) + 1;
    html += EscapedText(name.substr(at, end - at));
    if (end < name.size()) html += "<wbr>";
    at = end;
  }
  return html;
}

std::string TableRow(const ReportRow& row) {
  const Counts& c = row.counts;
  const Statistics& s = row.statistics;
  const double exact =
      s.elements == 0 ? 0 : static_cast<double>(c.exact) / static_cast<double>(s.elements);
  std::string html = "<tr>";
  html += Cell(EscapedText(row.name), BreakableText(row.name));
  for (const double x : {s.RelativeError(), s.Sqnr()}) html += NumberCell(x);
  html += CountCell(s.elements);
  html += Cell(fmt::format("{}", exact), PercentText(c.exact, s.elements));
  html += CountCell(s.ties);
  html += CountCell(c.overflowed, true);
  html += CountCell(s.became_zero, true);
  html += CountCell(s.subnormal);
  html += CountCell(s.became_nan + s.became_infinite, true);
  for (const double x : {s.largest_error, s.largest_ulp}) html += NumberCell(x);
  html += Cell(GetFormat(row.from).name, GetFormat(row.from).name);
  html += Cell(GetFormat(row.to).name, GetFormat(row.to).name);
  return html + "</tr>\n";
}

std::string Table(const std::vector<ReportRow>& rows) {
  std::string html = "<div class=\"scroll\"><table id=\"tensors\"><thead><tr>";
  for (const char* text :
       {"tensor", "relative error", "SQNR, dB", "elements", "exact", "ties", "overflowed",
        "to zero", "subnormal", "to NaN, inf", "largest error", "largest, ulp", "from", "to"}) {
    const std::string_view head = text;
    const bool is_text = head == "tensor" || head == "from" || head == "to";
    html += fmt::format("<th data-sort=\"{}\">{}</th>", is_text ? "text" : "number", head);
  }
  html += "</tr></thead><tbody>\n";
  for (const ReportRow& row : rows) html += TableRow(row);
  return html + "</tbody></table></div>\n";
}

std::string WorstText(const ReportRow& row) {
  const Statistics& s = row.statistics;
  if (s.worst == Statistics::kNoWorst) return "none";
  const Format& from = GetFormat(GetFormat(row.from).part);
  const Format& to = GetFormat(GetFormat(row.to).part);
  return fmt::format("element {}: {} became {}", s.worst, ValueText(s.worst_source, from),
                     ValueText(s.worst_result, to));
}

std::string Details(const ReportRow& row) {
  const Statistics& s = row.statistics;
  std::string html =
      fmt::format("<details><summary>{} <span class=\"soft\">relative error {}</span></summary>\n",
                  EscapedText(row.name), NumberText(s.RelativeError()));
  html += ExponentPicture(s, GetFormat(row.to));
  const auto fact = [&](std::string_view label, std::string_view text) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>", label, EscapedText(text));
  };
  html += "<dl>";
  fact("shape", fmt::format("[{}]", fmt::join(row.shape, ", ")));
  fact("range", fmt::format("{} to {}", NumberText(s.least), NumberText(s.greatest)));
  fact("zero, NaN, infinite before",
       fmt::format("{}, {}, {}", s.source_zero, s.source_nan, s.source_infinite));
  fact("mean error", NumberText(s.MeanError()));
  fact("cosine", CosineText(s));
  fact("worst", WorstText(row));
  if (!row.file.empty()) fact("file", row.file);
  return html + "</dl></details>\n";
}

// One picture a target: what the elements that went there were.
std::string ExponentPictures(const Report& report) {
  std::map<FormatId, Statistics> by_target;
  for (const ReportRow& row : report.rows) by_target[row.to] += row.statistics;
  std::string html;
  for (const auto& [to, statistics] : by_target) {
    const std::string picture = ExponentPicture(statistics, GetFormat(to));
    if (picture.empty()) continue;
    html += fmt::format("<h3>to {}</h3>\n{}", GetFormat(to).name, picture);
  }
  return html;
}

std::string Head(const Report& report) {
  const std::string title = report.title == "cast"
                                ? fmt::format("What casting {} lost", report.input)
                                : fmt::format("What casting {} would lose", report.input);
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<title>{0}</title>\n<style>{1}</style>"
      "</head>\n<body><main>\n<h1>{0}</h1>\n",
      EscapedText(title), kStyle);
  html += fmt::format(
      "<p class=\"soft\">profile {}, exactcast {}{}</p>\n", EscapedText(report.profile), kVersion,
      report.output.empty() ? "" : fmt::format(", written to {}", EscapedText(report.output)));
  return html + fmt::format("<pre><code>{}</code></pre>\n", EscapedText(report.command));
}

}  // namespace

std::string ReportPage(const Report& report) {
  const Counts counts = report.TotalCounts();
  const Statistics statistics = report.TotalStatistics();
  std::string html = Head(report);
  html += Cards(counts, statistics, report.rows.size());
  if (report.kept > 0) {
    html += fmt::format("<p class=\"soft\">{} more {} kept as {}.</p>\n", GroupedText(report.kept),
                        report.kept == 1 ? "tensor was" : "tensors were",
                        report.kept == 1 ? "it was" : "they were");
  }
  html += "<h2>What became of the elements</h2>\n" + OutcomePicture(counts, statistics);
  html += "<h2>Magnitudes against what the target can hold</h2>\n" + ExponentPictures(report);
  std::vector<ReportRow> rows = report.rows;
  std::stable_sort(rows.begin(), rows.end(), [](const ReportRow& a, const ReportRow& b) {
    const double x = a.statistics.RelativeError();
    const double y = b.statistics.RelativeError();
    return (std::isnan(x) ? -1 : x) > (std::isnan(y) ? -1 : y);
  });
  html += "<h2>Tensors, the greatest relative error first</h2>\n" + Table(rows);
  html += "<h2>One by one</h2>\n";
  if (rows.size() > kMostDetails) {
    html += fmt::format("<p class=\"soft\">The first {} of {}.</p>\n", kMostDetails, rows.size());
    rows.erase(rows.begin() + kMostDetails, rows.end());
  }
  for (const ReportRow& row : rows) html += Details(row);
  return html + fmt::format("</main><script>{}</script></body></html>\n", kScript);
}

}  // namespace exactcast::cli
