// SPDX-License-Identifier: Apache-2.0
//
// exactcast profiles: all profiles, or the pairs that one has, with their modes and forms, and what
// our options are called on the device.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/json.h"
#include "exactcast/describe.h"
#include "exactcast/names.h"
#include "exactcast/spec/profile.h"

namespace exactcast::cli {
namespace {

std::string Joined(const std::vector<std::string_view>& words) {
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, " "));
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
  for (const PairFacts& facts : DescribePairs(profile)) {
    const CastRow& row = facts.row;
    nlohmann::ordered_json pair = {{"from", GetFormat(row.from).name},
                                   {"to", GetFormat(row.to).name},
                                   {"round", facts.modes},
                                   {"overflow", facts.forms}};
    if (!IsScaled(row.operation)) pair["default_round"] = Name(row.default_mode);
    if (!facts.note.empty()) pair["note"] = facts.note;
    if (profile.leaves_choices) {
      pair["since"] = row.since;
      pair["needs"] = row.needs;
      pair["permits"] = facts.permits;
    }
    json["pairs"].push_back(pair);
  }
  for (const SwitchRow& row : profile.switches)
    json["switches"][std::string(row.option)] = row.setting;
  if (!profile.not_yet.empty()) json["not_yet"] = profile.not_yet;
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

std::string DescribeVersion(const Profile& p) {
  std::string text = fmt::format("{}: {}\n{}\n\n{:<13} {:<13} {:<11} {:<8} {:<14} {:<24} {}\n",
                                 p.name, p.title, p.source, "from", "to", "modes", "form", "since",
                                 "needs", "permitted beside the default");
  for (const PairFacts& facts : DescribePairs(p)) {
    const CastRow& row = facts.row;
    std::string line = fmt::format(
        "{:<13} {:<13} {:<11} {:<8} {:<14} {:<24} {}", GetFormat(row.from).name,
        GetFormat(row.to).name, Joined(facts.modes), Joined(facts.forms),
        row.since.substr(row.since.find('-') + 1), row.needs, fmt::join(facts.permits, ", "));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text +=
      "\nchosen with --float-rounding zero, --flush-subnormals, --nan-to-int; any of them is "
      "right\n"
      "in compare --permitted\n";
  if (!p.not_yet.empty()) text += fmt::format("\nnot yet there: {}\n", p.not_yet);
  return text;
}

std::string DescribeOne(const Profile& p) {
  if (p.pairs.empty()) return DescribeExact(p);
  if (p.leaves_choices) return DescribeVersion(p);
  std::string text = fmt::format("{}: {}\n{}\n\n{:<15} {:<15} {:<36} forms\n", p.name, p.title,
                                 p.source, "from", "to", "modes (default first)");
  for (const PairFacts& facts : DescribePairs(p)) {
    const CastRow& row = facts.row;
    std::string line =
        fmt::format("{:<15} {:<15} {:<36} {:<14} {}", GetFormat(row.from).name,
                    GetFormat(row.to).name, Joined(facts.modes), Joined(facts.forms), facts.note);
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
    return Print(JsonLine(all));
  }
  const Result<const Profile*> profile = ParseProfile(name);
  if (!profile.ok()) return profile.status();
  return Print(json ? JsonLine(ToJson(**profile, true)) : DescribeOne(**profile));
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
