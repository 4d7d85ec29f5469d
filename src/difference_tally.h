// SPDX-License-Identifier: Apache-2.0
//
// Words that differ, judged by the tolerances and counted. Where the words come from is
// compare_files.cc's matter.
#ifndef EXACTCAST_SRC_DIFFERENCE_TALLY_H_
#define EXACTCAST_SRC_DIFFERENCE_TALLY_H_

#include <gmpxx.h>

#include <cstdint>
#include <optional>

#include "exactcast/compare.h"
#include "exactcast/spec/format.h"
#include "exactcast/status.h"
#include "src/judge.h"

namespace exactcast {

// |a - b| <= atol + rtol * |b|, without any rounding.
class NearEnough {
 public:
  // Neither is negative.
  NearEnough(const mpq_class& atol, const mpq_class& rtol);

  // Both are finite or zero.
  bool operator()(const Exact& a, const Exact& b);

 private:
  // atol and rtol over one denominator.
  mpz_class atol_, rtol_, denominator_;
  mpz_class distance_, bound_;  // kept between calls for their memory
};

// The `near` of a request; nothing when it gives neither number. kUsage: one is none, or negative.
Result<std::optional<NearEnough>> ParseNearEnough(const CompareRequest& request);

class DifferenceTally {
 public:
  // `part` is a scalar format.
  DifferenceTally(const Format& part, const CompareRequest& request, std::optional<NearEnough> near)
      : part_(part), nan_payload_(request.nan_payload), ulp_(request.ulp), near_(std::move(near)) {}

  void AddEqual(std::uint64_t count) { differences_.equal += count; }
  // Words in the order in which they are stored, `index` being that of the element in that order.
  void Add(std::uint64_t index, bool imaginary, std::uint64_t a, std::uint64_t b);

  // The same of real elements that were made from `source`, judged by the profile alone.
  void AddJudged(std::uint64_t index, std::uint64_t source, std::uint64_t a, std::uint64_t b,
                 const Judge& judge);

  // The indices are as they were given, the places are empty.
  [[nodiscard]] Differences Take() { return std::move(differences_); }

 private:
  [[nodiscard]] bool Accepts(const Exact& a, const Exact& b, std::uint64_t ulp);
  // What differs in its bits, not yet judged.
  [[nodiscard]] Difference Measure(std::uint64_t index, bool imaginary, std::uint64_t a,
                                   std::uint64_t b) const;
  void Count(const Difference& difference);
  void Keep(const Difference& difference);

  const Format& part_;
  bool nan_payload_;
  std::optional<std::uint64_t> ulp_;
  std::optional<NearEnough> near_;
  Differences differences_;
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_DIFFERENCE_TALLY_H_
