// SPDX-License-Identifier: Apache-2.0
//
// Processes and their accounts, as process.h says.
#include "bench/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "bench/machine.h"

namespace exactcast::bench {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

ProcessTaken RunApart(const std::function<int()>& work) {
  const std::int64_t begin = WallNanoseconds();
  const pid_t pid = fork();
  if (pid == 0) _exit(work());
  int status = 0;
  rusage usage = {};
  while (pid > 0 && wait4(pid, &status, 0, &usage) < 0) {
    if (errno != EINTR) return {};
  }
  if (pid < 0) return {};
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .wall = static_cast<double>(WallNanoseconds() - begin) * 1e-9,
          .cpu = Seconds(usage.ru_utime) + Seconds(usage.ru_stime),
          .peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

ProcessTaken RunProgram(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return RunApart([&] {
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    execvp(argv[0], argv.data());
    return 127;
  });
}

}  // namespace exactcast::bench
