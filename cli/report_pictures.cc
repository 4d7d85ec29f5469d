// SPDX-License-Identifier: Apache-2.0
//
// Drawing, as report_pictures.h says: 400 units wide, so that text of 11 units is readable on a phone.
#include "cli/report_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/report.h"

namespace exactcast::cli {
namespace {

constexpr double kWidth = 400;
constexpr double kLeft = 44;  // of the axis
constexpr double kRight = 390;
constexpr double kTop = 22;
constexpr double kBottom = 160;
constexpr double kHeight = 214;

std::string Rect(double x, double y, double width, double height, std::string_view kind,
                 std::string_view title = "") {
  return fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" class=\"{}\">{}</rect>\n",
      x, y, width, height, kind, title.empty() ? "" : fmt::format("<title>{}</title>", title));
}

std::string Text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     text);
}

std::string Line(double x0, double y0, double x1, double y1) {
  return fmt::format(
      "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" class=\"axis\"/>\n", x0, y0,
      x1, y1);
}

std::string Opening(double height, std::string_view label) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth, height,
                     EscapedText(label));
}

// Of equal steps between about four ticks: 1, 2, 5, 10, 20, 50.
int TickStep(int span) {
  for (const int step : {1, 2, 5, 10, 20, 50}) {
    if (span / step <= 8) return step;
  }
  return 100;
}

class ExponentDrawing {
 public:
  ExponentDrawing(const Statistics& s, const ExponentRange& range) : s_(s), range_(range) {
    least_ = std::min(s.exponents.begin()->first, range.least) - 1;
    most_ = std::max(s.exponents.rbegin()->first, range.most) + 1;
    // A target whose range is far wider than the numbers is shown as far as they go.
    least_ = std::max(least_, s.exponents.begin()->first - 24);
    most_ = std::min(most_, s.exponents.rbegin()->first + 24);
    for (const auto& [exponent, count] : s.exponents) largest_ = std::max(largest_, count);
    decades_ = std::max(1.0, std::ceil(std::log10(static_cast<double>(largest_) + 1)));
  }

  [[nodiscard]] std::string Svg(std::string_view label) const {
    std::string svg = Opening(kHeight, label);
    svg +=
        Band(range_.normal, range_.most, "band") + Band(range_.least, range_.normal - 1, "lowband");
    for (const auto& [exponent, count] : s_.exponents) svg += Bar(exponent, count);
    svg += Axes();
    return svg + "</svg>\n";
  }

 private:
  [[nodiscard]] double X(int exponent) const {  // its left edge
    return kLeft + (kRight - kLeft) * (exponent - least_) / (most_ - least_ + 1);
  }
  [[nodiscard]] double Y(double count) const {
    return kBottom - (kBottom - kTop) * std::log10(count + 1) / decades_;
  }

  [[nodiscard]] std::string Band(int from, int to, std::string_view kind) const {
    from = std::max(from, least_);
    to = std::min(to, most_);
    if (from > to) return "";
    return Rect(X(from), kTop, X(to + 1) - X(from), kBottom - kTop, kind);
  }

  [[nodiscard]] std::string Bar(int exponent, std::uint64_t count) const {
    const bool outside = exponent < range_.least || exponent > range_.most;
    const std::string_view kind = outside                    ? "beyond"
                                  : exponent < range_.normal ? "subnormal"
                                                             : "normal";
    const double width = X(exponent + 1) - X(exponent);
    const double top = Y(static_cast<double>(count));
    return Rect(X(exponent) + width * 0.06, top, width * 0.88, kBottom - top, kind,
                fmt::format("2^{}: {}", exponent, count));
  }

  [[nodiscard]] std::string Axes() const {
    std::string svg = Line(kLeft, kBottom, kRight, kBottom);
    const int step = static_cast<int>(std::ceil(decades_ / 4));
    for (int decade = 0; decade <= static_cast<int>(decades_); decade += step) {
      const double y = Y(std::pow(10.0, decade) - 1);
      svg += Line(kLeft - 3, y, kLeft, y);
      svg += Text(kLeft - 5, y + 4, "end", decade == 0 ? "0" : CountTick(decade));
    }
    const int tick = TickStep(most_ - least_);
    for (int e = least_; e <= most_; ++e) {
      if (e % tick != 0) continue;
      const double x = (X(e) + X(e + 1)) / 2;
      svg += Line(x, kBottom, x, kBottom + 3);
      svg += Text(x, kBottom + 15, "middle", fmt::format("{}", e));
    }
    svg += Text(kLeft - 40, 12, "start", "elements");
    svg += Text((kLeft + kRight) / 2, kBottom + 30, "middle", "exponent e of |x|, 2^e");
    return svg + Legend();
  }

  [[nodiscard]] std::string Legend() const {
    constexpr double kY = kBottom + 40;
    std::string svg;
    const auto entry = [&](double x, std::string_view kind, std::string_view text) {
      svg += Rect(x, kY, 9, 9, kind) + Text(x + 13, kY + 9, "start", text);
    };
    entry(kLeft - 36, "normal", "normal in the format");
    entry(kLeft + 106, "subnormal", "subnormal there");
    entry(kLeft + 226, "beyond", "beyond its range");
    return svg;
  }

  static std::string CountTick(int decade) {
    constexpr std::array<std::string_view, 5> kUnits = {"", " k", " M", " G", " T"};
    const auto unit = static_cast<std::size_t>(decade / 3);
    if (unit >= kUnits.size()) return fmt::format("10^{}", decade);
    return fmt::format("{:.0f}{}", std::pow(10.0, decade % 3), kUnits[unit]);
  }

  const Statistics& s_;
  ExponentRange range_;
  int least_ = 0;
  int most_ = 0;
  std::uint64_t largest_ = 0;
  double decades_ = 1;
};

}  // namespace

std::string EscapedText(std::string_view text) {
  // Valid UTF-8, by the way of JSON's replacement.
  const std::string json = nlohmann::json(std::string(text))
                               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string valid = nlohmann::json::parse(json).get<std::string>();
  std::string escaped;
  for (const char c : valid) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else if (byte < 0x20 || byte == 0x7f) {
      escaped += "\uFFFD";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string GroupedText(std::uint64_t count) {
  const std::string digits = fmt::format("{}", count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += "\u202F";
    text += digits[i];
  }
  return text;
}

std::string ExponentPicture(const Statistics& statistics, const Format& to) {
  const std::optional<ExponentRange> range = ExponentsOf(to);
  if (!range || statistics.exponents.empty()) return "";
  return ExponentDrawing(statistics, *range)
      .Svg(fmt::format("elements by exponent, against the range of {}", to.name));
}

std::string OutcomePicture(const Counts& counts, const Statistics& statistics) {
  struct Part {
    std::string_view label;
    std::string_view kind;
    std::uint64_t count;
  };
  const std::array<Part, 5> parts = {{{"exact", "band", counts.exact},
                                      {"rounded", "normal", counts.rounded},
                                      {"underflowed", "subnormal", counts.underflowed},
                                      {"overflowed", "beyond", counts.overflowed},
                                      {"NaN", "zero", counts.nan}}};
  const auto all = static_cast<double>(std::max<std::uint64_t>(statistics.elements, 1));
  std::string svg = Opening(126, "elements by what became of them");
  double x = 4;
  for (const Part& part : parts) {
    const double width = (kWidth - 8) * static_cast<double>(part.count) / all;
    if (part.count > 0) svg += Rect(x, 4, std::max(width, 1.0), 20, part.kind, part.label);
    x += width;
  }
  double y = 34;
  for (const Part& part : parts) {
    svg += Rect(4, y, 9, 9, part.kind);
    svg += Text(19, y + 9, "start", part.label);
    svg += Text(220, y + 9, "end", GroupedText(part.count));
    svg += Text(290, y + 9, "end", PercentText(part.count, statistics.elements));
    y += 18;
  }
  return svg + "</svg>\n";
}

}  // namespace exactcast::cli
