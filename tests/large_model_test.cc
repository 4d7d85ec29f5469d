// SPDX-License-Identifier: Apache-2.0
//
// Memory and size: a checkpoint of 3 GiB, and a header of 16 MiB, through the command within its
// limits. Label `large`: needs 6 GiB of disk.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/safetensors_recipe.h"
#include "tests/support/temporary_folder.h"

namespace {

using support::Entry;
namespace fs = std::filesystem;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct Usage {
  int status = -1;
  std::uint64_t peak = 0;  // bytes
};

Usage Command(const std::vector<std::string>& arguments) {
  const pid_t pid = fork();
  if (pid == 0) {
    const int null = open("/dev/null", O_RDWR);
    dup2(null, 1);
    std::vector<char*> argv = {const_cast<char*>(EXACTCAST_BINARY)};
    for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  rusage usage = {};
  EXPECT_EQ(wait4(pid, &status, 0, &usage), pid);
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

// What the process takes that does next to nothing.
std::uint64_t StartPeak() { return Command({"--version"}).peak; }

// `shards` files of one bfloat16 tensor each, of zeros and ones in turn by page.
void WriteModel(const std::string& folder, int shards, std::uint64_t bytes_each) {
  fs::create_directory(folder);
  std::string map;
  std::string page(kMiB, '\0');
  for (std::size_t i = 0; i < page.size(); i += 2) {
    page[i] = static_cast<char>(i / 2);
    page[i + 1] = static_cast<char>(i / 512);
  }
  for (int k = 0; k < shards; ++k) {
    const std::string name = "w" + std::to_string(k);
    const std::string file = "model-" + std::to_string(k) + ".safetensors";
    std::string header =
        "{" + Entry(name, "BF16", std::to_string(bytes_each / 2), 0, bytes_each) + "}";
    std::ofstream out(folder + "/" + file, std::ios::binary);
    out << support::Safetensors(header, "");
    for (std::uint64_t done = 0; done < bytes_each; done += page.size()) out << page;
    ASSERT_TRUE(out.flush()) << "no room for " << file;
    map += (map.empty() ? "\"" : ",\"") + name + "\":\"" + file + "\"";
  }
  support::WriteFile(folder + "/model.safetensors.index.json", "{\"weight_map\":{" + map + "}}");
}

TEST(LargeModel, ThreeGibibytesWithinTheMemoryLimit) {
  const support::TemporaryFolder folder;
  if (fs::space(folder.path()).available < 7 * 1024 * kMiB) {
    GTEST_SKIP() << "needs 7 GiB of disk in " << folder.path();
  }
  WriteModel(folder.Path("model"), 3, 1024 * kMiB);
  const std::uint64_t start = StartPeak();
  const Usage usage = Command({"cast", folder.Path("model"), folder.Path("out"), "--to",
                               "float8_e4m3fn", "--overflow", "saturate"});
  EXPECT_EQ(usage.status, 0);
  EXPECT_LT(usage.peak, start + 64 * kMiB);
  RecordProperty("peak_bytes", std::to_string(usage.peak));
  // Its last mebibyte is what a mebibyte becomes by itself.
  const std::string small = folder.Path("small");
  WriteModel(small, 1, kMiB);
  EXPECT_EQ(Command({"cast", small, folder.Path("small_out"), "--to", "float8_e4m3fn", "--overflow",
                     "saturate"})
                .status,
            0);
  const std::string wanted = support::ReadFile(folder.Path("small_out") + "/model-0.safetensors");
  std::ifstream made(folder.Path("out") + "/model-2.safetensors", std::ios::binary);
  std::string last(kMiB / 2, '\0');
  made.seekg(-static_cast<std::streamoff>(last.size()), std::ios::end);
  made.read(last.data(), static_cast<std::streamsize>(last.size()));
  EXPECT_TRUE(wanted.ends_with(last));
}

// Twelve times the header's size, and 64 MiB.
TEST(LargeModel, ALargeHeaderWithinTheMemoryLimit) {
  const support::TemporaryFolder folder;
  std::string header = "{";
  std::uint64_t count = 0;
  while (header.size() < 16 * kMiB) {
    header +=
        (count == 0 ? "" : ",") + Entry("t" + std::to_string(count), "U8", "1", count, count + 1);
    ++count;
  }
  header += "}";
  const std::string in =
      folder.File("in.safetensors", support::Safetensors(header, std::string(count, '\1')));
  const std::uint64_t start = StartPeak();
  for (const char* to : {"bfloat16", "hifloat8"}) {
    const Usage usage = Command({"cast", in, folder.Path("out.safetensors"), "--to", to, "--force",
                                 "--no-only-floating", "--no-sync"});
    EXPECT_EQ(usage.status, 0) << to;
    EXPECT_LT(usage.peak, start + 64 * kMiB + 12 * header.size()) << to;
    RecordProperty(to, std::to_string(usage.peak));
  }
}

}  // namespace
