// SPDX-License-Identifier: Apache-2.0
//
// A recursive-descent parser for python_literal.h.
#include "src/containers/python_literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace exactcast {
namespace {

using Kind = PythonLiteral::Kind;

constexpr int kDeepest = 16;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// -?(0|[1-9][0-9]*)
bool IsDecimal(std::string_view number) {
  if (number.starts_with('-')) number.remove_prefix(1);
  if (number.empty() || (number.size() > 1 && number[0] == '0')) return false;
  return std::all_of(number.begin(), number.end(), IsDigit);
}

class Parser {
 public:
  Parser(std::string_view text, bool long_suffix) : text_(text), long_suffix_(long_suffix) {}

  Result<PythonLiteral> Whole() {
    PythonLiteral value;
    if (Status status = Value(&value, 0); !status.ok()) return status;
    SkipBlanks();
    if (at_ != text_.size()) return Expected("nothing more");
    return value;
  }

 private:
  [[nodiscard]] Status Expected(std::string_view what) const {
    return BadInput(fmt::format("at character {} of the header: expected {}", at_, what));
  }
  [[nodiscard]] char Next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] char After() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  void SkipBlanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n\f").find(text_[at_]) != text_.npos) {
      ++at_;
    }
  }
  bool Take(char c) {
    SkipBlanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Status Value(PythonLiteral* value, int depth) {
    if (depth > kDeepest) return Expected("no more than 16 brackets within each other");
    SkipBlanks();
    const char c = Next();
    if (c == '\'' || c == '"') return String(value);
    if ((c == 'u' || c == 'U') && (After() == '\'' || After() == '"')) {  // as Python 2 wrote them
      ++at_;
      return String(value);
    }
    if (c == '-' || c == '+' || c == '.' || IsDigit(c)) return Number(value);
    if (Take('(')) return Round(value, depth);
    if (Take('[')) return List(value, depth);
    if (Take('{')) return Dict(value, depth);
    return Word(value);
  }

  Status String(PythonLiteral* value) {
    value->kind = Kind::kString;
    const char quote = text_[at_++];
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\n') return Expected("a closing quote on the same line");
      // Escapes stand only in field names, which are only shown: all but quotes and backslashes
      // stay as they are.
      const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
      if (escaped && std::string_view("\\'\"").find(text_[at_ + 1]) != text_.npos) {
        ++at_;
      } else if (escaped) {
        value->text += text_[at_++];
      }
      value->text += text_[at_];
    }
    if (at_ == text_.size()) return Expected("a closing quote");
    ++at_;
    return {};
  }

  Status Number(PythonLiteral* value) {
    const std::size_t begin = at_;
    while (IsDigit(Next()) || IsLetter(Next()) || Next() == '.' || Next() == '-' || Next() == '+') {
      ++at_;
    }
    std::string_view number = text_.substr(begin, at_ - begin);
    if (number.ends_with('L')) {
      if (!long_suffix_) return Expected("an integer without L, which only Python 2 knew");
      number.remove_suffix(1);
      if (!IsDecimal(number)) return Expected("an integer before L");
    }
    value->kind = IsDecimal(number) ? Kind::kInteger : Kind::kNumber;
    value->text = number;
    return {};
  }

  Status Word(PythonLiteral* value) {
    for (const auto& [word, kind] : {std::pair<std::string_view, Kind>{"True", Kind::kTrue},
                                     {"False", Kind::kFalse},
                                     {"None", Kind::kNone}}) {
      const std::string_view rest = text_.substr(at_);
      if (!rest.starts_with(word)) continue;
      if (rest.size() > word.size() &&
          (IsLetter(rest[word.size()]) || IsDigit(rest[word.size()]))) {
        continue;
      }
      at_ += word.size();
      value->kind = kind;
      return {};
    }
    return Expected("a string, an integer, True, False, None, or a bracket");
  }

  // Up to `close`; says whether a comma followed the last item.
  Status Items(char close, PythonLiteral* value, int depth, bool* comma) {
    *comma = true;
    while (!Take(close)) {
      if (!*comma) return Expected(fmt::format("a comma or {}", close));
      PythonLiteral item;
      if (Status status = Value(&item, depth + 1); !status.ok()) return status;
      value->items.push_back(std::move(item));
      *comma = Take(',');
    }
    return {};
  }

  Status Round(PythonLiteral* value, int depth) {
    bool comma = false;
    if (Status status = Items(')', value, depth, &comma); !status.ok()) return status;
    value->kind = Kind::kTuple;
    if (value->items.size() == 1 && !comma) {  // (2) is 2
      PythonLiteral only = std::move(value->items[0]);
      *value = std::move(only);
    }
    return {};
  }

  Status List(PythonLiteral* value, int depth) {
    bool comma = false;
    value->kind = Kind::kList;
    return Items(']', value, depth, &comma);
  }

  Status Dict(PythonLiteral* value, int depth) {
    value->kind = Kind::kDict;
    bool comma = true;
    while (!Take('}')) {
      if (!comma) return Expected("a comma or }");
      PythonLiteral key;
      PythonLiteral item;
      if (Status status = Value(&key, depth + 1); !status.ok()) return status;
      if (!Take(':')) return Expected("a colon");
      if (Status status = Value(&item, depth + 1); !status.ok()) return status;
      value->items.push_back(std::move(key));
      value->items.push_back(std::move(item));
      comma = Take(',');
    }
    return {};
  }

  std::string_view text_;
  bool long_suffix_;
  std::size_t at_ = 0;
};

}  // namespace

Result<PythonLiteral> ParsePythonLiteral(std::string_view text, bool long_suffix) {
  return Parser(text, long_suffix).Whole();
}

}  // namespace exactcast
