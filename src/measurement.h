// SPDX-License-Identifier: Apache-2.0
//
// Collecting the statistics of one tensor from pieces that come in any order, from any thread.
#ifndef EXACTCAST_SRC_MEASUREMENT_H_
#define EXACTCAST_SRC_MEASUREMENT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/statistics.h"
#include "exactcast/status.h"
#include "src/kernels/measure.h"

namespace exactcast {

class Measurement {
 public:
  // Of what `plan` does. kUnsupported: from complex to real numbers, whose parts are no pairs.
  static Result<std::unique_ptr<Measurement>> Of(const Plan& plan);
  // Of an array as it is.
  static Result<std::unique_ptr<Measurement>> Of(const Format& format, Packing packing);

  // Of any two arrays, the second of which stands for the first.
  static Result<std::unique_ptr<Measurement>> Between(const Format& from, Packing from_packing,
                                                      const Format& to, Packing to_packing);

  // `count` elements from `first` on, a multiple of kMeasureBlock, which all but the last pieces end at.
  void Add(std::uint64_t first, std::size_t count, const std::byte* source,
           const std::byte* result);

  // Once all pieces are there.
  [[nodiscard]] Statistics Take();

 private:
  struct Side {
    const Format* format = nullptr;  // of the elements, or their parts
    Packing packing = Packing::kUnpacked;
    std::optional<Plan> decode;   // nothing: they are floats, or doubles, as they stand
    std::optional<Plan> shorten;  // before that, to bfloat16: tables of two bytes are quicker
  };
  using Sums = std::array<double, 5>;

  Measurement() = default;
  static Result<std::unique_ptr<Measurement>> Make(const Format& from, Packing from_packing,
                                                   const Format& to, Packing to_packing);
  BlockMeasure MeasureCounting(const float* x, const float* y, std::size_t n,
                               ExponentCounts* exponents) const;
  BlockMeasure MeasureCounting(const double* x, const double* y, std::size_t n,
                               ExponentCounts* exponents) const;
  double LargestError();
  template <typename Float>
  void AddAs(std::uint64_t first, std::size_t count, const std::byte* source,
             const std::byte* result);
  void Merge(std::uint64_t first, std::vector<Sums> sums, const Statistics& piece,
             const ExponentCounts& exponents, std::size_t fields);

  // Of sources: float64 alone has lower ones, or can be subnormal in it.
  [[nodiscard]] int LeastExponent() const {
    return source_.format->id == FormatId::kFloat64 ? -1023 : -127;
  }

  Side source_;
  Side result_;
  std::size_t parts_ = 1;
  bool as_it_is_ = false;  // the results are the sources
  bool of_cast_ = true;    // the results are what casting makes of them
  bool wide_ = false;      // by way of double
  Units units_;

  std::mutex mutex_;  // of what follows
  Statistics total_;
  std::uint64_t next_ = 0;                              // the block whose sums come next
  std::map<std::uint64_t, std::vector<Sums>> waiting_;  // by first block
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_MEASUREMENT_H_
