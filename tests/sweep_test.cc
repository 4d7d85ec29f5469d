// SPDX-License-Identifier: Apache-2.0
//
// The fast families over every word of 32 bits, and over 2^27 words of 64 bits by pair, mode and form,
// against the general kernels: bits and classes. In every chunk the scalar reference is asked for some
// elements, too. Half an hour on two cores, so labelled exhaustive, and resumable: a sweep that is in
// the log for this very build is not repeated. The log is sweeps.log, or what EXACTCAST_SWEEP_LOG names;
// EXACTCAST_SWEEP_ONLY, words of its lines, restricts the sweeps to those that have them.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "exactcast/cast.h"
#include "src/kernels/cpu_target.h"
#include "src/kernels/kernels.h"
#include "src/kernels/words.h"
#include "src/plan_state.h"

namespace exactcast {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

// What was proved stands for one build: the checksum of the program.
std::string BuildId() {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(self), std::istreambuf_iterator<char>()};
  return std::to_string(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

class Log {
 public:
  Log() {
    const char* path = std::getenv("EXACTCAST_SWEEP_LOG");
    path_ = path != nullptr ? path : "sweeps.log";
    std::ifstream in(path_);
    for (std::string line; std::getline(in, line);) lines_.insert(line);
  }
  [[nodiscard]] bool Wants(const std::string& line) const {
    const char* only = std::getenv("EXACTCAST_SWEEP_ONLY");
    return lines_.count(line) == 0 && (only == nullptr || line.find(only) != std::string::npos);
  }
  void Add(const std::string& line) { std::ofstream(path_, std::ios::app) << line << '\n'; }

 private:
  std::string path_;
  std::set<std::string> lines_;
};

const KernelRow* GeneralKernel(const Params& p) {
  for (const KernelRow* kernel : {&kNarrowKernel, &kWideKernel}) {
    if (kernel->accepts(p)) return kernel;
  }
  return nullptr;
}

// The exact profile's plans from `from` that a fast family serves and a general kernel could.
std::vector<Plan> FastPlans(FormatId from) {
  std::vector<Plan> plans;
  for (const Format& to : kFormats) {
    for (const RoundingRow& mode : kRoundings) {
      if (mode.rounding == Rounding::kNone) continue;
      for (Overflow form : {Overflow::kSaturate, Overflow::kIeee, Overflow::kWrap}) {
        const Result<Plan> plan =
            MakePlan({.from = from, .to = to.id, .rounding = mode.rounding, .overflow = form});
        if (!plan.ok()) continue;
        const PlanState& state = PlanAccess::State(*plan);
        if (to.kind == Kind::kComplex) continue;  // the real part's plan
        const KernelRow* general = GeneralKernel(state.params);
        if (general == nullptr || state.kernel->name == general->name) continue;
        plans.push_back(*plan);
      }
    }
  }
  return plans;
}

class Sweep {
 public:
  Sweep(const Params& params, const KernelRow& fast, const KernelRow& general)
      : p_(params), fast_(fast), general_(general) {}

  // Chunks in turn, by every core. The number of elements.
  std::uint64_t Run() {
    const std::uint64_t chunks = p_.source->storage_bits == 32 ? std::uint64_t{1} << 12 : 128;
    fast_.prepare(p_, kChunk);
    std::vector<std::thread> threads;
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < cores; ++i) {
      threads.emplace_back([&, chunks] {
        for (std::uint64_t c = next_++; c < chunks && !failed_; c = next_++) RunChunk(c);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return failed_ ? 0 : chunks * kChunk;
  }

  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  void Fill(std::uint64_t chunk, std::vector<std::byte>* in) const {
    if (p_.source->storage_bits == 32) {
      for (std::size_t i = 0; i < kChunk; ++i) {
        StoreWord(in->data(), i, static_cast<std::uint32_t>(chunk * kChunk + i));
      }
      return;
    }
    // Any bits; every other word shorter, so that integers of every size and floats near 1 are there.
    std::mt19937_64 random(chunk);
    const bool is_float = IsFloat(*p_.source);
    for (std::size_t i = 0; i < kChunk; ++i) {
      const std::uint64_t any = random();
      std::uint64_t word = any;
      if (i % 2 != 0) {
        const auto low = static_cast<int>(random() % 64);
        word = is_float ? (any & 0x800fffffffffffff) | (1023 - 160 + random() % 320) << 52
                        : static_cast<std::uint64_t>(static_cast<std::int64_t>(any) >> low);
        if (is_float && i % 4 == 1) word &= ~std::uint64_t{0} << (low % 53);
      }
      StoreWord(in->data(), i, word);
    }
  }

  void RunChunk(std::uint64_t chunk) {
    const std::size_t in_bytes = static_cast<std::size_t>(p_.source->storage_bits) / 8;
    const std::size_t out_bytes = static_cast<std::size_t>(p_.target->storage_bits) / 8;
    std::vector<std::byte> in(kChunk * in_bytes);
    std::vector<std::byte> got(kChunk * out_bytes);
    std::vector<std::byte> want(kChunk * out_bytes);
    Fill(chunk, &in);
    Tally tally{};
    Tally expected{};
    fast_.run(p_, in.data(), got.data(), {}, kChunk, &tally);
    general_.run(p_, in.data(), want.data(), {}, kChunk, &expected);
    if (tally != expected) Fail("classes differ in chunk " + std::to_string(chunk));
    if (got != want) {
      const auto differ = std::ranges::mismatch(got, want).in1 - got.begin();
      Fail("element " +
           std::to_string(chunk * kChunk + static_cast<std::size_t>(differ) / out_bytes));
    }
    fast_.run(p_, in.data(), want.data(), {}, kChunk, nullptr);
    if (got != want) Fail("without counts differs in chunk " + std::to_string(chunk));
    for (std::size_t i = chunk % 4099; i < kChunk; i += 4099) {
      const std::uint64_t word = LoadWord(in.data(), i, p_.source->storage_bits);
      const CastResult result = CastElement(p_, word, i);
      if (result.bits != LoadWord(got.data(), i, p_.target->storage_bits)) {
        Fail("the reference differs at element " + std::to_string(chunk * kChunk + i));
      }
    }
  }

  void Fail(const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = what;
    failed_ = true;
  }

  const Params& p_;
  const KernelRow& fast_;
  const KernelRow& general_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::string failure_;
};

class FastFamilies : public testing::TestWithParam<FormatId> {
 protected:
  void TearDown() override { UseCpuTarget(""); }
};

TEST_P(FastFamilies, EqualTheGeneralKernelsOnEveryWord) {
  Log log;
  const std::string build = BuildId();
  for (std::string_view target : CpuTargets()) {
    if (target != "avx2" && target != "neon") continue;
    ASSERT_TRUE(UseCpuTarget(target));
    for (const Plan& plan : FastPlans(GetParam())) {
      const PlanState& state = PlanAccess::State(plan);
      const Params& p = state.params;
      const KernelRow& general = *GeneralKernel(p);
      const std::string line = std::string(p.source->name) + " " + std::string(p.target->name) +
                               " " + std::string(Name(p.rounding)) + " overflow rule " +
                               std::to_string(static_cast<int>(p.rules.overflow)) + ": " +
                               std::string(state.kernel->name) + " = " + std::string(general.name) +
                               " on " + std::string(target) + ", build " + build;
      if (!log.Wants(line)) continue;
      Sweep sweep(p, *state.kernel, general);
      EXPECT_GT(sweep.Run(), 0u) << line << ": " << sweep.failure();
      if (sweep.failure().empty()) log.Add(line);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(From, FastFamilies,
                         testing::Values(FormatId::kFloat32, FormatId::kInt32, FormatId::kUint32,
                                         FormatId::kFloat64, FormatId::kInt64, FormatId::kUint64),
                         [](const auto& test) { return std::string(GetFormat(test.param).name); });

}  // namespace
}  // namespace exactcast
