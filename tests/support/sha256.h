// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4), to tell that a file built by a recipe is the file the recipe means. For
// tests: slow and small.
#ifndef EXACTCAST_TESTS_SUPPORT_SHA256_H_
#define EXACTCAST_TESTS_SUPPORT_SHA256_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace support {

namespace sha256 {

__extension__ using Wide = unsigned __int128;

// The first 32 bits of the fractional part of the square (cube) root of a prime, on integers: the
// low half of the largest r with r^n <= prime * 2^(32 n).
constexpr std::uint32_t RootFraction(unsigned prime, int n) {
  std::uint64_t root = 0;
  for (int bit = 36; bit >= 0; --bit) {
    const std::uint64_t r = root | std::uint64_t{1} << bit;
    const Wide square = static_cast<Wide>(r) * r;
    const bool fits = n == 2 ? square <= static_cast<Wide>(prime) << 64
                             : square <= (static_cast<Wide>(prime) << 96) / r;
    if (fits) root = r;
  }
  return static_cast<std::uint32_t>(root);
}

template <std::size_t kCount>
constexpr std::array<std::uint32_t, kCount> RootFractions(int n) {
  std::array<std::uint32_t, kCount> fractions = {};
  std::size_t found = 0;
  for (unsigned candidate = 2; found < kCount; ++candidate) {
    bool prime = true;
    for (unsigned d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
    if (prime) fractions[found++] = RootFraction(candidate, n);
  }
  return fractions;
}

inline void Block(const unsigned char* data, std::array<std::uint32_t, 8>* state) {
  static constexpr auto kConstants = RootFractions<64>(3);
  std::array<std::uint32_t, 64> w = {};
  for (std::size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | data[i];
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = *state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kConstants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> sums = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) (*state)[i] += sums[i];
}

}  // namespace sha256

// In hexadecimal.
inline std::string Sha256(std::string bytes) {
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  bytes += '\x80';
  while (bytes.size() % 64 != 56) bytes += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(bits >> shift & 0xff);
  std::array<std::uint32_t, 8> state = sha256::RootFractions<8>(2);
  for (std::size_t i = 0; i < bytes.size(); i += 64) {
    sha256::Block(reinterpret_cast<const unsigned char*>(bytes.data()) + i, &state);
  }
  std::string hex;
  for (const std::uint32_t word : state) {
    std::array<char, 9> digits = {};
    std::snprintf(digits.data(), digits.size(), "%08x", word);
    hex += digits.data();
  }
  return hex;
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_SHA256_H_
