// SPDX-License-Identifier: Apache-2.0
//
// What a version says about a RESCALE, in words: names, errors, and the ways around them. The
// tables are spec/tosa_rescale.h.
#include <fmt/format.h>

#include <array>

#include "exactcast/names.h"
#include "exactcast/rescale.h"

namespace exactcast {
namespace {

struct RoundingName {
  RescaleRounding rounding;
  std::string_view name;
  std::string_view long_name;  // TOSA's own
};
constexpr std::array<RoundingName, 3> kRoundingNames = {{
    {RescaleRounding::kSingle, "single", "SINGLE_ROUND"},
    {RescaleRounding::kDouble, "double", "DOUBLE_ROUND"},
    {RescaleRounding::kInexact, "inexact", "INEXACT_ROUND"},
}};

tosa::RescaleAttributes AttributesOf(const RescaleRequest& r) {
  return {.from = r.from,
          .to = r.to,
          .input_zp = r.input_zp,
          .output_zp = r.output_zp,
          .scale32 = r.scale32,
          .rounding = r.rounding,
          .per_channel = r.per_channel,
          .rank_is_zero = r.rank_is_zero,
          .as_printed = r.as_printed};
}

std::string PairText(const RescaleRequest& r) {
  return fmt::format("{} to {}", GetFormat(r.from).name, GetFormat(r.to).name);
}

std::string NoPair(const RescaleRequest& r, const tosa::RescaleVersion& version) {
  const std::vector<std::string_view> profiles = ProfilesWithPair(r.from, r.to);
  return fmt::format(
      "{} does not rescale {}; {}{}", version.profile, PairText(r),
      profiles.empty() ? "no version does" : "these do: ", WordList(profiles, "and"));
}

std::string ErrorText(const RescaleRequest& r, const tosa::RescaleVersion& version,
                      const tosa::ErrorIf& row) {
  std::string text =
      fmt::format("{} rescale {}: ERROR_IF {}", version.profile, PairText(r), row.text);
  const bool about_zero = row.text.find("_zp") != std::string_view::npos;
  if (about_zero) text += fmt::format(" (input_zp {}, output_zp {})", r.input_zp, r.output_zp);
  return text;
}

}  // namespace

std::string_view Name(RescaleRounding rounding) {
  return kRoundingNames[static_cast<std::size_t>(rounding)].name;
}

std::string_view Describe(Unpredictable why) {
  constexpr std::array<std::string_view, kUnpredictableReasons> kWords = {
      "none",        "unset variable",       "negative multiplier",         "shift outside 2 to 62",
      "value limit", "result outside int32", "zero point sum outside int32"};
  return kWords[static_cast<std::size_t>(why)];
}

Result<RescaleRounding> ParseRescaleRounding(std::string_view word) {
  for (const RoundingName& row : kRoundingNames) {
    if (EqualsIgnoringCase(row.name, word) || EqualsIgnoringCase(row.long_name, word)) {
      return row.rounding;
    }
  }
  return UsageError(
      fmt::format("unknown rounding '{}' of rescale; there are single, double and inexact", word));
}

Result<const tosa::RescaleVersion*> ParseRescaleProfile(std::string_view word) {
  if (const tosa::RescaleVersion* row = tosa::FindVersion(word)) return row;
  std::vector<std::string_view> names;
  for (const tosa::RescaleVersion& row : tosa::kRescaleVersions) names.push_back(row.profile);
  if (const Result<const Profile*> other = ParseProfile(word); other.ok()) {
    return Unsupported(fmt::format("profile {} has no rescale; these have: {}", (*other)->name,
                                   WordList(names, "and")));
  }
  return UsageError(
      fmt::format("unknown profile '{}' of rescale; there are {}", word, WordList(names, "and")));
}

std::vector<std::string_view> ProfilesWithPair(FormatId from, FormatId to) {
  std::vector<std::string_view> names;
  for (const tosa::RescaleVersion& row : tosa::kRescaleVersions) {
    if (tosa::AllowsPair(row.version, from, to)) names.push_back(row.profile);
  }
  return names;
}

std::vector<std::string> RescaleErrors(const RescaleRequest& request) {
  const Result<const tosa::RescaleVersion*> found = ParseRescaleProfile(request.profile);
  if (!found.ok()) return {found.status().message()};
  const tosa::RescaleVersion& version = **found;
  if (!tosa::HasPair(version.version, request.from, request.to)) {
    return {NoPair(request, version)};
  }
  std::vector<std::string> errors;
  for (const tosa::ErrorIf& row : tosa::kErrorIfs) {
    if (tosa::Applies(row, version.version, AttributesOf(request))) {
      errors.push_back(ErrorText(request, version, row));
    }
  }
  if (request.rounding == RescaleRounding::kInexact && !tosa::HasInexact(version.version)) {
    errors.push_back(fmt::format("{} has no inexact rounding; tosa-1.0 and tosa-1.1-draft have it",
                                 version.profile));
  }
  return errors;
}

// ---- two legal steps ----------------------------------------------------------------------------

namespace {

constexpr std::int64_t kUnit = std::int64_t{1} << 30;  // with shift 30

// Between an unsigned type and the one with sign of the same width nothing is lost by moving all
// values by half the range, where the zero points can say so: any of uint8, 32768 of uint16.
std::optional<std::int64_t> Recentre(FormatId id, std::int64_t zp) {
  if (id == FormatId::kUint8) return 128;
  if (id == FormatId::kUint16 && zp == 32768) return 32768;
  return std::nullopt;
}

RescaleRequest Recentering(FormatId from, FormatId to, std::int64_t in, std::int64_t out) {
  return {.from = from,
          .to = to,
          .multipliers = {kUnit},
          .shifts = {30},
          .input_zp = in,
          .output_zp = out};
}

bool IsLegal(const RescaleRequest& r) {
  return tosa::HasPair(tosa::Version::k100, r.from, r.to) &&
         tosa::FirstError(tosa::Version::k100, AttributesOf(r)) == nullptr;
}

}  // namespace

std::optional<std::pair<RescaleRequest, RescaleRequest>> TwoLegalSteps(
    const RescaleRequest& request) {
  RescaleRequest main = request;
  main.profile = "tosa-1.0";
  main.as_printed = false;
  if (tosa::AllowsPair(tosa::Version::k100, request.from, request.to)) return std::nullopt;
  // The result first to a type with sign. Zero points of int16 are 0, as those of int8 need not be.
  if (const auto half = Recentre(request.to, request.output_zp)) {
    const FormatId middle = *tosa::Signless(request.to);
    const bool wide = request.to == FormatId::kUint16;
    main.to = middle;
    main.output_zp = request.output_zp - *half;
    const RescaleRequest last =
        Recentering(middle, request.to, wide ? 0 : -*half, wide ? *half : 0);
    if (IsLegal(main) && IsLegal(last)) return std::pair(main, last);
    main.to = request.to;
    main.output_zp = request.output_zp;
  }
  // Or the input.
  if (const auto half = Recentre(request.from, request.input_zp)) {
    const FormatId middle = *tosa::Signless(request.from);
    main.from = middle;
    main.input_zp = request.input_zp - *half;
    const RescaleRequest first = Recentering(request.from, middle, *half, 0);
    if (IsLegal(first) && IsLegal(main)) return std::pair(first, main);
  }
  return std::nullopt;
}

}  // namespace exactcast
