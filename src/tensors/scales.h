// SPDX-License-Identifier: Apache-2.0
//
// Scales that lie beside quantised tensors, found by their names. What a scale means (multiplier or
// divisor, of a row or of a block) differs from writer to writer and is never guessed: what is found
// is reported.
#ifndef EXACTCAST_SRC_TENSORS_SCALES_H_
#define EXACTCAST_SRC_TENSORS_SCALES_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "src/containers/tensor_input.h"

namespace exactcast {

inline constexpr std::size_t kNoTensor = ~std::size_t{0};

struct ScaleFacts {
  // For each tensor: one of its scales, or kNoTensor.
  std::vector<std::size_t> scale;
  // For each tensor: the tensor that it is a scale of, or kNoTensor.
  std::vector<std::size_t> scaled;
};

// Narrow enough to need a scale; float8_e8m0fnu is one itself.
bool IsNarrowFloat(const Format& format);

ScaleFacts FindScales(const std::vector<const StoredTensor*>& tensors);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_SCALES_H_
