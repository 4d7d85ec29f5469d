// SPDX-License-Identifier: Apache-2.0
//
// Whether a format holds every value of another one, decided from the two rows, with a value that
// it does not hold as the witness. Values, not codes: -0 is 0, a NaN is a NaN.
#ifndef EXACTCAST_SPEC_DERIVATION_LOSS_H_
#define EXACTCAST_SPEC_DERIVATION_LOSS_H_

#include <bit>
#include <cstdint>
#include <optional>

#include "exactcast/spec/codec.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/hifloat8.h"
#include "exactcast/spec/reference.h"

namespace exactcast::derivation {

struct LostValue {
  bool imaginary = false;  // a complex number that has an imaginary part
  Exact value;

  friend constexpr bool operator==(const LostValue& a, const LostValue& b) noexcept {
    return a.imaginary == b.imaginary && a.value.cls == b.value.cls &&
           a.value.negative == b.value.negative && a.value.exponent == b.value.exponent &&
           a.value.significand == b.value.significand;
  }
};

// The numbers of a scalar format: in each binade [2^e, 2^(e+1)) the multiples of its last place, up
// to the largest of each sign.
struct Numbers {
  std::optional<FormatId> format;  // nothing: all integers
  int least = 0;                   // the exponent of the least binade
  Exact largest[2];                // positive, negative; kZero where the sign has no numbers
};

constexpr int LastPlaceOf(const Numbers& numbers, int e) noexcept {
  return numbers.format ? LastPlace(e, GetFormat(*numbers.format)) : 0;
}

constexpr Exact PowerOfTwo(int exponent, bool negative) noexcept {
  return {.cls = Class::kFinite, .negative = negative, .exponent = exponent, .significand = 1};
}

constexpr Numbers NumbersOf(const Format& f) noexcept {
  if (IsFloat(f)) {
    const bool tapered = f.kind == Kind::kTapered;
    const int subnormals = HasZero(f) ? f.mantissa_bits : 0;
    return {f.id,
            tapered ? hifloat8::kMinExponent : MinExponent(f) - subnormals,
            {Decode(MaxFinite(f, false), f), f.has_sign ? Decode(MaxFinite(f, true), f) : Exact{}}};
  }
  const int bits = f.kind == Kind::kBoolean ? 1 : f.bits - (f.has_sign ? 1 : 0);
  Numbers numbers = {f.id, 0, {PowerOfTwo(0, false), Exact{}}};
  numbers.largest[0].significand = LowMask(bits);
  if (bits == 0) numbers.largest[0] = {};  // int1: -1 and 0
  if (f.has_sign) numbers.largest[1] = PowerOfTwo(bits, true);
  return numbers;
}

// Python's int. No format holds integers anywhere near the bound.
constexpr Numbers AllIntegers() noexcept {
  constexpr int kFar = 2000;
  return {std::nullopt, 0, {PowerOfTwo(kFar, false), PowerOfTwo(kFar, true)}};
}

constexpr bool IsAbove(const Exact& a, const Exact& b) noexcept {
  if (LeadingExponent(a) != LeadingExponent(b)) return LeadingExponent(a) > LeadingExponent(b);
  return a.significand << std::countl_zero(a.significand) > b.significand
                                                                << std::countl_zero(b.significand);
}

constexpr bool Holds(const Numbers& to, const Exact& x) noexcept {
  const Exact& largest = to.largest[x.negative ? 1 : 0];
  if (largest.cls == Class::kZero || IsAbove(x, largest)) return false;
  const int e = LeadingExponent(x);
  return e >= to.least && x.exponent + std::countr_zero(x.significand) >= LastPlaceOf(to, e);
}

// A number of the binade [2^e, 2^(e+1)) that `to` does not hold: its first, its second, or the
// largest of all. If `to` holds the second, its last place there is fine enough for all of them.
constexpr std::optional<Exact> LostInBinade(const Numbers& from, const Numbers& to, int e,
                                            const Exact& largest) noexcept {
  const Exact first = PowerOfTwo(e, largest.negative);
  if (!Holds(to, first)) return first;
  const int place = LastPlaceOf(from, e);
  const bool has_second = place < e && IsAbove(largest, first);
  if (has_second) {
    const Exact second = {Class::kFinite, largest.negative, place,
                          (std::uint64_t{1} << (e - place)) | 1};
    if (!Holds(to, second)) return second;
  }
  if (e == LeadingExponent(largest) && !Holds(to, largest)) return largest;
  return std::nullopt;
}

// From 1 upwards, then from 1/2 downwards: the witness is a number that people know.
constexpr std::optional<Exact> LostNumber(const Numbers& from, const Numbers& to) noexcept {
  for (const Exact& largest : from.largest) {
    if (largest.cls == Class::kZero) continue;
    for (int e = 0; e <= LeadingExponent(largest); ++e) {
      if (const auto lost = LostInBinade(from, to, e, largest)) return lost;
    }
    for (int e = -1; e >= from.least; --e) {
      if (const auto lost = LostInBinade(from, to, e, largest)) return lost;
    }
  }
  return std::nullopt;
}

constexpr std::optional<Exact> LostOfScalar(const Format& from, const Format& to) noexcept {
  if (const auto lost = LostNumber(NumbersOf(from), NumbersOf(to))) return lost;
  if (HasZero(from) && !HasZero(to)) return Exact{};
  if (HasInfinity(from) && !HasInfinity(to)) return Exact{.cls = Class::kInfinity};
  if (HasNan(from) && !HasNan(to)) return Exact{.cls = Class::kNan};
  return std::nullopt;
}

// A value of `from` that `to` does not hold; nothing when it holds all.
constexpr std::optional<LostValue> FindLostValue(const Format& from, const Format& to) noexcept {
  if (from.kind == Kind::kComplex && to.kind != Kind::kComplex) return LostValue{true, {}};
  const auto lost = LostOfScalar(GetFormat(from.part), GetFormat(to.part));
  if (!lost) return std::nullopt;
  return LostValue{false, *lost};
}

// The same for the integers of a language, which have no bounds.
constexpr std::optional<LostValue> FindLostInteger(const Format& to) noexcept {
  const auto lost = LostNumber(AllIntegers(), NumbersOf(GetFormat(to.part)));
  if (lost) return LostValue{false, *lost};
  return std::nullopt;
}

static_assert(FindLostValue(GetFormat(FormatId::kInt32), GetFormat(FormatId::kBfloat16)) ==
              LostValue{false, {Class::kFinite, false, 0, 257}});
static_assert(!FindLostValue(GetFormat(FormatId::kInt4), GetFormat(FormatId::kFloat8E5m2)));
static_assert(FindLostInteger(GetFormat(FormatId::kFloat64)) ==
              LostValue{false, {Class::kFinite, false, 0, (std::uint64_t{1} << 53) + 1}});

}  // namespace exactcast::derivation

#endif  // EXACTCAST_SPEC_DERIVATION_LOSS_H_
