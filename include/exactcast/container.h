// SPDX-License-Identifier: Apache-2.0
//
// Casting files: .npy, and raw little-endian elements under any other name and on standard streams.
// Output appears only when it is complete. The arrays within are cast.h's matter.
#ifndef EXACTCAST_CONTAINER_H_
#define EXACTCAST_CONTAINER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/spec/reference.h"
#include "exactcast/statistics.h"
#include "exactcast/status.h"

namespace exactcast {

struct ScalarElement {
  FormatId format = FormatId::kFloat32;
  std::uint64_t word = 0;  // of a complex format: the real part; the imaginary part is 0
};

struct FileCastRequest {
  std::string input;   // a path; "-" is standard input, raw
  std::string output;  // a path; "-" is standard output, raw
  FormatId to = FormatId::kFloat32;
  // A scalar: `to` is what aclnn derives for the input's tensor with it, and both are cast to that by
  // profile exact, rint. `strict` asks the same of the scalar.
  std::optional<ScalarElement> derive_with = std::nullopt;
  // Needed for raw input and for .npy files of opaque type.
  std::optional<FormatId> from = std::nullopt;
  // As in CastRequest.
  std::string profile = "exact";
  std::optional<Rounding> rounding = std::nullopt;
  std::optional<Overflow> overflow = std::nullopt;
  std::optional<NanRule> nan = std::nullopt;
  std::optional<Dequantization> dequantization = std::nullopt;
  std::optional<Rounding> float_rounding = std::nullopt;
  bool flush_subnormals = false;
  std::optional<NanToIntegerChoice> nan_to_integer = std::nullopt;
  std::optional<std::vector<std::uint64_t>> shape = std::nullopt;  // of raw input
  bool unpacked = false;  // raw files: formats of 4 and 2 bits are one element a byte
  bool packed = false;    // .npy: 4-bit formats are packed along the last axis, as |u1
  bool strict = false;    // refuse, output untouched, when an element overflowed or a NaN was lost
  bool force = false;     // replace an existing output
  bool sync = true;       // the output is on the disk before it appears
  int threads = 0;        // 0: as many as the process may use
  bool counts = true;     // false: elements are not counted, which is faster; not with `strict`
  bool measure = false;   // statistics of what becomes of the elements; not with dequantization
  // Told of bytes of the input that are done, from any thread; false stops the work, which then
  // fails with kNotWritten.
  std::function<bool(std::uint64_t bytes)> progress = nullptr;
};

// The scalar in a format that was derived, by profile exact, rint.
CastResult CastScalar(const ScalarElement& scalar, FormatId to);

struct FileCastResult {
  std::string profile;
  FormatId from;
  FormatId to;
  Rounding rounding;
  Overflow overflow;
  bool keeps_nan;                    // a NaN of the input comes out as a NaN
  NanToInteger nan_to_integer;       // as in Plan
  bool flushes_subnormals;           //
  bool leaves_choices;               //
  std::vector<std::uint64_t> shape;  // of the logical tensor
  std::uint64_t elements = 0;
  bool counted = true;  // as `counts` of the request; if not, they are zeros
  Counts counts;
  Statistics statistics;              // if the request wants them measured
  std::vector<std::string> warnings;  // one line each: trailing bytes, bool bytes above 1, ...
  // The elements went to what is open as standard output, by whatever name: print nothing there.
  bool output_is_standard_output = false;
};

// kUsage, kUnsupported: as MakePlan, and what is wrong with the request. kBadInput: the input
// cannot be read, is malformed, or `strict` refuses it. kNotWritten: the output exists, or could
// not be written. On failure the output is as it was.
Result<FileCastResult> CastFile(const FileCastRequest& request);

// The plan that CastFile would run; refuses what it would refuse before it creates the output, and
// writes nothing. Without `input` and `output`: from the request alone, which then says `from`.
Result<Plan> PlanFile(const FileCastRequest& request);

}  // namespace exactcast

#endif  // EXACTCAST_CONTAINER_H_
