// SPDX-License-Identifier: Apache-2.0
//
// Nothing is lost: runs of the command that are killed, interrupted or starved at any moment leave
// what was there before, or the complete result; and system calls that fail, each in turn.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/safetensors_recipe.h"
#include "tests/support/temporary_folder.h"

namespace {

using support::Entry;
using support::ReadFile;
using support::Safetensors;
using support::TemporaryFolder;
using support::WriteFile;
namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

// Starts the command, its output thrown away.
pid_t Start(const std::vector<std::string>& arguments, const Environment& environment = {}) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const rlimit bytes = {.rlim_cur = 1 << 28, .rlim_max = 1 << 28};
  setrlimit(RLIMIT_FSIZE, &bytes);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, 1);
  dup2(null, 2);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv = {const_cast<char*>(EXACTCAST_BINARY)};
  for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

// Exit status, or 128 + the signal.
int Wait(pid_t pid) {
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int Command(const std::vector<std::string>& arguments, const Environment& environment = {}) {
  return Wait(Start(arguments, environment));
}

std::string Shard(const std::string& name, std::uint64_t elements) {
  std::string data;
  std::mt19937 random(1);
  while (data.size() < 4 * elements) data += static_cast<char>(random());
  return Safetensors("{" + Entry(name, "F32", std::to_string(elements), 0, 4 * elements) + "}",
                     data);
}

class Durability : public testing::Test {
 protected:
  static constexpr std::uint64_t kElements = 300'000;

  Durability() : in_(folder_.Path("in.safetensors")), out_(folder_.Path("out.safetensors")) {
    WriteFile(in_, Shard("w", kElements));
    EXPECT_EQ(Command({"cast", in_, out_, "--to", "bf16"}), 0);
    right_ = ReadFile(out_);
    fs::remove(out_);
  }

  void MakeModel() {
    model_ = folder_.Path("model");
    fs::create_directory(model_);
    for (const std::string name : {"a", "b", "c"}) {
      WriteFile(model_ + "/" + name + ".safetensors", Shard(name, kElements / 3));
    }
    WriteFile(model_ + "/tokenizer.json", "{}");
    cast_ = folder_.Path("cast");
    EXPECT_EQ(Command({"cast", model_, cast_, "--to", "bf16"}), 0);
    files_ = Files(cast_);
    EXPECT_EQ(files_.size(), 4U);
    fs::remove_all(cast_);
  }
  static std::map<std::string, std::string> Files(const std::string& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      files[entry.path().filename().string()] = ReadFile(entry.path().string());
    }
    return files;
  }
  [[nodiscard]] std::vector<std::string> FileCommand() const {
    return {"cast", in_, out_, "--to", "bf16", "--force"};
  }
  // What is beside the inputs; a whole successor that had no time for its name is no loss.
  void ExpectNothingElse(const std::set<std::string>& allowed) {
    for (const std::string& name : folder_.Names()) {
      if (allowed.contains(name)) continue;
      EXPECT_TRUE(name.starts_with(".out.safetensors.exactcast-")) << name;
      EXPECT_EQ(ReadFile(folder_.Path(name)), right_) << name;
      fs::remove(folder_.Path(name));
    }
  }

  TemporaryFolder folder_;
  std::string in_;
  std::string out_;
  std::string right_;  // what out_ should hold
  std::string model_;
  std::string cast_;
  std::map<std::string, std::string> files_;
};

void SleepMicroseconds(unsigned microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

// How long an undisturbed run takes, so that moments are drawn from all of it.
template <typename Work>
unsigned Microseconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const auto end = std::chrono::steady_clock::now();
  return static_cast<unsigned>(
      std::chrono::duration_cast<std::chrono::microseconds>(end - begin).count());
}

TEST_F(Durability, AKilledRunLeavesTheOldFileOrTheNewOne) {
  const unsigned whole = Microseconds([&] { EXPECT_EQ(Command(FileCommand()), 0); });
  std::mt19937 random(3);
  int unfinished = 0;
  for (int run = 0; run < 40; ++run) {
    fs::remove(out_);
    if (run % 2 == 0) WriteFile(out_, "old");
    const pid_t pid = Start(FileCommand());
    SleepMicroseconds(static_cast<unsigned>(random() % (whole * 5 / 4 + 1)));
    kill(pid, SIGKILL);
    if (Wait(pid) != 0) ++unfinished;
    if (fs::exists(out_)) {
      const std::string bytes = ReadFile(out_);
      EXPECT_TRUE(bytes == right_ || (run % 2 == 0 && bytes == "old")) << bytes.size();
    } else {
      EXPECT_EQ(run % 2, 1);
    }
    ExpectNothingElse({"in.safetensors", "out.safetensors"});
  }
  EXPECT_GT(unfinished, 0);
}

TEST_F(Durability, AKilledRunOverShardsIsGoneOnWith) {
  MakeModel();
  const std::vector<std::string> command = {"cast", model_, cast_, "--to", "bf16", "--resume"};
  const unsigned whole = Microseconds([&] { EXPECT_EQ(Command(command), 0); });
  std::mt19937 random(4);
  int unfinished = 0;
  for (int round = 0; round < 12; ++round) {
    fs::remove_all(cast_);
    for (int run = 0; run < 3 && !fs::exists(cast_); ++run) {
      const pid_t pid = Start(command);
      SleepMicroseconds(static_cast<unsigned>(random() % (whole + 1)));
      kill(pid, SIGKILL);
      if (Wait(pid) != 0) ++unfinished;
      if (fs::exists(cast_)) {
        EXPECT_EQ(Files(cast_), files_);
      }
    }
    if (!fs::exists(cast_)) {
      EXPECT_EQ(Command(command), 0);
      EXPECT_EQ(Files(cast_), files_);
      EXPECT_EQ(folder_.Names(), (std::set<std::string>{"cast", "in.safetensors", "model"}));
    }
    fs::remove_all(folder_.Path(".cast.exactcast-partial"));
  }
  EXPECT_GT(unfinished, 0);
}

TEST_F(Durability, AnInterruptedRunCleansUpAndEndsByItsSignal) {
  std::string big = Shard("w", 3'000'000);
  WriteFile(in_, big);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    WriteFile(out_, "old");
    const pid_t pid = Start(FileCommand());
    SleepMicroseconds(15000);
    kill(pid, signal);
    const int status = Wait(pid);
    if (status == 0) continue;  // it was faster
    EXPECT_EQ(status, 128 + signal);
    // The signal may come when the output has just appeared: then it is complete.
    const std::string out = ReadFile(out_);
    EXPECT_TRUE(out == "old" || out.size() > 6'000'000u) << out.size();
    EXPECT_EQ(folder_.Names(), (std::set<std::string>{"in.safetensors", "out.safetensors"}));
  }
}

// The first signal ends what waits for somebody else; nobody comes here.
TEST_F(Durability, AWaitForAPipeEndsByASignal) {
  const std::string npy = folder_.Path("in.npy");
  EXPECT_EQ(Command({"cast", in_, npy, "--to", "f32"}), 0);
  for (const std::string name : {"pipe.npy", "pipe.npz", "pipe.safetensors"}) {
    const std::string pipe = folder_.Path(name);
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const auto& [in, out] :
         std::vector<std::pair<std::string, std::string>>{{pipe, out_}, {in_, pipe}, {npy, pipe}}) {
      const pid_t pid = Start({"cast", in, out, "--to", "f16"});
      SleepMicroseconds(30000);
      kill(pid, SIGINT);
      EXPECT_NE(Wait(pid), 0) << in << " to " << out;
    }
    fs::remove(pipe);
  }
}

TEST_F(Durability, AFullDiskIsStatus5AndLeavesNothing) {
  const std::string disk = folder_.Path("disk");
  fs::create_directory(disk);
  if (mount("exactcast", disk.c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "needs to mount a small file system, which takes root";
  }
  MakeModel();
  EXPECT_EQ(Command({"cast", in_, disk + "/out.safetensors", "--to", "bf16"}), 5);
  EXPECT_TRUE(fs::is_empty(disk));
  EXPECT_EQ(Command({"cast", in_, disk + "/out.npz", "--to", "bf16"}), 5);
  EXPECT_TRUE(fs::is_empty(disk));
  EXPECT_EQ(Command({"cast", model_, disk + "/cast", "--to", "bf16"}), 5);
  EXPECT_FALSE(fs::exists(disk + "/cast"));
  // With more room the run goes on with the shard that it had.
  EXPECT_EQ(mount("exactcast", disk.c_str(), "tmpfs", MS_REMOUNT, "size=8m"), 0);
  EXPECT_EQ(Command({"cast", model_, disk + "/cast", "--to", "bf16", "--resume"}), 0);
  EXPECT_EQ(Files(disk + "/cast"), files_);
  EXPECT_EQ(umount(disk.c_str()), 0);
}

// ---- System calls that fail ---------------------------------------------------------------------

struct Fault {
  std::string call;
  int error;
  int status;  // of the command
};

#ifndef EXACTCAST_SANITIZED

// Each call of the run in turn fails, until none is left to fail.
void ForEachCall(const TemporaryFolder& folder, const Fault& fault,
                 const std::vector<std::string>& command, const std::function<void(int)>& check) {
  const std::string met = folder.Path("met");
  int number = 1;
  for (; number < 200; ++number) {
    const int status =
        Command(command, {{"LD_PRELOAD", EXACTCAST_FAULT_LIBRARY},
                          {"EXACTCAST_FAULT", fault.call + ":" + std::to_string(number) + ":" +
                                                  std::to_string(fault.error)},
                          {"EXACTCAST_FAULT_MET", met}});
    if (!fs::remove(met)) break;
    SCOPED_TRACE(fault.call + " " + std::to_string(number));
    check(status);
  }
  EXPECT_GT(number, 1) << fault.call << " was never called";
}

TEST_F(Durability, AnyFailingCallLeavesTheOldFile) {
  for (const std::string name : {"out.safetensors", "out.npz"}) {
    const std::string out = folder_.Path(name);
    EXPECT_EQ(Command({"cast", in_, out, "--to", "bf16"}), 0);
    const std::string right = ReadFile(out);
    fs::remove(out);
    for (const Fault& fault : std::vector<Fault>{{"pread", EIO, 3},
                                                 {"pwrite", ENOSPC, 5},
                                                 {"pwrite", EIO, 5},
                                                 {"fsync", EIO, 5},
                                                 {"linkat", EDQUOT, 5}}) {
      int refused = 0;
      ForEachCall(folder_, fault, {"cast", in_, out, "--to", "bf16"}, [&](int status) {
        // A file that stands is right: a folder that cannot be synced takes nothing back.
        if (fs::exists(out)) {
          EXPECT_EQ(status, 0);
          EXPECT_EQ(ReadFile(out), right);
        } else {
          EXPECT_EQ(status, fault.status);
          ++refused;
        }
        fs::remove(out);
        EXPECT_EQ(folder_.Names(), std::set<std::string>{"in.safetensors"});
      });
      EXPECT_GT(refused, 0);
      fs::remove(out);
    }
  }
}

TEST_F(Durability, ADiskWithoutTheRoomSaysSoBeforeTheWork) {
  const std::string npy = folder_.Path("in.npy");
  EXPECT_EQ(Command({"cast", in_, npy, "--to", "f32"}), 0);
  const std::vector<std::vector<std::string>> commands = {
      {"cast", in_, out_, "--to", "bf16"},
      {"cast", npy, folder_.Path("out.npy"), "--to", "bf16"},
      {"cast", npy, folder_.Path("out.bin"), "--to", "bf16"}};
  for (const std::vector<std::string>& command : commands) {
    const std::string out = command[2];
    EXPECT_EQ(Command(command), 0) << out;
    const std::string right = ReadFile(out);
    fs::remove(out);
    for (const int error : {ENOSPC, EDQUOT, EFBIG, EOPNOTSUPP}) {
      const int wanted = error == EOPNOTSUPP ? 0 : 5;
      SCOPED_TRACE(out + " " + std::to_string(error));
      int met = 0;
      ForEachCall(folder_, {"fallocate", error, wanted}, command, [&](int status) {
        ++met;
        EXPECT_EQ(status, wanted);
        EXPECT_EQ(fs::exists(out), wanted == 0);
        if (fs::exists(out)) {
          EXPECT_EQ(ReadFile(out), right);
        }
        fs::remove(out);
      });
      EXPECT_EQ(met, 1);
      fs::remove(out);
    }
  }
}

TEST_F(Durability, AnyFailingCallOverShardsLeavesWhatCanBeGoneOnWith) {
  MakeModel();
  for (const Fault& fault : std::vector<Fault>{{"pread", EIO, 3},
                                               {"pwrite", ENOSPC, 5},
                                               {"write", ENOSPC, 5},
                                               {"fsync", EIO, 5},
                                               {"linkat", EDQUOT, 5},
                                               {"renameat2", EIO, 5}}) {
    ForEachCall(folder_, fault, {"cast", model_, cast_, "--to", "bf16"}, [&](int status) {
      if (fs::exists(cast_)) {
        EXPECT_EQ(status, 0);
      } else {
        EXPECT_EQ(status, fault.status);
        EXPECT_EQ(Command({"cast", model_, cast_, "--to", "bf16", "--resume"}), 0);
      }
      EXPECT_EQ(Files(cast_), files_);
      fs::remove_all(cast_);
      EXPECT_EQ(folder_.Names(), (std::set<std::string>{"in.safetensors", "model"}));
    });
    fs::remove_all(cast_);
  }
}

#endif

}  // namespace
