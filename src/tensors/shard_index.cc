// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing an index: a JSON parser's events, so that no tree of a large one is held.
#include "src/tensors/shard_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "src/containers/descriptor.h"
#include "src/containers/member_name.h"
#include "src/containers/tensor_input.h"

namespace exactcast {
namespace {

constexpr std::string_view kTotalSize = "total_size";

std::string Quote(const std::string& text) { return nlohmann::json(text).dump(); }

class IndexEvents {
 public:
  using Json = nlohmann::json;

  // NOLINTBEGIN(readability-identifier-naming): as nlohmann-json calls them
  bool null() { return Value("null"); }
  bool boolean(bool value) { return Value(value ? "true" : "false"); }
  bool number_integer(Json::number_integer_t value) { return Value(fmt::format("{}", value)); }
  bool number_unsigned(Json::number_unsigned_t value) { return Value(fmt::format("{}", value)); }
  bool number_float(Json::number_float_t, const std::string& text) { return Value(text); }
  bool string(std::string& text) { return Text(text); }
  bool binary(Json::binary_t&) { return Value("bytes"); }
  bool start_object(std::size_t) { return StartObject(); }
  bool key(std::string& text) {
    if (depth_ == 1) {
      top_ = text;
      if (std::find(seen_.begin(), seen_.end(), text) != seen_.end()) return Twice(text);
      seen_.push_back(text);
    } else if (depth_ == 2) {
      key_ = text;
    }
    return true;
  }
  bool end_object() { return End(); }
  bool start_array(std::size_t) {
    if (depth_ == 0) return Fail("it is a list; an object is expected");
    if (depth_ == 2 && top_ == "weight_map") return Value("a list");
    if (depth_ == 1 && top_ == "weight_map")
      return Fail("its weight_map is a list; an object is expected");
    ++depth_;
    return true;
  }
  bool end_array() { return End(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    return Fail(fmt::format("it is not JSON: wrong at byte {}", position));
  }
  // NOLINTEND(readability-identifier-naming)

  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] bool has_map() const { return has_map_; }
  ShardIndex&& TakeIndex() { return std::move(index_); }

 private:
  bool Fail(std::string why) {
    failure_ = std::move(why);
    return false;
  }
  bool Twice(std::string_view key) {
    return Fail(fmt::format("the key '{}' stands twice", Printable(key)));
  }

  bool StartObject() {
    if (depth_ == 1 && top_ == "weight_map") has_map_ = true;
    if (depth_ == 2 && top_ == "weight_map") return Value("an object");
    ++depth_;
    return true;
  }

  bool End() {
    --depth_;
    return true;
  }

  bool Value(std::string_view text) {
    if (depth_ == 0) return Fail("it is no object");
    if (top_ == "weight_map" && depth_ <= 2) {
      return Fail(fmt::format("weight_map gives {} for '{}'; the name of a shard is expected",
                              Printable(text), Printable(depth_ == 1 ? top_ : key_)));
    }
    if (depth_ == 2 && top_ == "metadata") index_.metadata.emplace_back(key_, text);
    if (depth_ == 1) {
      index_.warnings.push_back(
          fmt::format("the unknown key '{}' of the index is left out", Printable(top_)));
    }
    return true;
  }

  bool Text(const std::string& text) {
    if (depth_ != 2 || top_ != "weight_map") return Value(Quote(text));
    const auto [found, is_new] = places_.emplace(text, index_.shards.size());
    if (is_new) {
      if (const Status status = CheckShardName(text); !status.ok()) {
        return Fail(fmt::format("tensor '{}': {}", Printable(key_), status.message()));
      }
      index_.shards.push_back(text);
    }
    index_.map.emplace_back(std::move(key_), found->second);
    return true;
  }

  int depth_ = 0;
  bool has_map_ = false;
  std::string top_;  // the key at depth 1 and the key below it
  std::string key_;
  std::vector<std::string> seen_;
  std::unordered_map<std::string, std::size_t> places_;
  ShardIndex index_;
  std::string failure_;
};

}  // namespace

Result<ShardIndex> ParseShardIndex(std::string_view text) {
  if (!IsUtf8(text)) return BadInput("it is not UTF-8");
  if (text.find('\0') != std::string_view::npos) return BadInput("it is not JSON: a byte is zero");
  IndexEvents events;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &events)) {
    return BadInput(fmt::format("{}{}", events.failure(), LikelyKind(text.substr(0, 64))));
  }
  if (!events.has_map()) {
    return BadInput("it has no weight_map; it is no index of a checkpoint in shards");
  }
  ShardIndex index = events.TakeIndex();
  std::vector<std::string_view> names;
  names.reserve(index.map.size());
  for (const auto& [name, shard] : index.map) names.push_back(name);
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    return BadInput(fmt::format("tensor '{}' stands twice in its weight_map", Printable(*twice)));
  }
  return index;
}

std::string ShardIndexText(const ShardIndex& index, std::uint64_t total_size) {
  std::string metadata;
  bool has_total = false;
  const std::string total = fmt::format("{}", total_size);
  for (const auto& [key, value] : index.metadata) {
    const bool is_total = key == kTotalSize;
    if (is_total && has_total) continue;
    has_total = has_total || is_total;
    metadata += fmt::format("{}\n    {}: {}", metadata.empty() ? "" : ",", Quote(key),
                            is_total ? total : value);
  }
  if (!has_total) {
    metadata += fmt::format("{}\n    \"{}\": {}", metadata.empty() ? "" : ",", kTotalSize, total);
  }
  std::string map;
  for (const auto& [name, shard] : index.map) {
    map += fmt::format("{}\n    {}: {}", map.empty() ? "" : ",", Quote(name),
                       Quote(index.shards[shard]));
  }
  return fmt::format("{{\n  \"metadata\": {{{}\n  }},\n  \"weight_map\": {{{}{}}}\n}}\n", metadata,
                     map, map.empty() ? "" : "\n  ");
}

}  // namespace exactcast
