// SPDX-License-Identifier: Apache-2.0
//
// Peers that live in Python: one interpreter, which numpy_peer.py turns into a server for as long
// as the bench runs, so that its samples stand in the same rounds. It measures its own CPU time,
// without the pipe, but with the interpreter's part of a call.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/peers/peers.h"

namespace exactcast::bench {
namespace {

using nlohmann::json;

// A child with a pipe to its standard input and one from its standard output.
class Child {
 public:
  explicit Child(const std::string& python) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (pipe(in.data()) != 0 || pipe(out.data()) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    for (const int fd : {in[0], in[1], out[0], out[1]}) {
      posix_spawn_file_actions_addclose(&actions, fd);
    }
    std::string name = python;
    std::string script = EXACTCAST_BENCH_DIR "/peers/numpy_peer.py";
    std::array<char*, 3> arguments = {name.data(), script.data(), nullptr};
    const int error =
        posix_spawnp(&pid_, name.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_ = fdopen(in[1], "w");
    from_ = fdopen(out[0], "r");
    if (error != 0) pid_ = 0;
  }
  ~Child() {
    if (to_ != nullptr) std::fclose(to_);  // ends the child
    if (from_ != nullptr) std::fclose(from_);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The answer; an empty object where there is no child, or none any more.
  json Ask(const std::string& command) {
    if (pid_ <= 0) return json::object();
    std::fprintf(to_, "%s\n", command.c_str());
    std::fflush(to_);
    std::string line;
    for (int c = std::fgetc(from_); c != EOF && c != '\n'; c = std::fgetc(from_)) {
      line += static_cast<char>(c);
    }
    json answer = json::parse(line, nullptr, false);
    return answer.is_object() ? answer : json::object();
  }

 private:
  pid_t pid_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

// Two files, for the input and the first results.
class Exchange {
 public:
  Exchange() {
    std::string pattern = "/tmp/exactcast-bench-XXXXXX";
    folder_ = mkdtemp(pattern.data()) == nullptr ? "/tmp" : pattern;
  }
  ~Exchange() {
    std::remove(in().c_str());
    std::remove(out().c_str());
    rmdir(folder_.c_str());
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  [[nodiscard]] std::string in() const { return folder_ + "/in"; }
  [[nodiscard]] std::string out() const { return folder_ + "/out"; }

 private:
  std::string folder_;
};

struct Session {
  explicit Session(const std::string& python) : child(python), versions(child.Ask("version")) {}
  Child child;
  json versions;
  Exchange files;
};

class PythonPeer : public Peer {
 public:
  PythonPeer(std::shared_ptr<Session> session, std::string key, std::string name)
      : session_(std::move(session)), key_(std::move(key)), name_(std::move(name)) {}

  [[nodiscard]] std::string Name() const override { return name_; }
  [[nodiscard]] std::string Version() const override {
    const json& versions = session_->versions;
    if (!versions.contains(key_) || versions[key_].is_null()) {
      return "absent: the interpreter has no " + key_ + " (choose another with --python)";
    }
    return versions[key_].get<std::string>() + ", via Python";
  }

  std::optional<Contender> Prepare(const Subject& subject, const Arrays& arrays) override {
    const Row& row = subject.row;
    const bool rounds_so = row.rounding == Rounding::kTiesToEven;
    if (row.rescale || row.packed || !rounds_so || Version().starts_with("absent")) {
      return std::nullopt;
    }
    std::ofstream(session_->files.in(), std::ios::binary)
        .write(reinterpret_cast<const char*>(arrays.in),
               static_cast<std::streamsize>(subject.in_bytes(arrays.n)));
    const std::string command = "prepare " + std::string(GetFormat(row.from).name) + " " +
                                std::string(GetFormat(row.to).name) + " " +
                                std::to_string(arrays.n) + " " + session_->files.in() + " " +
                                session_->files.out();
    if (session_->child.Ask(command).value("by", "") != key_) return std::nullopt;
    std::ifstream(session_->files.out(), std::ios::binary)
        .read(reinterpret_cast<char*>(arrays.out),
              static_cast<std::streamsize>(subject.out_bytes(arrays.n)));
    return Contender{.role = Role::kPeer,
                     .name = name_,
                     .detail = "via Python",
                     .nanoseconds = [session = session_](int calls) {
                       const json answer = session->child.Ask("run " + std::to_string(calls));
                       return answer.value("ns", std::int64_t{0});
                     }};
  }

 private:
  std::shared_ptr<Session> session_;
  std::string key_;
  std::string name_;
};

}  // namespace

std::vector<std::unique_ptr<Peer>> MakePythonPeers(const std::string& python) {
  const auto session = std::make_shared<Session>(python);
  std::vector<std::unique_ptr<Peer>> peers;
  peers.push_back(std::make_unique<PythonPeer>(session, "numpy", "NumPy"));
  peers.push_back(std::make_unique<PythonPeer>(session, "ml_dtypes", "ml_dtypes"));
  return peers;
}

}  // namespace exactcast::bench
