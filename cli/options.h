// SPDX-License-Identifier: Apache-2.0
//
// Option words that several sub-commands take, and how they become the library's requests.
#ifndef EXACTCAST_CLI_OPTIONS_H_
#define EXACTCAST_CLI_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "exactcast/status.h"

namespace exactcast::cli {

std::vector<std::string_view> SplitAtCommas(std::string_view text);

template <typename Integer>
std::optional<Integer> ParseInteger(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// --shape: "2,3"; "2," and "(2, 3)" are not taken; the empty word is the shape of a single element.
Result<std::vector<std::uint64_t>> ParseShape(const std::string& text);

// --deqscale and --offset: one value or 16, comma separated; nothing where neither is given. kUsage
// says which piece is wrong.
Result<std::optional<Dequantization>> ParseDequantization(
    const std::optional<std::string>& deqscale, const std::optional<std::string>& offset,
    FormatId to);

// The options that choose among the results that a profile permits.
struct ChoiceOptions {
  std::optional<std::string> float_rounding;
  bool flush_subnormals = false;
  std::optional<std::string> nan_to_integer;
};

void AddChoices(CLI::App& app, ChoiceOptions* options);

// Fills `target` from an option that was given; the status of the parser otherwise.
template <typename T, typename Target, typename Parser>
Status Fill(const std::optional<std::string>& word, Target& target, Parser parse) {
  if (!word) return {};
  const Result<T> value = parse(*word);
  if (!value.ok()) return value.status();
  target = *value;
  return {};
}

// Fills the choices of a CastRequest or FileCastRequest.
template <typename Request>
Status FillChoices(const ChoiceOptions& options, Request& request) {
  request.flush_subnormals = options.flush_subnormals;
  const Status status =
      Fill<Rounding>(options.float_rounding, request.float_rounding, ParseFloatRounding);
  if (!status.ok()) return status;
  return Fill<NanToIntegerChoice>(options.nan_to_integer, request.nan_to_integer,
                                  ParseNanToInteger);
}

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_OPTIONS_H_
