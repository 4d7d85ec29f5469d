// SPDX-License-Identifier: Apache-2.0
//
// Kernels of rescaling: arrays of integers, one scale or one per channel. They know rules and
// scales, never where these are from. Which of them a plan takes, and threads, are rescale.cc's
// matter.
#ifndef EXACTCAST_SRC_KERNELS_RESCALE_H_
#define EXACTCAST_SRC_KERNELS_RESCALE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "exactcast/spec/format.h"
#include "exactcast/spec/rescale.h"

namespace exactcast {

// A legal scale as the fast kernels want it: the multiplier as large, and so the shift, as it goes.
struct Lane {
  std::int64_t multiplier = 0;
  std::int64_t round = 0;           // added to the product of a value from 0 up
  std::int64_t round_negative = 0;  // of a value below 0
  int shift = kLeastShift;
  IntegerRange values;  // input less zero point: those whose results are predictable
};

// How the vector kernel scales. Upper: all shifts are above 32, so that the upper half of a product
// is enough. Exact: the one shift is 32. Lower: it is less, so that 32 bits of the shifted sum are.
enum class RescaleScaling : std::uint8_t {
  kNone,
  kOneUpper,
  kOneExact,
  kOneLower,
  kManyUpper,
  kWide32,
  kWide64,
};

// Begins where a vector does.
template <typename T>
struct ColumnAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlign{64};

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlign)); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, kAlign); }
  friend bool operator==(const ColumnAllocator&, const ColumnAllocator&) = default;
};
template <typename T>
using Column = std::vector<T, ColumnAllocator<T>>;

// The lanes as columns, for vectors. They are repeated until an aligned vector begins with the first
// again, unless that is long, and go on with their beginning for kRescaleOverhang elements, so that
// a vector can be loaded anywhere. Only those that the scaling reads are filled.
inline constexpr std::size_t kRescaleOverhang = 68;
inline constexpr std::size_t kRescaleColumnGrain = 16;  // of 32 bits, a vector of 64 bytes
inline constexpr std::size_t kRescaleLongPeriod = 1280;
struct RescaleColumns {
  RescaleScaling scaling = RescaleScaling::kNone;
  bool twice = false;      // the sign of the product decides what is added
  bool checked = false;    // there are inputs whose result is unpredictable
  std::size_t period = 1;  // before the overhang
  Column<std::int32_t> multiplier;
  Column<std::int32_t> next_multiplier;  // of the next channel: loads that cross lines are slow
  Column<std::int32_t> round;            // 2^(shift - 33)
  Column<std::int32_t> high_shift;       // max(shift - 32, 0)
  Column<std::int64_t> multiplier64;
  Column<std::int64_t> round64;
  Column<std::int64_t> round_negative64;
  Column<std::int64_t> low_shift64;  // min(shift, 32)
  // Where `checked`, of the values; a span is the greatest less the least. 64 bits with kWide64.
  Column<std::int32_t> least;
  Column<std::uint32_t> span;
  Column<std::int64_t> least64;
  Column<std::int64_t> span64;
};

struct RescaleParams {
  const Format* source = nullptr;
  const Format* target = nullptr;
  RescaleRules rules;
  std::vector<Scale> scales;  // one, or one per channel; shifts are 1 and up
  std::vector<Lane> lanes;    // of the same channels; empty where only the reference will do
  RescaleColumns columns;     // of the lanes
};

// Fills lanes and columns from the rest.
void PrepareRescale(RescaleParams& params);
// As above where the lanes are there.
void PrepareRescaleColumns(RescaleParams& params);

// Elements that a kernel converts in one call, unaligned and not overlapping.
struct RescaleRange {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::size_t n = 0;
  std::size_t channel = 0;  // of element 0; the next one is of the next, and around
  bool large = false;       // part of an array that no cache holds
};

struct RescaleTally {
  std::uint64_t saturated = 0;
  std::array<std::uint64_t, kUnpredictableReasons> unpredictable = {};
  // The first unpredictable element of the array; as many as there are elements where there is none.
  std::size_t first = 0;
};

struct RescaleKernel {
  std::string_view name;
  bool (*accepts)(const RescaleParams& params);
  // Adds to `tally`, whose `first` is set to `range.n` before.
  void (*run)(const RescaleParams& params, const RescaleRange& range, RescaleTally& tally);
};

// The first that accepts is the one to use; the last accepts everything.
std::span<const RescaleKernel> RescaleKernels();

// What the kernels take their blocks with unpredictable elements to. `begin` is where the block
// starts in the range, `n` its length.
void RescaleByReference(const RescaleParams& params, const RescaleRange& range, std::size_t begin,
                        std::size_t n, RescaleTally& tally);

// A loop over 64-bit integers, for CPUs without vectors and for what no vector code is written for.
extern const RescaleKernel kRescalePortable;
extern const RescaleKernel kRescaleVector;

// The CPU target that the vector kernel runs on, as Highway names it.
std::string_view RescaleCpuTarget();

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_RESCALE_H_
