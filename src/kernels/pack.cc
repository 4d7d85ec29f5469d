// SPDX-License-Identifier: Apache-2.0
#include "src/kernels/pack.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/pack.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>

#include "exactcast/spec/codec.h"
#include "src/kernels/rounding-inl.h"
#include "src/kernels/words.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

// Each of these does whole vectors, and says how many elements it did.

std::size_t UnpackVectors(const std::byte* in, int bits, std::size_t n, std::byte* codes) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(in);
  auto* out = reinterpret_cast<std::uint8_t*>(codes);
  const std::size_t step = hn::Lanes(d);
  std::size_t i = 0;
  if (bits == 4) {
    const auto mask = hn::Set(d, std::uint8_t{15});
    for (; i + 2 * step <= n; i += 2 * step) {
      const auto x = hn::LoadU(d, bytes + i / 2);
      hn::StoreInterleaved2(hn::And(x, mask), hn::And(hn::ShiftRight<4>(x), mask), d, out + i);
    }
  } else {
    const auto mask = hn::Set(d, std::uint8_t{3});
    for (; i + 4 * step <= n; i += 4 * step) {
      const auto x = hn::LoadU(d, bytes + i / 4);
      hn::StoreInterleaved4(hn::And(x, mask), hn::And(hn::ShiftRight<2>(x), mask),
                            hn::And(hn::ShiftRight<4>(x), mask),
                            hn::And(hn::ShiftRight<6>(x), mask), d, out + i);
    }
  }
  return i;
}

std::size_t PackVectors(const std::byte* codes, int bits, std::size_t n, std::byte* out) {
  const hn::ScalableTag<std::uint8_t> d;
  using V = hn::Vec<decltype(d)>;
  const auto* in = reinterpret_cast<const std::uint8_t*>(codes);
  auto* bytes = reinterpret_cast<std::uint8_t*>(out);
  const std::size_t step = hn::Lanes(d);
  std::size_t i = 0;
  V a;
  V b;
  if (bits == 4) {
    const auto mask = hn::Set(d, std::uint8_t{15});
    for (; i + 2 * step <= n; i += 2 * step) {
      hn::LoadInterleaved2(d, in + i, a, b);
      hn::StoreU(hn::Or(hn::And(a, mask), hn::ShiftLeft<4>(b)), d, bytes + i / 2);
    }
  } else {
    const auto mask = hn::Set(d, std::uint8_t{3});
    V c;
    V e;
    for (; i + 4 * step <= n; i += 4 * step) {
      hn::LoadInterleaved4(d, in + i, a, b, c, e);
      const V low = hn::Or(hn::And(a, mask), hn::ShiftLeft<2>(hn::And(b, mask)));
      const V high = hn::Or(hn::ShiftLeft<4>(hn::And(c, mask)), hn::ShiftLeft<6>(e));
      hn::StoreU(hn::Or(low, high), d, bytes + i / 4);
    }
  }
  return i;
}

template <typename Word>
std::size_t SplitVectors(const std::byte* in, std::size_t n, std::byte* real,
                         std::byte* imaginary) {
  const hn::ScalableTag<Word> d;
  const auto* from = reinterpret_cast<const Word*>(in);
  const std::size_t step = hn::Lanes(d);
  hn::Vec<decltype(d)> even;
  hn::Vec<decltype(d)> odd;
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    hn::LoadInterleaved2(d, from + 2 * i, even, odd);
    hn::StoreU(even, d, reinterpret_cast<Word*>(real) + i);
    if (imaginary != nullptr) hn::StoreU(odd, d, reinterpret_cast<Word*>(imaginary) + i);
  }
  return i;
}

template <typename Word>
std::size_t JoinVectors(const std::byte* real, std::size_t n, std::byte* out) {
  const hn::ScalableTag<Word> d;
  const std::size_t step = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    const auto x = hn::LoadU(d, reinterpret_cast<const Word*>(real) + i);
    hn::StoreInterleaved2(x, hn::Zero(d), d, reinterpret_cast<Word*>(out) + 2 * i);
  }
  return i;
}

// n < 65,536 vectors.
template <typename Word>
std::size_t CountVectors(const std::byte* words, std::size_t n, std::uint64_t* count) {
  const hn::ScalableTag<Word> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t step = hn::Lanes(d);
  LaneCounter<V> counter;
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    // Adding a number to itself moves its sign out.
    const V x = hn::LoadU(d, reinterpret_cast<const Word*>(words) + i);
    counter.Add(AllOnesWhere<V>(hn::Ne(hn::Add(x, x), hn::Zero(d))));
  }
  *count += counter.Total();
  return i;
}

template <typename Word>
std::size_t TruthVectors(Word infinity, Word one_code, const std::byte* real,
                         const std::byte* imaginary, std::size_t n, std::byte* out,
                         TruthCounts* counts) {
  const hn::ScalableTag<Word> d;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, one_code);
  const V above = hn::Set(d, infinity);
  const V magnitude_mask = hn::Set(d, static_cast<Word>(static_cast<Word>(~Word{0}) >> 1));
  const std::size_t step = hn::Lanes(d);
  LaneCounter<V> nan_count;
  LaneCounter<V> rounded_count;
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    const V re = hn::LoadU(d, reinterpret_cast<const Word*>(real) + i);
    const V re_magnitude = hn::And(re, magnitude_mask);
    const V im_magnitude =
        hn::And(hn::LoadU(d, reinterpret_cast<const Word*>(imaginary) + i), magnitude_mask);
    const V nan = hn::Or(AllOnesWhere<V>(Greater(re_magnitude, above)),
                         AllOnesWhere<V>(Greater(im_magnitude, above)));
    const V re_true = AllOnesWhere<V>(hn::Ne(re_magnitude, zero));
    const V im_true = AllOnesWhere<V>(hn::Ne(im_magnitude, zero));
    const V re_lost = hn::AndNot(AllOnesWhere<V>(hn::Eq(re, one)), re_true);
    nan_count.Add(nan);
    rounded_count.Add(hn::AndNot(nan, hn::Or(re_lost, im_true)));
    const V truth = hn::And(hn::Or(re_true, im_true), hn::Set(d, Word{1}));
    hn::StoreU(hn::TruncateTo(d8, truth), d8, reinterpret_cast<std::uint8_t*>(out) + i);
  }
  counts->nan += nan_count.Total();
  counts->rounded += rounded_count.Total();
  return i;
}

std::size_t SplitWords(const std::byte* in, int bits, std::size_t n, std::byte* real,
                       std::byte* imaginary) {
  switch (bits) {
    case 16:
      return SplitVectors<std::uint16_t>(in, n, real, imaginary);
    case 32:
      return SplitVectors<std::uint32_t>(in, n, real, imaginary);
    default:
      return SplitVectors<std::uint64_t>(in, n, real, imaginary);
  }
}

std::size_t JoinWords(const std::byte* real, int bits, std::size_t n, std::byte* out) {
  switch (bits) {
    case 16:
      return JoinVectors<std::uint16_t>(real, n, out);
    case 32:
      return JoinVectors<std::uint32_t>(real, n, out);
    default:
      return JoinVectors<std::uint64_t>(real, n, out);
  }
}

std::size_t CountWords(const std::byte* words, int bits, std::size_t n, std::uint64_t* count) {
  switch (bits) {
    case 16:
      return CountVectors<std::uint16_t>(words, n, count);
    case 32:
      return CountVectors<std::uint32_t>(words, n, count);
    default:
      return CountVectors<std::uint64_t>(words, n, count);
  }
}

std::size_t TruthWords(std::uint64_t infinity, std::uint64_t one, int bits, const std::byte* real,
                       const std::byte* imaginary, std::size_t n, std::byte* out,
                       TruthCounts* counts) {
  switch (bits) {
    case 16:
      return TruthVectors(static_cast<std::uint16_t>(infinity), static_cast<std::uint16_t>(one),
                          real, imaginary, n, out, counts);
    case 32:
      return TruthVectors(static_cast<std::uint32_t>(infinity), static_cast<std::uint32_t>(one),
                          real, imaginary, n, out, counts);
    default:
      return TruthVectors(infinity, one, real, imaginary, n, out, counts);
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

HWY_EXPORT(UnpackVectors);
HWY_EXPORT(PackVectors);
HWY_EXPORT(SplitWords);
HWY_EXPORT(JoinWords);
HWY_EXPORT(CountWords);
HWY_EXPORT(TruthWords);

}  // namespace

void Unpack(const std::byte* in, int bits, std::size_t n, std::byte* codes) {
  const auto width = static_cast<std::size_t>(bits);
  const std::size_t per_byte = 8 / width;
  const auto mask = static_cast<std::byte>(LowMask(bits));
  for (std::size_t i = HWY_DYNAMIC_DISPATCH(UnpackVectors)(in, bits, n, codes); i < n; ++i) {
    codes[i] = (in[i / per_byte] >> (i % per_byte * width)) & mask;
  }
}

void Pack(const std::byte* codes, int bits, std::size_t n, std::byte* out) {
  const auto width = static_cast<std::size_t>(bits);
  const std::size_t per_byte = 8 / width;
  const auto mask = static_cast<std::byte>(LowMask(bits));
  for (std::size_t i = HWY_DYNAMIC_DISPATCH(PackVectors)(codes, bits, n, out); i < n;
       i += per_byte) {
    std::byte packed{};
    for (std::size_t k = 0; k < per_byte && i + k < n; ++k) {
      packed |= (codes[i + k] & mask) << (k * width);
    }
    out[i / per_byte] = packed;
  }
}

void SplitComplex(const std::byte* in, int word_bits, std::size_t n, std::byte* real,
                  std::byte* imaginary) {
  const std::size_t done = HWY_DYNAMIC_DISPATCH(SplitWords)(in, word_bits, n, real, imaginary);
  WithWord(word_bits, [&](auto word) {
    using Word = decltype(word);
    for (std::size_t i = done; i < n; ++i) {
      StoreWord(real, i, LoadWord<Word>(in, 2 * i));
      if (imaginary != nullptr) StoreWord(imaginary, i, LoadWord<Word>(in, 2 * i + 1));
    }
  });
}

void JoinComplex(const std::byte* real, int word_bits, std::size_t n, std::byte* out) {
  const std::size_t done = HWY_DYNAMIC_DISPATCH(JoinWords)(real, word_bits, n, out);
  WithWord(word_bits, [&](auto word) {
    using Word = decltype(word);
    for (std::size_t i = done; i < n; ++i) {
      StoreWord(out, 2 * i, LoadWord<Word>(real, i));
      StoreWord(out, 2 * i + 1, Word{0});
    }
  });
}

std::uint64_t CountNonzero(const std::byte* words, int word_bits, std::size_t n) {
  std::uint64_t count = 0;
  const std::size_t done = HWY_DYNAMIC_DISPATCH(CountWords)(words, word_bits, n, &count);
  WithWord(word_bits, [&](auto word) {
    using Word = decltype(word);
    for (std::size_t i = done; i < n; ++i) {
      count += static_cast<Word>(LoadWord<Word>(words, i) << 1) != 0 ? 1 : 0;
    }
  });
  return count;
}

void PartsToBool(const Format& part, const std::byte* real, const std::byte* imaginary,
                 std::size_t n, std::byte* out, Tally* tally) {
  const std::uint64_t infinity = InfinityCode(part, false);
  const std::uint64_t one = static_cast<std::uint64_t>(part.bias) << part.mantissa_bits;
  TruthCounts counts;
  const auto run = HWY_DYNAMIC_DISPATCH(TruthWords);
  const std::size_t done = run(infinity, one, part.storage_bits, real, imaginary, n, out, &counts);
  if (done < n) {
    // The rest fills one vector.
    std::byte parts[2][64 * 8] = {};
    std::byte truths[64] = {};
    const std::size_t size = static_cast<std::size_t>(part.storage_bits) / 8;
    std::copy_n(real + done * size, (n - done) * size, parts[0]);
    std::copy_n(imaginary + done * size, (n - done) * size, parts[1]);
    run(infinity, one, part.storage_bits, parts[0], parts[1], 64, truths, &counts);
    std::copy_n(truths, n - done, out + done);
  }
  if (tally == nullptr) return;
  (*tally)[static_cast<std::size_t>(Outcome::kNan)] += counts.nan;
  (*tally)[static_cast<std::size_t>(Outcome::kRounded)] += counts.rounded;
  (*tally)[static_cast<std::size_t>(Outcome::kExact)] += n - counts.nan - counts.rounded;
}

}  // namespace exactcast
#endif  // HWY_ONCE
