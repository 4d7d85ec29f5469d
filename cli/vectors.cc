// SPDX-License-Identifier: Apache-2.0
//
// exactcast vectors: test data for somebody else's kernel, and the summary of what is in it.
#include "exactcast/vectors.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/whole_number.h"
#include "exactcast/names.h"

namespace exactcast::cli {
namespace {

struct VectorsOptions {
  std::string prefix;
  std::string from;
  std::string to;
  std::string profile = "exact";
  std::optional<std::string> round;
  std::optional<std::string> overflow;
  std::optional<std::string> nan;
  std::optional<std::string> count;
  std::optional<std::string> seed;
  bool force = false;
  bool json = false;
};

Status FillNumber(std::string_view option, const std::optional<std::string>& word,
                  std::uint64_t* target) {
  if (!word) return {};
  const Result<std::uint64_t> number = ParseWholeNumber(option, *word);
  if (!number.ok()) return number.status();
  *target = *number;
  return {};
}

Result<FileVectorsRequest> ToRequest(const VectorsOptions& o) {
  FileVectorsRequest r;
  r.prefix = o.prefix;
  r.profile = o.profile;
  r.force = o.force;
  for (const Status& status :
       {Fill<FormatId>(o.from, r.from, ParseFormat), Fill<FormatId>(o.to, r.to, ParseFormat),
        Fill<Rounding>(o.round, r.rounding, ParseRounding),
        Fill<Overflow>(o.overflow, r.overflow, ParseOverflow),
        Fill<NanRule>(o.nan, r.nan, ParseNanRule), FillNumber("--count", o.count, &r.vectors.count),
        FillNumber("--seed", o.seed, &r.vectors.seed)}) {
    if (!status.ok()) return status;
  }
  return r;
}

// What the counts are of: from complex to complex each part is counted by itself.
bool CountsParts(const FileVectorsResult& r) {
  return GetFormat(r.from).kind == Kind::kComplex && GetFormat(r.to).kind == Kind::kComplex;
}

std::string Summary(const FileVectorsResult& r, std::uint64_t seed) {
  const Counts& c = r.counts;
  std::string text = fmt::format(
      "{} to {}, profile {}, mode {}: {} elements{}: {} exact, {} rounded, {} overflowed, {} "
      "underflowed, {} NaN\n",
      GetFormat(r.from).name, GetFormat(r.to).name, r.profile, Name(r.rounding), r.elements,
      CountsParts(r) ? " of two parts" : "", c.exact, c.rounded, c.overflowed, c.underflowed,
      c.nan);
  if (r.random == 0) {
    text += "inputs: every code\n";
  } else {
    text += fmt::format("inputs: {} chosen, {} random (seed {})", r.elements - r.random, r.random,
                        seed);
    if (r.filling != 0) text += fmt::format(", {} of them to fill bytes", r.filling);
    text += "\n";
  }
  return text + fmt::format("{}\n{}\n", r.input, r.output);
}

std::string SummaryJson(const FileVectorsResult& r, std::uint64_t seed) {
  const Counts& c = r.counts;
  const nlohmann::ordered_json json = {{"profile", r.profile},
                                       {"round", Name(r.rounding)},
                                       {"overflow", Name(r.overflow)},
                                       {"from", GetFormat(r.from).name},
                                       {"to", GetFormat(r.to).name},
                                       {"elements", r.elements},
                                       {"random", r.random},
                                       {"filling", r.filling},
                                       {"seed", seed},
                                       {"counted", CountsParts(r) ? "parts" : "elements"},
                                       {"exact", c.exact},
                                       {"rounded", c.rounded},
                                       {"overflowed", c.overflowed},
                                       {"underflowed", c.underflowed},
                                       {"nan", c.nan},
                                       {"input", r.input},
                                       {"output", r.output}};
  return JsonLine(json);
}

Status RunVectors(const VectorsOptions& options) {
  const Result<FileVectorsRequest> request = ToRequest(options);
  if (!request.ok()) return request.status();
  const Result<FileVectorsResult> result = WriteVectors(*request);
  if (!result.ok()) return result.status();
  const std::uint64_t seed = request->vectors.seed;
  return Print(options.json ? SummaryJson(*result, seed) : Summary(*result, seed));
}

}  // namespace

Runner AddVectors(CLI::App& app) {
  auto o = std::make_shared<VectorsOptions>();
  app.add_option("PREFIX", o->prefix, "PREFIX.in.bin and PREFIX.out.bin are written, raw")
      ->required();
  app.add_option("--from", o->from, "format of the inputs; 'exactcast formats' lists them")
      ->required();
  app.add_option("--to", o->to, "format to cast to")->required();
  app.add_option("--profile", o->profile,
                 "whose rules: 'exactcast profiles' lists them (default: exact)");
  app.add_option("--round,--rounding", o->round,
                 "rint floor ceil round trunc odd hybrid none (default: the profile's)");
  app.add_option("--overflow", o->overflow,
                 "what does not fit: saturate, or ieee (float targets), wrap (integers)");
  app.add_option("--nan", o->nan, "a NaN to a float format: keep or zero");
  app.add_option("--count", o->count,
                 "random elements after the chosen ones (default: 1024); none where every code is "
                 "there, from formats of at most 16 bits; up to 3 more fill a byte of packed "
                 "formats");
  app.add_option("--seed", o->seed, "of the random elements (default: 1)");
  app.add_flag("--force", o->force, "replace existing files");
  app.add_flag("--json", o->json, "print the summary as JSON");
  return [o] { return RunVectors(*o); };
}

}  // namespace exactcast::cli
