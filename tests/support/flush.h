// SPDX-License-Identifier: Apache-2.0
//
// The CPU's switch that takes subnormal floats for zero, as a caller of the library may have set it.
#ifndef EXACTCAST_TESTS_SUPPORT_FLUSH_H_
#define EXACTCAST_TESTS_SUPPORT_FLUSH_H_

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace support {

#if defined(__x86_64__)
inline constexpr bool kCanFlush = true;
inline void SetFlush(bool on) {
  _MM_SET_FLUSH_ZERO_MODE(on ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF);
  _mm_setcsr((_mm_getcsr() & ~0x0040u) | (on ? 0x0040u : 0u));  // denormals are zero
}
#elif defined(__aarch64__)
inline constexpr bool kCanFlush = true;
inline void SetFlush(bool on) {
  std::uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  control = on ? control | std::uint64_t{1} << 24 : control & ~(std::uint64_t{1} << 24);
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
}
#else
inline constexpr bool kCanFlush = false;
inline void SetFlush(bool) {}
#endif

inline bool SubnormalsAreFlushed() {
  volatile float least_normal = 0x1p-126f;
  volatile float half = 0.5f;
  volatile float product = least_normal * half;
  volatile float doubled = product * 2;
  return doubled == 0;
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_FLUSH_H_
