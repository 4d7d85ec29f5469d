// SPDX-License-Identifier: Apache-2.0
//
// Patterns for tensor names. The library's own: fnmatch(3) goes by the locale.
#ifndef EXACTCAST_SRC_TENSORS_GLOB_H_
#define EXACTCAST_SRC_TENSORS_GLOB_H_

#include <string_view>

#include "exactcast/status.h"

namespace exactcast {

// Whether the whole name matches, as TensorTarget says.
bool MatchesPattern(std::string_view pattern, std::string_view name);

// kUsage: a bracket that is not closed, or nothing in it; nothing at all.
Status CheckPattern(std::string_view pattern);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_GLOB_H_
