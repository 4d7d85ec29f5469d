// SPDX-License-Identifier: Apache-2.0
//
// The judge of casts: the profile's row for the pair and spec/permitted.h.
#include "src/judge.h"

#include <fmt/format.h>

#include "exactcast/cast.h"
#include "exactcast/names.h"

namespace exactcast {
namespace {

class CastJudge : public Judge {
 public:
  explicit CastJudge(const CastRow& row) : row_(row) {}
  [[nodiscard]] Grounds Ask(std::uint64_t, std::uint64_t source,
                            std::uint64_t result) const override {
    return GroundsFor(source, result, row_);
  }

 private:
  const CastRow row_;
};

}  // namespace

Result<std::unique_ptr<const Judge>> MakeCastJudge(const PermittedRequest& request, FormatId from,
                                                   FormatId to) {
  const Result<const Profile*> profile = ParseProfile(request.profile);
  if (!profile.ok()) return profile.status();
  if (!(*profile)->leaves_choices) {
    return UsageError(fmt::format(
        "--permitted goes with the profiles tosa-...; {} permits one result: cast the source and "
        "compare with that",
        (*profile)->name));
  }
  const Result<Plan> plan = MakePlan({.from = from, .to = to, .profile = request.profile});
  if (!plan.ok()) return plan.status();
  return std::unique_ptr<const Judge>(
      std::make_unique<const CastJudge>(*FindCast(**profile, from, to)));
}

}  // namespace exactcast
