// SPDX-License-Identifier: Apache-2.0
//
// The fast kernels of rescaling on every CPU target that runs here, where all or nearly all results
// are predictable: every short input, results on and beside a tie, all lengths and places.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/kernels/rescale.h"
#include "tests/rescale_proof.h"

namespace exactcast {
namespace {

constexpr FormatId kTargets[] = {FormatId::kInt8,   FormatId::kUint8, FormatId::kInt16,
                                 FormatId::kUint16, FormatId::kInt32, FormatId::kUint32};

const std::vector<RescaleRunner>& Runners() {
  static const std::vector<RescaleRunner> runners = RescaleRunners();
  return runners;
}

struct Shape {
  FormatId from = FormatId::kInt32;
  FormatId to = FormatId::kInt8;
  bool scale32 = true;
  RescaleRounding rounding = RescaleRounding::kSingle;
  ValueLimit limit = ValueLimit::kShiftMinus1;
  std::int64_t input_zp = 0;
  std::int64_t output_zp = 0;
};

RescaleParams Params(const Shape& shape, const std::vector<Scale>& scales) {
  RescaleParams p;
  p.source = &GetFormat(shape.from);
  p.target = &GetFormat(shape.to);
  p.rules = {.output = RangeOf(*p.target),
             .input_zp = shape.input_zp,
             .output_zp = shape.output_zp,
             .scale32 = shape.scale32,
             .rounding = shape.rounding,
             .limit = shape.limit};
  p.scales = scales;
  PrepareRescale(p);
  return p;
}

void Prove(const RescaleParams& p, const RescaleArray& in, const RescalePlace& place = {}) {
  const RescaleAnswer expected = ExpectedAnswer(p, in, place.channel);
  for (const RescaleRunner& runner : Runners()) {
    ASSERT_TRUE(runner.kernel->accepts(p)) << runner.name;
    ASSERT_NO_FATAL_FAILURE(ExpectAnswer(runner, p, in, expected, place));
  }
}

std::vector<std::int64_t> All(const Format& f) {
  const IntegerRange range = RangeOf(f);
  std::vector<std::int64_t> values;
  for (std::int64_t x = range.least; x <= range.greatest; ++x) values.push_back(x);
  return values;
}

// The same inputs brought into what each channel has a predictable result for.
std::vector<std::int64_t> Tamed(const RescaleParams& p, std::vector<std::int64_t> values,
                                std::size_t channel) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Lane& lane = p.lanes[(channel + i) % p.lanes.size()];
    values[i] = lane.values.Clip(values[i] - p.rules.input_zp) + p.rules.input_zp;
  }
  return values;
}

std::int64_t Multiplier(std::mt19937_64& random, bool scale32) {
  const int bits = static_cast<int>(random() % (scale32 ? 31 : 15)) + 1;
  return static_cast<std::int64_t>(random() >> (64 - bits));
}

TEST(RescaleVectors, EveryCpuTargetIsThere) {
  std::string names;
  for (const RescaleRunner& runner : Runners()) names += runner.name + "\n";
  RecordProperty("runners", names);
  EXPECT_GE(Runners().size(), 2u) << names;
  SetCpuTarget(0);
}

TEST(RescaleVectors, EveryInputOf8Bits) {
  std::mt19937_64 random(1);
  for (const FormatId from : {FormatId::kInt8, FormatId::kUint8}) {
    const RescaleArray in = MakeArray(GetFormat(from), All(GetFormat(from)), 1);
    const IntegerRange zero_points = RangeOf(GetFormat(from));
    for (const FormatId to : kTargets) {
      for (int shift = kLeastShift; shift <= kGreatestShift; ++shift) {
        for (int i = 0; i < 36; ++i) {
          Shape shape = {.from = from, .to = to};
          shape.scale32 = i % 3 != 0;
          if (i % 3 == 1) shape.rounding = RescaleRounding::kDouble;
          shape.limit = static_cast<ValueLimit>(i % 4 % 3);
          shape.input_zp = zero_points.least + static_cast<std::int64_t>(random() % 256);
          const IntegerRange out = RangeOf(GetFormat(to));
          if (out.greatest < 256) {
            shape.output_zp = out.least + static_cast<std::int64_t>(random() % 256);
          } else if (to == FormatId::kUint16) {
            shape.output_zp = i % 2 == 0 ? 0 : 32768;
          }
          const Scale scale = {Multiplier(random, shape.scale32), shift};
          ASSERT_NO_FATAL_FAILURE(Prove(Params(shape, {scale}), in));
        }
      }
    }
  }
  SetCpuTarget(0);
}

TEST(RescaleVectors, EveryInputOf16Bits) {
  std::mt19937_64 random(2);
  for (const FormatId from : {FormatId::kInt16, FormatId::kUint16}) {
    const RescaleArray in = MakeArray(GetFormat(from), All(GetFormat(from)), 1);
    for (const FormatId to : kTargets) {
      for (const int shift : {2, 14, 15, 17, 20, 29, 31, 32, 33, 40, 47}) {
        Shape shape = {.from = from, .to = to, .scale32 = shift % 2 == 0 || shift > 31};
        if (shift > 31) shape.rounding = RescaleRounding::kDouble;
        if (from == FormatId::kUint16) shape.input_zp = shift / 2 % 2 == 0 ? 0 : 32768;
        if (to == FormatId::kUint16) shape.output_zp = 32768;
        const Scale scale = {Multiplier(random, shape.scale32), shift};
        ASSERT_NO_FATAL_FAILURE(Prove(Params(shape, {scale}), in));
      }
    }
  }
  SetCpuTarget(0);
}

// Of wide inputs those whose exact result lies at, or just beside, the middle between two results,
// those at the ends of what is legal, and any.
std::vector<std::int64_t> Wide(const RescaleParams& p, std::mt19937_64& random, std::size_t n) {
  std::vector<std::int64_t> values;
  const int bits = p.source->bits - 1;
  for (std::size_t i = 0; values.size() < n; ++i) {
    const Scale& scale = p.scales[i % p.scales.size()];
    const auto any =
        static_cast<std::int64_t>(random()) >> (64 - bits + static_cast<int>(random() % 24));
    const auto result = static_cast<std::int64_t>(random() % 1200) - 600;
    const long double tie = (static_cast<long double>(result) + 0.5L) *
                            static_cast<long double>(std::int64_t{1} << scale.shift) /
                            static_cast<long double>(std::max<std::int64_t>(scale.multiplier, 1));
    const auto near = std::abs(tie) < 0x1p46L ? static_cast<std::int64_t>(tie) : any;
    for (std::int64_t off = -1; off <= 1; ++off) values.push_back(near + off);
    values.push_back(any);
    values.push_back(p.lanes[i % p.lanes.size()].values.least + (i / 7 % 2 == 0 ? 1 : 0));
    values.push_back(p.lanes[i % p.lanes.size()].values.greatest);
  }
  values.resize(n);
  return Tamed(p, values, 0);
}

TEST(RescaleVectors, TiesAndEndsOfWideInputs) {
  std::mt19937_64 random(3);
  constexpr FormatId kWide[] = {FormatId::kInt32, FormatId::kUint32, FormatId::kInt48,
                                FormatId::kUint48};
  for (const FormatId from : kWide) {
    for (const FormatId to : kTargets) {
      for (int shift = kLeastShift; shift <= kGreatestShift; ++shift) {
        for (int i = 0; i < 12; ++i) {
          Shape shape = {
              .from = from, .to = to, .scale32 = GetFormat(from).bits == 32 && i % 3 != 0};
          if (shape.scale32 && i % 2 == 0) shape.rounding = RescaleRounding::kDouble;
          shape.limit = static_cast<ValueLimit>(i % 4 % 3);
          if (GetFormat(to).bits == 8) shape.output_zp = RangeOf(GetFormat(to)).Clip(i * 20 - 128);
          if (to == FormatId::kUint16) shape.output_zp = i % 2 == 0 ? 0 : 32768;
          // One scale; several of one kind; several of all kinds.
          std::vector<Scale> scales;
          for (int c = 0; c < (i < 4 ? 1 : i < 8 ? 3 : 5); ++c) {
            const int other = kLeastShift + static_cast<int>(random() % 61);
            scales.push_back({Multiplier(random, shape.scale32) | (i == 0 ? 1 << 14 : 0),
                              i < 8 || c == 0 ? shift : other});
          }
          const RescaleParams p = Params(shape, scales);
          const RescaleArray in = MakeArray(*p.source, Wide(p, random, 331), 3);
          ASSERT_NO_FATAL_FAILURE(Prove(p, in));
        }
      }
    }
  }
  SetCpuTarget(0);
}

// Values and scales for which product and rounding come to a multiple of 2^shift, or one less: a
// rounding that is off by one shows nowhere else.
struct Edge {
  std::int64_t value;
  Scale scale;
};
std::vector<Edge> Edges(bool twice, int least_shift) {
  std::vector<Edge> edges;
  for (int shift = least_shift; shift <= 46; ++shift) {
    for (std::int64_t k = -40; k <= 40; ++k) {
      const std::int64_t first = twice && shift > 31 ? (k <= 0 ? -1 : 1) * (1 << 30) : 0;
      const std::int64_t round = (std::int64_t{1} << (shift - 1)) + first;
      const std::int64_t product = k * (std::int64_t{1} << shift) - round - (k & 1);
      for (std::int64_t v = 1; v < 20'000; v += 2) {
        const std::int64_t m = std::abs(product) / v;
        if (m * v != std::abs(product) || m > 2147483647) continue;
        edges.push_back({product < 0 ? -v : v, {m, shift}});
        break;
      }
    }
  }
  return edges;
}

TEST(RescaleVectors, SumsAtTheEdgeOfTheShift) {
  for (const bool twice : {false, true}) {
    for (const int least_shift : {20, 33}) {
      const std::vector<Edge> edges = Edges(twice, least_shift);
      ASSERT_GT(edges.size(), 100u);
      Shape shape = {.from = FormatId::kInt32, .to = FormatId::kInt16};
      if (twice) shape.rounding = RescaleRounding::kDouble;
      std::vector<Scale> scales;
      std::vector<std::int64_t> values;
      for (const Edge& edge : edges) {
        scales.push_back(edge.scale);
        values.push_back(edge.value);
        const RescaleParams one = Params(shape, {edge.scale});
        const std::vector<std::int64_t> beside = {edge.value - 1, edge.value, edge.value + 1};
        ASSERT_NO_FATAL_FAILURE(Prove(one, MakeArray(*one.source, beside)));
      }
      const RescaleParams many = Params(shape, scales);
      ASSERT_NO_FATAL_FAILURE(Prove(many, MakeArray(*many.source, values)));
    }
  }
  SetCpuTarget(0);
}

std::vector<Scale> Channels(std::mt19937_64& random, std::size_t n, bool scale32, int least) {
  std::vector<Scale> scales;
  for (std::size_t c = 0; c < n; ++c) {
    const std::int64_t top = scale32 ? 1 << 30 : 1 << 14;
    scales.push_back(
        {top + static_cast<std::int64_t>(random()) % top, least + static_cast<int>(random() % 9)});
    scales.back().multiplier &= 2 * top - 1;
  }
  return scales;
}

// Inputs of about the size that gives results of the output's size, some beyond.
std::vector<std::int64_t> Sized(const RescaleParams& p, std::mt19937_64& random, std::size_t n) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(static_cast<std::int64_t>(random()) >>
                     std::min(63, 65 - p.source->bits + static_cast<int>(random() % 12)));
  }
  return values;
}

constexpr Shape kShapes[] = {
    {.from = FormatId::kInt32, .to = FormatId::kInt8, .output_zp = 3},
    {.from = FormatId::kInt32, .to = FormatId::kInt8, .rounding = RescaleRounding::kDouble},
    {.from = FormatId::kInt32, .to = FormatId::kInt16},
    {.from = FormatId::kInt32, .to = FormatId::kInt32},
    {.from = FormatId::kInt8, .to = FormatId::kInt32, .input_zp = -100},
    {.from = FormatId::kUint8, .to = FormatId::kInt8, .input_zp = 200, .output_zp = 77},
    {.from = FormatId::kInt16, .to = FormatId::kUint16, .output_zp = 32768},
    {.from = FormatId::kInt48, .to = FormatId::kInt32, .scale32 = false},
    {.from = FormatId::kInt48, .to = FormatId::kInt8, .scale32 = false},
};

// Around the units of each CPU target (16 to 64 elements), and around two of the blocks of 1024.
TEST(RescaleVectors, EveryLengthAtOddPlaces) {
  std::mt19937_64 random(4);
  std::vector<std::size_t> lengths;
  for (std::size_t n = 0; n <= 2 * 64 + 1; ++n) lengths.push_back(n);
  for (const std::size_t n : {1023u, 1024u, 1025u, 1087u, 2047u, 2048u, 2049u})
    lengths.push_back(n);
  for (const Shape& shape : kShapes) {
    for (const std::size_t channels : {1u, 3u, 64u}) {
      const int least = random() % 2 != 0 ? 26 : 34;  // with and without a look at each value
      const RescaleParams p = Params(shape, Channels(random, channels, shape.scale32, least));
      for (const std::size_t n : lengths) {
        const RescalePlace place = {
            .channel = random() % channels, .offset = random() % 67, .large = random() % 2 != 0};
        const std::vector<std::int64_t> values = Tamed(p, Sized(p, random, n), place.channel);
        const RescaleArray in = MakeArray(*p.source, values, random() % 67);
        ASSERT_NO_FATAL_FAILURE(Prove(p, in, place));
      }
    }
  }
  SetCpuTarget(0);
}

TEST(RescaleVectors, AnyNumberOfChannelsFromAnyOn) {
  std::mt19937_64 random(5);
  for (const Shape& shape : kShapes) {
    for (const std::size_t channels :
         {1u, 2u, 3u, 4u, 7u, 8u, 15u, 16u, 31u, 33u, 48u, 63u, 64u, 65u, 100u, 127u, 1000u}) {
      for (const int least : {26, 34}) {
        const RescaleParams p = Params(shape, Channels(random, channels, shape.scale32, least));
        for (const std::size_t channel : {std::size_t{0}, channels / 2, channels - 1}) {
          const RescalePlace place = {.channel = channel, .large = random() % 2 != 0};
          const std::vector<std::int64_t> values = Tamed(p, Sized(p, random, 2500), channel);
          ASSERT_NO_FATAL_FAILURE(Prove(p, MakeArray(*p.source, values), place));
        }
      }
    }
  }
  SetCpuTarget(0);
}

// One unpredictable element anywhere: what it is and where is told, and the others stay as they are.
TEST(RescaleVectors, AnUnpredictableElementIsFound) {
  std::mt19937_64 random(6);
  const Shape shape = {.from = FormatId::kInt32, .to = FormatId::kInt8, .output_zp = -5};
  for (const std::size_t channels : {1u, 5u}) {
    const RescaleParams p = Params(shape, Channels(random, channels, true, 18));
    ASSERT_TRUE(p.columns.checked);
    const std::vector<std::int64_t> values = Tamed(p, Sized(p, random, 3000), 0);
    for (const std::size_t at :
         {0u, 1u, 63u, 64u, 1023u, 1024u, 2047u, 2500u, 2944u, 2998u, 2999u}) {
      std::vector<std::int64_t> one = values;
      const Lane& lane = p.lanes[at % channels];
      one[at] = at % 2 == 0 ? lane.values.greatest + 1 : lane.values.least - 1;
      one[(at + 700) % 3000] = one[at];
      ASSERT_NO_FATAL_FAILURE(Prove(p, MakeArray(*p.source, one, 1)));
    }
  }
  SetCpuTarget(0);
}

}  // namespace
}  // namespace exactcast
