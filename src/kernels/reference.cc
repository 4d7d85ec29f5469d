// SPDX-License-Identifier: Apache-2.0
//
// The last kernel: the scalar reference for every element. It accepts everything, and is there for
// what no other kernel accepts, which is nothing that a plan can ask for (kernel_proof_test).
#include "src/kernels/kernels.h"
#include "src/kernels/words.h"

namespace exactcast {
namespace {

bool AcceptsAll(const Params&) { return true; }

void RunReference(const Params& p, const std::byte* in, std::byte* out, Place place, std::size_t n,
                  Tally* tally) {
  WithWord(p.source->storage_bits, [&](auto source_word) {
    WithWord(p.target->storage_bits, [&](auto target_word) {
      using Source = decltype(source_word);
      using Target = decltype(target_word);
      for (std::size_t i = 0; i < n; ++i) {
        const CastResult r = CastElement(p, LoadWord<Source>(in, i), place.first + i);
        StoreWord(out, i, static_cast<Target>(r.bits));
        if (tally != nullptr) ++(*tally)[static_cast<std::size_t>(r.outcome)];
      }
    });
  });
}

}  // namespace

const KernelRow kReferenceKernel = {"reference", "element by element", AcceptsAll, PrepareNothing,
                                    RunReference};

}  // namespace exactcast
