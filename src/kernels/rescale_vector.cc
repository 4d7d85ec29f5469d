// SPDX-License-Identifier: Apache-2.0
//
// The vector kernel of rescaling: the way in, and the walk over an array in units of four vectors.
// The arithmetic is rescale_core-inl.h, the way out rescale_store-inl.h; both are chosen once per
// call. Compiled once per CPU target; which one runs is found out at run time.
#include "src/kernels/rescale.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/rescale_vector.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // NOLINT(misc-header-include-cycle)
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/kernels/words.h"

#undef EXACTCAST_RESCALE_VECTORS
// Vectors of a length known to the compiler, with 64-bit products.
#if HWY_TARGET == HWY_NEON || (HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4)
#include "src/kernels/rescale_core-inl.h"
#include "src/kernels/rescale_stage-inl.h"
#include "src/kernels/rescale_store-inl.h"
#define EXACTCAST_RESCALE_VECTORS 1
#else
#define EXACTCAST_RESCALE_VECTORS 0
#endif

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

#if EXACTCAST_RESCALE_VECTORS

// Elements that the loops below take at once.
constexpr std::size_t kUnit = kVectorBytes;
static_assert(kUnit + 1 < kRescaleOverhang && kStaged % kUnit == 0);
constexpr std::size_t kAhead = 8192;  // bytes from the one in work to the one to fetch

struct Units {
  const std::byte* in;  // values, not elements
  std::byte* out;
  std::size_t n;
  std::size_t column;  // of the first value
  bool fetch;
  bool stream;
};

// Returns how many were saturated.
template <class Core, class Store>
std::uint64_t RunUnits(const RescaleParams& p, const Units& units) {
  const Core core(p);
  Store store(p, Core::kInOrder);
  constexpr std::size_t kLanes = kUnit / 4;
  constexpr std::size_t kBytes = kLanes * Core::kInSize;  // of values for one vector
  const std::size_t period = p.columns.period;
  const std::size_t step = kUnit % period;
  const std::size_t ahead = units.fetch ? kAhead : 0;
  const std::byte* in = units.in;
  std::byte* out = units.out;
  std::size_t column = units.column;
  for (std::size_t left = units.n; left > 0;) {
    const std::size_t some = std::min(left, Count::kUnits);
    for (std::size_t i = 0; i < some; ++i) {
      for (std::size_t line = 0; line < 4 * kBytes; line += 64) hwy::Prefetch(in + ahead + line);
      const VI32 a = core.Scale(in, column);
      const VI32 b = core.Scale(in + kBytes, column + kLanes);
      const VI32 c = core.Scale(in + 2 * kBytes, column + 2 * kLanes);
      const VI32 d = core.Scale(in + 3 * kBytes, column + 3 * kLanes);
      store.Store(a, b, c, d, out, units.stream);
      in += 4 * kBytes;
      out += kUnit * Store::kOutSize;
      column += step;
      if (column >= period) column -= period;
    }
    store.count().Gather();
    left -= some;
  }
  return store.count().Total();
}

using UnitsFunction = std::uint64_t (*)(const RescaleParams&, const Units&);

template <class Core>
UnitsFunction ChooseStore(const RescaleParams& p) {
  switch (p.target->storage_bits) {
    case 8:
      return RunUnits<Core, Store8>;
    case 16:
      return RunUnits<Core, Store16>;
    default:
      return RunUnits<Core, Store32>;
  }
}

UnitsFunction ChooseUnits(const RescaleParams& p) {
  using enum RescaleScaling;
  const bool twice = p.columns.twice;
  switch (p.columns.scaling) {
    case kOneUpper:
      return twice ? ChooseStore<OneScale<kOneUpper, true>>(p)
                   : ChooseStore<OneScale<kOneUpper, false>>(p);
    case kOneExact:
      return twice ? ChooseStore<OneScale<kOneExact, true>>(p)
                   : ChooseStore<OneScale<kOneExact, false>>(p);
    case kOneLower:  // never rounded twice
      return ChooseStore<OneScale<kOneLower, false>>(p);
    case kManyUpper:
      return twice ? ChooseStore<UpperScales<true>>(p) : ChooseStore<UpperScales<false>>(p);
    case kWide32:
      return twice ? ChooseStore<WideScales<true, false>>(p)
                   : ChooseStore<WideScales<false, false>>(p);
    default:  // 16-bit multipliers are never rounded twice
      return ChooseStore<WideScales<false, true>>(p);
  }
}

class Runner {
 public:
  Runner(const RescaleParams& p, const RescaleRange& range, RescaleTally& tally)
      : p_(p),
        range_(range),
        tally_(tally),
        units_(ChooseUnits(p)),
        staged_(IsStaged(p)),
        in_size_(static_cast<std::size_t>(p.source->storage_bits / 8)),
        out_size_(static_cast<std::size_t>(p.target->storage_bits / 8)) {}

  void Run() {
    std::size_t at = 0;
    if (range_.large) at = AlignOutput();
    const std::size_t block = staged_ || p_.columns.checked ? kStaged : range_.n;
    while (range_.n - at > kUnit) {  // an element at least is left for the last part
      const std::size_t n = std::min(range_.n - at - 1, block) / kUnit * kUnit;
      if (!Convert(range_.in + at * in_size_, range_.out + at * out_size_, at, n)) {
        RescaleByReference(p_, range_, at, n, tally_);
      }
      at += n;
    }
    stream_ = false;
    if (at < range_.n) Part(at, range_.n - at);
    if (range_.large) hwy::FlushStream();
  }

 private:
  // Elements done so that the others can be stored past the caches.
  std::size_t AlignOutput() {
    const auto past = reinterpret_cast<std::uintptr_t>(range_.out) % kVectorBytes;
    const std::size_t bytes = past == 0 ? 0 : kVectorBytes - past;
    if (bytes % out_size_ != 0 || bytes / out_size_ >= range_.n) return 0;
    if (bytes > 0) Part(0, bytes / out_size_);
    stream_ = true;
    return bytes / out_size_;
  }

  // Whole units; four bytes may be read past them. False: one of them is unpredictable, and nothing is done.
  bool Convert(const std::byte* in, std::byte* out, std::size_t at, std::size_t n) {
    alignas(64) std::array<std::byte, 8 * kStaged + 4> staged;
    const std::size_t column = ColumnOf((range_.channel + at) % p_.lanes.size());
    if (staged_) {
      Stage(p_, in, n, staged.data());
      in = staged.data();
    }
    if (p_.columns.checked && !Predictable(p_, in, n, column)) return false;
    const bool fetch = range_.large && !staged_;
    tally_.saturated += units_(p_, {in, out, n / kUnit, column, fetch, stream_});
    return true;
  }

  // Of the columns of a channel one where vectors are aligned.
  std::size_t ColumnOf(std::size_t channel) const {
    for (std::size_t at = channel; at < p_.columns.period; at += p_.lanes.size()) {
      if (at % kRescaleColumnGrain == 0) return at;
    }
    return channel;
  }

  // At most a unit, filled up with what is neither unpredictable nor saturated.
  void Part(std::size_t at, std::size_t n) {
    alignas(64) std::array<std::byte, 8 * kUnit + 4> in;
    alignas(64) std::array<std::byte, 4 * kUnit> out;
    WithWord(p_.source->storage_bits, [&](auto word) {
      const auto fill = static_cast<decltype(word)>(p_.rules.input_zp);
      for (std::size_t i = n; i < kUnit; ++i) StoreWord(in.data(), i, fill);
    });
    std::memcpy(in.data(), range_.in + at * in_size_, n * in_size_);
    if (Convert(in.data(), out.data(), at, kUnit)) {
      std::memcpy(range_.out + at * out_size_, out.data(), n * out_size_);
    } else {
      RescaleByReference(p_, range_, at, n, tally_);
    }
  }

  const RescaleParams& p_;
  const RescaleRange& range_;
  RescaleTally& tally_;
  UnitsFunction units_;
  bool staged_;
  bool stream_ = false;
  std::size_t in_size_;
  std::size_t out_size_;
};

void Run(const RescaleParams& p, const RescaleRange& range, RescaleTally& tally) {
  Runner(p, range, tally).Run();
}

#else

void Run(const RescaleParams& p, const RescaleRange& range, RescaleTally& tally) {
  kRescalePortable.run(p, range, tally);
}

#endif

const char* Target() { return hwy::TargetName(HWY_TARGET); }

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(Run);
HWY_EXPORT(Target);

bool Accepts(const RescaleParams& p) {
  return p.columns.scaling != RescaleScaling::kNone && !p.rules.clip_takes_unsigned &&
         p.rules.output == RangeOf(*p.target);
}

void RunBest(const RescaleParams& p, const RescaleRange& range, RescaleTally& tally) {
  HWY_DYNAMIC_DISPATCH(Run)(p, range, tally);
}

}  // namespace

const RescaleKernel kRescaleVector = {"vector", Accepts, RunBest};

std::string_view RescaleCpuTarget() { return HWY_DYNAMIC_DISPATCH(Target)(); }

}  // namespace exactcast
#endif
