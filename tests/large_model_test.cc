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

#include "tests/support/npy_recipe.h"
#include "tests/support/safetensors_recipe.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zip_recipe.h"

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

// A process that was forked counts what its parent had: inputs are made in children, so that this one
// stays small.
template <typename Work>
void InChild(const Work& work) {
  const pid_t pid = fork();
  if (pid == 0) {
    work();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
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

// 256 MiB through every container, stored and deflated.
TEST(LargeModel, EveryContainerWithinTheMemoryLimit) {
  const support::TemporaryFolder folder;
  const std::string zip = folder.Path("deflated.npz");
  const std::string npy = folder.Path("w.npy");
  InChild([&] {
    const std::uint64_t bytes = 256 * kMiB;
    std::string array =
        support::CurrentNpyFile(1, "'<f2'", false, "(" + std::to_string(bytes / 2) + ",)", "");
    const std::size_t header = array.size();
    array.resize(header + bytes);
    for (std::size_t i = header; i < array.size(); i += 61) array[i] = static_cast<char>(i / 61);
    support::WriteFile(npy, array);
    support::WriteFile(zip, support::Zip({{.name = "w.npy", .data = array, .deflated = true}}));
  });
  const std::uint64_t start = StartPeak();
  const std::vector<std::pair<std::string, std::string>> runs = {{npy, "1.npy"},
                                                                 {npy, "2.safetensors"},
                                                                 {npy, "3.npz"},
                                                                 {npy, "4.bin"},
                                                                 {zip, "5.npz"},
                                                                 {zip, "6.safetensors"},
                                                                 {"2.safetensors", "7.safetensors"},
                                                                 {"3.npz", "8.npz"}};
  for (const auto& [in, out] : runs) {
    const std::string from = in.starts_with('/') ? in : folder.Path(in);
    const Usage usage =
        Command({"cast", from, folder.Path(out), "--to", "float8_e5m2", "--no-sync"});
    EXPECT_EQ(usage.status, 0) << in << " to " << out;
    EXPECT_LT(usage.peak, start + 64 * kMiB) << in << " to " << out;
    RecordProperty(out, std::to_string(usage.peak));
  }
}

// Twelve times the header's size, and 64 MiB.
TEST(LargeModel, ALargeHeaderWithinTheMemoryLimit) {
  constexpr std::uint64_t kHeader = 16 * kMiB;
  const support::TemporaryFolder folder;
  const std::string in = folder.Path("in.safetensors");
  InChild([&] {
    std::string header = "{";
    std::uint64_t count = 0;
    while (header.size() < kHeader) {
      header +=
          (count == 0 ? "" : ",") + Entry("t" + std::to_string(count), "U8", "1", count, count + 1);
      ++count;
    }
    support::WriteFile(in, support::Safetensors(header + "}", std::string(count, '\1')));
  });
  const std::uint64_t start = StartPeak();
  for (const char* to : {"bfloat16", "hifloat8"}) {
    const Usage usage = Command({"cast", in, folder.Path("out.safetensors"), "--to", to, "--force",
                                 "--no-only-floating", "--no-sync"});
    EXPECT_EQ(usage.status, 0) << to;
    EXPECT_LT(usage.peak, start + 64 * kMiB + 12 * kHeader) << to;
    RecordProperty(to, std::to_string(usage.peak));
  }
}

}  // namespace
