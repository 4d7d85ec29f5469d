// SPDX-License-Identifier: Apache-2.0
//
// Making input data with the scalar reference: slow, so only a block of it.
#include "bench/data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "exactcast/spec/order.h"
#include "exactcast/spec/reference.h"

namespace exactcast::bench {
namespace {

constexpr std::array<DataRow, 5> kDataSets = {{
    {Data::kNormal, "normal"},
    {Data::kRandom, "random"},
    {Data::kDenormal, "denormal"},
    {Data::kNan, "nan"},
    {Data::kTies, "ties"},
}};

constexpr std::size_t kBlock = 1 << 16;
constexpr double kAccumulator = 1 << 20;  // of a quantised product, before RESCALE

constexpr Rules kRules = {.overflow = OverflowRule::kSaturate,
                          .infinity = InfinityRule::kSaturate,
                          .nan = NanRule::kKeep,
                          .negative = NegativeRule::kLowest};

const Format& Part(FormatId id) { return GetFormat(GetFormat(id).part); }

bool HasSubnormals(const Format& f) { return f.kind == Kind::kFloat && f.mantissa_bits > 0; }

// Where float64 cannot tell neighbours apart, or there are none to be half way between.
bool HasTies(const Format& from, const Format& to) {
  return from.kind != Kind::kBoolean && to.kind != Kind::kBoolean && from.id != to.id &&
         to.id != FormatId::kFloat64 && to.bits <= 32 && to.bits < from.bits;
}

std::uint64_t FromDouble(double value, const Format& to) {
  return Cast(std::bit_cast<std::uint64_t>(value), GetFormat(FormatId::kFloat64), to,
              Rounding::kTiesToEven, kRules)
      .bits;
}

double ToDouble(std::uint64_t word, const Format& from) {
  return std::bit_cast<double>(
      Cast(word, from, GetFormat(FormatId::kFloat64), Rounding::kTiesToEven, kRules).bits);
}

class Maker {
 public:
  explicit Maker(const Row& row)
      : from_(Part(row.from)),
        to_(Part(row.to)),
        scale_(row.rescale        ? kAccumulator
               : IsInteger(from_) ? std::ldexp(0.25, from_.bits - (from_.has_sign ? 1 : 0))
                                  : 1) {}

  std::uint64_t Make(Data data) {
    const std::uint64_t die = random_() >> 60;  // 0 to 15
    switch (data) {
      case Data::kRandom:
        return Random();
      case Data::kDenormal:
        return die < 8 ? SourceSubnormal() : die < 12 ? TargetSubnormal() : Normal();
      case Data::kNan:
        return die < 4 ? Nan() : die == 4 ? Infinity() : Normal();
      case Data::kTies:
        return Tie();
      case Data::kNormal:
        break;
    }
    return Normal();
  }

 private:
  std::uint64_t Random() {
    if (from_.kind == Kind::kBoolean) return random_() >> 63;
    return (random_() & LowMask(from_.bits)) << from_.low_zeros;
  }

  std::uint64_t Normal() {
    if (from_.kind == Kind::kBoolean) return Random();
    const double value = normal_(random_) * scale_;
    return FromDouble(from_.has_sign ? value : std::abs(value), from_);
  }

  std::uint64_t WithSign(std::uint64_t magnitude, const Format& f) {
    return (magnitude | (random_() & SignBit(f))) << f.low_zeros;
  }

  std::uint64_t SourceSubnormal() {
    if (!HasSubnormals(from_)) return TargetSubnormal();
    return WithSign(random_() & LowMask(from_.mantissa_bits), from_);
  }

  std::uint64_t TargetSubnormal() {
    if (!HasSubnormals(to_)) return Normal();
    const double least_normal = std::ldexp(1, MinExponent(to_));
    return FromDouble(std::ldexp(static_cast<double>(random_() >> 11), -53) * least_normal *
                          (from_.has_sign && random_() >> 63 ? -1 : 1),
                      from_);
  }

  std::uint64_t Nan() {
    if (from_.kind != Kind::kFloat || from_.specials != Specials::kIeee) return NanWord(from_);
    const std::uint64_t exponent = LowMask(from_.exponent_bits) << from_.mantissa_bits;
    const std::uint64_t quiet = std::uint64_t{1} << (from_.mantissa_bits - 1);
    return WithSign(exponent | quiet | (random_() & LowMask(from_.mantissa_bits)), from_);
  }

  std::uint64_t Infinity() {
    return HasInfinity(from_) ? WordOf({.negative = from_.has_sign && random_() >> 63 != 0,
                                        .magnitude = LargestRank(from_, false)},
                                       from_)
                              : Normal();
  }

  static std::uint64_t NanWord(const Format& f) {
    return Cast(std::bit_cast<std::uint64_t>(std::nan("")), GetFormat(FormatId::kFloat64), f,
                Rounding::kTiesToEven, kRules)
        .bits;
  }

  std::uint64_t Tie() {
    const bool negative = from_.has_sign && to_.has_sign && random_() >> 63 != 0;
    const std::uint64_t ranks = LargestRank(to_, negative) - (HasInfinity(to_) ? 1 : 0);
    // Integers: within a million, so that a float32 still holds the half.
    const std::uint64_t limit = IsInteger(to_) ? std::min<std::uint64_t>(ranks, 1 << 20)
                                               : std::max<std::uint64_t>(ranks, 1);
    const std::uint64_t rank = random_() % limit;
    const double low = ToDouble(WordOf({negative, rank}, to_), to_);
    const double high = ToDouble(WordOf({negative, rank + 1}, to_), to_);
    return FromDouble(low + (high - low) / 2, from_);
  }

  const Format& from_;
  const Format& to_;
  const double scale_;
  std::mt19937_64 random_{20240229};
  std::normal_distribution<double> normal_;
};

// The bytes of `words` elements or parts.
std::vector<std::byte> Block(Data data, const Row& row, std::size_t words) {
  const Format& from = Part(row.from);
  Maker maker(row);
  const bool packed = row.packed && IsPackable(from);
  const auto bits = static_cast<std::size_t>(packed ? from.bits : from.storage_bits);
  std::vector<std::byte> block(words * bits / 8);
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = maker.Make(data);
    if (packed) {
      block[i * bits / 8] |= static_cast<std::byte>((word & LowMask(from.bits)) << i * bits % 8);
    } else {
      std::memcpy(block.data() + i * bits / 8, &word, bits / 8);
    }
  }
  return block;
}

}  // namespace

std::span<const DataRow> DataSets() { return kDataSets; }

std::string_view Name(Data data) { return kDataSets[static_cast<std::size_t>(data)].name; }

bool Applies(Data data, const Row& row) {
  const Format& from = Part(row.from);
  const Format& to = Part(row.to);
  switch (data) {
    case Data::kNormal:
    case Data::kRandom:
      return true;
    case Data::kDenormal:
      return HasSubnormals(from);
    case Data::kNan:
      return HasNan(from);
    case Data::kTies:
      return !row.rescale && HasTies(from, to);
  }
  return false;
}

void Fill(Data data, const Subject& subject, std::size_t n, std::byte* in) {
  const std::size_t size = subject.in_bytes(n);
  const std::size_t parts = GetFormat(subject.row.from).kind == Kind::kComplex ? 2 : 1;
  const std::vector<std::byte> block = Block(data, subject.row, std::min(n, kBlock) * parts);
  for (std::size_t at = 0; at < size; at += block.size()) {
    std::memcpy(in + at, block.data(), std::min(block.size(), size - at));
  }
}

}  // namespace exactcast::bench
