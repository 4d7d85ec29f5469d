// SPDX-License-Identifier: Apache-2.0
//
// Outputs: every refusal, what becomes of files, links, devices and pipes, and that nothing
// half-written is ever seen.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "exactcast/container.h"
#include "exactcast/spec/format.h"
#include "src/containers/output_file.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

using support::CurrentNpyFile;
using support::ReadFile;
using support::TemporaryFolder;
using support::WriteFile;
namespace fs = std::filesystem;

void ExpectFailure(const Status& status, StatusCode code, const std::string& words) {
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_NE(status.message().find(words), std::string::npos)
      << "no \"" << words << "\" in: " << status.message();
}

const std::string kFive = "\1\2\3\4\5";

class Output : public testing::Test {
 protected:
  Output() { signal(SIGPIPE, SIG_IGN); }  // as the command does

  // Casts in.bin, five bytes from 1 on, to `output`, as int8.
  Status Cast(const std::string& output, bool force = false, bool strict = false) {
    return Cast(folder().File("in.bin", "\1\2\3\4\5"), output, force, strict);
  }
  static Status Cast(const std::string& input, const std::string& output, bool force, bool strict,
                     FormatId to = FormatId::kInt8) {
    FileCastRequest request;
    request.input = input;
    request.output = output;
    request.from = FormatId::kUint8;
    request.to = to;
    request.force = force;
    request.strict = strict;
    return CastFile(request).status();
  }
  [[nodiscard]] std::string Out() const { return folder().Path("out.bin"); }
  static mode_t Mode(const std::string& path) {
    struct stat facts = {};
    EXPECT_EQ(stat(path.c_str(), &facts), 0) << path;
    return facts.st_mode & 07777;
  }

  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

TEST_F(Output, ExistingFileIsKeptWithoutForce) {
  WriteFile(Out(), "old");
  ExpectFailure(Cast(Out()), StatusCode::kNotWritten, "out.bin: exists; use --force");
  EXPECT_EQ(ReadFile(Out()), "old");
  EXPECT_TRUE(Cast(Out(), true).ok());
  EXPECT_EQ(ReadFile(Out()), kFive);
  EXPECT_EQ(folder().Names(), (std::set<std::string>{"in.bin", "out.bin"}));
}

TEST_F(Output, FoldersAreRefused) {
  ExpectFailure(Cast(folder().path()), StatusCode::kNotWritten, "is a folder");
  ExpectFailure(Cast(folder().path(), true), StatusCode::kNotWritten, "is a folder");
  ExpectFailure(Cast(folder().Path("absent/out.bin")), StatusCode::kNotWritten,
                "there is no folder");
  ExpectFailure(Cast(folder().Path("absent/")), StatusCode::kNotWritten, "no such folder");
  ExpectFailure(Cast(folder().Path("in.bin/out.bin")), StatusCode::kNotWritten, "not a folder");
}

TEST_F(Output, UnwritableFolderIsRefused) {
  ExpectFailure(Cast("/proc/exactcast-output.bin"), StatusCode::kNotWritten, "/proc/");
  const std::string input = folder().File("in.bin", kFive);
  const std::string closed = folder().Path("closed");
  fs::create_directory(closed);
  ASSERT_EQ(chmod(closed.c_str(), 0555), 0);
  ASSERT_EQ(chmod(folder().path().c_str(), 0755), 0);
  const pid_t child = fork();
  if (child == 0) {
    // Permission bits do not stop root.
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(77);
    const Status status = Cast(input, closed + "/out.bin", false, false);
    ExpectFailure(status, StatusCode::kNotWritten, "permission denied");
    _exit(HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "cannot become an ordinary user";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Output, RefusalOfTheInputCreatesNothing) {
  ExpectFailure(Cast(folder().Path("absent.bin"), Out(), false, false), StatusCode::kBadInput,
                "no such file");
  EXPECT_TRUE(folder().Names().empty());
  const std::string input = folder().File("in.bin", "\xff");
  WriteFile(Out(), "old");
  ExpectFailure(Cast(input, Out(), true, true), StatusCode::kBadInput, "element 0 (255)");
  EXPECT_EQ(ReadFile(Out()), "old");
}

TEST_F(Output, InputAndOutputAreNeverOneFile) {
  const std::string input = folder().File("in.bin", kFive);
  fs::create_hard_link(input, folder().Path("hard.bin"));
  fs::create_symlink("in.bin", folder().Path("soft.bin"));
  fs::create_symlink("soft.bin", folder().Path("softer.bin"));
  for (const std::string name : {"in.bin", "hard.bin", "soft.bin", "softer.bin", "./in.bin"}) {
    for (const bool force : {false, true}) {
      ExpectFailure(Cast(input, folder().Path(name), force, false), StatusCode::kUsage,
                    "the same file");
      ExpectFailure(Cast(folder().Path(name), input, force, false), StatusCode::kUsage,
                    "the same file");
    }
  }
  EXPECT_EQ(ReadFile(input), kFive);
}

TEST_F(Output, LinkStaysAndItsTargetIsReplaced) {
  fs::create_directory(folder().Path("far"));
  WriteFile(folder().Path("far/target.bin"), "old");
  fs::create_symlink("far/middle.bin", Out());
  fs::create_symlink("target.bin", folder().Path("far/middle.bin"));
  ASSERT_TRUE(Cast(Out(), true).ok());
  EXPECT_TRUE(fs::is_symlink(Out()));
  EXPECT_TRUE(fs::is_symlink(folder().Path("far/middle.bin")));
  EXPECT_EQ(ReadFile(folder().Path("far/target.bin")), kFive);

  fs::create_symlink("far/new.bin", folder().Path("dangling.bin"));
  ASSERT_TRUE(Cast(folder().Path("dangling.bin")).ok());
  EXPECT_TRUE(fs::is_symlink(folder().Path("dangling.bin")));
  EXPECT_EQ(ReadFile(folder().Path("far/new.bin")), kFive);

  fs::create_symlink("circle.bin", folder().Path("circle.bin"));
  ExpectFailure(Cast(folder().Path("circle.bin")), StatusCode::kNotWritten, "circle");
}

TEST_F(Output, PermissionsFollowTheUmaskOrTheReplacedFile) {
  const mode_t saved = umask(027);
  EXPECT_TRUE(Cast(Out()).ok());
  EXPECT_EQ(Mode(Out()), 0640U);
  for (const mode_t mode : {0600U, 0444U, 0777U, 0666U}) {
    ASSERT_EQ(chmod(Out().c_str(), mode), 0);
    EXPECT_TRUE(Cast(Out(), true).ok());
    EXPECT_EQ(Mode(Out()), mode);
  }
  umask(saved);
}

TEST_F(Output, OwnerOfAReplacedFileIsKept) {
  if (getuid() != 0) GTEST_SKIP() << "only root can give files away";
  for (const bool use_named : {false, true}) {
    WriteFile(Out(), "old");
    ASSERT_EQ(chown(Out().c_str(), 12345, 23456), 0);
    ASSERT_EQ(chmod(Out().c_str(), 0640), 0);
    Result<OutputFile> output = OutputFile::Create(Out(), {.force = true, .use_named = use_named});
    ASSERT_TRUE(output.ok());
    EXPECT_TRUE(output->Commit().ok());
    struct stat facts = {};
    ASSERT_EQ(stat(Out().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_uid, 12345U);
    EXPECT_EQ(facts.st_gid, 23456U);
    EXPECT_EQ(Mode(Out()), 0640U);
  }
}

// The way that file systems without nameless files need.
TEST_F(Output, NamedTemporariesBehaveAlike) {
  const OutputOptions options = {.use_named = true};
  const mode_t saved = umask(022);
  {
    Result<OutputFile> dropped = OutputFile::Create(Out(), options);
    ASSERT_TRUE(dropped.ok());
    EXPECT_EQ(folder().Names().size(), 1U);
    EXPECT_TRUE(folder().Names().begin()->starts_with(".out.bin.exactcast-"));
  }
  EXPECT_TRUE(folder().Names().empty());
  {
    Result<OutputFile> late = OutputFile::Create(Out(), options);
    ASSERT_TRUE(late.ok());
    WriteFile(Out(), "theirs");
    ExpectFailure(late->Commit(), StatusCode::kNotWritten, "appeared in the meantime");
  }
  EXPECT_EQ(ReadFile(Out()), "theirs");
  EXPECT_EQ(folder().Names().size(), 1U);

  Result<OutputFile> forced = OutputFile::Create(Out(), {.force = true, .use_named = true});
  ASSERT_TRUE(forced.ok());
  EXPECT_TRUE(forced->Write("mine", 4).ok());
  EXPECT_TRUE(forced->Commit().ok());
  EXPECT_EQ(ReadFile(Out()), "mine");
  EXPECT_EQ(Mode(Out()), 0644U);
  EXPECT_EQ(folder().Names().size(), 1U);

  Result<OutputFile> longest = OutputFile::Create(folder().Path(std::string(255, 'n')), options);
  ASSERT_TRUE(longest.ok()) << longest.status().message();
  EXPECT_TRUE(longest->Commit().ok());
  umask(saved);
}

// Room that was made beforehand is no part of the file.
TEST_F(Output, TheLengthIsThatOfWhatWasWritten) {
  for (const std::size_t size :
       {std::size_t{5}, std::size_t{1} << 20, (std::size_t{1} << 20) + 1}) {
    for (const bool use_named : {false, true}) {
      const std::string data(size, 'x');
      Result<OutputFile> output = OutputFile::Create(
          Out(), {.force = true, .bytes = std::size_t{1} << 20, .use_named = use_named});
      ASSERT_TRUE(output.ok()) << output.status().message();
      ASSERT_TRUE(output->Write(data.data(), data.size()).ok());
      ASSERT_TRUE(output->Commit().ok());
      EXPECT_EQ(ReadFile(Out()), data);
    }
  }
}

TEST_F(Output, FileThatAppearsInTheMeantimeIsKept) {
  Result<OutputFile> output = OutputFile::Create(Out(), {});
  ASSERT_TRUE(output.ok());
  WriteFile(Out(), "theirs");
  ExpectFailure(output->Commit(), StatusCode::kNotWritten, "appeared in the meantime");
  EXPECT_EQ(ReadFile(Out()), "theirs");
  Result<OutputFile> forced = OutputFile::Create(folder().Path("b"), {.force = true});
  ASSERT_TRUE(forced.ok());
  WriteFile(folder().Path("b"), "theirs");
  EXPECT_TRUE(forced->Commit().ok());
  EXPECT_EQ(ReadFile(folder().Path("b")), "");
  EXPECT_EQ(folder().Names(), (std::set<std::string>{"b", "out.bin"}));
}

// ---- What cannot be taken back ------------------------------------------------------------------

bool IsDevice(const char* path) {
  struct stat facts = {};
  return stat(path, &facts) == 0 && S_ISCHR(facts.st_mode);
}

TEST_F(Output, DevicesStayDevices) {
  for (const bool force : {false, true}) {
    for (const bool strict : {false, true}) {
      EXPECT_TRUE(Cast("/dev/null", force, strict).ok());
      ExpectFailure(Cast("/dev/full", force, strict), StatusCode::kNotWritten,
                    "/dev/full: no space left");
    }
  }
  EXPECT_TRUE(IsDevice("/dev/null"));
  EXPECT_TRUE(IsDevice("/dev/full"));
}

std::string Drain(int fd) {
  std::string bytes(1000, '\0');
  const ssize_t size = read(fd, bytes.data(), bytes.size());
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

TEST_F(Output, PipesAndSocketsAreWrittenStraightThrough) {
  for (const bool use_socket : {false, true}) {
    int ends[2] = {};
    ASSERT_EQ(use_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends), 0);
    const std::string path = "/dev/fd/" + std::to_string(ends[1]);
    EXPECT_TRUE(Cast(path).ok());
    EXPECT_EQ(Drain(ends[0]), kFive);
    EXPECT_TRUE(Cast(path, false, true).ok());
    EXPECT_EQ(Drain(ends[0]), kFive);
    close(ends[0]);
    ExpectFailure(Cast(path), StatusCode::kNotWritten, "reader has closed the pipe");
    close(ends[1]);
  }
}

TEST_F(Output, StrictLetsNothingThroughBeforeAllIsKnown) {
  std::string bytes(600000, '\1');  // the fault is in the third block
  bytes[599999] = '\xff';
  const std::string input = folder().File("in.bin", bytes);
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  ExpectFailure(Cast(input, "/dev/fd/" + std::to_string(ends[1]), false, true),
                StatusCode::kBadInput, "element 599999");
  close(ends[1]);
  EXPECT_EQ(Drain(ends[0]), "");
  close(ends[0]);
}

TEST_F(Output, StandardOutputGoesOnWhereItStands) {
  const int file = open(Out().c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_EQ(write(file, "head", 4), 4);
  const int saved = dup(STDOUT_FILENO);
  std::fflush(stdout);
  dup2(file, STDOUT_FILENO);
  const Status dash = Cast("-");
  const Status named = Cast("/dev/stdout");
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(file);
  EXPECT_TRUE(dash.ok()) << dash.message();
  EXPECT_TRUE(named.ok()) << named.message();
  EXPECT_EQ(ReadFile(Out()), "head" + kFive + kFive);
}

// The name says what a pipe carries, as it does for a file.
TEST_F(Output, NamedPipeIsWrittenNotReplaced) {
  for (const bool strict : {false, true}) {
    for (const std::string name : {"pipe", "pipe.npy"}) {
      const std::string path = folder().Path(name);
      ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
      std::string got;
      std::thread reader([&] { got = ReadFile(path); });
      EXPECT_TRUE(Cast(path, false, strict).ok());
      reader.join();
      EXPECT_EQ(got, name == "pipe" ? kFive : CurrentNpyFile(1, "'|i1'", false, "(5,)", kFive));
      EXPECT_TRUE(fs::is_fifo(path));
      fs::remove(path);
    }
  }
}

TEST_F(Output, NpyIntoAPipeNeedsTheShapeBeforehand) {
  const std::string path = folder().Path("pipe.npy");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  FileCastRequest request = {
      .input = "", .output = path, .to = FormatId::kInt8, .from = FormatId::kUint8};
  int input = -1;
  const auto fill = [&] {  // bytes that a refused run has looked at are gone
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], kFive.data(), kFive.size()), 5);
    close(ends[1]);
    input = ends[0];
    request.input = "/dev/fd/" + std::to_string(input);
  };
  fill();
  ExpectFailure(CastFile(request).status(), StatusCode::kUsage, "--shape");
  close(input);
  fill();
  request.shape = {5, 1};
  std::string got;
  std::thread reader([&] { got = ReadFile(path); });
  EXPECT_TRUE(CastFile(request).ok());
  reader.join();
  close(input);
  EXPECT_EQ(got, CurrentNpyFile(1, "'|i1'", false, "(5, 1)", kFive));
}

// ---- Full disks and sudden ends -----------------------------------------------------------------

TEST_F(Output, FullDiskLeavesNothing) {
  const std::string disk = folder().Path("disk");
  fs::create_directory(disk);
  if (mount("exactcast", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "needs to mount a small file system, which takes root";
  }
  const std::string input = folder().File("in.bin", std::string(1000000, '\1'));
  for (const bool force : {false, true}) {
    const Status status = Cast(input, disk + "/out.bin", force, false);
    ExpectFailure(status, StatusCode::kNotWritten, "no space left on the device");
    EXPECT_TRUE(fs::is_empty(disk));
  }
  EXPECT_EQ(umount(disk.c_str()), 0);
}

TEST_F(Output, FileSizeLimitIsAFailureLikeAnother) {
  const std::string input = folder().File("in.bin", std::string(1000000, '\1'));
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {.rlim_cur = 4096, .rlim_max = 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(static_cast<int>(Cast(input, Out(), false, false).code()));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(StatusCode::kNotWritten));
  EXPECT_FALSE(fs::exists(Out()));
}

bool HasNamelessFiles(const std::string& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

// Kills a child that casts over and over.
void KillWhileCasting(const std::function<void()>& cast, int microseconds) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) cast();
  }
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
}

TEST_F(Output, KilledRunLeavesTheOldFileOrTheNewOne) {
  if (!HasNamelessFiles(folder().path()))
    GTEST_SKIP() << "no nameless files in the temporary folder";
  const std::string content(1500000, '\1');
  const std::string input = folder().File("in.bin", content);
  std::mt19937 random(5);
  for (int run = 0; run < 40; ++run) {
    const bool force = run % 2 == 0;
    const std::string old = force ? "old" : "";
    fs::remove(Out());
    if (force) WriteFile(Out(), old);
    KillWhileCasting([&] { static_cast<void>(Cast(input, Out(), force, false)); },
                     static_cast<int>(random() % 20000));
    if (fs::exists(Out())) {
      const std::string bytes = ReadFile(Out());
      EXPECT_TRUE(bytes == content || (force && bytes == old)) << bytes.size() << " bytes";
    }
    for (const std::string& name : folder().Names()) {
      if (name == "in.bin" || name == "out.bin") continue;
      // To replace a file its successor has a name of its own for the moment between two system
      // calls.
      EXPECT_TRUE(force) << name;
      EXPECT_EQ(ReadFile(folder().Path(name)), content) << name;
      fs::remove(folder().Path(name));
    }
  }
}

}  // namespace
}  // namespace exactcast
