// SPDX-License-Identifier: Apache-2.0
//
// One row at one size on one data set: the bound, the library, memcpy and the peers, in the same
// rounds.
#ifndef EXACTCAST_BENCH_MEASURE_H_
#define EXACTCAST_BENCH_MEASURE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bench/data.h"
#include "bench/machine.h"
#include "bench/peers/peers.h"
#include "bench/row.h"
#include "bench/runner.h"

namespace exactcast::bench {

// Sizes are multiples of this.
inline constexpr std::size_t kSizeUnit = 1024;

enum class CountsWanted { kOff, kOn, kBoth };

struct Setting {
  std::size_t n = 0;
  Data data = Data::kNormal;
  CountsWanted counts = CountsWanted::kBoth;
  Stores stores = Stores::kAuto;  // of the library
  Pace pace;
};

struct Entry {
  Role role = Role::kOurs;
  std::string name;
  std::string detail;
  double same = -1;
  double bytes = 0;  // read and written, by element
  Timing timing;     // nanoseconds by element
};

struct Record {
  Subject subject;
  std::size_t n = 0;
  Data data = Data::kNormal;
  int threads = 1;
  int rounds = 0;
  double bytes = 0;  // read and written, by element
  double bound = 0;  // nanoseconds by element
  double goal = 0;   // the ratio to reach; 0: none at this size
  std::vector<Entry> entries;
};

// Gigabytes in a second.
double Speed(double bytes, double nanoseconds);

// The library's own entry: without counts where there is one.
const Entry* Ours(const Record& record, bool counts);

class Bench {
 public:
  // `bytes`: the larger side of the largest row. Peers run on one thread only.
  Bench(std::size_t bytes, int threads, std::vector<std::unique_ptr<Peer>> peers);

  Record Run(const Subject& subject, const Setting& setting);

  [[nodiscard]] bool has_large_pages() const { return has_large_pages_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Peer>>& peers() const { return peers_; }

 private:
  void AddBounds(const Subject& subject, std::size_t n, std::vector<Contender>& contenders);
  void AddOurs(const Subject& subject, const Setting& setting, std::vector<Contender>& contenders);
  void AddPeers(const Subject& subject, std::size_t n, std::vector<Contender>& contenders);
  [[nodiscard]] bool wall() const { return team_.threads() > 1; }

  Buffer in_;
  Buffer out_;
  bool has_large_pages_;
  Team team_;
  std::vector<std::unique_ptr<Peer>> peers_;
};

}  // namespace exactcast::bench

#endif  // EXACTCAST_BENCH_MEASURE_H_
