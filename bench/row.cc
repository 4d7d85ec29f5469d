// SPDX-License-Identifier: Apache-2.0
//
// From rows to plans.
#include "bench/row.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "exactcast/names.h"

namespace exactcast::bench {
namespace {

constexpr std::size_t kChannels = 64;

constexpr std::array<std::string_view, 4> kKindNames = {"shift33", "general", "double",
                                                        "per-channel"};

Result<Subject> MakeCast(Row row) {
  row.packed = row.packed && (IsPackable(GetFormat(row.from)) || IsPackable(GetFormat(row.to)));
  const Packing packing = row.packed ? Packing::kPacked : Packing::kUnpacked;
  Result<Plan> made = MakePlan({.from = row.from,
                                .to = row.to,
                                .rounding = row.rounding,
                                .overflow = row.overflow,
                                .input_packing = packing,
                                .output_packing = packing});
  if (!made.ok()) return made.status();
  const Plan plan = *made;
  return Subject{.row = row,
                 .mode = std::string(Name(plan.rounding())),
                 .overflow = std::string(Name(plan.overflow())),
                 .kernel = std::string(plan.kernel()),
                 .has_counts_off = true,
                 .in_bytes = [plan](std::size_t n) { return plan.InputBytes(n); },
                 .out_bytes = [plan](std::size_t n) { return plan.OutputBytes(n); },
                 .run =
                     [plan](const void* in, void* out, std::size_t n, const RunHow& how) {
                       plan.Run(
                           in, out, n,
                           {.threads = how.threads, .counts = how.counts, .stores = how.stores});
                     }};
}

// Scales that make a hundred of an accumulator of a million; shift 32 where the kind is general.
RescaleRequest RequestOf(const Row& row) {
  RescaleRequest request{.from = row.from, .to = row.to};
  const std::size_t channels = *row.rescale == RescaleKind::kPerChannel ? kChannels : 1;
  const int less = *row.rescale == RescaleKind::kGeneral ? 12 : 0;
  for (std::size_t i = 0; i < channels; ++i) {
    request.multipliers.push_back((1583594044 + 7919 * static_cast<std::int64_t>(i)) >> less);
    request.shifts.push_back(44 - less - (channels > 1 ? static_cast<std::int64_t>(i % 8) : 0));
  }
  request.per_channel = channels > 1;
  if (*row.rescale == RescaleKind::kDouble) request.rounding = RescaleRounding::kDouble;
  request.output_zp = row.to == FormatId::kInt8 ? -3 : 0;
  return request;
}

Result<Subject> MakeRescale(const Row& row) {
  Result<RescalePlan> made = MakeRescalePlan(RequestOf(row));
  if (!made.ok()) return made.status();
  const RescalePlan plan = *made;
  const auto bytes = [](const Format& f) {
    return
        [width = static_cast<std::size_t>(f.storage_bits) / 8](std::size_t n) { return n * width; };
  };
  return Subject{.row = row,
                 .mode = std::string(Name(*row.rescale)),
                 .overflow = "saturate",
                 .kernel = std::string(plan.kernel()),
                 .has_counts_off = false,
                 .in_bytes = bytes(plan.from()),
                 .out_bytes = bytes(plan.to()),
                 .run = [plan](const void* in, void* out, std::size_t n, const RunHow& how) {
                   plan.Run(in, out, n, {.threads = how.threads, .stores = how.stores});
                 }};
}

}  // namespace

std::string_view Name(RescaleKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::string PairName(const Row& row) {
  return fmt::format("{}{}:{}", row.rescale ? "rescale " : "", GetFormat(row.from).name,
                     GetFormat(row.to).name);
}

std::string Key(const Subject& subject) {
  return fmt::format("{} {} {}{}", PairName(subject.row), subject.mode, subject.overflow,
                     subject.row.packed ? " packed" : "");
}

Result<Subject> MakeSubject(const Row& row) {
  return row.rescale ? MakeRescale(row) : MakeCast(row);
}

}  // namespace exactcast::bench
