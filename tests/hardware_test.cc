// SPDX-License-Identifier: Apache-2.0
//
// The reference against the processor's own conversions: float32 <-> float16 where there are
// instructions for it, float64 -> float32 and integers -> float32 and float64 under each rounding
// direction of <cfenv>; rounding to an integral value against <cmath>.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "exactcast/spec/reference.h"
#include "tests/oracle/oracle.h"
#include "tests/support/compare.h"
#include "tests/support/rounding_classes.h"
#include "tests/support/stride.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace {

using support::kStride;

const oracle::Policy kPolicy{
    "exact/ieee"};  // IEEE 754-2019 7.4, quiet NaNs with payload: what the hardware does

class HardwareComparison {
 public:
  HardwareComparison(std::string_view source, std::string_view target)
      : source_(oracle::Find(source)),
        target_(oracle::Find(target)),
        library_source_(support::LibraryFormat(source)),
        library_target_(support::LibraryFormat(target)) {}

  void Check(std::uint64_t word, oracle::Mode mode, std::uint64_t hardware) {
    const exactcast::CastResult got =
        exactcast::Cast(word, library_source_, library_target_, support::LibraryRounding(mode),
                        support::LibraryRules(kPolicy));
    if (got.bits == hardware || failures_.Enough()) return;
    failures_.Add(source_, target_, word, mode, kPolicy, got, hardware, "", "hardware");
  }

  [[nodiscard]] bool Enough() const { return failures_.Enough(); }
  [[nodiscard]] std::vector<std::uint64_t> Words() const {
    std::vector<std::uint64_t> words;
    const std::vector<std::uint64_t> all = support::Classes(source_, target_);
    for (std::size_t i = 0; i < all.size(); i += kStride) words.push_back(all[i]);
    return words;
  }

 private:
  const oracle::Format& source_;
  const oracle::Format& target_;
  const exactcast::Format& library_source_;
  const exactcast::Format& library_target_;
  support::Failures failures_;
};

constexpr std::array<std::pair<oracle::Mode, int>, 4> kDirections = {{
    {oracle::Mode::kRint, FE_TONEAREST},
    {oracle::Mode::kFloor, FE_DOWNWARD},
    {oracle::Mode::kCeil, FE_UPWARD},
    {oracle::Mode::kTrunc, FE_TOWARDZERO},
}};

// The processor's conversion of one value; kept from the optimizer, which may assume round to
// nearest.
template <typename To, typename From>
__attribute__((noinline)) To Convert(From value) {
  volatile From in = value;
  volatile To out = static_cast<To>(in);
  return out;
}

template <typename From>
From FromWord(std::uint64_t word) {
  if constexpr (std::is_same_v<From, double>) {
    return std::bit_cast<double>(word);
  } else if constexpr (std::is_same_v<From, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(word));
  } else {
    return static_cast<From>(word);
  }
}

template <typename To>
std::uint64_t ToWord(To value) {
  if constexpr (sizeof(To) == 8) {
    return std::bit_cast<std::uint64_t>(value);
  } else {
    return std::bit_cast<std::uint32_t>(value);
  }
}

template <typename From, typename To>
void CheckDirections(std::string_view source, std::string_view target) {
  HardwareComparison comparison(source, target);
  const std::vector<std::uint64_t> words = comparison.Words();
  for (const auto& [mode, direction] : kDirections) {
    std::vector<std::uint64_t> results;
    ASSERT_EQ(std::fesetround(direction), 0);
    for (const std::uint64_t word : words) {
      results.push_back(ToWord(Convert<To>(FromWord<From>(word))));
    }
    ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
    for (std::size_t i = 0; i < words.size() && !comparison.Enough(); ++i) {
      // Compilers put unsigned conversions together from other instructions; clang's ends in 0 - 0,
      // which is -0 toward negative.
      if (std::is_unsigned_v<From> && words[i] == 0) continue;
      comparison.Check(words[i], mode, results[i]);
    }
  }
}

TEST(Hardware, Float64ToFloat32) { CheckDirections<double, float>("float64", "float32"); }
TEST(Hardware, Float32ToFloat64) { CheckDirections<float, double>("float32", "float64"); }
TEST(Hardware, Int32ToFloat32) { CheckDirections<std::int32_t, float>("int32", "float32"); }
TEST(Hardware, Int64ToFloat32) { CheckDirections<std::int64_t, float>("int64", "float32"); }
TEST(Hardware, Int64ToFloat64) { CheckDirections<std::int64_t, double>("int64", "float64"); }
TEST(Hardware, Int32ToFloat64) { CheckDirections<std::int32_t, double>("int32", "float64"); }
TEST(Hardware, Uint32ToFloat32) { CheckDirections<std::uint32_t, float>("uint32", "float32"); }
TEST(Hardware, Uint64ToFloat32) { CheckDirections<std::uint64_t, float>("uint64", "float32"); }
TEST(Hardware, Uint64ToFloat64) { CheckDirections<std::uint64_t, double>("uint64", "float64"); }

// ---- To an integral value of the same format ----------------------------------------------------

template <typename Float>
Float Integral(Float value, oracle::Mode mode) {
  switch (mode) {
    case oracle::Mode::kFloor:
      return std::floor(value);
    case oracle::Mode::kCeil:
      return std::ceil(value);
    case oracle::Mode::kTrunc:
      return std::trunc(value);
    case oracle::Mode::kRound:
      return std::round(value);
    case oracle::Mode::kOdd: {
      const Float whole = std::trunc(value);
      if (whole == value || std::fmod(whole, Float{2}) != 0) return whole;
      return whole + std::copysign(Float{1}, value);
    }
    default:
      return std::nearbyint(value);  // to even, the direction being FE_TONEAREST
  }
}

template <typename Float>
void CheckIntegral(std::string_view name) {
  const oracle::Format& format = oracle::Find(name);
  const exactcast::Format& library_format = support::LibraryFormat(name);
  support::Failures failures;
  for (const std::uint64_t word : support::Classes(format, oracle::Find("int64"))) {
    const Float value = FromWord<Float>(word);
    if (std::isnan(value)) continue;
    for (const oracle::Mode mode : oracle::kModes) {
      const Float expected = Integral(value, mode);
      const exactcast::CastResult got =
          exactcast::RoundToIntegral(word, library_format, support::LibraryRounding(mode));
      if (got.bits == ToWord(expected) &&
          (got.outcome == exactcast::Outcome::kExact) == (expected == value)) {
        continue;
      }
      failures.Add(std::string(name) + " to an integral value, mode " + std::string(Name(mode)) +
                   "\n  input    " + support::Hex(word, format.bits) + "\n  library  " +
                   support::Hex(got.bits, format.bits) + " " +
                   std::string(support::LibraryOutcome(got.outcome)) + "\n  libm     " +
                   support::Hex(ToWord(expected), format.bits));
      if (failures.Enough()) return;
    }
  }
}

TEST(Hardware, Float32ToAnIntegralValue) { CheckIntegral<float>("float32"); }
TEST(Hardware, Float64ToAnIntegralValue) { CheckIntegral<double>("float64"); }

// ---- float16 ------------------------------------------------------------------------------------

#if defined(__x86_64__)

bool HasFloat16() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  // F16C uses the wide registers, which the operating system must save: "avx" says that it does.
  return __builtin_cpu_supports("avx") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 &&
         (ecx & bit_F16C) != 0;
}

__attribute__((target("f16c"))) std::uint32_t HalfToFloat(std::uint32_t half) {
  const __m128 floats = _mm_cvtph_ps(_mm_cvtsi32_si128(static_cast<int>(half)));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_castps_si128(floats)));
}

template <int direction>
__attribute__((target("f16c"))) std::uint32_t FloatToHalf(std::uint32_t word) {
  const __m128 floats = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(word)));
  const __m128i halves = _mm_cvtps_ph(floats, direction);
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(halves)) & 0xffff;
}

constexpr std::array<std::pair<oracle::Mode, std::uint32_t (*)(std::uint32_t)>, 4> kToHalf = {{
    {oracle::Mode::kRint, FloatToHalf<_MM_FROUND_TO_NEAREST_INT>},
    {oracle::Mode::kFloor, FloatToHalf<_MM_FROUND_TO_NEG_INF>},
    {oracle::Mode::kCeil, FloatToHalf<_MM_FROUND_TO_POS_INF>},
    {oracle::Mode::kTrunc, FloatToHalf<_MM_FROUND_TO_ZERO>},
}};

#elif defined(__aarch64__)

bool HasFloat16() { return true; }

std::uint32_t HalfToFloat(std::uint32_t half) {
  const volatile __fp16 value = std::bit_cast<__fp16>(static_cast<std::uint16_t>(half));
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

template <int direction>
__attribute__((noinline)) std::uint32_t FloatToHalf(std::uint32_t word) {
  std::fesetround(direction);
  volatile float in = std::bit_cast<float>(word);
  volatile __fp16 out = static_cast<__fp16>(in);
  std::fesetround(FE_TONEAREST);
  const __fp16 value = out;
  return std::bit_cast<std::uint16_t>(value);
}

constexpr std::array<std::pair<oracle::Mode, std::uint32_t (*)(std::uint32_t)>, 4> kToHalf = {{
    {oracle::Mode::kRint, FloatToHalf<FE_TONEAREST>},
    {oracle::Mode::kFloor, FloatToHalf<FE_DOWNWARD>},
    {oracle::Mode::kCeil, FloatToHalf<FE_UPWARD>},
    {oracle::Mode::kTrunc, FloatToHalf<FE_TOWARDZERO>},
}};

#else

bool HasFloat16() { return false; }
std::uint32_t HalfToFloat(std::uint32_t) { return 0; }
constexpr std::array<std::pair<oracle::Mode, std::uint32_t (*)(std::uint32_t)>, 0> kToHalf = {};

#endif

constexpr char kNoFloat16[] = "this processor has no float16 conversions (x86: F16C)";

TEST(Hardware, EveryFloat16ToFloat32) {
  if (!HasFloat16()) GTEST_SKIP() << kNoFloat16;
  HardwareComparison comparison("float16", "float32");
  for (std::uint32_t half = 0; half <= 0xffff && !comparison.Enough(); ++half) {
    comparison.Check(half, oracle::Mode::kRint, HalfToFloat(half));
  }
}

TEST(Hardware, Float32ToFloat16) {
  if (!HasFloat16()) GTEST_SKIP() << kNoFloat16;
  HardwareComparison comparison("float32", "float16");
  std::vector<std::uint64_t> words = comparison.Words();
  // And every half, the middle to the next, and their float32 neighbours.
  for (std::uint32_t half = 0; half <= 0xffff; half += static_cast<std::uint32_t>(kStride)) {
    const std::uint32_t word = HalfToFloat(half);
    for (const std::uint32_t offset : {0u, 1u, 0xffffffffu, 0x0fffu, 0x1000u, 0x1001u}) {
      words.push_back(word + offset);
    }
  }
  for (const auto& [mode, convert] : kToHalf) {
    for (const std::uint64_t word : words) {
      if (comparison.Enough()) return;
      comparison.Check(word, mode, convert(static_cast<std::uint32_t>(word)));
    }
  }
}

}  // namespace
