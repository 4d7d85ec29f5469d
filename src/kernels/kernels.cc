// SPDX-License-Identifier: Apache-2.0
//
// The list of kernels, and the choice among them.
#include "src/kernels/kernels.h"

#include <array>

namespace exactcast {

namespace {

// Made when the program is loaded: what is made on first use has a lock, which fork() may copy held.
const auto kKernels = std::to_array<KernelRow>(
    {kCopyKernel, kWidenKernel, kTable8Kernel, kScaledKernel, kIntegersKernel, kToFloat16Kernel,
     kSmallFloatsKernel, kTaperedKernel, kHybridKernel, kToIntegersKernel, kTruncateKernel,
     kToInt32Kernel, kByFloat64Kernel, kNarrowKernel, kWideKernel, kReferenceKernel});

}  // namespace

std::span<const KernelRow> Kernels() { return kKernels; }

const KernelRow& ChooseKernel(const Params& params) {
  for (const KernelRow& kernel : Kernels()) {
    if (kernel.accepts(params)) return kernel;
  }
  return Kernels().back();
}

}  // namespace exactcast
