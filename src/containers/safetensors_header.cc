// SPDX-License-Identifier: Apache-2.0
//
// The header of .safetensors files as text: a JSON parser's events become entries, one after the
// other, so that a header of any size is never held as a tree. What the entries mean together is
// safetensors.cc's matter.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/containers/descriptor.h"
#include "src/containers/safetensors.h"

namespace exactcast {
namespace {

std::string DtypeList() {
  std::string list;
  for (const DtypeRow& row : kDtypes)
    list += fmt::format("{}{}", list.empty() ? "" : " ", row.name);
  return list;
}

// Each event answers whether to go on; `failure` says why not.
class HeaderEvents {
 public:
  using Json = nlohmann::json;
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  // NOLINTBEGIN(readability-identifier-naming): as nlohmann-json calls them
  bool null() { return Value("null"); }
  bool boolean(bool value) { return Value(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) { return Value(fmt::format("{}", value)); }
  bool number_unsigned(number_unsigned_t value) { return Number(value); }
  bool number_float(number_float_t, const string_t& text) { return Value(text); }
  bool string(string_t& text) { return Text(text); }
  bool binary(binary_t&) { return Value("bytes"); }
  bool start_object(std::size_t) { return StartObject(); }
  bool key(string_t& text) { return Key(text); }
  bool end_object() { return End(); }
  bool start_array(std::size_t) { return StartArray(); }
  bool end_array() { return End(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
    return Fail(fmt::format("its header is not JSON: wrong at byte {} of it", position));
  }
  // NOLINTEND(readability-identifier-naming)

  [[nodiscard]] const std::string& failure() const { return failure_; }
  SafetensorsHeader&& TakeHeader() { return std::move(header_); }

 private:
  enum class Place { kStart, kTop, kMetadata, kEntry, kShape, kOffsets, kUnknown };
  enum Field : unsigned { kDtype = 1, kShapeField = 2, kOffsetsField = 4, kAll = 7 };

  bool Fail(std::string why) {
    failure_ = std::move(why);
    return false;
  }
  SafetensorsEntry& entry() { return header_.entries.back(); }
  std::string Quoted() { return fmt::format("tensor '{}'", Printable(entry().name)); }

  // What is not expected where it stands.
  bool Value(std::string_view text) {
    switch (place_) {
      case Place::kUnknown:
        return true;
      case Place::kMetadata:
        return Fail(fmt::format("{} '{}' is {}; its values must be strings", kMetadataKey,
                                Printable(key_), Printable(text)));
      case Place::kShape:
        return Fail(fmt::format("{}: shape holds {}; only whole numbers from 0 to 2^64 - 1 may",
                                Quoted(), Printable(text)));
      case Place::kOffsets:
        return Fail(fmt::format(
            "{}: data_offsets holds {}; exactly two whole numbers from 0 to 2^64 - 1 may", Quoted(),
            Printable(text)));
      case Place::kEntry:
        if (field_ == 0) return true;
        return Fail(fmt::format("{}: {} is {}; expected {}", Quoted(), key_, Printable(text),
                                field_ == kDtype ? "a string" : "a list of whole numbers"));
      default:
        return Fail(fmt::format("its header has {} where {} should stand", Printable(text),
                                place_ == Place::kTop ? "an object" : "{...}"));
    }
  }

  bool Number(std::uint64_t value) {
    if (place_ == Place::kShape) {
      entry().shape.push_back(value);
      return true;
    }
    if (place_ != Place::kOffsets || offsets_ == 2) return Value(fmt::format("{}", value));
    (offsets_++ == 0 ? entry().begin : entry().end) = value;
    return true;
  }

  bool Text(const std::string& text) {
    if (place_ == Place::kMetadata) {
      header_.metadata.emplace_back(std::move(key_), text);
      return true;
    }
    if (place_ != Place::kEntry || field_ != kDtype) return Value(fmt::format("'{}'", text));
    entry().dtype = FindDtype(text);
    if (entry().dtype != nullptr) return true;
    return Fail(fmt::format("{}: the dtype {} is not known; there are {}", Quoted(),
                            Printable(text), DtypeList()));
  }

  bool StartObject() {
    if (place_ == Place::kStart) {
      place_ = Place::kTop;
      return true;
    }
    if (place_ == Place::kTop) {
      if (key_ == kMetadataKey) {
        if (std::exchange(has_metadata_, true)) return Twice(key_);
        place_ = Place::kMetadata;
        return true;
      }
      header_.entries.emplace_back().name = std::move(key_);
      fields_ = field_ = 0;
      place_ = Place::kEntry;
      return true;
    }
    return Nest("an object");
  }

  bool StartArray() {
    if (place_ == Place::kEntry && field_ == kShapeField) {
      place_ = Place::kShape;
      return true;
    }
    if (place_ == Place::kEntry && field_ == kOffsetsField) {
      place_ = Place::kOffsets;
      offsets_ = 0;
      return true;
    }
    return Nest("a list");
  }

  // An object or list that may stand only where nobody looks.
  bool Nest(std::string_view what) {
    if (place_ == Place::kUnknown || (place_ == Place::kEntry && field_ == 0)) {
      place_ = Place::kUnknown;
      ++nested_;
      return true;
    }
    return Value(what);
  }

  bool Key(const std::string& text) {
    if (place_ == Place::kUnknown) return true;
    if (place_ != Place::kEntry) {
      key_ = text;
      return true;
    }
    key_ = text;
    field_ = text == "dtype"          ? kDtype
             : text == "shape"        ? kShapeField
             : text == "data_offsets" ? kOffsetsField
                                      : 0U;
    if (field_ == 0) {
      if (std::find(unknown_.begin(), unknown_.end(), text) != unknown_.end()) {
        return Fail(fmt::format("{}: the key '{}' stands twice", Quoted(), Printable(text)));
      }
      unknown_.push_back(text);
      return true;
    }
    if ((fields_ & field_) != 0) {
      return Fail(fmt::format("{}: the key '{}' stands twice", Quoted(), text));
    }
    fields_ |= field_;
    return true;
  }

  bool End() {
    switch (place_) {
      case Place::kUnknown:
        if (--nested_ == 0) place_ = Place::kEntry;
        return true;
      case Place::kShape:
        place_ = Place::kEntry;
        return true;
      case Place::kOffsets:
        if (offsets_ != 2) return Value(offsets_ == 0 ? "nothing" : "one number");
        place_ = Place::kEntry;
        return true;
      case Place::kEntry:
        return EndEntry();
      default:
        place_ = Place::kTop;
        return true;
    }
  }

  bool EndEntry() {
    place_ = Place::kTop;
    if (fields_ != kAll) {
      const std::string_view missing = (fields_ & kDtype) == 0        ? "dtype"
                                       : (fields_ & kShapeField) == 0 ? "shape"
                                                                      : "data_offsets";
      return Fail(fmt::format("{}: its entry in the header lacks {}", Quoted(), missing));
    }
    for (const std::string& key : unknown_) {
      header_.warnings.push_back(fmt::format("{}: the unknown field '{}' of its entry is ignored",
                                             Quoted(), Printable(key)));
    }
    unknown_.clear();
    entry().shape.shrink_to_fit();
    return true;
  }

  bool Twice(std::string_view key) {
    return Fail(fmt::format("the key '{}' stands twice in its header", Printable(key)));
  }

  Place place_ = Place::kStart;
  std::string key_;
  bool has_metadata_ = false;
  unsigned field_ = 0;   // whose value comes
  unsigned fields_ = 0;  // of the entry, that have come
  unsigned offsets_ = 0;
  std::size_t nested_ = 0;
  std::vector<std::string> unknown_;
  SafetensorsHeader header_;
  std::string failure_;
};

// A name that stands twice, if there is one.
template <typename Items, typename NameOf>
const std::string* FindTwice(const Items& items, const NameOf& name_of) {
  std::vector<const std::string*> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(&name_of(item));
  std::sort(names.begin(), names.end(), [](auto* a, auto* b) { return *a < *b; });
  const auto twice =
      std::adjacent_find(names.begin(), names.end(), [](auto* a, auto* b) { return *a == *b; });
  return twice == names.end() ? nullptr : *twice;
}

Status CheckText(std::string_view text) {
  if (!IsUtf8(text)) return BadInput("its header is not UTF-8");
  if (text.starts_with("\xef\xbb\xbf")) {
    return BadInput("its header begins with a byte order mark; it must begin with {");
  }
  // To the parser a zero byte would be the end.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return BadInput(fmt::format("its header is not JSON: byte {} of it is zero", zero));
  }
  return {};
}

}  // namespace

const DtypeRow* FindDtype(std::string_view name) {
  const auto* row =
      std::find_if(kDtypes.begin(), kDtypes.end(), [&](const auto& r) { return r.name == name; });
  return row == kDtypes.end() ? nullptr : row;
}

const DtypeRow* FindDtype(FormatId format) {
  const auto* row = std::find_if(kDtypes.begin(), kDtypes.end(),
                                 [&](const auto& r) { return r.format == format && r.castable; });
  return row == kDtypes.end() ? nullptr : row;
}

Result<SafetensorsHeader> ParseSafetensorsHeader(std::string_view text) {
  if (Status status = CheckText(text); !status.ok()) return status;
  HeaderEvents events;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &events)) {
    return BadInput(events.failure());
  }
  SafetensorsHeader header = events.TakeHeader();
  const std::string* twice =
      FindTwice(header.entries, [](const auto& e) -> const std::string& { return e.name; });
  if (twice != nullptr) {
    return BadInput(
        fmt::format("the key '{}' stands twice in its header; which tensor is meant cannot be told",
                    Printable(*twice)));
  }
  twice = FindTwice(header.metadata, [](const auto& m) -> const std::string& { return m.first; });
  if (twice != nullptr) {
    return BadInput(
        fmt::format("the key '{}' stands twice in its {}", Printable(*twice), kMetadataKey));
  }
  header.entries.shrink_to_fit();
  return header;
}

}  // namespace exactcast
