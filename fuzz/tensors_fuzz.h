// SPDX-License-Identifier: Apache-2.0
//
// The property of every file of many tensors: what can be read can be written, and what was written
// holds the same tensors with the same bytes, and written again it is the same file.
#ifndef EXACTCAST_FUZZ_TENSORS_FUZZ_H_
#define EXACTCAST_FUZZ_TENSORS_FUZZ_H_

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exactcast/tensor_files.h"
#include "fuzz/fuzz_file.h"
#include "src/containers/tensor_input.h"

namespace exactcast::fuzz {

inline Result<TensorFilesResult> Cast(const std::string& in, const std::string& out,
                                      std::optional<FormatId> to) {
  TensorFilesRequest request;
  request.input = in;
  request.output = out;
  request.has_target = to.has_value();
  request.to = to.value_or(FormatId::kFloat32);
  request.force = true;
  request.sync = false;
  request.ignore_scales = true;
  request.threads = 1;
  return CastTensorFiles(request);
}

// Each tensor by its name: type, shape, and the bytes of its data or of its whole member.
using Contents = std::map<std::string, std::pair<std::string, std::string>>;

inline Contents Read(const std::string& path) {
  Result<std::unique_ptr<TensorInput>> input = OpenTensorInput(path, {});
  Check(input.ok(), "what was read once is read again");
  Contents contents;
  for (std::size_t i = 0; i < (*input)->tensors().size(); ++i) {
    const StoredTensor& tensor = (*input)->tensors()[i];
    std::string bytes(tensor.member.empty() ? tensor.bytes : tensor.member_bytes, '\0');
    auto* data = reinterpret_cast<std::byte*>(bytes.data());
    const Result<InputFile*> file = (*input)->OpenMember(i);
    Check(file.ok(), "a tensor that is listed can be opened");
    const Result<std::size_t> got = (*file)->seekable()
                                        ? (*file)->ReadAt(tensor.layout.begin, data, bytes.size())
                                        : (*file)->Read(data, bytes.size());
    Check(got.ok() && *got == bytes.size(), "a tensor that is listed can be read");
    contents[tensor.name] = {std::string(tensor.type) + ShapeText(tensor.layout.shape), bytes};
  }
  return contents;
}

inline void FuzzTensors(const std::string& extension, const std::uint8_t* data, std::size_t size) {
  const Folder& folder = TheFolder();
  const std::string in = folder.Write("in" + extension, data, size);
  const std::string copy = folder.Path("copy" + extension);
  const std::string again = folder.Path("again" + extension);
  const Result<TensorFilesResult> kept = Cast(in, copy, std::nullopt);
  if (kept.ok()) {
    Check(Read(copy) == Read(in), "a copy holds the same tensors");
    Check(Cast(copy, again, std::nullopt).ok(), "a copy can be copied");
    Check(folder.Read("copy" + extension) == folder.Read("again" + extension),
          "the copy of a copy is the copy");
  } else {
    Check(!std::filesystem::exists(copy), "a refusal leaves nothing");
  }
  for (const FormatId to : {FormatId::kFloat4E1m2, FormatId::kFloat64}) {
    const Result<TensorFilesResult> cast = Cast(in, again, to);
    if (!cast.ok()) continue;
    const Counts& c = cast->counts;
    std::uint64_t elements = 0;
    for (const TensorOutcome& t : cast->tensors) elements += t.cast ? t.elements : 0;
    Check(c.exact + c.rounded + c.underflowed + c.overflowed + c.nan == elements,
          "every element is in one class");
    Check(Read(again).size() == cast->tensors.size(), "every tensor is written");
  }
  std::error_code ignored;
  for (const std::string& path : {copy, again}) std::filesystem::remove(path, ignored);
}

}  // namespace exactcast::fuzz

#endif  // EXACTCAST_FUZZ_TENSORS_FUZZ_H_
