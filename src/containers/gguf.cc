// SPDX-License-Identifier: Apache-2.0
//
// Reading .gguf files, as far as their tensors are plain numbers, one part after the other:
//
//   "GGUF"  version u32  tensors u64  keys u64
//   key, value                each a string, a type u32 and what the type says; lists may nest
//   name, dimensions, type, offset      of each tensor; the first dimension is the fastest
//   padding, data             offsets count from here; aligned as general.alignment says, or to 32
//
// All little-endian; strings are a length u64 and UTF-8. Tensors that are quantised in blocks are
// listed and not cast. Writing is not supported.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "src/containers/descriptor.h"
#include "src/containers/tensor_input.h"

namespace exactcast {
namespace {

constexpr std::string_view kAlignmentKey = "general.alignment";
constexpr std::uint64_t kLongestText = std::uint64_t{1} << 16;  // of a name or key
constexpr std::uint32_t kMostDimensions = 8;
constexpr int kDeepestList = 4;
constexpr std::size_t kWindow = std::size_t{1} << 18;

enum ValueType : std::uint32_t { kString = 8, kList = 9, kUint32 = 4 };
// Bytes of a value by its type; strings and lists apart.
constexpr auto kValueBytes = std::to_array<std::uint64_t>({1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8});

struct PlainRow {
  std::uint32_t id;
  std::string_view name;
  FormatId format;
};
// clang-format off
constexpr auto kPlain = std::to_array<PlainRow>({
  { 0, "F32",  FormatId::kFloat32},
  { 1, "F16",  FormatId::kFloat16},
  {24, "I8",   FormatId::kInt8},
  {25, "I16",  FormatId::kInt16},
  {26, "I32",  FormatId::kInt32},
  {27, "I64",  FormatId::kInt64},
  {28, "F64",  FormatId::kFloat64},
  {30, "BF16", FormatId::kBfloat16},
});

struct BlockRow {
  std::uint32_t id;
  std::string_view name;
};
constexpr auto kBlocks = std::to_array<BlockRow>({
  { 2, "Q4_0"}, { 3, "Q4_1"}, { 6, "Q5_0"}, { 7, "Q5_1"}, { 8, "Q8_0"}, { 9, "Q8_1"}, {10, "Q2_K"}, {11, "Q3_K"},
  {12, "Q4_K"}, {13, "Q5_K"}, {14, "Q6_K"}, {15, "Q8_K"}, {16, "IQ2_XXS"}, {17, "IQ2_XS"}, {18, "IQ3_XXS"},
  {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"}, {23, "IQ4_XS"}, {29, "IQ1_M"}, {34, "TQ1_0"},
  {35, "TQ2_0"}, {39, "MXFP4"},
});
// clang-format on

// Reads on and on; the first failure stays.
class Cursor {
 public:
  explicit Cursor(InputFile* file) : file_(*file) {}

  void Skip(std::uint64_t bytes) {
    if (bytes > left()) return Fail();
    position_ += bytes;
  }
  template <typename Word>
  Word Number() {
    std::array<std::byte, sizeof(Word)> bytes = {};
    Read(bytes.data(), bytes.size());
    Word word = 0;
    std::memcpy(&word, bytes.data(), sizeof(Word));
    return word;
  }
  std::string Text() {
    const auto length = Number<std::uint64_t>();
    if (length > kLongestText || length > left()) {
      Fail();
      return "";
    }
    std::string text(static_cast<std::size_t>(length), '\0');
    Read(reinterpret_cast<std::byte*>(text.data()), text.size());
    return text;
  }
  void Fail() {
    if (status_.ok()) {
      status_ = BadInput(fmt::format("its header is damaged or cut off at byte {}", position_));
    }
  }
  [[nodiscard]] const Status& status() const { return status_; }
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t left() const { return file_.size() - position_; }

 private:
  void Read(std::byte* data, std::size_t size) {
    while (status_.ok() && size > 0) {
      if (position_ < begin_ || position_ - begin_ >= window_.size()) {
        if (!Fill()) return;
      }
      const auto from = static_cast<std::size_t>(position_ - begin_);
      const std::size_t count = std::min(size, window_.size() - from);
      std::memcpy(data, window_.data() + from, count);
      position_ += count;
      data += count;
      size -= count;
    }
  }
  bool Fill() {
    window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, left())));
    begin_ = position_;
    const Result<std::size_t> got = file_.ReadAt(position_, window_.data(), window_.size());
    if (!got.ok()) {
      status_ = got.status();
    } else {
      window_.resize(*got);
      if (window_.empty()) Fail();
    }
    return status_.ok();
  }

  InputFile& file_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> window_;
  std::uint64_t begin_ = 0;
  Status status_;
};

class GgufInput : public TensorInput {
 public:
  explicit GgufInput(InputFile file) : file_(std::move(file)) { file_bytes_ = file_.size(); }

  Status Read() {
    if (!file_.regular()) return BadInput("is no regular file; .gguf files are read anywhere");
    Cursor cursor(&file_);
    if (Status status = ReadStart(&cursor); !status.ok()) return status;
    for (std::uint64_t i = 0; i < keys_ && cursor.status().ok(); ++i) ReadKey(&cursor);
    for (std::uint64_t i = 0; i < count_ && cursor.status().ok(); ++i) {
      if (Status status = ReadTensor(&cursor); !status.ok()) return status;
    }
    if (!cursor.status().ok()) return cursor.status();
    if (keys_ > 0) {
      warnings_.push_back(
          fmt::format("its metadata, {} keys, have no place in other files", keys_));
    }
    return Place(cursor.position());
  }

  Result<InputFile*> Open(std::size_t) override { return &file_; }
  [[nodiscard]] std::optional<struct stat> Facts() const override { return file_.Facts(); }

 private:
  Status ReadStart(Cursor* cursor) {
    std::string start(64, '\0');
    const Result<std::size_t> got =
        file_.ReadAt(0, reinterpret_cast<std::byte*>(start.data()), start.size());
    if (!got.ok()) return got.status();
    start.resize(*got);
    if (!start.starts_with("GGUF")) {
      return BadInput(
          fmt::format("not a .gguf file: it does not begin with GGUF{}", LikelyKind(start)));
    }
    cursor->Skip(4);
    const auto version = cursor->Number<std::uint32_t>();
    if (version != 0 && version % 65536 == 0) {
      return BadInput("it is big-endian; convert it on the machine that it came from");
    }
    if (version != 2 && version != 3) {
      return BadInput(fmt::format("version {} of the format is not read; 2 and 3 are", version));
    }
    count_ = cursor->Number<std::uint64_t>();
    keys_ = cursor->Number<std::uint64_t>();
    return cursor->status();
  }

  void ReadKey(Cursor* cursor) {
    const std::string key = cursor->Text();
    const auto type = cursor->Number<std::uint32_t>();
    if (key == kAlignmentKey && type == kUint32) {
      alignment_ = cursor->Number<std::uint32_t>();
      if (alignment_ == 0 || alignment_ % 8 != 0) cursor->Fail();
    } else {
      SkipValue(cursor, type, 0);
    }
  }

  static void SkipValue(Cursor* cursor, std::uint32_t type, int depth) {
    if (type >= kValueBytes.size() || depth > kDeepestList) return cursor->Fail();
    if (type == kString) return cursor->Skip(cursor->Number<std::uint64_t>());
    if (type != kList) return cursor->Skip(kValueBytes[type]);
    const auto inner = cursor->Number<std::uint32_t>();
    const auto length = cursor->Number<std::uint64_t>();
    if (inner < kValueBytes.size() && kValueBytes[inner] > 0) {
      if (length > cursor->left() / kValueBytes[inner]) return cursor->Fail();
      return cursor->Skip(length * kValueBytes[inner]);
    }
    for (std::uint64_t i = 0; i < length && cursor->status().ok(); ++i) {
      SkipValue(cursor, inner, depth + 1);
    }
  }

  Status ReadTensor(Cursor* cursor) {
    StoredTensor& tensor = tensors_.emplace_back();
    tensor.name = cursor->Text();
    const auto dimensions = cursor->Number<std::uint32_t>();
    if (dimensions > kMostDimensions) cursor->Fail();
    for (std::uint32_t i = 0; i < dimensions && cursor->status().ok(); ++i) {
      tensor.layout.shape.push_back(cursor->Number<std::uint64_t>());
    }
    std::reverse(tensor.layout.shape.begin(), tensor.layout.shape.end());
    const auto type = cursor->Number<std::uint32_t>();
    tensor.layout.begin = cursor->Number<std::uint64_t>();  // still an offset
    if (!cursor->status().ok()) return cursor->status();
    const Status status = SetType(type, &tensor);
    if (status.ok()) return status;
    return {status.code(),
            fmt::format("tensor '{}': {}", Printable(tensor.name), status.message())};
  }

  static Status SetType(std::uint32_t type, StoredTensor* tensor) {
    for (const BlockRow& row : kBlocks) {
      if (row.id != type) continue;
      tensor->type = row.name;
      tensor->layout.obstacle = fmt::format(
          "its elements are quantised in blocks ({}); dequantise it with its own tools", row.name);
      return {};
    }
    const auto* row =
        std::find_if(kPlain.begin(), kPlain.end(), [&](const PlainRow& r) { return r.id == type; });
    if (row == kPlain.end())
      return BadInput(fmt::format("its type has the number {}, which is not known", type));
    tensor->type = row->name;
    tensor->layout.format = row->format;
    const auto each = static_cast<std::uint64_t>(GetFormat(row->format).storage_bits / 8);
    const Result<std::uint64_t> elements = CountElements(tensor->layout.shape, each);
    if (!elements.ok()) return elements.status();
    tensor->layout.elements = *elements;
    tensor->bytes = *elements * each;
    return {};
  }

  // From offsets to places in the file; every name once, every tensor within the file.
  Status Place(std::uint64_t header_end) {
    const std::uint64_t begin = (header_end + alignment_ - 1) / alignment_ * alignment_;
    const std::uint64_t room = file_.size() - std::min(begin, file_.size());
    std::set<std::string_view> names;
    for (StoredTensor& tensor : tensors_) {
      if (!names.insert(tensor.name).second) {
        return BadInput(fmt::format("there are two tensors '{}'; which is meant cannot be told",
                                    Printable(tensor.name)));
      }
      const std::uint64_t offset = tensor.layout.begin;
      if (offset > room || tensor.bytes > room - offset) {
        return BadInput(
            fmt::format("tensor '{}': expected {} bytes at {} of the data, which end at {}; is the "
                        "file complete?",
                        Printable(tensor.name), tensor.bytes, offset, room));
      }
      tensor.layout.begin = begin + offset;
    }
    return {};
  }

  InputFile file_;
  std::uint64_t count_ = 0;
  std::uint64_t keys_ = 0;
  std::uint64_t alignment_ = 32;
};

}  // namespace

Result<std::unique_ptr<TensorInput>> OpenGguf(InputFile file) {
  auto input = std::make_unique<GgufInput>(std::move(file));
  if (Status status = input->Read(); !status.ok()) return status;
  return std::unique_ptr<TensorInput>(std::move(input));
}

}  // namespace exactcast
