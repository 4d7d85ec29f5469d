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

// What a device must have for a pair, version by version.
std::string Needs(const tosa::VersionedPair& pair) {
  std::string text;
  for (const tosa::NeedRow& row : tosa::kNeeds) {
    if (row.need != pair.need) continue;
    const bool from_the_start = row.since <= pair.since;
    if (from_the_start) text.clear();
    text += text.empty()
                ? std::string(row.words)
                : fmt::format("; {}: {}", tosa::ProfileName(row.since).substr(5), row.words);
  }
  return text;
}

// All versions at once: what did not change is not repeated.
std::string TosaSection() {
  std::string text =
      "\n## tosa-0.20 to tosa-1.1-draft\n\nOne table for all versions of Arm TOSA; what each "
      "permits and how it differs is in [tosa.md](tosa.md). Mode rint; trunc too\nfrom 1.0 on, "
      "from a float to a narrower float. Integers wrap, floats to integers saturate, floats "
      "overflow to infinity (`ieee`).\nUnder tosa-1.1-draft an int8, int16, int32 or int64 input "
      "may be uint8, uint16, uint32 or uint64 (input_unsigned).\ntosa-1.0 is also tosa-1.0.0, "
      "tosa-1.0.1 and tosa-1.0.2.\n\n"
      "| from | to | since | until | needs |\n|---|---|---|---|---|\n";
  for (const tosa::VersionedPair& pair : tosa::kCastPairs) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", GetFormat(pair.from).name,
                        GetFormat(pair.to).name, tosa::ProfileName(pair.since).substr(5),
                        pair.until == tosa::kLatest ? "" : tosa::ProfileName(pair.until).substr(5),
                        Needs(pair));
  }
  return text + fmt::format("\nNot yet there, in tosa-1.1-draft: {}.\n", tosa::kNotYet);
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
    if (!p.pairs.empty() && !p.leaves_choices) page += Section(p);
  }
  return page + TosaSection();
}

}  // namespace exactcast::docs
