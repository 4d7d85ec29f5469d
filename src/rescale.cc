// SPDX-License-Identifier: Apache-2.0
//
// Plans of RESCALE: what a request must be, and running over arrays.
#include "exactcast/rescale.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "exactcast/names.h"
#include "exactcast/spec/format_names.h"
#include "src/kernels/rescale.h"
#include "src/stores.h"
#include "src/threads.h"

namespace exactcast {

struct RescaleState {
  std::string profile;
  const tosa::RescaleVersion* version = nullptr;
  RescaleParams params;
  const RescaleKernel* kernel = nullptr;
};

namespace {

constexpr std::size_t kGrain = 1 << 14;        // elements; threads begin at multiples
constexpr std::size_t kWorthThread = 1 << 17;  // elements per thread below which none is started

template <typename Integer>
bool Fits(std::int64_t x) {
  return std::numeric_limits<Integer>::min() <= x && x <= std::numeric_limits<Integer>::max();
}

Status CheckMultiplier(std::int64_t multiplier, bool scale32) {
  if (scale32 ? Fits<std::int32_t>(multiplier) : Fits<std::int16_t>(multiplier)) return {};
  return UsageError(fmt::format("multiplier {} does not fit the int{} that it is; {}", multiplier,
                                scale32 ? 32 : 16,
                                scale32 ? "the largest is 2147483647" : "the largest is 32767"));
}

Status CheckShift(std::int64_t shift, const tosa::RescaleVersion& version) {
  if (version.shift_has_six_bits && (shift < 0 || shift > 63)) {
    return UsageError(
        fmt::format("shift {} does not fit the 6 bits that it has in {}", shift, version.profile));
  }
  if (!Fits<std::int8_t>(shift)) {
    return UsageError(fmt::format("shift {} does not fit the int8 that it is", shift));
  }
  if (shift >= 1) return {};
  return BadInput(fmt::format(
      "shift {}: the formula halves 2^shift and says nothing below 1; legal are 2 to 62", shift));
}

Status CheckScales(const RescaleRequest& r, const tosa::RescaleVersion& version) {
  if (r.multipliers.empty() || r.shifts.empty()) {
    return UsageError("a multiplier and a shift are needed");
  }
  if (r.multipliers.size() != r.shifts.size()) {
    return UsageError(fmt::format("{} multipliers and {} shifts; give as many of one as the other",
                                  r.multipliers.size(), r.shifts.size()));
  }
  if (!r.per_channel && r.multipliers.size() > 1) {
    return UsageError(
        fmt::format("{} multipliers are one per channel; say --per-channel, or give one",
                    r.multipliers.size()));
  }
  for (const std::int64_t multiplier : r.multipliers) {
    if (Status status = CheckMultiplier(multiplier, r.scale32); !status.ok()) return status;
  }
  for (const std::int64_t shift : r.shifts) {
    if (Status status = CheckShift(shift, version); !status.ok()) return status;
  }
  return {};
}

// What to do instead, where it is the pair that the version lacks.
std::string AnotherWay(const RescaleRequest& r, const tosa::RescaleVersion& version) {
  if (tosa::AllowsPair(version.version, r.from, r.to)) return "";
  if (TwoLegalSteps(r)) return "; two legal steps do it: see 'exactcast rescale --check'";
  const std::vector<std::string_view> profiles = ProfilesWithPair(r.from, r.to);
  if (!tosa::HasPair(version.version, r.from, r.to) || profiles.empty()) return "";
  return fmt::format("; {} allow it", WordList(profiles, "and"));
}

}  // namespace

// ---- the plan -----------------------------------------------------------------------------------

const Format& RescalePlan::from() const { return *state_->params.source; }
const Format& RescalePlan::to() const { return *state_->params.target; }
const tosa::RescaleVersion& RescalePlan::version() const { return *state_->version; }
std::string_view RescalePlan::profile() const { return state_->profile; }
const RescaleRules& RescalePlan::rules() const { return state_->params.rules; }
const std::vector<Scale>& RescalePlan::scales() const { return state_->params.scales; }
std::string_view RescalePlan::kernel() const { return state_->kernel->name; }

PermittedResults RescalePlan::Permitted(std::int64_t x, std::size_t channel) const noexcept {
  const RescaleRules& rules = state_->params.rules;
  const Scale& scale = state_->params.scales[channel];
  const Rescaled r = Rescale(x, scale, rules);
  if (r.why != Unpredictable::kNone) return {.anything = true, .range = rules.output};
  if (rules.rounding != RescaleRounding::kInexact) return {.range = {r.value, r.value}};
  return {.range = RescaleInterval(x, scale, rules)};
}

std::optional<IntegerRange> RescalePlan::Predictable(std::size_t channel) const noexcept {
  return PredictableInputs(RangeOf(from()), state_->params.scales[channel], state_->params.rules);
}

Result<RescalePlan> MakeRescalePlan(const RescaleRequest& request) {
  const Result<const tosa::RescaleVersion*> version = ParseRescaleProfile(request.profile);
  if (!version.ok()) return version.status();
  const std::vector<std::string> errors = RescaleErrors(request);
  if (!errors.empty()) return Unsupported(errors.front() + AnotherWay(request, **version));
  if (Status status = CheckScales(request, **version); !status.ok()) return status;
  auto state = std::make_shared<RescaleState>();
  for (const char c : request.profile) state->profile += ToLower(c);
  state->version = *version;
  RescaleParams& p = state->params;
  p.source = &GetFormat(request.from);
  p.target = &GetFormat(request.to);
  p.rules = tosa::RulesOf((*version)->version, {.from = request.from,
                                                .to = request.to,
                                                .input_zp = request.input_zp,
                                                .output_zp = request.output_zp,
                                                .scale32 = request.scale32,
                                                .rounding = request.rounding,
                                                .as_printed = request.as_printed});
  for (std::size_t c = 0; c < request.multipliers.size(); ++c) {
    p.scales.push_back({request.multipliers[c], static_cast<int>(request.shifts[c])});
  }
  PrepareRescale(p);
  for (const RescaleKernel& kernel : RescaleKernels()) {
    state->kernel = &kernel;
    if (kernel.accepts(p)) break;
  }
  return RescalePlan(std::move(state));
}

// ---- running ------------------------------------------------------------------------------------

std::uint64_t RescaleCounts::unpredictable() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : by_reason) sum += count;
  return sum;
}

RescaleCounts& RescaleCounts::operator+=(const RescaleCounts& other) {
  elements += other.elements;
  saturated += other.saturated;
  for (std::size_t i = 0; i < by_reason.size(); ++i) by_reason[i] += other.by_reason[i];
  first_unpredictable = std::min(first_unpredictable, other.first_unpredictable);
  return *this;
}

namespace {

// One range of elements: pieces that a kernel can take at once.
class RangeRunner {
 public:
  RangeRunner(const RescaleState& state, const RescaleRunOptions& options, bool large)
      : s_(state), options_(options), large_(large) {}

  RescaleCounts Run(const std::byte* in, std::byte* out, std::size_t begin, std::size_t end) {
    const auto in_size = static_cast<std::size_t>(s_.params.source->storage_bits / 8);
    const auto out_size = static_cast<std::size_t>(s_.params.target->storage_bits / 8);
    for (std::size_t at = begin; at < end;) {
      const std::size_t n = SameRun(options_.first + at, end - at);
      Piece(in + at * in_size, out + at * out_size, options_.first + at, n);
      at += n;
    }
    return counts_;
  }

 private:
  [[nodiscard]] bool strided() const {
    return options_.channel_stride > 1 && s_.params.scales.size() > 1;
  }

  // Of `left` elements from `index` on, those that one call can take: of one channel where channels
  // are strided.
  [[nodiscard]] std::size_t SameRun(std::uint64_t index, std::size_t left) const {
    if (!strided()) return left;
    const std::uint64_t same = options_.channel_stride - index % options_.channel_stride;
    return static_cast<std::size_t>(std::min<std::uint64_t>(left, same));
  }

  void Piece(const std::byte* in, std::byte* out, std::uint64_t index, std::size_t n) {
    const std::uint64_t channels = s_.params.scales.size();
    RescaleTally tally = {.first = n};
    if (strided()) {
      const auto channel = static_cast<std::size_t>(index / options_.channel_stride % channels);
      if (channel != channel_ || single_.scales.empty()) TakeChannel(channel);
      s_.kernel->run(single_, {.in = in, .out = out, .n = n, .large = large_}, tally);
    } else {
      const auto channel = static_cast<std::size_t>(index % channels);
      s_.kernel->run(s_.params, {.in = in, .out = out, .n = n, .channel = channel, .large = large_},
                     tally);
    }
    RescaleCounts counts = {.elements = n, .saturated = tally.saturated};
    counts.by_reason = tally.unpredictable;
    if (tally.first < n) counts.first_unpredictable = index + tally.first;
    counts_ += counts;
  }

  void TakeChannel(std::size_t channel) {
    channel_ = channel;
    single_.source = s_.params.source;
    single_.target = s_.params.target;
    single_.rules = s_.params.rules;
    single_.scales.assign(1, s_.params.scales[channel]);
    if (!s_.params.lanes.empty()) single_.lanes.assign(1, s_.params.lanes[channel]);
    PrepareRescaleColumns(single_);
  }

  const RescaleState& s_;
  const RescaleRunOptions& options_;
  bool large_;
  RescaleCounts counts_;
  std::size_t channel_ = 0;
  RescaleParams single_;  // of that channel
};

}  // namespace

RescaleCounts RescalePlan::Run(const void* in, void* out, std::size_t elements,
                               const RescaleRunOptions& options) const noexcept {
  RescaleCounts total;
  std::mutex mutex;
  const RescaleParams& p = state_->params;
  const auto size = static_cast<std::size_t>((p.source->storage_bits + p.target->storage_bits) / 8);
  const bool large = Streams(options.stores, elements * size);
  ParallelRanges(elements, Parts(options.threads, elements, kWorthThread), kGrain,
                 [&](std::size_t begin, std::size_t end) {
                   const RescaleCounts counts = RangeRunner(*state_, options, large)
                                                    .Run(static_cast<const std::byte*>(in),
                                                         static_cast<std::byte*>(out), begin, end);
                   const std::lock_guard lock(mutex);
                   total += counts;
                 });
  return total;
}

}  // namespace exactcast
