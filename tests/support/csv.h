// SPDX-License-Identifier: Apache-2.0
//
// Reads the comma-separated tables under tests/golden. No quoting: no cell there holds a comma.
#ifndef EXACTCAST_TESTS_SUPPORT_CSV_H_
#define EXACTCAST_TESTS_SUPPORT_CSV_H_

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace support {

// Cells of a line; one that holds commas stands in quotes.
inline std::vector<std::string> SplitRow(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

// The rows below the header line, cut at the commas. `name` is relative to tests/golden.
// Throws when the file cannot be read or a row has not as many cells as the header.
inline std::vector<std::vector<std::string>> ReadGoldenCsv(const std::string& name) {
  const std::string path = std::string(EXACTCAST_GOLDEN_DIR) + "/" + name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    const std::vector<std::string> cells = SplitRow(line);
    if (!rows.empty() && cells.size() != rows.front().size()) {
      throw std::runtime_error(path + ": ragged row: " + line);
    }
    rows.push_back(cells);
  }
  if (rows.empty()) throw std::runtime_error(path + ": empty");
  rows.erase(rows.begin());
  return rows;
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_CSV_H_
