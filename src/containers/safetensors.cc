// SPDX-License-Identifier: Apache-2.0
//
// Reading .safetensors files: the rules of the format in the order in which the reference reader
// checks them, and formats by name. The header's text is safetensors_header.cc's matter.
#include "src/containers/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>

#include "src/containers/descriptor.h"

namespace exactcast {
namespace {

constexpr std::uint64_t kPrefix = 8;  // bytes of N
constexpr std::string_view kF6Obstacle =
    "how F6 elements lie in their bytes is not defined; such tensors are copied as they are";

std::string Quoted(std::string_view name) { return fmt::format("tensor '{}'", Printable(name)); }

// ---- Rules 1 to 3 -------------------------------------------------------------------------------

// Nobody can mend such a file by hand.
Status Advise(const Status& fault) {
  if (fault.ok() || fault.message().ends_with(" again")) return fault;
  return BadInput(fmt::format("{}; fetch the file or write it again", fault.message()));
}

Result<std::string> ReadHeaderText(InputFile* file) {
  std::string start(static_cast<std::size_t>(std::min<std::uint64_t>(file->size(), 64)), '\0');
  Result<std::size_t> got =
      file->ReadAt(0, reinterpret_cast<std::byte*>(start.data()), start.size());
  if (!got.ok()) return got.status();
  start.resize(*got);
  if (start.size() < kPrefix) {
    return Advise(BadInput(fmt::format("expected at least {} bytes, found {}{}", kPrefix,
                                       start.size(), LikelyKind(start))));
  }
  std::uint64_t length = 0;
  for (std::size_t i = kPrefix; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(start[i]);
  if (length > kLongestSafetensorsHeader) {
    return BadInput(
        fmt::format("not a .safetensors file: its header would have {} bytes, and at "
                    "most {} are allowed{}",
                    length, kLongestSafetensorsHeader, LikelyKind(start)));
  }
  if (length > file->size() - kPrefix) {
    return BadInput(fmt::format(
        "truncated within its header: expected {} bytes, the file has {}; fetch it again",
        kPrefix + length, file->size()));
  }
  std::string text(length, '\0');
  got = file->ReadAt(kPrefix, reinterpret_cast<std::byte*>(text.data()), text.size());
  if (!got.ok()) return got.status();
  if (*got < length) return BadInput("it became shorter while it was read; try again");
  return text;
}

// ---- Rules 6 to 10 ------------------------------------------------------------------------------

Status CheckOffsets(const std::vector<SafetensorsEntry>& entries,
                    const std::vector<std::size_t>& order) {
  const SafetensorsEntry* before = nullptr;
  for (const std::size_t i : order) {
    const SafetensorsEntry& e = entries[i];
    if (e.end < e.begin) {
      return BadInput(fmt::format("{}: data_offsets end at {}, before they begin, at {}",
                                  Quoted(e.name), e.end, e.begin));
    }
    const std::uint64_t expected = before == nullptr ? 0 : before->end;
    if (e.begin > expected) {
      return BadInput(fmt::format("bytes {} to {} of the data, before {}, belong to no tensor",
                                  expected, e.begin, Quoted(e.name)));
    }
    if (e.begin < expected) {
      return BadInput(fmt::format("tensors '{}' (bytes {} to {}) and '{}' ({} to {}) overlap",
                                  Printable(before->name), before->begin, before->end,
                                  Printable(e.name), e.begin, e.end));
    }
    before = &e;
  }
  return {};
}

// In the order of the dimensions, as the reference reader multiplies.
std::optional<std::uint64_t> Multiply(const Shape& shape, std::uint64_t factor) {
  std::uint64_t product = 1;
  for (const std::uint64_t dimension : shape) {
    if (__builtin_mul_overflow(product, dimension, &product)) return std::nullopt;
  }
  if (__builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  return product;
}

Status CheckSize(const SafetensorsEntry& e) {
  const std::optional<std::uint64_t> bits = Multiply(e.shape, e.dtype->bits);
  if (!bits) {
    return BadInput(fmt::format("{}: {} of shape {} is larger than can be counted", Quoted(e.name),
                                e.dtype->name, ShapeText(e.shape)));
  }
  if (*bits % 8 != 0) {
    return BadInput(fmt::format("{}: {} of shape {} takes {} bits, no whole number of bytes",
                                Quoted(e.name), e.dtype->name, ShapeText(e.shape), *bits));
  }
  if (e.end - e.begin == *bits / 8) return {};
  return BadInput(fmt::format("{}: {} of shape {} needs {} bytes, its data_offsets give {}",
                              Quoted(e.name), e.dtype->name, ShapeText(e.shape), *bits / 8,
                              e.end - e.begin));
}

Status CheckEntries(const std::vector<SafetensorsEntry>& entries, std::uint64_t begin,
                    std::uint64_t file_bytes) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(entries[a].begin, entries[a].end) <
           std::pair(entries[b].begin, entries[b].end);
  });
  if (Status status = CheckOffsets(entries, order); !status.ok()) return status;
  for (const std::size_t i : order) {
    if (Status status = CheckSize(entries[i]); !status.ok()) return status;
  }
  const std::uint64_t data = order.empty() ? 0 : entries[order.back()].end;
  const std::uint64_t found = file_bytes - begin;
  if (data == found) return {};
  if (data > found) {
    return BadInput(fmt::format(
        "truncated: expected {} bytes of data, the file has {}; fetch it again", data, found));
  }
  return BadInput(
      fmt::format("{} bytes follow the data of the last tensor; nothing may", found - data));
}

// ---- Formats by name ----------------------------------------------------------------------------

// "float4_e1m2 [3,5]"
struct NamedFormat {
  FormatId format;
  std::optional<Shape> shape;
};

std::optional<Shape> ParseShapeList(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  Shape shape;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, text.find(','));
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), value);
    if (error != std::errc() || end != piece.data() + piece.size()) return std::nullopt;
    shape.push_back(value);
    text.remove_prefix(std::min(text.size(), piece.size() + 1));
  }
  return shape;
}

std::optional<NamedFormat> ParseNamed(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const std::string_view name = text.substr(0, blank);
  for (const Format& format : kFormats) {
    if (format.name != name || format.use != Use::kCast) continue;
    NamedFormat named = {.format = format.id, .shape = std::nullopt};
    if (blank == std::string_view::npos) return named;
    named.shape = ParseShapeList(text.substr(blank + 1));
    if (named.shape) return named;
  }
  return std::nullopt;
}

// What __metadata__ says of a tensor, against what its entry says.
Status ApplyName(const std::string& text, StoredTensor* tensor) {
  const std::optional<NamedFormat> named = ParseNamed(text);
  if (!named) {
    return BadInput(fmt::format("{}: its format in {} is '{}', which is not known here",
                                Quoted(tensor->name), kMetadataKey, Printable(text)));
  }
  const Shape shape = named->shape.value_or(tensor->layout.shape);
  const Result<std::uint64_t> elements =
      CountElements(shape, static_cast<std::uint64_t>(GetFormat(named->format).storage_bits / 8));
  if (!elements.ok()) return elements.status();
  const SafetensorsForm form = FormOf(named->format, shape, *elements);
  if (form.dtype != tensor->type || form.bytes != tensor->bytes) {
    return BadInput(fmt::format("{}: {} in {} takes {} bytes of {}, and its entry says {} of {}",
                                Quoted(tensor->name), Printable(text), kMetadataKey, form.bytes,
                                form.dtype, tensor->bytes, tensor->type));
  }
  tensor->type = GetFormat(named->format).name;
  tensor->layout.format = named->format;
  tensor->layout.packing = form.packing;
  tensor->layout.shape = shape;
  tensor->layout.elements = *elements;
  return {};
}

StoredTensor ToTensor(SafetensorsEntry* entry, std::uint64_t data_begin) {
  StoredTensor tensor;
  tensor.name = std::move(entry->name);
  tensor.type = entry->dtype->name;
  if (!entry->dtype->castable) tensor.layout.obstacle = kF6Obstacle;
  tensor.bytes = entry->end - entry->begin;
  tensor.layout.format = entry->dtype->format;
  tensor.layout.packing =
      IsPackable(GetFormat(entry->dtype->format)) ? Packing::kPacked : Packing::kUnpacked;
  tensor.layout.shape = std::move(entry->shape);
  tensor.layout.elements = *Multiply(tensor.layout.shape, 1);
  tensor.layout.begin = data_begin + entry->begin;
  return tensor;
}

class SafetensorsInput : public TensorInput {
 public:
  explicit SafetensorsInput(InputFile file) : file_(std::move(file)) { file_bytes_ = file_.size(); }

  Status Read() {
    if (!file_.regular())
      return BadInput("is no regular file; .safetensors files are read anywhere");
    Result<std::string> text = ReadHeaderText(&file_);
    if (!text.ok()) return text.status();
    Result<SafetensorsHeader> header = ParseSafetensorsHeader(*text);
    if (!header.ok()) return Advise(header.status());
    const std::uint64_t begin = kPrefix + text->size();
    if (!text->starts_with('{')) {
      warnings_.emplace_back("its header does not begin with {; it is read all the same");
    }
    *text = std::string();  // a header may be large
    if (Status status = CheckEntries(header->entries, begin, file_.size()); !status.ok()) {
      return Advise(status);
    }
    warnings_.insert(warnings_.end(), header->warnings.begin(), header->warnings.end());
    tensors_.reserve(header->entries.size());
    for (SafetensorsEntry& entry : header->entries) tensors_.push_back(ToTensor(&entry, begin));
    return ApplyNames(std::move(header->metadata));
  }

  Result<InputFile*> Open(std::size_t) override { return &file_; }
  [[nodiscard]] std::optional<struct stat> Facts() const override { return file_.Facts(); }

 private:
  Status ApplyNames(Metadata metadata) {
    std::map<std::string_view, StoredTensor*> by_name;
    if (std::any_of(metadata.begin(), metadata.end(),
                    [](const auto& item) { return item.first.starts_with(kFormatKey); })) {
      for (StoredTensor& tensor : tensors_) by_name.emplace(tensor.name, &tensor);
    }
    for (auto& [key, value] : metadata) {
      if (!key.starts_with(kFormatKey)) {
        metadata_.emplace_back(std::move(key), std::move(value));
        continue;
      }
      const std::string_view name = std::string_view(key).substr(kFormatKey.size());
      const auto found = by_name.find(name);
      if (found == by_name.end()) {
        warnings_.push_back(fmt::format("{} names the format of '{}', which is not there",
                                        kMetadataKey, Printable(name)));
      } else if (Status status = ApplyName(value, found->second); !status.ok()) {
        return status;
      }
    }
    return {};
  }

  InputFile file_;
};

}  // namespace

SafetensorsForm FormOf(FormatId id, const Shape& shape, std::uint64_t elements) {
  const Format& format = GetFormat(id);
  SafetensorsForm form = {.dtype = "U8", .shape = shape};
  const DtypeRow* row = FindDtype(id);
  if (row != nullptr && elements * row->bits % 8 == 0) {
    form.dtype = row->name;
    form.packing = IsPackable(format) ? Packing::kPacked : Packing::kUnpacked;
    form.bytes = elements * row->bits / 8;
    return form;
  }
  form.named = format.name;
  form.packing = IsPackable(format) ? Packing::kPacked : Packing::kUnpacked;
  form.bytes = ArrayBytes(format, form.packing, static_cast<std::size_t>(elements));
  if (id == FormatId::kTfloat32) {  // every one is a float32
    form.dtype = "F32";
    return form;
  }
  if (!IsPackable(format) && format.storage_bits == 8) return form;
  const auto per_byte = static_cast<std::uint64_t>(IsPackable(format) ? 8 / format.bits : 1);
  form.named += fmt::format(" [{}]", fmt::join(shape, ","));
  if (!IsPackable(format)) {
    form.shape.push_back(static_cast<std::uint64_t>(format.storage_bits / 8));
  } else if (!shape.empty() && shape.back() % per_byte == 0) {
    form.shape.back() /= per_byte;
  } else {
    form.shape = {form.bytes};
  }
  return form;
}

Result<std::unique_ptr<TensorInput>> OpenSafetensors(InputFile file) {
  auto input = std::make_unique<SafetensorsInput>(std::move(file));
  if (Status status = input->Read(); !status.ok()) return status;
  return std::unique_ptr<TensorInput>(std::move(input));
}

}  // namespace exactcast
