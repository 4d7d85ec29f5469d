// SPDX-License-Identifier: Apache-2.0
//
// Opening a checkpoint, as shards.h says. Nothing is opened that a symbolic link leads out of the
// folder to.
#include "src/tensors/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "src/containers/descriptor.h"

namespace exactcast {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexEnding = ".safetensors.index.json";
constexpr std::string_view kShardEnding = ".safetensors";
constexpr std::size_t kMostNamed = 5;  // in a message
constexpr std::uint64_t kLargestIndex = std::uint64_t{1} << 28;

class Opener {
 public:
  explicit Opener(bool skip_unindexed) : skip_unindexed_(skip_unindexed) {}

  Result<Shards> Open(const std::string& path, bool others) {
    if (Status status = FindFolder(path); !status.ok()) return status;
    if (Status status = ListFolder(); !status.ok()) return status;
    if (Status status = ChooseIndex(); !status.ok()) return status;
    if (Status status = ReadIndex(); !status.ok()) return status;
    if (Status status = OpenFiles(); !status.ok()) return status;
    if (Status status = Compare(); !status.ok()) return status;
    if (!others) return std::move(shards_);
    if (Status status = ListOthers(); !status.ok()) return status;
    return std::move(shards_);
  }

 private:
  [[nodiscard]] std::string In(const std::string& name) const {
    return (fs::path(shards_.folder) / name).string();
  }
  [[nodiscard]] std::string Shown(const std::string& name) const { return Printable(In(name)); }

  Status FindFolder(const std::string& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      shards_.folder = path;
    } else {
      const fs::path index(path);
      shards_.index_name = index.filename().string();
      shards_.folder = index.has_parent_path() ? index.parent_path().string() : ".";
    }
    root_ = fs::canonical(shards_.folder, error);
    if (!error) return {};
    return BadInput(fmt::format("{}: {}", Printable(shards_.folder), ErrorText(error.value())));
  }

  // Whether what a path leads to lies in the folder.
  [[nodiscard]] bool IsInside(const fs::path& path) const {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error) return false;
    const auto [end, unused] = std::mismatch(root_.begin(), root_.end(), real.begin(), real.end());
    return end == root_.end();
  }

  Status ListFolder() {
    std::error_code error;
    for (fs::directory_iterator entry(root_, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      names_.push_back(entry->path().filename().string());
    }
    if (error)
      return BadInput(fmt::format("{}: {}", Printable(shards_.folder), ErrorText(error.value())));
    std::sort(names_.begin(), names_.end());
    return {};
  }

  Status ChooseIndex() {
    if (!shards_.index_name.empty()) return {};
    std::vector<std::string> found;
    for (const std::string& name : names_) {
      if (name.ends_with(kIndexEnding)) found.push_back(name);
    }
    if (found.size() > 1) {
      return UsageError(fmt::format("{}: there are several indexes, {}; name one of them as INPUT",
                                    Printable(shards_.folder),
                                    Printable(fmt::format("{}", fmt::join(found, ", ")))));
    }
    if (found.size() == 1) shards_.index_name = found[0];
    return {};
  }

  Status ReadIndex() {
    if (shards_.index_name.empty()) {
      for (const std::string& name : names_) {
        if (name.ends_with(kShardEnding) && name != kShardEnding) shards_.files.push_back(name);
      }
      if (!shards_.files.empty()) return {};
      return BadInput(
          fmt::format("{}: there is no index and no .safetensors file in this folder; name a file",
                      Printable(shards_.folder)));
    }
    const std::string shown = Shown(shards_.index_name);
    Result<InputFile> file = OpenInside(shards_.index_name);
    if (!file.ok()) return file.status();
    if (!file->regular() || file->size() > kLargestIndex) {
      return BadInput(fmt::format("{}: it has {} bytes; no index is larger than {}", shown,
                                  file->size(), kLargestIndex));
    }
    std::string text(static_cast<std::size_t>(file->size()), '\0');
    const Result<std::size_t> got =
        file->ReadAt(0, reinterpret_cast<std::byte*>(text.data()), text.size());
    if (!got.ok()) return BadInput(fmt::format("{}: {}", shown, got.status().message()));
    Result<ShardIndex> index = ParseShardIndex(text);
    if (!index.ok()) return BadInput(fmt::format("{}: {}", shown, index.status().message()));
    shards_.index = std::move(*index);
    shards_.files = shards_.index.shards;
    for (const std::string& warning : shards_.index.warnings) {
      shards_.warnings.push_back(fmt::format("{}: {}", shown, warning));
    }
    return {};
  }

  Status CheckInside(const std::string& name) const {
    std::error_code error;
    if (fs::symlink_status(In(name), error).type() == fs::file_type::not_found) {
      return BadInput(fmt::format("{}: {}", Shown(name), ErrorText(ENOENT)));
    }
    if (IsInside(In(name))) {
      if (fs::is_regular_file(In(name), error)) return {};  // a pipe would be waited for
      return BadInput(
          fmt::format("{}: is no regular file; put the file itself there", Shown(name)));
    }
    return BadInput(
        fmt::format("{}: is a symbolic link out of its folder, or to nothing; such "
                    "links are not followed: put the file itself there",
                    Shown(name)));
  }

  Result<InputFile> OpenInside(const std::string& name) const {
    if (Status status = CheckInside(name); !status.ok()) return status;
    return InputFile::Open(In(name));
  }

  Status OpenFiles() {
    if (Status status = ReportMissing(); !status.ok()) return status;
    for (const std::string& name : shards_.files) {
      if (Status status = CheckInside(name); !status.ok()) return status;
      Result<std::unique_ptr<TensorInput>> input = OpenTensorInput(In(name), {});
      if (!input.ok()) return input.status();
      for (const std::string& warning : (*input)->warnings()) {
        shards_.warnings.push_back(fmt::format("{}: {}", Shown(name), warning));
      }
      shards_.inputs.push_back(std::move(*input));
    }
    return {};
  }

  // All that the index names and the folder lacks, in one line.
  Status ReportMissing() const {
    std::string missing;
    std::size_t count = 0;
    for (std::size_t i = 0; i < shards_.files.size(); ++i) {
      if (std::binary_search(names_.begin(), names_.end(), shards_.files[i])) continue;
      if (++count > kMostNamed) continue;
      const auto holds = std::count_if(shards_.index.map.begin(), shards_.index.map.end(),
                                       [&](const auto& entry) { return entry.second == i; });
      missing += fmt::format("{}{} (with {} tensor{})", missing.empty() ? "" : ", ",
                             Printable(shards_.files[i]), holds, holds == 1 ? "" : "s");
    }
    if (count == 0) return {};
    if (count > kMostNamed) missing += fmt::format(" and {} more", count - kMostNamed);
    return BadInput(fmt::format("{}: names what is not in its folder: {}; fetch {} and try again",
                                Shown(shards_.index_name), missing, count == 1 ? "it" : "them"));
  }

  // Index and shards, both ways.
  Status Compare() {
    std::unordered_map<std::string_view, std::size_t> shard_of;
    for (std::size_t i = 0; i < shards_.inputs.size(); ++i) {
      for (const StoredTensor& tensor : shards_.inputs[i]->tensors()) {
        const auto [found, is_new] = shard_of.emplace(tensor.name, i);
        if (is_new) continue;
        return BadInput(fmt::format("{}: tensor '{}' is in two shards, {} and {}",
                                    Printable(shards_.folder), Printable(tensor.name),
                                    Printable(shards_.files[found->second]),
                                    Printable(shards_.files[i])));
      }
    }
    if (shards_.index_name.empty()) {
      if (shards_.files.size() > 1) {
        shards_.warnings.push_back(fmt::format(
            "{}: {} .safetensors files and no index; each is taken, and none is written",
            Printable(shards_.folder), shards_.files.size()));
      }
      return {};
    }
    for (const auto& [name, shard] : shards_.index.map) {
      const auto found = shard_of.find(name);
      if (found != shard_of.end() && found->second == shard) continue;
      return BadInput(fmt::format(
          "{}: tensor '{}' should be in {}, and is {}", Shown(shards_.index_name), Printable(name),
          Printable(shards_.files[shard]),
          found == shard_of.end() ? "not there"
                                  : fmt::format("in {}", Printable(shards_.files[found->second]))));
    }
    AddUnindexed();
    CheckTotal();
    return {};
  }

  void AddUnindexed() {
    std::vector<std::string_view> named;
    named.reserve(shards_.index.map.size());
    for (const auto& [name, shard] : shards_.index.map) named.push_back(name);
    std::sort(named.begin(), named.end());
    std::vector<std::pair<std::string, std::size_t>> added;
    for (std::size_t i = 0; i < shards_.inputs.size(); ++i) {
      for (const StoredTensor& tensor : shards_.inputs[i]->tensors()) {
        if (std::binary_search(named.begin(), named.end(), tensor.name)) continue;
        added.emplace_back(tensor.name, i);
      }
    }
    for (auto& [name, shard] : added) {
      shards_.warnings.push_back(fmt::format(
          "{}: does not name tensor '{}' of {}; it is {}", Shown(shards_.index_name),
          Printable(name), Printable(shards_.files[shard]),
          skip_unindexed_ ? "left out" : "taken all the same (--skip-unindexed leaves it out)"));
      shards_.unindexed.push_back(name);
      if (!skip_unindexed_) shards_.index.map.emplace_back(std::move(name), shard);
    }
    std::sort(shards_.unindexed.begin(), shards_.unindexed.end());
  }

  void CheckTotal() {
    std::uint64_t total = 0;
    for (const auto& input : shards_.inputs) {
      for (const StoredTensor& tensor : input->tensors()) total += tensor.bytes;
    }
    for (const auto& [key, value] : shards_.index.metadata) {
      if (key != "total_size" || value == fmt::format("{}", total)) continue;
      shards_.warnings.push_back(fmt::format("{}: total_size is {}, and the shards hold {} bytes",
                                             Shown(shards_.index_name), Printable(value), total));
    }
  }

  // Everything but shards and index, in sub-folders too.
  Status ListOthers() {
    std::error_code error;
    fs::recursive_directory_iterator entry(root_, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().lexically_relative(root_).string();
      const bool is_ours =
          name == shards_.index_name ||
          std::find(shards_.files.begin(), shards_.files.end(), name) != shards_.files.end();
      if (is_ours || (entry->is_directory(error) && !entry->is_symlink(error))) continue;
      AddOther(name, *entry);
    }
    if (error)
      return BadInput(fmt::format("{}: {}", Printable(shards_.folder), ErrorText(error.value())));
    std::sort(shards_.others.begin(), shards_.others.end());
    return {};
  }

  void AddOther(const std::string& name, const fs::directory_entry& entry) {
    std::error_code error;
    if (!entry.is_regular_file(error)) {
      shards_.warnings.push_back(
          fmt::format("{}: is no regular file; it is left out", Shown(name)));
    } else if (!IsInside(entry.path())) {
      shards_.warnings.push_back(
          fmt::format("{}: is a symbolic link out of its folder; it is left out", Shown(name)));
    } else {
      if (name.ends_with(kShardEnding)) {
        shards_.warnings.push_back(
            fmt::format("{}: is no shard of the index; it is copied as it is", Shown(name)));
      }
      shards_.others.push_back(name);
    }
  }

  bool skip_unindexed_;
  fs::path root_;
  std::vector<std::string> names_;  // in the folder, sorted
  Shards shards_;
};

}  // namespace

Result<Shards> OpenShards(const std::string& path, bool skip_unindexed, bool others) {
  return Opener(skip_unindexed).Open(path, others);
}

}  // namespace exactcast
