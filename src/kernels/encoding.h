// SPDX-License-Identifier: Apache-2.0
//
// A target format, a mode and rules boiled down to the constants that vector kernels need: shift
// counts, limits and result codes, no decisions. Codes are of the target, without the zeros that
// tfloat32 has below them.
#ifndef EXACTCAST_SRC_KERNELS_ENCODING_H_
#define EXACTCAST_SRC_KERNELS_ENCODING_H_

#include <array>
#include <cstdint>

#include "exactcast/spec/format.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"

namespace exactcast {

// How a kernel makes codes from lanes, which hold float32 or float64 bits.
enum class EncodeStep : std::uint8_t {
  kFloat,     // to a float with fewer fraction bits
  kTapered,   // to hifloat8
  kInteger,   //
  kBoolean,   //
  kIntegral,  // to an integral value of the lane's own format
  kSame,      // the lane is the code, but for NaN and subnormals
};

struct Encoding {
  EncodeStep step = EncodeStep::kSame;
  Rounding rounding = Rounding::kTiesToEven;
  int bits = 0;
  int low_zeros = 0;  // the code stands above them in its word

  // Floats.
  int mantissa_bits = 0;
  int min_exponent = 0;
  std::uint64_t zero_gap = 0;  // what the least normal code lacks where no code is spent on zero
  std::uint64_t max_code = 0;  // the largest finite magnitude
  std::uint64_t tiny = 0;      // magnitudes below are zero or subnormal
  bool has_sign = false;
  bool has_negative_zero = false;
  // For positive and negative values; the whole code.
  std::array<std::uint64_t, 2> overflow = {};
  std::array<std::uint64_t, 2> infinity = {};
  bool infinity_is_exact = false;
  // A NaN becomes nan | (its sign & nan_sign) | (the top of its fraction & nan_payload).
  std::uint64_t nan = 0;
  std::uint64_t nan_sign = 0;
  std::uint64_t nan_payload = 0;
  // What few rules ask for, and only the rare form of a kernel looks at:
  bool is_rare = false;
  bool flushes_results = false;
  std::uint64_t negative = 0;        // unsigned floats: what a negative value becomes,
  bool drops_sign = false;           // unless this is set
  bool judges_nearest = false;       // values from here on up are overflows whatever the mode:
  std::uint64_t least_beyond32 = 0;  // float32 bits
  std::uint64_t least_beyond64 = 0;  // float64 bits

  bool hybrid_from_float16 = false;  // kHybrid reads a float16's bits; else a float32's

  // Integers: the largest magnitudes, positive and negative.
  std::array<std::uint64_t, 2> limit = {};
  bool wraps = false;

  // Lane magnitudes below are taken for zero; 0: none are.
  std::uint64_t flush_below32 = 0;
  std::uint64_t flush_below64 = 0;
};

// The magnitude of what overflow gives: the code less its sign, but for a NaN that is the sign alone.
constexpr std::uint64_t LimitOf(const Encoding& e, std::size_t sign) noexcept {
  const std::uint64_t sign_bit = std::uint64_t{1} << (e.bits - 1);
  const std::uint64_t code = e.overflow[sign];
  return code == sign_bit ? code : code & ~sign_bit;
}

Encoding MakeEncoding(const Format& source, const Format& target, Operation operation,
                      Rounding rounding, const Rules& rules) noexcept;

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_ENCODING_H_
