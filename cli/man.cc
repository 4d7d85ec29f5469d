// SPDX-License-Identifier: Apache-2.0
//
// The man page, from the sub-commands and their options.
#include <fmt/format.h>

#include <string>

#include "cli/app.h"
#include "exactcast/version.h"

namespace exactcast::cli {
namespace {

// For roff: a backslash and a hyphen mean something, and so does a dot or a quote that begins a line.
std::string Roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

bool IsFlag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

std::string Options(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name =
        option->get_positional() ? option->get_name(true) : option->get_name(false, true);
    const std::string value = option->get_positional() || IsFlag(*option) ? "" : " \\fIvalue\\fR";
    text +=
        fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", Roff(name), value, Roff(option->get_description()));
  }
  return text;
}

constexpr const char* kExamples = R"(.SH EXAMPLES
.nf
exactcast cast input_x.bin golden.bin \-\-from float32 \-\-to hifloat8 \-\-profile ascend950 \-\-round hybrid
exactcast cast weights.npy packed.npy \-\-to float4_e2m1fn \-\-packed \-\-strict
exactcast explain 2.5 \-\-to float4_e2m1fn \-\-round all
exactcast derive \-\-tensor bool \-\-scalar float32
exactcast compare device.bin golden.bin \-\-format hifloat8
.fi
)";

}  // namespace

std::string ManPage() {
  const std::unique_ptr<CommandLine> line = MakeCommandLine();
  std::string page = fmt::format(
      ".TH EXACTCAST 1 \"\" \"exactcast {}\"\n.SH NAME\nexactcast \\- cast tensors between number "
      "formats, bit for bit\n"
      ".SH SYNOPSIS\n\\fBexactcast\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n.SH DESCRIPTION\n{}\n.SH "
      "COMMANDS\n",
      kVersion, Roff(line->app.get_description()));
  for (const auto& [sub, run] : line->commands) {
    page += fmt::format(".SS exactcast {}\n{}.\n{}", sub->get_name(), Roff(sub->get_description()),
                        Options(*sub));
  }
  page += kExamples;
  page += fmt::format(".SH EXIT STATUS\n{}\n", Roff(line->app.get_footer()));
  return page;
}

}  // namespace exactcast::cli
