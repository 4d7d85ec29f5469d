// SPDX-License-Identifier: Apache-2.0
//
// The plans of a run, made once for each pair of formats.
#ifndef EXACTCAST_SRC_TENSORS_PLANS_H_
#define EXACTCAST_SRC_TENSORS_PLANS_H_

#include <map>
#include <tuple>

#include "exactcast/cast.h"
#include "exactcast/container.h"

namespace exactcast {

class Plans {
 public:
  explicit Plans(const FileCastRequest& request) : request_(request) {}

  // By the request's profile and options.
  const Result<Plan>& ForCast(FormatId from, FormatId to, Packing in = Packing::kUnpacked,
                              Packing out = Packing::kUnpacked);
  // From a format to itself, as it is: only the packing changes.
  const Result<Plan>& ForCopy(FormatId format, Packing in, Packing out);

 private:
  using Key = std::tuple<bool, FormatId, FormatId, Packing, Packing>;

  const FileCastRequest& request_;
  std::map<Key, Result<Plan>> plans_;
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_PLANS_H_
