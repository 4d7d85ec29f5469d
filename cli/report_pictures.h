// SPDX-License-Identifier: Apache-2.0
//
// Pictures of a report, as SVG that takes its colours from the page.
#ifndef EXACTCAST_CLI_REPORT_PICTURES_H_
#define EXACTCAST_CLI_REPORT_PICTURES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "exactcast/cast.h"
#include "exactcast/spec/format.h"
#include "exactcast/statistics.h"

namespace exactcast::cli {

// For HTML text and attributes. What is not UTF-8 is replaced; control characters, too.
std::string EscapedText(std::string_view text);
std::string GroupedText(std::uint64_t count);  // "12 345 678", with narrow spaces

// How many elements of each exponent there are, on a logarithmic scale, over the range of the target;
// empty: there are none, or the target has no range.
std::string ExponentPicture(const Statistics& statistics, const Format& to);
// A bar in proportion, and a legend with the counts.
std::string OutcomePicture(const Counts& counts, const Statistics& statistics);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_REPORT_PICTURES_H_
