// SPDX-License-Identifier: Apache-2.0
//
// The general kernel over 32-bit lanes: sources of 16 bits and up to targets with at most 16 bits of
// precision, and to what a float32 lane holds exactly. Two passes over a block: words to float32
// bits, those to codes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/narrow.cc"
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

void RunNarrow(const Params& p, const std::byte* in, std::byte* out, std::size_t n, Tally* tally) {
  HWY_ALIGN std::uint32_t lanes[kBlockRoom];
  const Float32Decoder decode = DecoderToFloat32(p.source->id);
  const Encoder<std::uint32_t> encode = ChooseEncoder<std::uint32_t>(p.encoding);
  const std::size_t in_bytes = static_cast<std::size_t>(p.source->storage_bits) / 8;
  const std::size_t out_bytes = static_cast<std::size_t>(p.target->storage_bits) / 8;
  const std::uint32_t nan_above =
      p.source->id == FormatId::kFloat64 ? kBeyondFloat32 : LaneFormat<std::uint32_t>::kInfinity;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    const std::size_t filled = decode(in + at * in_bytes, size, lanes);
    const LaneCounts counts = encode(p.encoding, {lanes, filled, nan_above, nullptr});
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

HWY_EXPORT(RunNarrow);

bool AcceptsNarrow(const Params& p) {
  const Format& from = *p.source;
  const Format& to = *p.target;
  if (from.storage_bits < 16) return false;
  if (p.operation == Operation::kRoundToIntegral) return from.id == FormatId::kFloat32;
  if (p.operation != Operation::kConvert) return false;
  const bool from_wide = from.storage_bits == 64 || (IsInteger(from) && from.bits == 32);
  switch (p.encoding.step) {
    case EncodeStep::kFloat:
      return to.bits <= 19;
    case EncodeStep::kTapered:
      return true;
    case EncodeStep::kBoolean:
      return !IsInteger(from);
    case EncodeStep::kInteger:  // a wide source keeps no low bits to wrap
      return !IsInteger(from) && to.bits <= (from_wide ? 16 : 32) &&
             !(from_wide && p.encoding.wraps);
    case EncodeStep::kSame:
      return !from_wide && to.storage_bits == 32;
    case EncodeStep::kIntegral:
      break;
  }
  return false;
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place, std::size_t n, Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunNarrow)(p, in, out, n, tally);
}

}  // namespace

const KernelRow kNarrowKernel = {"narrow", "32-bit lanes", AcceptsNarrow, PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
