// SPDX-License-Identifier: Apache-2.0
//
// Two arrays read side by side, whatever files they lie in: how far they agree, or, being of different
// formats, how far one stands for the other.
#ifndef EXACTCAST_SRC_COMPARE_ARRAYS_H_
#define EXACTCAST_SRC_COMPARE_ARRAYS_H_

#include <optional>
#include <string>

#include "exactcast/compare.h"
#include "exactcast/statistics.h"
#include "exactcast/status.h"
#include "src/containers/container_row.h"
#include "src/containers/input_file.h"
#include "src/difference_tally.h"
#include "src/judge.h"

namespace exactcast {

struct ArraySide {
  std::string name;  // in messages
  InputFile* file = nullptr;
  const InputLayout* layout = nullptr;
};

// Of one format and shape. `origin` and `judge`: what both were made from, and who judges them; or null.
Result<CompareResult> CompareArrays(const CompareRequest& request,
                                    const std::optional<NearEnough>& near, const ArraySide& a,
                                    const ArraySide& b, const ArraySide* origin,
                                    const Judge* judge);

// Of one shape: the errors of `a` where `b` is taken to be right. kUnsupported where one is complex and
// the other is not.
Result<Statistics> MeasureArrays(const ArraySide& a, const ArraySide& b);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_COMPARE_ARRAYS_H_
