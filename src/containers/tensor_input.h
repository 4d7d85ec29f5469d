// SPDX-License-Identifier: Apache-2.0
//
// Files that hold tensors by name: what they list, and the bytes of each tensor. A file of a single
// array is one with one tensor. How a tensor's elements are read is element_reader.h's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_TENSOR_INPUT_H_
#define EXACTCAST_SRC_CONTAINERS_TENSOR_INPUT_H_

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exactcast/status.h"
#include "src/containers/container_row.h"
#include "src/containers/input_file.h"

namespace exactcast {

struct StoredTensor {
  std::string name;
  std::string_view type;    // as the file spells it; lives for ever
  bool is_array = true;     // false: another member of an archive, with a name only
  InputLayout layout;       // with an obstacle: no more than the shape
  std::uint64_t bytes = 0;  // of the data as it is stored
  // A member of an archive, its own header included; 0 elsewhere.
  std::uint64_t member_bytes = 0;
  std::string member;  // what the archive calls it
  bool deflated = false;
};

// Texts by name, in the order of the file.
using Metadata = std::vector<std::pair<std::string, std::string>>;

// Messages and warnings leave the file's name to the caller.
class TensorInput {
 public:
  virtual ~TensorInput() = default;

  [[nodiscard]] const std::vector<StoredTensor>& tensors() const { return tensors_; }
  [[nodiscard]] const Metadata& metadata() const { return metadata_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }

  // The file that holds the tensor's data, as its layout says. Good until the next call.
  virtual Result<InputFile*> Open(std::size_t tensor) = 0;
  // A member of an archive from its first byte on.
  virtual Result<InputFile*> OpenMember(std::size_t tensor) { return Open(tensor); }
  // What was opened last has been read: checks what comes behind the data.
  virtual Status Finish() { return {}; }
  // What the file is on the disk.
  [[nodiscard]] virtual std::optional<struct stat> Facts() const = 0;

 protected:
  std::vector<StoredTensor> tensors_;
  Metadata metadata_;
  std::vector<std::string> warnings_;
  std::uint64_t file_bytes_ = 0;
};

// Opens by the name alone, as FindContainer does. kBadInput: it cannot be read or is malformed; the
// message begins with the path.
Result<std::unique_ptr<TensorInput>> OpenTensorInput(const std::string& path,
                                                     const ReadRequest& request);

// One line each in tensor_input.cc's table.
Result<std::unique_ptr<TensorInput>> OpenSafetensors(InputFile file);
Result<std::unique_ptr<TensorInput>> OpenNpz(InputFile file, const ReadRequest& request);
Result<std::unique_ptr<TensorInput>> OpenGguf(InputFile file);

// What a file is more likely to be, from its first bytes: "; it looks like a git-lfs pointer ..." or
// nothing.
std::string_view LikelyKind(std::string_view start);

// Whether the text is well-formed UTF-8.
bool IsUtf8(std::string_view text);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_TENSOR_INPUT_H_
