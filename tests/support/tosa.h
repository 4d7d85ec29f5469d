// SPDX-License-Identifier: Apache-2.0
//
// What the tests of TOSA's profiles share.
#ifndef EXACTCAST_TESTS_SUPPORT_TOSA_H_
#define EXACTCAST_TESTS_SUPPORT_TOSA_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "exactcast/spec/codec.h"
#include "exactcast/spec/profile.h"

namespace support {

using exactcast::CastRequest;
using exactcast::CastRow;
using exactcast::FormatId;

inline std::vector<std::string> Versions() {
  std::vector<std::string> names;
  for (const exactcast::Profile& profile : exactcast::kProfiles) {
    if (profile.leaves_choices) names.emplace_back(profile.name);
  }
  return names;
}

inline std::vector<std::string> VersionsFrom(const std::string& since) {
  std::vector<std::string> names = Versions();
  const auto first =
      std::find(names.begin(), names.end(), std::string((*exactcast::ParseProfile(since))->name));
  return {first, names.end()};
}

inline CastRow RowOf(const std::string& profile, FormatId from, FormatId to) {
  return *exactcast::FindCast(**exactcast::ParseProfile(profile), from, to);
}

// One element.
struct One {
  std::uint64_t result = 0;
  exactcast::Counts counts;
};
inline One CastOne(const CastRequest& request, std::uint64_t word) {
  const exactcast::Result<exactcast::Plan> plan = exactcast::MakePlan(request);
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  One one;
  if (plan.ok()) one.counts = plan->Run(&word, &one.result, 1, {.threads = 1});
  return one;
}

inline bool IsNan(std::uint64_t word, FormatId id) {
  return exactcast::Decode(word, exactcast::GetFormat(id)).cls == exactcast::Class::kNan;
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_TOSA_H_
