// SPDX-License-Identifier: Apache-2.0
//
// What a cast did to a tensor, in numbers: how large the errors are, where the worst is, what fell off
// either end. Counts are exact. Sums are of float64, over blocks of 4,096 elements that are added in
// order: the same for any number of threads and on any CPU, and within n * 2^-52 of the true ones,
// relatively, for n elements. Elements are the parts of complex formats.
#ifndef EXACTCAST_STATISTICS_H_
#define EXACTCAST_STATISTICS_H_

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "exactcast/spec/format.h"
#include "exactcast/status.h"

namespace exactcast {

struct Statistics {
  std::uint64_t elements = 0;

  // The sources as they are.
  std::uint64_t source_nan = 0;
  std::uint64_t source_infinite = 0;
  std::uint64_t source_zero = 0;
  double least = std::numeric_limits<double>::infinity();      // finite values; of none: as here
  double greatest = -std::numeric_limits<double>::infinity();  //
  // Finite sources that are not zero, by exponent e: 2^e <= |x| < 2^(e+1). Subnormal float32 and
  // float64 sources are counted at the least exponent, -127 and -1023.
  std::map<int, std::uint64_t> exponents;

  // What became of them.
  std::uint64_t ties = 0;             // half way between two neighbours within the target's range
  std::uint64_t became_infinite = 0;  // and were finite
  std::uint64_t became_nan = 0;       // and were none
  std::uint64_t became_zero = 0;      // and were not
  std::uint64_t subnormal = 0;        // results: below the target's least normal value

  // Errors, |source - result| of pairs that are both finite. Integers of 64 bits count as the nearest
  // float64.
  std::uint64_t compared = 0;
  double error_sum = 0;
  double squared_error_sum = 0;
  double source_squares = 0;
  double result_squares = 0;
  double products = 0;
  double largest_error = 0;
  double largest_ulp = 0;  // in the target's units in the last place at the source; 0 to bool
  // The first element with that error, in the order of the file; none: kNoWorst.
  std::uint64_t worst = kNoWorst;
  std::uint64_t worst_source = 0;  // words of the formats, or of their parts
  std::uint64_t worst_result = 0;

  static constexpr std::uint64_t kNoWorst = ~std::uint64_t{0};

  // Of nothing, 0 / 0 and the like: NaN, which JSON writes as null.
  [[nodiscard]] double MeanError() const;      // of the compared
  [[nodiscard]] double RelativeError() const;  // Frobenius norm of the error by that of the sources
  [[nodiscard]] double Sqnr() const;           // dB; +infinity without an error
  [[nodiscard]] double Cosine() const;         // between sources and results

  // As if the elements of `other` came next; `worst` keeps its meaning only within one tensor.
  Statistics& operator+=(const Statistics& other);
};

}  // namespace exactcast

#endif  // EXACTCAST_STATISTICS_H_
