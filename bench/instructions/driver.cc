// SPDX-License-Identifier: Apache-2.0
//
// What callgrind runs: each row of a set, counts off and on, in sections of few and of more calls.
// gate.cc has callgrind dump its counters after each section; the difference of a row's last two
// is what their calls cost. Prints a line for each row, in the order of the sections.
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "bench/cpu_target.h"
#include "bench/data.h"
#include "bench/instructions/sections.h"
#include "bench/row.h"
#include "bench/sets.h"

namespace exactcast::bench {

// callgrind finds it by its name.
[[gnu::noinline]] void CountedSection(const Subject& subject, const std::byte* in, std::byte* out,
                                      bool counts, int calls) {
  for (int i = 0; i < calls; ++i) {
    subject.run(in, out, kSectionElements, {.threads = 1, .counts = counts});
  }
}

namespace {

// A line of the cache, so that no count depends on where an array happens to begin.
struct alignas(64) Line {
  std::byte bytes[64];
};

void RunRow(const Subject& subject, bool counts) {
  std::vector<Line> in_lines(subject.in_bytes(kSectionElements) / sizeof(Line) + 1);
  std::vector<Line> out_lines(subject.out_bytes(kSectionElements) / sizeof(Line) + 1);
  std::byte* in = in_lines.front().bytes;
  std::byte* out = out_lines.front().bytes;
  Fill(Data::kNormal, subject, kSectionElements, in);
  for (const int calls : kSectionCalls) CountedSection(subject, in, out, counts, calls);
  std::printf("%s%s\t%s\n", Key(subject).c_str(), counts ? " counts" : "", subject.kernel.c_str());
}

int Run(const std::string& cpu_target) {
  const Status status = UseCpuTarget(cpu_target);
  Selection gate;
  gate.sets = {"gate"};
  const Result<std::vector<Subject>> subjects = Select(gate);
  if (!status.ok() || !subjects.ok()) {
    std::fputs((status.message() + subjects.status().message() + "\n").c_str(), stderr);
    return static_cast<int>(status.ok() ? subjects.status().code() : status.code());
  }
  for (const Subject& subject : *subjects) {
    if (subject.has_counts_off) RunRow(subject, false);
    RunRow(subject, true);
  }
  return 0;
}

}  // namespace
}  // namespace exactcast::bench

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  return exactcast::bench::Run(argc > 1 ? arguments[1] : "avx2");
}
