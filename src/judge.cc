// SPDX-License-Identifier: Apache-2.0
//
// The judges: of casts, the profile's row for the pair and spec/permitted.h; of RESCALE, its plan.
#include "src/judge.h"

#include <fmt/format.h>

#include <utility>

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

class RescaleJudge : public Judge {
 public:
  RescaleJudge(RescalePlan plan, std::size_t channels)
      : plan_(std::move(plan)), channels_(channels) {}

  [[nodiscard]] Grounds Ask(std::uint64_t index, std::uint64_t source,
                            std::uint64_t result) const override {
    const std::int64_t x = IntegerOf(source, plan_.from());
    const PermittedResults permitted = plan_.Permitted(x, index % channels_);
    if (permitted.anything) return Grounds::kUnpredictable;
    const std::int64_t y = IntegerOf(result, plan_.to());
    if (!permitted.range.Contains(y)) return Grounds::kNone;
    std::uint64_t single = 0;
    plan_.Run(&source, &single, 1, {.threads = 1, .first = index});
    return IntegerOf(single, plan_.to()) == y ? Grounds::kDefault : Grounds::kInterval;
  }

 private:
  const RescalePlan plan_;
  const std::size_t channels_;
};

}  // namespace

Result<std::unique_ptr<const Judge>> MakeRescaleJudge(const PermittedRequest& request,
                                                      FormatId from, FormatId to) {
  RescaleRequest rescale = *request.rescale;
  rescale.profile = request.profile;
  rescale.from = from;
  rescale.to = to;
  const Result<RescalePlan> plan = MakeRescalePlan(rescale);
  if (!plan.ok()) return plan.status();
  const std::size_t channels = rescale.per_channel ? rescale.multipliers.size() : 1;
  return std::unique_ptr<const Judge>(std::make_unique<const RescaleJudge>(*plan, channels));
}

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
