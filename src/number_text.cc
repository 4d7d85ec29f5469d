// SPDX-License-Identifier: Apache-2.0
//
// Elements to and from text. The fractions behind them are rational.h's.
#include "exactcast/number_text.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "exactcast/spec/format_names.h"
#include "exactcast/spec/reference.h"
#include "src/rational.h"

namespace exactcast {
namespace {

std::string_view SignText(const Exact& x) { return x.negative ? "-" : ""; }

// The magnitude cut to 64 bits, the last of them set when anything was cut: enough for one right
// rounding to a float format, and exact for integers of 64 bits.
Exact ToSticky(const mpq_class& x, bool negative) {
  if (x == 0) return {.cls = Class::kZero, .negative = negative};
  mpz_class numerator = abs(x.get_num());
  mpz_class denominator = x.get_den();
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

Result<ParsedNumber> ParseBits(std::string_view text, const Format& format) {
  const bool binary = text.starts_with("0b") || text.starts_with("0B");
  const bool prefix = binary || text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = text.substr(prefix ? 2 : 0);
  std::uint64_t bits = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), bits, binary ? 2 : 16);
  if (digits.empty() || end != digits.data() + digits.size()) {
    return BadInput(
        fmt::format("'{}' is not a bit pattern; write bits:0x3f00 or bits:0b101", text));
  }
  if (error != std::errc{} || bits > LowMask(format.bits + format.low_zeros)) {
    return BadInput(fmt::format("{} has {} bits; {} has more", format.name,
                                format.bits + format.low_zeros, text));
  }
  return ParsedNumber{bits, ""};
}

// inf, infinity and nan with an optional sign; nothing for any other text.
std::optional<Result<ParsedNumber>> ParseSpecial(std::string_view text, const Format& format) {
  const bool negative = text.starts_with('-');
  const std::string_view word = text.substr(negative || text.starts_with('+') ? 1 : 0);
  const bool nan = EqualsIgnoringCase(word, "nan");
  if (!nan && !EqualsIgnoringCase(word, "inf") && !EqualsIgnoringCase(word, "infinity")) {
    return std::nullopt;
  }
  if (nan ? !HasNan(format) : !HasInfinity(format)) {
    return BadInput(fmt::format("{} has no {}", format.name, nan ? "NaN" : "infinity"));
  }
  const Exact special = {.cls = Class::kNan, .negative = negative};
  return ParsedNumber{nan ? NanCode(format, special) : InfinityCode(format, negative), ""};
}

}  // namespace

std::string ExactDecimal(const Exact& x) {
  if (x.cls == Class::kNan) return "nan";
  if (x.cls == Class::kInfinity) return fmt::format("{}inf", SignText(x));
  if (x.cls == Class::kZero) return fmt::format("{}0", SignText(x));
  return DecimalText(ToRational(x));
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
  return fmt::format("{} ({})", ShortText(ToRational(x)), HexFloat(x));
}

std::string CodeText(std::uint64_t word, const Format& format) {
  const int bits = format.bits + format.low_zeros;
  return fmt::format("0x{:0{}x}", word & LowMask(bits), (bits + 3) / 4);
}

Result<ParsedNumber> ParseNumber(std::string_view text, const Format& format) {
  if (text.empty()) return BadInput("an empty value is not a number");
  if (text.starts_with("bits:")) return ParseBits(text.substr(5), format);
  if (std::optional<Result<ParsedNumber>> special = ParseSpecial(text, format)) return *special;
  bool clamped = false;
  const std::optional<mpq_class> typed = ParseRational(text, &clamped);
  if (!typed) {
    return BadInput(fmt::format(
        "'{}' is not a number; write 1.75, 1e-3, 0x1.8p-3, 5/2, bits:0x3f00, inf or nan", text));
  }
  if (IsInteger(format) && typed->get_den() != 1) {
    return BadInput(fmt::format("{} is not an integer, as {} needs it", text, format.name));
  }
  const Exact x = ToSticky(*typed, text.starts_with('-'));
  const CastResult r = CastExact(x, format, Rounding::kTiesToEven, {}, 0, format);
  const bool below =
      !HasZero(format) && (x.cls == Class::kZero || LeadingExponent(x) < MinExponent(format));
  const bool no_truth = format.kind == Kind::kBoolean && r.outcome != Outcome::kExact;
  if (r.outcome == Outcome::kOverflowed || below || no_truth) {
    return BadInput(fmt::format("{} is outside the range of {}", text, format.name));
  }
  const Exact held = Decode(r.bits, format);
  if (clamped && *typed != 0) return ParsedNumber{r.bits, "less than 1e-99999"};
  const mpq_class off = ToRational(held) - *typed;
  return ParsedNumber{r.bits, off == 0 ? "" : ShortText(off)};
}

}  // namespace exactcast
