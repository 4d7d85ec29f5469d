// SPDX-License-Identifier: Apache-2.0
//
// A page of labelled lines in 80 columns, in colour where it is shown on a terminal.
#ifndef EXACTCAST_CLI_PAGE_H_
#define EXACTCAST_CLI_PAGE_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace exactcast::cli {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kIndent = 9;  // of everything beside the labels

class Pen {
 public:
  explicit Pen(bool colour) : colour_(colour) {}
  [[nodiscard]] std::string Kept(std::string_view text) const { return Paint(text, "1;32"); }
  [[nodiscard]] std::string Discarded(std::string_view text) const { return Paint(text, "31"); }
  [[nodiscard]] std::string Label(std::string_view text) const { return Paint(text, "1"); }
  [[nodiscard]] std::string Mark(std::string_view text) const { return Paint(text, "1;33"); }

 private:
  [[nodiscard]] std::string Paint(std::string_view text, std::string_view code) const;
  bool colour_;
};

class Page {
 public:
  explicit Page(Pen pen) : pen_(pen) {}

  // Wrapped beside its label.
  void Line(std::string_view label, std::string_view text);
  // Text that is drawn to its place already, colours included.
  void Raw(std::string_view label, std::string_view text);
  // At the margin: headings and tables.
  void Full(std::string_view text);
  void Blank() { text_ += "\n"; }
  [[nodiscard]] const Pen& pen() const { return pen_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Pen pen_;
  std::string text_;
};

// All digits where they fit on two lines, else nine of them: "1.00000000...e-300". --json has all.
std::string Digits(const std::string& decimal, std::size_t most = 2 * (kWidth - kIndent) - 40);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_PAGE_H_
