// SPDX-License-Identifier: Apache-2.0
//
// Running a plan over arrays: blocks and threads, packed and complex elements taken apart into the
// scalar words that kernels convert and put together again, and the counts.
#include <algorithm>
#include <array>
#include <mutex>

#include "exactcast/cast.h"
#include "src/kernels/block.h"
#include "src/kernels/cpu_target.h"
#include "src/kernels/float_environment.h"
#include "src/kernels/flow.h"
#include "src/kernels/pack.h"
#include "src/kernels/words.h"
#include "src/plan_state.h"
#include "src/stores.h"
#include "src/threads.h"

namespace exactcast {
namespace {

// Elements that a kernel gets at a time while lost elements are looked for.
constexpr std::size_t kChunk = 16 * kBlock;

// Elements per thread below which waking one does not pay.
constexpr std::size_t kWorthThread = 1 << 16;

// Of large arrays: bytes of the source that are converted in the first cache, and of results, before
// these are moved past it (few, so that reading goes on), and how far ahead the source is asked for.
constexpr std::size_t kSourceFlow = 4096;
constexpr std::size_t kResultFlow = 2048;
constexpr std::size_t kAhead = 8192;
constexpr std::size_t kLine = 64;

using Buffer = std::array<std::byte, kBlock * 8>;  // a block of scalar words

std::size_t StorageBytes(const Format& f) { return static_cast<std::size_t>(f.storage_bits) / 8; }

bool IsPacked(const Format& f, Packing packing) {
  return packing == Packing::kPacked && IsPackable(f);
}

class RangeRunner {
 public:
  RangeRunner(const PlanState& state, bool counts) : s_(state), counts_wanted_(counts) {}

  // As Run(), with stores past the caches.
  void Stream(const std::byte* in, std::byte* out, std::uint64_t first, std::size_t n) {
    alignas(kLine) std::array<std::byte, kResultFlow> staged;
    const std::size_t whole = std::min(kSourceFlow * kBlock / InputBytes(kBlock),
                                       kResultFlow * kBlock / OutputBytes(kBlock));
    std::size_t size = 0;
    ahead_ = kAhead;
    for (std::size_t at = 0; at < n; at += size) {
      size = std::min(at == 0 ? ToLine(out, whole) : whole, n - at);
      Run(in + InputBytes(at), staged.data(), first + at, size);
      StreamBytes(staged.data(), out + OutputBytes(at), OutputBytes(size));
    }
    EndStream();
  }

  // `first` is the index of element 0 in the tensor. `in` and `out` begin on whole bytes.
  void Run(const std::byte* in, std::byte* out, std::uint64_t first, std::size_t n) {
    const std::size_t step = !is_direct_ ? kBlock : counts_wanted_ ? kChunk : n;
    for (std::size_t at = 0; at < n; at += step) {
      const std::size_t size = std::min(step, n - at);
      RunPart(in + InputBytes(at), out + OutputBytes(at), first + at, size);
    }
  }

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  [[nodiscard]] std::size_t InputBytes(std::size_t n) const {
    return ArrayBytes(*s_.from, s_.input_packing, n);
  }
  [[nodiscard]] std::size_t OutputBytes(std::size_t n) const {
    return ArrayBytes(*s_.to, s_.output_packing, n);
  }

  // Elements after which `out` is at the beginning of a line, if it can be; else `usual`.
  [[nodiscard]] std::size_t ToLine(const std::byte* out, std::size_t usual) const {
    const auto past = reinterpret_cast<std::uintptr_t>(out) % kLine;
    const std::size_t bytes = past == 0 ? 0 : kLine - past;
    const std::size_t elements = bytes * kBlock / OutputBytes(kBlock);
    const bool fits = OutputBytes(elements) == bytes && (elements % 4 == 0 || !packed_in_);
    return elements > 0 && fits ? elements : usual;
  }

  void RunPart(const std::byte* in, std::byte* out, std::uint64_t first, std::size_t n) {
    Tally tally{};
    Tally* const wanted = counts_wanted_ ? &tally : nullptr;
    if (is_direct_) {
      s_.kernel->run(s_.params, in, out, {first, ahead_}, complex_in_ ? 2 * n : n, wanted);
    } else if (complex_in_ && s_.to->kind == Kind::kBoolean) {
      SplitComplex(in, s_.params.source->storage_bits, n, source_.data(), imaginary_.data());
      PartsToBool(*s_.params.source, source_.data(), imaginary_.data(), n, out, wanted);
    } else {
      RunApart(in, out, first, n, wanted);
    }
    if (counts_wanted_) Add(tally, in, first, n);
  }

  // At most a block of elements that are packed, or complex on one side.
  void RunApart(const std::byte* in, std::byte* out, std::uint64_t first, std::size_t n,
                Tally* tally) {
    const Params& p = s_.params;
    const std::byte* words = in;
    if (packed_in_) {
      Unpack(in, p.source->bits, n, source_.data());
      words = source_.data();
    } else if (complex_in_) {
      const int bits = p.source->storage_bits;
      SplitComplex(in, bits, n, source_.data(), tally != nullptr ? imaginary_.data() : nullptr);
      if (tally != nullptr) counts_.imaginary_lost += CountNonzero(imaginary_.data(), bits, n);
      words = source_.data();
    }
    std::byte* const results = packed_out_ || complex_out_ ? target_.data() : out;
    s_.kernel->run(p, words, results, {first, words == in ? ahead_ : 0}, n, tally);
    if (packed_out_) Pack(results, p.target->bits, n, out);
    if (complex_out_) JoinComplex(results, p.target->storage_bits, n, out);
  }

  void Add(const Tally& tally, const std::byte* in, std::uint64_t first, std::size_t n) {
    const auto of = [&](Outcome outcome) { return tally[static_cast<std::size_t>(outcome)]; };
    counts_.exact += of(Outcome::kExact);
    counts_.rounded += of(Outcome::kRounded);
    counts_.underflowed += of(Outcome::kUnderflowed);
    counts_.overflowed += of(Outcome::kOverflowed);
    counts_.nan += of(Outcome::kNan);
    const bool is_lossy = of(Outcome::kOverflowed) > 0 || (!s_.keeps_nan && of(Outcome::kNan) > 0);
    if (is_lossy && counts_.first_lost == kNoIndex) FindLost(in, first, n);
    if (s_.unpredictable_nan && of(Outcome::kNan) > 0) {
      counts_.unpredictable += of(Outcome::kNan);
      if (counts_.first_unpredictable == kNoIndex) FindUnpredictable(in, first, n);
    }
  }

  [[nodiscard]] Outcome OutcomeOf(const std::byte* in, std::uint64_t first, std::size_t i) const {
    const Params& p = s_.params;
    const auto part = [&](std::size_t k) {
      return CastElement(p, LoadWord(in, k, p.source->storage_bits), first + i).outcome;
    };
    if (complex_in_) {
      const bool both = complex_out_ || s_.to->kind == Kind::kBoolean;
      return both ? std::max(part(2 * i), part(2 * i + 1)) : part(2 * i);
    }
    if (!packed_in_) return part(i);
    const auto bits = static_cast<std::size_t>(p.source->bits);
    const auto byte = std::to_integer<unsigned>(in[i * bits / 8]);
    return CastElement(p, byte >> (i * bits % 8) & LowMask(p.source->bits), first + i).outcome;
  }

  // The part has an element that was lost.
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
  const bool counts_wanted_;
  const bool complex_in_ = s_.from->kind == Kind::kComplex;
  const bool complex_out_ = s_.to->kind == Kind::kComplex;
  const bool packed_in_ = IsPacked(*s_.from, s_.input_packing);
  const bool packed_out_ = IsPacked(*s_.to, s_.output_packing);
  const bool is_direct_ = !packed_in_ && !packed_out_ && complex_in_ == complex_out_;
  std::size_t ahead_ = 0;
  Counts counts_;
  Buffer source_;
  Buffer imaginary_;
  Buffer target_;
};

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
std::string_view Plan::kernel_description() const { return state_->kernel->what; }
std::string_view Plan::cpu_target() { return CurrentCpuTarget(); }
std::vector<std::string_view> Plan::cpu_targets() { return CpuTargets(); }
std::vector<std::string_view> Plan::kernels_passed_over() const {
  std::vector<std::string_view> names;
  for (const KernelRow& kernel : Kernels()) {
    if (kernel.name == state_->kernel->name) break;
    names.push_back(kernel.name);
  }
  return names;
}

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
  const bool streams = Streams(options.stores, InputBytes(elements) + OutputBytes(elements));
  Counts total;
  std::mutex mutex;
  ParallelRanges(elements, Parts(options.threads, elements, kWorthThread), kBlock,
                 [&](std::size_t begin, std::size_t end) {
                   const FloatEnvironment environment;
                   RangeRunner runner(*state_, options.counts);
                   const std::byte* const from = source + InputBytes(begin);
                   std::byte* const to = target + OutputBytes(begin);
                   if (streams) {
                     runner.Stream(from, to, options.first + begin, end - begin);
                   } else {
                     runner.Run(from, to, options.first + begin, end - begin);
                   }
                   if (!options.counts) return;
                   const std::lock_guard lock(mutex);
                   total += runner.counts();
                 });
  return total;
}

}  // namespace exactcast
