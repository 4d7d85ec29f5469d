// SPDX-License-Identifier: Apache-2.0
//
// What views come down to: dimensions that cannot be joined any more, where their bytes lie, and
// whether they meet. Casting them is view.cc.
#ifndef EXACTCAST_SRC_VIEW_LAYOUT_H_
#define EXACTCAST_SRC_VIEW_LAYOUT_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "exactcast/status.h"
#include "exactcast/view.h"

namespace exactcast {

struct Dimension {
  std::uint64_t length;
  std::int64_t stride;  // bytes
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

// One side of a cast, at least one element. Offsets are bytes from the view's address.
struct ViewLayout {
  const Format* format = nullptr;
  Packing packing = Packing::kUnpacked;
  bool is_packed = false;
  std::int64_t size = 0;  // bytes of an element that is not packed
  std::uint64_t elements = 1;
  // Of length 2 and more, so that fewer than 64 hold fewer than 2^64 elements; the last runs fastest.
  std::array<Dimension, 64> dimensions = {};
  std::size_t rank = 0;
  bool is_whole = true;  // C order without gaps
  std::int64_t low = 0;  // the bytes of all elements are in [low, high)
  std::int64_t high = 0;

  // Elements in a row without gaps, 0 if there are none.
  [[nodiscard]] std::uint64_t RowLength() const {
    if (is_whole) return elements;
    const Dimension& inner = dimensions[rank - 1];
    return inner.stride == size ? inner.length : 0;
  }
  // How many of them there are from element `index` on.
  [[nodiscard]] std::uint64_t RowFrom(std::uint64_t index) const {
    const std::uint64_t row = RowLength();
    return row == 0 ? 0 : row - index % row;
  }
  [[nodiscard]] std::int64_t OffsetOf(std::uint64_t index) const {
    if (is_whole) {
      return static_cast<std::int64_t>(ArrayBytes(*format, packing, index));
    }
    std::int64_t offset = 0;
    for (std::size_t k = rank; k-- > 0; index /= dimensions[k].length) {
      offset += static_cast<std::int64_t>(index % dimensions[k].length) * dimensions[k].stride;
    }
    return offset;
  }
};

// Calls visit(offset, stride, count) for stretches of equal stride that make up the `n` elements from
// `index` on; not for packed ones.
template <typename Visit>
void ForStretches(const ViewLayout& layout, std::uint64_t index, std::uint64_t n,
                  const Visit& visit) {
  if (layout.rank == 0) return visit(std::int64_t{0}, std::int64_t{0}, n);
  std::array<std::uint64_t, 64> at;
  for (std::size_t k = layout.rank; k-- > 0; index /= layout.dimensions[k].length) {
    at[k] = index % layout.dimensions[k].length;
  }
  const std::size_t last = layout.rank - 1;
  const Dimension inner = layout.dimensions[last];
  std::int64_t row = 0;  // where the row begins
  for (std::size_t k = 0; k < last; ++k) {
    row += static_cast<std::int64_t>(at[k]) * layout.dimensions[k].stride;
  }
  for (;;) {
    const std::uint64_t count = std::min(n, inner.length - at[last]);
    visit(row + static_cast<std::int64_t>(at[last]) * inner.stride, inner.stride, count);
    n -= count;
    if (n == 0) return;
    at[last] = 0;
    std::size_t k = last - 1;  // there is one, as elements are left
    for (; ++at[k] == layout.dimensions[k].length; --k) {
      at[k] = 0;
      row -=
          static_cast<std::int64_t>(layout.dimensions[k].length - 1) * layout.dimensions[k].stride;
    }
    row += layout.dimensions[k].stride;
  }
}

// Two views that may be cast, the one to the other.
struct ViewPair {
  std::uint64_t elements = 0;  // 0: the rest is not filled in
  ViewLayout in;
  ViewLayout out;
  bool in_place = false;
  bool forwards_only = false;  // results lie on elements that come later
};

Result<ViewPair> CheckViews(const Plan& plan, const ConstView& in, const View& out);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_VIEW_LAYOUT_H_
