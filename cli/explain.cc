// SPDX-License-Identifier: Apache-2.0
//
// exactcast explain: one value drawn on its way into another format. What is drawn is the library's
// Explanation; here are options, layout in 80 columns, colour, and JSON.
#include "exactcast/explain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/page.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/profile.h"

namespace exactcast::cli {
namespace {

struct ExplainOptions {
  std::string value;
  std::string to;
  std::string from = "float32";
  std::string profile = "exact";
  std::optional<std::string> round;
  std::optional<std::string> overflow;
  std::optional<std::string> nan;
  std::optional<std::string> via;
  std::optional<std::string> deqscale;
  std::optional<std::string> offset;
  ChoiceOptions choices;
  bool json = false;
};

// ---- drawing ------------------------------------------------------------------------------------

std::string ValueOf(const ElementFacts& element) {
  const bool integer = element.fields.size() == 1 && element.fields.front().label == "integer";
  if (integer || element.decimal == element.hexfloat) return element.decimal;
  return fmt::format("{} = {}", Digits(element.decimal), element.hexfloat);
}

// Bits by field, ruled and labelled below.
void DrawElement(Page& page, std::string_view label, const ElementFacts& element) {
  page.Line(label, fmt::format("{}  {}", element.code, ValueOf(element)));
  std::string bits;
  std::string names;
  for (const BitField& field : element.fields) {
    const std::size_t width = std::max(field.bits.size(), field.label.size());
    bits += fmt::format("{:<{}}  ", field.bits, width);
    names += fmt::format("{:<{}}  ", field.label, width);
  }
  bits.erase(bits.find_last_not_of(' ') + 1);
  names.erase(names.find_last_not_of(' ') + 1);
  page.Raw("", bits);
  page.Raw("", names);
}

// A long run of zeros says more as a count.
std::string Elided(const std::string& bits) {
  constexpr std::size_t kLongest = 34;
  if (bits.size() <= kLongest) return bits;
  const std::size_t zeros = std::min(bits.find('1'), bits.size());
  if (zeros > 12) return fmt::format("0..({} zeros)..{}", zeros, Elided(bits.substr(zeros)));
  const std::size_t last = bits.find_last_of('1');
  if (last != std::string::npos && bits.size() - last > 12) {
    return fmt::format("{}..({} zeros)", bits.substr(0, last + 1), bits.size() - 1 - last);
  }
  return bits;
}

void DrawSplit(Page& page, const Explanation& e) {
  const Pen& pen = page.pen();
  const std::string kept = Elided(e.kept);
  const std::string discarded = Elided(e.discarded);
  page.Raw("bits", fmt::format("{}{}{}", pen.Kept(kept), e.discarded.empty() ? "" : "|",
                               pen.Discarded(discarded)));
  const std::string note = fmt::format("kept; the last is 2^{}{}", e.place,
                                       e.discarded.empty() ? "" : "; discarded: right of |");
  const std::string rule = pen.Kept(std::string(kept.size(), '^'));
  if (kIndent + kept.size() + 1 + note.size() <= kWidth) return page.Raw("", rule + " " + note);
  page.Raw("", rule);
  page.Raw("", note);
}

void DrawNeighbour(Page& page, std::string_view label, const std::optional<Neighbour>& n) {
  if (!n) return page.Line(label, "none: the range ends");
  const std::string distance =
      n->distance.empty() ? "" : fmt::format(", {} away", Digits(n->distance, 40));
  page.Line(label,
            fmt::format("{}  {}{}", n->element.code, Digits(n->element.decimal, 40), distance));
}

// What is kept and discarded, and the two values of the target that it lies between.
void DrawRounding(Page& page, const Explanation& e) {
  if (!e.is_rounded) return;
  page.Blank();
  DrawSplit(page, e);
  page.Blank();
  if (e.below && e.above && e.below->element.word == e.above->element.word) {
    return page.Line("exact",
                     fmt::format("{}  it is a value of {}", e.below->element.code, e.to->name));
  }
  DrawNeighbour(page, "below", e.below);
  DrawNeighbour(page, "above", e.above);
  page.Line("tie", e.tie ? "yes" : "no");
}

std::string ModeText(const Explanation& e) {
  return fmt::format("{} to {}, profile {}, mode {}, {}", e.from->name, e.to->name, e.profile,
                     Name(e.rounding), Name(e.overflow));
}

void DrawResult(Page& page, const Explanation& e) {
  DrawElement(page, "result", e.result);
  page.Line("", std::string(Name(e.outcome)));
  if (e.error.empty()) return;
  page.Line("error", e.ulp_error.empty()
                         ? e.error
                         : fmt::format("{}, {} ulp", Digits(e.error), Digits(e.ulp_error, 24)));
}

// A value as it was typed, and what the source format holds of it.
struct Typed {
  std::string text;
  ParsedNumber number;
};

void DrawSource(Page& page, const Explanation& e, const Typed& typed) {
  DrawElement(page, "source", e.source);
  if (typed.number.off_by.empty()) return;
  page.Line("", fmt::format("{} is not a value of {}: this is {} off", typed.text, e.from->name,
                            typed.number.off_by));
}

void Draw(Page& page, const Explanation& e, const Typed& typed) {
  page.Full(ModeText(e));
  page.Blank();
  DrawSource(page, e, typed);
  DrawRounding(page, e);
  for (const ScaledStep& step : e.steps) {
    page.Line(&step == &e.steps.front() ? "steps" : "",
              fmt::format("{}: {}{}", step.what, step.decimal,
                          step.saturated ? " (saturated)"
                          : step.rounded ? " (rounded)"
                                         : ""));
  }
  for (const std::string& reason : e.reasons)
    page.Line(&reason == &e.reasons.front() ? "rule" : "", reason);
  page.Blank();
  DrawResult(page, e);
}

// ---- JSON ---------------------------------------------------------------------------------------

nlohmann::ordered_json ToJson(const ElementFacts& element) {
  nlohmann::ordered_json json = {
      {"bits", element.code}, {"decimal", element.decimal}, {"hexfloat", element.hexfloat}};
  for (const BitField& field : element.fields)
    json["fields"][std::string(field.label)] = field.bits;
  return json;
}

nlohmann::ordered_json ToJson(const Explanation& e, const Typed& typed) {
  nlohmann::ordered_json json = {
      {"profile", e.profile}, {"round", Name(e.rounding)}, {"overflow", Name(e.overflow)},
      {"from", e.from->name}, {"to", e.to->name},          {"source", ToJson(e.source)}};
  if (!typed.number.off_by.empty()) json["source"]["off_by"] = typed.number.off_by;
  if (e.is_rounded) {
    json["kept"] = e.kept;
    json["discarded"] = e.discarded;
    json["place"] = e.place;
    json["tie"] = e.tie;
    for (const auto& [key, n] : {std::pair{"below", &e.below}, {"above", &e.above}}) {
      if (!*n) continue;
      json[key] = ToJson((*n)->element);
      json[key]["distance"] = (*n)->distance;
    }
  }
  for (const ScaledStep& step : e.steps) {
    json["steps"].push_back({{"step", step.what},
                             {"decimal", step.decimal},
                             {"rounded", step.rounded},
                             {"saturated", step.saturated}});
  }
  json["rule"] = e.reasons;
  json["result"] = ToJson(e.result);
  json["outcome"] = Name(e.outcome);
  if (!e.error.empty()) json["error"] = e.error;
  if (!e.ulp_error.empty()) json["ulp_error"] = e.ulp_error;
  return json;
}

// ---- several at once ----------------------------------------------------------------------------

struct Row {
  std::string label;  // a mode or a profile
  Result<Explanation> explanation;
};

// Four digits of a distance that the single picture has in full.
std::string UlpText(const Explanation& e) {
  return e.ulp_error.empty() ? "-"
                             : fmt::format("{:.4g}", std::strtod(e.ulp_error.c_str(), nullptr));
}

// One line a row, columns as wide as they need; rows whose result is not the first one's are marked.
void DrawTable(Page& page, std::string_view heading, const std::vector<Row>& rows) {
  std::vector<std::array<std::string, 5>> cells = {
      {std::string(heading), "code", "value", "outcome", "ulp error"}};
  std::optional<std::uint64_t> first;
  bool differ = false;
  for (const Row& row : rows) {
    if (!row.explanation.ok()) continue;
    const Explanation& e = *row.explanation;
    if (!first) first = e.result.word;
    const bool other = e.result.word != *first;
    differ |= other;
    cells.push_back({row.label, e.result.code, Digits(e.result.decimal, 16),
                     std::string(Name(e.outcome)), UlpText(e) + (other ? " *" : "")});
  }
  std::array<std::size_t, 5> widths{};
  for (const auto& line : cells) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const auto& line : cells) {
    std::string text;
    for (std::size_t i = 0; i < widths.size(); ++i)
      text += fmt::format("{:<{}} ", line[i], widths[i]);
    page.Full(text.substr(0, text.find_last_not_of(' ') + 1));
  }
  page.Blank();
  for (const Row& row : rows) {
    if (!row.explanation.ok()) page.Line("refused", row.explanation.status().message());
  }
  page.Full(differ ? "* differs from the first" : "all agree");
}

// The status to end with when no row has an answer, or the question itself is wrong.
Status Verdict(const std::vector<Row>& rows) {
  Status refusal;
  bool answered = false;
  for (const Row& row : rows) {
    if (row.explanation.ok()) {
      answered = true;
      continue;
    }
    const Status& status = row.explanation.status();
    if (refusal.ok() || status.code() == StatusCode::kUsage) refusal = status;
  }
  return answered && refusal.code() != StatusCode::kUsage ? Status() : refusal;
}

Status Finish(const Page& page, const nlohmann::ordered_json& json, bool as_json) {
  return Print(as_json ? JsonLine(json) : page.text());
}

nlohmann::ordered_json RowsToJson(std::string_view key, const std::vector<Row>& rows,
                                  const Typed& typed) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    if (row.explanation.ok()) {
      json.push_back(ToJson(*row.explanation, typed));
    } else {
      json.push_back(
          {{std::string(key), row.label}, {"refused", row.explanation.status().message()}});
    }
  }
  return json;
}

// ---- running ------------------------------------------------------------------------------------

struct Parsed {
  CastRequest request;
  Typed typed;
  bool all_modes = false;
  bool all_profiles = false;
};

Result<Parsed> Parse(const ExplainOptions& o) {
  Parsed parsed;
  CastRequest& r = parsed.request;
  parsed.all_modes = o.round == "all";
  parsed.all_profiles = o.profile == "all";
  if (!parsed.all_profiles) r.profile = o.profile;
  const std::optional<std::string> round = parsed.all_modes ? std::nullopt : o.round;
  for (const Status& status :
       {Fill<FormatId>(o.from, r.from, ParseFormat), Fill<FormatId>(o.to, r.to, ParseFormat),
        Fill<Rounding>(round, r.rounding, ParseRounding),
        Fill<Overflow>(o.overflow, r.overflow, ParseOverflow),
        Fill<NanRule>(o.nan, r.nan, ParseNanRule)}) {
    if (!status.ok()) return status;
  }
  if (const Status status = FillChoices(o.choices, r); !status.ok()) return status;
  Result<std::optional<Dequantization>> d = ParseDequantization(o.deqscale, o.offset, r.to);
  if (!d.ok()) return d.status();
  r.dequantization = std::move(*d);
  if (GetFormat(r.from).kind == Kind::kComplex) return Explain(r, 0).status();
  Result<ParsedNumber> number = ParseNumber(o.value, GetFormat(r.from));
  if (!number.ok()) return number.status();
  parsed.typed = {o.value, std::move(*number)};
  return parsed;
}

Status RunAllModes(Page& page, const ExplainOptions& o, const Parsed& parsed) {
  const Result<const Profile*> profile = ParseProfile(parsed.request.profile);
  if (!profile.ok()) return profile.status();
  std::vector<Row> rows;
  for (const RoundingRow& mode : kRoundings) {
    CastRequest request = parsed.request;
    request.rounding = mode.rounding;
    Result<Explanation> one = Explain(request, parsed.typed.number.word);
    if (one.ok() || one.status().code() != StatusCode::kUnsupported)
      rows.push_back({std::string(mode.name), one});
  }
  // No mode at all: the pair is refused, with its reason.
  if (rows.empty()) return Explain(parsed.request, parsed.typed.number.word).status();
  if (const Status status = Verdict(rows); !status.ok()) return status;
  Explanation first = *rows.front().explanation;
  page.Full(fmt::format("{} to {}, profile {}, every mode of the pair", first.from->name,
                        first.to->name, first.profile));
  page.Blank();
  DrawSource(page, first, parsed.typed);
  DrawRounding(page, first);
  page.Blank();
  DrawTable(page, "mode", rows);
  return Finish(page, RowsToJson("round", rows, parsed.typed), o.json);
}

Status RunAllProfiles(Page& page, const ExplainOptions& o, const Parsed& parsed) {
  std::vector<Row> rows;
  for (const Profile& profile : kProfiles) {
    CastRequest request = parsed.request;
    request.profile = profile.name;
    const Result<Explanation> one = Explain(request, parsed.typed.number.word);
    if (!FindCast(profile, request.from, request.to, request.dequantization.has_value())) continue;
    const std::string mode = one.ok() ? fmt::format(" {}", Name(one->rounding)) : "";
    rows.push_back({fmt::format("{}{}", profile.name, mode), one});
  }
  if (rows.empty()) return Explain(parsed.request, parsed.typed.number.word).status();
  if (const Status status = Verdict(rows); !status.ok()) return status;
  const bool defaults = !o.round && !o.overflow && !o.nan;
  page.Full(fmt::format("{} to {}, every profile that has the pair{}",
                        GetFormat(parsed.request.from).name, GetFormat(parsed.request.to).name,
                        defaults ? ", by its defaults" : ""));
  page.Blank();
  const auto answered =
      std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.explanation.ok(); });
  DrawSource(page, *answered->explanation, parsed.typed);
  page.Blank();
  DrawTable(page, "profile and mode", rows);
  return Finish(page, RowsToJson("profile", rows, parsed.typed), o.json);
}

Status RunVia(Page& page, const ExplainOptions& o, const Parsed& parsed) {
  const Result<FormatId> via = ParseFormat(*o.via);
  if (!via.ok()) return via.status();
  CastRequest first = parsed.request;
  first.to = *via;
  CastRequest second = parsed.request;
  second.from = *via;
  const Result<Explanation> single = Explain(parsed.request, parsed.typed.number.word);
  const Result<Explanation> half = Explain(first, parsed.typed.number.word);
  for (const Result<Explanation>* one : {&single, &half}) {
    if (!one->ok()) return one->status();
  }
  const Result<Explanation> twice = Explain(second, half->result.word);
  if (!twice.ok()) return twice.status();
  const bool differ = single->result.word != twice->result.word;
  page.Full(ModeText(*single));
  page.Blank();
  DrawSource(page, *single, parsed.typed);
  page.Blank();
  page.Line("once", fmt::format("{}  {}", single->result.code, ValueOf(single->result)));
  page.Line("via", fmt::format("{}  {} ({})", half->result.code, ValueOf(half->result),
                               GetFormat(*via).name));
  page.Line("twice", fmt::format("{}  {}", twice->result.code, ValueOf(twice->result)));
  page.Blank();
  page.Full(differ ? "rounding twice gives another result"
                   : "rounding twice gives the same result");
  const nlohmann::ordered_json json = {{"once", ToJson(*single, parsed.typed)},
                                       {"via", ToJson(*half, parsed.typed)},
                                       {"twice", ToJson(*twice, {})},
                                       {"differ", differ}};
  return Finish(page, json, o.json);
}

Status RunExplain(const ExplainOptions& o) {
  const Result<Parsed> parsed = Parse(o);
  if (!parsed.ok()) return parsed.status();
  Page page(Pen(isatty(STDOUT_FILENO) == 1));
  const int several =
      (parsed->all_modes ? 1 : 0) + (parsed->all_profiles ? 1 : 0) + (o.via ? 1 : 0);
  if (several > 1)
    return UsageError(
        "--round all, --profile all and --via are three questions: ask one at a time");
  if (parsed->all_modes) return RunAllModes(page, o, *parsed);
  if (parsed->all_profiles) return RunAllProfiles(page, o, *parsed);
  if (o.via) return RunVia(page, o, *parsed);
  const Result<Explanation> e = Explain(parsed->request, parsed->typed.number.word);
  if (!e.ok()) return e.status();
  Draw(page, *e, parsed->typed);
  return Finish(page, ToJson(*e, parsed->typed), o.json);
}

}  // namespace

Runner AddExplain(CLI::App& app) {
  auto o = std::make_shared<ExplainOptions>();
  app.add_option("VALUE", o->value, "1.75, 0x1.8p-3, 5/2, bits:0x3f00, inf, -inf or nan")
      ->required();
  app.add_option("--to", o->to, "format to cast to")->required();
  app.add_option("--from", o->from, "format that holds VALUE (default: float32)");
  app.add_option("--round,--rounding", o->round, "a mode, or all: one line per mode of the pair");
  app.add_option("--profile", o->profile,
                 "whose rules (default: exact), or all: one line per profile that has the pair");
  app.add_option("--overflow", o->overflow, "saturate, or ieee (float targets), wrap (integers)");
  app.add_option("--nan", o->nan, "keep or zero");
  AddChoices(app, &o->choices);
  app.add_option("--via", o->via, "a format between: rounds twice, and says whether that differs");
  app.add_option("--deqscale", o->deqscale, "the scale of a scaled cast, as in cast");
  app.add_option("--offset", o->offset, "the offset of a scaled cast, as in cast");
  app.add_flag("--json", o->json, "print JSON");
  return [o] { return RunExplain(*o); };
}

}  // namespace exactcast::cli
