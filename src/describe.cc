// SPDX-License-Identifier: Apache-2.0
//
// Facts about formats and profiles, derived from their rows and never stored.
#include "exactcast/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/format_names.h"
#include "exactcast/spec/order.h"
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

struct Box {
  std::string_view letter;
  int bits;
};

// One box: every bit of a narrow field, the count of a wide one.
std::string BoxText(const Box& box) {
  constexpr int kWide = 11;
  if (box.bits > kWide) return fmt::format("{} x {}", box.letter, box.bits);
  std::string text;
  for (int i = 0; i < box.bits; ++i) text += fmt::format("{}{}", i == 0 ? "" : " ", box.letter);
  return text;
}

//   7   6..3      2..0
// +---+---------+-------+
// | s | e e e e | m m m |
// +---+---------+-------+
std::vector<std::string> DrawBoxes(const std::vector<Box>& boxes, int bits) {
  std::string numbers = " ";
  std::string rule = "+";
  std::string content = "|";
  int top = bits - 1;
  for (const Box& box : boxes) {
    const std::string range =
        box.bits == 1 ? fmt::format("{}", top) : fmt::format("{}..{}", top, top - box.bits + 1);
    const std::string text = BoxText(box);
    const std::size_t width = std::max(range.size(), text.size());
    numbers += fmt::format(" {:<{}}  ", range, width);
    rule += std::string(width + 2, '-') + "+";
    content += fmt::format(" {:<{}} |", text, width);
    top -= box.bits;
  }
  numbers.erase(numbers.find_last_not_of(' ') + 1);
  return {numbers, rule, content, rule};
}

std::vector<std::string> Draw(const Format& f) {
  switch (f.kind) {
    case Kind::kTapered:
      return {"s 0000 mmm     2^(mmm-23), mmm = 1..7; mmm = 0: zero, with the sign NaN",
              "s 0001 mmm     1.mmm",
              "s 001 e mmm    1.mmm * 2^E, E = +-1        e: the sign of E",
              "s 01 ee mmm    1.mmm * 2^E, E = +-2..3     e: the sign of E, then its magnitude",
              "s 10 eee mm    1.mm * 2^E,  E = +-4..7        without the leading one",
              "s 11 eeee m    1.m * 2^E,   E = +-8..15    1.1 * 2^15 is infinity"};
    case Kind::kComplex: {
      const int half = GetFormat(f.part).bits;
      return DrawBoxes({{"imaginary", half}, {"real", half}}, f.bits);
    }
    case Kind::kBoolean:
    case Kind::kUnsigned:
      return DrawBoxes({{"i", f.bits}}, f.bits);
    case Kind::kSigned:
      return f.bits == 1 ? DrawBoxes({{"s", 1}}, 1)
                         : DrawBoxes({{"s", 1}, {"i", f.bits - 1}}, f.bits);
    case Kind::kFloat:
      break;
  }
  std::vector<Box> boxes;
  if (f.has_sign) boxes.push_back({"s", 1});
  boxes.push_back({"e", f.exponent_bits});
  if (f.mantissa_bits > 0) boxes.push_back({"m", f.mantissa_bits});
  if (f.low_zeros > 0) boxes.push_back({"0", f.low_zeros});
  return DrawBoxes(boxes, f.bits + f.low_zeros);
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
  facts.largest_hexfloat = HexFloat(Decode(largest, f));
  facts.least = ExactDecimal(Decode(f.has_sign ? SignBit(f) : 0, f));
}

void DescribeFloat(const Format& f, FormatFacts& facts) {
  facts.largest = ExactDecimal(Decode(MaxFinite(f, false), f));
  facts.largest_hexfloat = HexFloat(Decode(MaxFinite(f, false), f));
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

// ---- profiles -----------------------------------------------------------------------------------

std::vector<std::string_view> ModeNames(const CastRow& row) {
  std::vector<std::string_view> names;
  if (IsScaled(row.operation)) return names;
  names.push_back(Name(row.default_mode));
  for (const RoundingRow& mode : kRoundings) {
    if (row.modes.Contains(mode.rounding) && mode.rounding != row.default_mode) {
      names.push_back(mode.name);
    }
  }
  return names;
}

std::vector<std::string_view> FormNames(const CastRow& row) {
  const bool to_float = IsFloat(GetFormat(GetFormat(row.to).part));
  const std::string_view other = Name(to_float ? Overflow::kIeee : Overflow::kWrap);
  std::vector<std::string_view> names;
  if (row.saturates_by_default && row.saturating) names.push_back("saturate");
  if (row.not_saturating) names.push_back(other);
  if (!row.saturates_by_default && row.saturating) names.push_back("saturate");
  return names;
}

std::string_view Note(const CastRow& row) {
  switch (row.operation) {
    case Operation::kConvert:
      return row.none_means == Rounding::kTowardZero ? "drops sign and fraction" : "";
    case Operation::kRoundToIntegral:
      return "to an integral value";
    case Operation::kScaleToFloat16:
      return "with --deqscale S";
    case Operation::kScaleToInt8:
      return "with --deqscale S --offset N";
  }
  return "";
}

std::vector<std::string_view> FreedomNames(Freedoms freedoms) {
  constexpr std::array<std::pair<Freedom, std::string_view>, 6> kNames = {
      {{Freedom::kTie, "tie"},
       {Freedom::kTowardZero, "toward zero"},
       {Freedom::kFlushInput, "flush input"},
       {Freedom::kFlushResult, "flush result"},
       {Freedom::kNanPattern, "NaN pattern"},
       {Freedom::kUnpredictable, "NaN unpredictable"}}};
  std::vector<std::string_view> names;
  for (const auto& [freedom, name] : kNames) {
    if (freedoms.Contains(freedom)) names.push_back(name);
  }
  return names;
}

}  // namespace

FormatFacts Describe(const Format& format) {
  FormatFacts facts;
  facts.layout = Layout(format);
  facts.drawing = Draw(format);
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

NeighbourCodes NeighboursOf(std::uint64_t code, const Format& format) {
  if (Decode(code, format).cls == Class::kNan) return {};
  const Rank rank = RankOf(code, format);
  const auto text = [&](const Rank& r) { return CodeText(WordOf(r, format), format); };
  const bool at_zero = rank.magnitude == 0;
  NeighbourCodes codes;
  // A step towards zero stays on its side; from zero a step down is to the least negative value.
  const std::string outward = rank.magnitude < LargestRank(format, rank.negative && !at_zero)
                                  ? text({rank.negative && !at_zero, rank.magnitude + 1})
                                  : "";
  const std::string inward = !at_zero ? text({rank.negative, rank.magnitude - 1})
                             : LargestRank(format, true) > 0 ? text({true, 1})
                                                             : "";
  const bool swap = rank.negative && !at_zero;
  return swap ? NeighbourCodes{outward, inward} : NeighbourCodes{inward, outward};
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

std::vector<PairFacts> DescribePairs(const Profile& profile) {
  std::vector<PairFacts> pairs;
  for (const PairRow& pair : profile.pairs) {
    const CastRow row = *FindCast(profile, pair.from, pair.to, IsScaled(pair.operation));
    pairs.push_back({row, ModeNames(row), FormNames(row), Note(row), FreedomNames(row.freedoms)});
  }
  return pairs;
}

std::ptrdiff_t CountPairs(const Profile& profile) {
  return std::count_if(profile.pairs.begin(), profile.pairs.end(),
                       [](const PairRow& row) { return row.operation != Operation::kScaleToInt8; });
}

}  // namespace exactcast
