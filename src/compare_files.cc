// SPDX-License-Identifier: Apache-2.0
//
// CompareFiles: two containers read side by side, a block at a time, so that memory does not grow
// with them. What a difference amounts to is difference_tally.h's matter.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "exactcast/cast.h"
#include "exactcast/compare.h"
#include "src/containers/c_order_reader.h"
#include "src/containers/container_row.h"
#include "src/containers/descriptor.h"
#include "src/containers/element_reader.h"
#include "src/containers/input_file.h"
#include "src/difference_tally.h"
#include "src/judge.h"
#include "src/kernels/words.h"

namespace exactcast {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;  // elements
constexpr std::size_t kPiece = 1024;  // elements that are looked at closely when a bit differs

Status Named(const std::string& path, const Status& status) {
  return {status.code(), fmt::format("{}: {}", InputName(path), status.message())};
}

// ---- What has to be right before any element is read --------------------------------------------

struct Side {
  std::string path;
  InputFile file;
  const ContainerRow* container;
  InputLayout layout = {};
};

struct Rows {
  const ContainerRow* a;
  const ContainerRow* b;
};

Result<Rows> CheckRequest(const CompareRequest& request) {
  const Result<const ContainerRow*> a = FindContainer(request.a);
  if (!a.ok()) return a.status();
  const Result<const ContainerRow*> b = FindContainer(request.b);
  if (!b.ok()) return b.status();
  Status status =
      CheckPacking(request.packed, request.unpacked, {*a, request.format}, {*b, request.format});
  if (!status.ok()) return status;
  if (request.format && GetFormat(*request.format).use != Use::kCast) {
    return Unsupported(fmt::format("{} is not a format of tensor files that are compared",
                                   GetFormat(*request.format).name));
  }
  const std::optional<int> stream = HandedOver(request.b, STDIN_FILENO);
  if (stream && HandedOver(request.a, STDIN_FILENO) == stream) {
    return UsageError(fmt::format("only one of the two can be {}", InputName(request.b)));
  }
  // Before the other file is opened, which could get its number.
  if (stream && !IsOpen(*stream)) return Named(request.b, BadInput(ErrorText(EBADF)));
  return Rows{*a, *b};
}

Status CheckPermitted(const CompareRequest& request) {
  if (!request.permitted) return {};
  if (request.ulp || request.atol || request.rtol || request.nan_payload) {
    return UsageError(
        "--permitted decides alone; leave --ulp, --atol, --rtol and --nan-payload out");
  }
  const std::optional<int> stream = HandedOver(request.permitted->source, STDIN_FILENO);
  for (const std::string& other : {request.a, request.b}) {
    if (stream && HandedOver(other, STDIN_FILENO) == stream) {
      return UsageError(fmt::format("only one of the files can be {}", InputName(other)));
    }
  }
  if (stream && !IsOpen(*stream))
    return Named(request.permitted->source, BadInput(ErrorText(EBADF)));
  return {};
}

Result<Side> Open(const std::string& path, const ContainerRow* container) {
  Result<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  return Side{.path = path, .file = std::move(*file), .container = container};
}

// Reads what precedes the data. `other`, where it has been read already, fills in what a raw file
// does not say.
Status ReadLayout(const CompareRequest& request, const Side* other, Side* side) {
  ReadRequest read = {.from = request.format,
                      .shape = request.shape,
                      .unpacked = request.unpacked,
                      .packed = request.packed,
                      .from_option = "--format"};
  const bool raw = side->container == &kRawContainer;
  if (raw && other != nullptr) {
    const bool other_says = other->container != &kRawContainer || !side->file.regular();
    if (!read.from) read.from = other->layout.format;
    if (!read.shape && other_says && other->layout.elements) read.shape = other->layout.shape;
  }
  Result<InputLayout> layout = side->container->read(side->file, read);
  if (!layout.ok()) return Named(side->path, layout.status());
  side->layout = std::move(*layout);
  return {};
}

// How much a file says about itself.
int Knowledge(const Side& side) {
  return side.container != &kRawContainer ? 2 : side.file.regular() ? 1 : 0;
}

Status ReadLayouts(const CompareRequest& request, Side* a, Side* b) {
  Side* first = Knowledge(*a) >= Knowledge(*b) ? a : b;
  Side* second = first == a ? b : a;
  if (Status status = ReadLayout(request, nullptr, first); !status.ok()) return status;
  if (Status status = ReadLayout(request, first, second); !status.ok()) return status;
  const auto refuse = [&](std::string_view of_a, std::string_view of_b, std::string_view advice) {
    return BadInput(fmt::format("{} is {}, {} is {}; {}", InputName(a->path), of_a,
                                InputName(b->path), of_b, advice));
  };
  if (a->layout.format != b->layout.format) {
    return refuse(GetFormat(a->layout.format).name, GetFormat(b->layout.format).name,
                  "cast one to the format of the other");
  }
  if (a->layout.elements && b->layout.elements && a->layout.shape != b->layout.shape) {
    return refuse(fmt::format("of shape {}", ShapeText(a->layout.shape)),
                  fmt::format("of shape {}", ShapeText(b->layout.shape)),
                  "only tensors of one shape can be compared");
  }
  return {};
}

// The tensor that was cast, and who judges its results.
struct Origin {
  Side side;
  std::unique_ptr<const Judge> judge;
};

// Channels lie along the last dimension, in C order.
Status CheckChannels(const PermittedRequest& request, const Side& a) {
  if (!request.rescale || !request.rescale->per_channel) return {};
  if (a.layout.fortran_order) {
    return Named(a.path,
                 UsageError("it is in Fortran order, and channels are in C order; save it in "
                            "C order"));
  }
  const std::size_t channels = request.rescale->multipliers.size();
  if (!a.layout.shape.empty() && a.layout.shape.back() == channels) return {};
  return Named(a.path,
               BadInput(fmt::format("its last dimension is not the {} channels of the attributes",
                                    channels)));
}

Result<Origin> OpenOrigin(const PermittedRequest& request, const Side& a) {
  const Result<const ContainerRow*> container = FindContainer(request.source);
  if (!container.ok()) return container.status();
  Result<Side> side = Open(request.source, *container);
  if (!side.ok()) return side.status();
  const std::optional<Shape> shape =
      a.layout.elements ? std::optional(a.layout.shape) : std::nullopt;
  const bool raw = side->container == &kRawContainer;
  Result<InputLayout> layout = side->container->read(
      side->file, {.from = request.source_format, .shape = raw ? shape : std::nullopt});
  if (!layout.ok()) return Named(request.source, layout.status());
  side->layout = std::move(*layout);
  if (side->layout.elements && shape && side->layout.shape != *shape) {
    return BadInput(fmt::format("{} is of shape {}, {} of shape {}; it cannot be made from that",
                                InputName(request.source), ShapeText(side->layout.shape),
                                InputName(a.path), ShapeText(*shape)));
  }
  if (Status status = CheckChannels(request, a); !status.ok()) return status;
  Result<std::unique_ptr<const Judge>> judge =
      request.rescale ? MakeRescaleJudge(request, side->layout.format, a.layout.format)
                      : MakeCastJudge(request, side->layout.format, a.layout.format);
  if (!judge.ok()) return judge.status();
  return Origin{std::move(*side), std::move(*judge)};
}

// ---- The elements -------------------------------------------------------------------------------

// The elements of one side, in the order that both sides are read in.
class Stream {
 public:
  Stream(Side& side, bool gather)
      : path_(side.path), format_(GetFormat(side.layout.format)), reader_(side.file, side.layout) {
    if (gather) gatherer_.emplace(reader_, side.layout);
    const std::uint64_t most =
        std::min<std::uint64_t>(kBlock, side.layout.elements.value_or(kBlock));
    data_.resize(ArrayBytes(format_, packing(), static_cast<std::size_t>(most)));
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // The number of elements of the next block; zero at the end.
  Result<std::size_t> Next() {
    Result<std::size_t> count =
        gatherer_ ? gatherer_->Next(data_.data(), kBlock) : reader_.Next(data_.data(), kBlock);
    if (!count.ok()) return Named(path_, count.status());
    return count;
  }

  [[nodiscard]] Packing packing() const { return reader_.packing(); }
  [[nodiscard]] bool goes_on() const { return reader_.goes_on(); }
  [[nodiscard]] const std::byte* data() const { return data_.data(); }
  // Part `i` of the block, counted in parts of complex elements.
  [[nodiscard]] std::uint64_t Word(std::size_t i) const {
    if (packing() == Packing::kPacked && IsPackable(format_)) {
      const std::size_t bit = i * static_cast<std::size_t>(format_.bits);
      return std::to_integer<std::uint64_t>(data_[bit / 8]) >> bit % 8 & LowMask(format_.bits);
    }
    return LoadWord(data_.data(), i, GetFormat(format_.part).storage_bits);
  }

 private:
  const std::string& path_;
  const Format& format_;
  ElementReader reader_;
  std::optional<COrderReader> gatherer_;
  std::vector<std::byte> data_;
};

// The blocks of both sides, as long as there are any.
class Walk {
 public:
  // `source` and `judge` where the elements are judged by what they were made from, else null.
  Walk(const Format& format, Stream* a, Stream* b, Stream* source, const Judge* judge,
       DifferenceTally* tally)
      : format_(format),
        parts_(format.kind == Kind::kComplex ? 2 : 1),
        a_(*a),
        b_(*b),
        source_(source),
        judge_(judge),
        tally_(*tally) {}

  // The number of elements.
  Result<std::uint64_t> Run(const CompareRequest& request) {
    for (;;) {
      const Result<std::size_t> of_a = a_.Next();
      if (!of_a.ok()) return of_a.status();
      const Result<std::size_t> of_b = b_.Next();
      if (!of_b.ok()) return of_b.status();
      if (*of_a != *of_b) return Shorter(request.a, *of_a, request.b, *of_b);
      if (source_ != nullptr) {
        const Result<std::size_t> of_source = source_->Next();
        if (!of_source.ok()) return of_source.status();
        if (*of_source != *of_a) {
          return Shorter(request.a, *of_a, request.permitted->source, *of_source);
        }
      }
      if (*of_a == 0) return done_;
      if (source_ != nullptr) JudgeBlock(*of_a);
      for (std::size_t first = 0; first < *of_a && source_ == nullptr; first += kPiece) {
        ComparePiece(first, std::min(kPiece, *of_a - first));
      }
      done_ += *of_a;
    }
  }

 private:
  [[nodiscard]] Status Shorter(const std::string& a, std::size_t of_a, const std::string& b,
                               std::size_t of_b) const {
    const bool a_ends = of_a < of_b;
    const std::uint64_t elements = done_ + std::min(of_a, of_b);
    return BadInput(fmt::format("{} ends after {} element{}, {} goes on", InputName(a_ends ? a : b),
                                elements, elements == 1 ? "" : "s", InputName(a_ends ? b : a)));
  }

  void JudgeBlock(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      tally_.AddJudged(done_ + i, source_->Word(i), a_.Word(i), b_.Word(i), *judge_);
    }
  }

  // `first` is a multiple of kPiece.
  void ComparePiece(std::size_t first, std::size_t count) {
    if (a_.packing() == b_.packing()) {
      const std::size_t begin = ArrayBytes(format_, a_.packing(), first);
      const std::size_t size = ArrayBytes(format_, a_.packing(), count);
      if (std::memcmp(a_.data() + begin, b_.data() + begin, size) == 0) {
        return tally_.AddEqual(count * parts_);
      }
    }
    std::uint64_t equal = 0;
    for (std::size_t i = first * parts_; i < (first + count) * parts_; ++i) {
      const std::uint64_t a = a_.Word(i);
      const std::uint64_t b = b_.Word(i);
      if (a == b) {
        ++equal;
      } else {
        tally_.Add(done_ + i / parts_, i % parts_ != 0, a, b);
      }
    }
    tally_.AddEqual(equal);
  }

  const Format& format_;
  std::size_t parts_;
  Stream& a_;
  Stream& b_;
  Stream* source_;
  const Judge* judge_;
  DifferenceTally& tally_;
  std::uint64_t done_ = 0;  // elements
};

// ---- The result ---------------------------------------------------------------------------------

// Fills in where the element is, whose index counts in the order in which the elements were read.
void Locate(const Shape& shape, bool first_index_fastest, Difference* difference) {
  std::uint64_t rest = difference->index;
  difference->place.resize(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t axis = first_index_fastest ? i : shape.size() - 1 - i;
    difference->place[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  difference->index = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    difference->index = difference->index * shape[axis] + difference->place[axis];
  }
}

void AddWarnings(const Side& side, bool goes_on, std::vector<std::string>* warnings) {
  for (const std::string& warning : side.layout.warnings) {
    warnings->push_back(fmt::format("{}: {}", InputName(side.path), warning));
  }
  if (goes_on) {
    warnings->push_back(fmt::format("{}: what follows the data is ignored", InputName(side.path)));
  }
}

Result<CompareResult> Compare(const CompareRequest& request, std::optional<NearEnough> near,
                              Side* a, Side* b, Origin* origin) {
  const Format& format = GetFormat(a->layout.format);
  const bool all_fortran = a->layout.fortran_order && b->layout.fortran_order &&
                           (origin == nullptr || origin->side.layout.fortran_order);
  Stream stream_a(*a, a->layout.fortran_order && !all_fortran);
  Stream stream_b(*b, b->layout.fortran_order && !all_fortran);
  std::optional<Stream> source;
  if (origin != nullptr) {
    source.emplace(origin->side, origin->side.layout.fortran_order && !all_fortran);
  }
  DifferenceTally tally(GetFormat(format.part), request, std::move(near));
  Walk walk(format, &stream_a, &stream_b, source ? &*source : nullptr,
            origin != nullptr ? origin->judge.get() : nullptr, &tally);
  const Result<std::uint64_t> elements = walk.Run(request);
  if (!elements.ok()) return elements.status();

  CompareResult result = {.format = format.id,
                          .shape = a->layout.elements   ? a->layout.shape
                                   : b->layout.elements ? b->layout.shape
                                                        : Shape{*elements},
                          .elements = *elements,
                          .source_format = std::nullopt,
                          .differences = tally.Take(),
                          .warnings = {}};
  for (Difference& difference : result.differences.worst) {
    Locate(result.shape, all_fortran, &difference);
  }
  if (origin != nullptr) {
    result.source_format = origin->side.layout.format;
    AddWarnings(origin->side, source->goes_on(), &result.warnings);
  }
  AddWarnings(*a, stream_a.goes_on(), &result.warnings);
  AddWarnings(*b, stream_b.goes_on(), &result.warnings);
  return result;
}

}  // namespace

Result<CompareResult> CompareFiles(const CompareRequest& request) {
  const Result<Rows> rows = CheckRequest(request);
  if (!rows.ok()) return rows.status();
  if (Status status = CheckPermitted(request); !status.ok()) return status;
  Result<std::optional<NearEnough>> near = ParseNearEnough(request);
  if (!near.ok()) return near.status();

  Result<Side> a = Open(request.a, rows->a);
  if (!a.ok()) return a.status();
  Result<Side> b = Open(request.b, rows->b);
  if (!b.ok()) return b.status();
  if (Status status = ReadLayouts(request, &*a, &*b); !status.ok()) return status;
  if (!request.permitted) return Compare(request, std::move(*near), &*a, &*b, nullptr);
  Result<Origin> origin = OpenOrigin(*request.permitted, *a);
  if (!origin.ok()) return origin.status();
  return Compare(request, std::move(*near), &*a, &*b, &*origin);
}

}  // namespace exactcast
