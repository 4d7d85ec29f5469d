// SPDX-License-Identifier: Apache-2.0
//
// The registry of kernels, fastest first, the reference last. The proof walks it, so that nothing
// is added unproved.
#ifndef EXACTCAST_SRC_KERNELS_KERNELS_H_
#define EXACTCAST_SRC_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "src/kernels/params.h"

namespace exactcast {

// Where a range lies in its array.
struct Place {
  std::uint64_t first = 0;  // the index of element 0 in the whole tensor
  std::size_t ahead = 0;    // bytes of the source to ask for ahead of those read, if it is large
};

struct KernelRow {
  std::string_view name;
  std::string_view what;  // how it works, in a few words
  bool (*accepts)(const Params& params);
  // Called once per array, with its number of elements, before run; may be called from several
  // threads.
  void (*prepare)(const Params& params, std::uint64_t elements);
  // Converts n elements, unaligned, in not overlapping out, and adds to the tally unless it is null.
  // Called in the environment of float_environment.h.
  void (*run)(const Params& params, const std::byte* in, std::byte* out, Place place, std::size_t n,
              Tally* tally);
};

inline void PrepareNothing(const Params&, std::uint64_t) {}

std::span<const KernelRow> Kernels();

// The first that accepts; the reference accepts all.
const KernelRow& ChooseKernel(const Params& params);

extern const KernelRow kCopyKernel;
extern const KernelRow kTable8Kernel;
extern const KernelRow kScaledKernel;
extern const KernelRow kIntegersKernel;
extern const KernelRow kSmallFloatsKernel;
extern const KernelRow kTaperedKernel;
extern const KernelRow kToIntegersKernel;
extern const KernelRow kTruncateKernel;
extern const KernelRow kWidenKernel;
extern const KernelRow kHybridKernel;
extern const KernelRow kToFloat16Kernel;
extern const KernelRow kToInt32Kernel;
extern const KernelRow kByFloat64Kernel;
extern const KernelRow kNarrowKernel;
extern const KernelRow kWideKernel;
extern const KernelRow kReferenceKernel;

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_KERNELS_H_
