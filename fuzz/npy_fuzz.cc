// SPDX-License-Identifier: Apache-2.0
//
// .npy files: what can be read and cast to its own format is a file that casts to itself, byte for
// byte.
#include "exactcast/container.h"
#include "fuzz/fuzz_file.h"

namespace exactcast::fuzz {
namespace {

Result<FileCastResult> Cast(const std::string& in, const std::string& out, FormatId to) {
  FileCastRequest request;
  request.input = in;
  request.output = out;
  request.to = to;
  request.force = true;
  request.sync = false;
  request.threads = 1;
  return CastFile(request);
}

void FuzzNpy(const std::uint8_t* data, std::size_t size) {
  const Folder& folder = TheFolder();
  const std::string in = folder.Write("in.npy", data, size);
  const std::string first = folder.Path("first.npy");
  const std::string second = folder.Path("second.npy");
  std::error_code ignored;
  std::filesystem::remove(first, ignored);
  const Result<FileCastResult> wide = Cast(in, first, FormatId::kComplex128);
  if (!wide.ok()) {
    Check(!std::filesystem::exists(first), "a refusal leaves nothing");
    return;
  }
  const Result<FileCastResult> own = Cast(in, first, wide->from);
  Check(own.ok(), "what casts at all casts to its own format");
  const Result<FileCastResult> again = Cast(first, second, FormatId::kComplex128);
  if (!again.ok()) return;  // a format that NumPy has no name for
  Check(again->shape == wide->shape && again->elements == wide->elements, "the shape is kept");
  Check(Cast(first, second, again->from).ok(), "what was written is read");
  Check(folder.Read("first.npy") == folder.Read("second.npy"), "a file casts to itself");
  std::filesystem::remove(second, ignored);
}

}  // namespace
}  // namespace exactcast::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  exactcast::fuzz::FuzzNpy(data, size);
  return 0;
}
