// SPDX-License-Identifier: Apache-2.0
//
// Boiling a target, a mode and rules down to constants. What the constants mean is encoding.h; that
// they mean the same as spec/reference.h is kernel_proof_test's matter.
#include "src/kernels/encoding.h"

#include <bit>

#include "exactcast/spec/codec.h"
#include "exactcast/spec/hifloat8.h"
#include "exactcast/spec/reference.h"

namespace exactcast {
namespace {

// The bits of 2^e, e within the normal range.
constexpr std::uint64_t Float32Power(int e) { return static_cast<std::uint64_t>(e + 127) << 23; }
constexpr std::uint64_t Float64Power(int e) { return static_cast<std::uint64_t>(e + 1023) << 52; }

EncodeStep StepFor(const Format& source, const Format& target, Operation operation) {
  if (operation == Operation::kRoundToIntegral) return EncodeStep::kIntegral;
  if (source.id == target.id) return EncodeStep::kSame;
  if (target.kind == Kind::kBoolean) return EncodeStep::kBoolean;
  if (target.kind == Kind::kTapered) return EncodeStep::kTapered;
  if (IsInteger(target)) return EncodeStep::kInteger;
  // The lane's own format, and no wider source: nothing to round.
  const bool wider =
      target.id == FormatId::kFloat64 || (target.id == FormatId::kFloat32 && source.bits <= 19);
  return wider && source.bits < target.bits ? EncodeStep::kSame : EncodeStep::kFloat;
}

void SetNan(const Format& source, const Format& target, const Rules& rules, Encoding* e) {
  if (source.id == target.id) {  // a copy
    e->nan_sign = SignBit(target);
    e->nan = LowMask(target.exponent_bits) << target.mantissa_bits;
    e->nan_payload = LowMask(target.mantissa_bits);
    return;
  }
  if (IsInteger(target) || target.kind == Kind::kBoolean) {
    e->nan = CastExact({.cls = Class::kNan}, target, Rounding::kTiesToEven, rules, 0, source).bits;
    return;
  }
  if (rules.nan == NanRule::kZero) return;
  const Exact plus = {.cls = Class::kNan};
  const Exact minus = {.cls = Class::kNan, .negative = true};
  e->nan = NanCode(target, plus) >> target.low_zeros;
  e->nan_sign = (NanCode(target, minus) >> target.low_zeros) & ~e->nan;
  const auto has_payload_field = [](const Format& f) {
    return f.kind == Kind::kFloat && f.specials == Specials::kIeee;
  };
  const bool has_payload = has_payload_field(source) && has_payload_field(target);
  e->nan_payload = has_payload ? LowMask(target.mantissa_bits) : 0;
}

// The least magnitude that rounding to nearest even takes beyond the largest finite value: half a
// unit above it, where the tie goes to an even code that is beyond; else just above that.
void SetLeastBeyond(const Format& f, Encoding* e) {
  const int m = f.mantissa_bits;
  const std::uint64_t max = MaxFiniteMagnitude(f);
  const int exponent = static_cast<int>(max >> m) - f.bias;
  const std::uint64_t half_up = (max & LowMask(m)) << 1 | 1;  // m + 1 fraction bits
  const std::uint64_t above = (max & 1) != 0 ? 0 : 1;
  e->judges_nearest = true;
  e->least_beyond32 = m + 1 <= 23 ? (Float32Power(exponent) | half_up << (23 - m - 1)) + above : 0;
  e->least_beyond64 = (Float64Power(exponent) | half_up << (52 - m - 1)) + above;
}

void SetFloat(const Format& f, Rounding rounding, const Rules& rules, Encoding* e) {
  e->mantissa_bits = f.mantissa_bits;
  e->min_exponent = f.kind == Kind::kFloat ? MinExponent(f) : hifloat8::kMinExponent;
  const bool tapered = f.kind == Kind::kTapered;
  e->zero_gap = HasZero(f) ? 0 : std::uint64_t{1} << f.mantissa_bits;
  e->tiny = tapered ? 8 : HasZero(f) ? std::uint64_t{1} << f.mantissa_bits : 0;
  e->max_code = MaxFiniteMagnitude(f);
  e->has_sign = f.has_sign;
  e->has_negative_zero = HasNegativeZero(f);
  for (std::size_t sign : {0u, 1u}) {
    e->overflow[sign] = OverflowToFloat(sign != 0, f, rounding, rules.overflow) >> f.low_zeros;
    e->infinity[sign] = CastInfinity(sign != 0, f, rules).bits >> f.low_zeros;
  }
  e->infinity_is_exact = CastInfinity(false, f, rules).outcome == Outcome::kExact;
  if (!f.has_sign) {
    e->drops_sign = rules.negative == NegativeRule::kDropSign;
    e->negative =
        rules.negative == NegativeRule::kNan ? NanCode(f, {.cls = Class::kNan}) >> f.low_zeros : 0;
  }
  if (rules.overflow == OverflowRule::kNearestInfinity && !tapered) SetLeastBeyond(f, e);
  e->flushes_results = rules.subnormal_results == SubnormalRule::kFlush && !tapered && HasZero(f);
}

void SetFlush(const Format& source, const Format& target, const Rules& rules, Encoding* e) {
  const bool of_source = rules.subnormal_inputs == SubnormalRule::kFlush &&
                         source.kind == Kind::kFloat && HasZero(source);
  const bool of_target = e->step == EncodeStep::kSame && e->flushes_results;
  if (!of_source && !of_target) return;
  const Format& f = of_source ? source : target;
  const int least = of_target && of_source && MinExponent(target) > MinExponent(source)
                        ? MinExponent(target)
                        : MinExponent(f);
  e->flush_below32 = least >= -126 ? Float32Power(least) : 0;
  e->flush_below64 = Float64Power(least < -1022 ? -1022 : least);
}

}  // namespace

Encoding MakeEncoding(const Format& source, const Format& target, Operation operation,
                      Rounding rounding, const Rules& rules) noexcept {
  Encoding e;
  e.step = StepFor(source, target, operation);
  e.rounding = rounding == Rounding::kNone ? Rounding::kTiesToEven : rounding;
  e.bits = target.bits;
  e.low_zeros = e.step == EncodeStep::kSame ? 0 : target.low_zeros;
  e.hybrid_from_float16 = source.id == FormatId::kFloat16;
  if (IsFloat(target)) SetFloat(target, e.rounding, rules, &e);
  if (IsInteger(target)) {
    const std::uint64_t largest = LowMask(target.bits - (target.has_sign ? 1 : 0));
    e.limit = {largest, target.has_sign ? largest + 1 : 0};
    e.wraps = rules.overflow == OverflowRule::kWrap;
  }
  if (operation == Operation::kScaleToInt8) return e;
  if (operation == Operation::kRoundToIntegral) {
    SetNan(source, target, {}, &e);
    e.nan |= e.nan_payload & ~(e.nan_payload >> 1);  // quiet, as nothing is copied
    return e;
  }
  SetNan(source, target, rules, &e);
  if (source.id == target.id && IsFloat(target)) {
    e.infinity = {InfinityCode(target, false) >> target.low_zeros,
                  InfinityCode(target, true) >> target.low_zeros};
    e.infinity_is_exact = true;
  }
  if (source.id != target.id) SetFlush(source, target, rules, &e);
  // An integer is never subnormal, and never becomes one.
  const bool flushes = !IsInteger(source) && (e.flushes_results || e.flush_below64 != 0);
  e.is_rare = !target.has_sign || e.judges_nearest || flushes;
  return e;
}

}  // namespace exactcast
