// SPDX-License-Identifier: Apache-2.0
//
// Laying a page out: wrapping, labels, long numbers cut.
#include "cli/page.h"

#include <fmt/format.h>

#include <vector>

namespace exactcast::cli {
namespace {

// Cuts at blanks, and within a word that is longer than a line: exact decimals can be.
std::vector<std::string> Wrap(std::string_view text) {
  std::vector<std::string> lines;
  const std::size_t width = kWidth - kIndent;
  while (text.size() > width) {
    std::size_t cut = text.rfind(' ', width);
    const bool within_word = cut == std::string_view::npos || cut == 0;
    if (within_word) cut = width;
    lines.emplace_back(text.substr(0, text.find_last_not_of(' ', cut - 1) + 1));
    text.remove_prefix(within_word ? cut : cut + 1);
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace

std::string Pen::Paint(std::string_view text, std::string_view code) const {
  if (!colour_ || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void Page::Line(std::string_view label, std::string_view text) {
  for (const std::string& line : Wrap(text)) {
    Raw(label, line);
    label = "";
  }
}

void Page::Raw(std::string_view label, std::string_view text) {
  const std::string indent(kIndent - std::min(kIndent, label.size()), ' ');
  text_ += fmt::format("{}{}{}\n", pen_.Label(label), indent, text);
}

void Page::Full(std::string_view text) { text_ += fmt::format("{}\n", text); }

std::string Digits(const std::string& decimal, std::size_t most) {
  if (decimal.size() <= most) return decimal;
  const std::string sign = decimal.front() == '-' ? "-" : "";
  const std::size_t point = std::min(decimal.find('.'), decimal.size());
  const std::size_t first = decimal.find_first_not_of("-0.");
  const auto exponent = static_cast<std::ptrdiff_t>(point) - static_cast<std::ptrdiff_t>(first) -
                        (first < point ? 1 : 0);
  std::string digits = decimal.substr(first);
  digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  return fmt::format("{}{}.{}...e{:+03}", sign, digits[0], digits.substr(1, 8), exponent);
}

}  // namespace exactcast::cli
