// SPDX-License-Identifier: Apache-2.0
//
// Judging rows one by one.
#include "bench/instructions/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace exactcast::bench {
namespace {

using nlohmann::ordered_json;

// Of the first limit whose words all stand in the row's name.
std::optional<double> LimitOf(const ordered_json& limits, const std::string& row) {
  for (const ordered_json& limit : limits["limits"]) {
    const auto words = limit["words"].get<std::vector<std::string>>();
    if (std::ranges::all_of(words, [&](const std::string& word) {
          return fmt::format(" {} ", row).find(fmt::format(" {} ", word)) != std::string::npos;
        })) {
      return limit["instructions"].get<double>();
    }
  }
  return std::nullopt;
}

class Judgement {
 public:
  Judgement(const ordered_json* baseline, const ordered_json& limits)
      : figures_(baseline == nullptr ? nullptr : &(*baseline)["instructions_per_element"]),
        limits_(limits) {}

  void Add(const Counted& row) {
    std::string remark;
    const std::optional<double> limit = LimitOf(limits_, row.row);
    if (limit && row.instructions > *limit) {
      ++over_;
      remark = fmt::format("OVER THE LIMIT {}; ", *limit);
    }
    remark += Compare(row);
    text_ +=
        fmt::format("{:<52}{:>10.3f}  {:<20}{}\n", row.row, row.instructions, row.kernel, remark);
    ++rows_;
  }

  void CountGone(const std::vector<Counted>& rows) {
    if (figures_ == nullptr) return;
    for (const auto& [name, figure] : figures_->items()) {
      if (std::ranges::find(rows, name, &Counted::row) != rows.end()) continue;
      text_ += fmt::format("{:<52}  is in the baseline and is not counted any more\n", name);
      ++gone_;
    }
  }

  [[nodiscard]] Verdict End() {
    const bool other_rows = figures_ != nullptr && unknown_ + gone_ > 0;
    text_ += fmt::format(
        "{} rows: {} over their limit, {} worse, {} better, {} without a baseline, {} gone\n",
        rows_, over_, worse_, better_, unknown_, gone_);
    if (other_rows || better_ > 0) text_ += "the baseline is old: ./dev bench --update-baseline\n";
    return {.holds = over_ + worse_ == 0 && !other_rows, .text = text_};
  }

 private:
  std::string Compare(const Counted& row) {
    if (figures_ == nullptr || !figures_->contains(row.row)) {
      ++unknown_;
      return "no baseline";
    }
    const double before = (*figures_)[row.row]["instructions"].get<double>();
    const double change = row.instructions / before - 1;
    if (std::abs(change) <= kTolerance) return "";
    ++(change > 0 ? worse_ : better_);
    return fmt::format("{} than {:.3f} by {:.1f} %", change > 0 ? "WORSE" : "better", before,
                       100 * std::abs(change));
  }

  const ordered_json* figures_;
  const ordered_json& limits_;
  std::string text_ = fmt::format("{:<52}{:>10}  {}\n", "row", "instr/el", "kernel");
  int rows_ = 0;
  int over_ = 0;
  int worse_ = 0;
  int better_ = 0;
  int unknown_ = 0;
  int gone_ = 0;
};

}  // namespace

Verdict Judge(const std::vector<Counted>& rows, const ordered_json* baseline,
              const ordered_json& limits) {
  Judgement judgement(baseline, limits);
  for (const Counted& row : rows) judgement.Add(row);
  judgement.CountGone(rows);
  return judgement.End();
}

}  // namespace exactcast::bench
