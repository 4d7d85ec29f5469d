// SPDX-License-Identifier: Apache-2.0
//
// Files of tensors being written: all tensors are known beforehand, their bytes come one tensor
// after the other. Converting them is src/tensor_run.cc's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_TENSOR_OUTPUT_H_
#define EXACTCAST_SRC_CONTAINERS_TENSOR_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/status.h"
#include "src/containers/byte_sink.h"
#include "src/containers/container_row.h"
#include "src/containers/output_file.h"
#include "src/containers/tensor_input.h"

namespace exactcast {

struct OutputTensor {
  std::string name;
  FormatId format = FormatId::kFloat32;
  Shape shape;
  bool fortran_order = false;
  // Bytes that are copied as they are: of a .safetensors tensor of this type, or of a whole member
  // of an archive with this name.
  std::string raw;
  std::uint64_t raw_bytes = 0;
  bool deflated = false;  // where members of archives can be
};

// What a file will look like, before anything of it is created.
struct TensorLayout {
  std::vector<std::size_t> order;           // in which the data goes into the file
  std::vector<Packing> packing;             // of each tensor
  std::vector<std::uint64_t> bytes;         // of each tensor's data
  std::uint64_t data_bytes = 0;             // of all
  std::optional<std::uint64_t> file_bytes;  // nothing: not known beforehand
  std::vector<std::string> warnings;
  // .safetensors: the header, and where each tensor's data begins in the file.
  std::string header;
  std::vector<std::uint64_t> begin;
};

class TensorOutput {
 public:
  virtual ~TensorOutput() = default;
  // The bytes of tensor `tensor` come now. Good until the next call.
  virtual Result<ByteSink*> Begin(std::size_t tensor) = 0;
  // They have come.
  virtual Status End() = 0;
  // As OutputFile::Commit.
  virtual Status Commit() = 0;
};

struct TensorContainer {
  std::string_view extension;  // with its dot
  std::string_view name;       // in messages
  bool c_order_only;
  // Whether OutputTensor::raw may be what an input of this kind holds.
  Result<TensorLayout> (*lay_out)(const std::vector<OutputTensor>& tensors,
                                  const Metadata& metadata);
  // Both outlive the output.
  Result<std::unique_ptr<TensorOutput>> (*create)(OutputFile file,
                                                  const std::vector<OutputTensor>& tensors,
                                                  const TensorLayout& layout);
};

extern const TensorContainer kSafetensorsOutput;
extern const TensorContainer kNpzOutput;

// By the name alone: .npy, and raw elements under every other name, take one tensor. kUsage as
// FindContainer.
Result<const TensorContainer*> FindTensorContainer(std::string_view path);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_TENSOR_OUTPUT_H_
