// SPDX-License-Identifier: Apache-2.0
//
// Kernels for sources of 8 and 16 storage bits: one table entry per source word, filled by the
// reference. On purpose the only fast kernels that lean on it; their witnesses are the oracle and
// the golden vectors.
#include <new>
#include <utility>

#include "src/kernels/kernels.h"
#include "src/kernels/words.h"

namespace exactcast {
namespace {

// From this many elements on, filling 65,536 entries costs less than it saves.
constexpr std::uint64_t kWorthTable16 = 1 << 16;

bool AcceptsWidth(const Params& p, int storage_bits) {
  return p.operation == Operation::kConvert && p.source->storage_bits == storage_bits;
}
bool AcceptsTable8(const Params& p) { return AcceptsWidth(p, 8); }
bool AcceptsTable16(const Params& p) { return AcceptsWidth(p, 16); }

void Fill(const Params& p) {
  std::call_once(p.table->once, [&] {
    const std::size_t entries = std::size_t{1} << p.source->storage_bits;
    std::vector<std::uint64_t> results;
    std::vector<Outcome> outcomes;
    try {
      results.resize(entries);
      outcomes.resize(entries);
    } catch (const std::bad_alloc&) {
      return;  // the reference serves, slower
    }
    for (std::size_t word = 0; word < entries; ++word) {
      const CastResult r = CastElement(p, word, 0);
      results[word] = r.bits;
      outcomes[word] = r.outcome;
    }
    p.table->results = std::move(results);
    p.table->outcomes = std::move(outcomes);
    p.table->filled.store(true, std::memory_order_release);
  });
}

void PrepareTable8(const Params& p, std::uint64_t) { Fill(p); }
void PrepareTable16(const Params& p, std::uint64_t elements) {
  if (elements >= kWorthTable16) Fill(p);
}

template <typename Source, typename Target>
void LookUp(const CodeTable& table, const std::byte* in, std::byte* out, std::size_t n,
            Tally& tally) {
  const std::uint64_t* results = table.results.data();
  const Outcome* outcomes = table.outcomes.data();
  // Two tallies in turn, so that an increment does not wait for the one before it.
  Tally even{};
  Tally odd{};
  for (std::size_t i = 0; i < n; ++i) {
    const Source word = LoadWord<Source>(in, i);
    StoreWord(out, i, static_cast<Target>(results[word]));
    ++((i & 1) == 0 ? even : odd)[static_cast<std::size_t>(outcomes[word])];
  }
  for (std::size_t k = 0; k < tally.size(); ++k) tally[k] += even[k] + odd[k];
}

template <typename Source>
void RunTable(const Params& p, const std::byte* in, std::byte* out, std::uint64_t first,
              std::size_t n, Tally& tally) {
  if (!p.table->filled.load(std::memory_order_acquire)) {
    return kReferenceKernel.run(p, in, out, first, n, tally);
  }
  WithWord(p.target->storage_bits, [&](auto target_word) {
    LookUp<Source, decltype(target_word)>(*p.table, in, out, n, tally);
  });
}

}  // namespace

const KernelRow kTable8Kernel = {"table8", AcceptsTable8, PrepareTable8, RunTable<std::uint8_t>};
const KernelRow kTable16Kernel = {"table16", AcceptsTable16, PrepareTable16,
                                  RunTable<std::uint16_t>};

}  // namespace exactcast
