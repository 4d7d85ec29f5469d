// SPDX-License-Identifier: Apache-2.0
//
// Runs the built command as a user's shell would, and gives back its exit status and both streams.
#ifndef EXACTCAST_TESTS_SUPPORT_COMMAND_H_
#define EXACTCAST_TESTS_SUPPORT_COMMAND_H_

#include <sys/resource.h>
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

// What runs wild neither fills the disk nor goes on for ever.
inline void LimitProcess() {
  const rlimit seconds = {.rlim_cur = 60, .rlim_max = 60};
  const rlimit bytes = {.rlim_cur = 1 << 28, .rlim_max = 1 << 28};
  setrlimit(RLIMIT_CPU, &seconds);
  setrlimit(RLIMIT_FSIZE, &bytes);
}

// `words` from the program on; `input` is its standard input. Output goes through files, so that its
// size does not matter.
inline CommandResult RunProgram(const std::vector<std::string>& words, const std::string& input) {
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
    for (std::FILE* file : {in, out, err}) close(fileno(file));
    LimitProcess();
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
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

// `arguments` without the program's name.
inline CommandResult RunCommand(const std::vector<std::string>& arguments,
                                const std::string& input = "") {
  std::vector<std::string> words = {EXACTCAST_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return RunProgram(words, input);
}

// A line of shell, in `folder`; the command is called exactcast there.
inline CommandResult RunShell(const std::string& folder, const std::string& line,
                              const std::string& input = "") {
  const std::string script =
      "exactcast() { '" EXACTCAST_BINARY "' \"$@\"; }; cd '" + folder + "' && " + line;
  return RunProgram({"/bin/sh", "-c", script}, input);
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_COMMAND_H_
