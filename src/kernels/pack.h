// SPDX-License-Identifier: Apache-2.0
//
// Taking apart and putting together what kernels do not see: elements that share bytes, and the
// parts of complex numbers.
#ifndef EXACTCAST_SRC_KERNELS_PACK_H_
#define EXACTCAST_SRC_KERNELS_PACK_H_

#include <cstddef>
#include <cstdint>

#include "src/kernels/params.h"

namespace exactcast {

// n elements of 4 or 2 bits, element 0 in the lowest bits of byte 0, to one byte each.
void Unpack(const std::byte* in, int bits, std::size_t n, std::byte* codes);

// And back; the last byte ends in zeros.
void Pack(const std::byte* codes, int bits, std::size_t n, std::byte* out);

// The even words of 2 n, of 16, 32 or 64 bits, and the odd ones unless `imaginary` is null.
void SplitComplex(const std::byte* in, int word_bits, std::size_t n, std::byte* real,
                  std::byte* imaginary);

// n real parts, each followed by a zero.
void JoinComplex(const std::byte* real, int word_bits, std::size_t n, std::byte* out);

// How many of n float words are neither +0 nor -0.
std::uint64_t CountNonzero(const std::byte* words, int word_bits, std::size_t n);

struct TruthCounts {
  std::uint64_t nan = 0;
  std::uint64_t rounded = 0;
};

// True where either part is not zero. Counts as the worse of the two parts would, an imaginary part
// that is not zero being lost; adds to the tally unless it is null.
void PartsToBool(const Format& part, const std::byte* real, const std::byte* imaginary,
                 std::size_t n, std::byte* out, Tally* tally);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_PACK_H_
