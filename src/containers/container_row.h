// SPDX-License-Identifier: Apache-2.0
//
// Containers as rows: which file names they answer to, how to read what precedes the data and how
// to write it. Moving the data itself is element_reader.h's and cast_file.cc's matter. A new
// container is one row in containers.cc.
#ifndef EXACTCAST_SRC_CONTAINERS_CONTAINER_ROW_H_
#define EXACTCAST_SRC_CONTAINERS_CONTAINER_ROW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/spec/format.h"
#include "exactcast/status.h"
#include "src/containers/input_file.h"

namespace exactcast {

using Shape = std::vector<std::uint64_t>;

// What the caller said about an input.
struct ReadRequest {
  std::optional<FormatId> from;
  std::optional<Shape> shape;
  bool unpacked = false;
  bool packed = false;
  std::string_view from_option = "--from";  // what messages call `from`
  // A type that cannot be cast is no failure but InputLayout::obstacle. For lists of arrays.
  bool list_obstacles = false;
};

// Where the elements of an input are, and what they are.
struct InputLayout {
  FormatId format = FormatId::kFloat32;
  Packing packing = Packing::kUnpacked;
  bool swap_bytes = false;     // big-endian
  bool fortran_order = false;  // only where that differs from C order
  // In Fortran order and packed along the last axis: the bytes are slabs, all indices but the last
  // running within one, and slab k holds the elements of last index 2k in its low halves and those
  // of 2k + 1 in its high halves.
  bool pairs_apart = false;
  Shape shape;                            // of the tensor; without `elements` known at the end only
  std::optional<std::uint64_t> elements;  // nothing: as many as the stream gives
  std::uint64_t begin = 0;                // of the data, in bytes
  bool may_go_on = false;                 // what follows the data in a stream is no error
  std::string obstacle;                   // why nothing but the shape is known; empty: all is
  std::vector<std::string> warnings;
};

// The tensor that is to be written.
struct WriteRequest {
  FormatId format = FormatId::kFloat32;
  Shape shape;
  bool fortran_order = false;
  bool unpacked = false;
  bool packed = false;
};

struct OutputLayout {
  std::string header;  // its length does not depend on the length of a 1-D tensor
  Packing packing = Packing::kUnpacked;
  bool pairs_apart = false;  // as for inputs
  std::string warning;       // empty: none
};

// Messages and warnings leave the file's name to the caller.
struct ContainerRow {
  std::string_view name;  // in messages
  // With its dot, in small letters; empty: every name that no other row takes.
  std::string_view extension;
  Result<InputLayout> (*read)(InputFile& input, const ReadRequest& request);
  Result<OutputLayout> (*write)(const WriteRequest& request);
};

extern const ContainerRow kRawContainer;  // bin.cc
extern const ContainerRow kNpyContainer;  // npy.cc

// By the name alone, whatever is behind it; "-" is raw. kUsage for an empty name and for the files
// of other systems that are not read yet.
Result<const ContainerRow*> FindContainer(std::string_view path);

// ".npy": of a file's name, in small letters; empty: it has none.
std::string ExtensionOf(std::string_view path);
// Whether a file of that name holds tensors by name, and is tensor_input.h's matter.
bool HoldsManyTensors(std::string_view path);

// One of the two files of a request, `format` being that of its elements where that is known.
struct PackingSide {
  const ContainerRow* container;
  std::optional<FormatId> format;
};
// kUsage where --packed or --unpacked asks for what neither file can have.
Status CheckPacking(bool packed, bool unpacked, const PackingSide& a, const PackingSide& b);

// The product of the dimensions. kBadInput when the tensor would be larger than files can be.
Result<std::uint64_t> CountElements(const Shape& shape, std::uint64_t bytes_each);

// What is wrong with so many bytes of data: they end within an element.
std::string NotWhole(std::uint64_t bytes, const Format& format);

// "(2, 3)", "(3,)", "()": as Python prints it.
std::string ShapeText(const Shape& shape);

// Whether the first index fastest and the last index fastest are different orders.
bool OrderMatters(const Shape& shape);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_CONTAINER_ROW_H_
