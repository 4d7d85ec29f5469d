// SPDX-License-Identifier: Apache-2.0
//
// exactcast profiles: all profiles, or the pairs that one has, with their modes and forms, and what
// our options are called on the device.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.h"
#include "exactcast/names.h"
#include "exactcast/spec/profile.h"

namespace exactcast::cli {
namespace {

bool ToFloat(const CastRow& row) { return IsFloat(GetFormat(GetFormat(row.to).part)); }

std::vector<std::string_view> ModeNames(const CastRow& row) {
  std::vector<std::string_view> names;
  if (IsScaled(row.operation)) return names;
  for (const RoundingRow& mode : kRoundings) {
    if (row.modes.Contains(mode.rounding)) names.push_back(mode.name);
  }
  return names;
}

// The forms that --overflow chooses among, the default first.
std::vector<std::string_view> FormNames(const CastRow& row) {
  std::vector<std::string_view> names;
  const std::string_view other = Name(ToFloat(row) ? Overflow::kIeee : Overflow::kWrap);
  if (row.saturates_by_default && row.saturating) names.push_back("saturate");
  if (row.not_saturating) names.push_back(other);
  if (!row.saturates_by_default && row.saturating) names.push_back("saturate");
  return names;
}

std::string_view Note(const CastRow& row) {
  switch (row.operation) {
    case Operation::kConvert:
      return row.none_means == Rounding::kTowardZero ? "drops sign and fraction" : "";
    case Operation::kRoundToIntegral:
      return "to an integral value";
    case Operation::kScaleToFloat16:
      return "with --deqscale S";
    case Operation::kScaleToInt8:
      return "with --deqscale S --offset N";
  }
  return "";
}

std::string Joined(const std::vector<std::string_view>& words) {
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, " "));
}

std::vector<CastRow> Rows(const Profile& profile) {
  std::vector<CastRow> rows;
  for (const PairRow& pair : profile.pairs) {
    rows.push_back(*FindCast(profile, pair.from, pair.to, IsScaled(pair.operation)));
  }
  return rows;
}

// A pair counts once; CastDequant is an operation beside Cast.
std::ptrdiff_t CountPairs(const Profile& profile) {
  return std::count_if(profile.pairs.begin(), profile.pairs.end(),
                       [](const PairRow& row) { return row.operation != Operation::kScaleToInt8; });
}

nlohmann::ordered_json ToJson(const Profile& profile, bool with_pairs) {
  nlohmann::ordered_json json = {
      {"name", profile.name}, {"title", profile.title}, {"source", profile.source}};
  if (profile.pairs.empty()) {
    json["pairs"] = "all";
    return json;
  }
  if (!with_pairs) {
    json["pairs"] = CountPairs(profile);
    return json;
  }
  json["pairs"] = nlohmann::ordered_json::array();
  for (const CastRow& row : Rows(profile)) {
    nlohmann::ordered_json pair = {{"from", GetFormat(row.from).name},
                                   {"to", GetFormat(row.to).name},
                                   {"round", ModeNames(row)},
                                   {"overflow", FormNames(row)}};
    if (!IsScaled(row.operation)) pair["default_round"] = Name(row.default_mode);
    if (!Note(row).empty()) pair["note"] = Note(row);
    json["pairs"].push_back(pair);
  }
  for (const SwitchRow& row : profile.switches)
    json["switches"][std::string(row.option)] = row.setting;
  return json;
}

std::string ListAll() {
  std::string text = fmt::format("{:<19} {:>5}  {:<37} {}\n", "profile", "pairs", "what", "source");
  for (const Profile& p : kProfiles) {
    text +=
        fmt::format("{:<19} {:>5}  {:<37} {}\n", p.name,
                    p.pairs.empty() ? "all" : fmt::format("{}", CountPairs(p)), p.title, p.source);
  }
  return text;
}

std::string DescribeExact(const Profile& p) {
  return fmt::format(
      "{}: {}\n{}\n\n"
      "Every format to every format, in rint, floor, ceil, round, trunc, odd and none (as rint);\n"
      "hybrid from float32 and float16 to hifloat8. Without --round: rint, to hifloat8 round.\n"
      "--overflow: ieee (default) or saturate to floats, saturate (default) or wrap to integers.\n"
      "NaN stays NaN (--nan zero: +0); to a format without NaN it is +0, to bool true.\n",
      p.name, p.title, p.source);
}

std::string DescribeOne(const Profile& p) {
  if (p.pairs.empty()) return DescribeExact(p);
  std::string text = fmt::format("{}: {}\n{}\n\n{:<15} {:<15} {:<36} forms\n", p.name, p.title,
                                 p.source, "from", "to", "modes (default first)");
  for (const CastRow& row : Rows(p)) {
    std::vector<std::string_view> modes = ModeNames(row);
    const auto first = std::find(modes.begin(), modes.end(), Name(row.default_mode));
    if (first != modes.end()) std::rotate(modes.begin(), first, first + 1);
    std::string line =
        fmt::format("{:<15} {:<15} {:<36} {:<14} {}", GetFormat(row.from).name,
                    GetFormat(row.to).name, Joined(modes), Joined(FormNames(row)), Note(row));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  if (p.switches.empty()) return text;
  text += "\non the device\n";
  for (const SwitchRow& row : p.switches)
    text += fmt::format("  {:<21} {}\n", row.option, row.setting);
  return text;
}

Status RunProfiles(const std::string& name, bool json) {
  if (name.empty()) {
    if (!json) return Print(ListAll());
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Profile& profile : kProfiles) all.push_back(ToJson(profile, false));
    return Print(all.dump() + "\n");
  }
  const Result<const Profile*> profile = ParseProfile(name);
  if (!profile.ok()) return profile.status();
  return Print(json ? ToJson(**profile, true).dump() + "\n" : DescribeOne(**profile));
}

}  // namespace

Runner AddProfiles(CLI::App& app) {
  struct Options {
    std::string name;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  app.add_option("NAME", o->name, "one profile");
  app.add_flag("--json", o->json, "print JSON");
  return [o] { return RunProfiles(o->name, o->json); };
}

}  // namespace exactcast::cli
