// SPDX-License-Identifier: Apache-2.0
//
// .safetensors files, as far as reader and writer share it:
//
//   N                       u64, little-endian
//   {"name":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}, ...}      N bytes of JSON
//   data                    in C order, little-endian; offsets count from here
//
// A number format that has no dtype is stored as bytes, U8, and named in __metadata__, so that it is
// read back as what it is.
#ifndef EXACTCAST_SRC_CONTAINERS_SAFETENSORS_H_
#define EXACTCAST_SRC_CONTAINERS_SAFETENSORS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/spec/format.h"
#include "exactcast/status.h"
#include "src/containers/tensor_input.h"
#include "src/containers/tensor_output.h"

namespace exactcast {

struct DtypeRow {
  std::string_view name;
  std::uint64_t bits;
  FormatId format;
  bool castable;  // false: the format does not say where in the bytes an element's bits are
};

// In the order that the reference writer sorts by, which puts the last first.
// clang-format off
inline constexpr auto kDtypes = std::to_array<DtypeRow>({
  {"BOOL",         8, FormatId::kBool,            true},
  {"F4",           4, FormatId::kFloat4E2m1fn,    true},
  {"F6_E2M3",      6, FormatId::kFloat6E2m3fn,    false},
  {"F6_E3M2",      6, FormatId::kFloat6E3m2fn,    false},
  {"U8",           8, FormatId::kUint8,           true},
  {"I8",           8, FormatId::kInt8,            true},
  {"F8_E5M2",      8, FormatId::kFloat8E5m2,      true},
  {"F8_E4M3",      8, FormatId::kFloat8E4m3fn,    true},
  {"F8_E8M0",      8, FormatId::kFloat8E8m0fnu,   true},
  {"F8_E4M3FNUZ",  8, FormatId::kFloat8E4m3fnuz,  true},
  {"F8_E5M2FNUZ",  8, FormatId::kFloat8E5m2fnuz,  true},
  {"I16",         16, FormatId::kInt16,           true},
  {"U16",         16, FormatId::kUint16,          true},
  {"F16",         16, FormatId::kFloat16,         true},
  {"BF16",        16, FormatId::kBfloat16,        true},
  {"I32",         32, FormatId::kInt32,           true},
  {"U32",         32, FormatId::kUint32,          true},
  {"F32",         32, FormatId::kFloat32,         true},
  {"C64",         64, FormatId::kComplex64,       true},
  {"F64",         64, FormatId::kFloat64,         true},
  {"I64",         64, FormatId::kInt64,           true},
  {"U64",         64, FormatId::kUint64,          true},
});
// clang-format on
static_assert(kDtypes.size() == 22);

constexpr std::uint64_t kLongestSafetensorsHeader = 100'000'000;
constexpr std::string_view kMetadataKey = "__metadata__";
// In __metadata__, before a tensor's name: "exactcast.format.w": "hifloat8"; the shape behind it
// where it cannot be told from that of the bytes: "float4_e1m2 [3,5]".
constexpr std::string_view kFormatKey = "exactcast.format.";

const DtypeRow* FindDtype(std::string_view name);
const DtypeRow* FindDtype(FormatId format);

struct SafetensorsEntry {
  std::string name;
  const DtypeRow* dtype = nullptr;
  Shape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of the text
  Metadata metadata;
  std::vector<std::string> warnings;
};

// The text of a header: that it is JSON of the expected form, and that no key stands twice.
Result<SafetensorsHeader> ParseSafetensorsHeader(std::string_view text);

// How a tensor of any format is stored.
struct SafetensorsForm {
  std::string_view dtype;
  Shape shape = {};
  std::uint64_t bytes = 0;
  Packing packing = Packing::kUnpacked;
  std::string named = {};  // the value for kFormatKey; empty: the dtype says it all
};
SafetensorsForm FormOf(FormatId format, const Shape& shape, std::uint64_t elements);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_SAFETENSORS_H_
