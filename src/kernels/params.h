// SPDX-License-Identifier: Apache-2.0
//
// What a kernel is told: scalar formats, mode and rules, no names of vendors. Complex and packed
// arrays are taken apart before a kernel sees them: it reads and writes one code per storage word.
#ifndef EXACTCAST_SRC_KERNELS_PARAMS_H_
#define EXACTCAST_SRC_KERNELS_PARAMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "exactcast/spec/format.h"
#include "exactcast/spec/reference.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"
#include "exactcast/spec/scaled.h"
#include "src/kernels/encoding.h"

namespace exactcast {

// How many elements fell into each class of Outcome.
using Tally = std::array<std::uint64_t, 5>;

// The results of every code of 8 bits, filled on the first run and kept with the plan.
struct CodeTable {
  // Bit h of row l says whether code 16 h + l is in the set.
  struct CodeSet {
    std::array<std::uint16_t, 16> rows = {};
    bool is_empty = true;
  };
  std::once_flag once;
  std::array<std::uint64_t, 256> results = {};
  // The results byte by byte, for targets of up to four bytes.
  alignas(16) std::array<std::array<std::uint8_t, 256>, 4> bytes = {};
  std::array<CodeSet, std::tuple_size_v<Tally>> sets = {};  // by Outcome
  // How many rows of 16 results a lookup chooses among: 1 for codes of at most 4 bits, 8 where the
  // results of the codes with the top bit are those without, turned by `turn` (0x80 apart: -0 or
  // NaN), else 16.
  int rows = 16;
  std::uint64_t turn = 0;
  bool upper_half_only = false;  // results of 32 bits: the lower 16 are always zero
};

struct Params {
  const Format* source = nullptr;
  const Format* target = nullptr;
  Operation operation = Operation::kConvert;
  Rounding rounding = Rounding::kTiesToEven;
  Rules rules;
  Encoding encoding;                  // the above as constants; scaled to float16: from float32
  std::vector<std::uint32_t> scales;  // scaled operations: 1 or 16, used in turn
  std::vector<std::int32_t> offsets;
  std::unique_ptr<CodeTable> table;  // sources of 8 bits
};

// The reference for one element; `index` counts from the start of the tensor.
inline CastResult CastElement(const Params& p, std::uint64_t word, std::uint64_t index) {
  switch (p.operation) {
    case Operation::kConvert:
      return Cast(word, *p.source, *p.target, p.rounding, p.rules);
    case Operation::kRoundToIntegral:
      return RoundToIntegral(word, *p.target, p.rounding);
    case Operation::kScaleToFloat16:
      return ScaleToFloat16(word, p.scales[0], p.rules);
    case Operation::kScaleToInt8:
      return ScaleToInt8(word, p.scales[index % p.scales.size()],
                         p.offsets[index % p.offsets.size()], *p.target);
  }
  return {};
}

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_PARAMS_H_
