// SPDX-License-Identifier: Apache-2.0
//
// How an array is stored, where the caller leaves it open.
#ifndef EXACTCAST_SRC_STORES_H_
#define EXACTCAST_SRC_STORES_H_

#include <cstddef>

#include "exactcast/cast.h"
#include "src/kernels/flow.h"

namespace exactcast {

// Whether an array is to be stored past the caches, `bytes` being read and written in all.
inline bool Streams(Stores stores, std::size_t bytes) noexcept {
  return stores == Stores::kStreaming || (stores == Stores::kAuto && bytes >= LastCacheSize());
}

}  // namespace exactcast

#endif  // EXACTCAST_SRC_STORES_H_
