// SPDX-License-Identifier: Apache-2.0
//
// What a person wants to know of a format, as text derived from its row: layout, range, special
// codes, spellings.
#ifndef EXACTCAST_DESCRIBE_H_
#define EXACTCAST_DESCRIBE_H_

#include <string>
#include <string_view>
#include <vector>

#include "exactcast/spec/format.h"

namespace exactcast {

struct FormatFacts {
  std::string layout;           // "s1 e4 m3 bias 7", "two's complement", "real, imaginary: float16"
  std::string largest;          // exact decimal of the largest finite value
  std::string least;            // exact decimal of the least finite value
  std::string least_normal;     // hexadecimal; empty where it says nothing: integers
  std::string least_subnormal;  // hexadecimal; empty where there are none
  std::string infinity;         // the codes, "0x7c 0xfc"; empty where there are none
  std::string nan;              // "0x7f 0xff", "0x7e01..0x7fff ...": a range per sign
  bool negative_zero = false;
  std::vector<std::string_view> spellings;  // all, the format's own first
};

FormatFacts Describe(const Format& format);

// "zero", "subnormal", "normal", "inf" or "nan".
std::string_view ClassName(std::uint64_t word, const Format& format);

}  // namespace exactcast

#endif  // EXACTCAST_DESCRIBE_H_
