// SPDX-License-Identifier: Apache-2.0
//
// Which names are refused, as member_name.h says.
#include "src/containers/member_name.h"

#include <fmt/format.h>

#include "src/containers/descriptor.h"

namespace exactcast {
namespace {

// Why it is refused; empty: it is not.
std::string_view Fault(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (name.find('\0') != std::string_view::npos) return "it has a zero byte";
  if (name.find('\\') != std::string_view::npos) return "it has a backslash";
  if (name.starts_with('/')) return "it is absolute";
  const char first = name.front();
  const bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  if (letter && name.size() > 1 && name[1] == ':') return "it begins with a drive letter";
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    if (part == "..") return "it leads out of its folder";
    name.remove_prefix(std::min(name.size(), part.size() + 1));
  }
  return "";
}

Status Refuse(std::string_view name, std::string_view fault) {
  if (fault.empty()) return {};
  return BadInput(fmt::format("the name '{}' is refused: {}", Printable(name), fault));
}

}  // namespace

Status CheckMemberName(std::string_view name) { return Refuse(name, Fault(name)); }

Status CheckShardName(std::string_view name) {
  std::string_view fault = Fault(name);
  if (fault.empty() && name.find('/') != std::string_view::npos) {
    fault = "a shard lies beside its index, in no other folder";
  }
  if (fault.empty() && name == ".") fault = "it is no file";
  return Refuse(name, fault);
}

}  // namespace exactcast
