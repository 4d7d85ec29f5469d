// SPDX-License-Identifier: Apache-2.0
//
// The bench's command line. README.md says how it measures and how to read it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cpu_target.h"
#include "bench/files.h"
#include "bench/measure.h"
#include "bench/overhead.h"
#include "bench/report.h"
#include "bench/sets.h"
#include "exactcast/version.h"

namespace exactcast::bench {
namespace {

struct Options {
  Selection selection;
  std::vector<std::string> sizes = {"L2", "DRAM"};
  std::string dram = "64Mi";
  std::vector<std::string> data = {"normal"};
  CountsWanted counts = CountsWanted::kBoth;
  Stores stores = Stores::kAuto;
  int threads = 1;
  std::string cpu_target;
  std::string python = "python3";
  bool no_peers = false;
  Pace pace;
  std::string format = "text";
  bool list = false;
  bool overhead = false;
  FilesWanted files = {.folder = "", .command = EXACTCAST_BENCH_COMMAND};
  std::string files_size = "256Mi";
};

void AddOptions(CLI::App& app, Options& o) {
  std::string sets;
  for (const SetName& set : SetNames()) sets += fmt::format("\n  {}: {}", set.name, set.about);
  app.add_option("--set", o.selection.sets, "Named sets of rows:" + sets)->delimiter(',');
  app.add_option("--pair", o.selection.pairs, "FROM:TO, any number of them")->delimiter(',');
  app.add_option("--mode", o.selection.modes, "Modes of --pair, or all")->delimiter(',');
  app.add_option("--overflow", o.selection.overflows, "Forms of --pair: saturate, ieee, wrap")
      ->delimiter(',');
  app.add_flag("--packed", o.selection.packed, "4- and 2-bit sides of --pair packed");
  app.add_option("--filter", o.selection.filters, "Only rows whose name contains each of these");
  app.add_option("--n", o.sizes, "Elements: L1, L2, L3, DRAM, or as 64Ki, 2Mi")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--dram", o.dram, "What DRAM means")->capture_default_str();
  app.add_option("--data", o.data, "normal, random, denormal, nan, ties, or all")
      ->delimiter(',')
      ->capture_default_str();
  const std::map<std::string, CountsWanted> counts = {
      {"off", CountsWanted::kOff}, {"on", CountsWanted::kOn}, {"both", CountsWanted::kBoth}};
  app.add_option("--counts", o.counts, "off, on or both")
      ->transform(CLI::CheckedTransformer(counts));
  app.add_option("--threads", o.threads, "Threads")->check(CLI::Range(1, 1024));
  app.add_option("--cpu-target", o.cpu_target, "No better CPU target than this: avx2, sse4, ...");
  app.add_option("--python", o.python, "The interpreter of the peers in Python")
      ->capture_default_str();
  app.add_flag("--no-peers", o.no_peers, "No peers but memcpy");
  app.add_option("--rounds", o.pace.rounds, "Rounds")->check(CLI::Range(1, 1000));
  app.add_option("--row-seconds", o.pace.row_seconds, "No new round after these, from the third on")
      ->capture_default_str();
  app.add_option("--format", o.format, "text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}));
  app.add_flag("--list", o.list, "List the rows, measure nothing");
  app.add_flag("--overhead", o.overhead,
               "Instead of arrays: calls with few elements, and making the plan");
  const std::map<std::string, Stores> stores = {
      {"auto", Stores::kAuto}, {"cached", Stores::kCached}, {"streaming", Stores::kStreaming}};
  app.add_option("--stores", o.stores, "exactcast's stores: auto, cached or streaming")
      ->transform(CLI::CheckedTransformer(stores));
  app.add_option("--files", o.files.folder,
                 "Instead of rows: whole files in this folder, which takes twice an input's size");
  app.add_option("--files-n", o.files_size, "Elements of an input of --files, 4 bytes each")
      ->capture_default_str();
  app.add_option("--containers", o.files.containers, "Of --files")
      ->delimiter(',')
      ->check(CLI::IsMember({"npy", "safetensors", "bin"}))
      ->capture_default_str();
  app.add_option("--command", o.files.command, "The exactcast that --files measures")
      ->capture_default_str();
}

// "64Ki" -> 65536
Result<std::size_t> ParseSize(std::string_view text, std::string_view dram) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 3> kCaches = {
      {{"L1", std::size_t{4} << 10}, {"L2", std::size_t{64} << 10}, {"L3", std::size_t{2} << 20}}};
  for (const auto& [name, size] : kCaches) {
    if (text == name) return size;
  }
  if (text == "DRAM") text = dram;
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const int shift = unit == "Ki" ? 10 : unit == "Mi" ? 20 : unit.empty() ? 0 : -1;
  if (error != std::errc() || shift < 0 || n == 0 || n > (std::size_t{1} << 40 >> shift) ||
      (n << shift) % kSizeUnit != 0) {
    return UsageError(fmt::format("'{}' is no size: L1, L2, L3, DRAM or a multiple of {}, as 64Ki",
                                  text, kSizeUnit));
  }
  return n << shift;
}

Result<std::vector<Data>> ParseData(const std::vector<std::string>& words) {
  std::vector<Data> data;
  for (const std::string& word : words) {
    const std::size_t before = data.size();
    for (const DataRow& row : DataSets()) {
      if (word == "all" || word == row.name) data.push_back(row.data);
    }
    if (data.size() == before) return UsageError(fmt::format("there is no data set '{}'", word));
  }
  return data;
}

struct Job {
  std::vector<Subject> subjects;
  std::vector<std::size_t> sizes;
  std::vector<Data> data;
};

Result<Job> MakeJob(Options o) {
  if (o.selection.sets.empty() && o.selection.pairs.empty()) o.selection.sets = {"short"};
  Result<std::vector<Subject>> subjects = Select(o.selection);
  if (!subjects.ok()) return subjects.status();
  Result<std::vector<Data>> data = ParseData(o.data);
  if (!data.ok()) return data.status();
  Job job{.subjects = *subjects, .sizes = {}, .data = *data};
  for (const std::string& size : o.sizes) {
    const Result<std::size_t> n = ParseSize(size, o.dram);
    if (!n.ok()) return n.status();
    job.sizes.push_back(*n);
  }
  if (job.subjects.empty()) return UsageError("no row is left: see --list");
  return job;
}

std::size_t LargestSide(const Job& job) {
  std::size_t bytes = 0;
  for (const Subject& subject : job.subjects) {
    for (const std::size_t n : job.sizes) {
      bytes = std::max({bytes, subject.in_bytes(n), subject.out_bytes(n)});
    }
  }
  return bytes;
}

std::vector<std::unique_ptr<Peer>> MakePeers(const Options& o) {
  std::vector<std::unique_ptr<Peer>> peers;
  if (o.no_peers || o.threads > 1) return peers;
  peers.push_back(MakeHighwayPeer());
  peers.push_back(MakeOpencvPeer());
  for (auto& peer : MakePythonPeers(o.python)) peers.push_back(std::move(peer));
  return peers;
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void MeasureAll(const Job& job, const Options& o, Bench& bench, const Session& session) {
  const bool markdown = o.format == "markdown";
  const bool text = o.format == "text";
  if (text || markdown) Print(text ? TextHead(session) : MarkdownHead(session));
  std::vector<Record> records;
  for (const Subject& subject : job.subjects) {
    for (const Data data : job.data) {
      if (!Applies(data, subject.row)) {
        if (text) Print(fmt::format("\n{}: no data set {}\n", Key(subject), Name(data)));
        continue;
      }
      for (const std::size_t n : job.sizes) {
        const Record record = bench.Run(
            subject,
            {.n = n, .data = data, .counts = o.counts, .stores = o.stores, .pace = o.pace});
        if (text || markdown) {
          Print(text ? TextRow(record) : MarkdownRow(record));
        } else {
          records.push_back(record);
        }
      }
    }
  }
  if (!text && !markdown) Print(JsonReport(session, records));
}

Status RunFiles(const Options& o) {
  FilesWanted files = o.files;
  const Result<std::size_t> elements = ParseSize(o.files_size, o.dram);
  if (!elements.ok()) return elements.status();
  if (o.format == "markdown") return UsageError("--files reports as text or json");
  files.elements = *elements;
  files.json = o.format == "json";
  if (o.pace.rounds != Pace().rounds) files.rounds = o.pace.rounds;
  return MeasureFiles(files);
}

Status Run(const Options& o) {
  if (!o.files.folder.empty()) return RunFiles(o);
  std::signal(SIGPIPE, SIG_IGN);  // a peer that ended is a peer without answers
  if (!o.cpu_target.empty()) {
    const Status status = UseCpuTarget(o.cpu_target);
    if (!status.ok()) return status;
  }
  const Result<Job> job = MakeJob(o);
  if (!job.ok()) return job.status();
  if (o.list) {
    for (const Subject& subject : job->subjects) Print(Key(subject) + "\n");
    return {};
  }
  if (o.overhead) {
    Pin(1);
    MeasureOverhead(job->subjects, o.pace);
    return {};
  }
  Session session{.version = std::string(kVersion),
                  .cpu = CpuModel(),
                  .cpu_target = CpuTargetInUse(),
                  .compiler = Compiler(),
                  .cores = Pin(o.threads),
                  .threads = o.threads,
                  .large_pages = false,
                  .peers = {}};
  Bench bench(LargestSide(*job), o.threads, MakePeers(o));
  session.large_pages = bench.has_large_pages();
  for (const auto& peer : bench.peers()) session.peers.emplace_back(peer->Name(), peer->Version());
  MeasureAll(*job, o, bench, session);
  return {};
}

}  // namespace
}  // namespace exactcast::bench

int main(int argc, char** argv) {
  CLI::App app("Measures casts against the memory bound of the same run, and against peers.");
  app.name("./dev bench");
  exactcast::bench::Options options;
  exactcast::bench::AddOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  const exactcast::Status status = exactcast::bench::Run(options);
  if (status.ok()) return 0;
  fmt::print(stderr, "bench: {}\n", status.message());
  return static_cast<int>(status.code());
}
