// SPDX-License-Identifier: Apache-2.0
//
// Running a plan over arrays: blocks and threads, packed and complex elements taken apart into the
// scalar words that kernels convert and put together again, and the counts.
#include <algorithm>
#include <array>
#include <mutex>

#include "exactcast/cast.h"
#include "src/kernels/words.h"
#include "src/plan_state.h"
#include "src/threads.h"

namespace exactcast {
namespace {

// Elements that are taken apart, converted and put together at a time: a multiple of 4, so that
// packed blocks begin on whole bytes, and few enough to stay in the first cache and on any stack.
constexpr std::size_t kBlock = 1024;

// Elements per thread below which starting one does not pay.
constexpr std::size_t kWorthThread = 1 << 18;

using Buffer = std::array<std::byte, kBlock * 16>;  // a block of complex128

std::size_t StorageBytes(const Format& f) { return static_cast<std::size_t>(f.storage_bits) / 8; }

bool IsPacked(const Format& f, Packing packing) {
  return packing == Packing::kPacked && IsPackable(f);
}

// ---- elements that share bytes ------------------------------------------------------------------

void Unpack(const std::byte* in, int bits, std::size_t n, std::byte* words) {
  const std::size_t per_byte = 8 / static_cast<std::size_t>(bits);
  const auto mask = static_cast<std::byte>(LowMask(bits));
  for (std::size_t i = 0; i < n; ++i) {
    words[i] = (in[i / per_byte] >> (i % per_byte * static_cast<std::size_t>(bits))) & mask;
  }
}

void Pack(const std::byte* words, int bits, std::size_t n, std::byte* out) {
  const std::size_t per_byte = 8 / static_cast<std::size_t>(bits);
  const auto mask = static_cast<std::byte>(LowMask(bits));
  for (std::size_t i = 0; i < n; i += per_byte) {
    std::byte packed{};
    for (std::size_t k = 0; k < per_byte && i + k < n; ++k) {
      packed |= (words[i + k] & mask) << (k * static_cast<std::size_t>(bits));
    }
    out[i / per_byte] = packed;
  }
}

// ---- complex elements ---------------------------------------------------------------------------

// Copies every `in_step`-th item of `size` bytes to every `out_step`-th place.
void CopyStrided(const std::byte* in, std::size_t in_step, std::byte* out, std::size_t out_step,
                 std::size_t size, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(in + i * in_step * size, size, out + i * out_step * size);
  }
}

std::uint64_t CountImaginary(const std::byte* in, const Format& part, std::size_t n) {
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t word = LoadWord(in, 2 * i + 1, part.storage_bits);
    lost += Decode(word, part).cls != Class::kZero ? 1 : 0;
  }
  return lost;
}

// True when either part is; counted by the worse of the two, an imaginary part that is not zero
// being lost.
CastResult ComplexToBool(const Params& p, const std::byte* in, std::size_t index) {
  const CastResult re = CastElement(p, LoadWord(in, 2 * index, p.source->storage_bits), 0);
  const CastResult im = CastElement(p, LoadWord(in, 2 * index + 1, p.source->storage_bits), 0);
  const Outcome imaginary =
      im.outcome == Outcome::kExact && im.bits != 0 ? Outcome::kRounded : im.outcome;
  return {re.bits | im.bits, std::max(re.outcome, imaginary)};
}

// ---- one block ----------------------------------------------------------------------------------

class BlockRunner {
 public:
  explicit BlockRunner(const PlanState& state) : s_(state) {}

  // n <= kBlock elements; `first` is the index of element 0 in the tensor.
  void Run(const std::byte* in, std::byte* out, std::uint64_t first, std::size_t n) {
    Tally tally{};
    if (complex_in_ && s_.to->kind == Kind::kBoolean) {
      for (std::size_t i = 0; i < n; ++i) {
        const CastResult r = ComplexToBool(s_.params, in, i);
        out[i] = static_cast<std::byte>(r.bits);
        ++tally[static_cast<std::size_t>(r.outcome)];
      }
    } else {
      RunParts(in, out, first, n, tally);
    }
    Add(tally);
    if (counts_.first_lost == kNoIndex && IsLossy(tally)) FindLost(in, first, n);
    if (s_.unpredictable_nan && tally[static_cast<std::size_t>(Outcome::kNan)] > 0) {
      counts_.unpredictable += tally[static_cast<std::size_t>(Outcome::kNan)];
      if (counts_.first_unpredictable == kNoIndex) FindUnpredictable(in, first, n);
    }
  }

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void RunParts(const std::byte* in, std::byte* out, std::uint64_t first, std::size_t n,
                Tally& tally) {
    const Params& p = s_.params;
    const std::byte* words = in;
    if (IsPacked(*s_.from, s_.input_packing)) {
      Unpack(in, p.source->bits, n, source_.data());
      words = source_.data();
    } else if (complex_in_ && !complex_out_) {
      CopyStrided(in, 2, source_.data(), 1, StorageBytes(*p.source), n);
      counts_.imaginary_lost += CountImaginary(in, *p.source, n);
      words = source_.data();
    }
    const bool packed_out = IsPacked(*s_.to, s_.output_packing);
    const bool spread_out = complex_out_ && !complex_in_;  // an imaginary part joins each element
    const bool direct = !packed_out && !spread_out;
    std::byte* results = direct ? out : target_.data();
    s_.kernel->run(p, words, results, first, complex_in_ && complex_out_ ? 2 * n : n, tally);
    if (direct) return;
    if (spread_out) {
      std::fill_n(out, n * StorageBytes(*s_.to), std::byte{});
      CopyStrided(results, 1, out, 2, StorageBytes(*p.target), n);
    } else {
      Pack(results, p.target->bits, n, out);
    }
  }

  void Add(const Tally& tally) {
    const auto of = [&](Outcome outcome) { return tally[static_cast<std::size_t>(outcome)]; };
    counts_.exact += of(Outcome::kExact);
    counts_.rounded += of(Outcome::kRounded);
    counts_.underflowed += of(Outcome::kUnderflowed);
    counts_.overflowed += of(Outcome::kOverflowed);
    counts_.nan += of(Outcome::kNan);
  }

  [[nodiscard]] bool IsLossy(const Tally& tally) const {
    return tally[static_cast<std::size_t>(Outcome::kOverflowed)] > 0 ||
           (!s_.keeps_nan && tally[static_cast<std::size_t>(Outcome::kNan)] > 0);
  }

  [[nodiscard]] Outcome OutcomeOf(const std::byte* in, std::uint64_t first, std::size_t i) const {
    const Params& p = s_.params;
    if (complex_in_ && s_.to->kind == Kind::kBoolean) return ComplexToBool(p, in, i).outcome;
    const auto part = [&](std::size_t k) {
      return CastElement(p, LoadWord(in, k, p.source->storage_bits), first + i).outcome;
    };
    if (complex_in_) return complex_out_ ? std::max(part(2 * i), part(2 * i + 1)) : part(2 * i);
    if (!IsPacked(*s_.from, s_.input_packing)) return part(i);
    return CastElement(p, std::to_integer<std::uint64_t>(source_[i]), first + i).outcome;
  }

  // The block has an element that was lost; source_ still holds it where the input was packed.
  void FindLost(const std::byte* in, std::uint64_t first, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const Outcome outcome = OutcomeOf(in, first, i);
      if (outcome == Outcome::kOverflowed || (outcome == Outcome::kNan && !s_.keeps_nan)) {
        counts_.first_lost = first + i;
        return;
      }
    }
  }

  void FindUnpredictable(const std::byte* in, std::uint64_t first, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      if (OutcomeOf(in, first, i) != Outcome::kNan) continue;
      counts_.first_unpredictable = first + i;
      return;
    }
  }

  const PlanState& s_;
  const bool complex_in_ = s_.from->kind == Kind::kComplex;
  const bool complex_out_ = s_.to->kind == Kind::kComplex;
  Counts counts_;
  Buffer source_;
  Buffer target_;
};

Counts RunRange(const Plan& plan, const PlanState& state, const std::byte* in, std::byte* out,
                std::uint64_t first, std::size_t begin, std::size_t end) {
  BlockRunner runner(state);
  for (std::size_t at = begin; at < end; at += kBlock) {
    runner.Run(in + plan.InputBytes(at), out + plan.OutputBytes(at), first + at,
               std::min(kBlock, end - at));
  }
  return runner.counts();
}

}  // namespace

Counts& Counts::operator+=(const Counts& other) {
  exact += other.exact;
  rounded += other.rounded;
  underflowed += other.underflowed;
  overflowed += other.overflowed;
  nan += other.nan;
  imaginary_lost += other.imaginary_lost;
  unpredictable += other.unpredictable;
  first_unpredictable = std::min(first_unpredictable, other.first_unpredictable);
  first_lost = std::min(first_lost, other.first_lost);
  return *this;
}

std::size_t ArrayBytes(const Format& format, Packing packing, std::size_t elements) {
  if (!IsPacked(format, packing)) return elements * StorageBytes(format);
  const std::size_t per_byte = 8 / static_cast<std::size_t>(format.bits);
  return elements / per_byte + (elements % per_byte != 0 ? 1 : 0);
}

const Format& Plan::from() const { return *state_->from; }
const Format& Plan::to() const { return *state_->to; }
std::string_view Plan::profile() const { return state_->profile->name; }
Rounding Plan::rounding() const { return state_->rounding; }
Overflow Plan::overflow() const { return state_->overflow; }
bool Plan::keeps_nan() const { return state_->keeps_nan; }
NanToInteger Plan::nan_to_integer() const { return state_->params.rules.nan_to_integer; }
bool Plan::flushes_subnormals() const {
  const Rules& rules = state_->params.rules;
  return rules.subnormal_inputs == SubnormalRule::kFlush ||
         rules.subnormal_results == SubnormalRule::kFlush;
}
bool Plan::leaves_choices() const { return state_->profile->leaves_choices; }
std::string_view Plan::kernel() const { return state_->kernel->name; }

std::size_t Plan::InputBytes(std::size_t elements) const {
  return ArrayBytes(*state_->from, state_->input_packing, elements);
}
std::size_t Plan::OutputBytes(std::size_t elements) const {
  return ArrayBytes(*state_->to, state_->output_packing, elements);
}

Counts Plan::Run(const void* in, void* out, std::size_t elements,
                 const RunOptions& options) const noexcept {
  const auto* source = static_cast<const std::byte*>(in);
  auto* target = static_cast<std::byte*>(out);
  state_->kernel->prepare(state_->params, elements);
  const auto wanted =
      static_cast<std::size_t>(options.threads > 0 ? options.threads : AvailableThreads());
  const std::size_t parts = std::min(wanted, std::max<std::size_t>(1, elements / kWorthThread));
  Counts total;
  std::mutex mutex;
  ParallelRanges(elements, parts, kBlock, [&](std::size_t begin, std::size_t end) {
    const Counts counts = RunRange(*this, *state_, source, target, options.first, begin, end);
    const std::lock_guard lock(mutex);
    total += counts;
  });
  return total;
}

}  // namespace exactcast
