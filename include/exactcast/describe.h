// SPDX-License-Identifier: Apache-2.0
//
// What a person wants to know of a format or a profile, as text derived from its rows.
#ifndef EXACTCAST_DESCRIBE_H_
#define EXACTCAST_DESCRIBE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/spec/format.h"
#include "exactcast/spec/profile.h"

namespace exactcast {

struct FormatFacts {
  std::string layout;  // "s1 e4 m3 bias 7", "two's complement", "real, imaginary: float16"
  std::vector<std::string> drawing;  // the layout, drawn: lines of at most 78 columns
  std::string largest;               // exact decimal of the largest finite value
  std::string largest_hexfloat;      // the same in hexadecimal
  std::string least;                 // exact decimal of the least finite value
  std::string least_normal;          // hexadecimal; empty where it says nothing: integers
  std::string least_subnormal;       // hexadecimal; empty where there are none
  std::string infinity;              // the codes, "0x7c 0xfc"; empty where there are none
  std::string nan;                   // "0x7f 0xff", "0x7e01..0x7fff ...": a range per sign
  bool negative_zero = false;
  std::vector<std::string_view> spellings;  // all, the format's own first
};

FormatFacts Describe(const Format& format);

// The codes before and after a code in the order of values (hifloat8's codes are not in it); empty
// at the ends, and for NaN.
struct NeighbourCodes {
  std::string previous;
  std::string next;
};
NeighbourCodes NeighboursOf(std::uint64_t code, const Format& format);

// "zero", "subnormal", "normal", "inf" or "nan".
std::string_view ClassName(std::uint64_t word, const Format& format);

// A pair of a profile as a person chooses from it.
struct PairFacts {
  CastRow row;
  std::vector<std::string_view> modes;  // the default first; none for scaled casts
  std::vector<std::string_view> forms;  // what --overflow chooses among, the default first
  std::string_view note;                // what is special, else empty
  // What the specification permits beside the default result: "tie", "toward zero", ...
  std::vector<std::string_view> permits;
};

// The pairs of a profile in the order of its document; none for `exact`, which has all.
std::vector<PairFacts> DescribePairs(const Profile& profile);

// How many: a pair counts once, and CastDequant is an operation beside Cast.
std::ptrdiff_t CountPairs(const Profile& profile);

}  // namespace exactcast

#endif  // EXACTCAST_DESCRIBE_H_
