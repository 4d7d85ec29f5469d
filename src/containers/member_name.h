// SPDX-License-Identifier: Apache-2.0
//
// Names in archives and indexes, which come from strangers: none may lead out of the folder that it
// is meant for.
#ifndef EXACTCAST_SRC_CONTAINERS_MEMBER_NAME_H_
#define EXACTCAST_SRC_CONTAINERS_MEMBER_NAME_H_

#include <string_view>

#include "exactcast/status.h"

namespace exactcast {

// kBadInput: empty, absolute, with a part "..", with a backslash, a drive letter or a zero byte.
Status CheckMemberName(std::string_view name);

// The same, and no folder either.
Status CheckShardName(std::string_view name);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_MEMBER_NAME_H_
