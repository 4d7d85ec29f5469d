// SPDX-License-Identifier: Apache-2.0
//
// How large arrays flow between memory and kernels. Stores of an array that no cache will hold go
// past the caches: the lines need not be read before they are written, and nothing else is thrown
// out. Kernels know nothing of it: what they write is a block in the first cache, and moved on.
#ifndef EXACTCAST_SRC_KERNELS_FLOW_H_
#define EXACTCAST_SRC_KERNELS_FLOW_H_

#include <cstddef>

namespace exactcast {

// The last cache's size in bytes, as the CPU tells it; 32 MiB where it does not.
std::size_t LastCacheSize() noexcept;

// Copies past the caches; lines that are not whole, at the ends, go through them. Others see the
// bytes after EndStream(), as they would any store.
void StreamBytes(const std::byte* from, std::byte* to, std::size_t bytes) noexcept;
void EndStream() noexcept;

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_FLOW_H_
