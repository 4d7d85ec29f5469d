// SPDX-License-Identifier: Apache-2.0
//
// docs/errata.md: the worked examples of the Ascend C page on precision conversion that contradict
// the page's own rules, and the claims of its text that do. The table of examples is
// tests/golden/ascend_examples.csv; the values by the rules are computed here by the profile.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "docs/generate/pages.h"
#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/codec.h"
#include "exactcast/spec/format_names.h"
#include "exactcast/spec/reference.h"

namespace exactcast::docs {
namespace {

struct Example {
  std::string from, to, mode, input, input_code, documented, exact, result_code, agrees;
};

std::vector<Example> ReadExamples(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Example> examples;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    Example e;
    for (std::string* cell : {&e.from, &e.to, &e.mode, &e.input, &e.input_code, &e.documented,
                              &e.exact, &e.result_code, &e.agrees}) {
      std::getline(cells, *cell, ',');
    }
    examples.push_back(e);
  }
  return examples;
}

struct ByRule {
  std::uint64_t code;
  Outcome outcome;
};

ByRule Compute(std::uint64_t word, FormatId from, FormatId to, Rounding rounding,
               std::optional<Overflow> overflow = std::nullopt) {
  const Result<Plan> plan = MakePlan(
      {.from = from, .to = to, .profile = "ascend950", .rounding = rounding, .overflow = overflow});
  if (!plan.ok()) throw std::runtime_error(plan.status().message());
  std::uint64_t out = 0;
  const Counts counts = plan->Run(&word, &out, 1);
  return {out, counts.overflowed != 0 ? Outcome::kOverflowed
               : counts.exact != 0    ? Outcome::kExact
                                      : Outcome::kRounded};
}

std::string ExampleRow(const Example& e) {
  const Format& from = GetFormat(*FindFormat(e.from));
  const Format& to = GetFormat(*FindFormat(e.to));
  if (e.input_code.empty()) {
    return fmt::format(
        "| {} | {} | {} | {} | no code | {} | no such input | {} ends at {}: {} is not one of its "
        "values |\n",
        from.name, to.name, e.mode, e.input, e.documented, from.name,
        ExactDecimal(Decode(MaxFinite(from, false), from)), e.input);
  }
  const std::uint64_t word = std::stoull(e.input_code, nullptr, 16);
  const ByRule result = Compute(word, from.id, to.id, *ParseRounding(e.mode));
  const std::string why =
      result.outcome == Outcome::kExact
          ? fmt::format("{} is a value of {}: there is nothing to round", e.input, to.name)
          : fmt::format("{} ends at {}: saturation clamps", to.name,
                        ExactDecimal(Decode(MaxFinite(to, false), to)));
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} = {} | {} |\n", from.name, to.name, e.mode,
                     e.input, CodeText(word, from), e.documented,
                     ExactDecimal(Decode(result.code, to)), CodeText(result.code, to), why);
}

// The inputs tell cutting from clamping, which the page's own examples do not.
std::string NarrowingRow(FormatId from, FormatId to, std::int64_t value) {
  const auto word = static_cast<std::uint64_t>(value) & LowMask(GetFormat(from).bits);
  const Format& target = GetFormat(to);
  const ByRule clamp = Compute(word, from, to, Rounding::kNone);
  const ByRule cut = Compute(word, from, to, Rounding::kNone, Overflow::kWrap);
  return fmt::format("| {} | {} | {} | {} | {} |\n", GetFormat(from).name, target.name, value,
                     ExactDecimal(Decode(cut.code, target)),
                     ExactDecimal(Decode(clamp.code, target)));
}

constexpr const char* kIntroduction =
    R"(# Errata of the Ascend C page on precision conversion

<!-- Generated from tests/golden/ascend_examples.csv by `./dev docs`; do not edit. -->

The page that defines `Cast` gives rules (a table of rounding modes, layouts, saturation) and worked examples. Where an
example contradicts the rules, exactcast follows the rules. Every such case is listed here, with both values, so that a
kernel author who meets one on the page or on a device knows what to expect from exactcast and why.

## Worked examples

)";

constexpr const char* kWhyTheRules =
    R"(
The sections of these conversions say that values are rounded to an integer. The page's table of rounding modes rounds the
discarded part of the significand, its example of bfloat16 to float16 keeps fractions, and other pages show the same
conversions keeping them (float16 to bfloat16 of 0.5 + 2^-9 + 2^-11 is 0.5 + 2^-8).

## Claims of the text

### Narrowing integers

For int16 to uint8, int32 to uint8 and int32 to uint16 the text says that the high bits are cut, and that negative input is
an exception. Its inputs cannot tell cutting from clamping, and the same page makes saturation the default: exactcast clamps
(negative values give 0) and cuts in the form that does not saturate, `--overflow wrap`.

| from | to | input | cut (the text; `--overflow wrap`) | clamped (the default) |
|---|---|---|---|---|
)";

constexpr const char* kOtherClaims =
    R"(
### The range of float4_e1m2

The formula for the bias gives 0, which would make the largest value 3.5. The page's table of ranges says {}, which the
other documents of the vendor share: the bias is {}.

### Digits

The five examples of bfloat16 to float16 show two or four digits of the result. All five agree with the rules when the value
by the rules is cut to as many digits:

| mode | input | documented | by the rules |
|---|---|---|---|
)";

}  // namespace

std::string ErrataPage(const std::string& golden_folder) {
  const std::vector<Example> examples = ReadExamples(golden_folder + "/ascend_examples.csv");
  std::string page = kIntroduction;
  page += fmt::format("{} of the page's {} examples.\n\n",
                      std::count_if(examples.begin(), examples.end(),
                                    [](const Example& e) { return e.agrees == "no"; }),
                      examples.size());
  page +=
      "| from | to | mode | input | code | documented | by the rules | why "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const Example& e : examples) {
    if (e.agrees == "no") page += ExampleRow(e);
  }
  page += kWhyTheRules;
  for (const auto& [from, to] : {std::pair{FormatId::kInt16, FormatId::kUint8},
                                 {FormatId::kInt32, FormatId::kUint8},
                                 {FormatId::kInt32, FormatId::kUint16}}) {
    const std::int64_t beyond = to == FormatId::kUint8 ? 300 : 70000;
    page += NarrowingRow(from, to, beyond) + NarrowingRow(from, to, -1);
  }
  const Format& e1m2 = GetFormat(FormatId::kFloat4E1m2);
  page += fmt::format(fmt::runtime(kOtherClaims),
                      ExactDecimal(Decode(MaxFinite(e1m2, false), e1m2)), e1m2.bias);
  for (const Example& e : examples) {
    if (e.agrees != "see note") continue;
    const Format& to = GetFormat(*FindFormat(e.to));
    const ByRule r = Compute(std::stoull(e.input_code, nullptr, 16), *FindFormat(e.from), to.id,
                             *ParseRounding(e.mode));
    page += fmt::format("| {} | {} | {} | {} = {} |\n", e.mode, e.input_code, e.documented,
                        ExactDecimal(Decode(r.code, to)), CodeText(r.code, to));
  }
  return page;
}

}  // namespace exactcast::docs
