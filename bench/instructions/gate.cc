// SPDX-License-Identifier: Apache-2.0
//
// Instructions by element, counted by callgrind, against the figures that are committed for this
// compiler, and against limits that no compiler may pass: a kernel that silently gives way to the
// scalar reference fails them. Counts are the same in every run, so there is nothing to wait for
// and nothing to repeat.
//
//   instruction_gate DRIVER BASELINE_FOLDER BUILD_TYPE [--update]
//
// Status: 0 as committed, or better; 1 worse; 77 nothing could be compared, with the reason.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/instructions/sections.h"
#include "bench/instructions/verdict.h"
#include "exactcast/cast.h"

namespace exactcast::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* kCpuTarget = "avx2";
constexpr int kSkipped = 77;

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang";
constexpr int kCompilerVersion = __clang_major__;
#else
constexpr std::string_view kCompiler = "gcc";
constexpr int kCompilerVersion = __GNUC__;
#endif

int Skip(std::string_view why) {
  fmt::print("skipped: {}\n", why);
  return kSkipped;
}

int Run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A folder of one's own, gone at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("exactcast-gate-{}", getpid())) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// The total in callgrind's dump number `index`, from 1 on.
std::optional<double> Total(const Folder& folder, std::size_t index) {
  std::ifstream file(folder.file(fmt::format("out.{}", index)));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    double total = 0;
    if (words >> name >> total && (name == "summary:" || name == "totals:")) return total;
  }
  return std::nullopt;
}

std::optional<std::vector<Counted>> Count(const std::string& driver) {
  const Folder folder;
  const std::string command = fmt::format(
      "valgrind -q --tool=callgrind '--callgrind-out-file={}' '--dump-after={}' "
      "'{}' {} >'{}'",
      folder.file("out"), kSectionFunction, driver, kCpuTarget, folder.file("rows"));
  if (Run(command) != 0) return std::nullopt;
  std::vector<Counted> rows;
  std::ifstream file(folder.file("rows"));
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    const std::size_t first = kSectionCalls.size() * rows.size() + 1;
    const std::optional<double> few = Total(folder, first + 1);
    const std::optional<double> more = Total(folder, first + 2);
    if (tab == std::string::npos || !few || !more) return std::nullopt;
    const double calls = kSectionCalls[2] - kSectionCalls[1];
    rows.push_back({.row = line.substr(0, tab),
                    .kernel = line.substr(tab + 1),
                    .instructions = (*more - *few) / (calls * kSectionElements)});
  }
  return rows;
}

// ---- what is committed --------------------------------------------------------------------------

std::optional<ordered_json> Read(const fs::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  ordered_json j = ordered_json::parse(file, nullptr, false);
  return j.is_discarded() ? std::nullopt : std::optional(j);
}

bool Write(const fs::path& path, const std::vector<Counted>& rows) {
  ordered_json figures = ordered_json::object();
  for (const Counted& row : rows) {
    figures[row.row] = {{"instructions", std::round(row.instructions * 1000) / 1000},
                        {"kernel", row.kernel}};
  }
  std::string text = fmt::format(
      "{{\n  \"compiler\": \"{} {}\",\n  \"cpu_target\": \"{}\",\n  \"instructions_per_element\": "
      "{{",
      kCompiler, kCompilerVersion, kCpuTarget);
  for (const char* joint = "\n"; const auto& [row, figure] : figures.items()) {  // a row a line
    text += fmt::format("{}    {}: {}", joint, ordered_json(row).dump(), figure.dump());
    joint = ",\n";
  }
  std::ofstream file(path);
  file << text << "\n  }\n}\n";
  return file.good();
}

int RunGate(const std::string& driver, const fs::path& folder, const std::string& build_type,
            bool update) {
  if (build_type != "Release") {
    return Skip(fmt::format("a {} build; instructions are counted in Release builds", build_type));
  }
  if (Run("command -v valgrind >/dev/null") != 0) return Skip("valgrind is not installed");
  const std::vector<std::string_view> targets = Plan::cpu_targets();
  if (std::ranges::find(targets, kCpuTarget) == targets.end()) return Skip("this CPU has no AVX2");
  const std::optional<std::vector<Counted>> rows = Count(driver);
  if (!rows || rows->empty()) {
    fmt::print("counting failed\n");
    return 1;
  }
  const fs::path path = folder / fmt::format("{}-{}.json", kCompiler, kCompilerVersion);
  if (update) {
    if (!Write(path, *rows)) return 1;
    fmt::print("wrote {}\n", path.string());
  }
  const std::optional<ordered_json> limits = Read(folder / "limits.json");
  if (!limits) {
    fmt::print("no {}\n", (folder / "limits.json").string());
    return 1;
  }
  const std::optional<ordered_json> baseline = Read(path);
  const Verdict verdict = Judge(*rows, baseline ? &*baseline : nullptr, *limits);
  fmt::print("{}", verdict.text);
  if (!verdict.holds) return 1;
  if (baseline) return 0;
  return Skip(fmt::format("no baseline for {} {}; the limits hold (./dev bench --update-baseline)",
                          kCompiler, kCompilerVersion));
}

}  // namespace
}  // namespace exactcast::bench

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const bool update = argc == 5 && std::string_view(arguments[4]) == "--update";
  if (argc != 4 && !update) {
    fmt::print(stderr, "instruction_gate DRIVER BASELINE_FOLDER BUILD_TYPE [--update]\n");
    return 2;
  }
  return exactcast::bench::RunGate(arguments[1], arguments[2], arguments[3], update);
}
