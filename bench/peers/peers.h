// SPDX-License-Identifier: Apache-2.0
//
// Peers: what else on this machine does a row's conversion. Each stands beside the library in the
// same rounds, on the same arrays; one that is not there is named as absent.
#ifndef EXACTCAST_BENCH_PEERS_PEERS_H_
#define EXACTCAST_BENCH_PEERS_PEERS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/row.h"
#include "bench/runner.h"

namespace exactcast::bench {

struct Arrays {
  const std::byte* in = nullptr;
  std::byte* out = nullptr;
  std::size_t n = 0;
};

class Peer {
 public:
  virtual ~Peer() = default;
  [[nodiscard]] virtual std::string Name() const = 0;
  [[nodiscard]] virtual std::string Version() const = 0;  // "absent" and why, where it is
  // Ready to convert in to out; nothing where the peer does not do the row.
  virtual std::optional<Contender> Prepare(const Subject& subject, const Arrays& arrays) = 0;
};

std::unique_ptr<Peer> MakeHighwayPeer();
std::unique_ptr<Peer> MakeOpencvPeer();
// NumPy and ml_dtypes in the interpreter `python`.
std::vector<std::unique_ptr<Peer>> MakePythonPeers(const std::string& python);

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_PEERS_PEERS_H_
