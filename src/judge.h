// SPDX-License-Identifier: Apache-2.0
//
// Whether a profile permits a result for the element that it was made from. A comparison asks a
// judge about every element; each operation that has sets of results has its own judge.
#ifndef EXACTCAST_SRC_JUDGE_H_
#define EXACTCAST_SRC_JUDGE_H_

#include <cstdint>
#include <memory>

#include "exactcast/compare.h"
#include "exactcast/spec/permitted.h"
#include "exactcast/status.h"

namespace exactcast {

class Judge {
 public:
  Judge() = default;
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;
  virtual ~Judge() = default;

  // Words of the source's and the result's format; `index` is that of the element in the order in
  // which the files are read.
  [[nodiscard]] virtual Grounds Ask(std::uint64_t index, std::uint64_t source,
                                    std::uint64_t result) const = 0;
};

// The judge of a plain cast. kUsage: a profile that leaves no choices; else as MakePlan.
Result<std::unique_ptr<const Judge>> MakeCastJudge(const PermittedRequest& request, FormatId from,
                                                   FormatId to);

// The judge of RESCALE: one value, or the interval of inexact rounding. Per channel the index counts
// in C order. Statuses as MakeRescalePlan.
Result<std::unique_ptr<const Judge>> MakeRescaleJudge(const PermittedRequest& request,
                                                      FormatId from, FormatId to);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_JUDGE_H_
