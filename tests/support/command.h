// SPDX-License-Identifier: Apache-2.0
//
// Runs the built command as a user's shell would, and gives back its exit status and both streams.
#ifndef EXACTCAST_TESTS_SUPPORT_COMMAND_H_
#define EXACTCAST_TESTS_SUPPORT_COMMAND_H_

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace support {

struct CommandResult {
  int status = -1;  // exit status; 128 + the signal when it was killed
  std::string out;
  std::string err;
};

inline std::string ReadAll(std::FILE* file) {
  std::string text;
  std::array<char, 1 << 16> buffer;
  std::rewind(file);
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file))
    text.append(buffer.data(), n);
  std::fclose(file);
  return text;
}

// `arguments` without the program's name; `input` is its standard input. Output goes through files,
// so that its size does not matter.
inline CommandResult RunCommand(const std::vector<std::string>& arguments,
                                const std::string& input = "") {
  std::FILE* in = std::tmpfile();
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  if (in == nullptr || out == nullptr || err == nullptr) std::abort();
  std::fwrite(input.data(), 1, input.size(), in);
  std::fflush(in);
  std::rewind(in);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(fileno(in), 0);
    dup2(fileno(out), 1);
    dup2(fileno(err), 2);
    std::vector<char*> argv = {const_cast<char*>(EXACTCAST_BINARY)};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(EXACTCAST_BINARY, argv.data());
    _exit(127);
  }
  int wait_status = 0;
  waitpid(pid, &wait_status, 0);
  std::fclose(in);
  CommandResult result;
  result.status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  result.out = ReadAll(out);
  result.err = ReadAll(err);
  return result;
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_COMMAND_H_
