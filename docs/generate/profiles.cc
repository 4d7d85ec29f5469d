// SPDX-License-Identifier: Apache-2.0
//
// docs/profiles.md: every profile with the pairs it has, from the tables of spec/profiles/.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "docs/generate/pages.h"
#include "exactcast/describe.h"

namespace exactcast::docs {
namespace {

constexpr const char* kIntroduction =
    R"(# Profiles

<!-- Generated from include/exactcast/spec/profiles by `./dev docs`; do not edit. -->

A profile is a vendor's rule set under a name that never changes its meaning. What the modes and forms do is in
[rules.md](rules.md). A pair or mode that a profile lacks exits 4 and names what there is.

| profile | what | pairs | source |
|---|---|---|---|
)";

constexpr const char* kExact =
    R"(
## exact

Every format to every format in rint, floor, ceil, round, trunc, odd and none (as rint); hybrid from float32 and float16 to
hifloat8. Without `--round`: rint, to hifloat8 round. To floats `ieee` (default) or `saturate`, to integers `saturate`
(default) or `wrap`.
)";

std::string Joined(const std::vector<std::string_view>& words) {
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, " "));
}

std::string Section(const Profile& profile) {
  std::string text =
      fmt::format("\n## {}\n\nThe default mode and form stand first.\n\n", profile.name);
  text += "| from | to | modes | forms | |\n|---|---|---|---|---|\n";
  for (const PairFacts& pair : DescribePairs(profile)) {
    text +=
        fmt::format("| {} | {} | {} | {} | {} |\n", GetFormat(pair.row.from).name,
                    GetFormat(pair.row.to).name, Joined(pair.modes), Joined(pair.forms), pair.note);
  }
  if (profile.switches.empty()) return text;
  text += "\n| option | on the device |\n|---|---|\n";
  for (const SwitchRow& row : profile.switches) {
    text += fmt::format("| `{}` | {} |\n", row.option, row.setting);
  }
  return text;
}

}  // namespace

std::string ProfilesPage(const std::string&) {
  std::string page = kIntroduction;
  for (const Profile& p : kProfiles) {
    page += fmt::format("| {} | {} | {} | {} |\n", p.name, p.title,
                        p.pairs.empty() ? "all" : fmt::format("{}", CountPairs(p)), p.source);
  }
  page += kExact;
  for (const Profile& p : kProfiles) {
    if (!p.pairs.empty()) page += Section(p);
  }
  return page;
}

}  // namespace exactcast::docs
