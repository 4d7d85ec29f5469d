// SPDX-License-Identifier: Apache-2.0
//
// Arrays side by side, a block at a time, so that memory does not grow with them. What a difference
// amounts to is difference_tally.h's matter, and what an error does, measurement.h's.
#include "src/compare_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "src/containers/c_order_reader.h"
#include "src/containers/element_reader.h"
#include "src/kernels/words.h"
#include "src/measurement.h"

namespace exactcast {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;  // elements, a multiple of kMeasureBlock
constexpr std::size_t kPiece = 1024;  // elements that are looked at closely when a bit differs

// ---- The elements -------------------------------------------------------------------------------

// The elements of one side, in the order that both sides are read in.
class Stream {
 public:
  Stream(const ArraySide& side, bool gather)
      : name_(side.name),
        format_(GetFormat(side.layout->format)),
        reader_(*side.file, *side.layout) {
    if (gather) gatherer_.emplace(reader_, *side.layout);
    const std::uint64_t most =
        std::min<std::uint64_t>(kBlock, side.layout->elements.value_or(kBlock));
    data_.resize(ArrayBytes(format_, packing(), static_cast<std::size_t>(most)));
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // The number of elements of the next block; zero at the end.
  Result<std::size_t> Next() {
    Result<std::size_t> count =
        gatherer_ ? gatherer_->Next(data_.data(), kBlock) : reader_.Next(data_.data(), kBlock);
    if (count.ok()) return count;
    return Status(count.status().code(), fmt::format("{}: {}", name_, count.status().message()));
  }

  [[nodiscard]] const std::string& name() const { return name_; }
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
  std::string name_;
  const Format& format_;
  ElementReader reader_;
  std::optional<COrderReader> gatherer_;
  std::vector<std::byte> data_;
};

Status Shorter(const Stream& a, std::size_t of_a, const Stream& b, std::size_t of_b,
               std::uint64_t done) {
  const bool a_ends = of_a < of_b;
  const std::uint64_t elements = done + std::min(of_a, of_b);
  return BadInput(fmt::format("{} ends after {} element{}, {} goes on", (a_ends ? a : b).name(),
                              elements, elements == 1 ? "" : "s", (a_ends ? b : a).name()));
}

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
  Result<std::uint64_t> Run() {
    for (;;) {
      const Result<std::size_t> of_a = a_.Next();
      if (!of_a.ok()) return of_a.status();
      const Result<std::size_t> of_b = b_.Next();
      if (!of_b.ok()) return of_b.status();
      if (*of_a != *of_b) return Shorter(a_, *of_a, b_, *of_b, done_);
      if (source_ != nullptr) {
        const Result<std::size_t> of_source = source_->Next();
        if (!of_source.ok()) return of_source.status();
        if (*of_source != *of_a) {
          return Shorter(a_, *of_a, *source_, *of_source, done_);
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

void AddWarnings(const ArraySide& side, bool goes_on, std::vector<std::string>* warnings) {
  for (const std::string& warning : side.layout->warnings) {
    warnings->push_back(fmt::format("{}: {}", side.name, warning));
  }
  if (goes_on) {
    warnings->push_back(fmt::format("{}: what follows the data is ignored", side.name));
  }
}

}  // namespace

Result<CompareResult> CompareArrays(const CompareRequest& request,
                                    const std::optional<NearEnough>& near, const ArraySide& a,
                                    const ArraySide& b, const ArraySide* origin,
                                    const Judge* judge) {
  const Format& format = GetFormat(a.layout->format);
  const bool all_fortran = a.layout->fortran_order && b.layout->fortran_order &&
                           (origin == nullptr || origin->layout->fortran_order);
  Stream stream_a(a, a.layout->fortran_order && !all_fortran);
  Stream stream_b(b, b.layout->fortran_order && !all_fortran);
  std::optional<Stream> source;
  if (origin != nullptr) source.emplace(*origin, origin->layout->fortran_order && !all_fortran);
  DifferenceTally tally(GetFormat(format.part), request, near);
  Walk walk(format, &stream_a, &stream_b, source ? &*source : nullptr, judge, &tally);
  const Result<std::uint64_t> elements = walk.Run();
  if (!elements.ok()) return elements.status();

  CompareResult result = {.format = format.id,
                          .shape = a.layout->elements   ? a.layout->shape
                                   : b.layout->elements ? b.layout->shape
                                                        : Shape{*elements},
                          .elements = *elements,
                          .source_format = std::nullopt,
                          .differences = tally.Take(),
                          .warnings = {}};
  for (Difference& difference : result.differences.worst) {
    Locate(result.shape, all_fortran, &difference);
  }
  if (origin != nullptr) {
    result.source_format = origin->layout->format;
    AddWarnings(*origin, source->goes_on(), &result.warnings);
  }
  AddWarnings(a, stream_a.goes_on(), &result.warnings);
  AddWarnings(b, stream_b.goes_on(), &result.warnings);
  return result;
}

Result<Statistics> MeasureArrays(const ArraySide& a, const ArraySide& b) {
  const bool both = a.layout->fortran_order && b.layout->fortran_order;
  Stream stream_a(a, a.layout->fortran_order && !both);
  Stream stream_b(b, b.layout->fortran_order && !both);
  const Result<std::unique_ptr<Measurement>> measurement =
      Measurement::Between(GetFormat(b.layout->format), stream_b.packing(),
                           GetFormat(a.layout->format), stream_a.packing());
  if (!measurement.ok()) return measurement.status();
  for (std::uint64_t done = 0;;) {
    const Result<std::size_t> of_a = stream_a.Next();
    if (!of_a.ok()) return of_a.status();
    const Result<std::size_t> of_b = stream_b.Next();
    if (!of_b.ok()) return of_b.status();
    if (*of_a != *of_b) return Shorter(stream_a, *of_a, stream_b, *of_b, done);
    if (*of_a == 0) return (*measurement)->Take();
    (*measurement)->Add(done, *of_a, stream_b.data(), stream_a.data());
    done += *of_a;
  }
}

}  // namespace exactcast
