// SPDX-License-Identifier: Apache-2.0
//
// Blocks: source words to lanes (decode-inl.h), and codes back to words. Included once per CPU target.
#if defined(EXACTCAST_SRC_KERNELS_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTCAST_SRC_KERNELS_BLOCKS_INL_H_
#undef EXACTCAST_SRC_KERNELS_BLOCKS_INL_H_
#else
#define EXACTCAST_SRC_KERNELS_BLOCKS_INL_H_
#endif

#include <cstring>

#include "exactcast/spec/format.h"
#include "src/kernels/block.h"
#include "src/kernels/decode-inl.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {

// Elements that a block has room for: a whole vector beyond it at most.
inline constexpr std::size_t kBlockRoom = kBlock + 64;

// n <= kBlock words to lanes, filled up with 1.0 to a multiple of a vector; the number of lanes.
template <class Read>
HWY_NOINLINE std::size_t DecodeBlock(const std::byte* in, std::size_t n,
                                     typename Read::Lane* lanes) {
  using Word = typename Read::Word;
  using Lane = typename Read::Lane;
  const std::size_t step = Read::Step();
  const auto* words = reinterpret_cast<const Word*>(in);
  std::size_t i = 0;
  for (; i + step <= n; i += step) Read::Read(words + i, lanes + i);
  if (i == n) return n;
  HWY_ALIGN Word rest[64] = {};
  std::memcpy(rest, in + i * sizeof(Word), (n - i) * sizeof(Word));
  Read::Read(rest, lanes + i);
  for (std::size_t k = n; k < i + step; ++k) lanes[k] = LaneFormat<Lane>::kOne;
  return i + step;
}

// Blocks of any source of 16 bits and up.
using Float32Decoder = std::size_t (*)(const std::byte*, std::size_t, std::uint32_t*);

inline Float32Decoder DecoderToFloat32(FormatId source) {
  switch (source) {
    case FormatId::kTfloat32:
      return DecodeBlock<ReadToFloat32<FormatId::kTfloat32>>;
    case FormatId::kBfloat16:
      return DecodeBlock<ReadToFloat32<FormatId::kBfloat16>>;
    case FormatId::kFloat16:
      return DecodeBlock<ReadToFloat32<FormatId::kFloat16>>;
    case FormatId::kFloat64:
      return DecodeBlock<ReadToFloat32<FormatId::kFloat64>>;
    case FormatId::kInt16:
      return DecodeBlock<ReadToFloat32<FormatId::kInt16>>;
    case FormatId::kUint16:
      return DecodeBlock<ReadToFloat32<FormatId::kUint16>>;
    case FormatId::kInt32:
      return DecodeBlock<ReadToFloat32<FormatId::kInt32>>;
    case FormatId::kUint32:
      return DecodeBlock<ReadToFloat32<FormatId::kUint32>>;
    case FormatId::kInt64:
      return DecodeBlock<ReadToFloat32<FormatId::kInt64>>;
    case FormatId::kUint64:
      return DecodeBlock<ReadToFloat32<FormatId::kUint64>>;
    default:
      return DecodeBlock<ReadToFloat32<FormatId::kFloat32>>;
  }
}

using Float64Decoder = std::size_t (*)(const std::byte*, std::size_t, std::uint64_t*);

inline Float64Decoder DecoderToFloat64(FormatId source) {
  switch (source) {
    case FormatId::kFloat32:
      return DecodeBlock<ReadToFloat64<FormatId::kFloat32>>;
    case FormatId::kTfloat32:
      return DecodeBlock<ReadToFloat64<FormatId::kTfloat32>>;
    case FormatId::kBfloat16:
      return DecodeBlock<ReadToFloat64<FormatId::kBfloat16>>;
    case FormatId::kFloat16:
      return DecodeBlock<ReadToFloat64<FormatId::kFloat16>>;
    case FormatId::kInt16:
      return DecodeBlock<ReadToFloat64<FormatId::kInt16>>;
    case FormatId::kUint16:
      return DecodeBlock<ReadToFloat64<FormatId::kUint16>>;
    case FormatId::kInt32:
      return DecodeBlock<ReadToFloat64<FormatId::kInt32>>;
    case FormatId::kUint32:
      return DecodeBlock<ReadToFloat64<FormatId::kUint32>>;
    case FormatId::kInt64:
      return DecodeBlock<ReadToFloat64<FormatId::kInt64>>;
    case FormatId::kUint64:
      return DecodeBlock<ReadToFloat64<FormatId::kUint64>>;
    default:
      return DecodeBlock<ReadToFloat64<FormatId::kFloat64>>;
  }
}

// n codes to words; reads whole vectors of lanes.
template <typename Word, typename Lane>
HWY_NOINLINE void StoreBlock(const Lane* lanes, std::size_t n, std::byte* out) {
  const hn::ScalableTag<Lane> d;
  const hn::Rebind<Word, decltype(d)> to;
  const std::size_t step = hn::Lanes(d);
  auto* words = reinterpret_cast<Word*>(out);
  const auto convert = [&](std::size_t i) HWY_ATTR {
    const auto v = hn::Load(d, lanes + i);
    if constexpr (sizeof(Word) == sizeof(Lane)) {
      return v;
    } else {
      return hn::TruncateTo(to, v);
    }
  };
  std::size_t i = 0;
  for (; i + step <= n; i += step) hn::StoreU(convert(i), to, words + i);
  if (i == n) return;
  HWY_ALIGN Word rest[64];
  hn::StoreU(convert(i), to, rest);
  std::memcpy(out + i * sizeof(Word), rest, (n - i) * sizeof(Word));
}

template <typename Lane>
void StoreWords(const Lane* lanes, std::size_t n, int storage_bits, std::byte* out) {
  switch (storage_bits) {
    case 8:
      return StoreBlock<std::uint8_t>(lanes, n, out);
    case 16:
      return StoreBlock<std::uint16_t>(lanes, n, out);
    case 32:
      return StoreBlock<std::uint32_t>(lanes, n, out);
    default:
      if constexpr (sizeof(Lane) == 8) return StoreBlock<std::uint64_t>(lanes, n, out);
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#endif  // EXACTCAST_SRC_KERNELS_BLOCKS_INL_H_
