// SPDX-License-Identifier: Apache-2.0
//
// exactcast rescale --check: what can be said of a RESCALE from its attributes alone.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/json.h"
#include "cli/options.h"
#include "cli/rescale.h"
#include "exactcast/names.h"

namespace exactcast::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostTried = std::int64_t{1} << 28;  // inputs times channels
constexpr std::size_t kMostLines = 8;                       // of channels, in text

// Inputs of a channel that have no predictable result, and why the first beyond does not.
struct Unsure {
  std::size_t channel;
  IntegerRange inputs;
  Unpredictable why;
};

struct RoundingDifference {
  IntegerRange inputs;
  std::uint64_t tried = 0;
  std::uint64_t differing = 0;
  std::int64_t first = 0;  // input
  std::int64_t single = 0;
  std::int64_t twice = 0;
};

struct Report {
  std::vector<std::string> errors;
  std::vector<Unsure> unsure;
  std::optional<std::pair<RescaleRequest, RescaleRequest>> steps;
  std::optional<RoundingDifference> roundings;
  std::string needs;  // profiles and extensions
};

// A shift below 1, which the type holds and no formula takes: nothing is predictable, and a lint says so
// beside everything else. Replaced by a legal one, so that the rest can be examined.
std::vector<std::size_t> TakeShiftsBelowOne(const tosa::RescaleVersion& version,
                                            RescaleRequest* r) {
  const std::int64_t least = version.shift_has_six_bits ? 0 : -128;
  std::vector<std::size_t> channels;
  for (std::size_t c = 0; c < r->shifts.size(); ++c) {
    if (r->shifts[c] >= 1 || r->shifts[c] < least) continue;
    channels.push_back(c);
    r->shifts[c] = 2;
  }
  return channels;
}

std::vector<Unsure> FindUnsure(const RescalePlan& plan, const std::vector<std::size_t>& below_one) {
  std::vector<Unsure> found;
  const IntegerRange all = RangeOf(plan.from());
  for (std::size_t c = 0; c < plan.scales().size(); ++c) {
    if (std::find(below_one.begin(), below_one.end(), c) != below_one.end()) {
      found.push_back({c, all, Unpredictable::kShift});
      continue;
    }
    const auto why = [&](std::int64_t x) { return Rescale(x, plan.scales()[c], plan.rules()).why; };
    const std::optional<IntegerRange> sure = plan.Predictable(c);
    if (!sure) {
      found.push_back({c, all, why(all.Clip(plan.rules().input_zp))});
      continue;
    }
    if (sure->least > all.least) {
      found.push_back({c, {all.least, sure->least - 1}, why(sure->least - 1)});
    }
    if (sure->greatest < all.greatest) {
      found.push_back({c, {sure->greatest + 1, all.greatest}, why(sure->greatest + 1)});
    }
  }
  return found;
}

Result<IntegerRange> ParseRange(const std::optional<std::string>& text, FormatId from) {
  const IntegerRange all = RangeOf(GetFormat(from));
  if (!text) {
    const IntegerRange few = {std::max<std::int64_t>(all.least, -32768),
                              std::min<std::int64_t>(all.greatest, 65535)};
    return GetFormat(from).bits > 16 ? IntegerRange{few.least, 32767} : few;
  }
  const std::vector<std::string_view> ends = SplitAtCommas(*text);
  const auto number = [&](std::size_t i) {
    return i < ends.size() ? ParseInteger<std::int64_t>(ends[i]) : std::nullopt;
  };
  if (ends.size() != 2 || !number(0) || !number(1) || *number(0) > *number(1)) {
    return UsageError(fmt::format("--range {}: not two integers in order, as -128,127", *text));
  }
  const IntegerRange range = {*number(0), *number(1)};
  if (all.Contains(range.least) && all.Contains(range.greatest)) return range;
  return UsageError(fmt::format("--range {}: {} goes from {} to {}", *text, GetFormat(from).name,
                                all.least, all.greatest));
}

Result<std::optional<RoundingDifference>> CompareRoundings(const RescaleOptions& o,
                                                           const RescalePlan& plan) {
  const Result<IntegerRange> range = ParseRange(o.range, plan.from().id);
  if (!range.ok()) return range.status();
  if (!plan.rules().scale32) return std::optional<RoundingDifference>();
  RoundingDifference d = {.inputs = *range};
  const auto channels = static_cast<std::int64_t>(plan.scales().size());
  if (range->greatest - range->least >= kMostTried / channels) {
    return UsageError(fmt::format("--range: {} inputs in each of {} channels are too many to try",
                                  range->greatest - range->least + 1, channels));
  }
  RescaleRules single = plan.rules();
  RescaleRules twice = plan.rules();
  single.rounding = RescaleRounding::kSingle;
  twice.rounding = RescaleRounding::kDouble;
  for (const Scale& scale : plan.scales()) {
    d.tried += static_cast<std::uint64_t>(range->greatest - range->least + 1);
    if (scale.shift <= 31) continue;  // there they are the same
    for (std::int64_t x = range->least; x <= range->greatest; ++x) {
      const Rescaled a = Rescale(x, scale, single);
      const Rescaled b = Rescale(x, scale, twice);
      if (a.why != Unpredictable::kNone || a.value == b.value) continue;
      if (d.differing++ != 0) continue;
      d.first = x;
      d.single = a.value;
      d.twice = b.value;
    }
  }
  return std::optional(d);
}

std::string Needs(const RescaleRequest& r, const tosa::RescaleVersion& version) {
  std::string needs(tosa::PairNeeds(version.version, r.from));
  const std::string_view extension = tosa::RoundingNeeds(version.version, r.rounding);
  if (!extension.empty()) needs += fmt::format(", {}", extension);
  return needs;
}

Result<Report> Examine(const RescaleOptions& o, const RescaleCall& call) {
  const Result<const tosa::RescaleVersion*> version = ParseRescaleProfile(call.request.profile);
  if (!version.ok()) return version.status();
  Report report;
  report.errors = RescaleErrors(call.request);
  report.steps = TwoLegalSteps(call.request);
  RescaleRequest runnable = call.request;
  const std::vector<std::size_t> below_one = TakeShiftsBelowOne(**version, &runnable);
  const Result<RescalePlan> plan = MakeRescalePlan(runnable);
  if (!plan.ok()) {
    if (report.errors.empty()) return plan.status();
    return report;
  }
  report.needs = Needs(call.request, **version);
  report.unsure = FindUnsure(*plan, below_one);
  if (!below_one.empty()) return report;  // there is no rounding to compare
  Result<std::optional<RoundingDifference>> d = CompareRoundings(o, *plan);
  if (!d.ok()) return d.status();
  report.roundings = *d;
  return report;
}

// ---- what is printed ----------------------------------------------------------------------------

std::string StepText(const RescaleRequest& r) {
  std::string text = fmt::format("{} to {}, input_zp {}, output_zp {}, ", GetFormat(r.from).name,
                                 GetFormat(r.to).name, r.input_zp, r.output_zp);
  return text + (r.multipliers.size() == 1 ? fmt::format("multiplier {}, shift {}",
                                                         r.multipliers.front(), r.shifts.front())
                                           : std::string("multiplier and shift as given"));
}

std::string UnsureText(const Unsure& u, bool channels) {
  return fmt::format("unpredictable: inputs {} to {}{}: {}\n", u.inputs.least, u.inputs.greatest,
                     channels ? fmt::format(" of channel {}", u.channel) : "", Describe(u.why));
}

std::string RoundingText(const RoundingDifference& d) {
  std::string text =
      fmt::format("rounding: single and double differ for {} of {} inputs, {} to {}{}", d.differing,
                  d.tried, d.inputs.least, d.inputs.greatest, d.differing == 0 ? "\n" : "");
  if (d.differing == 0) return text;
  return text + fmt::format("; the first is {}: {} and {}\n", d.first, d.single, d.twice);
}

std::string ToText(const RescaleCall& call, const Report& report) {
  const RescaleRequest& r = call.request;
  std::string text = ScaleLines(call);
  text += fmt::format("{} to {}, profile {}, rounding {}: {}\n", GetFormat(r.from).name,
                      GetFormat(r.to).name, r.profile, Name(r.rounding),
                      report.errors.empty() ? fmt::format("legal ({})", report.needs) : "illegal");
  for (const std::string& error : report.errors) text += fmt::format("error: {}\n", error);
  const std::size_t lines = std::min(kMostLines, report.unsure.size());
  for (std::size_t i = 0; i < lines; ++i) {
    text += UnsureText(report.unsure[i], r.multipliers.size() > 1);
  }
  if (lines < report.unsure.size()) {
    text += fmt::format("unpredictable: and {} ranges more\n", report.unsure.size() - lines);
  }
  if (report.steps) {
    text += fmt::format("two steps, each legal in tosa-1.0, do the same:\n  1. {}\n  2. {}\n",
                        StepText(report.steps->first), StepText(report.steps->second));
  }
  if (report.roundings) text += RoundingText(*report.roundings);
  return text;
}

Json StepJson(const RescaleRequest& r) {
  return {{"from", GetFormat(r.from).name}, {"to", GetFormat(r.to).name},  {"input_zp", r.input_zp},
          {"output_zp", r.output_zp},       {"multiplier", r.multipliers}, {"shift", r.shifts},
          {"scale32", r.scale32},           {"rounding", Name(r.rounding)}};
}

std::string ToJson(const RescaleCall& call, const Report& report) {
  const RescaleRequest& r = call.request;
  Json json = {{"profile", r.profile},           {"from", GetFormat(r.from).name},
               {"to", GetFormat(r.to).name},     {"rounding", Name(r.rounding)},
               {"legal", report.errors.empty()}, {"needs", report.needs},
               {"errors", report.errors},        {"unpredictable", Json::array()}};
  for (const Unsure& u : report.unsure) {
    json["unpredictable"].push_back({{"channel", u.channel},
                                     {"least", u.inputs.least},
                                     {"greatest", u.inputs.greatest},
                                     {"reason", Describe(u.why)}});
  }
  if (report.steps) {
    json["two_steps"] = {StepJson(report.steps->first), StepJson(report.steps->second)};
  }
  if (report.roundings) {
    const RoundingDifference& d = *report.roundings;
    json["single_double"] = {{"least", d.inputs.least},
                             {"greatest", d.inputs.greatest},
                             {"inputs", d.tried},
                             {"differing", d.differing}};
    if (d.differing != 0) json["single_double"]["first"] = d.first;
  }
  return JsonLine(json);
}

}  // namespace

Ending RunRescaleCheck(const RescaleOptions& o, const RescaleCall& call) {
  if (!call.from || !call.to) {
    return UsageError("--check needs both types: --from and --to, or in_t and out_t");
  }
  const Result<Report> report = Examine(o, call);
  if (!report.ok()) return report.status();
  const Status status = Print(o.json ? ToJson(call, *report) : ToText(call, *report));
  if (!status.ok()) return status;
  if (!report->errors.empty()) return Unsupported(report->errors.front());
  if (o.strict && !report->unsure.empty()) {
    return BadInput("some inputs have no predictable result");
  }
  return Status();
}

}  // namespace exactcast::cli
