// SPDX-License-Identifier: Apache-2.0
//
// The tables of rows. A set's row stands for all of its targets in all of its modes and forms.
#include "bench/sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "exactcast/names.h"
#include "exactcast/spec/profile.h"

namespace exactcast::bench {
namespace {

struct SetRow {
  std::string_view from;  // names of formats
  std::string_view to;
  std::string_view modes;  // words; empty: the default of the pair
  std::string_view forms;  // words; empty: the default of the pair
  bool packed;
  Goal goal = {};
};

struct RescaleRow {
  RescaleKind kind;
  Goal goal;
};

// clang-format off
// What people run all day, with the figures to reach.
constexpr std::array kReadme = {
  // from                                     to                             modes                         forms            packed L2    DRAM
  SetRow{"float32",                           "float16",                     "rint floor ceil trunc",      "",              false, {1.05, 1.03}},
  SetRow{"float32",                           "bfloat16",                    "rint",                       "",              false, {1.35, 1.08}},
  SetRow{"float32",                           "bfloat16",                    "floor ceil round trunc odd", "",              false, {1.5,  1.10}},
  SetRow{"float32",                           "float8_e4m3fn float8_e5m2",   "rint",                       "ieee saturate", false, {2.7,  1.05}},
  SetRow{"float32",                           "float8_e4m3fn float8_e5m2",   "round floor ceil",           "",              false, {2.7,  1.05}},
  SetRow{"float32",                           "float8_e4m3fn float8_e5m2",   "trunc odd",                  "",              false, {4.0,  1.15}},
  SetRow{"float32",                           "float6_e2m3fn float6_e3m2fn", "rint",                       "",              false, {2.7,  1.05}},
  SetRow{"float32",                           "float4_e2m1fn",               "rint",                       "",              true,  {2.7,  1.05}},
  SetRow{"float32",                           "hifloat8",                    "round",                      "",              false, {4.2,  1.05}},
  SetRow{"float32",                           "hifloat8",                    "hybrid",                     "",              false, {7,    1.3}},
  SetRow{"bfloat16 float16",                  "float8_e4m3fn float8_e5m2",   "rint",                       "",              false, {4.5,  1.3}},
  SetRow{"bfloat16 float16",                  "hifloat8",                    "round",                      "",              false, {4.5,  1.3}},
  SetRow{"float32",                           "int8 uint8",                  "rint",                       "saturate",      false, {1.4,  1.05}},
  SetRow{"float32",                           "int8 uint8",                  "odd",                        "saturate",      false, {4,    1.3}},
  SetRow{"float16 bfloat16 int8 float8_e5m2", "float32",                     "",                           "",              false, {1.2,  1.02}},
  SetRow{"float8_e4m3fn hifloat8",            "float32",                     "",                           "",              false, {1.7,  1.02}},
  SetRow{"float4_e2m1fn",                     "float32",                     "",                           "",              true,  {1.7,  1.02}},
  SetRow{"float64",                           "float32",                     "rint",                       "",              false, {1.0,  1.03}},
  SetRow{"float32",                           "float64",                     "",                           "",              false, {1.0,  1.03}},
  SetRow{"float32",                           "int32",                       "rint",                       "saturate",      false, {1.0,  1.03}},
};
constexpr std::array kReadmeRescale = {
  RescaleRow{RescaleKind::kShift33,    {2.0, 1.05}},
  RescaleRow{RescaleKind::kGeneral,    {2.4, 1.05}},
  RescaleRow{RescaleKind::kDouble,     {2.9, 1.1}},
  RescaleRow{RescaleKind::kPerChannel, {2.5, 1.05}},
};

// Pairs that the general kernels serve: each storage width on either side, each kind of format.
constexpr std::array kGeneral = {
  SetRow{"float64",       "float16 float8_e4m3fn hifloat8 int8 int64", "",    "", false},
  SetRow{"float32",       "tfloat32 float8_e8m0fnu uint64",            "",    "", false},
  SetRow{"float32",       "float16 float8_e4m3fnuz",                   "odd", "", false},
  SetRow{"int64",         "float32 int32 hifloat8",                    "",    "", false},
  SetRow{"uint32",        "float64 bfloat16",                          "",    "", false},
  SetRow{"int16",         "float16 int4",                              "",    "", true},
  SetRow{"float16",       "bfloat16 float64 int16",                    "",    "", false},
  SetRow{"float8_e4m3fn", "float8_e5m2 bfloat16 float64",              "",    "", false},
  SetRow{"int4",          "float16",                                   "",    "", true},
  SetRow{"complex64",     "complex32 float16",                         "",    "", false},
};

// A look at everything within a minute.
constexpr std::array kShort = {
  SetRow{"float32",               "float16 bfloat16 float8_e4m3fn int8", "rint",  "", false},
  SetRow{"float32",               "hifloat8",                            "round", "", false},
  SetRow{"float32",               "float4_e2m1fn",                       "rint",  "", true},
  SetRow{"float16 float8_e4m3fn", "float32",                             "",      "", false},
  SetRow{"float64",               "float32",                             "rint",  "", false},
};
// clang-format on

using Rows = std::vector<Row>;

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

CastRow ExactRow(FormatId from, FormatId to) {
  return exact::ExactCast(GetFormat(from), GetFormat(to));
}

std::vector<std::string> AllModes(FormatId from, FormatId to) {
  std::vector<std::string> modes;
  const CastRow row = ExactRow(from, to);
  for (const RoundingRow& r : kRoundings) {  // none is rint by another name
    if (r.rounding != Rounding::kNone && row.modes.Contains(r.rounding)) modes.emplace_back(r.name);
  }
  return modes;
}

bool Contains(std::string_view words, std::string_view word) {
  const std::vector<std::string> all = Words(words);
  return std::ranges::find(all, word) != all.end();
}

// The figures of the README's row for the pair and mode; an exact cast is the same in every mode.
Goal GoalOf(const Row& row) {
  for (const SetRow& set : kReadme) {
    if (Contains(set.from, GetFormat(row.from).name) && Contains(set.to, GetFormat(row.to).name) &&
        (set.modes.empty() || Contains(set.modes, Name(row.rounding)))) {
      return set.goal;
    }
  }
  return {};
}

// Every mode in every form; no modes or forms: the default.
Status AddPair(FormatId from, FormatId to, std::vector<std::string> modes,
               std::vector<std::string> forms, bool packed, Rows& rows) {
  if (std::find(modes.begin(), modes.end(), "all") != modes.end()) modes = AllModes(from, to);
  if (modes.empty()) modes.emplace_back(Name(ExactRow(from, to).default_mode));
  if (forms.empty()) forms.emplace_back("");
  for (const std::string& mode : modes) {
    const Result<Rounding> rounding = ParseRounding(mode);
    if (!rounding.ok()) return rounding.status();
    for (const std::string& form : forms) {
      Row row{.from = from, .to = to, .rounding = *rounding, .packed = packed};
      row.goal = GoalOf(row);
      if (!form.empty()) {
        const Result<Overflow> overflow = ParseOverflow(form);
        if (!overflow.ok()) return overflow.status();
        row.overflow = *overflow;
      }
      rows.push_back(row);
    }
  }
  return {};
}

template <typename Table>
Status AddTable(const Table& table, Rows& rows) {
  for (const SetRow& set : table) {
    for (const std::string& from : Words(set.from)) {
      for (const std::string& to : Words(set.to)) {
        const Status status = AddPair(*ParseFormat(from), *ParseFormat(to), Words(set.modes),
                                      Words(set.forms), set.packed, rows);
        if (!status.ok()) return status;
      }
    }
  }
  return {};
}

Status AddRescale(Rows& rows) {
  for (const RescaleRow& row : kReadmeRescale) {
    rows.push_back(
        {.from = FormatId::kInt32, .to = FormatId::kInt8, .rescale = row.kind, .goal = row.goal});
  }
  return {};
}

Status AddReadme(Rows& rows) {
  const Status status = AddTable(kReadme, rows);
  return status.ok() ? AddRescale(rows) : status;
}

Status AddGate(Rows& rows) {
  const Status status = AddReadme(rows);
  return status.ok() ? AddTable(kGeneral, rows) : status;
}

Status AddAll(Rows& rows) {
  for (const Format& from : kFormats) {
    for (const Format& to : kFormats) {
      if (from.use != Use::kCast || to.use != Use::kCast) continue;
      const Status status = AddPair(from.id, to.id, {"all"}, {}, false, rows);
      if (!status.ok()) return status;
    }
  }
  return {};
}

struct Set {
  SetName name;
  Status (*add)(Rows& rows);
};

const std::array<Set, 6> kSets = {{
    {{"short", "a look at the usual pairs; what runs when nothing is asked for"},
     [](Rows& rows) { return AddTable(kShort, rows); }},
    {{"readme", "the table of the README, with the figures to reach"}, AddReadme},
    {{"rescale", "RESCALE"}, AddRescale},
    {{"general", "pairs without a kernel of their own"},
     [](Rows& rows) { return AddTable(kGeneral, rows); }},
    {{"gate", "the rows whose instructions are counted in every test run"}, AddGate},
    {{"all", "every pair of profile exact in every mode"}, AddAll},
}};

Status AddSet(const std::string& name, Rows& rows) {
  std::vector<std::string_view> names;
  for (const Set& set : kSets) {
    if (set.name.name == name) return set.add(rows);
    names.push_back(set.name.name);
  }
  return UsageError(
      fmt::format("there is no set '{}'; there are {}", name, WordList(names, "and")));
}

Status AddNamedPair(const std::string& pair, const Selection& s, Rows& rows) {
  const std::size_t colon = pair.find(':');
  if (colon == std::string::npos) {
    return UsageError(fmt::format("'{}' is no pair; write it FROM:TO", pair));
  }
  const Result<FormatId> from = ParseFormat(pair.substr(0, colon));
  const Result<FormatId> to = ParseFormat(pair.substr(colon + 1));
  if (!from.ok()) return from.status();
  if (!to.ok()) return to.status();
  return AddPair(*from, *to, s.modes, s.overflows, s.packed, rows);
}

}  // namespace

const std::vector<SetName>& SetNames() {
  static const std::vector<SetName> names = [] {
    std::vector<SetName> all;
    all.reserve(kSets.size());
    for (const Set& set : kSets) all.push_back(set.name);
    return all;
  }();
  return names;
}

Result<std::vector<Subject>> Select(const Selection& selection) {
  Rows rows;
  for (const std::string& set : selection.sets) {
    const Status status = AddSet(set, rows);
    if (!status.ok()) return status;
  }
  for (const std::string& pair : selection.pairs) {
    const Status status = AddNamedPair(pair, selection, rows);
    if (!status.ok()) return status;
  }
  std::vector<Subject> subjects;
  for (const Row& row : rows) {
    Result<Subject> subject = MakeSubject(row);
    if (!subject.ok()) return subject.status();
    const std::string key = Key(*subject);
    const bool wanted = std::ranges::all_of(selection.filters, [&](const std::string& filter) {
      return key.find(filter) != std::string::npos;
    });
    if (wanted) subjects.push_back(std::move(*subject));
  }
  return subjects;
}

}  // namespace exactcast::bench
