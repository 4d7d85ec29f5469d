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
#include <span>
#include <string_view>
#include <vector>

#include "exactcast/spec/format.h"
#include "exactcast/spec/rescale.h"

namespace exactcast {

// A legal scale as the fast kernel wants it.
struct Lane {
  std::int64_t multiplier = 0;
  std::int64_t round = 0;           // added to the product of a value from 0 up
  std::int64_t round_negative = 0;  // of a value below 0
  int shift = kLeastShift;
  IntegerRange values;
};

struct RescaleParams {
  const Format* source = nullptr;
  const Format* target = nullptr;
  RescaleRules rules;
  std::vector<Scale> scales;  // one, or one per channel; shifts are 1 and up
  std::vector<Lane> lanes;    // of the same channels; empty where a scale is not legal
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
  // Element 0 is of channel `channel`, the next one of the next, and around. Adds to `tally`, whose
  // `first` is set to `n` before.
  void (*run)(const RescaleParams& params, const std::byte* in, std::byte* out, std::size_t channel,
              std::size_t n, RescaleTally& tally);
};

// The first that accepts is the one to use; the last accepts everything.
std::span<const RescaleKernel> RescaleKernels();

std::vector<Lane> MakeLanes(const RescaleParams& params);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_KERNELS_RESCALE_H_
