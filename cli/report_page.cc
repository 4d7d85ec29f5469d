// SPDX-License-Identifier: Apache-2.0
//
// A report as one HTML page: no network, no script needed to read it, for screens of any width, light
// or dark, and for paper. Its pictures are report_pictures.cc's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/report.h"
#include "cli/report_pictures.h"
#include "cli/report_table.h"
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
main{max-width:82rem;margin:0 auto;padding:1.2rem 1rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:.2rem 0 .6rem}h2{font-size:1.15rem;margin:2rem 0 .6rem}
p{margin:.4rem 0}.soft{color:var(--soft)}code{font:.85em ui-monospace,monospace}
pre{background:var(--card);border-radius:6px;padding:.5rem .7rem;white-space:pre-wrap;margin:.6rem 0}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(11rem,46%),1fr));gap:.6rem;margin:.8rem 0}
.card{background:var(--card);border-radius:8px;padding:.55rem .8rem}
.card b{display:block;font-size:1.2rem;font-variant-numeric:tabular-nums}.card>span{color:var(--soft);font-size:.85rem}
.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:.4rem 2rem}
figure{margin:0}figcaption{font-weight:600}
svg{display:block;width:100%;max-width:36rem;height:auto;margin:.4rem 0}
svg text{fill:var(--soft);font:11px system-ui,sans-serif}svg .axis{stroke:var(--line)}
.normal{fill:var(--good)}.subnormal{fill:var(--fair)}.beyond{fill:var(--bad)}.zero{fill:var(--zero)}
.band{fill:var(--band)}.lowband{fill:var(--low)}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.88rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .6rem;text-align:right;border-top:1px solid var(--line);white-space:nowrap}
thead th{border-top:0;background:var(--card);color:var(--soft);font-weight:600;position:sticky;top:0}
th:first-child,td:first-child{text-align:left;white-space:normal;min-width:min(19rem,40vw);max-width:24rem;overflow-wrap:anywhere}
th[data-sort]{cursor:pointer}th[aria-sort]::after{content:" \2193"}th[aria-sort=ascending]::after{content:" \2191"}
#targets td:first-child,#targets th:first-child{min-width:0}
#kept td,#kept th{text-align:left}#kept td:last-child{white-space:normal;min-width:12rem}
.map{max-height:22rem;overflow-y:auto}
.warn{color:var(--bad);font-weight:600}
details{border-top:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer}summary .soft{margin-left:.6rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .9rem;margin:.5rem 0}dt{color:var(--soft)}dd{margin:0}
@page{size:landscape;margin:10mm}
@media print{.scroll{overflow:visible;border:0}.map{max-height:none}body{font-size:11px}details,figure,tr{break-inside:avoid}
table{font-size:8px}th,td{padding:.1rem .25rem;overflow-wrap:normal}thead th{white-space:normal;position:static}
th:first-child,td:first-child{min-width:0;max-width:18rem}}
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

std::string Warned(std::uint64_t count) {
  return count == 0 ? "0" : fmt::format("<span class=\"warn\">{}</span>", GroupedText(count));
}

// What a person looks at first.
std::string LossCards(const Counts& c, const Statistics& s, std::size_t tensors) {
  std::string html = "<div class=\"cards\">\n";
  html += Card(GroupedText(tensors), tensors == 1 ? "tensor" : "tensors");
  html += Card(GroupedText(s.elements), "elements");
  html += Card(PercentText(c.exact, s.elements), "exact");
  html += Card(NumberText(s.RelativeError()), "relative error (Frobenius)");
  html += Card(fmt::format("{} dB", NumberText(s.Sqnr())), "signal to error (SQNR)");
  html += Card(CosineText(s), "cosine");
  html += Card(Warned(c.overflowed), "overflowed");
  html += Card(Warned(s.became_zero), "became zero");
  html += Card(Warned(s.became_nan + s.became_infinite), "became NaN or infinite");
  return html + "</div>\n";
}

std::string InventoryCards(const Statistics& s, std::size_t tensors) {
  std::string html = "<div class=\"cards\">\n";
  html += Card(GroupedText(tensors), tensors == 1 ? "tensor" : "tensors");
  html += Card(GroupedText(s.elements), "elements");
  html += Card(NumberText(LeastOf(s)), "least");
  html += Card(NumberText(GreatestOf(s)), "greatest");
  html += Card(PercentText(s.source_zero, s.elements), "zero");
  html += Card(PercentText(s.subnormal, s.elements), "subnormal");
  html += Card(Warned(s.source_nan), "NaN");
  html += Card(Warned(s.source_infinite), "infinite");
  return html + "</div>\n";
}

std::string WorstText(const ReportRow& row) {
  const Statistics& s = row.statistics;
  if (s.worst == Statistics::kNoWorst) return "none";
  const Format& from = GetFormat(GetFormat(row.from).part);
  const Format& to = GetFormat(GetFormat(row.to).part);
  return fmt::format("element {}: {} became {}", s.worst, ValueText(s.worst_source, from),
                     ValueText(s.worst_result, to));
}

std::string Details(const Report& report, const ReportRow& row) {
  const Statistics& s = row.statistics;
  const bool as_it_is = report.kind == Report::Kind::kAsItIs;
  const std::string_view format = GetFormat(row.to).name;
  const std::string note =
      as_it_is ? std::string(format)
               : fmt::format("to {}, relative error {}", format, NumberText(s.RelativeError()));
  std::string html =
      fmt::format("<details{}><summary>{} <span class=\"soft\">{}</span></summary>\n",
                  report.rows.size() == 1 ? " open" : "", EscapedText(row.name), note);
  html += ExponentPicture(s, GetFormat(row.to));
  const auto fact = [&](std::string_view label, std::string_view text) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>", label, EscapedText(text));
  };
  html += "<dl>";
  fact("shape", ShapeText(row.shape));
  fact("range", fmt::format("{} to {}", NumberText(LeastOf(s)), NumberText(GreatestOf(s))));
  fact(as_it_is ? "zero, NaN, infinite" : "zero, NaN, infinite before",
       fmt::format("{}, {}, {}", s.source_zero, s.source_nan, s.source_infinite));
  if (!as_it_is) {
    fact("mean error", NumberText(s.MeanError()));
    fact("cosine", CosineText(s));
    fact("worst", WorstText(row));
    if (!row.round.empty()) fact("mode", row.round);
  }
  if (!row.file.empty()) fact("file", row.file);
  return html + "</dl></details>\n";
}

// What became of the elements of each target, and what they were.
std::string Pictures(const Report& report) {
  const bool as_it_is = report.kind == Report::Kind::kAsItIs;
  std::string html;
  if (!as_it_is) {
    html += "<h2>What became of the elements</h2>\n<div class=\"pictures\">\n";
    for (const ReportTotal& total : report.totals) {
      html += fmt::format("<figure><figcaption>to {}</figcaption>\n{}</figure>\n",
                          GetFormat(total.to).name, OutcomePicture(total.counts, total.statistics));
    }
    html += "</div>\n";
  }
  std::string exponents;
  for (const ReportTotal& total : report.totals) {
    const std::string picture = ExponentPicture(total.statistics, GetFormat(total.to));
    if (picture.empty()) continue;
    exponents += fmt::format("<figure><figcaption>{}{}</figcaption>\n{}</figure>\n",
                             as_it_is ? "" : "to ", GetFormat(total.to).name, picture);
  }
  if (exponents.empty()) return html;
  return html + fmt::format("<h2>{}</h2>\n<div class=\"pictures\">\n{}</div>\n",
                            as_it_is ? "Magnitudes against what the format can hold"
                                     : "Magnitudes against what the target can hold",
                            exponents);
}

std::string Head(const Report& report) {
  const std::string title = report.kind == Report::Kind::kCast
                                ? fmt::format("What casting {} lost", report.input)
                            : report.kind == Report::Kind::kAsItIs
                                ? fmt::format("What is in {}", report.input)
                                : fmt::format("What casting {} would lose", report.input);
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<title>{0}</title>\n<style>{1}</style>"
      "</head>\n<body><main>\n<h1>{0}</h1>\n",
      EscapedText(title), kStyle);
  const std::string rules =
      report.kind == Report::Kind::kAsItIs
          ? ""
          : fmt::format("profile {}{}, ", EscapedText(report.profile), ModesText(report));
  html += fmt::format(
      "<p class=\"soft\">{}exactcast {}{}</p>\n", rules, kVersion,
      report.output.empty() ? "" : fmt::format(", written to {}", EscapedText(report.output)));
  return html + fmt::format("<pre><code>{}</code></pre>\n", EscapedText(report.command));
}

std::string Kept(const Report& report) {
  if (report.kept.empty()) return "";
  const std::size_t count = report.kept.size();
  const char* what = report.kind == Report::Kind::kCast ? "kept as they are" : "not measured";
  return fmt::format("<h2>{} tensor{} {}</h2>\n", GroupedText(count), count == 1 ? "" : "s", what) +
         KeptTable(report.kept);
}

std::string Map(const Report& report) {
  if (!report.suggestion) return "";
  std::string lines;
  for (const std::string& line : report.suggestion->lines) lines += EscapedText(line) + "\n";
  return fmt::format(
      "<h2>A map for relative errors of at most {}</h2>\n<p class=\"soft\">For exactcast cast "
      "--map @FILE: to each tensor the shortest of these formats that keeps within.</p>\n"
      "<pre class=\"map\"><code>{}</code></pre>\n",
      report.suggestion->limit, lines);
}

}  // namespace

std::string ReportPage(const Report& report) {
  const bool as_it_is = report.kind == Report::Kind::kAsItIs;
  std::string html = Head(report);
  if (as_it_is) {
    html += InventoryCards(report.TotalStatistics(), report.rows.size());
  } else if (report.kind == Report::Kind::kCast || report.totals.size() == 1) {
    html += LossCards(report.TotalCounts(), report.TotalStatistics(), report.rows.size());
  }
  if (!as_it_is && report.totals.size() > 1) {
    html += "<h2>Targets</h2>\n" + TargetTable(report.totals);
  }
  html += Map(report) + Pictures(report);
  std::vector<ReportRow> rows = report.rows;
  if (!as_it_is) {
    std::stable_sort(rows.begin(), rows.end(), [](const ReportRow& a, const ReportRow& b) {
      const double x = a.statistics.RelativeError();
      const double y = b.statistics.RelativeError();
      return (std::isnan(x) ? -1 : x) > (std::isnan(y) ? -1 : y);
    });
  }
  html += as_it_is ? "<h2>Tensors</h2>\n" + InventoryTable(rows)
                   : "<h2>Tensors, the greatest relative error first</h2>\n" + LossTable(rows);
  html += Kept(report) + "<h2>One by one</h2>\n";
  if (rows.size() > kMostDetails) {
    html += fmt::format("<p class=\"soft\">The first {} of {}.</p>\n", kMostDetails, rows.size());
    rows.erase(rows.begin() + kMostDetails, rows.end());
  }
  for (const ReportRow& row : rows) html += Details(report, row);
  return html + fmt::format("</main><script>{}</script></body></html>\n", kScript);
}

}  // namespace exactcast::cli
