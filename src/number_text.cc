// SPDX-License-Identifier: Apache-2.0
//
// Exact text, on GMP's integers and fractions.
#include "exactcast/number_text.h"

#include <fmt/format.h>
#include <gmpxx.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <utility>

#include "exactcast/spec/reference.h"

namespace exactcast {
namespace {

std::string_view SignText(const Exact& x) { return x.negative ? "-" : ""; }

// ---- from text
// -----------------------------------------------------------------------------------------------------

// Exponents beyond this are out of every format's range, and their powers would fill the memory.
constexpr long kExponentLimit = 100'000;

mpz_class Power(unsigned long base, unsigned long exponent) {
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), base, exponent);
  return power;
}

int DigitValue(char c) {
  if ('0' <= c && c <= '9') return c - '0';
  if ('a' <= c && c <= 'f') return c - 'a' + 10;
  if ('A' <= c && c <= 'F') return c - 'A' + 10;
  return 99;
}

std::optional<long> ParseExponent(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    return text.front() == '-' ? -kExponentLimit : kExponentLimit;
  if (error != std::errc{}) return std::nullopt;
  return std::clamp(value, -kExponentLimit, kExponentLimit);
}

// Digits with an optional point and exponent: base 10 with e, base 16 with p (a power of two).
std::optional<mpq_class> ParsePositional(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  const unsigned base = hex ? 16 : 10;
  const std::size_t mark = text.find_first_of(hex ? "pP" : "eE");
  const std::optional<long> exponent =
      mark == std::string_view::npos ? 0 : ParseExponent(text.substr(mark + 1));
  if (!exponent) return std::nullopt;

  mpz_class digits = 0;
  unsigned long after_point = 0;
  bool point = false;
  bool any = false;
  for (char c : text.substr(0, mark)) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    const int digit = DigitValue(c);
    if (digit >= static_cast<int>(base)) return std::nullopt;
    digits = digits * base + digit;
    after_point += point ? 1 : 0;
    any = true;
  }
  if (!any) return std::nullopt;
  mpq_class value(digits, Power(base, after_point));
  const mpz_class scale = Power(hex ? 2 : 10, static_cast<unsigned long>(std::abs(*exponent)));
  value.canonicalize();
  if (*exponent < 0) return value / scale;
  return value * scale;
}

std::optional<mpq_class> ParseRational(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<mpq_class> numerator = ParsePositional(text.substr(0, slash));
  if (slash == std::string_view::npos || !numerator) return numerator;
  const std::optional<mpq_class> denominator = ParsePositional(text.substr(slash + 1));
  if (!denominator || *denominator == 0) return std::nullopt;
  return *numerator / *denominator;
}

// The magnitude cut to 64 bits, the last of them set when anything was cut: enough for one right
// rounding to a float format.
Exact ToSticky(const mpq_class& magnitude, bool negative) {
  if (magnitude == 0) return {.cls = Class::kZero, .negative = negative};
  mpz_class numerator = magnitude.get_num();
  mpz_class denominator = magnitude.get_den();
  const long shift = 63 + static_cast<long>(mpz_sizeinbase(denominator.get_mpz_t(), 2)) -
                     static_cast<long>(mpz_sizeinbase(numerator.get_mpz_t(), 2));
  (shift >= 0 ? numerator : denominator) <<= static_cast<unsigned long>(std::abs(shift));
  mpz_class quotient;
  mpz_class rest;
  mpz_fdiv_qr(quotient.get_mpz_t(), rest.get_mpz_t(), numerator.get_mpz_t(),
              denominator.get_mpz_t());
  return {.cls = Class::kFinite,
          .negative = negative,
          .exponent = static_cast<int>(-shift),
          .significand = quotient.get_ui() | (rest != 0 ? 1u : 0u)};
}

Result<std::uint64_t> ParseBits(std::string_view text, const Format& format) {
  const std::string_view digits =
      text.substr(text.starts_with("0x") || text.starts_with("0X") ? 2 : 0);
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (digits.empty() || end != digits.data() + digits.size()) {
    return BadInput(fmt::format("'{}' is not a hexadecimal bit pattern", text));
  }
  if (error != std::errc{} || bits > LowMask(format.bits + format.low_zeros)) {
    return BadInput(fmt::format("{} has {} bits; {} has more", format.name,
                                format.bits + format.low_zeros, text));
  }
  return bits;
}

}  // namespace

std::string ExactDecimal(const Exact& x) {
  if (x.cls == Class::kNan) return "nan";
  if (x.cls == Class::kInfinity) return fmt::format("{}inf", SignText(x));
  if (x.cls == Class::kZero) return fmt::format("{}0", SignText(x));
  mpz_class digits = static_cast<unsigned long>(x.significand);
  if (x.exponent >= 0) {
    digits <<= static_cast<unsigned long>(x.exponent);
    return fmt::format("{}{}", SignText(x), digits.get_str());
  }
  // m * 2^-k = m * 5^k * 10^-k
  const auto places = static_cast<unsigned long>(-x.exponent);
  digits *= Power(5, places);
  std::string text = digits.get_str();
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  text.insert(text.size() - places, 1, '.');
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return fmt::format("{}{}", SignText(x), text);
}

std::string HexFloat(const Exact& x) {
  if (x.cls == Class::kZero) return fmt::format("{}0x0p+0", SignText(x));
  if (x.cls != Class::kFinite) return ExactDecimal(x);
  const int top = static_cast<int>(std::bit_width(x.significand)) - 1;
  const std::uint64_t fraction = top == 0 ? 0 : x.significand << (64 - top);
  std::string digits = fmt::format("{:016x}", fraction);
  digits.erase(digits.find_last_not_of('0') + 1);
  return fmt::format("{}0x1{}{}p{:+}", SignText(x), digits.empty() ? "" : ".", digits,
                     top + x.exponent);
}

std::string ValueText(std::uint64_t word, const Format& format) {
  const Exact x = Decode(word, format);
  const std::string exact = ExactDecimal(x);
  if (exact.size() <= 16 || IsInteger(format)) return exact;
  mpf_class value(exact, 128);
  mp_exp_t exponent = 0;
  std::string digits = value.get_str(exponent, 10, 9);
  if (digits.starts_with('-')) digits.erase(0, 1);
  if (digits.size() > 1) digits.insert(1, 1, '.');
  return fmt::format("{}{}e{:+03} ({})", SignText(x), digits, exponent - 1, HexFloat(x));
}

std::string CodeText(std::uint64_t word, const Format& format) {
  const int bits = format.bits + format.low_zeros;
  return fmt::format("0x{:0{}x}", word & LowMask(bits), (bits + 3) / 4);
}

Result<std::uint64_t> ParseNumber(std::string_view text, const Format& format) {
  if (text.empty()) return BadInput("an empty value is not a number");
  if (text.starts_with("bits:")) return ParseBits(text.substr(5), format);
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const std::optional<mpq_class> magnitude = ParseRational(rest);
  if (!magnitude) {
    return BadInput(
        fmt::format("'{}' is not a number; write 1.75, 1e-3, 0x1.8p-3, 5/2 or bits:0x3f00", text));
  }
  const Exact x = ToSticky(*magnitude, negative);
  const CastResult r = CastExact(x, format, Rounding::kTiesToEven, {}, 0, format);
  if (r.outcome == Outcome::kOverflowed) {
    return BadInput(fmt::format("{} is outside the range of {}", text, format.name));
  }
  return r.bits;
}

}  // namespace exactcast
