// SPDX-License-Identifier: Apache-2.0
//
// Exact fractions (GMP's) for text: reading what a person types, and writing values and the
// distances between them.
#ifndef EXACTCAST_SRC_RATIONAL_H_
#define EXACTCAST_SRC_RATIONAL_H_

#include <gmpxx.h>

#include <optional>
#include <string>
#include <string_view>

#include "exactcast/spec/format.h"

namespace exactcast {

// 2^exponent.
mpq_class PowerOfTwo(long exponent);

// `x` is zero or finite.
mpq_class ToRational(const Exact& x);

// Decimal (1.75, 1e-3), hexadecimal (0x1.8p-3) or a fraction of two such (5/2), with an optional
// sign; nothing for any other text. Exponents beyond +-100,000 count as that, and `clamped` says so.
std::optional<mpq_class> ParseRational(std::string_view text, bool* clamped = nullptr);

// All digits of a fraction whose decimal expansion ends: "-0.0625".
std::string DecimalText(const mpq_class& x);

// All digits where there are few, else nine significant ones: "3.33333333e-09".
std::string ShortText(const mpq_class& x);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_RATIONAL_H_
