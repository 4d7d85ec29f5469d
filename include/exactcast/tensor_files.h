// SPDX-License-Identifier: Apache-2.0
//
// Casting files of many tensors: .safetensors, .npz, and checkpoints in shards (a folder, or its
// index). Which tensors are cast, and to what, is chosen by their names; the others are kept as they
// are. Files of one array are container.h.
#ifndef EXACTCAST_TENSOR_FILES_H_
#define EXACTCAST_TENSOR_FILES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/container.h"
#include "exactcast/status.h"

namespace exactcast {

// Patterns: * is any text, ? one character, [a-c] and [!a-c] one of them or none of them, all over
// whole names.
struct TensorTarget {
  std::string pattern;
  std::optional<FormatId> to;  // nothing: kept as it is
};

struct TensorProgress {
  std::uint64_t done = 0;  // bytes of the inputs
  std::uint64_t total = 0;
  std::string_view tensor;  // that is being cast; good during the call
};

// Of FileCastRequest holds what is said there; `from` is for raw input and for .npz members of
// opaque type. Without meaning here: derive_with, dequantization and progress.
struct TensorFilesRequest : FileCastRequest {
  // False: `to` is nothing, and only what `targets` names is cast.
  bool has_target = true;
  std::vector<TensorTarget> targets = {};  // the first that matches holds, before all else
  std::vector<std::string> include = {};   // empty: all
  std::vector<std::string> exclude = {};
  bool only_floating = true;    // integers, bool and complex numbers are kept as they are
  bool ignore_scales = false;   // cast scaled tensors as if they were not
  bool skip_unindexed = false;  // leave out tensors that an index does not name
  bool resume = false;          // go on with the shards that an earlier run left
  bool plan_only = false;       // nothing is written
  // Called from any thread; false stops the work, which then fails with kNotWritten.
  std::function<bool(const TensorProgress&)> tensor_progress = nullptr;
};

struct TensorOutcome {
  std::string name;
  std::string file;       // that it is written to, in a folder; else empty
  std::string_view from;  // a number format's name, or what the file says where it is none
  std::string_view to;    // the same as `from` where it is kept
  bool cast = false;
  std::optional<Rounding> rounding;  // the mode, where it is cast
  std::string note;                  // why it is kept, or refused
  Status refusal;                    // of a plan: why the cast will not be done
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 0;
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  Counts counts;          // of a tensor that was cast
  Statistics statistics;  // likewise, if the request wants them measured
};

struct TensorFilesResult {
  std::string profile;
  std::vector<TensorOutcome> tensors;  // in the order of the inputs
  std::uint64_t bytes_before = 0;      // of tensor data
  std::uint64_t bytes_after = 0;
  std::uint64_t files = 0;    // of tensors that were written
  std::uint64_t resumed = 0;  // of them by an earlier run
  bool counted = true;        // as `counts` of the request; if not, they are zeros
  Counts counts;              // first_lost and first_unpredictable have no meaning
  Statistics statistics;      // likewise `worst`
  std::vector<std::string> warnings;
  bool output_is_standard_output = false;  // as in FileCastResult
};

// Whether the names are this function's matter and not CastFile's: one holds many tensors, or the
// input is a folder.
bool AreTensorFiles(const std::string& input, const std::string& output);

// kUsage, kUnsupported, kBadInput, kNotWritten as CastFile. Everything that can be known before
// anything is written is checked before. A plan ends with the refusals in its tensors.
Result<TensorFilesResult> CastTensorFiles(const TensorFilesRequest& request);

// Measures what the request would do, and writes nothing; without a target (`has_target`, `targets`) what
// each selected tensor is as it stands, as `statistics` of a result that is the source. Of files of one
// array, too. The refusals are in the tensors. Without meaning: output, force, resume, sync, measure.
Result<TensorFilesResult> InspectTensorFiles(const TensorFilesRequest& request);

}  // namespace exactcast

#endif  // EXACTCAST_TENSOR_FILES_H_
