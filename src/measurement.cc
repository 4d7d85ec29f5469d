// SPDX-License-Identifier: Apache-2.0
//
// Statistics, as statistics.h and measurement.h say: blocks decoded by plans of profile exact, which
// hold them exactly, and measured by the kernel.
#include "src/measurement.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "exactcast/spec/codec.h"
#include "src/kernels/float_environment.h"
#include "src/kernels/words.h"
#include "src/plan_state.h"

namespace exactcast {
namespace {

// A float32 holds every value.
bool FitsFloat32(const Format& f) {
  if (f.id == FormatId::kFloat8E8m0fnu) return false;  // 2^-127 is subnormal there
  return f.storage_bits <= 32 && !(IsInteger(f) && f.bits == 32);
}

std::uint64_t WordAt(const std::byte* data, const Format& f, Packing packing, std::size_t i) {
  if (packing == Packing::kPacked && IsPackable(f)) {
    const std::size_t bit = i * static_cast<std::size_t>(f.bits);
    return std::to_integer<std::uint64_t>(data[bit / 8]) >> bit % 8 & LowMask(f.bits);
  }
  return LoadWord(data, i, f.storage_bits);
}

template <typename Float>
struct Decoded {
  alignas(64) std::array<Float, kMeasureBlock> values;

  const Float* Of(const std::optional<Plan>& shorten, const std::optional<Plan>& decode,
                  const std::byte* data, std::size_t n) {
    if (decode) {
      const RunOptions options = {.threads = 1, .counts = false, .stores = Stores::kCached};
      std::array<std::uint16_t, kMeasureBlock> shorter;
      if (shorten) shorten->Run(data, shorter.data(), n, options);
      decode->Run(shorten ? static_cast<const void*>(shorter.data()) : data, values.data(), n,
                  options);
      return values.data();
    }
    if (reinterpret_cast<std::uintptr_t>(data) % alignof(Float) == 0) {
      return reinterpret_cast<const Float*>(data);
    }
    std::memcpy(values.data(), data, n * sizeof(Float));
    return values.data();
  }
};

// The counts, and what is the most or the least.
void AddBlock(const BlockMeasure& m, Statistics* s) {
  s->source_nan += m.source_nan;
  s->source_infinite += m.source_infinite;
  s->source_zero += m.source_zero;
  s->least = std::min(s->least, m.least);
  s->greatest = std::max(s->greatest, m.greatest);
  s->ties += m.ties;
  s->became_infinite += m.became_infinite;
  s->became_nan += m.became_nan;
  s->became_zero += m.became_zero;
  s->subnormal += m.subnormal;
  s->compared += m.compared;
  s->largest_ulp = std::max(s->largest_ulp, m.largest_ulp);
}

// The first pair with this error.
template <typename Float>
std::size_t Find(double error, const Float* x, const Float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])) == error) return i;
  }
  return n;
}

void TakeWorst(const Statistics& from, Statistics* to) {
  const bool is_worse =
      from.worst != Statistics::kNoWorst &&
      (to->worst == Statistics::kNoWorst || from.largest_error > to->largest_error ||
       (from.largest_error == to->largest_error && from.worst < to->worst));
  if (!is_worse) return;
  to->largest_error = from.largest_error;
  to->worst = from.worst;
  to->worst_source = from.worst_source;
  to->worst_result = from.worst_result;
}

// Subnormals stand at the field below the least, and so do zeros.
void AddExponents(const ExponentCounts& counts, std::size_t fields, int least, Statistics* s) {
  const int bias = fields == 256 ? 127 : 1023;
  for (std::size_t field = 0; field + 1 < fields; ++field) {
    std::uint64_t count = 0;
    for (const auto& table : counts) count += table[field];
    if (count > 0) s->exponents[std::max(static_cast<int>(field) - bias, least)] += count;
  }
}

}  // namespace

// ---- what follows from the sums -----------------------------------------------------------------

double Statistics::MeanError() const {
  return error_sum / static_cast<double>(compared);  // 0 / 0
}
double Statistics::RelativeError() const {
  if (squared_error_sum == 0 && compared > 0) return 0;
  return std::sqrt(squared_error_sum / source_squares);
}
double Statistics::Sqnr() const { return 10 * std::log10(source_squares / squared_error_sum); }
double Statistics::Cosine() const {
  return products / (std::sqrt(source_squares) * std::sqrt(result_squares));
}

Statistics& Statistics::operator+=(const Statistics& other) {
  elements += other.elements;
  source_nan += other.source_nan;
  source_infinite += other.source_infinite;
  source_zero += other.source_zero;
  least = std::min(least, other.least);
  greatest = std::max(greatest, other.greatest);
  for (const auto& [exponent, count] : other.exponents) exponents[exponent] += count;
  ties += other.ties;
  became_infinite += other.became_infinite;
  became_nan += other.became_nan;
  became_zero += other.became_zero;
  subnormal += other.subnormal;
  compared += other.compared;
  error_sum += other.error_sum;
  squared_error_sum += other.squared_error_sum;
  source_squares += other.source_squares;
  result_squares += other.result_squares;
  products += other.products;
  largest_ulp = std::max(largest_ulp, other.largest_ulp);
  TakeWorst(other, this);
  return *this;
}

// ---- collecting ---------------------------------------------------------------------------------

Result<std::unique_ptr<Measurement>> Measurement::Of(const Plan& plan) {
  const PlanState& state = PlanAccess::State(plan);
  return Make(*state.from, state.input_packing, *state.to, state.output_packing);
}

Result<std::unique_ptr<Measurement>> Measurement::Of(const Format& format, Packing packing) {
  auto made = Make(format, packing, format, packing);
  if (made.ok()) (*made)->as_it_is_ = true;
  return made;
}

Result<std::unique_ptr<Measurement>> Measurement::Between(const Format& from, Packing from_packing,
                                                          const Format& to, Packing to_packing) {
  auto made = Make(from, from_packing, to, to_packing);
  if (made.ok()) (*made)->of_cast_ = false;
  return made;
}

Result<std::unique_ptr<Measurement>> Measurement::Make(const Format& from, Packing from_packing,
                                                       const Format& to, Packing to_packing) {
  const bool is_complex = from.kind == Kind::kComplex;
  if (is_complex != (to.kind == Kind::kComplex)) {
    return Unsupported(std::string(from.name) + " to " + std::string(to.name) +
                       ": numbers with two parts and with one are not compared");
  }
  std::unique_ptr<Measurement> m(new Measurement());
  m->parts_ = is_complex ? 2 : 1;
  m->source_ = {&GetFormat(from.part), from_packing, std::nullopt, std::nullopt};
  m->result_ = {&GetFormat(to.part), to_packing, std::nullopt, std::nullopt};
  m->wide_ = !FitsFloat32(*m->source_.format) || !FitsFloat32(*m->result_.format);
  m->units_ = UnitsOf(*m->result_.format);
  const FormatId lane = m->wide_ ? FormatId::kFloat64 : FormatId::kFloat32;
  for (Side* side : {&m->source_, &m->result_}) {
    if (side->format->id == lane) continue;
    const bool is_tapered = side->format->kind == Kind::kTapered && !m->wide_;
    const FormatId first = is_tapered ? FormatId::kBfloat16 : lane;
    Result<Plan> plan =
        MakePlan({.from = side->format->id, .to = first, .input_packing = side->packing});
    if (!plan.ok()) return plan.status();
    (is_tapered ? side->shorten : side->decode) = *plan;
    if (!is_tapered) continue;
    plan = MakePlan({.from = first, .to = lane});
    if (!plan.ok()) return plan.status();
    side->decode = *plan;
  }
  return m;
}

void Measurement::Add(std::uint64_t first, std::size_t count, const std::byte* source,
                      const std::byte* result) {
  if (wide_) {
    AddAs<double>(first * parts_, count * parts_, source, result);
  } else {
    AddAs<float>(first * parts_, count * parts_, source, result);
  }
}

double Measurement::LargestError() {
  const std::lock_guard lock(mutex_);
  return total_.largest_error;
}

BlockMeasure Measurement::MeasureCounting(const float* x, const float* y, std::size_t n,
                                          ExponentCounts* exponents) const {
  const BlockExponents block = CountExponents(x, n, exponents);
  return MeasureBlock(units_, of_cast_ ? block : BlockExponents(), x, y, n);
}
BlockMeasure Measurement::MeasureCounting(const double* x, const double* y, std::size_t n,
                                          ExponentCounts* exponents) const {
  CountExponents(x, n, exponents);
  return MeasureBlock(units_, x, y, n);
}

template <typename Float>
void Measurement::AddAs(std::uint64_t first, std::size_t count, const std::byte* source,
                        const std::byte* result) {
  Decoded<Float> sources;
  Decoded<Float> results;
  const auto exponents = std::make_unique<ExponentCounts>();
  std::vector<Sums> sums;
  sums.reserve(count / kMeasureBlock + 1);
  Statistics piece;
  piece.elements = count;
  const double known = LargestError();  // what is less is not the worst
  const FloatEnvironment environment;
  for (std::size_t at = 0; at < count; at += kMeasureBlock) {
    const std::size_t n = std::min(kMeasureBlock, count - at);
    const std::byte* from = source + ArrayBytes(*source_.format, source_.packing, at);
    const std::byte* to = result + ArrayBytes(*result_.format, result_.packing, at);
    const Float* x = sources.Of(source_.shorten, source_.decode, from, n);
    const Float* y = as_it_is_ ? x : results.Of(result_.shorten, result_.decode, to, n);
    const BlockMeasure m = MeasureCounting(x, y, n, exponents.get());
    AddBlock(m, &piece);
    sums.push_back({m.error, m.squared_error, m.source_squares, m.result_squares, m.products});
    if (m.largest_error <= piece.largest_error || m.largest_error < known) continue;
    const std::size_t i = Find(m.largest_error, x, y, n);
    piece.largest_error = m.largest_error;
    piece.worst = first + at + i;
    piece.worst_source = WordAt(from, *source_.format, source_.packing, i);
    piece.worst_result = WordAt(to, *result_.format, result_.packing, i);
  }
  Merge(first / kMeasureBlock, std::move(sums), piece, *exponents, sizeof(Float) == 4 ? 256 : 2048);
}

void Measurement::Merge(std::uint64_t first, std::vector<Sums> sums, const Statistics& piece,
                        const ExponentCounts& exponents, std::size_t fields) {
  const std::lock_guard lock(mutex_);
  total_ += piece;
  AddExponents(exponents, fields, LeastExponent(), &total_);
  waiting_.emplace(first, std::move(sums));
  for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_;
       it = waiting_.erase(it)) {
    next_ += it->second.size();
    for (const Sums& block : it->second) {
      total_.error_sum += block[0];
      total_.squared_error_sum += block[1];
      total_.source_squares += block[2];
      total_.result_squares += block[3];
      total_.products += block[4];
    }
  }
}

Statistics Measurement::Take() {
  const std::lock_guard lock(mutex_);
  // Zeros have the least field, beside subnormals.
  if (const auto it = total_.exponents.find(LeastExponent()); it != total_.exponents.end()) {
    it->second -= total_.source_zero;
    if (it->second == 0) total_.exponents.erase(it);
  }
  return std::move(total_);
}

}  // namespace exactcast
