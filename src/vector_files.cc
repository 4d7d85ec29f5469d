// SPDX-License-Identifier: Apache-2.0
//
// WriteVectors: test data into files. Which data is vectors.cc's matter.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "exactcast/vectors.h"
#include "src/containers/descriptor.h"
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

// Where a regular file gets its name: links in the last place are followed, whether they lead to a
// file or not.
struct Target {
  std::filesystem::path folder;
  std::filesystem::path name;
};

Target FindTarget(const std::string& name) {
  const Result<std::string> followed = FollowLinks(name);
  const std::filesystem::path path = followed.ok() ? *followed : name;
  return {path.has_parent_path() ? path.parent_path() : ".", path.filename()};
}

// What goes to both would replace each other, or be mixed. Hard links are two names, and each gets
// a file of its own; devices keep nothing.
bool AreOneFile(const OutputPlace& a, const OutputPlace& b) {
  if (a.straight_through() || b.straight_through()) {
    return a.facts && b.facts && !S_ISCHR(a.facts->st_mode) && a.facts->st_dev == b.facts->st_dev &&
           a.facts->st_ino == b.facts->st_ino;
  }
  const Target target_a = FindTarget(a.path);
  const Target target_b = FindTarget(b.path);
  std::error_code error;
  return target_a.name == target_b.name &&
         std::filesystem::equivalent(target_a.folder, target_b.folder, error);
}

// As OutputFile::Create; a folder that takes no new file is named.
Result<OutputFile> Create(const OutputPlace& place, bool force) {
  Result<OutputFile> file = OutputFile::Create(place, {.force = force});
  if (file.ok() || place.facts) return file;
  const std::string folder = FindTarget(place.path).folder.string();
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return file;
  const std::string name = OutputName(place.path);
  const std::string& message = file.status().message();
  const std::string reason = message.substr(std::min(message.size(), name.size() + 2));
  return NotWritten(fmt::format("{}: cannot be created in the folder {}{}", name, Printable(folder),
                                reason == ErrorText(ENOENT) ? "" : ": " + reason));
}

// Both files or neither, as far as that can be had: both are whole before the first gets its name,
// and a first one that is new goes again when the second fails. One that was replaced stays.
Status WriteBoth(const FileVectorsRequest& request, const FileVectorsResult& names, const Bytes& in,
                 const Bytes& out) {
  const Result<OutputPlace> in_place = OutputPlace::Find(names.input);
  if (!in_place.ok()) return in_place.status();
  const Result<OutputPlace> out_place = OutputPlace::Find(names.output);
  if (!out_place.ok()) return out_place.status();
  if (AreOneFile(*in_place, *out_place)) {
    return UsageError(fmt::format("{} and {} lead to one file", OutputName(names.input),
                                  OutputName(names.output)));
  }
  const Target target = FindTarget(names.input);
  Result<OutputFile> input = Create(*in_place, request.force);
  if (!input.ok()) return input.status();
  Result<OutputFile> output = Create(*out_place, request.force);
  if (!output.ok()) return output.status();
  Status status = input->Write(in.data(), in.size());
  if (status.ok()) status = output->Write(out.data(), out.size());
  if (status.ok()) status = input->Commit();
  if (!status.ok()) return status;
  status = output->Commit();
  const bool is_new = !in_place->facts && !in_place->handed_over;
  if (!status.ok() && is_new) unlink((target.folder / target.name).c_str());
  return status;
}

Status CheckRequest(const FileVectorsRequest& request) {
  if (request.prefix.empty() || request.prefix == "-" || request.prefix.ends_with('/')) {
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
                              .filling = vectors.filling,
                              .counts = plan->Run(in.data(), out.data(), elements)};
  if (Status status = WriteBoth(request, result, in, out); !status.ok()) return status;
  return result;
}

}  // namespace exactcast
