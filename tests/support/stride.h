// SPDX-License-Identifier: Apache-2.0
//
// How much of an exhaustive sweep a slow run takes, with sanitizers or in an emulator: one code in 17.
#ifndef EXACTCAST_TESTS_SUPPORT_STRIDE_H_
#define EXACTCAST_TESTS_SUPPORT_STRIDE_H_

#include <cstddef>

namespace support {

#if defined(EXACTCAST_SANITIZED) || defined(EXACTCAST_EMULATED)
inline constexpr std::size_t kStride = 17;
#else
inline constexpr std::size_t kStride = 1;
#endif

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_STRIDE_H_
