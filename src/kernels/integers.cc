// SPDX-License-Identifier: Apache-2.0
//
// Integers to integers and to bool: the value is the same or does not fit. Signed and unsigned
// sources compare alike once the top bit of unsigned ones is turned.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/integers.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>

#include "src/kernels/blocks-inl.h"
#include "src/kernels/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

// Sign- or zero-extended words.
template <typename SourceWord, typename LaneType>
struct ReadIntegers {
  using Word = SourceWord;
  using Lane = LaneType;
  static HWY_INLINE std::size_t Step() { return hn::Lanes(hn::ScalableTag<Lane>()); }
  static HWY_INLINE void Read(const Word* words, Lane* lanes) {
    const hn::ScalableTag<Lane> d;
    if constexpr (sizeof(Word) == 2 && sizeof(Lane) == 8) {
      const hn::Rebind<std::conditional_t<std::is_signed_v<Word>, std::int32_t, std::uint32_t>,
                       decltype(d)>
          middle;
      const auto v = hn::PromoteTo(middle, hn::LoadU(hn::Rebind<Word, decltype(d)>(), words));
      using Wide = std::conditional_t<std::is_signed_v<Word>, std::int64_t, std::uint64_t>;
      hn::StoreU(hn::BitCast(d, hn::PromoteTo(hn::Rebind<Wide, decltype(d)>(), v)), d, lanes);
    } else {
      hn::StoreU(LoadAs(d, words), d, lanes);
    }
  }
};

// The range of the target among the source's values, in the lane's signed order.
struct Clamp {
  std::uint64_t turn;  // the top bit for unsigned sources, else 0
  std::uint64_t least;
  std::uint64_t largest;
  bool wraps;
};

// The number of elements that did not fit.
template <bool kCounts, typename Lane>
HWY_NOINLINE std::uint64_t ClampBlock(const Clamp& c, Lane* lanes, std::size_t n) {
  const hn::ScalableTag<Lane> d;
  using V = hn::Vec<decltype(d)>;
  const V turn = hn::Set(d, static_cast<Lane>(c.turn));
  const V least = hn::Set(d, static_cast<Lane>(c.least));
  const V largest = hn::Set(d, static_cast<Lane>(c.largest));
  LaneCounter<V> counter;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const V code = hn::Load(d, lanes + i);
    const V x = hn::Xor(code, turn);
    const V below = AllOnesWhere<V>(Greater(least, x));
    const V above = AllOnesWhere<V>(Greater(x, largest));
    if constexpr (kCounts) counter.Add(hn::Or(below, above));
    if (c.wraps) continue;
    const V clamped = hn::IfVecThenElse(above, largest, hn::IfVecThenElse(below, least, x));
    hn::Store(hn::Xor(clamped, turn), d, lanes + i);
  }
  return kCounts ? counter.Total() : 0;
}

// The number of elements that are neither 0 nor 1.
template <bool kCounts, typename Lane>
HWY_NOINLINE std::uint64_t TruthBlock(const Clamp&, Lane* lanes, std::size_t n) {
  const hn::ScalableTag<Lane> d;
  using V = hn::Vec<decltype(d)>;
  const V one = hn::Set(d, Lane{1});
  LaneCounter<V> counter;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    const V x = hn::Load(d, lanes + i);
    const V is_zero = MaskWhere<V>(hn::Eq(x, hn::Zero(d)));
    const V is_one = MaskWhere<V>(hn::Eq(x, one));
    if constexpr (kCounts) counter.Add(hn::Not(hn::Or(is_zero, is_one)));
    hn::Store(hn::AndNot(is_zero, one), d, lanes + i);
  }
  return kCounts ? counter.Total() : 0;
}

template <typename Lane>
Clamp ClampFor(const Params& p) {
  const Format& from = *p.source;
  const Format& to = *p.target;
  constexpr int kBits = LaneFormat<Lane>::kBits;
  constexpr Lane kMsb = LaneFormat<Lane>::kMsb;
  Clamp c = {.turn = from.has_sign ? 0 : kMsb,
             .least = kMsb,
             .largest = kMsb - 1,
             .wraps = p.encoding.wraps};
  if (to.has_sign && from.has_sign && to.bits < kBits) {
    c.least = static_cast<Lane>(~Lane{0} << (to.bits - 1));
  }
  if (!to.has_sign && from.has_sign) c.least = 0;
  const std::uint64_t largest = LowMask(to.bits - (to.has_sign ? 1 : 0));
  if (largest <= LowMask(kBits - (from.has_sign ? 1 : 0))) {
    c.largest = static_cast<Lane>(static_cast<Lane>(largest) ^ static_cast<Lane>(c.turn));
  }
  return c;
}

// The bits above a code of 2 or 4 bits are zero.
template <typename Lane>
void MaskBlock(int bits, Lane* lanes, std::size_t n) {
  const hn::ScalableTag<Lane> d;
  const auto mask = hn::Set(d, static_cast<Lane>(LowMask(bits)));
  for (std::size_t i = 0; i < n; i += hn::Lanes(d)) {
    hn::Store(hn::And(hn::Load(d, lanes + i), mask), d, lanes + i);
  }
}

template <typename Word, typename Lane>
void RunLanes(const Params& p, const std::byte* in, std::byte* out, std::size_t n, Tally* tally) {
  HWY_ALIGN Lane lanes[kBlockRoom];
  const bool to_bool = p.target->kind == Kind::kBoolean;
  const Clamp clamp = ClampFor<Lane>(p);
  const auto convert = to_bool
                           ? (tally != nullptr ? TruthBlock<true, Lane> : TruthBlock<false, Lane>)
                           : (tally != nullptr ? ClampBlock<true, Lane> : ClampBlock<false, Lane>);
  const std::size_t out_bytes = static_cast<std::size_t>(p.target->storage_bits) / 8;
  std::uint64_t changed = 0;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    const std::size_t filled =
        DecodeBlock<ReadIntegers<Word, Lane>>(in + at * sizeof(Word), size, lanes);
    // What fills the block up to a whole vector is to fit and be no more than 1.
    for (std::size_t k = size; k < filled; ++k) lanes[k] = 0;
    changed += convert(clamp, lanes, filled);
    if (p.target->bits < 8) MaskBlock(p.target->bits, lanes, filled);
    StoreWords(lanes, size, p.target->storage_bits, out + at * out_bytes);
  }
  if (tally == nullptr) return;
  (*tally)[static_cast<std::size_t>(to_bool ? Outcome::kRounded : Outcome::kOverflowed)] += changed;
  (*tally)[static_cast<std::size_t>(Outcome::kExact)] += n - changed;
}

void RunIntegers(const Params& p, const std::byte* in, std::byte* out, std::size_t n,
                 Tally* tally) {
  const bool wide = p.target->storage_bits == 64;
  switch (p.source->id) {
    case FormatId::kInt16:
      return wide ? RunLanes<std::int16_t, std::uint64_t>(p, in, out, n, tally)
                  : RunLanes<std::int16_t, std::uint32_t>(p, in, out, n, tally);
    case FormatId::kUint16:
      return wide ? RunLanes<std::uint16_t, std::uint64_t>(p, in, out, n, tally)
                  : RunLanes<std::uint16_t, std::uint32_t>(p, in, out, n, tally);
    case FormatId::kInt32:
      return wide ? RunLanes<std::int32_t, std::uint64_t>(p, in, out, n, tally)
                  : RunLanes<std::int32_t, std::uint32_t>(p, in, out, n, tally);
    case FormatId::kUint32:
      return wide ? RunLanes<std::uint32_t, std::uint64_t>(p, in, out, n, tally)
                  : RunLanes<std::uint32_t, std::uint32_t>(p, in, out, n, tally);
    case FormatId::kInt64:
      return RunLanes<std::int64_t, std::uint64_t>(p, in, out, n, tally);
    default:
      return RunLanes<std::uint64_t, std::uint64_t>(p, in, out, n, tally);
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

HWY_EXPORT(RunIntegers);

bool AcceptsIntegers(const Params& p) {
  return p.operation == Operation::kConvert && IsInteger(*p.source) &&
         p.source->storage_bits >= 16 &&
         (IsInteger(*p.target) || p.target->kind == Kind::kBoolean) && p.source->id != p.target->id;
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place, std::size_t n, Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunIntegers)(p, in, out, n, tally);
}

}  // namespace

const KernelRow kIntegersKernel = {"integers", "integer lanes", AcceptsIntegers, PrepareNothing,
                                   Run};

}  // namespace exactcast
#endif  // HWY_ONCE
