// SPDX-License-Identifier: Apache-2.0
//
// How much of an exhaustive sweep the sanitizers' slow build takes: one code in 17.
#ifndef EXACTCAST_TESTS_SUPPORT_STRIDE_H_
#define EXACTCAST_TESTS_SUPPORT_STRIDE_H_

#include <cstddef>

namespace support {

#ifdef EXACTCAST_SANITIZED
inline constexpr std::size_t kStride = 17;
#else
inline constexpr std::size_t kStride = 1;
#endif

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_STRIDE_H_
