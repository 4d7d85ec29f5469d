// SPDX-License-Identifier: Apache-2.0
//
// Copies past the caches, for every CPU target, and what CPUID says of the caches.
#include "src/kernels/flow.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/flow.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#if HWY_ARCH_X86
#include <cpuid.h>
#endif
#include <unistd.h>

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kLine = 64;

void StreamLines(const std::byte* from, std::byte* to, std::size_t bytes) {
  const auto past = reinterpret_cast<std::uintptr_t>(to) % kLine;
  const std::size_t head = past == 0 ? 0 : kLine - past;
  if (head >= bytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, head);
  const std::size_t end = head + (bytes - head) / kLine * kLine;
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t step = hn::Lanes(d);
  const auto* in = reinterpret_cast<const std::uint8_t*>(from);
  auto* out = reinterpret_cast<std::uint8_t*>(to);
  for (std::size_t i = head; i < end; i += step) hn::Stream(hn::LoadU(d, in + i), d, out + i);
  std::memcpy(to + end, from + end, bytes - end);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(StreamLines);

// The largest of the data caches in the leaf that Intel (4) or AMD (0x8000001D) describes them by;
// 0: the CPU has no such leaf. sysconf() multiplies by cores that the process does not have.
std::size_t LargestCache([[maybe_unused]] unsigned leaf) {
  std::size_t largest = 0;
#if HWY_ARCH_X86
  for (unsigned index = 0; index < 16; ++index) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid_count(leaf, index, &a, &b, &c, &d) == 0 || (a & 31) == 0) break;
    const std::size_t ways = (b >> 22) + 1;
    const std::size_t partitions = (b >> 12 & 0x3ff) + 1;
    const std::size_t line = (b & 0xfff) + 1;
    const std::size_t size = ways * partitions * line * (std::size_t{c} + 1);
    if ((a & 31) != 2 && size > largest) largest = size;  // 2: of instructions
  }
#endif
  return largest;
}

std::size_t FindLastCacheSize() {
  for (const unsigned leaf : {4u, 0x8000001du}) {
    if (const std::size_t size = LargestCache(leaf); size > 0) return size;
  }
#if defined(_SC_LEVEL3_CACHE_SIZE) && !HWY_ARCH_X86
  if (const long size = sysconf(_SC_LEVEL3_CACHE_SIZE); size > 0) {
    return static_cast<std::size_t>(size);
  }
#endif
  return std::size_t{32} << 20;
}

// Found when the program is loaded, as kernels.cc says.
const std::size_t kLastCacheSize = FindLastCacheSize();

}  // namespace

std::size_t LastCacheSize() noexcept { return kLastCacheSize; }

void StreamBytes(const std::byte* from, std::byte* to, std::size_t bytes) noexcept {
  HWY_DYNAMIC_DISPATCH(StreamLines)(from, to, bytes);
}

void EndStream() noexcept { hwy::FlushStream(); }

}  // namespace exactcast
#endif  // HWY_ONCE
