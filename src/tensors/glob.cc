// SPDX-License-Identifier: Apache-2.0
//
// Matching names, as glob.h says, in time proportional to pattern times name.
#include "src/tensors/glob.h"

#include <fmt/format.h>

#include "src/containers/descriptor.h"

namespace exactcast {
namespace {

// Where the set that begins at `open` ends: its ']'. A ']' right behind the beginning is a member.
std::size_t EndOfSet(std::string_view pattern, std::size_t open) {
  std::size_t first = open + 1;
  if (first < pattern.size() && pattern[first] == '!') ++first;
  return pattern.find(']', first + 1);
}

bool IsInSet(std::string_view set, char c) {
  const bool inverted = set.starts_with('!');
  if (inverted) set.remove_prefix(1);
  bool found = false;
  const auto code = [](char x) { return static_cast<unsigned char>(x); };
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found = found || (code(set[i]) <= code(c) && code(c) <= code(set[i + 2]));
      i += 2;
    } else {
      found = found || set[i] == c;
    }
  }
  return found != inverted;
}

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;  // the last * met, and where its text began to end
  std::size_t resume = 0;
  while (n < name.size()) {
    std::size_t next = p + 1;
    bool matches = false;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
      continue;
    }
    if (p < pattern.size()) {
      const std::size_t end = pattern[p] == '[' ? EndOfSet(pattern, p) : std::string_view::npos;
      if (end != std::string_view::npos) {
        matches = IsInSet(pattern.substr(p + 1, end - p - 1), name[n]);
        next = end + 1;
      } else {
        matches = pattern[p] == '?' || pattern[p] == name[n];
      }
    }
    if (matches) {
      p = next;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

Status CheckPattern(std::string_view pattern) {
  if (pattern.empty()) return UsageError("a pattern of tensor names is empty; * is every name");
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '[') continue;
    const std::size_t end = EndOfSet(pattern, i);
    if (end == std::string_view::npos) {
      return UsageError(fmt::format(
          "the pattern '{}' has a [ without its ]; [[] is the bracket itself", Printable(pattern)));
    }
    i = end;
  }
  return {};
}

}  // namespace exactcast
