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

// All digits: "-0.0000002384185791015625"; "inf", "-inf", "nan".
std::string ExactDecimal(const Exact& x);

// "0x1.8p+1", normalised for finite values, as C's %a prints a double; "0x0p+0".
std::string HexFloat(const Exact& x);

// What one element is, for a message: the exact decimal when short, else nine digits and the
// hexadecimal form.
std::string ValueText(std::uint64_t word, const Format& format);

// The code, with as many hexadecimal digits as the format has: "0x3f80".
std::string CodeText(std::uint64_t word, const Format& format);

// The element nearest (ties to even) to the number in `text`: decimal (1.75, 1e-3), hexadecimal
// (0x1.8p-3), a fraction (5/2), or a bit pattern (bits:0x3f00). kBadInput: not a number, beyond the
// format's range, or too many bits.
Result<std::uint64_t> ParseNumber(std::string_view text, const Format& format);

}  // namespace exactcast

#endif  // EXACTCAST_NUMBER_TEXT_H_
