// SPDX-License-Identifier: Apache-2.0
//
// Explanations: the reference's own steps, taken one by one and put into words.
#include "exactcast/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/order.h"
#include "exactcast/spec/scaled.h"
#include "src/plan_state.h"
#include "src/rational.h"

namespace exactcast {
namespace {

std::string Bits(std::uint64_t word, int count) {
  return count == 0 ? "" : fmt::format("{:0{}b}", word & LowMask(count), count);
}

bool IsNumber(const Exact& x) { return x.cls == Class::kZero || x.cls == Class::kFinite; }

std::string_view Article(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNone:
    case Rounding::kTiesToEven:
      return "to the nearest value, a tie to the even code";
    case Rounding::kTowardNegative:
      return "toward negative infinity";
    case Rounding::kTowardPositive:
      return "toward positive infinity";
    case Rounding::kTiesToAway:
      return "to the nearest value, a tie away from zero";
    case Rounding::kTowardZero:
      return "toward zero";
    case Rounding::kToOdd:
      return "an inexact value to the neighbour with the odd code";
    case Rounding::kHybrid:
      break;  // ExplainHybrid
  }
  return "";
}

// ---- the rounding -------------------------------------------------------------------------------

class Explainer {
 public:
  Explainer(const PlanState& state, std::uint64_t word)
      : p_(state.params),
        x_(Decode(word, *p_.source)),
        word_(word),
        to_(*p_.target),
        unpredictable_nan_(state.unpredictable_nan) {
    e_.from = state.from;
    e_.to = state.to;
    e_.profile = state.profile->name;
    e_.rounding = state.rounding;
    e_.overflow = state.overflow;
    e_.source = DescribeElement(word, *p_.source);
  }

  Explanation Run() {
    const CastResult r = CastElement(p_, word_, 0);
    e_.result = DescribeElement(r.bits, to_);
    e_.outcome = r.outcome;
    switch (p_.operation) {
      case Operation::kScaleToFloat16:
        ExplainScaleToFloat16();
        break;
      case Operation::kScaleToInt8:
        ExplainScaleToInt8();
        break;
      case Operation::kRoundToIntegral:
        Say("float32 to float32 rounds to an integral value of the same format");
        ExplainCast(GetFormat(FormatId::kInt64), r);
        break;
      case Operation::kConvert:
        ExplainConvert(r);
        break;
    }
    AddError(r);
    return std::move(e_);
  }

 private:
  void Say(std::string sentence) { e_.reasons.push_back(std::move(sentence)); }

  void ExplainConvert(const CastResult& r) {
    if (p_.source->id == to_.id) return Say("a format to itself is a copy, bit for bit");
    if (p_.rules.subnormal_inputs == SubnormalRule::kFlush && IsSubnormal(x_, *p_.source)) {
      return Say(fmt::format("{} permits a subnormal {} to be taken for zero: it is flushed",
                             e_.profile, p_.source->name));
    }
    if (to_.kind == Kind::kBoolean) {
      return Say(x_.cls == Class::kNan ? fmt::format("NaN is {}: NaN is not zero",
                                                     r.bits != 0 ? "true" : "made zero, false")
                                       : "bool: zero is false, everything else is true");
    }
    ExplainCast(to_, r);
  }

  // `last_place_of` says where rounding happens.
  void ExplainCast(const Format& last_place_of, const CastResult& r) {
    switch (x_.cls) {
      case Class::kNan:
        return ExplainNan();
      case Class::kInfinity:
        return ExplainInfinity();
      case Class::kZero:
        return ExplainZero(r);
      case Class::kFinite:
        break;
    }
    if (x_.negative && IsFloat(to_) && !to_.has_sign) return ExplainNegative();
    const Rounded rounded = ExplainRounding(last_place_of);
    if (p_.operation == Operation::kRoundToIntegral && !e_.discarded.empty()) {
      AddIntegers(SplitAt(x_.significand, -x_.exponent).kept);
    } else {
      AddNeighbours();
    }
    if (r.outcome == Outcome::kOverflowed) ExplainOverflow(rounded);
    if (p_.rules.subnormal_results == SubnormalRule::kFlush && IsSubnormal(x_, to_) &&
        Decode(r.bits, to_).cls == Class::kZero) {
      return Say(fmt::format("{} permits a subnormal {} to become zero: it is flushed", e_.profile,
                             to_.name));
    }
    if (r.outcome == Outcome::kUnderflowed) {
      Say(fmt::format(
          "the result is {}: it underflowed",
          e_.result.decimal == "0" || e_.result.decimal == "-0" ? "zero" : "subnormal"));
    }
    if (!HasZero(to_) && LeadingExponent(x_) < MinExponent(to_)) {
      Say(fmt::format("{} has no zero and nothing below {}: its least value stands", to_.name,
                      HexFloat(Decode(0, to_))));
    }
  }

  Rounded ExplainRounding(const Format& last_place_of) {
    const int place = LastPlace(LeadingExponent(x_), last_place_of);
    const int shift = place - x_.exponent;
    e_.is_rounded = true;
    e_.place = place;
    const Rounded rounded = RoundTo(x_, place, last_place_of, p_.rounding, word_, *p_.source);
    if (shift <= 0) {
      e_.kept =
          fmt::format("{:b}", x_.significand) + std::string(static_cast<std::size_t>(-shift), '0');
      Say("every bit is kept: nothing to round");
      return rounded;
    }
    const Split split = SplitAt(x_.significand, shift);
    e_.kept = fmt::format("{:b}", split.kept);
    const int width = static_cast<int>(std::bit_width(x_.significand));
    e_.discarded = shift > width ? std::string(static_cast<std::size_t>(shift - width), '0') +
                                       fmt::format("{:b}", x_.significand)
                                 : Bits(x_.significand, shift);
    e_.tie = split.discarded == Discarded::kHalf;
    ExplainChoice(split, place, rounded, last_place_of);
    return rounded;
  }

  void ExplainChoice(const Split& split, int place, const Rounded& rounded,
                     const Format& last_place_of) {
    constexpr std::array<std::string_view, 4> kParts = {"zero", "less than half", "exactly half",
                                                        "more than half"};
    const std::string_view part = kParts[static_cast<std::size_t>(split.discarded)];
    const bool away = rounded.significand != split.kept;
    Say(fmt::format("the discarded part is {}{}", part,
                    e_.tie
                        ? fmt::format(" (a tie), and the kept code is {}",
                                      CodeIsOdd(split.kept, place, last_place_of) ? "odd" : "even")
                        : ""));
    if (split.discarded == Discarded::kZero && !away) return Say("nothing to round");
    const std::string_view ends = away ? "goes up" : "stays";
    if (p_.rounding == Rounding::kHybrid) return ExplainHybrid(split, ends);
    Say(fmt::format("{} rounds {}: the magnitude {}", Name(e_.rounding), Article(p_.rounding),
                    ends));
  }

  void ExplainHybrid(const Split& split, std::string_view ends) {
    const hifloat8::HybridChoice choice = HybridChoiceOf(x_, word_, *p_.source);
    if (!choice.by_threshold) {
      return Say(LeadingExponent(x_) < hifloat8::kMinExponent - 1
                     ? "hybrid: below 2^-23 everything becomes zero"
                     : fmt::format("hybrid is round from 2^-3 up to 2^4, a tie away from zero: the "
                                   "magnitude {}",
                                   ends));
    }
    Say(fmt::format(
        "hybrid: the {} bits below the kept ones are {}, the threshold from the source's low "
        "bits is {}; {}: the magnitude {}",
        choice.length, Bits(choice.number, choice.length), Bits(choice.threshold, choice.length),
        choice.up ? "reached" : "not reached", ends));
    if (split.discarded == Discarded::kZero) {
      Say("the literal rule moves this value although nothing was discarded");
    }
  }

  // ---- what does not fit ------------------------------------------------------------------------

  void ExplainNan() {
    if (unpredictable_nan_) {
      return Say(fmt::format("{} leaves a NaN to an integer unpredictable: {} is written",
                             e_.profile, e_.result.decimal));
    }
    if (!IsFloat(to_)) return Say(fmt::format("{} has no NaN: +0", to_.name));
    if (p_.rules.nan == NanRule::kZero) {
      return Say(e_.profile == "exact" ? "NaN becomes +0, as asked for"
                                       : fmt::format("{} saturates: NaN becomes +0", e_.profile));
    }
    if (!HasNan(to_)) return Say(fmt::format("{} has no NaN: +0", to_.name));
    Say("NaN stays NaN: quiet, with the sign and top payload bits that the target has room for");
  }

  void ExplainInfinity() {
    if (IsInteger(to_)) return Say("infinity goes to the end of the integer's range");
    if (x_.negative && !to_.has_sign) return ExplainNegative();
    if (p_.rules.infinity == InfinityRule::kSaturate) {
      return Say(
          fmt::format("{} saturates: infinity becomes the largest finite value", e_.profile));
    }
    SayInfinityOf("infinity stays infinity");
  }

  // What stands for an infinity in the target.
  void SayInfinityOf(std::string_view with_infinity) {
    if (HasInfinity(to_)) return Say(std::string(with_infinity));
    Say(HasNan(to_)
            ? fmt::format("{} has no infinity: NaN stands for it", to_.name)
            : fmt::format("{} has neither infinity nor NaN: the largest finite value", to_.name));
  }

  void ExplainZero(const CastResult& r) {
    if (!HasZero(to_)) return Say(fmt::format("{} has no zero: its least value stands", to_.name));
    const bool lost = x_.negative && r.bits == 0;
    Say(lost ? fmt::format("{} has no -0: +0", to_.name) : "zero stays zero");
  }

  void ExplainNegative() {
    switch (p_.rules.negative) {
      case NegativeRule::kNan:
        return Say(fmt::format("{} has no sign: a negative value gives NaN", to_.name));
      case NegativeRule::kLowest:
        return Say(fmt::format("{} has no sign: saturation gives its least value", to_.name));
      case NegativeRule::kDropSign:
        return Say(
            fmt::format("{} has no sign: {} drops it, and the fraction", to_.name, e_.profile));
    }
  }

  void ExplainOverflow(Rounded rounded) {
    if (p_.rules.overflow == OverflowRule::kNearestInfinity) {
      rounded = RoundTo(x_, e_.place, to_, Rounding::kTiesToEven, word_, *p_.source);
      if (p_.rounding != Rounding::kTiesToEven) {
        Say(fmt::format("whether it fits {} is asked of rounding to nearest in every mode",
                        to_.name));
      }
    }
    const Exact unbounded = {.cls = Class::kFinite,
                             .negative = x_.negative,
                             .exponent = rounded.exponent,
                             .significand = rounded.significand};
    const Rank end = {x_.negative, LargestRank(to_, x_.negative) - (HasInfinity(to_) ? 1 : 0)};
    Say(fmt::format("rounded with an unbounded exponent it is {}, beyond {}: it does not fit",
                    ShortText(ToRational(unbounded)), ValueText(WordOf(end, to_), to_)));
    switch (p_.rules.overflow) {
      case OverflowRule::kSaturate:
        return Say(fmt::format("{} saturates: the end of the range", e_.profile));
      case OverflowRule::kWrap:
        return Say(fmt::format("wrap keeps the low {} bits of the rounded integer", to_.bits));
      case OverflowRule::kNearestInfinity:
      case OverflowRule::kInfinity:
        return SayInfinityOf(
            fmt::format("{} does not saturate here: infinity, in every mode", e_.profile));
      case OverflowRule::kIeee:
        break;
    }
    const bool ieee = p_.rounding != Rounding::kToOdd && p_.rounding != Rounding::kHybrid;
    const std::string rule = ieee ? "IEEE 754 7.4" : fmt::format("profile {}", e_.profile);
    if (IsNumber(Decode(e_.result.word, to_)) && HasNan(to_)) {
      return Say(fmt::format("{}: {} stops at the largest finite value on this side", rule,
                             Name(e_.rounding)));
    }
    SayInfinityOf(
        fmt::format("{}: {} overflows to infinity on this side", rule, Name(e_.rounding)));
  }

  // ---- scaled casts -----------------------------------------------------------------------------

  void AddStep(std::string what, const Exact& value, bool rounded, bool saturated = false) {
    e_.steps.push_back({std::move(what), ExactDecimal(value), rounded && !saturated, saturated});
  }

  void ExplainScaleToFloat16() {
    Say("SetDeqScale: every step is rounded to nearest even, in float32 and then to float16");
    const Exact scale = Decode(p_.scales[0], GetFormat(FormatId::kFloat16));
    constexpr Exact kDown = {.cls = Class::kFinite, .exponent = -17, .significand = 1};
    constexpr Exact kUp = {.cls = Class::kFinite, .exponent = 17, .significand = 1};
    Float32Step t = RoundToFloat32(x_);
    AddStep("t = float32(x)", t.value, t.inexact);
    for (const auto& [what, factor] :
         {std::pair<std::string, Exact>{"t = t * 2^-17", kDown},
          {fmt::format("t = t * {}", ValueText(p_.scales[0], GetFormat(FormatId::kFloat16))),
           scale},
          {"t = t * 2^17", kUp}}) {
      t = RoundToFloat32(Product(t.value, factor));
      AddStep(what, t.value, t.inexact);
    }
    AddStep("float16(t)", Decode(e_.result.word, to_),
            !(ToRational(t.value) == Value(e_.result.word)), e_.outcome == Outcome::kOverflowed);
  }

  void ExplainScaleToInt8() {
    Say("CastDequant: float32 product, rint to int16, clamp to -256..255, offset, saturate");
    const Format& f32 = GetFormat(FormatId::kFloat32);
    const std::uint64_t scale = CutScale(p_.scales[0]);
    AddStep("scale, cut to 10 fraction bits", Decode(scale, f32), scale != p_.scales[0]);
    const Float32Step t = RoundToFloat32(Product(x_, Decode(scale, f32)));
    AddStep("t = float32(x) * scale", t.value, t.inexact);
    const CastResult integer =
        CastExact(t.value, GetFormat(FormatId::kInt16), Rounding::kTiesToEven,
                  {.overflow = OverflowRule::kSaturate}, 0, f32);
    AddStep("rint(t), saturated to int16", Decode(integer.bits, GetFormat(FormatId::kInt16)),
            integer.outcome != Outcome::kExact, integer.outcome == Outcome::kOverflowed);
    const auto wide = static_cast<std::int16_t>(integer.bits);
    const int clamped = std::clamp<int>(wide, -256, 255);
    AddInteger("clamped to -256..255", clamped, clamped != wide);
    const int sum = clamped + p_.offsets[0];
    AddInteger(fmt::format("t + {}", p_.offsets[0]), sum, false);
    const Exact result = Decode(e_.result.word, to_);
    AddStep(fmt::format("{}(t)", to_.name), result, false, ToRational(result) != sum);
  }

  void AddInteger(std::string what, int value, bool saturated) {
    const auto word = static_cast<std::uint64_t>(std::int64_t{value});
    AddStep(std::move(what), Decode(word, GetFormat(FormatId::kInt64)), false, saturated);
  }

  // ---- neighbours and errors --------------------------------------------------------------------

  // An infinite element has no value.
  [[nodiscard]] std::optional<mpq_class> Value(std::uint64_t word) const {
    const Exact x = Decode(word, to_);
    return IsNumber(x) ? std::optional(ToRational(x)) : std::nullopt;
  }

  [[nodiscard]] Neighbour MakeNeighbour(std::uint64_t word) const {
    Neighbour neighbour{DescribeElement(word, to_), ""};
    const std::optional<mpq_class> value = Value(neighbour.element.word);
    if (value) neighbour.distance = DecimalText(abs(*value - ToRational(x_)));
    return neighbour;
  }

  void SetNeighbours(const std::optional<Neighbour>& inner, const std::optional<Neighbour>& outer) {
    e_.below = x_.negative ? outer : inner;
    e_.above = x_.negative ? inner : outer;
  }

  // The integers on either side, as values of the same float format.
  void AddIntegers(std::uint64_t kept) {
    const auto integer = [&](std::uint64_t magnitude) {
      const std::uint64_t sign = x_.negative ? SignBit(to_) : 0;
      return MakeNeighbour(InWord(EncodeMagnitude({.significand = magnitude}, to_) | sign, to_));
    };
    SetNeighbours(integer(kept),
                  integer(kept + (e_.discarded.find('1') == std::string::npos ? 0 : 1)));
  }

  // The last value of the target towards zero, by bisection over ranks, and the one after it.
  void AddNeighbours() {
    const mpq_class magnitude = abs(ToRational(x_));
    std::uint64_t low = 0;
    std::uint64_t high = LargestRank(to_, x_.negative);
    const Neighbour at_zero = MakeNeighbour(WordOf({x_.negative, 0}, to_));
    if (high == 0) return SetNeighbours(at_zero, std::nullopt);  // negative, without a sign
    while (low < high) {
      const std::uint64_t middle = high - (high - low) / 2;
      const std::optional<mpq_class> value = Value(WordOf({x_.negative, middle}, to_));
      if (value && abs(*value) <= magnitude) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    const std::optional<mpq_class> nearest = Value(WordOf({x_.negative, low}, to_));
    if (abs(*nearest) > magnitude) return SetNeighbours(std::nullopt, at_zero);  // no zero below it
    const Neighbour inner = MakeNeighbour(WordOf({x_.negative, low}, to_));
    if (abs(*nearest) == magnitude) return SetNeighbours(inner, inner);
    if (low == LargestRank(to_, x_.negative)) return SetNeighbours(inner, std::nullopt);
    SetNeighbours(inner, MakeNeighbour(WordOf({x_.negative, low + 1}, to_)));
  }

  void AddError(const CastResult& r) {
    const std::optional<mpq_class> result = Value(r.bits);
    if (!result || !IsNumber(x_) || to_.kind == Kind::kBoolean || !e_.steps.empty()) return;
    const mpq_class error = *result - ToRational(x_);
    e_.error = DecimalText(error);
    if (e_.is_rounded && e_.outcome != Outcome::kOverflowed)
      e_.ulp_error = DecimalText(abs(error) / PowerOfTwo(e_.place));
  }

  const Params& p_;
  const Exact x_;
  const std::uint64_t word_;
  const Format& to_;
  const bool unpredictable_nan_;
  Explanation e_;
};

}  // namespace

Result<Explanation> Explain(const CastRequest& request, std::uint64_t word) {
  for (FormatId id : {request.from, request.to}) {
    const Format& f = GetFormat(id);
    if (f.kind != Kind::kComplex) continue;
    return UsageError(fmt::format("{} is two parts, each cast on its own: explain {}", f.name,
                                  GetFormat(f.part).name));
  }
  const Result<Plan> plan = MakePlan(request);
  if (!plan.ok()) return plan.status();
  const bool refuses = request.nan_to_integer && request.nan_to_integer->refuse;
  if (refuses && PlanAccess::State(*plan).unpredictable_nan &&
      Decode(word, plan->from()).cls == Class::kNan) {
    return BadInput(
        fmt::format("a NaN is unpredictable as {} in {}; --nan-to-int zero, min or max "
                    "chooses a result",
                    plan->to().name, plan->profile()));
  }
  return Explainer(PlanAccess::State(*plan), word).Run();
}

}  // namespace exactcast
