// SPDX-License-Identifier: Apache-2.0
//
// RESCALE of Arm TOSA over arrays and files: a plan is made once, which can fail, and run as often
// as wanted, which cannot. The meaning of a single element is spec/rescale.h, what each version
// allows spec/tosa_rescale.h.
//
//   auto plan = exactcast::MakeRescalePlan({.from = exactcast::FormatId::kInt32,
//                                           .to = exactcast::FormatId::kInt8,
//                                           .multipliers = {1583594044}, .shifts = {40}});
//   if (!plan.ok()) return Fail(plan.status().message());
//   exactcast::RescaleCounts counts = plan->Run(input, output, elements);
#ifndef EXACTCAST_RESCALE_H_
#define EXACTCAST_RESCALE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/rescale.h"
#include "exactcast/spec/tosa_rescale.h"
#include "exactcast/status.h"

namespace exactcast {

struct RescaleRequest {
  std::string profile = "tosa-1.0";
  FormatId from = FormatId::kInt32;
  FormatId to = FormatId::kInt8;
  // One of each; with per_channel as many as the last dimension has.
  std::vector<std::int64_t> multipliers = {};
  std::vector<std::int64_t> shifts = {};
  std::int64_t input_zp = 0;
  std::int64_t output_zp = 0;
  bool scale32 = true;  // the 32-bit multiplier; false: the 16-bit one
  RescaleRounding rounding = RescaleRounding::kSingle;
  bool per_channel = false;
  bool rank_is_zero = false;
  // The letter of the text where it is not what it means; see docs/tosa-rescale.md.
  bool as_printed = false;
};

struct RescaleCounts {
  std::uint64_t elements = 0;
  std::uint64_t saturated = 0;  // predictable, and clipped to the output's range
  // By Unpredictable; that of kNone is 0. Such an element got the formula's result, clipped.
  std::array<std::uint64_t, kUnpredictableReasons> by_reason = {};
  std::uint64_t first_unpredictable = kNoIndex;

  [[nodiscard]] std::uint64_t unpredictable() const;
  RescaleCounts& operator+=(const RescaleCounts& other);
  friend bool operator==(const RescaleCounts&, const RescaleCounts&) = default;
};

struct RescaleRunOptions {
  int threads = 0;          // 0: as many as the process may use
  std::uint64_t first = 0;  // index of element 0 in the whole tensor
  // Elements that follow each other in one channel: 1 in C order; in Fortran order the elements of
  // the tensor by the number of channels.
  std::uint64_t channel_stride = 1;
  Stores stores = Stores::kAuto;
};

// What a target may answer for one input.
struct PermittedResults {
  bool anything = false;  // the result is unpredictable
  IntegerRange range;     // else: one value, or the interval of inexact rounding
};

struct RescaleState;

class RescalePlan {
 public:
  [[nodiscard]] const Format& from() const;
  [[nodiscard]] const Format& to() const;
  [[nodiscard]] const tosa::RescaleVersion& version() const;
  [[nodiscard]] std::string_view profile() const;  // as it was asked for
  [[nodiscard]] const RescaleRules& rules() const;
  [[nodiscard]] const std::vector<Scale>& scales() const;
  [[nodiscard]] std::string_view kernel() const;

  // Rescales `elements` elements. `in` and `out` hold one storage word of from() and to() for each,
  // do not overlap, and need no alignment; int48 lies in 64 bits. Safe from several threads.
  RescaleCounts Run(const void* in, void* out, std::size_t elements,
                    const RescaleRunOptions& options = {}) const noexcept;

  // For the input `x` in channel `channel`.
  [[nodiscard]] PermittedResults Permitted(std::int64_t x, std::size_t channel = 0) const noexcept;
  // The inputs with a predictable result; nothing: none.
  [[nodiscard]] std::optional<IntegerRange> Predictable(std::size_t channel = 0) const noexcept;

 private:
  friend Result<RescalePlan> MakeRescalePlan(const RescaleRequest& request);
  explicit RescalePlan(std::shared_ptr<const RescaleState> state) : state_(std::move(state)) {}
  std::shared_ptr<const RescaleState> state_;
};

// kUsage: an unknown profile; multipliers and shifts that are missing, not as many as each other,
// or do not fit their types. kUnsupported: a pair or rounding that the version does not have, or a
// condition that it says must be an error. kBadInput: a shift below 1.
Result<RescalePlan> MakeRescalePlan(const RescaleRequest& request);

// Every error condition of the version that the request meets, as MakeRescalePlan would word it.
std::vector<std::string> RescaleErrors(const RescaleRequest& request);

// The profiles that rescale the pair, newest last.
std::vector<std::string_view> ProfilesWithPair(FormatId from, FormatId to);

// Two calls that are legal in tosa-1.0 and together do what the request does, for every input whose
// result is predictable (of a 16-bit multiplier: and not within 128 of the ends of int32 before the
// clip). Nothing where there are none, or where the pair itself is legal in tosa-1.0.
std::optional<std::pair<RescaleRequest, RescaleRequest>> TwoLegalSteps(
    const RescaleRequest& request);

std::string_view Name(RescaleRounding rounding);  // "single"
std::string_view Describe(Unpredictable why);     // "value limit"
Result<RescaleRounding> ParseRescaleRounding(std::string_view word);
Result<const tosa::RescaleVersion*> ParseRescaleProfile(std::string_view word);

// ---- files --------------------------------------------------------------------------------------

struct FileRescaleRequest {
  std::string input;   // as FileCastRequest
  std::string output;  // empty: nothing is written
  // `rescale.from` counts where it is set here; else the type of the .npy file says it.
  std::optional<FormatId> from = std::nullopt;
  RescaleRequest rescale;
  std::optional<std::vector<std::uint64_t>> shape = std::nullopt;  // of raw input
  bool compare_roundings = false;  // count what double rounding gives differently
  bool strict = false;             // refuse, output untouched, when a result is unpredictable
  bool force = false;
  int threads = 0;
};

struct FileRescaleResult {
  FormatId from = FormatId::kInt32;
  FormatId to = FormatId::kInt8;
  std::vector<std::uint64_t> shape;
  RescaleCounts counts;
  std::uint64_t differing = 0;  // compare_roundings
  std::uint64_t first_differing = kNoIndex;
  std::vector<std::string> warnings;
  bool output_is_standard_output = false;
};

// As MakeRescalePlan and CastFile. Indices are those of the order in the file.
Result<FileRescaleResult> RescaleFile(const FileRescaleRequest& request);

// The numbers in a file, as text: the elements of a .npy file of integers or floats in C order, or
// words of a text file separated by blanks, line ends or commas. kBadInput: it cannot be read, or
// holds more than 2^24 of them.
Result<std::vector<std::string>> ReadNumbers(const std::string& path);

}  // namespace exactcast

#endif  // EXACTCAST_RESCALE_H_
