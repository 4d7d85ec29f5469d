// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files, versions 1.0, 2.0 and 3.0, one part after the other:
//
//   93 4E 55 4D 50 59              magic
//   major minor                    version, a byte each
//   length                         of the header: u16 (1.0) or u32, little-endian
//   {'descr': '<f4', ... }   \n    the header
//   data
//
// Element types are npy_type.h's matter, the literals of the header python_literal.h's.
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "src/containers/container_row.h"
#include "src/containers/descriptor.h"
#include "src/containers/npy_type.h"
#include "src/containers/python_literal.h"
#include "src/containers/tensor_input.h"

namespace exactcast {
namespace {

using Kind = PythonLiteral::Kind;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kLongestHeader = 10000;  // characters; NumPy's own limit
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kGrowthDigits = 21;    // that the growth axis can come to have, says NumPy
constexpr std::size_t kMostDimensions = 64;  // NumPy's own limit

struct Preamble {
  int major = 1;
  std::uint64_t begin = 0;   // of the header text
  std::uint64_t length = 0;  // of it, in bytes
};

struct Header {
  Result<NpyType> type;
  bool fortran_order = false;
  Shape shape;
};

// ---- Reading ------------------------------------------------------------------------------------

// The next bytes, or as many as there are.
Result<std::string> ReadText(InputFile& input, std::uint64_t length) {
  std::string text(length, '\0');
  auto* data = reinterpret_cast<std::byte*>(text.data());
  const Result<std::size_t> count = input.Read(data, text.size());
  if (!count.ok()) return count.status();
  text.resize(*count);
  return text;
}

Result<Preamble> ReadPreamble(InputFile& input) {
  const Result<std::string> text = ReadText(input, kMagic.size() + 2);
  if (!text.ok()) return text.status();
  const std::string& start = *text;
  if (!start.starts_with(kMagic)) {
    return BadInput(fmt::format("not a .npy file: it does not begin with the bytes 93 NUMPY{}",
                                LikelyKind(start)));
  }
  if (start.size() < 8) return BadInput("it ends within its first 8 bytes");
  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return BadInput(fmt::format(
        "version {}.{} of the .npy format is not known; 1.0, 2.0 and 3.0 are", major, minor));
  }
  const std::size_t width = major == 1 ? 2 : 4;
  const Result<std::string> length = ReadText(input, width);
  if (!length.ok()) return length.status();
  Preamble preamble = {.major = major, .begin = start.size() + width};
  if (length->size() < width) {
    return BadInput(fmt::format("it ends within its first {} bytes", preamble.begin));
  }
  for (std::size_t i = width; i-- > 0;) {
    preamble.length = preamble.length << 8 | static_cast<unsigned char>((*length)[i]);
  }
  return preamble;
}

// Latin-1 to UTF-8, for messages and so that both encodings are one from here on.
std::string FromLatin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xc0 | code >> 6);
      utf8 += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return utf8;
}

// The characters of UTF-8 text; nothing when it is none. Overlong forms pass: the text is only
// shown.
std::optional<std::uint64_t> CountCharacters(std::string_view text) {
  std::uint64_t count = 0;
  int following = 0;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool follows = (code & 0xc0) == 0x80;
    if (follows != (following > 0)) return std::nullopt;
    if (follows) {
      --following;
      continue;
    }
    if (code >= 0xf8) return std::nullopt;
    following = code >= 0xf0 ? 3 : code >= 0xe0 ? 2 : code >= 0xc0 ? 1 : 0;
    ++count;
  }
  return following == 0 ? std::optional(count) : std::nullopt;
}

Status TooLong(std::uint64_t length, std::string_view unit) {
  return BadInput(fmt::format("its header has {} {}; the limit is {} characters", length, unit,
                              kLongestHeader));
}

Result<std::string> ReadHeaderText(InputFile& input, const Preamble& preamble) {
  const std::uint64_t most = preamble.major == 3 ? 4 * kLongestHeader : kLongestHeader;
  if (preamble.length > most) return TooLong(preamble.length, "bytes");
  Result<std::string> text = ReadText(input, preamble.length);
  if (!text.ok()) return text;
  if (text->size() < preamble.length) {
    return BadInput(
        fmt::format("expected {} bytes of header, found {}", preamble.length, text->size()));
  }
  if (preamble.major < 3) return FromLatin1(*text);
  const std::optional<std::uint64_t> characters = CountCharacters(*text);
  if (!characters) return BadInput("its header is not UTF-8, which version 3.0 asks for");
  if (*characters > kLongestHeader) return TooLong(*characters, "characters");
  return text;
}

std::string TooManyDimensions(std::size_t count) {
  return fmt::format("its shape has {} dimensions; NumPy knows no more than {} in a .npy file",
                     count, kMostDimensions);
}

Result<Shape> ReadShape(const PythonLiteral& literal) {
  if (literal.kind != Kind::kTuple) return BadInput("the shape in its header is not a tuple");
  if (literal.items.size() > kMostDimensions) {
    return BadInput(TooManyDimensions(literal.items.size()));
  }
  Shape shape;
  for (const PythonLiteral& item : literal.items) {
    if (item.kind != Kind::kInteger) return BadInput("the shape in its header is not of integers");
    if (item.text.starts_with('-') && item.text != "-0") {
      return BadInput(
          fmt::format("the shape in its header has the negative dimension {}", item.text));
    }
    const std::string_view digits = std::string_view(item.text).substr(item.text[0] == '-');
    std::uint64_t dimension = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), dimension);
    if (error != std::errc() || dimension > std::numeric_limits<std::int64_t>::max()) {
      return BadInput(
          fmt::format("the shape in its header has a dimension of {} digits, which is "
                      "larger than a file can be",
                      digits.size()));
    }
    shape.push_back(dimension);
  }
  return shape;
}

// Exactly the three keys, in any order.
Result<Header> ReadHeader(const PythonLiteral& dict) {
  const PythonLiteral* descr = nullptr;
  const PythonLiteral* order = nullptr;
  const PythonLiteral* shape = nullptr;
  if (dict.kind != Kind::kDict) return BadInput("its header is not a Python dict");
  for (std::size_t i = 0; i < dict.items.size(); i += 2) {
    const PythonLiteral& key = dict.items[i];
    const bool named = key.kind == Kind::kString;
    const PythonLiteral** value = named && key.text == "descr"           ? &descr
                                  : named && key.text == "fortran_order" ? &order
                                  : named && key.text == "shape"         ? &shape
                                                                         : nullptr;
    if (value == nullptr || *value != nullptr) {
      return BadInput(
          fmt::format("its header has {} key {}; exactly descr, fortran_order and "
                      "shape are allowed",
                      value == nullptr ? "the" : "twice the", Printable(key.text)));
    }
    *value = &dict.items[i + 1];
  }
  if (descr == nullptr) return BadInput("its header lacks the key descr");
  if (order == nullptr) return BadInput("its header lacks the key fortran_order");
  if (shape == nullptr) return BadInput("its header lacks the key shape");
  if (order->kind != Kind::kTrue && order->kind != Kind::kFalse) {
    return BadInput("fortran_order in its header is neither True nor False");
  }
  Result<Shape> dimensions = ReadShape(*shape);
  if (!dimensions.ok()) return dimensions.status();
  return Header{.type = ReadNpyType(*descr),
                .fortran_order = order->kind == Kind::kTrue,
                .shape = std::move(*dimensions)};
}

// The bytes of the data against those that are there.
Status Measure(std::uint64_t expected, std::uint64_t found, InputLayout* layout) {
  if (found < expected) {
    return BadInput(fmt::format("expected {} bytes of data, found {}", expected, found));
  }
  if (found > expected) {
    layout->warnings.push_back(
        fmt::format("{} bytes after the data are ignored", found - expected));
  }
  return {};
}

// |u1 that holds two 4-bit elements a byte: the last dimension of the tensor is twice that of the
// file. Opaque bytes and formats by name hold one element each, as ml_dtypes writes them; of |i1
// one cannot tell.
Status Unpack(const NpyType& type, InputLayout* layout) {
  if (type.opaque_bytes != 0 || type.format == layout->format) return {};
  if (type.format != FormatId::kUint8) {
    return UsageError(
        fmt::format("its type is {}, and packed elements are |u1; save it as that, or leave "
                    "--packed out if every byte is one element",
                    Printable(type.text)));
  }
  if (layout->shape.empty()) {
    return BadInput("--packed needs a dimension, and its shape is (); leave it out");
  }
  layout->pairs_apart = layout->fortran_order;
  layout->packing = Packing::kPacked;
  layout->shape.back() *= 2;
  layout->elements = *layout->elements * 2;
  return {};
}

Result<InputLayout> Arrange(const Header& header, std::uint64_t begin, const InputFile& input,
                            const ReadRequest& request) {
  const Result<FormatId> format =
      header.type.ok() ? ChooseFormat(*header.type, request.from, request.from_option)
                       : header.type.status();
  if (!format.ok() && request.list_obstacles) {
    InputLayout layout;
    layout.shape = header.shape;
    layout.obstacle = format.status().message();
    return layout;
  }
  if (!format.ok()) return format.status();
  const Format& row = GetFormat(*format);
  const auto each = static_cast<std::uint64_t>(row.storage_bits / 8);
  const Result<std::uint64_t> elements = CountElements(header.shape, each);
  if (!elements.ok()) return elements.status();

  InputLayout layout;
  layout.format = *format;
  layout.swap_bytes = header.type->swap_bytes;
  layout.fortran_order = header.fortran_order && OrderMatters(header.shape);
  layout.shape = header.shape;
  layout.elements = *elements;
  layout.begin = begin;
  layout.may_go_on = true;
  Status status =
      input.regular() ? Measure(*elements * each, input.size() - begin, &layout) : Status();
  if (status.ok() && request.packed && row.bits == 4) status = Unpack(*header.type, &layout);
  if (!status.ok()) return status;
  if (request.shape && *request.shape != layout.shape) {
    return UsageError(fmt::format("its shape is {}, --shape says {}; leave --shape out",
                                  ShapeText(layout.shape), ShapeText(*request.shape)));
  }
  return layout;
}

Result<InputLayout> ReadNpy(InputFile& input, const ReadRequest& request) {
  const Result<Preamble> preamble = ReadPreamble(input);
  if (!preamble.ok()) return preamble.status();
  const Result<std::string> text = ReadHeaderText(input, *preamble);
  if (!text.ok()) return text.status();
  const Result<PythonLiteral> literal = ParsePythonLiteral(*text, preamble->major < 3);
  if (!literal.ok()) return literal.status();
  const Result<Header> header = ReadHeader(*literal);
  if (!header.ok()) return header.status();
  return Arrange(*header, preamble->begin + preamble->length, input, request);
}

// ---- Writing, byte for byte as NumPy does -------------------------------------------------------

std::string HeaderText(std::string_view type, bool fortran_order, const Shape& shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type,
                                 fortran_order ? "True" : "False", ShapeText(shape));
  if (!shape.empty()) {
    // Room for the axis that could grow, so that the header could be written over in place.
    const std::uint64_t growth = fortran_order ? shape.back() : shape.front();
    text.append(kGrowthDigits - fmt::formatted_size("{}", growth), ' ');
  }
  return text;
}

// 1 to 64 blanks and a newline after `text`, so that the data begins at a multiple of 64.
std::string Framed(const std::string& text, std::size_t length_bytes) {
  const std::size_t before = kMagic.size() + 2 + length_bytes;
  const std::size_t blanks = kAlignment - (before + text.size() + 1) % kAlignment;
  const std::size_t length = text.size() + blanks + 1;
  std::string header(kMagic);
  header += length_bytes == 2 ? '\x01' : '\x02';
  header += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i)
    header += static_cast<char>(length >> 8 * i & 0xff);
  return header + text + std::string(blanks, ' ') + '\n';
}

Result<OutputLayout> WriteNpy(const WriteRequest& request) {
  if (request.shape.size() > kMostDimensions) {
    return UsageError(TooManyDimensions(request.shape.size()) +
                      "; write raw elements instead, as .bin");
  }
  OutputLayout layout;
  Shape shape = request.shape;
  std::string type = NpyTypeText(request.format);
  if (request.packed && GetFormat(request.format).bits == 4) {
    if (shape.empty() || shape.back() % 2 != 0) {
      return BadInput(
          fmt::format("--packed needs an even last dimension, and the shape is {}; leave it out",
                      ShapeText(shape)));
    }
    layout.packing = Packing::kPacked;
    layout.pairs_apart = request.fortran_order;
    shape.back() /= 2;
    type = NpyTypeText(FormatId::kUint8);
  }
  const std::string text = HeaderText(type, request.fortran_order && OrderMatters(shape), shape);
  layout.header = Framed(text, 2);
  constexpr std::size_t kLongestVersion1 = 10 + std::numeric_limits<std::uint16_t>::max();
  if (layout.header.size() > kLongestVersion1) layout.header = Framed(text, 4);
  return layout;
}

}  // namespace

const ContainerRow kNpyContainer = {
    .name = ".npy", .extension = ".npy", .read = ReadNpy, .write = WriteNpy};

}  // namespace exactcast
