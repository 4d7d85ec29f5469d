// SPDX-License-Identifier: Apache-2.0
//
// An option's word that is a whole number from 0 up.
#ifndef EXACTCAST_CLI_WHOLE_NUMBER_H_
#define EXACTCAST_CLI_WHOLE_NUMBER_H_

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/options.h"
#include "exactcast/status.h"

namespace exactcast::cli {

inline Result<std::uint64_t> ParseWholeNumber(std::string_view option, std::string_view word) {
  if (word.empty() || word.find_first_not_of("0123456789") != std::string_view::npos) {
    return UsageError(fmt::format("{} {}: not a whole number from 0 up", option, word));
  }
  const std::optional<std::uint64_t> number = ParseInteger<std::uint64_t>(word);
  if (!number) return UsageError(fmt::format("{} {}: too large, beyond 64 bits", option, word));
  return *number;
}

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_WHOLE_NUMBER_H_
