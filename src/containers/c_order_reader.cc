// SPDX-License-Identifier: Apache-2.0
//
// Reading across the grain, as c_order_reader.h says.
#include "src/containers/c_order_reader.h"

#include <algorithm>
#include <cassert>

namespace exactcast {

COrderReader::COrderReader(ElementReader& elements, const InputLayout& layout)
    : elements_(elements),
      layout_(layout),
      size_(static_cast<std::size_t>(GetFormat(layout.format).storage_bits / 8)),
      row_(*layout.elements / layout.shape.front()) {
  assert(layout.fortran_order && elements.packing() == Packing::kUnpacked);
}

// Where the file has the element of first index `row` that is element `within` of its row.
std::uint64_t COrderReader::StoredAt(std::uint64_t row, std::uint64_t within) const {
  std::uint64_t stored = 0;
  std::uint64_t stride = *layout_.elements;
  for (std::size_t axis = layout_.shape.size() - 1; axis > 0; --axis) {
    const std::uint64_t dimension = layout_.shape[axis];
    stride /= dimension;
    stored += within % dimension * stride;
    within /= dimension;
  }
  return stored + row;
}

// Elements that differ in the first index only lie side by side in the file and a row apart in
// `data`: each such run is read at once.
Result<std::size_t> COrderReader::Next(std::byte* data, std::size_t count) {
  count = static_cast<std::size_t>(std::min<std::uint64_t>(count, *layout_.elements - position_));
  for (std::size_t first = 0; first < std::min<std::uint64_t>(count, row_); ++first) {
    const std::uint64_t index = position_ + first;
    const auto length = static_cast<std::size_t>((count - first - 1) / row_ + 1);
    run_.resize(length * size_);
    Status status = elements_.At(StoredAt(index / row_, index % row_), run_.data(), length);
    if (!status.ok()) return status;
    for (std::size_t i = 0; i < length; ++i) {
      std::copy_n(run_.data() + i * size_, size_, data + (first + i * row_) * size_);
    }
  }
  position_ += count;
  return count;
}

}  // namespace exactcast
