// SPDX-License-Identifier: Apache-2.0
//
// Records as lines of whole numbers: a line of counts for each tensor, and behind them, if they were
// measured, a line of statistics for each.
#include "src/tensors/shard_record.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace exactcast {
namespace {

using Row = std::vector<std::uint64_t>;

// A record's numbers in their order.
auto CountFields(Counts& c) {
  return std::to_array<std::uint64_t*>({&c.exact, &c.rounded, &c.underflowed, &c.overflowed, &c.nan,
                                        &c.imaginary_lost, &c.unpredictable});
}
auto StatisticsCounts(Statistics& s) {
  return std::to_array<std::uint64_t*>({&s.elements, &s.source_nan, &s.source_infinite,
                                        &s.source_zero, &s.ties, &s.became_infinite, &s.became_nan,
                                        &s.became_zero, &s.subnormal, &s.compared, &s.worst,
                                        &s.worst_source, &s.worst_result});
}
auto StatisticsNumbers(Statistics& s) {
  return std::to_array<double*>({&s.least, &s.greatest, &s.error_sum, &s.squared_error_sum,
                                 &s.source_squares, &s.result_squares, &s.products,
                                 &s.largest_error, &s.largest_ulp});
}

Row RowOf(Counts c) {
  Row row;
  for (const std::uint64_t* field : CountFields(c)) row.push_back(*field);
  return row;
}
Row RowOf(Statistics s) {
  Row row;
  for (const std::uint64_t* field : StatisticsCounts(s)) row.push_back(*field);
  for (const double* field : StatisticsNumbers(s)) {  // by their bits, as they are to be the same
    row.push_back(std::bit_cast<std::uint64_t>(*field));
  }
  for (const auto& [exponent, count] : s.exponents) {
    row.push_back(static_cast<std::uint64_t>(exponent + 2048));
    row.push_back(count);
  }
  return row;
}

bool Parse(const Row& row, Counts* counts) {
  const auto fields = CountFields(*counts);
  if (row.size() != fields.size()) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) *fields[i] = row[i];
  return true;
}
bool Parse(const Row& row, Statistics* s) {
  const auto counts = StatisticsCounts(*s);
  const auto numbers = StatisticsNumbers(*s);
  const std::size_t fixed = counts.size() + numbers.size();
  if (row.size() < fixed || (row.size() - fixed) % 2 != 0) return false;
  std::size_t at = 0;
  for (std::uint64_t* field : counts) *field = row[at++];
  for (double* field : numbers) *field = std::bit_cast<double>(row[at++]);
  for (; at < row.size(); at += 2) s->exponents[static_cast<int>(row[at]) - 2048] = row[at + 1];
  return true;
}

std::string LineOf(const Row& row) {
  std::string line;
  for (const std::uint64_t number : row) line += fmt::format("{} ", number);
  line.back() = '\n';
  return line;
}

// The next line of `text`, which is cut off; false: it is none of numbers.
bool TakeRow(std::string_view* text, Row* row) {
  row->clear();
  while (!text->empty()) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    const auto used = static_cast<std::size_t>(end - text->data());
    if (error != std::errc{} || used == text->size()) return false;
    row->push_back(number);
    const char next = (*text)[used];
    text->remove_prefix(used + 1);
    if (next == '\n') return true;
    if (next != ' ') return false;
  }
  return false;
}

template <typename T>
bool TakeRows(std::string_view* text, std::vector<T>* all) {
  Row row;
  for (T& one : *all) {
    if (!TakeRow(text, &row) || !Parse(row, &one)) return false;
  }
  return true;
}

}  // namespace

std::string ShardRecord(const FileJob& job) {
  std::string record;
  for (const Counts& counts : job.counts) record += LineOf(RowOf(counts));
  for (const Statistics& statistics : job.statistics) record += LineOf(RowOf(statistics));
  return record;
}

bool ParseShardRecord(const std::string& text, FileJob* job) {
  std::string_view rest = text;
  std::vector<Counts> counts(job->counts.size());
  std::vector<Statistics> statistics(job->statistics.size());
  if (!TakeRows(&rest, &counts) || !TakeRows(&rest, &statistics)) return false;
  job->counts = std::move(counts);
  job->statistics = std::move(statistics);
  return true;
}

}  // namespace exactcast
