// SPDX-License-Identifier: Apache-2.0
//
// The floating-point environment that kernels run in: rounding to nearest even, subnormals kept, no
// traps. It is the caller's again afterwards, status flags included.
#ifndef EXACTCAST_SRC_KERNELS_FLOAT_ENVIRONMENT_H_
#define EXACTCAST_SRC_KERNELS_FLOAT_ENVIRONMENT_H_

#include <cstdint>

#include "exactcast/spec/rounding.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

namespace exactcast {

// Within it the CPU rounds to nearest even, toward negative, toward positive or toward zero. Stands in a function
// of its own that calls the kernel's, which keeps the compiler from moving arithmetic across.
class DirectedRounding;

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

class DirectedRounding {
 public:
  explicit DirectedRounding(Rounding rounding) noexcept : saved_(_mm_getcsr()) {
    const unsigned direction = rounding == Rounding::kTowardNegative   ? 0x2000
                               : rounding == Rounding::kTowardPositive ? 0x4000
                               : rounding == Rounding::kTowardZero     ? 0x6000
                                                                       : 0;
    _mm_setcsr((saved_ & ~0x6000u) | direction);
  }
  ~DirectedRounding() { _mm_setcsr(saved_); }
  DirectedRounding(const DirectedRounding&) = delete;
  DirectedRounding& operator=(const DirectedRounding&) = delete;

 private:
  unsigned saved_;
};

#elif defined(__aarch64__)

class DirectedRounding {
 public:
  explicit DirectedRounding(Rounding rounding) noexcept {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    const std::uint64_t direction = rounding == Rounding::kTowardNegative   ? 2
                                    : rounding == Rounding::kTowardPositive ? 1
                                    : rounding == Rounding::kTowardZero     ? 3
                                                                            : 0;
    asm volatile("msr fpcr, %0"
                 :
                 : "r"((saved_ & ~(std::uint64_t{3} << 22)) | direction << 22)
                 : "memory");
  }
  ~DirectedRounding() { asm volatile("msr fpcr, %0" : : "r"(saved_) : "memory"); }
  DirectedRounding(const DirectedRounding&) = delete;
  DirectedRounding& operator=(const DirectedRounding&) = delete;

 private:
  std::uint64_t saved_;
};

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

class DirectedRounding {
 public:
  explicit DirectedRounding(Rounding rounding) noexcept : saved_(std::fegetround()) {
    std::fesetround(rounding == Rounding::kTowardNegative   ? FE_DOWNWARD
                    : rounding == Rounding::kTowardPositive ? FE_UPWARD
                    : rounding == Rounding::kTowardZero     ? FE_TOWARDZERO
                                                            : FE_TONEAREST);
  }
  ~DirectedRounding() { std::fesetround(saved_); }
  DirectedRounding(const DirectedRounding&) = delete;
  DirectedRounding& operator=(const DirectedRounding&) = delete;

 private:
  int saved_;
};

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
