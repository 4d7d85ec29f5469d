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

namespace exactcast {

struct Profile {
  std::string_view name;
  std::string_view title;
  std::string_view source;              // the document that the rules are from
  std::span<const PairRow> pairs;       // empty: every pair
  std::span<const SwitchRow> switches;  // what the options stand for on the device
  std::optional<CastRow> (*find)(const Profile& profile, FormatId from, FormatId to,
                                 bool scaled) noexcept;
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
});
// clang-format on

// The row that says how `profile` casts the pair; scaled: with a scale given. Nothing where the
// profile does not.
constexpr std::optional<CastRow> FindCast(const Profile& profile, FormatId from, FormatId to,
                                          bool scaled = false) noexcept {
  if (GetFormat(from).use != Use::kCast || GetFormat(to).use != Use::kCast) return std::nullopt;
  return profile.find(profile, from, to, scaled);
}

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_PROFILE_H_
