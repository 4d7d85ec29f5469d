// SPDX-License-Identifier: Apache-2.0
//
// The attributes of a RESCALE from a JSON file, under TOSA's own names.
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/rescale.h"
#include "exactcast/names.h"

namespace exactcast::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{1} << 26;

// i8_t, as TOSA writes it, or any name of a format.
Result<FormatId> ParseType(const std::string& word) {
  const bool tosa = word.size() > 3 && word.front() == 'i' && word[1] >= '0' && word[1] <= '9' &&
                    word.ends_with("_t");
  return ParseFormat(tosa ? word.substr(0, word.size() - 2) : word);
}

FormatId WithFlag(FormatId id, bool is_unsigned) {
  if (!is_unsigned) return id;
  for (const Format& f : kFormats) {
    if (f.kind == Kind::kUnsigned && f.bits == GetFormat(id).bits) return f.id;
  }
  return id;
}

class Reader {
 public:
  Reader(const Json& json, RescaleCall* call) : json_(json), call_(*call) {}

  Status Read() {
    for (const auto& [key, value] : json_.items()) {
      const Field* field = Find(key);
      if (field == nullptr) return BadInput(fmt::format("unknown attribute '{}'", key));
      if (Status status = (this->*field->read)(value); !status.ok()) {
        return BadInput(fmt::format("'{}': {}", key, status.message()));
      }
    }
    if (call_.from) call_.from = WithFlag(*call_.from, input_unsigned_);
    if (call_.to) call_.to = WithFlag(*call_.to, output_unsigned_);
    return {};
  }

 private:
  struct Field {
    std::string_view name;
    Status (Reader::*read)(const Json& value);
  };

  static const Field* Find(std::string_view key) {
    static constexpr auto kFields = std::to_array<Field>({
        {"profile", &Reader::Profile},
        {"version", &Reader::Version},
        {"in_t", &Reader::From},
        {"out_t", &Reader::To},
        {"input_unsigned", &Reader::InputUnsigned},
        {"output_unsigned", &Reader::OutputUnsigned},
        {"multiplier", &Reader::Multiplier},
        {"shift", &Reader::Shift},
        {"input_zp", &Reader::InputZeroPoint},
        {"output_zp", &Reader::OutputZeroPoint},
        {"scale32", &Reader::Scale32},
        {"rounding_mode", &Reader::RoundingMode},
        {"double_round", &Reader::DoubleRound},
        {"per_channel", &Reader::PerChannel},
        {"shape", &Reader::Shape},
    });
    for (const Field& field : kFields) {
      if (field.name == key) return &field;
    }
    return nullptr;
  }

  static Status TakeFlag(const Json& value, bool* flag) {
    if (!value.is_boolean()) return BadInput("not true or false");
    *flag = value.get<bool>();
    return {};
  }
  template <typename Integer>
  static Status TakeList(const Json& value, std::vector<Integer>* list) {
    list->clear();
    const Json items = value.is_array() ? value : Json::array({value});
    for (const Json& item : items) {
      const bool fits = std::is_signed_v<Integer>
                            ? item.is_number_integer() && !(item.is_number_unsigned() &&
                                                            item.get<std::uint64_t>() >> 63 != 0)
                            : item.is_number_unsigned();
      if (!fits) return BadInput("not an integer or a list of them");
      list->push_back(item.get<Integer>());
    }
    return {};
  }
  static Status TakeOne(const Json& value, std::int64_t* number) {
    std::vector<std::int64_t> list;
    if (Status status = TakeList(value, &list); !status.ok()) return status;
    if (list.size() != 1) return BadInput("one integer is wanted");
    *number = list.front();
    return {};
  }
  static Status TakeType(const Json& value, std::optional<FormatId>* type) {
    if (!value.is_string()) return BadInput("not the name of a type");
    const Result<FormatId> parsed = ParseType(value.get<std::string>());
    if (!parsed.ok()) return parsed.status();
    *type = *parsed;
    return {};
  }

  Status Profile(const Json& value) {
    if (!value.is_string()) return BadInput("not a name");
    call_.request.profile = value.get<std::string>();
    return {};
  }
  Status Version(const Json& value) {
    if (!value.is_string()) return BadInput("not a version as \"1.0\"");
    call_.request.profile = "tosa-" + value.get<std::string>();
    return {};
  }
  Status From(const Json& value) { return TakeType(value, &call_.from); }
  Status To(const Json& value) { return TakeType(value, &call_.to); }
  Status InputUnsigned(const Json& value) { return TakeFlag(value, &input_unsigned_); }
  Status OutputUnsigned(const Json& value) { return TakeFlag(value, &output_unsigned_); }
  Status Multiplier(const Json& value) { return TakeList(value, &call_.request.multipliers); }
  Status Shift(const Json& value) { return TakeList(value, &call_.request.shifts); }
  Status InputZeroPoint(const Json& value) { return TakeOne(value, &call_.request.input_zp); }
  Status OutputZeroPoint(const Json& value) { return TakeOne(value, &call_.request.output_zp); }
  Status Scale32(const Json& value) { return TakeFlag(value, &call_.request.scale32); }
  Status PerChannel(const Json& value) { return TakeFlag(value, &call_.request.per_channel); }
  Status Shape(const Json& value) {
    call_.shape.emplace();
    return TakeList(value, &*call_.shape);
  }
  Status DoubleRound(const Json& value) {
    bool twice = false;
    if (Status status = TakeFlag(value, &twice); !status.ok()) return status;
    call_.request.rounding = twice ? RescaleRounding::kDouble : RescaleRounding::kSingle;
    return {};
  }
  Status RoundingMode(const Json& value) {
    if (value.is_number_integer()) {  // the enumeration's numbers
      switch (value.get<std::int64_t>()) {
        case 1:
          call_.request.rounding = RescaleRounding::kSingle;
          return {};
        case 2:
          call_.request.rounding = RescaleRounding::kInexact;
          return {};
        case 3:
          call_.request.rounding = RescaleRounding::kDouble;
          return {};
        default:
          return BadInput("the numbers are 1 (single), 2 (inexact) and 3 (double)");
      }
    }
    if (!value.is_string()) return BadInput("not a rounding mode");
    const Result<RescaleRounding> rounding = ParseRescaleRounding(value.get<std::string>());
    if (!rounding.ok()) return rounding.status();
    call_.request.rounding = *rounding;
    return {};
  }

  const Json& json_;
  RescaleCall& call_;
  bool input_unsigned_ = false;
  bool output_unsigned_ = false;
};

}  // namespace

Status ReadRescaleAttributes(const std::string& path, RescaleCall* call) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || text.size() > kMostBytes) {
    return BadInput(fmt::format("{}: cannot be read as a file of attributes", path));
  }
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return BadInput(fmt::format(
        "{}: not a JSON object of attributes, as {{\"in_t\": \"i32_t\", \"out_t\": \"i8_t\", "
        "\"multiplier\": [1073741824], \"shift\": [30], \"rounding_mode\": \"SINGLE_ROUND\"}}",
        path));
  }
  const Status status = Reader(json, call).Read();
  return status.ok() ? status : BadInput(fmt::format("{}: {}", path, status.message()));
}

}  // namespace exactcast::cli
