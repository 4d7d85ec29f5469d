// SPDX-License-Identifier: Apache-2.0
//
// Completions for bash and zsh, from the sub-commands, their options, and the names there are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/app.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/profile.h"
#include "exactcast/spec/real_scale.h"

namespace exactcast::cli {
namespace {

using Words = std::vector<std::string_view>;

// What an option takes, where that is a list of names; empty: a file, or anything.
Words ValuesOf(std::string_view option) {
  Words words;
  if (option == "--to" || option == "--from" || option == "--format" || option == "--via" ||
      option == "--tensor" || option == "--scalar" || option == "--out") {
    for (const Format& f : kFormats) words.push_back(f.name);
  } else if (option == "--profile") {
    for (const Profile& p : kProfiles) words.push_back(p.name);
  } else if (option == "--round" || option == "--rounding") {
    for (const RoundingRow& row : kRoundings) words.push_back(row.name);
  } else if (option == "--overflow") {
    words = {"saturate", "ieee", "wrap"};
  } else if (option == "--nan") {
    words = {"keep", "zero"};
  } else if (option == "--float-rounding") {
    words = {"nearest", "zero"};
  } else if (option == "--nan-to-int") {
    words = {"zero", "min", "max", "refuse"};
  } else if (option == "--convention") {
    for (const ScaleConventionRow& row : kScaleConventions) words.push_back(row.name);
  } else if (option == "--python") {
    words = {"bool", "int", "float", "complex"};
  }
  return words;
}

std::vector<std::string> LongNames(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> LongNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : LongNames(*option)) names.push_back(name);
  }
  return names;
}

// "_arguments" specification of one spelling: '--to[format to cast to]:value:(float16 ...)'.
std::string ZshOption(const std::string& name, const CLI::Option& option) {
  std::string description = option.get_description();
  for (const char c : {'\'', '[', ']', ':'})
    std::replace(description.begin(), description.end(), c, ' ');
  std::string text = fmt::format("'{}[{}]", name, description);
  if (option.get_items_expected_max() > 0) {
    const Words values = ValuesOf(name);
    text += values.empty() ? ":value:_files" : fmt::format(":value:({})", fmt::join(values, " "));
  }
  return text + "'";
}

}  // namespace

std::string BashCompletion() {
  const std::unique_ptr<CommandLine> line = MakeCommandLine();
  std::string text =
      "# bash completion for exactcast\n_exactcast() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} names=\"\"\n"
      "  COMPREPLY=()\n  if [[ $COMP_CWORD -eq 1 ]]; then\n";
  text += fmt::format("    names=\"{} --help --version\"\n  else\n    case $before in\n",
                      fmt::join(CommandNames(), " "));
  for (const std::string_view option :
       {"--to", "--profile", "--round", "--overflow", "--nan", "--float-rounding", "--nan-to-int",
        "--python", "--convention"}) {
    const std::string_view also = option == "--to"
                                      ? "|--from|--format|--via|--tensor|--scalar|--out"
                                  : option == "--round" ? "|--rounding"
                                                        : "";
    text += fmt::format("      {}{}) names=\"{}\" ;;\n", option, also,
                        fmt::join(ValuesOf(option), " "));
  }
  text += "      *)\n        [[ $word == -* ]] && case ${COMP_WORDS[1]} in\n";
  for (const auto& [sub, run] : line->commands) {
    text += fmt::format("          {}) names=\"{}\" ;;\n", sub->get_name(),
                        fmt::join(LongNames(*sub), " "));
  }
  return text +
         "        esac ;;\n    esac\n  fi\n"
         "  if [[ -n $names ]]; then\n    mapfile -t COMPREPLY < <(compgen -W \"$names\" -- "
         "\"$word\")\n"
         "  else\n    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n  fi\n}\n"
         "complete -o filenames -F _exactcast exactcast\n";
}

std::string ZshCompletion() {
  const std::unique_ptr<CommandLine> line = MakeCommandLine();
  std::string text =
      "#compdef exactcast\n# zsh completion for exactcast\nif (( CURRENT == 2 )); then\n  _values "
      "command \\\n";
  for (const auto& [sub, run] : line->commands) {
    text += fmt::format("    '{}[{}]' \\\n", sub->get_name(), sub->get_description());
  }
  text +=
      "    && return\nfi\nlocal command=$words[2]\nshift words\n(( CURRENT-- ))\ncase $command "
      "in\n";
  for (const auto& [sub, run] : line->commands) {
    text += fmt::format("  {})\n    _arguments \\\n", sub->get_name());
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : LongNames(*option))
        text += fmt::format("      {} \\\n", ZshOption(name, *option));
    }
    text += "      '*:file:_files' ;;\n";
  }
  return text + "esac\n";
}

}  // namespace exactcast::cli
