// SPDX-License-Identifier: Apache-2.0
//
// The byte tables of tapered.cc, of 16 bytes each, for every mode but hybrid.
#ifndef EXACTCAST_SRC_KERNELS_TAPERED_TABLES_H_
#define EXACTCAST_SRC_KERNELS_TAPERED_TABLES_H_

#include <hwy/base.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "exactcast/spec/hifloat8.h"
#include "exactcast/spec/rounding.h"

namespace exactcast::tapered {

inline constexpr int kBias = 127;
inline constexpr int kLeast = hifloat8::kMinExponent - 2;    // lower exponents are taken for it
inline constexpr std::uint8_t kLimit = hifloat8::kInfinity;  // after the largest finite code

using Row = std::array<std::uint8_t, 16>;

struct Tables {
  // The code of 1.0 * 2^e, by e - kLeast.
  alignas(16) std::array<Row, 3> codes = {};
  // Added to the fraction: to even and to odd by |e|, else by |e| / 2.
  std::array<Row, 2> increments = {};
  // By |e| / 2.
  Row units = {};  // the last place kept; 0 where it is the hidden bit
  Row rests = {};  // the bits below it
  Row kinds = {};  // of kKinds
  std::uint8_t least_field = 0;
};

// What selects the kept ones of the fraction's top 3 bits, f: f & kind or, unless its top bit is set,
// narrow[f | kind].
inline constexpr std::array<std::uint8_t, 4> kKinds = {0x80, 0x08, 0x00, 0x87};  // by the bits kept
alignas(16) inline constexpr Row kNarrow = {0, 0, 1, 1, 2, 2, 3, 3, 0, 0, 0, 0, 1, 1, 1, 1};

constexpr std::uint8_t CodeOf(int e, bool up) {
  if (e > hifloat8::kMaxExponent) return kLimit;
  if (e < hifloat8::kMinExponent) return up && e == hifloat8::kMinExponent - 1 ? 1 : 0;
  return static_cast<std::uint8_t>(hifloat8::EncodeMagnitude(1, e));
}

// What is added where the code is odd (to even) or even (to odd); else one less or nothing. Denormals
// have the parity of their code, e + 23, and count as even: theirs is in the increment. To even takes
// one off for even codes, so that the place of code 0 adds 0xff, a carry for all above the half, and
// the one below adds 0.
constexpr std::uint8_t IncrementOf(Rounding mode, int size, int width) {
  const unsigned half = 0x80u >> width;
  const bool odd_denormal = width == 0 && (size & 1) == 0;
  if (mode == Rounding::kToOdd) return odd_denormal ? 0 : static_cast<std::uint8_t>(2 * half - 1);
  if (size == 1 - hifloat8::kMinExponent) return 0;
  if (size == 2 - hifloat8::kMinExponent) return 1;
  return static_cast<std::uint8_t>(half + (odd_denormal ? 1 : 0));
}

// Where an index beyond a table's end does not give 0 but counts on from its beginning, tables hold
// the change against the one before.
template <std::size_t kRows>
constexpr void Chain(std::array<Row, kRows>* rows) {
#if HWY_ARCH_X86
  for (std::size_t i = kRows - 1; i > 0; --i) {
    for (std::size_t j = 0; j < 16; ++j) (*rows)[i][j] ^= (*rows)[i - 1][j];
  }
#else
  static_cast<void>(rows);
#endif
}

constexpr Tables TablesOf(Rounding mode) {
  const bool nearest = mode == Rounding::kTiesToEven || mode == Rounding::kTiesToAway;
  Tables t;
  for (std::size_t i = 0; i < 48; ++i) {
    t.codes[i / 16][i % 16] = CodeOf(kLeast + static_cast<int>(i), mode == Rounding::kTiesToAway);
  }
  for (std::size_t i = 0; i < 16; ++i) {
    const int width = hifloat8::MantissaBits(-2 * static_cast<int>(i));
    const unsigned unit = 0x100u >> width;
    t.units[i] = static_cast<std::uint8_t>(unit);
    t.rests[i] = static_cast<std::uint8_t>(unit - 1);
    t.kinds[i] = kKinds[static_cast<std::size_t>(width)];
    if (mode == Rounding::kTiesToAway && i < static_cast<std::size_t>(-kLeast) / 2) {
      t.increments[0][i] = static_cast<std::uint8_t>(unit / 2);
    }
  }
  if (mode == Rounding::kTiesToEven || mode == Rounding::kToOdd) {
    for (std::size_t i = 0; i < 32; ++i) {
      const int size = static_cast<int>(i);
      t.increments[i / 16][i % 16] = IncrementOf(mode, size, hifloat8::MantissaBits(-size));
    }
    Chain(&t.increments);
  }
  Chain(&t.codes);
  // To nearest, one exponent more below makes the half apart from what is less.
  t.least_field = static_cast<std::uint8_t>(kLeast + kBias + (nearest ? 0 : 1));
  return t;
}

inline constexpr Tables kToEven = TablesOf(Rounding::kTiesToEven);
inline constexpr Tables kToAway = TablesOf(Rounding::kTiesToAway);
inline constexpr Tables kToOdd = TablesOf(Rounding::kToOdd);
inline constexpr Tables kPlain = TablesOf(Rounding::kTowardZero);

}  // namespace exactcast::tapered

#endif  // EXACTCAST_SRC_KERNELS_TAPERED_TABLES_H_
