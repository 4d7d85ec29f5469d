// SPDX-License-Identifier: Apache-2.0
//
// Raw files: elements and nothing else, little-endian. Formats of 4 and 2 bits are packed, element
// 0 in the lowest bits, unless the caller says otherwise. Format and shape come from the caller.
#include <fmt/format.h>

#include "src/containers/container_row.h"

namespace exactcast {
namespace {

Packing RawPacking(const Format& format, bool unpacked) {
  return IsPackable(format) && !unpacked ? Packing::kPacked : Packing::kUnpacked;
}

// A regular file without a shape is one-dimensional, and packed elements fill its bytes.
Status MeasureWhole(const Format& format, std::uint64_t size, InputLayout* layout) {
  const auto each = static_cast<std::uint64_t>(format.storage_bits / 8);
  if (size % each != 0) {
    return BadInput(NotWhole(size, format));
  }
  const auto per_byte = static_cast<std::uint64_t>(8 / format.bits);
  layout->elements = layout->packing == Packing::kPacked ? size * per_byte : size / each;
  layout->shape = {*layout->elements};
  return {};
}

Status MeasureShape(const Format& format, const Shape& shape, InputLayout* layout) {
  const Result<std::uint64_t> elements =
      CountElements(shape, static_cast<std::uint64_t>(format.storage_bits / 8));
  if (!elements.ok()) return elements.status();
  layout->elements = *elements;
  layout->shape = shape;
  return {};
}

Result<InputLayout> ReadRaw(InputFile& input, const ReadRequest& request) {
  if (!request.from) {
    return UsageError(
        fmt::format("raw elements do not say their format; give it with {}", request.from_option));
  }
  const Format& format = GetFormat(*request.from);
  InputLayout layout;
  layout.format = format.id;
  layout.packing = RawPacking(format, request.unpacked);

  if (request.shape) {
    if (Status status = MeasureShape(format, *request.shape, &layout); !status.ok()) return status;
    const std::uint64_t expected = ArrayBytes(format, layout.packing, *layout.elements);
    if (input.regular() && input.size() != expected) {
      return BadInput(fmt::format(
          "expected {} bytes for shape {} of {}, found {}; check {} and --shape", expected,
          ShapeText(layout.shape), format.name, input.size(), request.from_option));
    }
  } else if (input.regular()) {
    if (Status status = MeasureWhole(format, input.size(), &layout); !status.ok()) return status;
  }

  const Result<std::string> start = input.Peek(6);
  if (!start.ok()) return start.status();
  if (*start == "\x93NUMPY") {
    layout.warnings.emplace_back(
        "begins like a .npy file but is read as raw elements, header and all");
  }
  return layout;
}

Result<OutputLayout> WriteRaw(const WriteRequest& request) {
  OutputLayout layout;
  layout.packing = RawPacking(GetFormat(request.format), request.unpacked);
  if (request.fortran_order) {
    layout.warning = "the elements are in Fortran order (first index fastest), as in the input";
  }
  return layout;
}

}  // namespace

const ContainerRow kRawContainer = {
    .name = "raw", .extension = "", .read = ReadRaw, .write = WriteRaw};

}  // namespace exactcast
