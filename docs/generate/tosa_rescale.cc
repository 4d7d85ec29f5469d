// SPDX-License-Identifier: Apache-2.0
//
// docs/tosa-rescale.md: RESCALE of every version of Arm TOSA, from the tables of tosa_rescale.h and
// real_scale.h.
#include "exactcast/spec/tosa_rescale.h"

#include <fmt/format.h>

#include <string>

#include "docs/generate/pages.h"
#include "exactcast/rescale.h"
#include "exactcast/spec/real_scale.h"

namespace exactcast::docs {
namespace {

constexpr const char* kIntroduction =
    R"(# RESCALE of Arm TOSA

<!-- Generated from include/exactcast/spec/tosa_rescale.h and real_scale.h by `./dev docs`; do not edit. -->

`exactcast rescale` and [rescale.h](../include/exactcast/rescale.h) do the RESCALE operator of every published version of
TOSA. Source: arm/tosa-specification, the chapter on type conversion and, from 0.90 on, its pseudo-code files; later fixes by
commit.

## What one element becomes

With x the input, m the multiplier, s the shift of its channel:

1. value = x - input_zp. The type's flag or name says whether x has a sign.
2. scaled = floor((value * m + 2^(s-1)) / 2^s), in unbounded integers. This is *single* rounding: to nearest, ties toward
   +infinity (1/2 becomes 1, -1/2 becomes 0). *Double* rounding, for s above 31, adds 2^30 / 2^s more to values from 0 up and
   takes it from values below: what runtimes give that round at 31 fraction bits first.
3. sum = scaled + output_zp, clipped to the range of the output.

| requirement | else the result is unpredictable |
|---|---|
| m is not negative | "negative multiplier" |
| s is 2 to 62 | "shift outside 2 to 62" |
| 32-bit multiplier: the value is within the limit of the version, below | "value limit" |
| 16-bit multiplier, and versions without a limit: scaled fits int32 | "result outside int32" |
| sum fits int32 | "zero point sum outside int32" |

Unpredictable means that no result is right or wrong. Such elements are counted by the first requirement that they miss, the
first one's index is named, and they get the formula's result in unbounded integers, clipped; `--strict` refuses instead
(exit 3). A shift below 1 exits 3, as 2^(s-1) is no integer there. A 48-bit integer lies in an int64; its upper bits are
ignored, and a warning names the first that is no int48. The limit is tight: with s of 31 and less only -2^(s-1) to
2^(s-1) - 1 are legal, so that the unit scale (2^30, 30) leaves no more than 30 bits. The 16-bit multiplier has no limit.

## Versions

| profile | date | pairs | value limit | shift | rounding |
|---|---|---|---|---|---|
)";

std::string LimitText(ValueLimit limit) {
  switch (limit) {
    case ValueLimit::kNone:
      return "none; the result must fit int32";
    case ValueLimit::kShiftMinus2:
      return "-2^(s-2) to 2^(s-2) - 1";
    case ValueLimit::kShiftMinus1:
      return "-2^(s-1) to 2^(s-1) - 1";
  }
  return "";
}

int CountPairs(tosa::Version version) {
  int count = 0;
  for (const Format& from : kFormats) {
    for (const Format& to : kFormats) count += tosa::AllowsPair(version, from.id, to.id) ? 1 : 0;
  }
  return count;
}

std::string Versions() {
  std::string text;
  for (const tosa::RescaleVersion& row : tosa::kRescaleVersions) {
    std::string name(row.profile);
    if (!row.also.empty()) name += fmt::format(" (also {})", row.also);
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", name, row.date, CountPairs(row.version),
                    LimitText(row.limit), row.shift_has_six_bits ? "6 bits" : "int8",
                    row.names_roundings ? "single, double, inexact" : "single, double");
  }
  return text;
}

// "0.30 to 0.60"; the ends of the list stay open.
std::string Span(const tosa::ErrorIf& row) {
  const auto number = [](tosa::Version v) { return tosa::Get(v).profile.substr(5); };
  if (row.since == tosa::kFirst && row.until == tosa::kLatest) return "all";
  if (row.until == tosa::kLatest) return fmt::format("from {} on", number(row.since));
  return fmt::format("{} to {}", number(row.since), number(row.until));
}

std::string Errors() {
  std::string text =
      "\n## Errors\n\nA call that meets one of these must be reported as an error: exit 4, before "
      "anything is written.\n\n| error if | versions |\n|---|---|\n";
  for (const tosa::ErrorIf& row : tosa::kErrorIfs) {
    text += fmt::format("| {}{} | {} |\n", row.text,
                        row.error == tosa::Error::kUint16Printed ? " (`--as-printed` only)" : "",
                        Span(row));
  }
  return text;
}

constexpr tosa::Version kPairColumns[] = {tosa::Version::k020, tosa::Version::k030,
                                          tosa::Version::k080, tosa::Version::k100Rc0,
                                          tosa::Version::k100};

std::string PairRow(const Format& from, const Format& to) {
  std::string text = fmt::format("| {} | {} |", from.name, to.name);
  bool any = false;
  for (const tosa::Version version : kPairColumns) {
    const bool has = tosa::AllowsPair(version, from.id, to.id);
    any |= has;
    text += has ? fmt::format(" {} |", tosa::PairNeeds(version, from.id)) : " |";
  }
  return any ? text + "\n" : "";
}

std::string PairTable() {
  std::string text =
      "\n## Pairs\n\nWith the profile or extension of TOSA that has the pair. `uint8` is the 8-bit "
      "type with its unsigned flag set.\n\n"
      "| from | to | 0.20 to 0.23 | 0.30 to 0.70 | 0.80, 0.90 | 1.0.0-rc0 | from 1.0 on |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Format& from : kFormats) {
    for (const Format& to : kFormats) text += PairRow(from, to);
  }
  return text;
}

constexpr const char* kInexact = R"(
Many pairs that a version forbids are two that it has: `rescale --check` names them (int32 to uint8 is int32 to int8 with the
output zero point less 128, then int8 to uint8 with unit scale and input zero point -128).

## Inexact rounding

From 1.0 on, with EXT-INEXACTROUND. With r = value * m / 2^s and e = 1/2 + (3 |r| + |r + output_zp|) / 2^24, every integer
from ceil(r - e + output_zp) to floor(r + e + output_zp) is permitted, both ends clipped to the output's range. It is computed
in whole numbers ([rescale.h](../include/exactcast/spec/rescale.h), `RescaleInterval`); the text asks for float64, which can
differ in the last place of an end. The result written is that of single rounding, which is always permitted.

## From a real scale

`--scale REAL` is rounded to float64, written as f * 2^e with 1/2 <= f < 1, and f * 2^31 (16-bit multipliers: 2^15) to an
integer: the multiplier; the shift is 31 (15) less e.

| `--convention` | as | ties | at the ends |
|---|---|---|---|
)";

std::string Conventions() {
  std::string text;
  for (const ScaleConventionRow& row : kScaleConventions) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.where,
                        row.ties_to_even ? "to even" : "away from zero", row.ends);
  }
  return text;
}

constexpr const char* kDisagreements = R"(
A scale that gives no legal multiplier or shift exits 2 with the reason; shifts that a convention gives outside 2 to 62 all
the same are judged like any other. The order in which a tool multiplies and divides the scales of input, weight and output
changes the last bit as well, and happens before.

## Where texts and tools disagree

As intended is the default; `--as-printed` takes the letter of D1, D2 and D3. The numbers are there to be cited; those that are
missing are about casts.

| | what | here |
|---|---|---|
| D1 | 0.90 to 1.1 draft: the sum for an unsigned output has a sign, but the clip compares it without one, so that a sum below 0 becomes the greatest output. Arm's reference model and MLIR give 0 | 0; as printed the greatest |
| D2 | 0.80 to 1.1 draft: an input with sign is extended from the variable that is being defined, not from the element | the element; as printed every such result is unpredictable ("unset variable") |
| D3 | 0.30 to 0.60: a uint16 zero point must differ from 0 or from 32768 to be refused, which every one does. 0.70 says and; the remark above the check and the reference model always did | 0 and 32768 are legal; as printed every uint16 tensor is an error |
| D4 | 0.80 and 0.90: the output is declared within each branch and used after it | no effect |
| D7 | from 1.0 on: the bounds of inexact rounding are clipped to the range with sign, also for unsigned outputs; the reference model's check uses the unsigned range | the unsigned range |
| D12 | 4-bit integers go from -7 in the specification, from -8 in the reference model | never rescaled |
| D20 | the reference model of 0.80 and 0.90 ignored the flag of unsigned outputs in its clip until 2024 | the flag counts |
| D21 | the reference model read an input with sign after one without as if it had none, until June 2024 | every call stands alone |
| D22 | the reference model's inexact result is rounded to even by its float32 mode and cut off by its float64 mode | single rounding; a result that was cut off can lie outside the interval |
| D24 | MLIR's lowering checks no requirement: values beyond the limit and zero point sums beyond int32 wrap; it refuses inexact rounding and takes shifts above 63 for a scale of 0 | unpredictable, counted, not wrapped |
| D28 | MLIR before 2025 checked nothing when it made pairs, and older copies stop at shift 63 where 62 is the greatest | 62; `ScaleFromReal` takes 63 as an argument |
| D30 | ties of the multiplier: away from zero in MLIR, TensorFlow Lite and Vela, to even in ExecuTorch and the conformance generator | by `--convention` |
| D31 | the conformance generator doubles the multiplier at shift 63, where it should halve it: four times the scale; at shifts 1 and 0 it divides by 2 and 4, where it should multiply: a quarter and a sixteenth | `cts` does the same |

Zero points are written as numbers, so one that its type cannot hold is an error here; TOSA, where they are tensors of the
type from 1.0 on, cannot be given one. Values of a uint48 from 2^47 up, and of a uint32 from 2^31 up under the 32-bit
multiplier, which 0.80 to 1.0.0-rc0 have by their letter, do not fit what the helpers take: "value limit".
)";

}  // namespace

std::string TosaRescalePage(const std::string&) {
  return kIntroduction + Versions() + Errors() + PairTable() + kInexact + Conventions() +
         kDisagreements;
}

}  // namespace exactcast::docs
