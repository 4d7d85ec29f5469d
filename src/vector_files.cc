// SPDX-License-Identifier: Apache-2.0
//
// WriteVectors: test data into files. Which data is vectors.cc's matter.
#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

#include "exactcast/vectors.h"
#include "src/containers/output_file.h"
#include "src/kernels/words.h"

namespace exactcast {
namespace {

using Bytes = std::vector<std::byte>;

// Words as a raw file holds them.
Bytes ToRaw(const std::vector<std::uint64_t>& words, const Format& format) {
  const int bits = GetFormat(format.part).storage_bits;
  Bytes bytes(words.size() * static_cast<std::size_t>(bits / 8));
  WithWord(bits, [&](auto w) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      StoreWord(bytes.data(), i, static_cast<decltype(w)>(words[i]));
    }
  });
  if (!IsPackable(format)) return bytes;
  const Result<Plan> pack =
      MakePlan({.from = format.id, .to = format.id, .output_packing = Packing::kPacked});
  Bytes packed(pack->OutputBytes(words.size()));
  pack->Run(bytes.data(), packed.data(), words.size());
  return packed;
}

// Both files or neither, as far as that can be had: both are whole before the first gets its name,
// and a first one that is new goes again when the second fails. One that was replaced stays.
Status WriteBoth(const FileVectorsRequest& request, const FileVectorsResult& names, const Bytes& in,
                 const Bytes& out) {
  const Result<OutputPlace> in_place = OutputPlace::Find(names.input);
  if (!in_place.ok()) return in_place.status();
  const Result<OutputPlace> out_place = OutputPlace::Find(names.output);
  if (!out_place.ok()) return out_place.status();
  Result<OutputFile> input = OutputFile::Create(*in_place, {.force = request.force});
  if (!input.ok()) return input.status();
  Result<OutputFile> output = OutputFile::Create(*out_place, {.force = request.force});
  if (!output.ok()) return output.status();
  Status status = input->Write(in.data(), in.size());
  if (status.ok()) status = output->Write(out.data(), out.size());
  if (status.ok()) status = input->Commit();
  if (!status.ok()) return status;
  status = output->Commit();
  const bool is_new = !in_place->facts && !in_place->handed_over;
  if (!status.ok() && is_new) unlink(names.input.c_str());
  return status;
}

Status CheckRequest(const FileVectorsRequest& request) {
  if (request.prefix.empty() || request.prefix.ends_with('/')) {
    return UsageError("PREFIX needs a name: PREFIX.in.bin and PREFIX.out.bin are written");
  }
  if (request.vectors.count > kMostRandomVectors) {
    return UsageError(
        fmt::format("{} random elements are more than the {} that one pair of files "
                    "takes; use several with different seeds",
                    request.vectors.count, kMostRandomVectors));
  }
  return {};
}

}  // namespace

Result<FileVectorsResult> WriteVectors(const FileVectorsRequest& request) {
  if (Status status = CheckRequest(request); !status.ok()) return status;
  const Result<Plan> plan = MakePlan({.from = request.from,
                                      .to = request.to,
                                      .profile = request.profile,
                                      .rounding = request.rounding,
                                      .overflow = request.overflow,
                                      .nan = request.nan,
                                      .input_packing = Packing::kPacked,
                                      .output_packing = Packing::kPacked});
  if (!plan.ok()) return plan.status();

  const Format& from = plan->from();
  const Vectors vectors = MakeVectors(from.id, plan->to().id, request.vectors);
  const auto elements = static_cast<std::size_t>(vectors.elements);
  const Bytes in = ToRaw(vectors.words, from);
  Bytes out(plan->OutputBytes(elements));
  FileVectorsResult result = {.input = request.prefix + ".in.bin",
                              .output = request.prefix + ".out.bin",
                              .profile = std::string(plan->profile()),
                              .from = from.id,
                              .to = plan->to().id,
                              .rounding = plan->rounding(),
                              .overflow = plan->overflow(),
                              .elements = vectors.elements,
                              .random = vectors.random,
                              .counts = plan->Run(in.data(), out.data(), elements)};
  if (Status status = WriteBoth(request, result, in, out); !status.ok()) return status;
  return result;
}

}  // namespace exactcast
