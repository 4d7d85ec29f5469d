// SPDX-License-Identifier: Apache-2.0
//
// Casting arrays that are not one stretch of memory: slices, transposed and broadcast arrays, and
// arrays in place. Beside Plan::Run, which trusts its caller, this checks what it is given.
//
//   const std::uint64_t shape[] = {3, 2};
//   const std::int64_t strides[] = {4, 12};  // of a float32 array of shape {2, 3}, transposed
//   auto counts = exactcast::CastView(plan, {input, shape, strides}, {output, shape, {}});
#ifndef EXACTCAST_VIEW_H_
#define EXACTCAST_VIEW_H_

#include <cstdint>
#include <span>

#include "exactcast/cast.h"
#include "exactcast/status.h"

namespace exactcast {

struct ConstView {
  const void* data = nullptr;             // the element of index 0, ..., 0; needs no alignment
  std::span<const std::uint64_t> shape;   // of any rank, any length 0; empty: a single element
  std::span<const std::int64_t> strides;  // in bytes, one a dimension; empty: C order
};

struct View {
  void* data = nullptr;
  std::span<const std::uint64_t> shape;
  std::span<const std::int64_t> strides;
};

// Casts element by element, in C order of the indices, by which Counts and 16-periodic scales count.
// Strides of the input may be negative, zero and overlap; those of the output may be negative.
//
// kUsage, nothing being written: shapes that differ; output elements that cannot be shown not to
// overlap each other; strides of packed elements, which are in C order only; and an input whose
// memory cannot be shown not to overlap the output's, except in place: both begin at the same
// address, no element becomes wider, and either both are in C order, or their strides are equal.
Result<Counts> CastView(const Plan& plan, const ConstView& in, const View& out,
                        const RunOptions& options = {});

}  // namespace exactcast

#endif  // EXACTCAST_VIEW_H_
