// SPDX-License-Identifier: Apache-2.0
//
// Records as JSON: a row of counts for each tensor, and one of statistics if they were measured.
#include "src/tensors/shard_record.h"

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

namespace exactcast {
namespace {

using Json = nlohmann::json;

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

Json RowOf(Statistics s) {
  Json row = Json::array();
  for (const std::uint64_t* field : StatisticsCounts(s)) row.push_back(*field);
  // By their bits: JSON has no infinity.
  for (const double* field : StatisticsNumbers(s))
    row.push_back(std::bit_cast<std::uint64_t>(*field));
  for (const auto& [exponent, count] : s.exponents) {
    row.push_back(static_cast<std::uint64_t>(exponent + 2048));
    row.push_back(count);
  }
  return row;
}

bool AreNumbers(const Json& row) {
  return row.is_array() &&
         std::all_of(row.begin(), row.end(), [](const Json& x) { return x.is_number_unsigned(); });
}

bool Parse(const Json& row, Counts* counts) {
  const auto fields = CountFields(*counts);
  if (!AreNumbers(row) || row.size() != fields.size()) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) *fields[i] = row[i];
  return true;
}

bool Parse(const Json& row, Statistics* s) {
  const auto counts = StatisticsCounts(*s);
  const auto numbers = StatisticsNumbers(*s);
  const std::size_t fixed = counts.size() + numbers.size();
  if (!AreNumbers(row) || row.size() < fixed || (row.size() - fixed) % 2 != 0) return false;
  std::size_t at = 0;
  for (std::uint64_t* field : counts) *field = row[at++];
  for (double* field : numbers) *field = std::bit_cast<double>(row[at++].get<std::uint64_t>());
  for (; at < row.size(); at += 2) s->exponents[row[at].get<int>() - 2048] = row[at + 1];
  return true;
}

template <typename T>
bool ParseRows(const Json& rows, std::vector<T>* all) {
  if (!rows.is_array() || rows.size() != all->size()) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!Parse(rows[i], &(*all)[i])) return false;
  }
  return true;
}

}  // namespace

std::string ShardRecord(const FileJob& job) {
  Json record = {{"counts", Json::array()}};
  for (Counts counts : job.counts) {
    Json row = Json::array();
    for (const std::uint64_t* field : CountFields(counts)) row.push_back(*field);
    record["counts"].push_back(std::move(row));
  }
  for (const Statistics& s : job.statistics) record["statistics"].push_back(RowOf(s));
  return record.dump();
}

bool ParseShardRecord(const std::string& text, FileJob* job) {
  const Json record = Json::parse(text, nullptr, false);
  if (!record.is_object() || !record.contains("counts")) return false;
  std::vector<Counts> counts(job->counts.size());
  std::vector<Statistics> statistics(job->statistics.size());
  if (!ParseRows(record["counts"], &counts)) return false;
  if (!statistics.empty() && !ParseRows(record.value("statistics", Json()), &statistics))
    return false;
  job->counts = std::move(counts);
  job->statistics = std::move(statistics);
  return true;
}

}  // namespace exactcast
