// SPDX-License-Identifier: Apache-2.0
//
// Casting arrays: a Plan is made once, which can fail, and run as often as wanted, which cannot:
// every bit pattern has an answer. Files are container.h; the meaning of a single cast is
// spec/reference.h.
//
//   auto plan = exactcast::MakePlan({.from = exactcast::FormatId::kFloat32,
//                                    .to = exactcast::FormatId::kHifloat8,
//                                    .profile = "ascend950"});
//   if (!plan.ok()) return Fail(plan.status().message());
//   exactcast::Counts counts = plan->Run(input, output, elements);
#ifndef EXACTCAST_CAST_H_
#define EXACTCAST_CAST_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/spec/format.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"
#include "exactcast/status.h"

namespace exactcast {

// What becomes of a value that does not fit. Not to saturate is kIeee for a float target, kWrap for
// an integer target.
enum class Overflow : std::uint8_t { kSaturate, kIeee, kWrap };

// How an array holds formats of 4 and 2 bits; without meaning for the others.
enum class Packing : std::uint8_t {
  kUnpacked,  // one element a byte, in its low bits; the others are zero on output
  // Two (four) elements a byte, element 0 in the lowest bits; a last byte that is not full ends in
  // zeros.
  kPacked,
};

// The scaled casts of Ascend C: int32 to float16 (SetDeqScale) and int16 to int8 or uint8
// (CastDequant).
struct Dequantization {
  // SetDeqScale: one, the bits of a float16. CastDequant: 1 or 16, the bits of a float32 (its 13
  // low bits are ignored).
  std::vector<std::uint32_t> scales;
  // CastDequant: empty (0), 1 or 16, each -256 to 255.
  std::vector<std::int32_t> offsets;
};

// A NaN on its way to an integer, where the profile leaves the result open.
struct NanToIntegerChoice {
  NanToInteger result = NanToInteger::kZero;
  // CastFile and Explain refuse such an element with kBadInput; Plan::Run cannot fail and gives the
  // result.
  bool refuse = false;
};

struct CastRequest {
  FormatId from = FormatId::kFloat32;
  FormatId to = FormatId::kFloat32;
  std::string profile = "exact";
  // What is left out takes the profile's default for the pair.
  std::optional<Rounding> rounding = std::nullopt;
  std::optional<Overflow> overflow = std::nullopt;
  std::optional<NanRule> nan = std::nullopt;
  std::optional<Dequantization> dequantization = std::nullopt;
  // Which of the results that the profile permits; for profiles that leave choices (TOSA's) only.
  std::optional<Rounding> float_rounding = std::nullopt;  // kTiesToEven or kTowardZero
  bool flush_subnormals = false;
  std::optional<NanToIntegerChoice> nan_to_integer = std::nullopt;
  Packing input_packing = Packing::kUnpacked;
  Packing output_packing = Packing::kUnpacked;
};

inline constexpr std::uint64_t kNoIndex = ~std::uint64_t{0};

// Every element is in one class, the first that fits: nan (a NaN came in); overflowed (finite or
// infinite and did not fit, whatever was written); underflowed (float target, inexact, result zero
// or subnormal); rounded; exact. From complex to complex every part is counted by itself, so the
// five add up to twice the elements.
struct Counts {
  std::uint64_t exact = 0;
  std::uint64_t rounded = 0;
  std::uint64_t underflowed = 0;
  std::uint64_t overflowed = 0;
  std::uint64_t nan = 0;
  std::uint64_t imaginary_lost = 0;  // complex to real: imaginary parts that were not zero
  // Elements for which the profile permits any result at all; each is in a class above, too.
  std::uint64_t unpredictable = 0;
  std::uint64_t first_unpredictable = kNoIndex;
  // The first element that overflowed, or was a NaN and did not stay one.
  std::uint64_t first_lost = kNoIndex;

  Counts& operator+=(const Counts& other);
  friend bool operator==(const Counts&, const Counts&) = default;
};

// How results reach memory. Past the caches saves reading lines that are about to be written, and
// leaves the caches to others; within them a reader that comes next finds the results there.
enum class Stores {
  kAuto,       // past the caches if source and result together are larger than the last of them
  kCached,     // as any store
  kStreaming,  // past the caches, whatever the size
};

struct RunOptions {
  int threads = 0;  // 0: as many as the process may use
  // Index of element 0 in the whole tensor: first_lost and 16-periodic scales count from there.
  std::uint64_t first = 0;
  bool counts = true;  // false: Run returns zeros, and is faster
  Stores stores = Stores::kAuto;
};

struct PlanState;  // src/plan_state.h

class Plan {
 public:
  [[nodiscard]] const Format& from() const;
  [[nodiscard]] const Format& to() const;
  [[nodiscard]] std::string_view profile() const;
  // The mode in force, the default filled in.
  [[nodiscard]] Rounding rounding() const;
  // The form in force; kIeee for float32 targets of the Ascend profiles, which never saturate.
  [[nodiscard]] Overflow overflow() const;
  // Whether a NaN of the source comes out as a NaN.
  [[nodiscard]] bool keeps_nan() const;
  // What a NaN becomes, the target being an integer.
  [[nodiscard]] NanToInteger nan_to_integer() const;
  // Subnormals become zero: those of the source or the target, as the profile permits.
  [[nodiscard]] bool flushes_subnormals() const;
  // The profile permits sets of results, and counts what is unpredictable.
  [[nodiscard]] bool leaves_choices() const;
  // Which code converts, and on which instruction set ("avx2", ...): the best that the CPU has.
  [[nodiscard]] std::string_view kernel() const;
  [[nodiscard]] std::string_view kernel_description() const;
  [[nodiscard]] static std::string_view cpu_target();
  // Why that one: the faster kernels that do not take the plan, and all instruction sets that the CPU
  // has, best first.
  [[nodiscard]] std::vector<std::string_view> kernels_passed_over() const;
  [[nodiscard]] static std::vector<std::string_view> cpu_targets();

  // Converts `elements` elements. `in` and `out` hold at least InputBytes() and OutputBytes()
  // bytes, do not overlap, and need no alignment; multi-byte elements are little-endian. Safe to
  // call from several threads at once. Strided arrays, and casts in place: CastView (view.h).
  Counts Run(const void* in, void* out, std::size_t elements,
             const RunOptions& options = {}) const noexcept;

  [[nodiscard]] std::size_t InputBytes(std::size_t elements) const;
  [[nodiscard]] std::size_t OutputBytes(std::size_t elements) const;

 private:
  friend Result<Plan> MakePlan(const CastRequest& request);
  friend struct PlanAccess;  // src/plan_state.h
  explicit Plan(std::shared_ptr<const PlanState> state) : state_(std::move(state)) {}
  std::shared_ptr<const PlanState> state_;
};

// kUsage: an unknown profile, an overflow form of the wrong kind of target, a dequantization that
// the pair does not take or lacks, a choice among results with a profile that leaves none. kUnsupported: a pair, mode or form that the profile does not
// have; the message names what there is.
Result<Plan> MakePlan(const CastRequest& request);

// Bytes of `elements` elements in an array.
std::size_t ArrayBytes(const Format& format, Packing packing, std::size_t elements);

}  // namespace exactcast

#endif  // EXACTCAST_CAST_H_
