// SPDX-License-Identifier: Apache-2.0
//
// Opening what is to be read, as sources.h says.
#include "src/tensors/sources.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <string_view>
#include <utility>

#include "src/containers/descriptor.h"

namespace exactcast {
namespace {

constexpr std::string_view kIndexEnding = ".index.json";

Result<Sources> OpenFolder(const std::string& path, const ReadRequest& request,
                           bool skip_unindexed) {
  if (request.from || request.shape || request.unpacked) {
    return UsageError(
        fmt::format("{}: shards know their formats and shapes; leave --from, --shape and "
                    "--unpacked out",
                    Printable(path)));
  }
  Result<Shards> shards = OpenShards(path, skip_unindexed, false);
  if (!shards.ok()) return shards.status();
  Sources sources;
  sources.shards = std::move(*shards);
  sources.warnings = sources.shards.warnings;
  sources.files = sources.shards.files;
  for (std::size_t i = 0; i < sources.files.size(); ++i) {
    sources.inputs.push_back(sources.shards.inputs[i].get());
    sources.names.push_back(
        Printable(fmt::format("{}/{}", sources.shards.folder, sources.files[i])));
  }
  return sources;
}

}  // namespace

bool AreShards(const std::string& path) {
  struct stat facts = {};
  return path.ends_with('/') || path.ends_with(kIndexEnding) ||
         (stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode));
}

ReadRequest ReadRequestOf(const FileCastRequest& request) {
  return {.from = request.from, .shape = request.shape, .unpacked = request.unpacked};
}

Status CheckRead(const std::string& path, const ReadRequest& request) {
  if (!HoldsManyTensors(path)) return {};
  const std::string name = InputName(path);
  if (ExtensionOf(path) == ".json") {
    return UsageError(
        fmt::format("{}: is no index, whose name would end in {}; name the index, or its folder",
                    name, kIndexEnding));
  }
  if (request.shape)
    return UsageError(fmt::format("{}: knows its shapes; leave --shape out", name));
  if (request.unpacked) {
    return UsageError(fmt::format("{}: --unpacked is for raw files; leave it out", name));
  }
  if (request.from && ExtensionOf(path) != ".npz") {
    return UsageError(fmt::format("{}: knows its formats; leave --from out", name));
  }
  return {};
}

Result<Sources> OpenSources(const std::string& path, const ReadRequest& request,
                            bool skip_unindexed) {
  if (path.empty()) return UsageError("a file's name is empty");
  if (AreShards(path)) return OpenFolder(path, request, skip_unindexed);
  if (skip_unindexed) {
    return UsageError(fmt::format(
        "--skip-unindexed is for checkpoints in shards, and {} is one file", InputName(path)));
  }
  if (Status status = CheckRead(path, request); !status.ok()) return status;
  Result<std::unique_ptr<TensorInput>> input = OpenTensorInput(path, request);
  if (!input.ok()) return input.status();
  Sources sources;
  sources.file = std::move(*input);
  sources.inputs = {sources.file.get()};
  sources.names = {InputName(path)};
  sources.files = {""};
  for (const std::string& warning : sources.file->warnings()) {
    sources.warnings.push_back(fmt::format("{}: {}", sources.names[0], warning));
  }
  return sources;
}

}  // namespace exactcast
