// SPDX-License-Identifier: Apache-2.0
//
// From a real scale, a double, to multiplier and shift, as compilers and runtimes do it. All begin
// with scale = f * 2^e, 1/2 <= f < 1, and round f * 2^31 (or 2^15) to an integer; they differ in
// ties, in what they do at the ends, and in what they call a shift. Integers only.
#ifndef EXACTCAST_SPEC_REAL_SCALE_H_
#define EXACTCAST_SPEC_REAL_SCALE_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "exactcast/spec/rescale.h"

namespace exactcast {

enum class ScaleConvention : std::uint8_t {
  kMlir,
  kTflite,
  kExecutorch,
  kCts,
  kVela,
  kTflite16,
};

struct ScaleConventionRow {
  ScaleConvention convention;
  std::string_view name;
  std::string_view where;
  bool ties_to_even;  // of the multiplier; the others round them away from zero
  std::string_view ends;
};

// clang-format off
inline constexpr auto kScaleConventions = std::to_array<ScaleConventionRow>({
  {ScaleConvention::kMlir,       "mlir",       "LLVM, Tosa/Utils/QuantUtils.cpp",                   false, "above 62 the multiplier loses bits; below 2 refused"},
  {ScaleConvention::kTflite,     "tflite",     "TensorFlow Lite, quantization_util.cc",             false, "scales below 2^-32 become 0; no upper end"},
  {ScaleConvention::kExecutorch, "executorch", "ExecuTorch, backends/arm/operators/op_tosa_rescale.py", true, "as mlir"},
  {ScaleConvention::kCts,        "cts",        "TOSA's conformance generator, tosa_arg_gen.py",     true,  "shifts 0 and 1 become 2 by a division; 63 becomes 62 by doubling, where halving was meant"},
  {ScaleConvention::kVela,       "vela",       "Ethos-U Vela, scaling.py",                          false, "the multiplier can be 2^31; shifts outside 0 to 63 become 0 with shift 16"},
  {ScaleConvention::kTflite16,   "tflite16",   "TensorFlow Lite, 64-bit accumulators",              false, "tflite's 31 bits rounded to 15"},
});
// clang-format on

enum class ScaleStatus : std::uint8_t {
  kOk,
  kLostBits,  // the multiplier was shifted to the right to bring the shift into range
  kNegative,
  kNotFinite,
  kTooLarge,  // the shift is below the least that the convention gives
  kTooSmall,  // above the greatest
};

struct RealScale {
  Scale scale;
  ScaleStatus status = ScaleStatus::kOk;
};

namespace internal {

// scale = fraction * 2^(exponent - 53), 2^52 <= fraction < 2^53; both 0 for 0.
struct Frexp {
  std::uint64_t fraction = 0;
  int exponent = 0;
};

constexpr Frexp SplitDouble(std::uint64_t bits) noexcept {
  const auto biased = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t stored = bits & LowMask(52);
  if (biased == 0 && stored == 0) return {};
  const std::uint64_t significand = biased == 0 ? stored : stored | std::uint64_t{1} << 52;
  const int shift = std::countl_zero(significand) - 11;
  return {significand << shift, std::max(biased, 1) - 1022 - shift};
}

// fraction * 2^-drop to the nearest integer.
constexpr std::int64_t RoundFraction(std::uint64_t fraction, int drop, bool to_even) noexcept {
  const std::uint64_t kept = fraction >> drop;
  const std::uint64_t rest = fraction & LowMask(drop);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  const bool up = rest > half || (rest == half && (!to_even || (kept & 1) != 0));
  return static_cast<std::int64_t>(kept + (up ? 1 : 0));
}

constexpr RealScale Normal(std::int64_t multiplier, int exponent, int bits, bool carry) noexcept {
  if (carry && multiplier == std::int64_t{1} << bits) {
    multiplier /= 2;
    ++exponent;
  }
  return {{multiplier, bits - exponent}, ScaleStatus::kOk};
}

// MLIR and ExecuTorch.
constexpr RealScale FitByShifting(RealScale r, int greatest) noexcept {
  if (r.scale.shift > greatest) {
    r.scale.multiplier >>= std::min(31, r.scale.shift - greatest);
    r.scale.shift = greatest;
    r.status = ScaleStatus::kLostBits;
  }
  if (r.scale.shift < kLeastShift) r.status = ScaleStatus::kTooLarge;
  return r;
}

constexpr RealScale FitLikeCts(RealScale r) noexcept {
  Scale& s = r.scale;
  if (s.shift == 0 || s.shift == 1) {
    s = {s.multiplier / (s.shift == 0 ? 4 : 2), 2};
  } else if (s.shift == 63) {
    s = {s.multiplier * 2, 62};
  }
  if (s.shift < kLeastShift) r.status = ScaleStatus::kTooLarge;
  // Doubled, a multiplier is above the 2^31 (or 2^15) that the generator asserts.
  if (s.shift > kGreatestShift) r.status = ScaleStatus::kTooSmall;
  return r;
}

// TensorFlow Lite keeps a left shift; RESCALE's is 31 (or 15) less that.
constexpr RealScale FitLikeTflite(RealScale r, bool narrow) noexcept {
  if (r.scale.shift > 62) r.scale = {0, 31};
  if (!narrow) return r;
  const std::int64_t m = r.scale.multiplier;
  return {{m < 0x7fff0000 ? (m + (1 << 15)) >> 16 : 0x7fff, r.scale.shift - 16}, r.status};
}

constexpr RealScale FitLikeVela(RealScale r) noexcept {
  if (r.scale.shift < 0 || r.scale.shift > 63) r.scale = {0, 16};
  return r;
}

}  // namespace internal

// `bits` is the code of a float64. `scale32` chooses the width where the convention has both: mlir,
// executorch, cts. `greatest_shift` was 63 in MLIR and its copies before 2025.
constexpr RealScale ScaleFromReal(std::uint64_t bits, ScaleConvention convention, bool scale32,
                                  int greatest_shift = kGreatestShift) noexcept {
  using enum ScaleConvention;
  if ((bits >> 52 & 0x7ff) == 0x7ff) return {{}, ScaleStatus::kNotFinite};
  const bool negative = bits >> 63 != 0 && bits << 1 != 0;
  const bool two_widths = convention == kMlir || convention == kExecutorch || convention == kCts;
  const int width = scale32 || !two_widths ? 31 : 15;
  const internal::Frexp split = internal::SplitDouble(bits);
  const bool to_even = kScaleConventions[static_cast<std::size_t>(convention)].ties_to_even;
  const std::int64_t rounded = internal::RoundFraction(split.fraction, 53 - width, to_even);
  RealScale r = internal::Normal(rounded, split.exponent, width, convention != kVela);
  if (negative) {
    r.scale.multiplier = -r.scale.multiplier;
    r.status = ScaleStatus::kNegative;
    return r;
  }
  switch (convention) {
    case kMlir:
    case kExecutorch:
      return internal::FitByShifting(r, greatest_shift);
    case kCts:
      return internal::FitLikeCts(r);
    case kTflite:
    case kTflite16:
      return internal::FitLikeTflite(r, convention == kTflite16);
    case kVela:
      return internal::FitLikeVela(r);
  }
  return r;
}

}  // namespace exactcast

#endif  // EXACTCAST_SPEC_REAL_SCALE_H_
