// SPDX-License-Identifier: Apache-2.0
//
// What the parts of exactcast rescale share: the options, and the call that they describe.
#ifndef EXACTCAST_CLI_RESCALE_H_
#define EXACTCAST_CLI_RESCALE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "exactcast/rescale.h"
#include "exactcast/spec/real_scale.h"
#include "exactcast/status.h"

namespace exactcast::cli {

struct RescaleOptions {
  std::optional<std::string> input;
  std::optional<std::string> output;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> multiplier;
  std::optional<std::string> shift;
  std::optional<std::string> scale;
  std::optional<std::string> convention;
  std::optional<std::string> input_zp;
  std::optional<std::string> output_zp;
  std::optional<std::string> rounding;
  std::optional<std::string> profile;
  std::optional<std::string> shape;
  std::optional<std::string> attributes;
  std::optional<std::string> range;
  int threads = 0;
  bool scale16 = false;
  bool per_channel = false;
  bool as_printed = false;
  bool check = false;
  bool strict = false;
  bool force = false;
  bool json = false;
};

// A real scale, and what a convention made of it.
struct ConvertedScale {
  std::string text;
  RealScale real;
  IntegerRange values;  // of input - input_zp; predictable for the pair
};

// A call as far as it is known: the types may be missing.
struct RescaleCall {
  RescaleRequest request;
  std::optional<FormatId> from;
  std::optional<FormatId> to;
  std::optional<std::vector<std::uint64_t>> shape;
  std::vector<ConvertedScale> scales;
  ScaleConvention convention = ScaleConvention::kMlir;
  bool all_roundings = false;
};

// Attributes first, then what the options say.
Result<RescaleCall> ReadCall(const RescaleOptions& options);

// rescale_attributes.cc: fills a call from a JSON file with TOSA's own attribute names.
Status ReadRescaleAttributes(const std::string& path, RescaleCall* call);

// rescale_scale.cc: "1.5,0.25" or "@FILE" into multipliers and shifts; and what became of them.
Status ConvertScales(const std::string& words, const tosa::RescaleVersion& version,
                     RescaleCall* call);
std::string ScaleLines(const RescaleCall& call);
Result<ScaleConvention> ParseConvention(std::string_view word);
std::string_view Name(ScaleConvention convention);

// rescale_check.cc
Ending RunRescaleCheck(const RescaleOptions& options, const RescaleCall& call);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_RESCALE_H_
