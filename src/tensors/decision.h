// SPDX-License-Identifier: Apache-2.0
//
// What becomes of each tensor: cast to a format, kept as it is, or a reason why the whole is
// refused. How it is done is file_job.h's matter.
#ifndef EXACTCAST_SRC_TENSORS_DECISION_H_
#define EXACTCAST_SRC_TENSORS_DECISION_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exactcast/tensor_files.h"
#include "src/containers/tensor_input.h"
#include "src/tensors/plans.h"

namespace exactcast {

constexpr std::string_view kNotSelected = "not selected";  // as a note

struct Decision {
  TensorInput* input = nullptr;
  std::size_t index = 0;  // in the input
  bool cast = false;
  FormatId to = FormatId::kFloat32;
  std::optional<Rounding> rounding;  // where it is cast
  std::string note;                  // why it is kept
  Status refusal;                    // why it cannot be cast

  [[nodiscard]] const StoredTensor& tensor() const { return input->tensors()[index]; }
};

// Patterns, and options that do not go together.
Status CheckSelection(const TensorFilesRequest& request);

// For all tensors, and in their order. Adds to `warnings` what patterns matched nothing.
std::vector<Decision> Decide(const std::vector<TensorInput*>& inputs,
                             const TensorFilesRequest& request, Plans* plans,
                             std::vector<std::string>* warnings);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_DECISION_H_
