// SPDX-License-Identifier: Apache-2.0
//
// Test data for other people's kernels: the inputs reach every case that the proofs' own lists
// reach, and the outputs are the oracle's. Files and the command are vector_files_test.cc's matter.
#include "exactcast/vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "exactcast/cast.h"
#include "tests/oracle/oracle.h"
#include "tests/support/compare.h"
#include "tests/support/rounding_classes.h"

namespace exactcast {
namespace {

using Words = std::vector<std::uint64_t>;

// Words of `bits` bits, little-endian and one after the other.
std::string ToBytes(const Words& words, int bits) {
  std::string bytes;
  for (const std::uint64_t word : words) {
    for (int shift = 0; shift < bits; shift += 8) bytes += static_cast<char>(word >> shift & 0xff);
  }
  return bytes;
}

Words ToWords(const std::string& bytes, int bits) {
  const auto size = static_cast<std::size_t>(bits / 8);
  Words words(bytes.size() / size);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::memcpy(&words[i], bytes.data() + i * size, size);
  }
  return words;
}

Counts& Add(Counts& counts, oracle::Outcome outcome) {
  switch (outcome) {
    case oracle::Outcome::kExact:
      ++counts.exact;
      break;
    case oracle::Outcome::kRounded:
      ++counts.rounded;
      break;
    case oracle::Outcome::kUnderflowed:
      ++counts.underflowed;
      break;
    case oracle::Outcome::kOverflowed:
      ++counts.overflowed;
      break;
    case oracle::Outcome::kNan:
      ++counts.nan;
      break;
  }
  return counts;
}

std::string RunPlan(const Plan& plan, const std::string& in, std::size_t elements, Counts* counts) {
  std::string out(plan.OutputBytes(elements), '\0');
  *counts = plan.Run(in.data(), out.data(), elements, {.threads = 1});
  counts->first_lost = kNoIndex;
  counts->imaginary_lost = 0;
  return out;
}

std::vector<std::string> ScalarFormats() {
  std::vector<std::string> names;
  for (const oracle::Format& f : oracle::Formats()) names.emplace_back(f.name);
  return names;
}

// At most `most` words, from all over the list; `turn` moves the choice.
Words Sample(const Words& words, std::size_t most, std::size_t turn) {
  const std::size_t stride = words.size() / most + 1;
  Words sample;
  for (std::size_t i = turn % stride; i < words.size(); i += stride) sample.push_back(words[i]);
  return sample;
}

class VectorsFrom : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(From, VectorsFrom, testing::ValuesIn(ScalarFormats()),
                         [](const auto& param_info) { return param_info.param; });

// ---- inputs -------------------------------------------------------------------------------------

TEST_P(VectorsFrom, AShortSourceIsEveryCodeInOrder) {
  const Format& from = support::LibraryFormat(GetParam());
  if (from.bits > 16) return;
  for (const Format& to : kFormats) {
    if (to.use != Use::kCast) continue;
    const Vectors vectors = MakeVectors(from.id, to.id, {.count = 9});
    ASSERT_EQ(vectors.elements, std::uint64_t{1} << from.bits) << to.name;
    ASSERT_EQ(vectors.words.size(), vectors.elements);
    ASSERT_EQ(vectors.random, 0u);
    for (std::uint64_t code = 0; code < vectors.elements; ++code) {
      ASSERT_EQ(vectors.words[code], code);
    }
  }
}

// What a cast from `source` to `target` can tell apart in a word; the numbers stand for nothing.
std::vector<int> Case(const oracle::Format& source, const oracle::Format& target,
                      std::uint64_t word) {
  const oracle::Datum d = oracle::Decode(source, word);
  if (d.cls == oracle::Class::kNan) return {-1, d.negative, static_cast<int>(d.payload >> 63)};
  if (d.cls == oracle::Class::kInfinite) return {-2, d.negative};
  if (target.kind == oracle::Kind::kBool || d.value.IsZero()) {
    return {-3, d.negative, d.value.IsZero()};
  }
  const oracle::Placement p = oracle::Place(target, d.value);
  if (p.beyond) return {-4, d.negative};
  if (p.exact) return {-5, d.negative, p.lower.subnormal, static_cast<int>(p.lower.code & 1)};
  return {p.to_middle,           d.negative,        p.lower_is_odd,    p.lower_is_step,
          p.upper_is_step,       p.lower.subnormal, p.upper.subnormal, p.lower.value.IsZero(),
          p.upper.value.IsZero()};
}

// Exact, below, on and above the middle; even and odd; either sign; before, at and past both ends;
// subnormal and zero results: whatever the proofs' own lists, made in another way, can reach.
TEST_P(VectorsFrom, AWideSourceReachesEveryCaseThatRoundingTellsApart) {
  const oracle::Format& source = oracle::Find(GetParam());
  if (source.bits <= 16) return;
  std::size_t turn = 0;
  for (const oracle::Format& target : oracle::Formats()) {
    if (target.name == source.name) continue;
    std::map<std::vector<int>, std::uint64_t> missing;  // a word for each
    for (const std::uint64_t word : Sample(support::Classes(source, target), 20000, ++turn)) {
      missing.emplace(Case(source, target, word), word);
    }
    const Vectors vectors = MakeVectors(support::LibraryFormat(source.name).id,
                                        support::LibraryFormat(target.name).id, {.count = 0});
    for (std::size_t i = 0; i < 997 && !missing.empty(); ++i) {  // mixed, to be done soon
      for (std::size_t k = i; k < vectors.words.size() && !missing.empty(); k += 997) {
        missing.erase(Case(source, target, vectors.words[k]));
      }
    }
    for (const auto& [which, word] : missing) {
      ADD_FAILURE() << source.name << " to " << target.name << ": nothing like "
                    << support::Hex(word, source.storage_bits) << " "
                    << testing::PrintToString(which);
    }
  }
}

// Overflow and underflow happen wherever the source reaches beyond the target, in every mode.
TEST_P(VectorsFrom, AWideSourceOverflowsAndUnderflowsWhereItCan) {
  const Format& from = support::LibraryFormat(GetParam());
  if (from.id != FormatId::kFloat32 && from.id != FormatId::kFloat64) return;
  for (const oracle::Format& target : oracle::Formats()) {
    const Format& to = support::LibraryFormat(target.name);
    if (to.bits > 32 || to.id == from.id || to.kind == Kind::kBoolean) continue;
    const Vectors vectors = MakeVectors(from.id, to.id, {.count = 0});
    for (const oracle::Mode mode : oracle::kModes) {
      const Result<Plan> plan =
          MakePlan({.from = from.id, .to = to.id, .rounding = support::LibraryRounding(mode)});
      Counts counts;
      RunPlan(*plan, ToBytes(vectors.words, from.storage_bits), vectors.elements, &counts);
      const bool same_range = from.id == FormatId::kFloat32 && to.exponent_bits == 8 && to.has_sign;
      const bool toward_zero = mode == oracle::Mode::kTrunc || mode == oracle::Mode::kOdd;
      EXPECT_EQ(counts.overflowed > 0, !(same_range && toward_zero)) << to.name << Name(mode);
      EXPECT_EQ(counts.underflowed > 0, IsFloat(to) && HasZero(to)) << to.name << Name(mode);
      EXPECT_GT(counts.exact, 0u);
      EXPECT_GT(counts.rounded, 0u);
    }
  }
}

void ExpectWords(FormatId from, FormatId to, const Words& expected) {
  const Vectors vectors = MakeVectors(from, to, {.count = 0});
  const std::set<std::uint64_t> words(vectors.words.begin(), vectors.words.end());
  for (const std::uint64_t word : expected) {
    EXPECT_TRUE(words.contains(word))
        << GetFormat(from).name << " to " << GetFormat(to).name << " lacks " << std::hex << word;
  }
}

TEST(Vectors, SpecialsAndBoundariesAreAmongThem) {
  // Zeros, infinities, NaNs, largest, least normal, subnormals.
  ExpectWords(
      FormatId::kFloat32, FormatId::kInt8,
      {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001,
       0x7fffffff, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x007fffff, 1, 0x80000001});
  // 127, 127.5, 128, -128, -128.5, -129, 0.5 and the values beside them.
  for (const std::uint32_t w : {0x42fe0000u, 0x42ff0000u, 0x43000000u, 0xc3000000u, 0xc3008000u,
                                0xc3010000u, 0x3f000000u, 0xbf000000u}) {
    ExpectWords(FormatId::kFloat32, FormatId::kInt8, {w - 1, w, w + 1});
  }
  // 65504, halfway to overflow, 65536; 2^-14, 2^-24, 2^-25, 1.5 * 2^-24.
  for (const std::uint32_t w : {0x477fe000u, 0x477ff000u, 0x47800000u, 0x38800000u, 0x33800000u,
                                0x33000000u, 0x33c00000u}) {
    ExpectWords(FormatId::kFloat32, FormatId::kFloat16, {w - 1, w, w + 1, w | 0x80000000});
  }
  // 448 and 464 for float8_e4m3fn, which has no infinity; 2^15 and 40960 for hifloat8.
  ExpectWords(FormatId::kFloat32, FormatId::kFloat8E4m3fn, {0x43e00000, 0x43e80000, 0x43e80001});
  ExpectWords(FormatId::kFloat32, FormatId::kHifloat8, {0x47000000, 0x471fffff, 0x47200000});
  ExpectWords(FormatId::kFloat32, FormatId::kFloat8E8m0fnu, {0x00400000, 0x00200000, 0x7f400000});
  // Ends of integers, and where they reach a float's.
  ExpectWords(FormatId::kInt32, FormatId::kFloat16,
              {0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 65504, 65519, 65520, 65521});
  ExpectWords(FormatId::kUint64, FormatId::kInt32,
              {0x7fffffff, 0x80000000, 0xffffffff, ~std::uint64_t{0}});
  ExpectWords(FormatId::kInt64, FormatId::kUint8, {255, 256, ~std::uint64_t{0}});
  // tfloat32 keeps its low bits zero.
  for (const std::uint64_t word : MakeVectors(FormatId::kTfloat32, FormatId::kInt4).words) {
    ASSERT_EQ(word & 0x1fff, 0u);
  }
}

// To itself: as a copy, and as Ascend rounds to integral values.
TEST(Vectors, AFormatToItselfIsCutAtTheUnits) {
  ExpectWords(FormatId::kFloat32, FormatId::kFloat32,
              {0x3f000000, 0x3fc00000, 0x40200000, 0x40200001, 0x401fffff});  // 0.5, 1.5, 2.5 ...
}

TEST(Vectors, TheSeedDecidesTheRandomElementsAndNothingElse) {
  const VectorOptions options = {.count = 100, .seed = 1234567};
  const Vectors one = MakeVectors(FormatId::kUint64, FormatId::kFloat16, options);
  ASSERT_EQ(one.random, 100u);
  EXPECT_EQ(one.words, MakeVectors(FormatId::kUint64, FormatId::kFloat16, options).words);
  const std::size_t listed = one.words.size() - 100;
  // SplitMix64's first number for the seed 1234567, as published with it.
  EXPECT_EQ(one.words[listed], 6457827717110365317u);
  const Vectors other =
      MakeVectors(FormatId::kUint64, FormatId::kFloat16, {.count = 100, .seed = 2});
  EXPECT_TRUE(std::equal(one.words.begin(), one.words.begin() + static_cast<long>(listed),
                         other.words.begin()));
  EXPECT_NE(one.words, other.words);
}

// Every other random element has a magnitude that means something to the target.
TEST(Vectors, RandomElementsReachTheTargetsRange) {
  const Vectors vectors = MakeVectors(FormatId::kFloat64, FormatId::kFloat8E4m3fn, {.count = 1000});
  const std::string bytes = ToBytes(vectors.words, 64).substr((vectors.elements - 1000) * 8);
  const Result<Plan> plan = MakePlan({.from = FormatId::kFloat64, .to = FormatId::kFloat8E4m3fn});
  Counts counts;
  RunPlan(*plan, bytes, 1000, &counts);
  EXPECT_GT(counts.rounded, 250u);
}

TEST(Vectors, ElementsThatShareBytesFillThem) {
  for (const Format& from : kFormats) {
    for (const Format& to : kFormats) {
      if (from.use != Use::kCast || to.use != Use::kCast) continue;
      if (from.bits > 32 && from.kind == Kind::kComplex) continue;  // as complex32
      const std::uint64_t elements = MakeVectors(from.id, to.id, {.count = 1}).elements;
      for (const Format* f : {&from, &to}) {
        if (IsPackable(*f)) {
          EXPECT_EQ(elements % static_cast<std::uint64_t>(8 / f->bits), 0u)
              << from.name << " to " << to.name;
        }
      }
    }
  }
}

TEST(Vectors, ComplexElementsHaveZeroImaginaryPartsAndThenOthers) {
  const Vectors vectors = MakeVectors(FormatId::kComplex32, FormatId::kComplex64, {.count = 7});
  ASSERT_EQ(vectors.elements, 2u * 65536 + 7);
  ASSERT_EQ(vectors.words.size(), 2 * vectors.elements);
  std::set<std::uint64_t> real;
  std::set<std::uint64_t> imaginary;
  for (std::size_t i = 0; i < 65536; ++i) {
    ASSERT_EQ(vectors.words[2 * i], i);
    ASSERT_EQ(vectors.words[2 * i + 1], 0u);
    real.insert(vectors.words[2 * (65536 + i)]);
    imaginary.insert(vectors.words[2 * (65536 + i) + 1]);
  }
  EXPECT_EQ(real.size(), 65536u);
  EXPECT_EQ(imaginary.size(), 65536u);
}

// ---- outputs ------------------------------------------------------------------------------------

// Of every pair in profile exact, every mode, hybrid too, from a share of the inputs that moves
// along; the proofs of the reference and the kernels take all of them.
TEST_P(VectorsFrom, OutputsAreTheOracles) {
  constexpr std::size_t kMost = 6000;
  const oracle::Format& source = oracle::Find(GetParam());
  const Format& from = support::LibraryFormat(source.name);
  const bool has_hybrid = from.id == FormatId::kFloat32 || from.id == FormatId::kFloat16;
  std::size_t turn = 0;
  for (const oracle::Format& target : oracle::Formats()) {
    const Format& to = support::LibraryFormat(target.name);
    const Vectors vectors = MakeVectors(from.id, to.id, {.count = 256});
    const oracle::Policy policy = support::MainPolicies(target).front();  // the profile's defaults
    std::vector<oracle::Mode> modes(oracle::kModes.begin(), oracle::kModes.end());
    if (has_hybrid && to.id == FormatId::kHifloat8) modes.push_back(oracle::Mode::kHybrid);
    for (const oracle::Mode mode : modes) {
      const Words words = Sample(vectors.words, kMost, ++turn);
      const Result<Plan> plan =
          MakePlan({.from = from.id, .to = to.id, .rounding = support::LibraryRounding(mode)});
      ASSERT_TRUE(plan.ok()) << plan.status().message();
      Counts counts;
      Counts expected;
      const Words out =
          ToWords(RunPlan(*plan, ToBytes(words, from.storage_bits), words.size(), &counts),
                  to.storage_bits);
      for (std::size_t i = 0; i < words.size(); ++i) {
        const oracle::Result right = oracle::Cast(source, target, words[i], mode, policy);
        ASSERT_EQ(out[i], right.bits) << source.name << " to " << target.name << " " << Name(mode)
                                      << " " << support::Hex(words[i], source.storage_bits);
        Add(expected, right.outcome);
      }
      EXPECT_EQ(counts, expected) << source.name << " to " << target.name << " " << Name(mode);
    }
  }
}

// Part by part, or as rules.md has it where one side is real.
TEST(Vectors, ComplexOutputsAreTheOraclesPartByPart) {
  const auto& float32 = oracle::Find("float32");
  const auto cast = [&](const char* to, std::uint64_t word) {
    const oracle::Format& target = oracle::Find(to);
    return oracle::Cast(float32, target, word, oracle::Mode::kRint,
                        support::MainPolicies(target).front())
        .bits;
  };
  const auto run = [](FormatId from, FormatId to, const Words& words, int bits, int out_bits) {
    const std::string in = ToBytes(words, bits);
    const Result<Plan> plan = MakePlan({.from = from, .to = to, .rounding = Rounding::kTiesToEven});
    Counts counts;
    return ToWords(RunPlan(*plan, in, in.size() / plan->InputBytes(1), &counts), out_bits);
  };
  const Words pairs = MakeVectors(FormatId::kComplex64, FormatId::kComplex32).words;
  const Words to_complex = run(FormatId::kComplex64, FormatId::kComplex32, pairs, 32, 16);
  const Words to_real = run(FormatId::kComplex64, FormatId::kFloat16, pairs, 32, 16);
  const Words to_bool = run(FormatId::kComplex64, FormatId::kBool, pairs, 32, 8);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    ASSERT_EQ(to_complex[i], cast("float16", pairs[i])) << i;
    if (i % 2 != 0) continue;
    ASSERT_EQ(to_real[i / 2], cast("float16", pairs[i])) << i;
    ASSERT_EQ(to_bool[i / 2], cast("bool", pairs[i]) | cast("bool", pairs[i + 1])) << i;
  }
  const Words reals = MakeVectors(FormatId::kFloat32, FormatId::kComplex32).words;
  const Words from_real = run(FormatId::kFloat32, FormatId::kComplex32, reals, 32, 16);
  for (std::size_t i = 0; i < reals.size(); ++i) {
    ASSERT_EQ(from_real[2 * i], cast("float16", reals[i]));
    ASSERT_EQ(from_real[2 * i + 1], 0u);
  }
}

}  // namespace
}  // namespace exactcast
