// SPDX-License-Identifier: Apache-2.0
//
// The list of kernels, and the choice among them.
#include "src/kernels/kernels.h"

#include <array>

namespace exactcast {

std::span<const KernelRow> Kernels() {
  static const auto kernels = std::to_array<KernelRow>(
      {kCopyKernel, kTable8Kernel, kScaledKernel, kIntegersKernel, kSmallFloatsKernel,
       kTaperedKernel, kToIntegersKernel, kTruncateKernel, kWidenKernel, kNarrowKernel, kWideKernel,
       kReferenceKernel});
  return kernels;
}

const KernelRow& ChooseKernel(const Params& params) {
  for (const KernelRow& kernel : Kernels()) {
    if (kernel.accepts(params)) return kernel;
  }
  return Kernels().back();
}

}  // namespace exactcast
