// SPDX-License-Identifier: Apache-2.0
//
// MakeVectors: the lists, as vectors.h describes them. Writing them is vector_files.cc's matter.
#include "exactcast/vectors.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "exactcast/spec/codec.h"
#include "exactcast/spec/order.h"
#include "exactcast/spec/reference.h"

namespace exactcast {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr int kEveryCode = 16;  // bits up to which a source is listed whole

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): small, and
// the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // Below `end`; the bias, end / 2^64, does not matter here.
  std::uint64_t Below(std::uint64_t end) { return Next() % end; }

 private:
  std::uint64_t state_;
};

// ---- the source ---------------------------------------------------------------------------------

// Leading exponents of the non-zero values.
struct Range {
  int least;
  int largest;
};

Range ExponentRange(const Format& f) {
  if (!IsFloat(f)) return {0, static_cast<int>(std::bit_width(LargestRank(f, false))) - 1};
  const std::uint64_t least = HasZero(f) ? WordOf({false, 1}, f) : 0;
  return {LeadingExponent(Decode(least, f)), LeadingExponent(Decode(MaxFinite(f, false), f))};
}

// The bits below the leading one of a value 2^e * 1.x of the format.
int FractionBits(int e, const Format& f) {
  if (IsInteger(f)) return e;
  return e - LastPlace(e, f);
}

// The word of +-significand * 2^exponent, which the format has.
std::uint64_t MakeWord(bool negative, std::uint64_t significand, int exponent, const Format& f) {
  if (IsInteger(f)) return InWord(negative ? ~significand + 1 : significand, f);
  const std::uint64_t code = EncodeMagnitude({.significand = significand, .exponent = exponent}, f);
  return InWord(code | (negative ? SignBit(f) : 0), f);
}

void AddBothSigns(std::uint64_t significand, int exponent, const Format& f, Words* words) {
  words->push_back(MakeWord(false, significand, exponent, f));
  if (f.has_sign) words->push_back(MakeWord(true, significand, exponent, f));
}

// ---- rounding classes ---------------------------------------------------------------------------

// Fractions of `width` bits below a leading one, of which the upper `kept` stay: negative where the
// leading one itself goes.
//
//   1 kkkk g ssssss      kept part, guard bit, sticky bits
void AddFractions(int width, int kept, Words* fractions) {
  const bool all_kept = kept >= width;
  const int kept_bits = std::clamp(kept, 0, width);
  const int sticky_bits = kept < 0 ? width : std::max(width - kept_bits - 1, 0);
  const std::uint64_t guard_end = all_kept || kept < 0 ? 1 : 2;
  for (const std::uint64_t pattern :
       {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{1}, ~std::uint64_t{0},
        std::uint64_t{0x5555555555555555}, std::uint64_t{0x3333333333333333}}) {
    const std::uint64_t top = (pattern & LowMask(kept_bits)) << (width - kept_bits);
    for (std::uint64_t guard = 0; guard < guard_end; ++guard) {
      const std::uint64_t base = top | guard << sticky_bits;
      for (const std::uint64_t sticky : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        fractions->push_back(base | (sticky & LowMask(sticky_bits)));
      }
    }
  }
}

void AddRoundingClasses(const Format& from, const Format& to, Words* words) {
  const Range range = ExponentRange(from);
  // A format to itself is a copy, or rounds to integral values.
  const Format& grid = from.id == to.id ? GetFormat(FormatId::kInt64) : to;
  Words fractions;
  for (int e = range.least; e <= range.largest; ++e) {
    const int width = FractionBits(e, from);
    fractions.clear();
    AddFractions(width, e - LastPlace(e, grid), &fractions);
    std::sort(fractions.begin(), fractions.end());
    fractions.erase(std::unique(fractions.begin(), fractions.end()), fractions.end());
    for (const std::uint64_t fraction : fractions) {
      AddBothSigns(std::uint64_t{1} << width | fraction, e - width, from, words);
    }
  }
}

// ---- specials and boundaries --------------------------------------------------------------------

void AddNans(const Format& f, Words* words) {
  if (!HasNan(f) || f.specials != Specials::kIeee) return;  // wide formats are IEEE's
  const std::uint64_t quiet = std::uint64_t{1} << (f.mantissa_bits - 1);
  for (const bool negative : {false, true}) {
    const std::uint64_t base = InfinityCode(f, negative) >> f.low_zeros;
    for (const std::uint64_t fraction :
         {quiet, quiet | 1, LowMask(f.mantissa_bits), std::uint64_t{1}, quiet >> 1, quiet - 1}) {
      words->push_back(InWord(base | fraction, f));
    }
  }
}

void AddSpecials(const Format& f, Words* words) {
  AddNans(f, words);
  for (const bool negative : {false, true}) {
    const std::uint64_t largest = LargestRank(f, negative);
    for (const std::uint64_t magnitude : {std::uint64_t{1}, largest - 1, largest}) {
      if (magnitude <= largest) words->push_back(WordOf({negative, magnitude}, f));
    }
    if (!IsFloat(f)) continue;
    const std::uint64_t normal = std::uint64_t{1} << f.mantissa_bits;
    for (const std::uint64_t magnitude : {normal - 1, normal}) {
      words->push_back(WordOf({negative, magnitude}, f));
    }
  }
  words->push_back(0);
  if (HasNegativeZero(f)) words->push_back(InWord(SignBit(f), f));
}

// The word that is `step`, 1 or -1, places up in the order of values; both ends stay.
std::uint64_t Neighbour(std::uint64_t word, int step, const Format& f) {
  Rank rank = RankOf(word, f);
  const bool outward = rank.magnitude == 0 || rank.negative == (step < 0);
  if (rank.magnitude == 0) rank.negative = step < 0;
  if (!outward) {
    --rank.magnitude;
  } else if (rank.magnitude < LargestRank(f, rank.negative)) {
    ++rank.magnitude;
  }
  return WordOf(rank, f);
}

// The words around +-x: the last one that is not further from zero, and those beside it.
void AddAround(const Exact& x, const Format& f, Words* words) {
  constexpr Rules kClamp = {.overflow = OverflowRule::kSaturate,
                            .infinity = InfinityRule::kSaturate};
  for (const bool negative : {false, true}) {
    if (negative && !f.has_sign) break;
    Exact signed_x = x;
    signed_x.negative = negative;
    const std::uint64_t word = CastExact(signed_x, f, Rounding::kTowardZero, kClamp, 0, f).bits;
    for (const int step : {-1, 1}) words->push_back(Neighbour(word, step, f));
    words->push_back(word);
  }
}

void AddBoundaries(const Format& from, const Format& to, Words* words) {
  const Range range = ExponentRange(to);
  const auto add = [&](std::uint64_t significand, int exponent) {
    AddAround({.cls = Class::kFinite, .exponent = exponent, .significand = significand}, from,
              words);
  };
  for (int e = range.least - 1; e <= range.largest + 1; ++e) {
    add(1, e);      // from half the least value to beyond the largest
    add(3, e - 1);  // one and a half
  }
  add(5, range.least - 1);
  if (IsFloat(to)) {
    const Exact largest = Decode(MaxFinite(to, false), to);
    add(largest.significand, largest.exponent);
    add(2 * largest.significand + 1, largest.exponent - 1);  // halfway to overflow
    add(largest.significand + 1, largest.exponent);
    return;
  }
  for (const bool negative : {false, true}) {  // ends of the range, which may need all 64 bits
    const std::uint64_t end = LargestRank(to, negative);
    add(std::max<std::uint64_t>(end, 1), 0);
    if (end < LowMask(62)) add(2 * end + 1, -1);
    if (end < LowMask(64)) add(end + 1, 0);
  }
}

// ---- the lists ----------------------------------------------------------------------------------

// An element of the source; `within` the target's range, as far as the source reaches.
std::uint64_t RandomWord(const Format& from, const Format& to, bool within, Random* random) {
  if (!within || !(IsFloat(from) || IsInteger(from))) return InWord(random->Next(), from);
  const Range source = ExponentRange(from);
  const Range target = ExponentRange(to);
  const int least = std::clamp(target.least - 3, source.least, source.largest);
  const int largest = std::clamp(target.largest + 2, least, source.largest);
  const int e =
      least + static_cast<int>(random->Below(static_cast<std::uint64_t>(largest - least) + 1));
  const int width = FractionBits(e, from);
  const std::uint64_t bits = random->Next();
  const bool negative = from.has_sign && bits >> 63 != 0;
  return MakeWord(negative, std::uint64_t{1} << width | (bits & LowMask(width)), e - width, from);
}

// Every word of a scalar format that is worth trying, in order of the codes.
Words ListWords(const Format& from, const Format& to) {
  Words words;
  if (from.bits <= kEveryCode) {
    for (std::uint64_t code = 0; code <= LowMask(from.bits); ++code) {
      words.push_back(InWord(code, from));
    }
    return words;
  }
  AddRoundingClasses(from, to, &words);
  AddSpecials(from, &words);
  AddBoundaries(from, to, &words);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

// Each word with +0 beside it, then with another one.
Words PairUp(const Words& list, Random* random) {
  Words pairs;
  for (const std::uint64_t word : list) pairs.insert(pairs.end(), {word, 0});
  Words others = list;
  for (std::size_t i = others.size(); i > 1; --i) {
    std::swap(others[i - 1], others[random->Below(i)]);
  }
  for (std::size_t i = 0; i < list.size(); ++i) pairs.insert(pairs.end(), {list[i], others[i]});
  return pairs;
}

}  // namespace

Vectors MakeVectors(FormatId from, FormatId to, const VectorOptions& options) {
  const Format& part = GetFormat(GetFormat(from).part);
  const Format& target_part = GetFormat(GetFormat(to).part);
  const bool complex = GetFormat(from).kind == Kind::kComplex;
  const std::size_t parts = complex ? 2 : 1;
  Random random(options.seed);
  Vectors vectors = {.words = ListWords(part, target_part)};
  if (complex) vectors.words = PairUp(vectors.words, &random);
  vectors.elements = vectors.words.size() / parts;

  const std::uint64_t count = !complex && part.bits <= kEveryCode ? 0 : options.count;
  const std::uint64_t group = IsPackable(part) || IsPackable(target_part) ? 4 : 1;
  while (vectors.random < count || vectors.elements % group != 0) {
    for (std::size_t i = 0; i < parts; ++i) {
      const bool within = vectors.random % 2 != 0;
      vectors.words.push_back(RandomWord(part, target_part, within, &random));
    }
    ++vectors.random;
    ++vectors.elements;
  }
  vectors.filling = vectors.random - count;
  return vectors;
}

}  // namespace exactcast
