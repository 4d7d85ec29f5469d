// SPDX-License-Identifier: Apache-2.0
//
// The page of --explain-plan, as plan_page.h says.
#include "cli/plan_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "cli/json.h"
#include "cli/page.h"
#include "exactcast/names.h"

namespace exactcast::cli {
namespace {

std::string WhyKernel(const Plan& plan) {
  const std::vector<std::string_view> faster = plan.kernels_passed_over();
  if (faster.empty()) return "it is the fastest, and takes this cast";
  return fmt::format("the fastest that takes this cast; {} {} not", WordList(faster, "and"),
                     faster.size() == 1 ? "does" : "do");
}

std::string WhyTarget() {
  const std::vector<std::string_view> targets = Plan::cpu_targets();
  if (targets.size() == 1) return "the only one that this CPU has kernels for";
  return fmt::format("the best of those that this CPU runs: {}", WordList(targets, "and"));
}

}  // namespace

std::string PlanText(const Plan& plan, bool json) {
  if (json) {
    return JsonLine({{"profile", plan.profile()},
                     {"round", Name(plan.rounding())},
                     {"overflow", Name(plan.overflow())},
                     {"from", plan.from().name},
                     {"to", plan.to().name},
                     {"kernel", plan.kernel()},
                     {"kernel_description", plan.kernel_description()},
                     {"kernels_passed_over", plan.kernels_passed_over()},
                     {"cpu_target", Plan::cpu_target()},
                     {"cpu_targets", Plan::cpu_targets()}});
  }
  Page page{Pen(false)};
  page.Full(fmt::format("{} to {}, profile {}, mode {}, {}", plan.from().name, plan.to().name,
                        plan.profile(), Name(plan.rounding()), Name(plan.overflow())));
  page.Line("kernel", fmt::format("{}: {}", plan.kernel(), plan.kernel_description()));
  page.Line("", WhyKernel(plan));
  page.Line("CPU", std::string(Plan::cpu_target()));
  page.Line("", WhyTarget());
  return page.text();
}

}  // namespace exactcast::cli
