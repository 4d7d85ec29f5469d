// SPDX-License-Identifier: Apache-2.0
//
// One element taken apart for a reader: its fields, code and value.
#include <fmt/format.h>

#include <array>

#include "exactcast/explain.h"
#include "exactcast/number_text.h"

namespace exactcast {
namespace {

std::string Bits(std::uint64_t word, int count) {
  return count == 0 ? "" : fmt::format("{:0{}b}", word & LowMask(count), count);
}

// HiFloat8's fields move with the dot, whose code is a prefix: 0000, 0001, 001, 01, 10, 11.
std::vector<BitField> Hifloat8Fields(std::uint64_t code) {
  const std::uint64_t rest = code & 0x7f;
  const int dot_bits = rest < 0x10 ? 4 : rest < 0x20 ? 3 : 2;
  const int exponent_bits = rest < 0x10 ? 0 : rest < 0x20 ? 1 : static_cast<int>(rest >> 5) + 1;
  const int mantissa_bits = 7 - dot_bits - exponent_bits;
  std::vector<BitField> fields = {{"sign", Bits(code >> 7, 1)},
                                  {"dot", Bits(rest >> (7 - dot_bits), dot_bits)}};
  if (exponent_bits > 0) fields.push_back({"exponent", Bits(rest >> mantissa_bits, exponent_bits)});
  fields.push_back({"mantissa", Bits(rest, mantissa_bits)});
  return fields;
}

std::vector<BitField> Fields(std::uint64_t word, const Format& f) {
  const std::uint64_t code = (word >> f.low_zeros) & LowMask(f.bits);
  if (f.kind == Kind::kTapered) return Hifloat8Fields(code);
  if (f.kind != Kind::kFloat) return {{"integer", Bits(code, f.bits)}};
  std::vector<BitField> fields;
  if (f.has_sign) fields.push_back({"sign", Bits(code >> (f.bits - 1), 1)});
  fields.push_back({"exponent", Bits(code >> f.mantissa_bits, f.exponent_bits)});
  if (f.mantissa_bits > 0) fields.push_back({"fraction", Bits(code, f.mantissa_bits)});
  if (f.low_zeros > 0) fields.push_back({"ignored", Bits(word, f.low_zeros)});
  return fields;
}

}  // namespace

std::string_view Name(Outcome outcome) {
  constexpr std::array<std::string_view, 5> kNames = {"exact", "rounded", "underflowed",
                                                      "overflowed", "nan"};
  return kNames[static_cast<std::size_t>(outcome)];
}

ElementFacts DescribeElement(std::uint64_t word, const Format& format) {
  const Exact x = Decode(word, format);
  return {word, CodeText(word, format), ExactDecimal(x), HexFloat(x), Fields(word, format)};
}

}  // namespace exactcast
