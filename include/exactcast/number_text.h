// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text, exactly: decimal and hexadecimal expansions of what a code stands for, and codes
// from what a person types.
#ifndef EXACTCAST_NUMBER_TEXT_H_
#define EXACTCAST_NUMBER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "exactcast/spec/format.h"
#include "exactcast/status.h"

namespace exactcast {

// All digits: "-0.0000002384185791015625"; "-0", "inf", "-inf", "nan".
std::string ExactDecimal(const Exact& x);

// "0x1.8p+1", normalised for finite values, as C's %a prints a double; "0x0p+0".
std::string HexFloat(const Exact& x);

// What one element is, for a message: the exact decimal when short, else nine digits and the
// hexadecimal form.
std::string ValueText(std::uint64_t word, const Format& format);

// The code, with as many hexadecimal digits as the format has: "0x3f80".
std::string CodeText(std::uint64_t word, const Format& format);

struct ParsedNumber {
  std::uint64_t word = 0;
  // What the format holds minus what was typed, in decimal (long expansions cut to nine digits);
  // empty when it holds just that.
  std::string off_by;
};

// The element of a scalar format nearest (ties to even) to the number in `text`: decimal (1.75,
// 1e-3), hexadecimal (0x1.8p-3), a fraction (5/2), a bit pattern (bits:0x3f00), inf, -inf or nan.
// kBadInput: not a number, beyond the format's range, a fraction for an integer format, too many
// bits, an infinity or NaN that the format lacks.
Result<ParsedNumber> ParseNumber(std::string_view text, const Format& format);

}  // namespace exactcast

#endif  // EXACTCAST_NUMBER_TEXT_H_
