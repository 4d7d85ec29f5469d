// SPDX-License-Identifier: Apache-2.0
//
// exactcast formats: all number formats, or one with its layout, range, special codes and, on
// demand, every code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/json.h"
#include "exactcast/describe.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/reference.h"

namespace exactcast::cli {
namespace {

// Above this width a list of codes is longer than anybody reads.
constexpr int kMostCodeBits = 16;

std::string_view UseText(const Format& f) {
  return f.use == Use::kCast ? "" : f.use == Use::kRescaleOnly ? "rescale only" : "derive only";
}

// Long integers and floats are shown by a few digits.
std::string Short(const std::string& decimal, std::uint64_t word, const Format& f) {
  return decimal.size() <= 20 ? decimal
                              : ValueText(word, f).substr(0, ValueText(word, f).find(' '));
}

std::string LargestText(const Format& f, const FormatFacts& facts) {
  const Format& part = GetFormat(f.part);
  return IsFloat(part) ? Short(facts.largest, MaxFinite(part, false), part) : facts.largest;
}

nlohmann::ordered_json ToJson(const Format& f) {
  const FormatFacts facts = Describe(f);
  nlohmann::ordered_json json = {
      {"name", f.name},         {"bits", f.bits},           {"storage_bits", f.storage_bits},
      {"layout", facts.layout}, {"largest", facts.largest}, {"least", facts.least}};
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  add("least_normal", facts.least_normal);
  add("least_subnormal", facts.least_subnormal);
  add("infinity", facts.infinity);
  add("nan", facts.nan);
  json["negative_zero"] = facts.negative_zero;
  json["spellings"] = facts.spellings;
  if (f.use != Use::kCast) json["use"] = UseText(f);
  return json;
}

std::string ListAll() {
  std::string text =
      fmt::format("{:<20} {:>4}  {:<28} {:<20} {:<11} {:<11} {:<3}  {:<3}  {}\n", "format", "bits",
                  "layout", "largest", "normal", "subnormal", "inf", "NaN", "-0");
  const auto yes = [](bool b) { return b ? "yes" : "-"; };
  for (const Format& f : kFormats) {
    const FormatFacts facts = Describe(f);
    const bool plain = facts.least_normal.empty();
    std::string line = fmt::format(
        "{:<20} {:>4}  {:<28} {:<20} {:<11} {:<11} {:<3}  {:<3}  {:<3}  {}", f.name, f.bits,
        facts.layout, LargestText(f, facts), plain ? "-" : facts.least_normal,
        facts.least_subnormal.empty() ? "-" : facts.least_subnormal, yes(!facts.infinity.empty()),
        yes(!facts.nan.empty()), yes(facts.negative_zero), UseText(f));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text +
         "\nnormal and subnormal: the least of each. Spellings and codes: exactcast formats NAME "
         "[--codes]\n";
}

std::string DescribeOne(const Format& f) {
  const FormatFacts facts = Describe(f);
  std::string text = fmt::format("{}\n", f.name);
  const auto line = [&](std::string_view label, std::string_view value) {
    if (!value.empty()) text += fmt::format("  {:<17} {}\n", label, value);
  };
  line("layout", facts.layout);
  for (const std::string& row : facts.drawing) text += fmt::format("    {}\n", row);
  line("bits", f.bits == f.storage_bits
                   ? fmt::format("{}", f.bits)
                   : fmt::format("{}, in {} bits of an array", f.bits, f.storage_bits));
  line("largest", facts.largest);
  line("least", facts.least);
  line("least normal", facts.least_normal);
  line("least subnormal", facts.least_subnormal);
  line("infinity", facts.infinity);
  line("NaN", facts.nan);
  line("-0", facts.negative_zero ? "yes" : "");
  line("known to", UseText(f));
  line("spellings", fmt::format("{}", fmt::join(facts.spellings, " ")));
  return text;
}

// Every code in code order: its neighbours in value order, class, exact and hexadecimal value.
Status PrintCodes(const Format& f, bool json) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::string text;
  if (!json)
    text =
        fmt::format("{:<8} {:<8} {:<8} {:<10} {}\n", "code", "previous", "next", "class", "value");
  for (std::uint64_t code = 0; code <= LowMask(f.bits); ++code) {
    const Exact x = Decode(code, f);
    const NeighbourCodes beside = NeighboursOf(code, f);
    if (json) {
      rows.push_back({{"code", CodeText(code, f)},
                      {"class", ClassName(code, f)},
                      {"decimal", ExactDecimal(x)},
                      {"hexfloat", HexFloat(x)},
                      {"previous", beside.previous},
                      {"next", beside.next}});
    } else {
      const std::string hex = IsFloat(f) && x.cls == Class::kFinite ? "  " + HexFloat(x) : "";
      text += fmt::format("{:<8} {:<8} {:<8} {:<10} {}{}\n", CodeText(code, f), beside.previous,
                          beside.next, ClassName(code, f), ExactDecimal(x), hex);
    }
  }
  if (!json) return Print(DescribeOne(f) + "\n" + text);
  nlohmann::ordered_json one = ToJson(f);
  one["codes"] = std::move(rows);
  return Print(JsonLine(one));
}

Status RunFormats(const std::string& name, bool codes, bool json) {
  if (name.empty()) {
    if (codes) return UsageError("--codes needs the NAME of a format");
    if (!json) return Print(ListAll());
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Format& f : kFormats) all.push_back(ToJson(f));
    return Print(JsonLine(all));
  }
  const Result<FormatId> id = ParseFormat(name);
  if (!id.ok()) return id.status();
  const Format& f = GetFormat(*id);
  if (codes) {
    if (f.kind == Kind::kComplex || f.bits > kMostCodeBits) {
      return UsageError(fmt::format("{} has 2^{} codes; --codes lists formats of at most {} bits",
                                    f.name, f.bits, kMostCodeBits));
    }
    return PrintCodes(f, json);
  }
  return Print(json ? JsonLine(ToJson(f)) : DescribeOne(f));
}

}  // namespace

Runner AddFormats(CLI::App& app) {
  struct Options {
    std::string name;
    bool codes = false;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  app.add_option("NAME", o->name, "one format, by any of its spellings");
  app.add_flag("--codes", o->codes, "list every code with its class and exact value");
  app.add_flag("--json", o->json, "print JSON");
  return [o] { return RunFormats(o->name, o->codes, o->json); };
}

}  // namespace exactcast::cli
