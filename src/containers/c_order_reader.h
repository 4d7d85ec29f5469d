// SPDX-License-Identifier: Apache-2.0
//
// The elements of a regular file in Fortran order, in C order: for what sets them beside those of a
// file in C order. Elements in the order in which they are stored are element_reader.h's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_C_ORDER_READER_H_
#define EXACTCAST_SRC_CONTAINERS_C_ORDER_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exactcast/status.h"
#include "src/containers/container_row.h"
#include "src/containers/element_reader.h"

namespace exactcast {

class COrderReader {
 public:
  // Both outlive the reader; `layout` is in Fortran order.
  COrderReader(ElementReader& elements, const InputLayout& layout);

  // The next `count` elements, one after the other and not packed; fewer at the end only. The more
  // at a time, the fewer the pieces in which the file is read.
  Result<std::size_t> Next(std::byte* data, std::size_t count);

 private:
  [[nodiscard]] std::uint64_t StoredAt(std::uint64_t row, std::uint64_t within) const;

  ElementReader& elements_;
  const InputLayout& layout_;
  std::size_t size_;   // of an element, in bytes
  std::uint64_t row_;  // elements that share their first index
  std::uint64_t position_ = 0;
  std::vector<std::byte> run_;
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_C_ORDER_READER_H_
