// SPDX-License-Identifier: Apache-2.0
//
// The `descr` of a .npy header: which number format it means, and which one is written for a
// format. The header around it is npy.cc's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_NPY_TYPE_H_
#define EXACTCAST_SRC_CONTAINERS_NPY_TYPE_H_

#include <optional>
#include <string>
#include <string_view>

#include "exactcast/spec/format.h"
#include "exactcast/status.h"
#include "src/containers/python_literal.h"

namespace exactcast {

struct NpyType {
  FormatId format = FormatId::kFloat32;
  int opaque_bytes = 0;  // not zero: only the width is known, `format` says nothing
  bool swap_bytes = false;
  std::string text = {};  // as the file has it
};

// kBadInput for what is no number: text, dates, records, objects (never unpickled), long doubles.
Result<NpyType> ReadNpyType(const PythonLiteral& descr);

// The format that the elements are read as, `from` being what the caller said by `option`. It must
// agree with the type; but an opaque type takes any format of its width, integers of 8 and 16 bits
// may hold the bits of another format, and float32 those of tfloat32. kUsage otherwise, naming both
// or the candidates.
Result<FormatId> ChooseFormat(const NpyType& type, std::optional<FormatId> from,
                              std::string_view option);

std::string NpyTypeText(FormatId format);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_NPY_TYPE_H_
