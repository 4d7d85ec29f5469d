// SPDX-License-Identifier: Apache-2.0
//
// From an Encoding to the encoder with its mode for a template parameter. Included once per CPU
// target.
#if defined(EXACTCAST_SRC_KERNELS_CHOOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTCAST_SRC_KERNELS_CHOOSE_INL_H_
#undef EXACTCAST_SRC_KERNELS_CHOOSE_INL_H_
#else
#define EXACTCAST_SRC_KERNELS_CHOOSE_INL_H_
#endif

#include "exactcast/spec/reference.h"
#include "src/kernels/encode-inl.h"
#include "src/kernels/encode_tapered-inl.h"
#include "src/kernels/params.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {

template <typename Lane>
using Encoder = LaneCounts (*)(const Encoding&, const BlockOf<Lane>&);

template <Rounding kMode, typename Lane>
Encoder<Lane> EncoderForMode(const Encoding& e) {
  switch (e.step) {
    case EncodeStep::kFloat:
      if constexpr (sizeof(Lane) == 4) {
        if (e.is_rare) return EncodeFloat<true, Rounding::kNone, Lane>;
      }
      return EncodeFloat<false, kMode, Lane>;
    case EncodeStep::kInteger:
      return EncodeInteger<kMode, Lane>;
    case EncodeStep::kTapered:
      if constexpr (sizeof(Lane) == 4) return EncodeTapered<Lane>;
      break;
    case EncodeStep::kIntegral:
      if constexpr (sizeof(Lane) == 4) return EncodeIntegral<Lane>;
      break;
    case EncodeStep::kBoolean:
      if constexpr (sizeof(Lane) == 4) return EncodeBoolean<Lane>;
      break;
    case EncodeStep::kSame:
      break;
  }
  return EncodeSame<Lane>;
}

// General kernels always count: a second set of encoders would save them a fifth, and double their
// size.
template <typename Lane>
Encoder<Lane> ChooseEncoder(const Encoding& e) {
  switch (e.rounding) {
    case Rounding::kTowardNegative:
      return EncoderForMode<Rounding::kTowardNegative, Lane>(e);
    case Rounding::kTowardPositive:
      return EncoderForMode<Rounding::kTowardPositive, Lane>(e);
    case Rounding::kTiesToAway:
      return EncoderForMode<Rounding::kTiesToAway, Lane>(e);
    case Rounding::kTowardZero:
      return EncoderForMode<Rounding::kTowardZero, Lane>(e);
    case Rounding::kToOdd:
      return EncoderForMode<Rounding::kToOdd, Lane>(e);
    case Rounding::kHybrid:  // hifloat8 alone has it
      if constexpr (sizeof(Lane) == 4) return EncodeTapered<Lane>;
      [[fallthrough]];
    case Rounding::kTiesToEven:
    case Rounding::kNone:
      break;
  }
  return EncoderForMode<Rounding::kTiesToEven, Lane>(e);
}

// Adds the classes of n elements.
inline void AddCounts(const LaneCounts& c, const Encoding& e, std::size_t n, Tally* tally) {
  const std::uint64_t overflowed =
      c.beyond - c.nan - (e.infinity_is_exact ? c.infinite : std::uint64_t{0});
  const auto add = [&](Outcome outcome, std::uint64_t count) {
    (*tally)[static_cast<std::size_t>(outcome)] += count;
  };
  add(Outcome::kNan, c.nan);
  add(Outcome::kOverflowed, overflowed);
  add(Outcome::kUnderflowed, c.tiny);
  add(Outcome::kRounded, c.inexact - c.tiny);
  add(Outcome::kExact, n - c.nan - overflowed - c.inexact);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#endif  // EXACTCAST_SRC_KERNELS_CHOOSE_INL_H_
