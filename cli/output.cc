// SPDX-License-Identifier: Apache-2.0
//
// What the command writes to its standard streams.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "cli/command.h"

namespace exactcast::cli {
namespace {

// One line whatever a word of the user's holds: control characters are written as \x0a, and what is
// longer than a screen is cut.
std::string OneLine(std::string_view text) {
  constexpr std::size_t kLongest = 1000;
  std::string line;
  for (const char c : text.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = byte < 0x20 || byte == 0x7f;
    line += control ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return text.size() > kLongest ? line + "..." : line;
}

}  // namespace

void PrintError(std::string_view message) {
  std::fputs(fmt::format("exactcast: {}\n", OneLine(message)).c_str(), stderr);
}

Status Print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return {};
  return NotWritten("standard output could not be written: it is closed or full");
}

void Warn(std::string_view text) { PrintError(fmt::format("warning: {}", text)); }

}  // namespace exactcast::cli
