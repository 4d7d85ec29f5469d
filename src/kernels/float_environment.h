// SPDX-License-Identifier: Apache-2.0
//
// The floating-point environment that kernels run in: rounding to nearest even, subnormals kept, no
// traps. It is the caller's again afterwards, status flags included.
#ifndef EXACTCAST_SRC_KERNELS_FLOAT_ENVIRONMENT_H_
#define EXACTCAST_SRC_KERNELS_FLOAT_ENVIRONMENT_H_

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace exactcast {

#if defined(__SSE2__)

// MXCSR; the x87 unit is not used.
class FloatEnvironment {
 public:
  FloatEnvironment() noexcept : saved_(_mm_getcsr()) { _mm_setcsr(kDefault); }
  ~FloatEnvironment() { _mm_setcsr(saved_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked
  unsigned saved_;
};

#elif defined(__aarch64__)

class FloatEnvironment {
 public:
  FloatEnvironment() noexcept {
    asm volatile("mrs %0, fpcr" : "=r"(control_));
    asm volatile("mrs %0, fpsr" : "=r"(status_));
    asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}) : "memory");
  }
  ~FloatEnvironment() {
    asm volatile("msr fpcr, %0" : : "r"(control_) : "memory");
    asm volatile("msr fpsr, %0" : : "r"(status_) : "memory");
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  std::uint64_t control_;
  std::uint64_t status_;
};

#else

class FloatEnvironment {
 public:
  FloatEnvironment() noexcept {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&saved_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  std::fenv_t saved_;
};

#endif

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_FLOAT_ENVIRONMENT_H_
