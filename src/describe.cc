// SPDX-License-Identifier: Apache-2.0
//
// Facts about a format, derived from its row and never stored.
#include "exactcast/describe.h"

#include <fmt/format.h>

#include "exactcast/number_text.h"
#include "exactcast/spec/format_names.h"
#include "exactcast/spec/reference.h"

namespace exactcast {
namespace {

std::string Layout(const Format& f) {
  switch (f.kind) {
    case Kind::kBoolean:
      return "a byte: zero is false";
    case Kind::kSigned:
      return "two's complement";
    case Kind::kUnsigned:
      return "unsigned";
    case Kind::kTapered:
      return "s1 dot2..4 e0..4 m3..0";
    case Kind::kComplex:
      return fmt::format("real, imaginary: {}", GetFormat(f.part).name);
    case Kind::kFloat:
      break;
  }
  return fmt::format("{}e{} m{} bias {}", f.has_sign ? "s1 " : "", f.exponent_bits, f.mantissa_bits,
                     f.bias);
}

// 2^exponent as hexadecimal text.
std::string PowerText(int exponent) {
  return HexFloat({.cls = Class::kFinite, .exponent = exponent, .significand = 1});
}

std::string WithSigns(std::uint64_t magnitude, const Format& f) {
  const std::string positive = CodeText(InWord(magnitude, f), f);
  if (!f.has_sign) return positive;
  return fmt::format("{} {}", positive, CodeText(InWord(magnitude | SignBit(f), f), f));
}

std::string NanCodes(const Format& f) {
  if (f.kind == Kind::kTapered) return CodeText(hifloat8::kNan, f);
  switch (f.specials) {
    case Specials::kNone:
      return "";
    case Specials::kMinusZero:
      return CodeText(InWord(SignBit(f), f), f);
    case Specials::kAllOnes:
      return WithSigns(LowMask(f.exponent_bits + f.mantissa_bits), f);
    case Specials::kIeee:
      break;
  }
  const std::uint64_t first = (LowMask(f.exponent_bits) << f.mantissa_bits) + 1;
  const std::uint64_t last = LowMask(f.exponent_bits + f.mantissa_bits);
  const auto range = [&](std::uint64_t sign) {
    return fmt::format("{}..{}", CodeText(InWord(first | sign, f), f),
                       CodeText(InWord(last | sign, f), f));
  };
  return fmt::format("{} {}", range(0), range(SignBit(f)));
}

void DescribeInteger(const Format& f, FormatFacts& facts) {
  const std::uint64_t largest =
      f.kind == Kind::kBoolean ? 1 : LowMask(f.bits - (f.has_sign ? 1 : 0));
  facts.largest = ExactDecimal(Decode(largest, f));
  facts.least = ExactDecimal(Decode(f.has_sign ? SignBit(f) : 0, f));
}

void DescribeFloat(const Format& f, FormatFacts& facts) {
  facts.largest = ExactDecimal(Decode(MaxFinite(f, false), f));
  facts.least = HasZero(f) && !f.has_sign ? "0" : ExactDecimal(Decode(MaxFinite(f, true), f));
  if (!HasZero(f)) facts.least = ExactDecimal(Decode(0, f));
  const bool tapered = f.kind == Kind::kTapered;
  facts.least_normal = PowerText(tapered ? hifloat8::kMinNormal : MinExponent(f));
  if (HasZero(f)) {
    facts.least_subnormal =
        PowerText(tapered ? hifloat8::kMinExponent : MinExponent(f) - f.mantissa_bits);
  }
  if (HasInfinity(f)) {
    facts.infinity = fmt::format("{} {}", CodeText(InfinityCode(f, false), f),
                                 CodeText(InfinityCode(f, true), f));
  }
  facts.nan = NanCodes(f);
  facts.negative_zero = HasNegativeZero(f);
}

}  // namespace

FormatFacts Describe(const Format& format) {
  FormatFacts facts;
  facts.layout = Layout(format);
  const Format& part = GetFormat(format.part);
  if (IsFloat(part)) {
    DescribeFloat(part, facts);
  } else {
    DescribeInteger(part, facts);
  }
  for (const FormatSpelling& row : kFormatSpellings) {
    if (row.id == format.id) facts.spellings.push_back(row.spelling);
  }
  return facts;
}

std::string_view ClassName(std::uint64_t word, const Format& format) {
  const Exact x = Decode(word, format);
  switch (x.cls) {
    case Class::kZero:
      return "zero";
    case Class::kInfinity:
      return "inf";
    case Class::kNan:
      return "nan";
    case Class::kFinite:
      break;
  }
  if (!IsFloat(format) || !HasZero(format)) return "normal";
  const int least = format.kind == Kind::kTapered ? hifloat8::kMinNormal : MinExponent(format);
  return LeadingExponent(x) < least ? "subnormal" : "normal";
}

}  // namespace exactcast
