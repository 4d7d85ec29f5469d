// SPDX-License-Identifier: Apache-2.0
//
// Moving elements, as pump.h says.
#include "src/containers/pump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "exactcast/number_text.h"
#include "exactcast/spec/reference.h"

namespace exactcast {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;  // elements; a multiple of 16

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

Status Stopped(const PumpOptions& options) {
  return NotWritten(fmt::format("{}: stopped before it was complete", options.output_name));
}

}  // namespace

bool RefusesUnpredictable(const FileCastRequest& request) {
  return request.nan_to_integer && request.nan_to_integer->refuse;
}

Status CheckCounts(const FileCastRequest& request) {
  if (request.measure && !request.counts) {
    return UsageError("--report shows the counts that --no-counts leaves out; leave one out");
  }
  if (request.measure && request.dequantization) {
    return UsageError("--report compares numbers, and --deqscale changes them; leave one out");
  }
  if (request.counts || (!request.strict && !RefusesUnpredictable(request))) return {};
  return UsageError(fmt::format("{} needs the counts that --no-counts leaves out; leave one out",
                                request.strict ? "--strict" : "--nan-to-int refuse"));
}

// ---- The first loss -----------------------------------------------------------------------------

void FirstLoss::Note(std::uint64_t index, const std::byte* data, Packing packing,
                     std::size_t place) {
  const Format& format = plan_.from();
  index_ = index;
  element_ = {};
  if (packing == Packing::kPacked && IsPackable(format)) {
    const std::size_t bit = place * static_cast<std::size_t>(format.bits);
    element_[0] = data[bit / 8] >> (bit % 8) & static_cast<std::byte>(LowMask(format.bits));
  } else {
    const auto size = static_cast<std::size_t>(format.storage_bits / 8);
    std::memcpy(element_.data(), data + place * size, size);
  }
}

// The part that does not fit: the whole of a real element; of a complex one the real part if it is
// lost with no imaginary part beside it.
std::uint64_t FirstLoss::LostPart() const {
  const auto size = static_cast<std::size_t>(GetFormat(plan_.from().part).storage_bits / 8);
  std::size_t begin = 0;
  if (plan_.from().kind == Kind::kComplex) {
    Element real = {};
    Element out = {};
    std::copy_n(element_.begin(), size, real.begin());
    const Counts counts = plan_.Run(real.data(), out.data(), 1, {.threads = 1});
    if (counts.first_lost != 0) begin = size;
  }
  std::uint64_t word = 0;
  std::memcpy(&word, element_.data() + begin, size);
  return word;
}

Status FirstLoss::Refusal(const InputLayout& layout, bool as_unpredictable) const {
  const Format& part = GetFormat(plan_.from().part);
  const std::uint64_t word = LostPart();
  const bool nan = Decode(word, part).cls == Class::kNan;
  if (nan && as_unpredictable) {
    return BadInput(fmt::format(
        "element {} ({}) is unpredictable as {} in {}; --nan-to-int zero, min or max "
        "chooses a result",
        IndexText(index_, layout), ValueText(word, part), plan_.to().name, plan_.profile()));
  }
  return BadInput(
      fmt::format("element {} ({}) {} {}; leave --strict out to have such elements counted instead",
                  IndexText(index_, layout), ValueText(word, part),
                  nan ? "does not stay a NaN in" : "does not fit", plan_.to().name));
}

// ---- The data -----------------------------------------------------------------------------------

Status Pump::OfInput(const Status& status) const {
  return {status.code(), fmt::format("{}: {}", options_.input_name, status.message())};
}

Status Pump::Run() {
  const bool whole = reader_.in_any_order() && output_.any_order() && !options_.pairs_apart;
  const auto block =
      static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, layout_.elements.value_or(kBlock)));
  if (!whole) {
    source_.resize(plan_.InputBytes(block));
    target_.resize(plan_.OutputBytes(block));
  }
  Status status = options_.pairs_apart ? RunPairsApart() : whole ? RunInAnyOrder() : RunInOrder();
  // What follows a loss may have failed in another thread: the loss is told all the same.
  if (Stops()) return OfInput(loss_.Refusal(layout_, options_.refuse_unpredictable));
  return status;
}

// Each thread reads, converts and writes blocks of its own.
Status Pump::RunInAnyOrder() {
  elements_ = *layout_.elements;
  std::size_t block = kBlock;
  while (std::max(plan_.InputBytes(block), plan_.OutputBytes(block)) > kBlockBytes) block /= 2;
  block = static_cast<std::size_t>(std::min<std::uint64_t>(block, elements_));
  const std::uint64_t blocks = block == 0 ? 0 : (elements_ - 1) / block + 1;
  std::vector<Buffers> buffers(Workers(options_.threads, blocks));
  for (Buffers& b : buffers) {
    b.source.resize(plan_.InputBytes(block));
    b.target.resize(plan_.OutputBytes(block));
  }
  BlockFailure failure;
  const auto work = [&](std::size_t worker, std::uint64_t number) {
    const std::uint64_t first = number * block;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(block, elements_ - first));
    Status status = MoveBlock(first, count, &buffers[worker]);
    if (status.ok() && !Report(count)) status = Stopped(options_);
    if (!status.ok()) failure.Note(number, std::move(status));
  };
  HandOutBlocks(
      blocks, buffers.size(),
      [&] {
        const std::lock_guard<std::mutex> lock(notes_);
        return failure.any() || Stops();
      },
      work);
  return failure.status();
}

Status Pump::MoveBlock(std::uint64_t first, std::size_t count, Buffers* buffers) {
  if (Status status = reader_.At(first, buffers->source.data(), count); !status.ok()) {
    return OfInput(status);
  }
  const Counts counts = plan_.Run(buffers->source.data(), buffers->target.data(), count,
                                  {.threads = 1, .first = first, .counts = options_.counts});
  Measure(first, count, buffers->source.data(), buffers->target.data());
  {
    const std::lock_guard<std::mutex> lock(notes_);
    Note(first, count, buffers->source.data(), counts);
    if (Stops()) return {};
  }
  return output_.WriteAt(plan_.OutputBytes(static_cast<std::size_t>(first)), buffers->target.data(),
                         plan_.OutputBytes(count));
}

bool Pump::Report(std::size_t count) const {
  return options_.progress == nullptr || options_.progress(plan_.InputBytes(count));
}

Status Pump::RunInOrder() {
  for (;;) {
    const Result<std::size_t> count = reader_.Next(source_.data(), kBlock);
    if (!count.ok()) return OfInput(count.status());
    if (*count == 0) return {};
    Convert(elements_, *count, target_.data());
    if (Stops()) return {};
    const std::size_t size = plan_.OutputBytes(*count);
    if (Status status = output_.Write(target_.data(), size); !status.ok()) return status;
    elements_ += *count;
    if (!Report(*count)) return Stopped(options_);
  }
}

// Fortran order, packed along the last axis (see InputLayout::pairs_apart): slabs 2k and 2k + 1 of
// elements become one slab of bytes. Short slabs go many pairs at a time, long ones in pieces.
Status Pump::RunPairsApart() {
  elements_ = *layout_.elements;
  const std::uint64_t pairs = layout_.shape.back() / 2;
  const std::uint64_t slab = elements_ / layout_.shape.back();
  const std::uint64_t width = std::min<std::uint64_t>(slab, kBlock / 2);
  const std::uint64_t group = width == slab ? kBlock / 2 / slab : 1;
  for (std::uint64_t pair = 0; pair < pairs; pair += group) {
    for (std::uint64_t within = 0; within < slab; within += width) {
      const auto piece = static_cast<std::size_t>(std::min(width, slab - within));
      const auto many = static_cast<std::size_t>(std::min(group, pairs - pair));
      Status status = ConvertPairs(2 * pair * slab + within, slab, piece, many);
      if (!status.ok()) return status;
      if (status = output_.Write(source_.data(), piece * many); !status.ok()) return status;
      if (!Report(2 * piece * many)) return Stopped(options_);
    }
  }
  return {};
}

// `many` pairs of rows of `width` elements, the first at `first`, a slab apart; the bytes are left
// in source_.
Status Pump::ConvertPairs(std::uint64_t first, std::uint64_t slab, std::size_t width,
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

Status Pump::ConvertAt(std::uint64_t first, std::size_t count, std::byte* target) {
  Status status = reader_.At(first, source_.data(), count);
  if (!status.ok()) return OfInput(status);
  Convert(first, count, target);
  return {};
}

// source_ to `target`.
void Pump::Convert(std::uint64_t first, std::size_t count, std::byte* target) {
  const Counts counts =
      plan_.Run(source_.data(), target, count,
                {.threads = options_.threads, .first = first, .counts = options_.counts});
  Measure(first, count, source_.data(), target);
  Note(first, count, source_.data(), counts);
}

void Pump::Measure(std::uint64_t first, std::size_t count, const std::byte* source,
                   const std::byte* target) {
  if (options_.measurement != nullptr) options_.measurement->Add(first, count, source, target);
}

// Blocks may come in any order: what is said of the first holds for the least index.
void Pump::Note(std::uint64_t first, std::size_t count, const std::byte* source,
                const Counts& counts) {
  if (const std::uint64_t refused = FirstRefused(counts); refused < loss_.index()) {
    const auto place = static_cast<std::size_t>(refused - first);
    loss_.Note(refused, source, reader_.packing(), place);
  }
  counts_ += counts;
  if (plan_.from().id == FormatId::kBool && first < odd_bool_) CheckBools(first, count, source);
}

std::uint64_t Pump::FirstRefused(const Counts& counts) const {
  return std::min(options_.strict ? counts.first_lost : kNoIndex,
                  options_.refuse_unpredictable ? counts.first_unpredictable : kNoIndex);
}

void Pump::CheckBools(std::uint64_t first, std::size_t count, const std::byte* source) {
  const std::byte* end = source + count;
  const std::byte* odd = std::find_if(source, end, [](std::byte b) { return b > std::byte{1}; });
  if (odd == end) return;
  odd_bool_ = first + static_cast<std::uint64_t>(odd - source);
  bool_warning_ = fmt::format("element {} is the byte {}, not 0 or 1; bytes above 1 are true",
                              IndexText(odd_bool_, layout_), std::to_integer<int>(*odd));
}

// ---- Bytes as they are --------------------------------------------------------------------------

namespace {

Result<std::size_t> ReadSome(InputFile* input, std::uint64_t offset, std::byte* data,
                             std::size_t size) {
  return input->seekable() ? input->ReadAt(offset, data, size) : input->Read(data, size);
}

}  // namespace

Status CopyBytes(InputFile* input, std::uint64_t begin, std::uint64_t size,
                 const PumpOptions& options, ByteSink* output) {
  const std::uint64_t blocks = (size + kBlockBytes - 1) / kBlockBytes;
  const bool any_order = input->seekable() && output->any_order();
  std::vector<std::vector<std::byte>> buffers(any_order ? Workers(options.threads, blocks) : 1);
  for (auto& buffer : buffers) {
    buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, size)));
  }
  BlockFailure failure;
  const auto move = [&](std::byte* data, std::uint64_t block) -> Status {
    const std::uint64_t offset = block * kBlockBytes;
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, size - offset));
    const Result<std::size_t> got = ReadSome(input, begin + offset, data, count);
    if (!got.ok()) {
      return {got.status().code(),
              fmt::format("{}: {}", options.input_name, got.status().message())};
    }
    if (*got < count) {
      return BadInput(
          fmt::format("{}: expected {} bytes, found {}", options.input_name, size, offset + *got));
    }
    Status status =
        output->any_order() ? output->WriteAt(offset, data, count) : output->Write(data, count);
    if (status.ok() && options.progress != nullptr && !options.progress(count))
      return Stopped(options);
    return status;
  };
  HandOutBlocks(
      blocks, buffers.size(), [&] { return failure.any(); },
      [&](std::size_t worker, std::uint64_t block) {
        Status status = move(buffers[worker].data(), block);
        if (!status.ok()) failure.Note(block, std::move(status));
      });
  return failure.status();
}

}  // namespace exactcast
