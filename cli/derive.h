// SPDX-License-Identifier: Apache-2.0
//
// What the two halves of exactcast derive share: the request, and the answers of all systems.
#ifndef EXACTCAST_CLI_DERIVE_H_
#define EXACTCAST_CLI_DERIVE_H_

#include <optional>
#include <string_view>
#include <vector>

#include "exactcast/derive.h"
#include "exactcast/status.h"

namespace exactcast::cli {

struct DeriveRequest {
  const DerivationSystem* system = nullptr;
  std::vector<Operand> operands;
  DeriveOptions options;
  std::optional<FormatId> out;
};

std::string_view KindName(OperandKind kind);   // "tensor", "scalar", "python"
std::string TypeName(const Operand& operand);  // "float32", "int"

struct SystemAnswer {
  const DerivationSystem* system;
  Result<Derived> derived;
  bool differs;  // from the profile that was asked for
};

// Every system's answer for these operands.
std::vector<SystemAnswer> AskAll(const DeriveRequest& request,
                                 const std::vector<Operand>& operands);

// derive_tables.cc: the tables of the system; every pair of tensors in all systems.
Status RunTable(const DeriveRequest& request, bool json);
Status RunTableOfAll(const DeriveRequest& request, bool json);

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_DERIVE_H_
