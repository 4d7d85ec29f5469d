// SPDX-License-Identifier: Apache-2.0
//
// The kernels that call the scalar reference for every element: `reference`, which accepts
// everything, and `copy`, a format to itself, which moves the bytes and only looks for NaN.
#include <algorithm>

#include "src/kernels/kernels.h"
#include "src/kernels/words.h"

namespace exactcast {
namespace {

bool AcceptsAll(const Params&) { return true; }

bool AcceptsCopy(const Params& p) {
  const Format& f = *p.source;
  return p.operation == Operation::kConvert && f.id == p.target->id && f.bits == f.storage_bits;
}

void PrepareNothing(const Params&, std::uint64_t) {}

void RunReference(const Params& p, const std::byte* in, std::byte* out, std::uint64_t first,
                  std::size_t n, Tally& tally) {
  WithWord(p.source->storage_bits, [&](auto source_word) {
    WithWord(p.target->storage_bits, [&](auto target_word) {
      using Source = decltype(source_word);
      using Target = decltype(target_word);
      for (std::size_t i = 0; i < n; ++i) {
        const CastResult r = CastElement(p, LoadWord<Source>(in, i), first + i);
        StoreWord(out, i, static_cast<Target>(r.bits));
        ++tally[static_cast<std::size_t>(r.outcome)];
      }
    });
  });
}

void RunCopy(const Params& p, const std::byte* in, std::byte* out, std::uint64_t, std::size_t n,
             Tally& tally) {
  std::copy_n(in, n * static_cast<std::size_t>(p.source->storage_bits) / 8, out);
  std::uint64_t nan = 0;
  if (HasNan(*p.source)) {
    WithWord(p.source->storage_bits, [&](auto word) {
      for (std::size_t i = 0; i < n; ++i) {
        nan += Decode(LoadWord<decltype(word)>(in, i), *p.source).cls == Class::kNan ? 1 : 0;
      }
    });
  }
  tally[static_cast<std::size_t>(Outcome::kNan)] += nan;
  tally[static_cast<std::size_t>(Outcome::kExact)] += n - nan;
}

}  // namespace

const KernelRow kCopyKernel = {"copy", AcceptsCopy, PrepareNothing, RunCopy};
const KernelRow kReferenceKernel = {"reference", AcceptsAll, PrepareNothing, RunReference};

}  // namespace exactcast
