// SPDX-License-Identifier: Apache-2.0
//
// Python literals, as far as the header of a .npy file can hold them: strings, integers, True,
// False, None, tuples, lists, dicts. Nothing is ever evaluated. What a header must say is npy.cc's
// matter.
#ifndef EXACTCAST_SRC_CONTAINERS_PYTHON_LITERAL_H_
#define EXACTCAST_SRC_CONTAINERS_PYTHON_LITERAL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/status.h"

namespace exactcast {

struct PythonLiteral {
  enum class Kind : std::uint8_t {
    kString,
    kInteger,  // decimal
    kNumber,   // any other number
    kTrue,
    kFalse,
    kNone,
    kTuple,
    kList,
    kDict,
  };

  Kind kind = Kind::kNone;
  std::string text;  // of a string; of a number, as written, without the L of Python 2
  std::vector<PythonLiteral> items;  // of a dict: key, value, key, value ...
};

// `text` holds one literal and blanks around it. `long_suffix`: integers may end in L, as Python 2
// wrote them. kBadInput names what was expected, and where.
Result<PythonLiteral> ParsePythonLiteral(std::string_view text, bool long_suffix);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_PYTHON_LITERAL_H_
