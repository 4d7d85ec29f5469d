// SPDX-License-Identifier: Apache-2.0
//
// The general kernel over 64-bit lanes: what needs more precision than a float32 lane has, to or
// from float64 and integers of 32 and 64 bits. Two passes over a block: words to float64 bits, those
// to codes; integers of 64 bits become float64 in one pass, as they have bits that float64 lacks.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/wide.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>

#include "src/kernels/blocks-inl.h"
#include "src/kernels/choose-inl.h"
#include "src/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

// Integers of 64 bits, as they are.
struct ReadIntegers {
  using Word = std::uint64_t;
  using Lane = std::uint64_t;
  static HWY_INLINE std::size_t Step() { return hn::Lanes(hn::ScalableTag<Lane>()); }
  static HWY_INLINE void Read(const Word* words, Lane* lanes) {
    const hn::ScalableTag<Lane> d;
    hn::StoreU(hn::LoadU(d, words), d, lanes);
  }
};

// 64-bit integers to float64, in place. From 2^52 up:
//
//   magnitude  1kkkk...kkkkrrrr       bit width 53 + shift; k: 52 fraction bits, r: shift bits
//   code       (1075 + shift) << 52, less the hidden bit, plus kept
template <Rounding kMode>
HWY_NOINLINE LaneCounts IntegersToFloat64(bool is_signed, const BlockOf<std::uint64_t>& block) {
  const hn::ScalableTag<std::uint64_t> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const V has_sign = is_signed ? Constant<V>(~std::uint64_t{0}) : zero;
  Counter<V> counter;
  for (std::size_t i = 0; i < block.n; i += hn::Lanes(d)) {
    const V x = hn::Load(d, block.lanes + i);
    const V sign = hn::And(SignMask(x), has_sign);
    const V magnitude = hn::Sub(hn::Xor(x, sign), sign);
    const V is_small = AllOnesWhere<V>(hn::Eq(hn::ShiftRight<52>(magnitude), zero));
    // 1. The bit width less 53, from the upper half, which then is not zero.
    const V upper = hn::Or(hn::ShiftRight<32>(magnitude), hn::And(is_small, Constant<V>(1 << 20)));
    const V shift = hn::Sub(hn::ShiftRight<52>(IntegerToFloat64(d, upper)), Constant<V>(1023 + 20));
    // 2. Kept and discarded; the shift may be 0.
    const V kept = hn::Shr(magnitude, shift);
    const V discarded = hn::Shl(hn::ShiftLeft<1>(magnitude), hn::Sub(Constant<V>(63), shift));
    const V rounded = hn::Sub(kept, AwayMask<kMode>(discarded, kept, sign));
    const V large = hn::Add(hn::ShiftLeft<52>(hn::Add(shift, Constant<V>(1074))), rounded);
    // 3. Below 2^52: exact.
    const V small = IntegerToFloat64(d, hn::And(is_small, magnitude));
    const V code = Select(is_small, small, large);
    const V inexact = hn::AndNot(is_small, AllOnesWhere<V>(hn::Ne(discarded, zero)));
    counter.Add(zero, zero, zero, inexact, zero);
    hn::Store(hn::Or(code, hn::And(sign, Constant<V>(LaneFormat<std::uint64_t>::kMsb))), d,
              block.lanes + i);
  }
  return counter.Total();
}

using IntegerEncoder = LaneCounts (*)(bool, const BlockOf<std::uint64_t>&);

IntegerEncoder ChooseIntegerEncoder(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardNegative:
      return IntegersToFloat64<Rounding::kTowardNegative>;
    case Rounding::kTowardPositive:
      return IntegersToFloat64<Rounding::kTowardPositive>;
    case Rounding::kTiesToAway:
      return IntegersToFloat64<Rounding::kTiesToAway>;
    case Rounding::kTowardZero:
      return IntegersToFloat64<Rounding::kTowardZero>;
    case Rounding::kToOdd:
      return IntegersToFloat64<Rounding::kToOdd>;
    default:
      return IntegersToFloat64<Rounding::kTiesToEven>;
  }
}

void RunWide(const Params& p, const std::byte* in, std::byte* out, std::size_t n, Tally* tally) {
  HWY_ALIGN std::uint64_t lanes[kBlockRoom];
  const bool by_integers =
      p.target->id == FormatId::kFloat64 && IsInteger(*p.source) && p.source->bits == 64;
  const Float64Decoder decode =
      by_integers ? DecodeBlock<ReadIntegers> : DecoderToFloat64(p.source->id);
  const Encoder<std::uint64_t> encode = ChooseEncoder<std::uint64_t>(p.encoding);
  const IntegerEncoder encode_integers = ChooseIntegerEncoder(p.encoding.rounding);
  const std::size_t in_bytes = static_cast<std::size_t>(p.source->storage_bits) / 8;
  const std::size_t out_bytes = static_cast<std::size_t>(p.target->storage_bits) / 8;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    const std::size_t filled = decode(in + at * in_bytes, size, lanes);
    const BlockOf<std::uint64_t> block = {lanes, filled, LaneFormat<std::uint64_t>::kInfinity,
                                          nullptr};
    const LaneCounts counts =
        by_integers ? encode_integers(p.source->has_sign, block) : encode(p.encoding, block);
    StoreWords(lanes, size, p.target->storage_bits, out + at * out_bytes);
    if (tally != nullptr) AddCounts(counts, p.encoding, size, tally);
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(RunWide);

bool AcceptsWide(const Params& p) {
  const Format& from = *p.source;
  const Format& to = *p.target;
  if (p.operation != Operation::kConvert || from.storage_bits < 16) return false;
  if (to.id == FormatId::kFloat32) {
    return p.encoding.step == EncodeStep::kFloat && from.bits >= 32 && !p.encoding.is_rare;
  }
  if (to.id == FormatId::kFloat64) return from.id != FormatId::kFloat64;
  return !IsInteger(from) && IsInteger(to);
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place, std::size_t n, Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunWide)(p, in, out, n, tally);
}

}  // namespace

const KernelRow kWideKernel = {"wide", "64-bit lanes", AcceptsWide, PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
