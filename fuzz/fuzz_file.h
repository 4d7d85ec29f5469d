// SPDX-License-Identifier: Apache-2.0
//
// What the fuzzers share: a folder in memory for the files that they make of their data, and a check
// that ends the process with its own words.
#ifndef EXACTCAST_FUZZ_FUZZ_FILE_H_
#define EXACTCAST_FUZZ_FUZZ_FILE_H_

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace exactcast::fuzz {

inline void Check(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

// One folder a process; it goes away with it.
class Folder {
 public:
  Folder() : path_(std::filesystem::is_directory("/dev/shm") ? "/dev/shm/" : "/tmp/") {
    path_ += "exactcast-fuzz-" + std::to_string(getpid());
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string Path(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] std::string Write(const std::string& name, const std::uint8_t* data,
                                  std::size_t size) const {
    std::ofstream file(Path(name), std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return Path(name);
  }
  [[nodiscard]] std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::string path_;
};

inline const Folder& TheFolder() {
  static const Folder folder;
  return folder;
}

}  // namespace exactcast::fuzz

#endif  // EXACTCAST_FUZZ_FUZZ_FILE_H_
