// SPDX-License-Identifier: Apache-2.0
//
// Whole files through the command, beside cp of the same file: wall time and peak memory of
// processes. Casts in memory are measure.h's matter.
#ifndef EXACTCAST_BENCH_FILES_H_
#define EXACTCAST_BENCH_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "exactcast/status.h"

namespace exactcast::bench {

struct FilesWanted {
  std::string folder;   // where the files go for the time of the run
  std::string command;  // the exactcast to measure
  std::uint64_t elements = std::uint64_t{1} << 28;
  std::vector<std::string> containers = {"npy", "safetensors", "bin"};
  std::vector<std::string> targets = {"bfloat16", "float8_e4m3fn"};
  int rounds = 9;
  bool json = false;
};

// Prints as it goes; JSON at the end. kNotWritten: no room in the folder.
Status MeasureFiles(const FilesWanted& wanted);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_FILES_H_
