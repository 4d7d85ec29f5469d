// SPDX-License-Identifier: Apache-2.0
//
// docs/tosa.md: what each version of Arm TOSA does, from the tables of spec/profiles/tosa.h, and
// where the specification and the tools around it disagree. One section an operator.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "docs/generate/pages.h"
#include "exactcast/cast.h"
#include "exactcast/describe.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/permitted.h"
#include "exactcast/spec/profile.h"

namespace exactcast::docs {
namespace {

using tosa::Version;

constexpr const char* kIntroduction =
    R"(# Arm TOSA, version by version

<!-- Generated from include/exactcast/spec/profiles/tosa.h by `./dev docs`; do not edit. -->

A profile `tosa-V` is the operators of version V of the TOSA specification. 1.0.1 and 1.0.2 changed nothing here, so that
`tosa-1.0.0`, `tosa-1.0.1` and `tosa-1.0.2` are other spellings of `tosa-1.0`. The pairs, each with its first version and what
a device must have for it, are in [profiles.md](profiles.md#tosa-020-to-tosa-11-draft).
)";

// ---- CAST ---------------------------------------------------------------------------------------

constexpr const char* kCastRules =
    R"(
RESCALE has a page of its own: [tosa-rescale.md](tosa-rescale.md).

## CAST

### The default result

The same in every version that has the pair.

| from | to | result |
|---|---|---|
| integer | wider integer | the same value; under 1.1-draft from `uint8`, `uint16`, `uint32`, `uint64` too, which is input_unsigned |
| integer | narrower integer | the low bits: it wraps and never saturates |
| integer, float32 | bool | everything but zero is true, NaN too |
| bool | any | 1 or 0; every stored byte but 0 is 1 |
| integer | float | to nearest, ties to even; beyond the range infinity |
| float | integer | to nearest, ties to even; beyond the range, infinity included, its end; NaN: 0, counted as unpredictable |
| float | wider float | the same value |
| float | narrower float | to nearest, ties to even; beyond the range infinity |
| float | float8_e5m2, float8_e4m3fn | as OCP OFP8 without saturation: infinity, or NaN where there is none (above 464); subnormals stay |
| NaN | float | a quiet NaN, sign and top payload bits kept |

### What a version permits beside it

Only what can change a result is listed.

)";

struct Class {
  std::string_view name;
  FormatId from;
  FormatId to;
};
constexpr auto kClasses = std::to_array<Class>({
    {"int32 to float32", FormatId::kInt32, FormatId::kFloat32},
    {"int16, int32 to float16, bfloat16", FormatId::kInt32, FormatId::kFloat16},
    {"float to integer", FormatId::kFloat32, FormatId::kInt8},
    {"float32 to float16, bfloat16", FormatId::kFloat32, FormatId::kFloat16},
    {"float16 to float32", FormatId::kFloat16, FormatId::kFloat32},
    {"bfloat16 to float32", FormatId::kBfloat16, FormatId::kFloat32},
    {"float16, bfloat16, float32 to float8", FormatId::kFloat32, FormatId::kFloat8E5m2},
    {"float8_e5m2 to float16", FormatId::kFloat8E5m2, FormatId::kFloat16},
    {"float8_e4m3fn to float16; float8 to bfloat16, float32", FormatId::kFloat8E4m3fn,
     FormatId::kFloat32},
    {"float32 to bool", FormatId::kFloat32, FormatId::kBool},
});

std::string Permits(const Profile& profile, const Class& row) {
  for (const PairFacts& pair : DescribePairs(profile)) {
    if (pair.row.from != row.from || pair.row.to != row.to) continue;
    return pair.permits.empty() ? "nothing" : fmt::format("{}", fmt::join(pair.permits, ", "));
  }
  return "";
}

// A line for each run of versions in which nothing changed.
std::string PermittedTable() {
  std::string text = "| cast | from version | permitted beside the default |\n|---|---|---|\n";
  for (const Class& row : kClasses) {
    std::string last;
    for (const Profile& profile : kProfiles) {
      if (!profile.leaves_choices) continue;
      const std::string permits = Permits(profile, row);
      if (permits.empty() || permits == last) continue;
      text += fmt::format("| {} | {} | {} |\n", last.empty() ? row.name : "",
                          profile.name.substr(5), permits);
      last = permits;
    }
  }
  return text;
}

constexpr const char* kFreedomsInWords =
    R"(
| word | means | chosen with |
|---|---|---|
| tie | a value halfway may go to either neighbour, unless the even one overflows | |
| toward zero | a float to a narrower float may be cut instead of rounded | `--float-rounding zero` |
| flush input | a subnormal float16, bfloat16 or float32 may be taken for a zero of its sign | `--flush-subnormals` |
| flush result | what is below the least normal value may become a zero of its sign | `--flush-subnormals` |
| NaN pattern | every NaN is as good | |
| NaN unpredictable | a NaN may give any integer | `--nan-to-int zero`, `min`, `max`, `refuse` |

Toward zero at the edge of the range: what is cut to the largest finite value stays it, so that only magnitudes from the next
power of two on are infinite (float16: 65536; to nearest it is 65520). To float8_e4m3fn, whose overflow is that of OCP OFP8,
whether a value fits is asked of rounding to nearest in either mode: above 464 it is NaN. The specification is silent on
cutting values between 464 and 480 to 448.

An option that a version does not permit exits 4 where it could change a result. `compare A B --permitted --profile tosa-V
--source IN` accepts each element that the version permits for the element of IN it was cast from, and counts on which
grounds. Flushing is all or nothing in a device; a comparison looks at elements one by one and does not check that.

### What changed

| version | pairs | new pairs |
|---|---|---|
)";

std::string VersionTable() {
  std::string text;
  for (std::size_t v = 0; v <= static_cast<std::size_t>(tosa::kLatest); ++v) {
    std::vector<std::string> added;
    std::size_t pairs = 0;
    for (const tosa::VersionedPair& pair : tosa::kCastPairs) {
      if (tosa::Has(pair, static_cast<Version>(v))) ++pairs;
      if (static_cast<std::size_t>(pair.since) != v || v == 0) continue;
      added.push_back(fmt::format("{} to {}", GetFormat(pair.from).name, GetFormat(pair.to).name));
    }
    text += fmt::format("| {} | {} | {} |\n", tosa::kProfileNames[v].substr(5), pairs,
                        v == 0 ? "all of them" : fmt::format("{}", fmt::join(added, ", ")));
  }
  return text;
}

constexpr const char* kVersionNotes =
    R"(
0.20 to 0.23 have one float type, which is float32 here. No pair was ever dropped. Not yet there, in 1.1-draft: {}.

### Disagreements

The specification against itself, against its reference model, and against the lowering in MLIR. The numbers run through all
operators of this page.

| | what | exactcast |
|---|---|---|
)";

// "0x01010001 gives 0x4b81"
std::string Example(std::uint64_t word, FormatId from, FormatId to) {
  const Result<Plan> plan = MakePlan({.from = from, .to = to, .profile = "tosa-1.0"});
  if (!plan.ok()) throw std::runtime_error(plan.status().message());
  std::uint64_t out = 0;
  plan->Run(&word, &out, 1);
  return fmt::format("{} gives {}", CodeText(word, GetFormat(from)), CodeText(out, GetFormat(to)));
}

struct Disagreement {
  std::string_view id;
  std::string what;
  std::string ours;
};

std::vector<Disagreement> AgainstItself() {
  return {
      {"D5",
       "From 1.0 on the accuracy sentence for float to float bounds the input by the reference, "
       "not the output; the numbers in it would also let a tie go away from zero",
       "the sentence beside it counts: to nearest even, or toward zero, and nothing else"},
      {"D6", "rc0 to 1.0.2 convert bool to float twice, the second time from the raw input",
       "the same result for 0 and 1; every other byte is true, 1"},
      {"D8",
       "The check for integers to floats accepts infinity once the value and its bound pass the "
       "largest finite value, so also for 65504 to float16, and 65504 for 65520",
       "a value that fits stays finite, one that rounds beyond the range is infinite"},
      {"D9, D10, D11", "The draft's block-scaled casts", "not yet there"},
      {"bool",
       "Casts to bool are exact; whether a subnormal float32 may be flushed first is not said in "
       "the same place",
       "default true; false is permitted, as for the other casts from float32"},
      {"ties, 0.60 to 0.80",
       "The table of precisions decides ties for fp32 only; it can be read to hold for floats to "
       "integers or not",
       "it holds: ties to even, as the reference model and MLIR read it"},
      {"subnormals, to 0.50", "Not mentioned", "kept; flushing is not offered"},
      {"NaN to integer, to 0.50", "Not mentioned", "unpredictable, as from 0.60 on"}};
}

std::vector<Disagreement> AgainstTools() {
  using enum FormatId;
  return {
      {"D13", "The reference model takes int32 to bfloat16 through float32 and rounds twice",
       fmt::format("one rounding: {}, {}, {}", Example(0x01010001, kInt32, kBfloat16),
                   Example(0x0102ffff, kInt32, kBfloat16), Example(0x40400001, kInt32, kBfloat16))},
      {"D14",
       "The reference model's float library shifts by a full word for some tiny values and gives "
       "the least subnormal",
       fmt::format("zero: float32 {} (float16), bfloat16 {} (float8_e4m3fn)",
                   Example(0x18801000, kFloat32, kFloat16),
                   Example(0x1c88, kBfloat16, kFloat8E4m3fn))},
      {"D15", "The same library gives a positive NaN for a finite negative overflow to fp8e4m3",
       fmt::format("the sign stays: {}; either is permitted",
                   Example(0xc3f00000, kFloat32, kFloat8E4m3fn))},
      {"D17", "The reference model rounded ties away from zero up to 0.50, bfloat16 for longer",
       "ties to even in every version; up to 0.50 `compare --permitted` accepts either neighbour"},
      {"D18", "The reference model clipped floats to integers after a conversion that overflowed",
       fmt::format("saturates: float32 {} (int8)", Example(0x7f7fffff, kFloat32, kInt8))},
      {"D19", "The reference model did not wrap narrowed integers until 2025",
       fmt::format("wraps: int32 {} (int8)", Example(300, kInt32, kInt8))},
      {"D23", "The conformance tests accept integers to floats a whole place below",
       "half a place, as the text says"},
      {"D25", "MLIR clamped narrowed integers until January 2023", "wraps"},
      {"D26", "MLIR rounded by adding a half until 2023", "ties to even"},
      {"D27",
       "MLIR's constant folders went wrong on the sign of bool, on integers to bool and on ties; "
       "they give 0 for NaN",
       "by the rules above; 0 for NaN is the default too"}};
}

std::string CastSection() {
  std::string text = kCastRules + PermittedTable() + kFreedomsInWords + VersionTable() +
                     fmt::format(fmt::runtime(kVersionNotes), tosa::kNotYet);
  for (const std::vector<Disagreement>& rows : {AgainstItself(), AgainstTools()}) {
    for (const Disagreement& row : rows) {
      text += fmt::format("| {} | {} | {} |\n", row.id, row.what, row.ours);
    }
  }
  return text;
}

// Each operator's section, in the order of the page.
constexpr auto kSections = std::to_array<std::string (*)()>({CastSection});

}  // namespace

std::string TosaPage(const std::string&) {
  std::string page = kIntroduction;
  for (const auto section : kSections) page += section();
  return page;
}

}  // namespace exactcast::docs
