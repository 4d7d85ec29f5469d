// SPDX-License-Identifier: Apache-2.0
//
// docs/formats.md: every number format, from the rows of format.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "docs/generate/pages.h"
#include "exactcast/describe.h"
#include "exactcast/spec/format_names.h"

namespace exactcast::docs {
namespace {

constexpr const char* kIntroduction =
    R"(# Formats

<!-- Generated from include/exactcast/spec/format.h by `./dev docs`; do not edit. -->

The names are those of ml_dtypes where it has the format. All spellings are looked up without regard to case. A bare letter
and number counts bits (`i8` is int8); NumPy's names count bytes and need their order mark (`<i8` is int64).
`exactcast formats NAME --codes` lists every code of a format with its exact value.

| format | bits | layout | largest | least normal | least subnormal | infinity | NaN | -0 |
|---|---|---|---|---|---|---|---|---|
)";

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

// Beyond this the hexadecimal form of the largest value says more.
std::string Largest(const FormatFacts& facts) {
  return facts.largest.size() <= 20 ? facts.largest : facts.largest_hexfloat;
}

std::string TableRow(const Format& f) {
  const FormatFacts facts = Describe(f);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", f.name, f.bits,
                     facts.layout, Largest(facts), OrDash(facts.least_normal),
                     OrDash(facts.least_subnormal), OrDash(facts.infinity), OrDash(facts.nan),
                     facts.negative_zero ? "yes" : "-");
}

std::string Section(const Format& f) {
  const FormatFacts facts = Describe(f);
  std::string text =
      fmt::format("\n### {}\n\n```\n{}\n```\n\n", f.name, fmt::join(facts.drawing, "\n"));
  if (f.bits != f.storage_bits) {
    text += fmt::format("An element of an array takes {} bits.\n", f.storage_bits);
  }
  return text + fmt::format("Spellings: `{}`\n", fmt::join(facts.spellings, "` `"));
}

}  // namespace

std::string FormatsPage(const std::string&) {
  std::string page = kIntroduction;
  for (const Format& f : kFormats) page += TableRow(f);
  page +=
      "\nint48 and uint48 are known to rescale only, int1 and uint1 to derive only. Complex "
      "formats are two parts, the real "
      "one first.\n\n## Spellings with several meanings\n\nThese exit 2 and name the "
      "candidates.\n\n"
      "| spelling | may mean |\n|---|---|\n";
  for (const AmbiguousSpelling& row : kAmbiguousSpellings) {
    page += fmt::format("| `{}` | {} |\n", row.spelling, row.candidates);
  }
  page +=
      "\n## Layouts\n\nMost significant bit first: s sign, e exponent, m fraction, i integer.\n";
  for (const Format& f : kFormats) page += Section(f);
  return page;
}

}  // namespace exactcast::docs
