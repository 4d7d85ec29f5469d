// SPDX-License-Identifier: Apache-2.0
//
// Checking views, as view.h and view_layout.h say.
#include "src/view_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>

#include "exactcast/spec/format.h"
#include "src/plan_state.h"

namespace exactcast {
namespace {

// No offset goes as far: sums and differences of two do not overflow.
constexpr std::int64_t kFar = std::int64_t{1} << 61;

// One of the two views before it is a layout.
struct Side {
  std::string_view name;  // in messages
  const Format& format;
  Packing packing;
  const void* data;
  std::span<const std::uint64_t> shape;
  std::span<const std::int64_t> strides;
};

bool IsPacked(const Side& side) {
  return side.packing == Packing::kPacked && IsPackable(side.format);
}

Status TooLarge(const Side& side) {
  return UsageError(
      fmt::format("the {} reaches beyond the address space; check shape {} and the "
                  "strides",
                  side.name, side.shape));
}

// Nothing for 2^61 and more.
std::optional<std::uint64_t> Product(std::span<const std::uint64_t> shape) {
  std::uint64_t product = 1;
  for (const std::uint64_t length : shape) {
    if (length == 0) return 0;
  }
  for (const std::uint64_t length : shape) {
    if (__builtin_mul_overflow(product, length, &product) || product >= kFar) return std::nullopt;
  }
  return product;
}

Status CheckStrides(const Side& side) {
  if (side.strides.empty()) return {};
  if (IsPacked(side)) {
    return UsageError(
        fmt::format("the {} is packed, and packed elements are in C order only; leave "
                    "its strides out",
                    side.name));
  }
  if (side.strides.size() == side.shape.size()) return {};
  return UsageError(
      fmt::format("the {} has {} strides for {} dimensions; give one a dimension, or "
                  "none for C order",
                  side.name, side.strides.size(), side.shape.size()));
}

// Appends a dimension inside of the others, joined with the last where one stride leads through both.
void Append(const Dimension& dimension, ViewLayout* layout) {
  if (dimension.length == 1) return;
  if (layout->rank > 0) {
    Dimension& outer = layout->dimensions[layout->rank - 1];
    std::int64_t joined = 0;
    if (!__builtin_mul_overflow(static_cast<std::int64_t>(dimension.length), dimension.stride,
                                &joined) &&
        joined == outer.stride) {
      outer = {outer.length * dimension.length, dimension.stride};
      return;
    }
  }
  layout->dimensions[layout->rank++] = dimension;
}

// Where the bytes lie. False when farther away than memory can be.
bool FindBounds(ViewLayout* layout) {
  layout->high = layout->size;
  for (std::size_t k = 0; k < layout->rank; ++k) {
    const Dimension& dimension = layout->dimensions[k];
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(dimension.length - 1), dimension.stride,
                               &reach) ||
        reach <= -kFar || reach >= kFar) {
      return false;
    }
    (reach < 0 ? layout->low : layout->high) += reach;
    if (layout->low <= -kFar || layout->high >= kFar) return false;
  }
  return true;
}

// `elements` is not 0.
Result<ViewLayout> MakeLayout(const Side& side, std::uint64_t elements) {
  ViewLayout layout = {.format = &side.format,
                       .packing = side.packing,
                       .is_packed = IsPacked(side),
                       .size = side.format.storage_bits / 8,
                       .elements = elements};
  if (elements >= kFar / 16) return TooLarge(side);
  if (side.strides.empty()) {
    if (!layout.is_packed) Append({elements, layout.size}, &layout);
    layout.high = static_cast<std::int64_t>(ArrayBytes(side.format, side.packing, elements));
  } else {
    for (std::size_t k = 0; k < side.shape.size(); ++k) {
      Append({side.shape[k], side.strides[k]}, &layout);
    }
    layout.is_whole =
        layout.rank == 0 || (layout.rank == 1 && layout.dimensions[0].stride == layout.size);
    if (!FindBounds(&layout)) return TooLarge(side);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(side.data);
  if (side.data == nullptr) {
    return UsageError(fmt::format("the {} has no address, and elements; give its data", side.name));
  }
  if (address < static_cast<std::uintptr_t>(-layout.low) ||
      address + static_cast<std::uintptr_t>(layout.high) < address) {
    return TooLarge(side);
  }
  return layout;
}

// Whether elements of `size` bytes lie apart: each stride, in order of size, steps over all that the
// smaller ones reach. There are layouts that lie apart without it, which nobody makes.
bool LieApart(std::span<const Dimension> dimensions, std::int64_t size) {
  std::array<Dimension, 65> sorted;
  const auto end = std::copy(dimensions.begin(), dimensions.end(), sorted.begin());
  for (auto d = sorted.begin(); d != end; ++d) d->stride = d->stride < 0 ? -d->stride : d->stride;
  std::sort(sorted.begin(), end,
            [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
  std::int64_t reach = size;
  for (auto d = sorted.begin(); d != end; ++d) {
    if (d->stride < reach) return false;
    reach += static_cast<std::int64_t>(d->length - 1) * d->stride;
  }
  return true;
}

std::span<const Dimension> Dimensions(const ViewLayout& layout) {
  return std::span(layout.dimensions).first(layout.rank);
}

bool HaveEqualStrides(const ViewLayout& a, const ViewLayout& b) {
  return !a.is_packed && !b.is_packed && std::ranges::equal(Dimensions(a), Dimensions(b));
}

// Views of equal strides, `distance` bytes from the one to the other: one more dimension of length 2.
bool Interleave(const ViewLayout& a, const ViewLayout& b, std::int64_t distance) {
  if (!HaveEqualStrides(a, b)) return false;
  std::array<Dimension, 65> both;
  std::ranges::copy(Dimensions(a), both.begin());
  both[a.rank] = {2, distance};
  return LieApart(std::span(both).first(a.rank + 1), std::max(a.size, b.size));
}

int BitsEach(const ViewLayout& layout) {
  return layout.is_packed ? layout.format->bits : layout.format->storage_bits;
}

// Fills in how the two lie to each other.
Status CheckOverlap(const void* source, const void* target, ViewPair* pair) {
  const auto in = reinterpret_cast<std::uintptr_t>(source);
  const auto out = reinterpret_cast<std::uintptr_t>(target);
  const auto at = [](std::uintptr_t address, std::int64_t offset) {
    return address + static_cast<std::uintptr_t>(offset);
  };
  if (at(in, pair->in.high) <= at(out, pair->out.low) ||
      at(out, pair->out.high) <= at(in, pair->in.low)) {
    return {};
  }
  if (in != out) {
    if (Interleave(pair->in, pair->out, static_cast<std::int64_t>(out - in))) return {};
    return UsageError(
        "the memory of input and output overlaps, or cannot be shown not to; cast to other memory, "
        "or in place: from the same address, both in C order or with equal strides");
  }
  if (BitsEach(pair->out) > BitsEach(pair->in)) {
    return UsageError(
        fmt::format("{} to {} widens, which does not go in place; cast to other memory",
                    pair->in.format->name, pair->out.format->name));
  }
  pair->in_place = true;
  if (HaveEqualStrides(pair->in, pair->out) && LieApart(Dimensions(pair->in), pair->in.size)) {
    return {};
  }
  pair->forwards_only = BitsEach(pair->out) < BitsEach(pair->in);
  if (pair->in.is_whole && pair->out.is_whole) return {};
  return UsageError(
      "in place both views are in C order, or their strides are equal; cast to other "
      "memory");
}

}  // namespace

Result<ViewPair> CheckViews(const Plan& plan, const ConstView& in, const View& out) {
  const PlanState& state = PlanAccess::State(plan);
  const Side from = {"input", *state.from, state.input_packing, in.data, in.shape, in.strides};
  const Side to = {"output", *state.to, state.output_packing, out.data, out.shape, out.strides};
  if (!std::ranges::equal(in.shape, out.shape)) {
    return UsageError(fmt::format("the input is of shape {}, the output of {}; give both one shape",
                                  in.shape, out.shape));
  }
  for (const Side& side : {from, to}) {
    if (Status status = CheckStrides(side); !status.ok()) return status;
  }
  const std::optional<std::uint64_t> elements = Product(in.shape);
  if (!elements) return TooLarge(from);
  if (*elements == 0) return ViewPair{};
  Result<ViewLayout> source = MakeLayout(from, *elements);
  if (!source.ok()) return source.status();
  Result<ViewLayout> target = MakeLayout(to, *elements);
  if (!target.ok()) return target.status();
  if (!target->is_packed && !LieApart(Dimensions(*target), target->size)) {
    return UsageError(
        "elements of the output overlap each other, or cannot be shown not to; give it "
        "strides that step over what smaller ones reach");
  }
  ViewPair pair = {.elements = *elements, .in = *source, .out = *target};
  if (Status status = CheckOverlap(in.data, out.data, &pair); !status.ok()) return status;
  return pair;
}

}  // namespace exactcast
