// SPDX-License-Identifier: Apache-2.0
//
// Exact fractions to and from text.
#include "src/rational.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace exactcast {
namespace {

// Exponents beyond this are out of every format's range, and their powers would fill the memory.
constexpr long kExponentLimit = 100'000;

// Text up to this length is shown whole.
constexpr std::size_t kFewDigits = 24;

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
  if (error == std::errc::result_out_of_range) {
    return text.front() == '-' ? -kExponentLimit : kExponentLimit;
  }
  if (error != std::errc{}) return std::nullopt;
  return std::clamp(value, -kExponentLimit, kExponentLimit);
}

struct Digits {
  mpz_class value;
  unsigned long after_point = 0;
};

std::optional<Digits> ParseDigits(std::string_view text, int base) {
  Digits digits;
  bool point = false;
  bool any = false;
  for (char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    const int digit = DigitValue(c);
    if (digit >= base) return std::nullopt;
    digits.value = digits.value * base + digit;
    digits.after_point += point ? 1 : 0;
    any = true;
  }
  if (!any) return std::nullopt;
  return digits;
}

// Digits with an optional point and exponent: base 10 with e, base 16 with p (a power of two).
std::optional<mpq_class> ParsePositional(std::string_view text, bool* clamped) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  const std::size_t mark = text.find_first_of(hex ? "pP" : "eE");
  const std::optional<Digits> digits = ParseDigits(text.substr(0, mark), hex ? 16 : 10);
  const std::optional<long> exponent =
      mark == std::string_view::npos ? 0 : ParseExponent(text.substr(mark + 1));
  if (!digits || !exponent) return std::nullopt;
  if (clamped != nullptr && std::abs(*exponent) == kExponentLimit) *clamped = true;
  mpq_class value(digits->value, Power(hex ? 16 : 10, digits->after_point));
  value.canonicalize();
  const mpz_class scale = Power(hex ? 2 : 10, static_cast<unsigned long>(std::abs(*exponent)));
  if (*exponent < 0) return value / scale;
  return value * scale;
}

}  // namespace

mpq_class PowerOfTwo(long exponent) {
  const mpz_class power = Power(2, static_cast<unsigned long>(std::abs(exponent)));
  return exponent < 0 ? mpq_class(1, power) : mpq_class(power);
}

mpq_class ToRational(const Exact& x) {
  const mpq_class magnitude =
      mpq_class(static_cast<unsigned long>(x.significand)) * PowerOfTwo(x.exponent);
  return x.negative ? -magnitude : magnitude;
}

std::optional<mpq_class> ParseRational(std::string_view text, bool* clamped) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t slash = text.find('/');
  std::optional<mpq_class> value = ParsePositional(text.substr(0, slash), clamped);
  if (value && slash != std::string_view::npos) {
    const std::optional<mpq_class> denominator = ParsePositional(text.substr(slash + 1), clamped);
    if (!denominator || *denominator == 0) return std::nullopt;
    *value /= *denominator;
  }
  if (value && negative) *value = -*value;
  return value;
}

std::string DecimalText(const mpq_class& x) {
  mpz_class rest = x.get_den();
  const std::size_t twos = mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), mpz_class(2).get_mpz_t());
  const std::size_t fives =
      mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), mpz_class(5).get_mpz_t());
  const std::size_t places = std::max(twos, fives);
  const mpz_class digits = abs(x.get_num()) * Power(10, places) / x.get_den();
  std::string text = digits.get_str();
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  if (places > 0) text.insert(text.size() - places, 1, '.');
  return fmt::format("{}{}", x < 0 ? "-" : "", text);
}

std::string ShortText(const mpq_class& x) {
  mpz_class rest = x.get_den();
  mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), mpz_class(2).get_mpz_t());
  mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), mpz_class(5).get_mpz_t());
  if (rest == 1) {
    const std::string all = DecimalText(x);
    if (all.size() <= kFewDigits) return all;
  }
  mp_exp_t exponent = 0;
  std::string digits = mpf_class(abs(x), 256).get_str(exponent, 10, 9);
  if (digits.size() > 1) digits.insert(1, 1, '.');
  return fmt::format("{}{}e{:+03}", x < 0 ? "-" : "", digits, exponent - 1);
}

}  // namespace exactcast
