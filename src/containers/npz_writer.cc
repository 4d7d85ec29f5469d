// SPDX-License-Identifier: Apache-2.0
//
// Writing .npz archives as NumPy does: a .npy file to each tensor, zip64 throughout, the date of all
// members 1980, so that the same tensors give the same bytes. Members are deflated where those of
// the input were.
#include <fmt/format.h>
#include <minizip/zip.h>

#include <algorithm>
#include <climits>
#include <numeric>

#include "src/containers/descriptor.h"
#include "src/containers/member_name.h"
#include "src/containers/tensor_output.h"
#include "src/containers/zip_io.h"

namespace exactcast {
namespace {

constexpr int kMemoryLevel = 8;  // zlib's own default

Result<OutputLayout> NpyLayout(const OutputTensor& tensor) {
  Result<OutputLayout> layout = kNpyContainer.write(
      {.format = tensor.format, .shape = tensor.shape, .fortran_order = tensor.fortran_order});
  if (layout.ok()) return layout;
  return Status(layout.status().code(),
                fmt::format("tensor '{}': {}", Printable(tensor.name), layout.status().message()));
}

Result<TensorLayout> LayOut(const std::vector<OutputTensor>& tensors, const Metadata&) {
  TensorLayout layout;
  layout.order.resize(tensors.size());
  std::iota(layout.order.begin(), layout.order.end(), std::size_t{0});
  for (const OutputTensor& tensor : tensors) {
    if (const Status status = CheckMemberName(tensor.name); !status.ok()) {
      return Status(status.code(), status.message() + "; .safetensors takes any name");
    }
    layout.packing.push_back(Packing::kUnpacked);
    if (!tensor.raw.empty()) {
      layout.bytes.push_back(tensor.raw_bytes);
    } else {
      if (const auto npy = NpyLayout(tensor); !npy.ok()) return npy.status();
      const Format& format = GetFormat(tensor.format);
      const Result<std::uint64_t> elements =
          CountElements(tensor.shape, static_cast<std::uint64_t>(format.storage_bits / 8));
      if (!elements.ok()) return elements.status();
      layout.bytes.push_back(
          ArrayBytes(format, Packing::kUnpacked, static_cast<std::size_t>(*elements)));
    }
    layout.data_bytes += layout.bytes.back();
  }
  return layout;
}

class NpzOutput : public TensorOutput, private ByteSink {
 public:
  NpzOutput(OutputFile file, const std::vector<OutputTensor>& tensors)
      : file_(std::move(file)), io_(&file_), tensors_(tensors) {}
  ~NpzOutput() override {
    if (archive_ != nullptr) zipClose(archive_, nullptr);
  }

  Status Open() {
    zlib_filefunc64_def functions = io_.Functions();
    archive_ = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
    return archive_ != nullptr ? Status() : NotWritten("no memory for a zip archive");
  }

  Result<ByteSink*> Begin(std::size_t index) override {
    const OutputTensor& tensor = tensors_[index];
    if (Status status = BeginMember(tensor); !status.ok()) return status;
    if (!tensor.raw.empty()) return this;
    const Result<OutputLayout> npy = NpyLayout(tensor);
    if (!npy.ok()) return npy.status();
    if (Status status = Write(npy->header.data(), npy->header.size()); !status.ok()) return status;
    return this;
  }

  Status End() override { return Answer(zipCloseFileInZip(archive_)); }

  Status Commit() override {
    const int error = zipClose(std::exchange(archive_, nullptr), nullptr);
    if (Status status = Answer(error); !status.ok()) return status;
    if (Status status = io_.Flush(); !status.ok()) return status;
    return file_.Commit();
  }

 private:
  Status BeginMember(const OutputTensor& tensor) {
    const std::string name = tensor.raw.empty() ? tensor.name + ".npy" : tensor.raw;
    const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return c > 0; });
    constexpr uLong kUtf8 = 1U << 11;
    constexpr uLong kUnix45 = 3U << 8 | 45;  // made on Unix, by version 4.5 of the format
    zip_fileinfo info = {};
    info.dosDate = 1U << 21 | 1U << 16;  // 1 January 1980
    info.external_fa = 0100600UL << 16;
    return Answer(zipOpenNewFileInZip4_64(
        archive_, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
        tensor.deflated ? Z_DEFLATED : 0, Z_DEFAULT_COMPRESSION, 0, -MAX_WBITS, kMemoryLevel,
        Z_DEFAULT_STRATEGY, nullptr, 0, kUnix45, ascii ? 0 : kUtf8, 1));
  }

  Status Write(const void* data, std::size_t size) override {
    const auto* bytes = static_cast<const std::byte*>(data);
    while (size > 0) {
      const std::size_t piece = std::min<std::size_t>(size, INT_MAX);
      Status status = Answer(zipWriteInFileInZip(archive_, bytes, static_cast<unsigned>(piece)));
      if (!status.ok()) return status;
      bytes += piece;
      size -= piece;
    }
    return {};
  }

  Status Answer(int error) const {
    if (error == ZIP_OK) return io_.status();
    if (!io_.status().ok()) return io_.status();
    return NotWritten(fmt::format("the zip archive could not be written (error {})", error));
  }

  OutputFile file_;
  ZipWriteIo io_;
  const std::vector<OutputTensor>& tensors_;
  zipFile archive_ = nullptr;
};

Result<std::unique_ptr<TensorOutput>> Create(OutputFile file,
                                             const std::vector<OutputTensor>& tensors,
                                             const TensorLayout&) {
  if (!file.any_order()) {
    return NotWritten("a .npz file is written back and forth; name a regular file");
  }
  auto output = std::make_unique<NpzOutput>(std::move(file), tensors);
  if (Status status = output->Open(); !status.ok()) return status;
  return std::unique_ptr<TensorOutput>(std::move(output));
}

}  // namespace

const TensorContainer kNpzOutput = {.extension = ".npz",
                                    .name = ".npz",
                                    .c_order_only = false,
                                    .lay_out = LayOut,
                                    .create = Create};

}  // namespace exactcast
