// SPDX-License-Identifier: Apache-2.0
//
// A second, slow way to cast, for proofs: the target's values stand in a sorted list, a source
// value is placed between two neighbours by exact comparison, and the mode picks one of them. It
// shares no code and no method with the library and must not include its headers; the tests that
// compare the two translate formats and modes by name.
#ifndef EXACTCAST_TESTS_ORACLE_ORACLE_H_
#define EXACTCAST_TESTS_ORACLE_ORACLE_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace oracle {

__extension__ typedef unsigned __int128 Uint128;
__extension__ typedef __int128 Int128;

// An exact number: +-significand * 2^exponent. Normalised: zero, or 2^120 <= significand < 2^121.
struct Real {
  bool negative = false;  // kept for zero too
  Uint128 significand = 0;
  int exponent = 0;

  [[nodiscard]] bool IsZero() const { return significand == 0; }
};

Real MakeReal(bool negative, Uint128 significand, int exponent);
// -1, 0 or 1 as a < b, a == b, a > b; the sign of zero does not count.
int Compare(const Real& a, const Real& b);
// For numbers of at most 53 bits in float64's range; exact.
double ToDouble(const Real& a);

enum class Mode : std::uint8_t { kRint, kFloor, kCeil, kRound, kTrunc, kOdd, kNone, kHybrid };
inline constexpr std::array<std::string_view, 8> kModeNames = {"rint",  "floor", "ceil", "round",
                                                               "trunc", "odd",   "none", "hybrid"};
// The modes that every pair of formats has.
inline constexpr std::array<Mode, 7> kModes = {
    Mode::kRint, Mode::kFloor, Mode::kCeil, Mode::kRound, Mode::kTrunc, Mode::kOdd, Mode::kNone};
inline std::string_view Name(Mode mode) { return kModeNames[static_cast<std::size_t>(mode)]; }

// What rounding does not decide.
struct Policy {
  enum class Overflow : std::uint8_t {
    kIeee,      // float targets: infinity or the largest finite value, by mode and sign
    kInfinity,  // float targets: infinity in every mode
    kSaturate,  // the nearest end of the range
    kWrap,      // integer targets: the low bits of the rounded integer
  };
  enum class Negative : std::uint8_t { kNan, kLowest, kDropSign };

  std::string_view name;
  Overflow overflow = Overflow::kIeee;
  bool saturate_infinity = false;      // an infinity coming in gives the largest finite value
  bool zero_nan = false;               // a NaN coming in gives +0
  Negative negative = Negative::kNan;  // a negative value to a float format without a sign
};

enum class Outcome : std::uint8_t { kExact, kRounded, kUnderflowed, kOverflowed, kNan };
inline constexpr std::array<std::string_view, 5> kOutcomeNames = {"exact", "rounded", "underflowed",
                                                                  "overflowed", "nan"};

struct Result {
  std::uint64_t bits;
  Outcome outcome;
};

enum class Kind : std::uint8_t { kBool, kInteger, kFloat };
enum class Class : std::uint8_t { kFinite, kInfinite, kNan };

// What one code of a format stands for.
struct Datum {
  Class cls = Class::kFinite;
  bool subnormal = false;
  bool negative = false;
  Real value;                 // kFinite
  std::uint64_t payload = 0;  // kNan: the fraction bits, left-aligned; the top bit says quiet
};

// One value of a format: its place in ascending order and its code.
struct Point {
  Real value;
  std::uint64_t code = 0;
  bool subnormal = false;
};

struct Format {
  std::string_view name;
  Kind kind;
  bool is_signed;
  int bits;           // of a code
  int storage_bits;   // of a word in an array
  int low_zeros;      // bits of the word below the code
  int exponent_bits;  // fields of the IEEE layouts, which are decoded by rule;
  int mantissa_bits;  // 0 where the codes come from tests/golden/codepoints
  // The step after the largest finite value, if the last binade just went on. Everything from there
  // on overflows.
  std::string_view above;
  bool has_negative_zero;
  int nan_fraction_bits;  // width of the fraction where NaNs have payloads, 0: one code, -1: no NaN
  bool nan_has_sign;
  std::uint64_t nan;       // the NaN code, positive and quiet
  std::uint64_t infinity;  // its code, positive; 0: none

  // Made from the above, for formats of at most 16 bits: every code; every finite value, ascending.
  std::vector<Datum> codes = {};
  std::vector<Point> points = {};
  Real above_value = {}, below_value = {};  // the steps beyond either end

  [[nodiscard]] std::uint64_t CodeMask() const {
    return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  }
  [[nodiscard]] std::uint64_t SignBit() const { return std::uint64_t{1} << (bits - 1); }
};

// Every scalar format that can be cast, in the order of the documentation.
const std::vector<Format>& Formats();
const Format& Find(std::string_view name);  // throws if there is none

// `word` as an array stores it; bits outside the code are ignored.
Datum Decode(const Format& format, std::uint64_t word);

// Where a finite value stands among the values of a target.
struct Placement {
  bool beyond = false;  // at or past the step after either end
  bool exact = false;   // is `lower`
  int to_middle = 0;    // below, on, above the middle between the neighbours
  Point lower, upper;
  bool lower_is_step = false,
       upper_is_step = false;  // the neighbour is not in the target, but the step after its end
  bool lower_is_odd = false;
};

Placement Place(const Format& target, const Real& value);

// The cast proper, for callers that place once and ask for many modes and policies.
// `placement` is read only when the datum is finite and the target is not bool; `source` and `word`
// in mode kHybrid.
Result Finish(const Format& target, const Datum& datum, const Placement& placement, Mode mode,
              const Policy& policy, const Format& source, std::uint64_t word);

Result Cast(const Format& source, const Format& target, std::uint64_t word, Mode mode,
            const Policy& policy);

}  // namespace oracle

#endif  // EXACTCAST_TESTS_ORACLE_ORACLE_H_
