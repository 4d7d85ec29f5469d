// SPDX-License-Identifier: Apache-2.0
//
// CastFile: from one container through a plan into another, a block at a time, so that memory does
// not grow with the file. Nothing is created before names, plan and the input's header have been
// found good. How containers look and how files appear is containers/' matter.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <utility>

#include "exactcast/container.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/reference.h"
#include "src/containers/container_row.h"
#include "src/containers/element_reader.h"
#include "src/containers/output_file.h"

namespace exactcast {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;  // elements; a multiple of 16
constexpr std::size_t kLargestElement = 16;           // bytes

using Element = std::array<std::byte, kLargestElement>;  // as an array without packing holds it

Status Named(const std::string& path, std::string_view stream, const Status& status) {
  return {status.code(),
          fmt::format("{}: {}", path == "-" ? stream : Printable(path), status.message())};
}
Status OfInput(const FileCastRequest& request, const Status& status) {
  return Named(request.input, "standard input", status);
}
Status OfOutput(const FileCastRequest& request, const Status& status) {
  return Named(request.output, "standard output", status);
}

// Element `i` of an array.
Element TakeElement(const std::byte* data, const Format& format, Packing packing, std::size_t i) {
  Element element = {};
  if (packing == Packing::kPacked && IsPackable(format)) {
    const std::size_t bit = i * static_cast<std::size_t>(format.bits);
    element[0] = data[bit / 8] >> (bit % 8) & static_cast<std::byte>(LowMask(format.bits));
  } else {
    const auto size = static_cast<std::size_t>(format.storage_bits / 8);
    std::memcpy(element.data(), data + i * size, size);
  }
  return element;
}

std::uint64_t Word(const Element& element, std::size_t begin, std::size_t size) {
  std::uint64_t word = 0;
  std::memcpy(&word, element.data() + begin, size);
  return word;
}

// The part of `element`, which the plan loses, that does not fit: the whole of a real one; of a
// complex one the real part if it is lost with no imaginary part beside it.
std::uint64_t LostPart(const Plan& plan, const Element& element) {
  const auto size = static_cast<std::size_t>(GetFormat(plan.from().part).storage_bits / 8);
  if (plan.from().kind != Kind::kComplex) return Word(element, 0, size);
  Element real = {};
  Element out = {};
  std::copy_n(element.begin(), size, real.begin());
  const Counts counts = plan.Run(real.data(), out.data(), 1, {.threads = 1});
  return Word(element, counts.first_lost == 0 ? 0 : size, size);
}

// "7"; "[1, 2]" where the order in the file is not the one that people count in.
std::string IndexText(std::uint64_t index, const InputLayout& layout) {
  if (!layout.fortran_order) return fmt::format("{}", index);
  Shape place;
  for (const std::uint64_t dimension : layout.shape) {
    place.push_back(index % dimension);
    index /= dimension;
  }
  return fmt::format("[{}]", fmt::join(place, ", "));
}

// ---------------------------------------------------------------------------------------------
// The data.

class Pump {
 public:
  Pump(const FileCastRequest& request, const Plan& plan, const InputLayout& in,
       const OutputLayout& out, ElementReader* reader, OutputFile* output)
      : request_(request), plan_(plan), in_(in), out_(out), reader_(*reader), output_(*output) {}

  // Moves all elements. kBadInput if the request is strict and something was lost.
  Status Run() {
    const auto block =
        static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, in_.elements.value_or(kBlock)));
    source_.resize(plan_.InputBytes(block));
    target_.resize(plan_.OutputBytes(block));
    if (Status status = out_.pairs_apart ? RunPairsApart() : RunInOrder(); !status.ok()) {
      return status;
    }
    return request_.strict && counts_.first_lost != kNoIndex ? Refusal() : Status();
  }

  [[nodiscard]] std::uint64_t elements() const { return elements_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const std::string& bool_warning() const { return bool_warning_; }

 private:
  Status RunInOrder() {
    for (;;) {
      const Result<std::size_t> count = reader_.Next(source_.data(), kBlock);
      if (!count.ok()) return OfInput(request_, count.status());
      if (*count == 0) return {};
      Convert(elements_, *count, target_.data());
      if (request_.strict && counts_.first_lost != kNoIndex) return {};
      const std::size_t size = plan_.OutputBytes(*count);
      if (Status status = output_.Write(target_.data(), size); !status.ok()) return status;
      elements_ += *count;
    }
  }

  // Fortran order, packed along the last axis (see InputLayout::pairs_apart): slabs 2k and 2k + 1
  // of elements become one slab of bytes. Short slabs go many pairs at a time, long ones in pieces.
  Status RunPairsApart() {
    elements_ = *in_.elements;
    const std::uint64_t pairs = in_.shape.back() / 2;
    const std::uint64_t slab = elements_ / in_.shape.back();
    const std::uint64_t width = std::min<std::uint64_t>(slab, kBlock / 2);
    const std::uint64_t group = width == slab ? kBlock / 2 / slab : 1;
    for (std::uint64_t pair = 0; pair < pairs; pair += group) {
      for (std::uint64_t within = 0; within < slab; within += width) {
        const auto piece = static_cast<std::size_t>(std::min(width, slab - within));
        const auto many = static_cast<std::size_t>(std::min(group, pairs - pair));
        Status status = ConvertPairs(2 * pair * slab + within, slab, piece, many);
        if (!status.ok()) return status;
        if (status = output_.Write(source_.data(), piece * many); !status.ok()) return status;
      }
    }
    return {};
  }

  // `many` pairs of rows of `width` elements, the first at `first`, a slab apart; the bytes are
  // left in source_.
  Status ConvertPairs(std::uint64_t first, std::uint64_t slab, std::size_t width,
                      std::size_t many) {
    if (width == slab) {  // one stretch
      Status status = ConvertAt(first, 2 * width * many, target_.data());
      if (!status.ok()) return status;
    } else {
      Status status = ConvertAt(first, width, target_.data());
      if (status.ok()) status = ConvertAt(first + slab, width, target_.data() + width);
      if (!status.ok()) return status;
    }
    for (std::size_t pair = 0; pair < many; ++pair) {
      const std::byte* low = target_.data() + 2 * pair * width;
      std::byte* joined = source_.data() + pair * width;
      for (std::size_t i = 0; i < width; ++i) joined[i] = low[i] | low[width + i] << 4;
    }
    return {};
  }

  Status ConvertAt(std::uint64_t first, std::size_t count, std::byte* target) {
    Status status = reader_.At(first, source_.data(), count);
    if (!status.ok()) return OfInput(request_, status);
    Convert(first, count, target);
    return {};
  }

  // source_ to `target`.
  void Convert(std::uint64_t first, std::size_t count, std::byte* target) {
    // Pieces of slabs begin anywhere; no scale that depends on the index gets there.
    const std::uint64_t counted_from = out_.pairs_apart ? 0 : first;
    Counts counts = plan_.Run(source_.data(), target, count,
                              {.threads = request_.threads, .first = counted_from});
    if (counts.first_lost != kNoIndex) {
      counts.first_lost += first - counted_from;
      if (counts.first_lost < counts_.first_lost) {
        const auto place = static_cast<std::size_t>(counts.first_lost - first);
        lost_ = TakeElement(source_.data(), plan_.from(), reader_.packing(), place);
      }
    }
    counts_ += counts;
    if (plan_.from().id == FormatId::kBool && bool_warning_.empty()) CheckBools(first, count);
  }

  void CheckBools(std::uint64_t first, std::size_t count) {
    const auto end = source_.begin() + static_cast<std::ptrdiff_t>(count);
    const auto odd =
        std::find_if(source_.begin(), end, [](std::byte b) { return b > std::byte{1}; });
    if (odd == end) return;
    const auto index = first + static_cast<std::uint64_t>(odd - source_.begin());
    bool_warning_ = fmt::format("element {} is the byte {}, not 0 or 1; bytes above 1 are true",
                                IndexText(index, in_), std::to_integer<int>(*odd));
  }

  [[nodiscard]] Status Refusal() const {
    const Format& part = GetFormat(plan_.from().part);
    const std::uint64_t word = LostPart(plan_, lost_);
    const bool nan = Decode(word, part).cls == Class::kNan;
    return OfInput(
        request_,
        BadInput(fmt::format("element {} ({}) {} {}; leave --strict out to have such elements "
                             "counted instead",
                             IndexText(counts_.first_lost, in_), ValueText(word, part),
                             nan ? "does not stay a NaN in" : "does not fit", plan_.to().name)));
  }

  const FileCastRequest& request_;
  const Plan& plan_;
  const InputLayout& in_;
  const OutputLayout& out_;
  ElementReader& reader_;
  OutputFile& output_;
  std::vector<std::byte> source_;
  std::vector<std::byte> target_;
  std::uint64_t elements_ = 0;
  Counts counts_;
  Element lost_ = {};  // element counts_.first_lost
  std::string bool_warning_;
};

// ---------------------------------------------------------------------------------------------
// What has to be right before anything is created.

Result<const ContainerRow*> RowOf(const std::string& path) {
  if (path == "-") return &kRawContainer;
  return FindContainer(path);
}

// All that can be said from the names alone.
Status CheckNames(const FileCastRequest& request) {
  const Result<const ContainerRow*> in = RowOf(request.input);
  if (!in.ok()) return in.status();
  const Result<const ContainerRow*> out = RowOf(request.output);
  if (!out.ok()) return out.status();
  if (*in == &kRawContainer && !request.from) {
    return OfInput(request,
                   UsageError("raw elements do not say their format; give it with --from"));
  }
  if (request.packed && *in == &kRawContainer && *out == &kRawContainer) {
    return UsageError(
        "--packed is for .npy files; raw files are packed unless --unpacked is given");
  }
  if (request.unpacked && *in != &kRawContainer && *out != &kRawContainer) {
    return UsageError("--unpacked is for raw files; .npy files are unpacked without it");
  }
  if (request.from) {
    CastRequest cast = request.cast;
    cast.from = *request.from;
    const Result<Plan> plan = MakePlan(cast);
    if (!plan.ok()) return plan.status();
  }
  return {};
}

Result<InputLayout> ReadLayout(const FileCastRequest& request, InputFile* input) {
  if (input->IsSameFileAs(request.output)) {
    return UsageError(fmt::format("{} and {} are the same file; write to another name",
                                  Printable(request.input), Printable(request.output)));
  }
  const Result<const ContainerRow*> row = RowOf(request.input);
  const ContainerRow& container = input->regular() ? **row : kRawContainer;
  Result<InputLayout> layout = container.read(*input, {.from = request.from,
                                                       .shape = request.shape,
                                                       .unpacked = request.unpacked,
                                                       .packed = request.packed});
  if (!layout.ok()) return OfInput(request, layout.status());
  const auto& scaled = request.cast.dequantization;
  if (layout->fortran_order && scaled &&
      (scaled->scales.size() > 1 || scaled->offsets.size() > 1)) {
    return OfInput(request,
                   UsageError("it is in Fortran order, and scales by index are in C order; "
                              "save it in C order"));
  }
  return layout;
}

Result<OutputLayout> MakeOutputLayout(const FileCastRequest& request, const InputLayout& in,
                                      const Shape& shape) {
  const Result<const ContainerRow*> row = RowOf(request.output);
  const bool raw = IsWrittenStraightThrough(request.output);
  const ContainerRow& container = raw ? kRawContainer : **row;
  Result<OutputLayout> layout = container.write({.format = request.cast.to,
                                                 .shape = shape,
                                                 .fortran_order = in.fortran_order,
                                                 .unpacked = request.unpacked,
                                                 .packed = request.packed});
  if (!layout.ok()) return OfOutput(request, layout.status());
  return layout;
}

FileCastResult Describe(const FileCastRequest& request, const Plan& plan, const InputLayout& in,
                        const OutputLayout& out, const Pump& pump) {
  FileCastResult result = {.profile = std::string(plan.profile()),
                           .from = plan.from().id,
                           .to = plan.to().id,
                           .rounding = plan.rounding(),
                           .overflow = plan.overflow(),
                           .shape = in.elements ? in.shape : Shape{pump.elements()},
                           .elements = pump.elements(),
                           .counts = pump.counts(),
                           .warnings = {}};
  for (const std::string& warning : in.warnings) {
    result.warnings.push_back(OfInput(request, BadInput(warning)).message());
  }
  if (!pump.bool_warning().empty()) {
    result.warnings.push_back(OfInput(request, BadInput(pump.bool_warning())).message());
  }
  if (!out.warning.empty()) {
    result.warnings.push_back(OfOutput(request, BadInput(out.warning)).message());
  }
  return result;
}

// Everything is known but the data.
Result<FileCastResult> CastData(const FileCastRequest& request, const Plan& plan,
                                const InputLayout& in, const OutputLayout& out,
                                ElementReader* reader) {
  Result<OutputFile> output =
      OutputFile::Create(request.output, {.force = request.force, .hold_back = request.strict});
  if (!output.ok()) return output.status();
  if (Status status = output->Write(out.header.data(), out.header.size()); !status.ok()) {
    return status;
  }
  Pump pump(request, plan, in, out, reader, &*output);
  if (Status status = pump.Run(); !status.ok()) return status;

  if (!in.elements && !out.header.empty()) {
    const Result<OutputLayout> final = MakeOutputLayout(request, in, {pump.elements()});
    if (!final.ok()) return final.status();
    assert(final->header.size() == out.header.size());
    Status status = output->Patch(0, final->header.data(), final->header.size());
    if (!status.ok()) return status;
  }
  if (Status status = output->Commit(); !status.ok()) return status;
  return Describe(request, plan, in, out, pump);
}

}  // namespace

Result<FileCastResult> CastFile(const FileCastRequest& request) {
  if (Status status = CheckNames(request); !status.ok()) return status;
  Result<InputFile> input = InputFile::Open(request.input);
  if (!input.ok()) return input.status();
  const Result<InputLayout> in = ReadLayout(request, &*input);
  if (!in.ok()) return in.status();
  const Result<OutputLayout> out =
      MakeOutputLayout(request, *in, in->elements ? in->shape : Shape{0});
  if (!out.ok()) return out.status();

  ElementReader reader(*input, *in);
  CastRequest cast = request.cast;
  cast.from = in->format;
  cast.input_packing = reader.packing();
  cast.output_packing = out->pairs_apart ? Packing::kUnpacked : out->packing;
  const Result<Plan> plan = MakePlan(cast);
  if (!plan.ok()) return plan.status();
  return CastData(request, *plan, *in, *out, &reader);
}

}  // namespace exactcast
