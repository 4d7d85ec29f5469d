// SPDX-License-Identifier: Apache-2.0
//
// Comparing two files element by element: how many differ, by how many units in the last place, and
// which differ most. Files are what container.h reads; distances are spec/order.h's.
#ifndef EXACTCAST_COMPARE_H_
#define EXACTCAST_COMPARE_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exactcast/rescale.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/permitted.h"
#include "exactcast/statistics.h"
#include "exactcast/status.h"

namespace exactcast {

// A and B are results of casting one tensor; each of their elements is right when the profile
// permits it for that tensor's element.
struct PermittedRequest {
  std::string profile;
  std::string source;  // a path: the tensor that was cast
  // Needed where `source` does not say it; a raw file has the shape of A.
  std::optional<FormatId> source_format = std::nullopt;
  // They were rescaled, not cast: with these attributes, whose profile and types are filled in.
  std::optional<RescaleRequest> rescale = std::nullopt;
};

struct CompareRequest {
  std::string a;  // a path; "-", for one of the two, is standard input, raw
  std::string b;
  // Needed where neither file says it: a raw file has the format of the other, if that is a .npy.
  std::optional<FormatId> format = std::nullopt;
  // Of raw files; without it a raw file has the shape of the other, if that says one.
  std::optional<std::vector<std::uint64_t>> shape = std::nullopt;
  bool unpacked = false;     // raw files: formats of 4 and 2 bits are one element a byte
  bool packed = false;       // .npy: 4-bit formats are packed along the last axis as |u1
  bool nan_payload = false;  // NaNs with different bits differ
  // What differs in its bits is accepted when it meets one of these. No NaN is.
  std::optional<std::uint64_t> ulp = std::nullopt;  // at most so many units in the last place
  // |a - b| <= atol + rtol * |b|, exactly; numbers as ParseNumber takes them. Given one, the other
  // is 0. Infinities do not meet it.
  std::optional<std::string> atol = std::nullopt;
  std::optional<std::string> rtol = std::nullopt;
  // Decides alone: no tolerance and no nan_payload beside it. What is equal but not permitted
  // differs.
  std::optional<PermittedRequest> permitted = std::nullopt;
};

// What differs in its bits is one of these.
enum class Mismatch : std::uint8_t {
  kNanAgainstNumber,
  kNanBits,  // two NaNs; a mismatch only under CompareRequest::nan_payload
  kNumbers,  // at a distance in units in the last place: 0 for the two zeros
};

struct Difference {
  Mismatch mismatch = Mismatch::kNumbers;
  bool accepted = false;  // by a tolerance, or because both are permitted
  bool imaginary = false;
  std::uint64_t ulp = 0;             // kNumbers
  std::uint64_t index = 0;           // of the element, the last dimension running fastest
  std::vector<std::uint64_t> place;  // the same, an index per dimension
  std::uint64_t a = 0;               // words of the format, or of its part
  std::uint64_t b = 0;
  // With CompareRequest::permitted:
  std::uint64_t source = 0;  // a word of the source's format
  Grounds grounds_a = Grounds::kDefault;
  Grounds grounds_b = Grounds::kDefault;
};

// How many elements are permitted on which grounds.
using GroundsCounts = std::array<std::uint64_t, kGroundsNames.size()>;

// Distances are counted in the ranges 0, 1, 2, 3..4, 5..8, ...: range i ends at 2^(i - 1).
inline constexpr std::size_t kUlpRanges = 66;
constexpr std::size_t UlpRange(std::uint64_t ulp) noexcept {
  return ulp == 0 ? 0 : 1 + static_cast<std::size_t>(std::bit_width(ulp - 1));
}
constexpr std::uint64_t UlpRangeEnd(std::size_t range) noexcept {
  return range == 0                ? 0
         : range == kUlpRanges - 1 ? ~std::uint64_t{0}
                                   : std::uint64_t{1} << (range - 1);
}
constexpr std::uint64_t UlpRangeBegin(std::size_t range) noexcept {
  return range == 0 ? 0 : UlpRangeEnd(range - 1) + 1;
}

// Every part of a complex element counts by itself, so that equal, accepted and differing add up to
// twice the elements; of other formats to the elements.
struct Differences {
  std::uint64_t equal = 0;     // in their bits, or both NaN
  std::uint64_t accepted = 0;  // differ in their bits, and a tolerance or the profile allows it
  std::uint64_t differing = 0;
  // Of what is accepted or differs:
  std::uint64_t nan_against_number = 0;
  std::uint64_t nan_bits = 0;
  std::array<std::uint64_t, kUlpRanges> ulp_ranges = {};
  std::uint64_t largest_ulp = 0;
  GroundsCounts grounds_a = {};  // of all elements, with CompareRequest::permitted
  GroundsCounts grounds_b = {};
  // At most ten: what no tolerance accepts first, NaNs before numbers, then by distance and index.
  std::vector<Difference> worst;
};

struct CompareResult {
  FormatId format = FormatId::kFloat32;
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 0;
  std::optional<FormatId> source_format = std::nullopt;  // with CompareRequest::permitted
  Differences differences;
  std::vector<std::string> warnings;  // one line each

  [[nodiscard]] bool agree() const { return differences.differing == 0; }
};

// Bits outside the code of an element are not compared. kUsage: what is wrong with the request.
// kBadInput: a file that cannot be read or is malformed, or two of different formats or shapes.
// Memory does not grow with the files, unless a stream in Fortran order meets a file in C order.
Result<CompareResult> CompareFiles(const CompareRequest& request);

// ---- files of many tensors ----------------------------------------------------------------------

enum class TensorVerdict : std::uint8_t {
  kAgree,
  kDiffer,
  kOnlyInA,
  kOnlyInB,
  kOtherShape,
  kOtherFormat,  // whatever the numbers
};

struct TensorComparison {
  std::string name;
  TensorVerdict verdict = TensorVerdict::kAgree;
  std::string format_a;  // a format's name, or what the file says where it is none
  std::string format_b;
  std::vector<std::uint64_t> shape_a;
  std::vector<std::uint64_t> shape_b;
  // Where both have one format; of what is no array, bytes as uint8.
  std::optional<FormatId> format = std::nullopt;
  Differences differences;
  // kOtherFormat: errors of A, with B as the source; nothing where there is no number to compare.
  std::optional<Statistics> statistics = std::nullopt;
};

struct TensorsCompareResult {
  std::vector<TensorComparison> tensors;  // those of A in its order, then those only in B
  std::vector<std::string> warnings;

  [[nodiscard]] std::uint64_t Count(TensorVerdict verdict) const;
  [[nodiscard]] bool agree() const { return Count(TensorVerdict::kAgree) == tensors.size(); }
};

// The tensors of two .safetensors, .npz or .gguf files, or checkpoints in shards, by their names; one of
// the two may be a file of one array, which has its file's name. Of the request, `permitted` and `packed`
// are kUsage, and so are `format`, `shape` and `unpacked` without a file of one array.
Result<TensorsCompareResult> CompareTensorFiles(const CompareRequest& request);

}  // namespace exactcast

#endif  // EXACTCAST_COMPARE_H_
