// SPDX-License-Identifier: Apache-2.0
//
// The bound kernels, for every CPU target, with stores that go through the caches and past them.
#include "bench/bound.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/bound.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, as Highway wants it.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace exactcast::bench {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Words of 8 bytes, which every compiler turns into what vectors there are; no streaming.
void MoveBytes(int step, bool, const std::uint8_t* in, std::uint8_t* out,
               std::size_t smaller_bytes) {
  const auto* source = reinterpret_cast<const std::uint64_t*>(in);
  auto* target = reinterpret_cast<std::uint64_t*>(out);
  const std::size_t each = std::size_t{1} << std::abs(step);
  for (std::size_t i = 0; i < smaller_bytes / 8; ++i) {
    std::uint64_t word = source[step > 0 ? i * each : i];
    for (std::size_t k = 1; step > 0 && k < each; ++k) word |= source[i * each + k];
    for (std::size_t k = 0; k < (step < 0 ? each : 1); ++k)
      target[step < 0 ? i * each + k : i] = word;
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using D8 = hn::ScalableTag<std::uint8_t>;
using D16 = hn::ScalableTag<std::uint16_t>;
using D32 = hn::ScalableTag<std::uint32_t>;
using D64 = hn::ScalableTag<std::uint64_t>;
using V8 = hn::Vec<D8>;

template <bool kStream>
HWY_INLINE void Put(V8 v, std::uint8_t* out) {
  if constexpr (kStream) {
    hn::Stream(v, D8(), out);
  } else {
    hn::Store(v, D8(), out);
  }
}

// The top halves of the lanes of two vectors in one; the lanes have 8 * 2^kWidth bits.
template <int kWidth>
HWY_INLINE V8 TopHalves(V8 a, V8 b) {
  const D8 d8;
  if constexpr (kWidth == 1) {
    const D16 d;
    const auto high = hn::And(hn::BitCast(d, b), hn::Set(d, 0xff00));
    return hn::BitCast(d8, hn::Or(high, hn::ShiftRight<8>(hn::BitCast(d, a))));
  } else if constexpr (kWidth == 2) {
    const auto low = hn::BitCast(D16(), hn::ShiftRight<16>(hn::BitCast(D32(), a)));
    return hn::BitCast(d8, hn::OddEven(hn::BitCast(D16(), b), low));
  } else {
    const auto low = hn::BitCast(D32(), hn::ShiftRight<32>(hn::BitCast(D64(), a)));
    return hn::BitCast(d8, hn::OddEven(hn::BitCast(D32(), b), low));
  }
}

// 2^kLevels vectors into one, the widest lanes first.
template <int kLevels, int kWidth = 1>
HWY_INLINE V8 Narrowed(const std::uint8_t* in) {
  if constexpr (kLevels == 0) {
    return hn::Load(D8(), in);
  } else {
    constexpr int kInner = kWidth < 3 ? kWidth + 1 : kWidth;
    const std::size_t half = hn::Lanes(D8()) << (kLevels - 1);
    return TopHalves<kWidth>(Narrowed<kLevels - 1, kInner>(in),
                             Narrowed<kLevels - 1, kInner>(in + half));
  }
}

// One vector into 2^kLevels: zeros between its bytes, block by block.
template <bool kStream, int kLevels>
HWY_INLINE void PutWidened(V8 v, std::uint8_t* out) {
  const D8 d;
  if constexpr (kLevels == 0) {
    Put<kStream>(v, out);
  } else {
    const std::size_t half = hn::Lanes(d) << (kLevels - 1);
    PutWidened<kStream, kLevels - 1>(hn::InterleaveLower(d, hn::Zero(d), v), out);
    PutWidened<kStream, kLevels - 1>(hn::InterleaveUpper(d, hn::Zero(d), v), out + half);
  }
}

template <bool kStream, int kStep>
void Move(const std::uint8_t* in, std::uint8_t* out, std::size_t smaller_bytes) {
  const std::size_t lanes = hn::Lanes(D8());
#pragma GCC unroll 4
  for (std::size_t i = 0; i < smaller_bytes; i += lanes) {
    if constexpr (kStep >= 0) {
      Put<kStream>(Narrowed<kStep>(in + (i << kStep)), out + i);
    } else {
      PutWidened<kStream, -kStep>(hn::Load(D8(), in + i), out + (i << -kStep));
    }
  }
  if constexpr (kStream) hwy::FlushStream();
}

using MoveFunction = void (*)(const std::uint8_t*, std::uint8_t*, std::size_t);

template <bool kStream, std::size_t... kIndex>
constexpr auto MakeTable(std::index_sequence<kIndex...>) {
  return std::array<MoveFunction, sizeof...(kIndex)>{
      Move<kStream, static_cast<int>(kIndex) - kLargestStep>...};
}

void MoveBytes(int step, bool stream, const std::uint8_t* in, std::uint8_t* out,
               std::size_t smaller_bytes) {
  constexpr auto kSteps = std::make_index_sequence<2 * kLargestStep + 1>();
  static constexpr auto kThroughCaches = MakeTable<false>(kSteps);
  static constexpr auto kPastCaches = MakeTable<true>(kSteps);
  const auto& table = stream ? kPastCaches : kThroughCaches;
  table.begin()[step + kLargestStep](in, out, smaller_bytes);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace exactcast::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast::bench {

HWY_EXPORT(MoveBytes);

Traffic TrafficOf(std::size_t in_bytes, std::size_t out_bytes) {
  return {static_cast<int>(std::bit_width(in_bytes)) - static_cast<int>(std::bit_width(out_bytes))};
}

void RunBound(Traffic traffic, bool stream, const std::byte* in, std::byte* out,
              std::size_t smaller_bytes) {
  HWY_DYNAMIC_DISPATCH(MoveBytes)
  (traffic.step, stream, reinterpret_cast<const std::uint8_t*>(in),
   reinterpret_cast<std::uint8_t*>(out), smaller_bytes);
}

}  // namespace exactcast::bench
#endif  // HWY_ONCE
