// SPDX-License-Identifier: Apache-2.0
//
// What is made from the command's own options: its man page and completions.
#include <string>

#include "cli/app.h"
#include "docs/generate/pages.h"

namespace exactcast::docs {

std::string ManPage(const std::string&) { return cli::ManPage(); }
std::string BashCompletion(const std::string&) { return cli::BashCompletion(); }
std::string ZshCompletion(const std::string&) { return cli::ZshCompletion(); }

}  // namespace exactcast::docs
