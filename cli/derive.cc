// SPDX-License-Identifier: Apache-2.0
//
// exactcast derive: the type of an operation on several operands, by one system or by all side by
// side. Whole tables are derive_tables.cc.
#include "exactcast/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/derive.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/page.h"
#include "exactcast/names.h"

namespace exactcast::cli {

std::string_view KindName(OperandKind kind) {
  return kind == OperandKind::kTensor   ? "tensor"
         : kind == OperandKind::kScalar ? "scalar"
                                        : "python";
}

std::string TypeName(const Operand& operand) {
  return Name(operand).substr(KindName(operand.kind).size() + 1);
}

std::vector<SystemAnswer> AskAll(const DeriveRequest& request,
                                 const std::vector<Operand>& operands) {
  const auto ask = [&](const DerivationSystem& system) {
    return Derive(system.name, operands, request.options);
  };
  const auto word = [](const Result<Derived>& d) { return d.ok() ? Name(d->type) : "x"; };
  const Result<Derived> base = ask(*request.system);
  std::vector<SystemAnswer> answers;
  for (const DerivationSystem& system : kDerivationSystems) {
    SystemAnswer answer = {&system, ask(system), false};
    answer.differs = word(answer.derived) != word(base);
    answers.push_back(std::move(answer));
  }
  return answers;
}

namespace {

using Json = nlohmann::ordered_json;

struct DeriveWords {
  std::vector<std::pair<OperandKind, std::string>> operands;  // in the order of the command line
  std::string profile = "aclnn";
  std::optional<std::string> default_dtype;
  std::optional<std::string> x64;
  std::optional<std::string> out;
  bool table = false;
  bool all = false;
  bool json = false;
};

bool IsAclnn(const DerivationSystem& system) { return system.pairwise; }

Result<Operand> ParseOperand(OperandKind kind, const std::string& word) {
  if (kind == OperandKind::kPython) {
    const Result<Weak> weak = ParsePythonNumber(word);
    if (!weak.ok()) return weak.status();
    return Operand{kind, *weak};
  }
  const Result<NumberType> type = ParseNumberType(word);
  if (!type.ok()) return type.status();
  return Operand{kind, *type};
}

// Options that belong to one system, and modes that exclude each other.
Status CheckWords(const DeriveWords& w, const DerivationSystem& system) {
  if (w.default_dtype && system.name != "torch" && !w.all) {
    return UsageError("--default-dtype is an option of --profile torch");
  }
  if (w.x64 && system.name != "jax" && !w.all) {
    return UsageError("--x64 is an option of --profile jax");
  }
  if (w.out && (!IsAclnn(system) || w.all || w.table)) {
    return UsageError(
        "--out is aclnn's output conversion: it goes with operands and --profile aclnn or "
        "aclnn-code");
  }
  if (w.table && !w.operands.empty()) {
    return UsageError("--table prints whole tables: leave --tensor, --scalar and --python out");
  }
  if (!w.table && w.operands.size() < 2) {
    return UsageError(
        "derive takes at least two operands, such as --tensor int32 --scalar float32");
  }
  return {};
}

Result<FormatId> ParseDefault(const std::string& word) {
  const Result<FormatId> format = ParseFormat(word);
  if (!format.ok()) return format.status();
  if (derivation::Contains(derivation::torch::kDefaults, *format)) return *format;
  return UsageError(
      fmt::format("--default-dtype {}: torch takes float32, float16, float64 and bfloat16",
                  GetFormat(*format).name));
}

Result<bool> ParseX64(const std::string& word) {
  if (word == "on" || word == "off") return word == "on";
  return UsageError(fmt::format("--x64 is on or off, not '{}'", word));
}

// Words that mean nothing are told before words that do not go together.
Result<DeriveRequest> ParseRequest(const DeriveWords& w) {
  DeriveRequest request;
  const Result<const DerivationSystem*> system = ParseDerivationSystem(w.profile);
  if (!system.ok()) return system.status();
  request.system = *system;
  for (const auto& [kind, word] : w.operands) {
    const Result<Operand> operand = ParseOperand(kind, word);
    if (!operand.ok()) return operand.status();
    request.operands.push_back(*operand);
  }
  for (const Status& status :
       {Fill<FormatId>(w.default_dtype, request.options.default_dtype, ParseDefault),
        Fill<bool>(w.x64, request.options.x64, ParseX64),
        Fill<FormatId>(w.out, request.out, ParseFormat), CheckWords(w, **system)}) {
    if (!status.ok()) return status;
  }
  return request;
}

// --- one system ---------------------------------------------------------------------------------

std::string TypeText(const Derived& d) {
  if (d.type.weak == Weak::kNone) return std::string(Name(d.type));
  return fmt::format("{} (weak, held as {})", Name(d.type), GetFormat(d.storage).name);
}

std::string OperandLine(const DerivedOperand& o, const Derived& derived) {
  const std::string_view type = Name(derived.type);
  const std::string name = Name(o.operand);
  const std::string loss =
      !o.lost ? "exactly"
      : !o.raises.empty()
          ? fmt::format("{} for values that do not fit, {} for one", o.raises, *o.lost)
          : fmt::format("loses values, {} for one", *o.lost);
  if (!o.converted && o.lost) return fmt::format("{}: keeps its type, but {}", name, loss);
  if (!o.converted) return fmt::format("{}: not converted", name);
  return fmt::format("{}: converted to {}, {}", name, type, loss);
}

Json OperandJson(const DerivedOperand& o) {
  Json json = {{"kind", KindName(o.operand.kind)},
               {"type", TypeName(o.operand)},
               {"converted", o.converted},
               {"loses_values", o.lost && o.raises.empty()}};
  if (o.lost) json[o.raises.empty() ? "lost_value" : "refused_value"] = *o.lost;
  if (!o.raises.empty()) json["raises"] = o.raises;
  return json;
}

Json ToJson(const DerivationSystem& system, const Derived& d) {
  Json json = {{"profile", system.name},
               {"derived", Name(d.type)},
               {"weak", d.type.weak != Weak::kNone},
               {"held_as", GetFormat(d.storage).name},
               {"operands", Json::array()}};
  for (const DerivedOperand& operand : d.operands) json["operands"].push_back(OperandJson(operand));
  for (const NumberType& step : d.steps) json["steps"].push_back(Name(step));
  json["rule"] = d.rule;
  if (!d.irregular.empty()) json["irregular"] = d.irregular;
  return json;
}

std::string ToText(const DerivationSystem& system, const Derived& d) {
  std::string text = TypeText(d) + "\n";
  for (const DerivedOperand& operand : d.operands) {
    text += fmt::format("  {}\n", OperandLine(operand, d));
  }
  if (!d.steps.empty()) {
    std::vector<std::string_view> names;
    for (const NumberType& step : d.steps) names.push_back(Name(step));
    text += fmt::format("  from left to right: {}\n", WordList(names, "then"));
  }
  text += fmt::format("rule ({}): {}\n", system.name, d.rule);
  if (!d.irregular.empty()) text += fmt::format("note: {}\n", d.irregular);
  return text;
}

Status RunOne(const DeriveRequest& request, bool json) {
  const DerivationSystem& system = *request.system;
  const Result<Derived> derived = Derive(system.name, request.operands, request.options);
  if (!derived.ok()) return derived.status();
  Json object = ToJson(system, *derived);
  std::string text = ToText(system, *derived);
  if (request.out) {
    const Result<OutputConversion> output = ConvertsToOutput(derived->type.format, *request.out);
    if (!output.ok()) return output.status();
    const std::string_view name = GetFormat(*request.out).name;
    const auto may = [](bool yes) { return yes ? "may be written" : "may not be written"; };
    text += fmt::format("output {}: {} by the published rule, {} by the coded rule\n", name,
                        may(output->published), may(output->coded));
    object["output"] = {{"type", name}, {"published", output->published}, {"coded", output->coded}};
  }
  return Print(json ? JsonLine(object) : text);
}

// --- all systems side by side -------------------------------------------------------------------

// `text` beside `label`, wrapped at blanks; lines after the first are indented.
std::string Beside(const std::string& label, std::size_t indent, std::string_view text) {
  std::string lines = fmt::format("{:<{}}", label, indent);
  for (const std::size_t width = kWidth - indent; text.size() > width;) {
    std::size_t cut = text.rfind(' ', width);
    if (cut == std::string_view::npos) cut = text.find(' ');  // a word longer than a line
    if (cut == std::string_view::npos) break;
    lines += fmt::format("{}\n{:<{}}", text.substr(0, cut), "", indent);
    text.remove_prefix(cut + 1);
  }
  return fmt::format("{}{}\n", lines, text);
}

// The reasons of the systems without an answer, numbered from 1; the same reason once.
using Reasons = std::vector<std::string>;

std::size_t NumberOf(const std::string& reason, Reasons& reasons) {
  const auto found = std::find(reasons.begin(), reasons.end(), reason);
  const auto number = static_cast<std::size_t>(found - reasons.begin()) + 1;
  if (found == reasons.end()) reasons.push_back(reason);
  return number;
}

constexpr std::string_view kAnswerLine = "{:<11} {:<16} ";
constexpr std::size_t kAnswerIndent = 11 + 1 + 16 + 1;

// One line an operand.
std::string AnswerText(const SystemAnswer& answer, Reasons& reasons) {
  const auto& [system, derived, differs] = answer;
  const std::string_view word = derived.ok() ? Name(derived->type) : "x";
  std::string label =
      fmt::format(kAnswerLine, system->name, fmt::format("{}{}", word, differs ? "*" : ""));
  if (!derived.ok()) {
    return fmt::format("{}[{}]\n", label, NumberOf(derived.status().message(), reasons));
  }
  std::string text;
  for (const DerivedOperand& operand : derived->operands) {
    text += Beside(label, kAnswerIndent, OperandLine(operand, *derived));
    label.clear();
  }
  return text;
}

Json AnswerJson(const SystemAnswer& answer) {
  Json json = answer.derived.ok() ? ToJson(*answer.system, *answer.derived)
                                  : Json{{"profile", answer.system->name},
                                         {"derived", nullptr},
                                         {"reason", answer.derived.status().message()}};
  json["differs"] = answer.differs;
  return json;
}

Status RunAll(const DeriveRequest& request, bool json) {
  const std::vector<SystemAnswer> answers = AskAll(request, request.operands);
  if (std::none_of(answers.begin(), answers.end(),
                   [](const SystemAnswer& answer) { return answer.derived.ok(); })) {
    return answers.front().derived.status();
  }
  Json array = Json::array();
  Reasons reasons;
  std::string text = fmt::format(kAnswerLine, "profile", "derived") + "operands\n";
  for (const SystemAnswer& answer : answers) {
    array.push_back(AnswerJson(answer));
    text += AnswerText(answer, reasons);
  }
  text += fmt::format("* differs from {}; x: no type\n", request.system->name);
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    text += Beside(fmt::format("[{}]", i + 1), 4, reasons[i]);
  }
  return Print(json ? JsonLine(array) : text);
}

Status RunDerive(const DeriveWords& words) {
  const Result<DeriveRequest> request = ParseRequest(words);
  if (!request.ok()) return request.status();
  if (words.table) {
    return words.all ? RunTableOfAll(*request, words.json) : RunTable(*request, words.json);
  }
  return words.all ? RunAll(*request, words.json) : RunOne(*request, words.json);
}

// The operands in the order in which the options stood.
std::vector<std::pair<OperandKind, std::string>> InOrder(
    const CLI::App& app, const std::vector<std::pair<const CLI::Option*, OperandKind>>& options) {
  std::map<const CLI::Option*, std::size_t> used;
  std::vector<std::pair<OperandKind, std::string>> operands;
  for (const CLI::Option* parsed : app.parse_order()) {
    for (const auto& [option, kind] : options) {
      if (option == parsed) operands.emplace_back(kind, option->results()[used[option]++]);
    }
  }
  return operands;
}

}  // namespace

Runner AddDerive(CLI::App& app) {
  auto w = std::make_shared<DeriveWords>();
  auto ignored = std::make_shared<std::vector<std::string>>();
  std::vector<std::pair<const CLI::Option*, OperandKind>> options;
  const auto operand = [&](const char* name, OperandKind kind, const char* help) {
    options.emplace_back(app.add_option(name, *ignored, help)->allow_extra_args(false), kind);
  };
  operand("--tensor", OperandKind::kTensor, "a tensor of this format; repeatable");
  operand("--scalar", OperandKind::kScalar,
          "a typed scalar (torch: a 0-d tensor) of this format; repeatable");
  operand("--python", OperandKind::kPython, "a Python number: bool, int, float or complex");
  app.add_option(
      "--profile", w->profile,
      "aclnn (default), aclnn-code, torch, numpy or jax; with --all: what the others are "
      "compared with");
  app.add_option("--default-dtype", w->default_dtype, "torch: float32 (default), float64, ...");
  app.add_option("--x64", w->x64, "jax: on or off (default)");
  app.add_option("--out", w->out, "aclnn: whether the derived type may be written to this one");
  app.add_flag("--table", w->table, "print the whole tables of the profile");
  app.add_flag("--all", w->all, "all systems side by side; with --table: every pair of tensors");
  app.add_flag("--json", w->json, "print JSON");
  return [w, ignored, options, &app] {
    w->operands = InOrder(app, options);
    return RunDerive(*w);
  };
}

}  // namespace exactcast::cli
