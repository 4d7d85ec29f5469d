// SPDX-License-Identifier: Apache-2.0
//
// The table of NumPy's type codes, and the reasons for which other types are refused.
#include "src/containers/npy_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "src/containers/descriptor.h"

namespace exactcast {
namespace {

struct TypeRow {
  std::string_view code;  // without byte order
  FormatId format;
  std::string_view written;  // empty: read only
};

// clang-format off
constexpr auto kTypes = std::to_array<TypeRow>({
  // code  format                   written
  {"b1",   FormatId::kBool,         "|b1"},
  {"i1",   FormatId::kInt8,         "|i1"},
  {"u1",   FormatId::kUint8,        "|u1"},
  {"i2",   FormatId::kInt16,        "<i2"},
  {"i4",   FormatId::kInt32,        "<i4"},
  {"i8",   FormatId::kInt64,        "<i8"},
  {"u2",   FormatId::kUint16,       "<u2"},
  {"u4",   FormatId::kUint32,       "<u4"},
  {"u8",   FormatId::kUint64,       "<u8"},
  {"f2",   FormatId::kFloat16,      "<f2"},
  {"f4",   FormatId::kFloat32,      "<f4"},
  {"f8",   FormatId::kFloat64,      "<f8"},
  {"c8",   FormatId::kComplex64,    "<c8"},
  {"c16",  FormatId::kComplex128,   "<c16"},
  {"f1",   FormatId::kFloat8E5m2,   ""},      // ml_dtypes writes it; NumPy alone cannot read it
  {"f4",   FormatId::kTfloat32,     "<f4"},   // after float32, which is what reading finds
});
// clang-format on

struct RefusedRow {
  std::string_view start;  // of the code
  std::string_view reason;
};

// clang-format off
constexpr auto kRefused = std::to_array<RefusedRow>({
  {"f16", "long double differs from machine to machine; save it as <f8"},
  {"f12", "long double differs from machine to machine; save it as <f8"},
  {"g",   "long double differs from machine to machine; save it as <f8"},
  {"c32", "complex long double differs from machine to machine; save it as <c16"},
  {"c24", "complex long double differs from machine to machine; save it as <c16"},
  {"G",   "complex long double differs from machine to machine; save it as <c16"},
  {"O",   "Python objects are pickled, and pickles are never opened here"},
  {"U",   "text is not numbers"},
  {"S",   "text is not numbers"},
  {"a",   "text is not numbers"},
  {"T",   "text is not numbers"},
  {"M",   "dates are not numbers; save them as <i8"},
  {"m",   "time spans are not numbers; save them as <i8"},
});
// clang-format on

bool IsOpaqueWidth(std::string_view digits) {
  return digits == "1" || digits == "2" || digits == "4";
}

Status Refuse(std::string_view text, std::string_view reason) {
  const std::string shown = text.empty() ? "''" : Printable(text);
  return BadInput(fmt::format("its type {} is not read: {}", shown, reason));
}

// [("a", "<f4"), (("title", "b"), "<i2")] -> "a, b"
std::string FieldNames(const PythonLiteral& fields) {
  std::string names;
  for (const PythonLiteral& field : fields.items) {
    if (field.items.empty()) continue;
    const PythonLiteral* name = &field.items[0];
    if (name->items.size() == 2) name = &name->items[1];
    names += (names.empty() ? "" : ", ") + Printable(name->text);
  }
  return names;
}

Status RefuseStructure(const PythonLiteral& descr) {
  if (descr.kind == PythonLiteral::Kind::kList) {
    if (descr.items.empty())
      return BadInput("its type is a record without fields; there is no data");
    return BadInput(fmt::format(
        "its type is a record with the fields {}; save each field as an array of its own",
        FieldNames(descr)));
  }
  return BadInput("its type is an array within an array or no type at all; save plain numbers");
}

std::optional<NpyType> ReadName(std::string_view text) {
  for (const Format& format : kFormats) {
    if (format.use == Use::kCast && format.name == text) return NpyType{.format = format.id};
  }
  if (text == "?") return NpyType{.format = FormatId::kBool};
  return std::nullopt;
}

Result<NpyType> ReadCode(std::string_view text) {
  const bool ordered = !text.empty() && std::string_view("<>|=").find(text[0]) != text.npos;
  const bool big_endian = text.starts_with('>');
  const std::string_view code = text.substr(ordered ? 1 : 0);
  for (const TypeRow& row : kTypes) {
    if (row.code != code) continue;
    const bool one_byte = GetFormat(row.format).storage_bits == 8;
    return NpyType{.format = row.format, .swap_bytes = big_endian && !one_byte};
  }
  if (code.starts_with('V')) {
    if (!IsOpaqueWidth(code.substr(1))) {
      return Refuse(text, "bytes without a meaning; there are formats for V1, V2 and V4");
    }
    if (big_endian && code != "V1") {
      return Refuse(text, "big-endian bytes without a meaning; save them little-endian");
    }
    return NpyType{.opaque_bytes = code[1] - '0'};
  }
  for (const RefusedRow& row : kRefused) {
    if (code.starts_with(row.start)) return Refuse(text, row.reason);
  }
  return Refuse(text, "NumPy has no numbers of that name");
}

bool IsCandidate(const Format& format, int bytes) {
  // What NumPy has itself it would have named itself; float16 is there because both 16-bit floats
  // turn up as V2.
  const bool native = format.kind == Kind::kBoolean || (IsInteger(format) && !IsPackable(format)) ||
                      format.id == FormatId::kFloat32 || format.id == FormatId::kTfloat32;
  return format.use == Use::kCast && format.storage_bits == 8 * bytes && !native;
}

Status AskForFormat(const NpyType& type, std::string_view option) {
  std::string candidates;
  for (const Format& format : kFormats) {
    if (!IsCandidate(format, type.opaque_bytes)) continue;
    candidates += fmt::format("{}{}", candidates.empty() ? "" : ", ", format.name);
  }
  return UsageError(
      fmt::format("its type {} says how wide an element is, not what it means; give "
                  "{}, one of: {}",
                  Printable(type.text), option, candidates));
}

bool Agrees(FormatId type, FormatId from) {
  if (type == from) return true;
  if (type == FormatId::kFloat32) return from == FormatId::kTfloat32;
  const bool holds_bits = type == FormatId::kUint8 || type == FormatId::kInt8 ||
                          type == FormatId::kUint16 || type == FormatId::kInt16;
  return holds_bits && GetFormat(type).storage_bits == GetFormat(from).storage_bits;
}

}  // namespace

Result<NpyType> ReadNpyType(const PythonLiteral& descr) {
  if (descr.kind != PythonLiteral::Kind::kString) return RefuseStructure(descr);
  Result<NpyType> type = NpyType();
  if (const std::optional<NpyType> named = ReadName(descr.text)) {
    type = *named;
  } else {
    type = ReadCode(descr.text);
  }
  if (type.ok()) type->text = descr.text;
  return type;
}

Result<FormatId> ChooseFormat(const NpyType& type, std::optional<FormatId> from,
                              std::string_view option) {
  if (!from) {
    if (type.opaque_bytes != 0) return AskForFormat(type, option);
    return type.format;
  }
  const Format& said = GetFormat(*from);
  if (type.opaque_bytes != 0) {
    if (said.storage_bits == 8 * type.opaque_bytes) return *from;
    return UsageError(fmt::format(
        "{} {} has elements of {} bytes, its type {} of {}; give a format of that width", option,
        said.name, said.storage_bits / 8, Printable(type.text), type.opaque_bytes));
  }
  if (Agrees(type.format, *from)) return *from;
  return UsageError(fmt::format("its type {} is {}, {} says {}; leave {} out", Printable(type.text),
                                GetFormat(type.format).name, option, said.name, option));
}

std::string NpyTypeText(FormatId format) {
  for (const TypeRow& row : kTypes) {
    if (row.format == format && !row.written.empty()) return std::string(row.written);
  }
  return fmt::format("|V{}", GetFormat(format).storage_bits / 8);
}

}  // namespace exactcast
