// SPDX-License-Identifier: Apache-2.0
//
// .npz files, as tensors_fuzz.h says.
#include "fuzz/tensors_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  exactcast::fuzz::FuzzTensors(".npz", data, size);
  return 0;
}
