// SPDX-License-Identifier: Apache-2.0
//
// Rounds of processes over one file. Each round runs every contender once, and a ratio is to the cp
// of its round; README.md says what is compared.
#include "bench/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "bench/machine.h"
#include "bench/process.h"
#include "exactcast/version.h"

namespace exactcast::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kBlock = std::size_t{1} << 19;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kPeakAllowed = 64 * kMiB;
constexpr int kInvalid = -1;

struct FileRow {
  std::string container;
  std::string target;
  std::string input;
  std::string output;
};

struct FileContender {
  std::string name;
  int reference = kInvalid;  // the contender that ratios are to
  double goal = 0;           // none
  bool bounded = false;      // its memory is
  std::function<ProcessTaken()> run;
};

struct FileFigure {
  double wall = 0;  // medians
  double ratio = 0;
  double least_ratio = 0;
  double cpu = 0;
  std::uint64_t peak = 0;  // the largest
};

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// ---- Inputs -------------------------------------------------------------------------------------

std::string HeaderOf(const std::string& container, std::uint64_t elements) {
  if (container == "npy") {
    std::string text =
        fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", elements);
    text.resize(117, ' ');
    return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n";
  }
  if (container == "safetensors") {
    std::string text = fmt::format(
        R"({{"w":{{"dtype":"F32","shape":[{}],"data_offsets":[0,{}]}}}})", elements, 4 * elements);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    std::string size(8, '\0');
    size[0] = static_cast<char>(text.size());
    return size + text;
  }
  return "";
}

// N(0, 1), a block repeated.
bool WriteInput(const std::string& path, const std::string& container, std::uint64_t elements) {
  std::vector<float> block(kBlock / sizeof(float));
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (float& x : block) x = normal(random);
  std::ofstream out(path, std::ios::binary);
  out << HeaderOf(container, elements);
  for (std::uint64_t done = 0; done < elements; done += block.size()) {
    const auto count = std::min<std::uint64_t>(block.size(), elements - done);
    out.write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(4 * count));
  }
  return out.flush().good();
}

// ---- The bound ----------------------------------------------------------------------------------

// Reads the input and writes as many bytes as the output has, in the command's way and without its
// work: what no cast can be faster than, as long as its bytes go through read and write.
class ByteMover {
 public:
  ByteMover(const FileRow& row, std::uint64_t out_bytes, bool sync)
      : in_(open(row.input.c_str(), O_RDONLY | O_CLOEXEC)),
        out_(open(row.output.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)),
        sync_(sync),
        blocks_((fs::file_size(row.input) - 1) / kBlock + 1),
        each_(out_bytes / blocks_) {}

  int Run(int threads) {
    if (in_ < 0 || out_ < 0) return 1;
    static_cast<void>(fallocate(out_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(blocks_ * each_)));
    {
      std::vector<std::jthread> others;
      for (int i = 1; i < threads; ++i) others.emplace_back([this] { Work(); });
      Work();
    }
    if (sync_ && fsync(out_) != 0) failed_ = true;
    return failed_ ? 1 : 0;
  }

 private:
  void Work() {
    std::vector<std::byte> data(kBlock);
    for (std::uint64_t i = next_++; i < blocks_ && !failed_; i = next_++) {
      const bool read = pread(in_, data.data(), kBlock, static_cast<off_t>(i * kBlock)) > 0;
      const ssize_t written = pwrite(out_, data.data(), each_, static_cast<off_t>(i * each_));
      if (!read || written != static_cast<ssize_t>(each_)) failed_ = true;
      if (sync_ && i % kBlocksOfSync == 0) sync_file_range(out_, 0, 0, SYNC_FILE_RANGE_WRITE);
    }
  }

  static constexpr std::uint64_t kBlocksOfSync = 64;
  int in_;
  int out_;
  bool sync_;
  std::uint64_t blocks_;
  std::uint64_t each_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> failed_ = false;
};

// ---- Contenders ---------------------------------------------------------------------------------

ProcessTaken CopyAndSync(const FileRow& row) {
  ProcessTaken copy = RunProgram({"cp", row.input, row.output});
  const ProcessTaken sync = RunProgram({"sync", row.output});
  copy.status = std::max(copy.status, sync.status);
  copy.wall += sync.wall;
  copy.cpu += sync.cpu;
  return copy;
}

std::vector<FileContender> Contenders(const FileRow& row, const FilesWanted& wanted) {
  const std::uint64_t out_bytes = wanted.elements * (row.target.starts_with("float8") ? 1 : 2);
  std::vector<FileContender> all;
  all.push_back({.name = "cp", .run = [row] { return RunProgram({"cp", row.input, row.output}); }});
  all.push_back({.name = "cp, sync", .run = [row] { return CopyAndSync(row); }});
  const auto add = [&](int threads, bool sync, double goal) {
    const std::string how =
        fmt::format("{} thread{}{}", threads, threads == 1 ? "" : "s", sync ? ", sync" : "");
    std::vector<std::string> words = {
        wanted.command, "cast",     row.input,   row.output,
        "--to",         row.target, "--threads", fmt::format("{}", threads),
        "--quiet"};
    if (row.container == "bin") words.insert(words.end(), {"--from", "float32"});
    if (!sync) words.emplace_back("--no-sync");
    all.push_back({.name = "exactcast, " + how,
                   .reference = sync ? 1 : 0,
                   .goal = goal,
                   .bounded = true,
                   .run = [words] { return RunProgram(words); }});
    all.push_back({.name = "read and write, " + how, .reference = sync ? 1 : 0, .run = [=] {
                     return RunApart([&] { return ByteMover(row, out_bytes, sync).Run(threads); });
                   }});
  };
  add(2, true, 0.65);
  add(1, false, 0.9);
  add(2, false, 0.65);
  return all;
}

// The output is not there when a contender begins, the disk has nothing left to write, and memory
// for the output is at hand: that of a file just removed. (A host takes what a guest leaves free
// for long, and gives it back slowly.)
void Settle(const FileRow& row) {
  RunProgram({"cp", "-f", row.input, row.output});
  fs::remove(row.output);
  const int folder = open(fs::path(row.output).parent_path().c_str(), O_RDONLY | O_DIRECTORY);
  if (folder < 0) return;
  syncfs(folder);
  close(folder);
}

Result<std::vector<FileFigure>> RunRounds(const FileRow& row,
                                          const std::vector<FileContender>& contenders,
                                          int rounds) {
  std::vector<std::vector<ProcessTaken>> taken(contenders.size());
  for (int round = -1; round < rounds; ++round) {  // the first warms up
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Settle(row);
      const ProcessTaken one = contenders[i].run();
      if (one.status != 0) {
        fs::remove(row.output);
        return NotWritten(
            fmt::format("{}: {} ended with {}", row.output, contenders[i].name, one.status));
      }
      if (round >= 0) taken[i].push_back(one);
    }
  }
  fs::remove(row.output);
  std::vector<FileFigure> figures;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    std::vector<double> walls;
    std::vector<double> cpus;
    std::vector<double> ratios;
    FileFigure figure;
    for (std::size_t k = 0; k < taken[i].size(); ++k) {
      const int to = contenders[i].reference;
      const double reference = taken[to < 0 ? i : static_cast<std::size_t>(to)][k].wall;
      walls.push_back(taken[i][k].wall);
      cpus.push_back(taken[i][k].cpu);
      ratios.push_back(taken[i][k].wall / reference);
      figure.peak = std::max(figure.peak, taken[i][k].peak);
    }
    figure.least_ratio = std::ranges::min(ratios);
    figure.wall = Median(walls);
    figure.cpu = Median(cpus);
    figure.ratio = Median(ratios);
    figures.push_back(figure);
  }
  return figures;
}

// ---- The report ---------------------------------------------------------------------------------

std::string TextOf(const FileContender& contender, const FileFigure& figure) {
  std::string line = fmt::format("  {:32} {:7.3f} s  {:7.3f} s CPU  {:6.1f} MiB", contender.name,
                                 figure.wall, figure.cpu, static_cast<double>(figure.peak) / kMiB);
  if (contender.reference >= 0) {
    line += fmt::format("  ratio {:.2f} (least {:.2f})", figure.ratio, figure.least_ratio);
  }
  if (contender.goal > 0) {
    line += fmt::format("; goal {}: {}", contender.goal,
                        figure.ratio <= contender.goal ? "reached" : "MISSED");
  }
  if (contender.bounded && figure.peak > kPeakAllowed) line += "; too much MEMORY";
  return line + "\n";
}

ordered_json JsonOf(const FileRow& row, const FileContender& contender, const FileFigure& figure) {
  ordered_json json = {{"container", row.container},  {"to", row.target},
                       {"contender", contender.name}, {"wall", figure.wall},
                       {"cpu", figure.cpu},           {"peak_bytes", figure.peak}};
  if (contender.reference >= 0) {
    json["ratio"] = figure.ratio;
    json["least_ratio"] = figure.least_ratio;
  }
  if (contender.goal > 0) json["goal"] = contender.goal;
  return json;
}

Status MeasureRow(const FileRow& row, const FilesWanted& wanted, ordered_json* rows) {
  const std::vector<FileContender> contenders = Contenders(row, wanted);
  const Result<std::vector<FileFigure>> figures = RunRounds(row, contenders, wanted.rounds);
  if (!figures.ok()) return figures.status();
  if (!wanted.json) {
    fmt::print("\n{} of {} MiB float32 to {}, {} rounds\n", row.container,
               4 * wanted.elements / kMiB, row.target, wanted.rounds);
  }
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (!wanted.json) fmt::print("{}", TextOf(contenders[i], (*figures)[i]));
    rows->push_back(JsonOf(row, contenders[i], (*figures)[i]));
  }
  std::fflush(stdout);
  return {};
}

Status MeasureContainer(const std::string& container, const FilesWanted& wanted,
                        ordered_json* rows) {
  const std::string stem = (fs::path(wanted.folder) / "exactcast-bench-").string();
  FileRow row = {.container = container,
                 .target = "",
                 .input = fmt::format("{}in.{}", stem, container),
                 .output = fmt::format("{}out.{}", stem, container)};
  Status status;
  if (!WriteInput(row.input, container, wanted.elements)) {
    status = NotWritten(fmt::format("{}: could not be written", row.input));
  }
  for (const std::string& target : wanted.targets) {
    row.target = target;
    if (status.ok()) status = MeasureRow(row, wanted, rows);
  }
  fs::remove(row.input);
  return status;
}

}  // namespace

Status MeasureFiles(const FilesWanted& wanted) {
  std::error_code error;
  const std::uint64_t needed = 8 * wanted.elements + 16 * kMiB;
  const std::uint64_t room = fs::space(wanted.folder, error).available;
  if (error) return NotWritten(fmt::format("{}: {}", wanted.folder, error.message()));
  if (room < needed) {
    return NotWritten(fmt::format("{}: needs {} MiB of room, there is {}", wanted.folder,
                                  needed / kMiB, room / kMiB));
  }
  if (!wanted.json) {
    fmt::print("exactcast {}, {}, files in {}; wall medians, ratios to the cp of the round\n",
               kVersion, CpuModel(), wanted.folder);
  }
  ordered_json rows = ordered_json::array();
  for (const std::string& container : wanted.containers) {
    if (Status status = MeasureContainer(container, wanted, &rows); !status.ok()) return status;
  }
  if (wanted.json) {
    fmt::print("{}\n",
               ordered_json({{"version", kVersion}, {"cpu", CpuModel()}, {"rows", rows}}).dump(2));
  }
  return {};
}

}  // namespace exactcast::bench
