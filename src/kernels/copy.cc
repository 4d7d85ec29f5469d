// SPDX-License-Identifier: Apache-2.0
//
// A format to itself: the bytes move, and NaN are counted on the way.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/copy.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "exactcast/spec/codec.h"
#include "src/kernels/kernels.h"
#include "src/kernels/rounding-inl.h"
#include "src/kernels/words.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

// Copies whole vectors while it counts words whose magnitude is above `above`; the words done.
template <typename Word>
HWY_NOINLINE std::size_t CopyVectors(const std::byte* in, std::byte* out, std::size_t n, Word above,
                                     std::uint64_t* nan) {
  const hn::ScalableTag<Word> d;
  using V = hn::Vec<decltype(d)>;
  const V limit = hn::Set(d, above);
  const V magnitude_mask = hn::Set(d, static_cast<Word>(static_cast<Word>(~Word{0}) >> 1));
  const auto* from = reinterpret_cast<const Word*>(in);
  auto* to = reinterpret_cast<Word*>(out);
  // Lanes of 16 bits hold the count of 1,024 vectors with ease.
  constexpr std::size_t kVectors = 1024;
  std::size_t i = 0;
  while (i + hn::Lanes(d) <= n) {
    const std::size_t end = std::min(n, i + kVectors * hn::Lanes(d));
    LaneCounter<V> counter;
    for (; i + hn::Lanes(d) <= end; i += hn::Lanes(d)) {
      const V x = hn::LoadU(d, from + i);
      hn::StoreU(x, d, to + i);
      counter.Add(AllOnesWhere<V>(Greater(hn::And(x, magnitude_mask), limit)));
    }
    *nan += counter.Total();
  }
  return i;
}

template <typename Word>
std::uint64_t CopyCounting(const Format& f, const std::byte* in, std::byte* out, std::size_t n) {
  const auto above = static_cast<Word>(InfinityCode(f, false));
  std::uint64_t nan = 0;
  const std::size_t done = CopyVectors<Word>(in, out, n, above, &nan);
  for (std::size_t i = done; i < n; ++i) {
    const Word word = LoadWord<Word>(in, i);
    StoreWord(out, i, word);
    nan += Decode(word, f).cls == Class::kNan ? 1 : 0;
  }
  return nan;
}

void RunCopy(const Params& p, const std::byte* in, std::byte* out, std::size_t n, Tally* tally) {
  const Format& f = *p.source;
  std::uint64_t nan = 0;
  if (tally == nullptr || IsInteger(f)) {
    std::memcpy(out, in, n * static_cast<std::size_t>(f.storage_bits) / 8);
  } else if (f.storage_bits == 16) {
    nan = CopyCounting<std::uint16_t>(f, in, out, n);
  } else if (f.storage_bits == 32) {
    nan = CopyCounting<std::uint32_t>(f, in, out, n);
  } else {
    nan = CopyCounting<std::uint64_t>(f, in, out, n);
  }
  if (tally == nullptr) return;
  (*tally)[static_cast<std::size_t>(Outcome::kNan)] += nan;
  (*tally)[static_cast<std::size_t>(Outcome::kExact)] += n - nan;
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(RunCopy);

// Formats of 8 bits have a table.
bool AcceptsCopy(const Params& p) {
  const Format& f = *p.source;
  return p.operation == Operation::kConvert && f.id == p.target->id && f.bits == f.storage_bits &&
         f.bits > 8;
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place, std::size_t n, Tally* tally) {
  if (n > 0) HWY_DYNAMIC_DISPATCH(RunCopy)(p, in, out, n, tally);
}

}  // namespace

const KernelRow kCopyKernel = {"copy", "the bytes as they are", AcceptsCopy, PrepareNothing, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
