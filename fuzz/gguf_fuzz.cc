// SPDX-License-Identifier: Apache-2.0
//
// .gguf files: what can be read is the same tensors in a .safetensors file.
#include "fuzz/tensors_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace exactcast::fuzz;  // NOLINT(google-build-using-namespace)
  const std::string in = TheFolder().Write("in.gguf", data, size);
  const std::string out = TheFolder().Path("out.safetensors");
  const auto kept = Cast(in, out, std::nullopt);
  Check(kept.ok() == std::filesystem::exists(out), "a refusal leaves nothing");
  if (!kept.ok()) return 0;
  Contents wanted = Read(in);
  Contents found = Read(out);
  Check(wanted.size() == found.size(), "every tensor is there");
  for (const auto& [name, tensor] : wanted) {
    Check(found[name].second == tensor.second, "every tensor has its bytes");
  }
  std::filesystem::remove(out);
  return 0;
}
