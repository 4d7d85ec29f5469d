// SPDX-License-Identifier: Apache-2.0
//
// Test data for somebody else's kernel: inputs that reach every case that a cast of a pair of
// formats tells apart, and what the cast makes of them.
#ifndef EXACTCAST_VECTORS_H_
#define EXACTCAST_VECTORS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"
#include "exactcast/status.h"

namespace exactcast {

struct VectorOptions {
  std::uint64_t count = 1024;  // random elements
  std::uint64_t seed = 1;
};

struct Vectors {
  std::vector<std::uint64_t> words;  // of complex elements the real and then the imaginary part
  std::uint64_t elements = 0;
  std::uint64_t random = 0;   // how many of them, the last ones, are random
  std::uint64_t filling = 0;  // how many of those were not asked for and fill bytes
};

// Elements of `from` for casts to `to`, both being formats that can be cast; always the same ones
// for the same arguments.
//
// A source of at most 16 bits: every code, in order, and nothing else. A wider source:
//   - every rounding class, in order of the codes: sign x exponent x kept part (0..00, 0..01,
//     1..10, 1..11, 0101.., 0011..) x guard bit x sticky bits (none, the lowest, all), placed at
//     the target's last place there;
//   - the specials among them: zeros, infinities, quiet and signalling NaNs, ends and least values;
//   - the target's boundaries, each with its neighbours in the source: powers of two, the ends of
//     the range and the middle to what follows them, the least value and its half;
//   - `count` random elements, every other one of a magnitude within the target's range.
// A complex source has its part's list with zeros as imaginary parts, then the list beside a
// shuffled copy of itself, then `count` random pairs. Where elements share bytes, up to three
// random elements more make the bytes whole.
Vectors MakeVectors(FormatId from, FormatId to, const VectorOptions& options = {});

struct FileVectorsRequest {
  std::string prefix;  // of the files PREFIX.in.bin and PREFIX.out.bin
  FormatId from = FormatId::kFloat32;
  FormatId to = FormatId::kFloat32;
  // As in CastRequest.
  std::string profile = "exact";
  std::optional<Rounding> rounding = std::nullopt;
  std::optional<Overflow> overflow = std::nullopt;
  std::optional<NanRule> nan = std::nullopt;
  VectorOptions vectors = {};
  bool force = false;  // replace existing files
};

// Both files are raw: formats of 4 and 2 bits are packed.
struct FileVectorsResult {
  std::string input;  // the files that were written
  std::string output;
  std::string profile;
  FormatId from;
  FormatId to;
  Rounding rounding;
  Overflow overflow;
  std::uint64_t elements = 0;
  std::uint64_t random = 0;   // how many of them are random
  std::uint64_t filling = 0;  // how many of those were not asked for and fill bytes
  Counts counts;
};

inline constexpr std::uint64_t kMostRandomVectors = std::uint64_t{1} << 24;

// Writes inputs and outputs as raw files. kUsage, kUnsupported: as MakePlan, and a `count` above
// kMostRandomVectors, a prefix without a name, and two names that lead to one file. kNotWritten:
// one of the files exists or could not be written; then neither appears.
Result<FileVectorsResult> WriteVectors(const FileVectorsRequest& request);

}  // namespace exactcast

#endif  // EXACTCAST_VECTORS_H_
