// SPDX-License-Identifier: Apache-2.0
//
// Where the bytes of one tensor go: a stretch of an output file, or a member of an archive that is
// being written.
#ifndef EXACTCAST_SRC_CONTAINERS_BYTE_SINK_H_
#define EXACTCAST_SRC_CONTAINERS_BYTE_SINK_H_

#include <cstddef>
#include <cstdint>

#include "exactcast/status.h"
#include "src/containers/output_file.h"

namespace exactcast {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // The next bytes.
  virtual Status Write(const void* data, std::size_t size) = 0;
  // Whether bytes may be written at any place of the sink instead, by several threads at once.
  [[nodiscard]] virtual bool any_order() const { return false; }
  virtual Status WriteAt(std::uint64_t offset, const void* data, std::size_t size) {
    (void)offset;
    return Write(data, size);
  }
};

// The bytes of a file from `begin` on; what is written straight through goes in order.
class FileSink : public ByteSink {
 public:
  FileSink(OutputFile* file, std::uint64_t begin) : file_(*file), begin_(begin) {}

  Status Write(const void* data, std::size_t size) override {
    if (!any_order()) return file_.Write(data, size);
    Status status = WriteAt(position_, data, size);
    position_ += size;
    return status;
  }
  [[nodiscard]] bool any_order() const override { return file_.any_order(); }
  Status WriteAt(std::uint64_t offset, const void* data, std::size_t size) override {
    return file_.Patch(begin_ + offset, data, size);
  }

 private:
  OutputFile& file_;
  std::uint64_t begin_;
  std::uint64_t position_ = 0;
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_BYTE_SINK_H_
