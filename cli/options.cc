// SPDX-License-Identifier: Apache-2.0
//
// Parsers of option words that several sub-commands take.
#include "cli/options.h"

#include <fmt/format.h>

#include <cstdint>

#include "exactcast/number_text.h"

namespace exactcast::cli {
namespace {

// 0x101c is the bit pattern of a scale, as device code sets it; 0x1p-3 a number.
Result<std::uint32_t> ParseScale(std::string_view text, const Format& format) {
  const bool sign = text.starts_with('-') || text.starts_with('+');
  const std::string_view digits = text.substr(sign ? 1 : 0);
  const bool pattern = (digits.starts_with("0x") || digits.starts_with("0X")) &&
                       digits.find_first_of(".pP/") == std::string_view::npos;
  if (pattern && sign) {
    return UsageError(fmt::format(
        "--deqscale: '{}': a bit pattern has no sign; a hexadecimal number is written {}p0", text,
        text));
  }
  const Result<ParsedNumber> scale =
      ParseNumber(pattern ? fmt::format("bits:{}", text) : std::string(text), format);
  if (!scale.ok()) return UsageError(fmt::format("--deqscale: {}", scale.status().message()));
  return static_cast<std::uint32_t>(scale->word);
}

}  // namespace

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t comma = text.find(',');
    pieces.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return pieces;
    text.remove_prefix(comma + 1);
  }
}

Result<std::vector<std::uint64_t>> ParseShape(const std::string& text) {
  std::vector<std::uint64_t> shape;
  if (text.empty()) return shape;
  for (std::string_view piece : SplitAtCommas(text)) {
    const std::optional<std::uint64_t> dimension = ParseInteger<std::uint64_t>(piece);
    if (!dimension) {
      return UsageError(fmt::format("--shape {}: '{}' is not a dimension; write 2,3", text, piece));
    }
    shape.push_back(*dimension);
  }
  return shape;
}

Result<std::optional<Dequantization>> ParseDequantization(
    const std::optional<std::string>& deqscale, const std::optional<std::string>& offset,
    FormatId to) {
  if (!deqscale && !offset) return std::optional<Dequantization>();
  if (!deqscale) return UsageError("--offset goes with --deqscale");
  Dequantization d;
  const Format& scale_format =
      GetFormat(to == FormatId::kFloat16 ? FormatId::kFloat16 : FormatId::kFloat32);
  for (std::string_view piece : SplitAtCommas(*deqscale)) {
    const Result<std::uint32_t> scale = ParseScale(piece, scale_format);
    if (!scale.ok()) return scale.status();
    d.scales.push_back(*scale);
  }
  if (!offset) return std::optional(d);
  for (std::string_view piece : SplitAtCommas(*offset)) {
    const std::optional<std::int32_t> value = ParseInteger<std::int32_t>(piece);
    if (!value) return UsageError(fmt::format("--offset: '{}' is not an integer", piece));
    d.offsets.push_back(*value);
  }
  return std::optional(d);
}

void AddChoices(CLI::App& app, ChoiceOptions* options) {
  app.add_option("--float-rounding", options->float_rounding,
                 "profiles tosa-...: float to narrower float to nearest or toward zero");
  app.add_flag("--flush-subnormals", options->flush_subnormals,
               "profiles tosa-...: subnormals become zero where the version permits it");
  app.add_option("--nan-to-int", options->nan_to_integer,
                 "profiles tosa-...: a NaN to an integer: zero, min, max or refuse");
}

}  // namespace exactcast::cli
