// SPDX-License-Identifier: Apache-2.0
//
// Printing what was measured: text as rows are done, a Markdown table, JSON at the end.
#ifndef EXACTCAST_BENCH_REPORT_H_
#define EXACTCAST_BENCH_REPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "bench/measure.h"

namespace exactcast::bench {

// What is the same for all rows of a run.
struct Session {
  std::string version;
  std::string cpu;
  std::string cpu_target;
  std::string compiler;
  std::vector<int> cores;  // that the process is pinned to
  int threads = 1;
  bool large_pages = false;
  std::vector<std::pair<std::string, std::string>> peers;  // name, version or why it is absent
};

std::string TextHead(const Session& session);
std::string TextRow(const Record& record);

std::string MarkdownHead(const Session& session);
std::string MarkdownRow(const Record& record);

std::string JsonReport(const Session& session, const std::vector<Record>& records);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_REPORT_H_
