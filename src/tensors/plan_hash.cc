// SPDX-License-Identifier: Apache-2.0
//
// FNV-1a, 64 bits, twice with different beginnings.
#include "src/tensors/plan_hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "exactcast/version.h"

namespace exactcast {
namespace {

class Hash {
 public:
  void Add(std::string_view text) {
    for (const char c : text) {
      a_ = (a_ ^ static_cast<unsigned char>(c)) * kPrime;
      b_ = (b_ ^ static_cast<unsigned char>(c)) * kPrime;
    }
  }
  [[nodiscard]] std::string Text() const { return fmt::format("{:016x}{:016x}", a_, b_); }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t a_ = 0xcbf29ce484222325;
  std::uint64_t b_ = 0x9ae16a3b2f90404f;
};

template <typename Choice>
int Number(const std::optional<Choice>& choice) {
  return choice ? static_cast<int>(*choice) : -1;
}

std::string OptionsText(const TensorFilesRequest& r) {
  const int nan_to_integer = r.nan_to_integer ? static_cast<int>(r.nan_to_integer->result) : -1;
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n", kVersion, r.profile, Number(r.rounding),
                     Number(r.overflow), Number(r.nan), Number(r.float_rounding),
                     r.flush_subnormals, nan_to_integer, r.strict, r.counts, r.skip_unindexed);
}

}  // namespace

std::string PlanHash(const TensorFilesRequest& request, const std::vector<Decision>& decisions,
                     const std::vector<std::string>& files, const Shards& shards) {
  Hash hash;
  hash.Add(OptionsText(request));
  for (std::size_t i = 0; i < shards.files.size(); ++i) {
    const std::optional<struct stat> facts = shards.inputs[i]->Facts();
    hash.Add(fmt::format("{} {} {} {}\n", shards.files[i], shards.inputs[i]->file_bytes(),
                         facts ? facts->st_mtim.tv_sec : 0, facts ? facts->st_mtim.tv_nsec : 0));
  }
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const StoredTensor& tensor = decisions[i].tensor();
    hash.Add(fmt::format("{} {} {} [{}] {} {} {}\n", files[i], tensor.name, tensor.type,
                         fmt::join(tensor.layout.shape, ","), tensor.layout.begin,
                         decisions[i].cast, static_cast<int>(decisions[i].to)));
  }
  return "exactcast plan " + hash.Text() + "\n";
}

}  // namespace exactcast
