// SPDX-License-Identifier: Apache-2.0
//
// Look-ups by word, and the sentences that refuse a word. The tables themselves stand in spec/.
#include "exactcast/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "exactcast/spec/format_names.h"

namespace exactcast {
namespace {

struct OverflowName {
  Overflow overflow;
  std::string_view name;
};
constexpr std::array<OverflowName, 3> kOverflowNames = {
    {{Overflow::kSaturate, "saturate"}, {Overflow::kIeee, "ieee"}, {Overflow::kWrap, "wrap"}}};

bool StartsIgnoringCase(std::string_view word, std::string_view beginning) {
  return EqualsIgnoringCase(word.substr(0, beginning.size()), beginning);
}

// The number of single-letter edits from a to b.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (ToLower(a[i]) == ToLower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

struct Candidate {
  std::string_view spelling;
  std::string_view name;  // what to suggest for it
};

// The names of the spellings nearest to `word`, best first, at most four; none when nothing is
// near.
std::vector<std::string_view> Nearest(std::string_view word, std::vector<Candidate> candidates) {
  const std::size_t limit = std::max<std::size_t>(2, word.size() / 3);
  std::vector<std::pair<std::size_t, std::string_view>> scored;
  for (const Candidate& candidate : candidates) {
    const std::size_t distance = EditDistance(word, candidate.spelling);
    if (distance <= limit) scored.emplace_back(distance, candidate.name);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> names;
  for (const auto& [distance, name] : scored) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    if (names.size() == 4) break;
  }
  return names;
}

// `what` is not known; the nearest names, or else where all of them are listed.
Status Unknown(std::string_view what, std::string_view word, std::vector<Candidate> candidates,
               std::string_view all) {
  const std::vector<std::string_view> nearest = Nearest(word, std::move(candidates));
  if (word.empty()) return UsageError(fmt::format("an empty {}; {}", what, all));
  if (nearest.empty()) return UsageError(fmt::format("unknown {} '{}'; {}", what, word, all));
  return UsageError(
      fmt::format("unknown {} '{}'; did you mean {}?", what, word, WordList(nearest, "or")));
}

}  // namespace

std::string WordList(const std::vector<std::string_view>& words, std::string_view last_joint) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? fmt::format(" {} ", last_joint) : ", ";
    list += words[i];
  }
  return list;
}

std::string ModeList(Modes modes) {
  std::vector<std::string_view> names;
  for (const RoundingRow& row : kRoundings) {
    if (modes.Contains(row.rounding)) names.push_back(row.name);
  }
  return WordList(names, "or");
}

std::string_view Name(Overflow overflow) {
  for (const OverflowName& row : kOverflowNames) {
    if (row.overflow == overflow) return row.name;
  }
  return "";
}

std::string_view Name(NanToInteger rule) {
  constexpr std::array<std::string_view, 3> kNames = {"zero", "min", "max"};
  return kNames[static_cast<std::size_t>(rule)];
}

Result<FormatId> ParseFormat(std::string_view word) {
  if (const std::optional<FormatId> id = FindFormat(word)) return *id;
  if (StartsIgnoringCase(word, "bs32_") || EqualsIgnoringCase(word, "mxint8")) {
    return Unsupported(fmt::format("format '{}': block-scaled tensors are not yet there", word));
  }
  for (const AmbiguousSpelling& row : kAmbiguousSpellings) {
    if (EqualsIgnoringCase(row.spelling, word)) {
      return UsageError(fmt::format(
          "format '{}' means different things in different systems; say {}", word, row.candidates));
    }
  }
  if (word.size() > 1 && word.front() == '>') {
    return UsageError(fmt::format(
        "format '{}' is big-endian; raw data is little-endian here: swap it first, or use .npy",
        word));
  }
  std::vector<Candidate> candidates;
  for (const FormatSpelling& row : kFormatSpellings) {
    candidates.push_back({row.spelling, GetFormat(row.id).name});
  }
  return Unknown("format", word, std::move(candidates), "'exactcast formats' lists all");
}

Result<Rounding> ParseRounding(std::string_view word) {
  std::vector<Candidate> candidates;
  for (const RoundingRow& row : kRoundings) {
    for (std::string_view spelling : {row.name, row.long_name, row.cast_name}) {
      if (EqualsIgnoringCase(spelling, word)) return row.rounding;
      candidates.push_back({spelling, spelling});
    }
  }
  return Unknown("rounding mode", word, std::move(candidates),
                 "the modes are rint, floor, ceil, round, trunc, odd, hybrid and none");
}

Result<Overflow> ParseOverflow(std::string_view word) {
  for (const OverflowName& row : kOverflowNames) {
    if (EqualsIgnoringCase(row.name, word)) return row.overflow;
  }
  return UsageError(
      fmt::format("unknown overflow form '{}'; the forms are saturate, ieee and wrap", word));
}

Result<NanRule> ParseNanRule(std::string_view word) {
  if (EqualsIgnoringCase("keep", word)) return NanRule::kKeep;
  if (EqualsIgnoringCase("zero", word)) return NanRule::kZero;
  return UsageError(fmt::format("unknown NaN rule '{}'; the rules are keep and zero", word));
}

Result<Rounding> ParseFloatRounding(std::string_view word) {
  if (EqualsIgnoringCase("nearest", word)) return Rounding::kTiesToEven;
  if (EqualsIgnoringCase("zero", word)) return Rounding::kTowardZero;
  return UsageError(
      fmt::format("unknown rounding between floats '{}'; it is nearest or zero", word));
}

Result<NanToIntegerChoice> ParseNanToInteger(std::string_view word) {
  for (NanToInteger rule : {NanToInteger::kZero, NanToInteger::kLeast, NanToInteger::kLargest}) {
    if (EqualsIgnoringCase(Name(rule), word)) return NanToIntegerChoice{.result = rule};
  }
  if (EqualsIgnoringCase("refuse", word)) return NanToIntegerChoice{.refuse = true};
  return UsageError(fmt::format(
      "unknown result '{}' for a NaN to an integer; it is zero, min, max or refuse", word));
}

Result<const Profile*> ParseProfile(std::string_view word) {
  for (const ProfileSpelling& row : kProfileSpellings) {
    if (EqualsIgnoringCase(row.spelling, word)) return ParseProfile(row.name);
  }
  std::vector<Candidate> candidates;
  for (const Profile& profile : kProfiles) {
    if (EqualsIgnoringCase(profile.name, word)) return &profile;
    candidates.push_back({profile.name, profile.name});
  }
  return Unknown("profile", word, std::move(candidates), "'exactcast profiles' lists all");
}

}  // namespace exactcast
