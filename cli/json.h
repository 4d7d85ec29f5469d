// SPDX-License-Identifier: Apache-2.0
//
// What every sub-command's --json prints with.
#ifndef EXACTCAST_CLI_JSON_H_
#define EXACTCAST_CLI_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

namespace exactcast::cli {

// One line. A file's name need not be UTF-8: what is not is replaced.
inline std::string JsonLine(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_JSON_H_
