// SPDX-License-Identifier: Apache-2.0
//
// Counting the exponents of usual blocks in vectors of bytes, as measure.h says.
#include "src/kernels/measure.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/count_exponents.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>
#include <bit>

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// The fields of a block in any order, a byte each: the eight highest of them are looked for one after
// the other, the few elements below one by one.
using DB = hn::CappedTag<std::uint8_t, 64>;
using DU = hn::CappedTag<std::uint32_t, 16>;
constexpr std::size_t kLookedFor = 8;

// n is a multiple of 64. The highest.
HWY_INLINE std::size_t TakeFields(const float* sources, std::size_t n, std::uint8_t* fields) {
  const DU du;
  const DB db;
  const std::size_t step = hn::Lanes(du);
  auto most = hn::Zero(db);
  for (std::size_t i = 0; i < n; i += 4 * step) {
    const auto field = [&](std::size_t k) HWY_ATTR {  // in the highest byte
      const auto bits = hn::BitCast(du, hn::LoadU(hn::RebindToFloat<DU>(), sources + i + k * step));
      return hn::Add(bits, bits);
    };
    const auto byte = [&](std::uint32_t which) HWY_ATTR { return hn::Set(du, 0xffU << which); };
    const auto low =
        hn::Or(hn::ShiftRight<24>(field(0)), hn::And(hn::ShiftRight<16>(field(1)), byte(8)));
    const auto high =
        hn::Or(hn::And(hn::ShiftRight<8>(field(2)), byte(16)), hn::And(field(3), byte(24)));
    const auto all = hn::BitCast(db, hn::Or(low, high));
    hn::StoreU(all, db, fields + i);
    most = hn::Max(most, all);
  }
  std::uint8_t lanes[hn::MaxLanes(db)];
  hn::StoreU(most, db, lanes);
  return *std::max_element(lanes, lanes + hn::MaxLanes(db));
}

HWY_INLINE void CountIf(hn::Mask<DB> mask, hn::Vec<DB>* count) {
  const DB db;
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  *count = hn::IfThenElse(mask, hn::Sub(*count, hn::Set(db, 0xff)), *count);
#else
  *count = hn::Sub(*count, hn::VecFromMask(db, mask));
#endif
}

HWY_INLINE std::uint32_t SumOfBytes(hn::Vec<DB> bytes) {
  const hn::Repartition<std::uint64_t, DB> d64;
  std::uint64_t sums[hn::MaxLanes(d64)];
  hn::StoreU(hn::SumsOf8(bytes), d64, sums);
  std::uint64_t count = 0;
  for (const std::uint64_t part : sums) count += part;
  return static_cast<std::uint32_t>(count);
}

// Of `value` and the one below it, as neither waits for the other.
HWY_INLINE void CountBytes(const std::uint8_t* bytes, std::size_t n, std::size_t value,
                           std::uint32_t* counts) {
  const DB db;
  const auto first = hn::Set(db, static_cast<std::uint8_t>(value));
  const auto second = hn::Set(db, static_cast<std::uint8_t>(value - 1));
  constexpr std::size_t kMost = 128 * hn::MaxLanes(db);  // whose lanes can be counted in bytes
  for (std::size_t begin = 0; begin < n; begin += kMost) {
    auto of_first = hn::Zero(db);
    auto of_second = hn::Zero(db);
    for (std::size_t i = begin; i < std::min(n, begin + kMost); i += hn::Lanes(db)) {
      const auto field = hn::LoadU(db, bytes + i);
      CountIf(hn::Eq(field, first), &of_first);
      CountIf(hn::Eq(field, second), &of_second);
    }
    counts[value] += SumOfBytes(of_first);
    counts[value - 1] += SumOfBytes(of_second);
  }
}

// Adds those from 1 to `most`; the number of elements.
HWY_INLINE std::size_t CountLow(const std::uint8_t* bytes, std::size_t n, std::size_t most,
                                std::uint32_t* counts) {
  const DB db;
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; i += hn::Lanes(db)) {
    const auto one = hn::Set(db, 1);
    const auto below = hn::Sub(hn::LoadU(db, bytes + i), one);  // 0 becomes the most
    const auto low = hn::Lt(below, hn::Set(db, static_cast<std::uint8_t>(most)));
    if (hn::AllFalse(db, low)) continue;
    std::uint64_t bits = 0;
    hn::StoreMaskBits(db, low, reinterpret_cast<std::uint8_t*>(&bits));
    for (; bits != 0; bits &= bits - 1, ++count) {
      ++counts[bytes[i + static_cast<std::size_t>(std::countr_zero(bits))]];
    }
  }
  return count;
}

// n is a multiple of 64, at most kMeasureBlock. False: there are NaNs or infinities.
HWY_NOINLINE bool CountUsual(const float* sources, std::size_t n, std::uint32_t* counts,
                             BlockExponents* block) {
  if (HWY_TARGET == HWY_SCALAR) return false;  // whose vectors of bytes and words differ in size
  alignas(64) std::array<std::uint8_t, kMeasureBlock> fields;
  const std::size_t most = TakeFields(sources, n, fields.data());
  if (most == 255) return false;
  std::array<std::uint32_t, 256> found = {};
  std::size_t low = most;
  for (; low > 1 && low + kLookedFor > most; low -= 2) {
    CountBytes(fields.data(), n, low, found.data());
  }
  std::size_t rest = n;
  for (std::size_t field = low + 1; field <= most; ++field) rest -= found[field];
  if (rest > 0 && low > 0) rest -= CountLow(fields.data(), n, low, found.data());
  found[0] = static_cast<std::uint32_t>(rest);
  *block = {.least = 256, .zeros = rest};
  for (std::size_t field = most; field > 0; --field) {
    if (found[field] > 0) block->least = static_cast<int>(field);
    counts[field] += found[field];
  }
  counts[0] += found[0];
  return true;
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(CountUsual);

}  // namespace

bool CountUsualExponents(const float* sources, std::size_t n, std::uint32_t* counts,
                         BlockExponents* block) {
  return n % 64 == 0 && HWY_DYNAMIC_DISPATCH(CountUsual)(sources, n, counts, block);
}

}  // namespace exactcast
#endif  // HWY_ONCE
