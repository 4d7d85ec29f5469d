// SPDX-License-Identifier: Apache-2.0
//
// Profiles: vendors' rule sets, by name. A profile is a table of the pairs it has; the tables stand
// in profiles/, one file a vendor. Profiles know names and rules, never algorithms.
#ifndef EXACTCAST_SPEC_PROFILE_H_
#define EXACTCAST_SPEC_PROFILE_H_

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "exactcast/spec/format.h"
#include "exactcast/spec/profiles/ascend.h"
#include "exactcast/spec/profiles/cast_row.h"
#include "exactcast/spec/profiles/exact.h"
#include "exactcast/spec/profiles/tosa.h"

namespace exactcast {

struct Profile {
  std::string_view name;
  std::string_view title;
  std::string_view source;              // the document that the rules are from
  std::span<const PairRow> pairs;       // empty: every pair
  std::span<const SwitchRow> switches;  // what the options stand for on the device
  std::optional<CastRow> (*find)(const Profile& profile, FormatId from, FormatId to,
                                 bool scaled) noexcept;
  // Versions of one specification that permits sets of results, among which options choose.
  bool leaves_choices = false;
  std::string_view not_yet = {};  // what the document has and the profile has not
};

constexpr const PairRow* FindPair(const Profile& profile, FormatId from, FormatId to,
                                  bool scaled) noexcept {
  for (const PairRow& row : profile.pairs) {
    if (row.from == from && row.to == to && IsScaled(row.operation) == scaled) return &row;
  }
  return nullptr;
}

namespace internal {

constexpr std::optional<CastRow> FindInExact(const Profile&, FormatId from, FormatId to,
                                             bool scaled) noexcept {
  if (scaled) return std::nullopt;
  return exact::ExactCast(GetFormat(from), GetFormat(to));
}

template <bool kHasNanSwitch>
constexpr std::optional<CastRow> FindInAscend(const Profile& profile, FormatId from, FormatId to,
                                              bool scaled) noexcept {
  const PairRow* row = FindPair(profile, from, to, scaled);
  if (row == nullptr) return std::nullopt;
  return ascend::AscendCast(*row, kHasNanSwitch);
}

template <tosa::Version kVersion>
constexpr std::optional<CastRow> FindInTosa(const Profile& profile, FormatId from, FormatId to,
                                            bool scaled) noexcept {
  const PairRow* row = FindPair(profile, from, to, scaled);
  if (row == nullptr) return std::nullopt;
  return tosa::TosaCast(*row, kVersion);
}

template <tosa::Version kVersion>
constexpr Profile TosaProfile(std::string_view title, std::string_view not_yet = {}) noexcept {
  return {.name = tosa::ProfileName(kVersion),
          .title = title,
          .source = "TOSA specification, CAST",
          .pairs = tosa::kPairsOf<kVersion>,
          .switches = {},
          .find = FindInTosa<kVersion>,
          .leaves_choices = true,
          .not_yet = not_yet};
}

}  // namespace internal

// clang-format off
inline constexpr std::string_view kAscendPage = "Ascend C, precision conversion (Cast)";

inline constexpr auto kProfiles = std::to_array<Profile>({
  // name                 title                                   source                pairs                          switches               find
  {"exact",              "every pair in every mode, IEEE 754",   "IEEE 754-2019, 4, 7.4; OCP OFP8; OCP MX", {},      {},                    internal::FindInExact},
  {"ascend950",          "Ascend 950",                           kAscendPage,          ascend::kAscend950,            ascend::kSwitches950,  internal::FindInAscend<true>},
  {"atlas-a3",           "Atlas A3 training and inference",      kAscendPage,          ascend::kAtlasA3,              ascend::kSwitchesA2,   internal::FindInAscend<false>},
  {"atlas-a2",           "Atlas A2 training and inference",      kAscendPage,          ascend::kAtlasA2,              ascend::kSwitchesA2,   internal::FindInAscend<false>},
  {"atlas-200i-500-a2",  "Atlas 200I/500 A2 inference",          kAscendPage,          ascend::kAtlas200i500A2,       {},                    internal::FindInAscend<false>},
  {"atlas-inference",    "Atlas inference (AI Core)",            kAscendPage,          ascend::kAtlasInference,       {},                    internal::FindInAscend<false>},
  {"atlas-training",     "Atlas training",                       kAscendPage,          ascend::kAtlasTraining,        {},                    internal::FindInAscend<false>},
  {"kirin-x90",          "Kirin X90",                            kAscendPage,          ascend::kKirinX90,             {},                    internal::FindInAscend<false>},
  {"kirin-9030",         "Kirin 9030",                           kAscendPage,          ascend::kKirin9030,            {},                    internal::FindInAscend<false>},
  internal::TosaProfile<tosa::Version::k020>("Arm TOSA 0.20, 2020-10-29"),
  internal::TosaProfile<tosa::Version::k021>("Arm TOSA 0.21"),
  internal::TosaProfile<tosa::Version::k022>("Arm TOSA 0.22"),
  internal::TosaProfile<tosa::Version::k023>("Arm TOSA 0.23, 2021-10-29"),
  internal::TosaProfile<tosa::Version::k030>("Arm TOSA 0.30, 2022-06-19"),
  internal::TosaProfile<tosa::Version::k040>("Arm TOSA 0.40, 2022-08-31"),
  internal::TosaProfile<tosa::Version::k050>("Arm TOSA 0.50, 2022-12-06"),
  internal::TosaProfile<tosa::Version::k060>("Arm TOSA 0.60, 2023-03-08"),
  internal::TosaProfile<tosa::Version::k070>("Arm TOSA 0.70, 2023-05-29"),
  internal::TosaProfile<tosa::Version::k080>("Arm TOSA 0.80, 2023-09-18"),
  internal::TosaProfile<tosa::Version::k090>("Arm TOSA 0.90, 2024-03-26"),
  internal::TosaProfile<tosa::Version::k100Rc0>("Arm TOSA 1.0.0-rc0, 2024-04-22"),
  internal::TosaProfile<tosa::Version::k100>("Arm TOSA 1.0.0 to 1.0.2, 2025-05-16"),
  internal::TosaProfile<tosa::Version::k110Draft>("Arm TOSA 1.1 draft, 2026-08-07", tosa::kNotYet),
});
// clang-format on

struct ProfileSpelling {
  std::string_view spelling;
  std::string_view name;
};

// Other spellings of a profile's name.
inline constexpr auto kProfileSpellings = std::to_array<ProfileSpelling>(
    {{"tosa-1.0.0", "tosa-1.0"}, {"tosa-1.0.1", "tosa-1.0"}, {"tosa-1.0.2", "tosa-1.0"}});

// The row that says how `profile` casts the pair; scaled: with a scale given. Nothing where the
// profile does not.
constexpr std::optional<CastRow> FindCast(const Profile& profile, FormatId from, FormatId to,
                                          bool scaled = false) noexcept {
  if (GetFormat(from).use != Use::kCast || GetFormat(to).use != Use::kCast) return std::nullopt;
  return profile.find(profile, from, to, scaled);
}

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_PROFILE_H_
