// SPDX-License-Identifier: Apache-2.0
//
// Casting views: what lies in a row goes straight to Plan::Run, the rest block by block over a copy
// on the stack. In place the input always goes over a copy: kernels may read it again, and do, to
// count or to look for what was lost.
#include "exactcast/view.h"

#include <cstring>
#include <mutex>

#include "src/kernels/block.h"
#include "src/threads.h"
#include "src/view_layout.h"

namespace exactcast {
namespace {

// Elements per thread below which waking one does not pay.
constexpr std::size_t kWorthThread = 1 << 16;

// Elements in a row from which on a call for each row is cheaper than a copy.
constexpr std::size_t kWorthCall = 256;

constexpr std::size_t kLargestElement = 16;
using Block = std::array<std::byte, kBlock * kLargestElement>;

template <std::size_t kSize>
void CopyElements(const std::byte* from, std::int64_t from_stride, std::byte* to,
                  std::int64_t to_stride, std::uint64_t n) {
  constexpr auto kStride = static_cast<std::int64_t>(kSize);
  if (from_stride == kStride && to_stride == kStride) {
    std::memcpy(to, from, n * kSize);
    return;
  }
  for (std::uint64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    std::memcpy(to + at * to_stride, from + at * from_stride, kSize);
  }
}

using Copy = void (*)(const std::byte*, std::int64_t, std::byte*, std::int64_t, std::uint64_t);

Copy CopyFor(std::int64_t size) {
  switch (size) {
    case 1:
      return CopyElements<1>;
    case 2:
      return CopyElements<2>;
    case 4:
      return CopyElements<4>;
    case 8:
      return CopyElements<8>;
    default:
      return CopyElements<16>;
  }
}

class ViewRange {
 public:
  ViewRange(const Plan& plan, const ViewPair& pair, const std::byte* source, std::byte* target,
            const RunOptions& options)
      : plan_(plan), pair_(pair), source_(source), target_(target), options_(options) {
    options_.threads = 1;
  }

  // [begin, end) begins at a multiple of kBlock, so that packed elements begin on whole bytes.
  void Run(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t row = std::min(pair_.in.RowLength(), pair_.out.RowLength());
    const bool by_rows =
        row >= kWorthCall && !pair_.in_place && !pair_.in.is_packed && !pair_.out.is_packed;
    for (std::uint64_t i = begin; i < end;) {
      const std::uint64_t in_row = std::min(pair_.in.RowFrom(i), pair_.out.RowFrom(i));
      const std::uint64_t n = std::min(by_rows ? in_row : kBlock, end - i);
      RunBlock(i, n);
      i += n;
    }
  }

  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  // More than a block only where both sides are in a row.
  void RunBlock(std::uint64_t index, std::uint64_t n) {
    const bool gathers = pair_.in_place || pair_.in.RowFrom(index) < n;
    const bool scatters = pair_.out.RowFrom(index) < n;
    if (gathers) Gather(index, n);
    const std::byte* in = gathers ? gathered_.data() : source_ + pair_.in.OffsetOf(index);
    std::byte* out = scatters ? results_.data() : target_ + pair_.out.OffsetOf(index);
    RunOptions options = options_;
    options.first += index;
    const Counts counts = plan_.Run(in, out, n, options);
    if (options_.counts) counts_ += counts;
    if (scatters) Scatter(index, n);
  }

  void Gather(std::uint64_t index, std::uint64_t n) {
    if (pair_.in.is_whole) {
      std::memcpy(gathered_.data(), source_ + pair_.in.OffsetOf(index), plan_.InputBytes(n));
      return;
    }
    std::byte* to = gathered_.data();
    const std::int64_t size = pair_.in.size;
    ForStretches(pair_.in, index, n,
                 [&](std::int64_t offset, std::int64_t stride, std::uint64_t count) {
                   copy_in_(source_ + offset, stride, to, size, count);
                   to += static_cast<std::int64_t>(count) * size;
                 });
  }

  void Scatter(std::uint64_t index, std::uint64_t n) {
    const std::byte* from = results_.data();
    const std::int64_t size = pair_.out.size;
    ForStretches(pair_.out, index, n,
                 [&](std::int64_t offset, std::int64_t stride, std::uint64_t count) {
                   copy_out_(from, size, target_ + offset, stride, count);
                   from += static_cast<std::int64_t>(count) * size;
                 });
  }

  const Plan& plan_;
  const ViewPair& pair_;
  const std::byte* const source_;
  std::byte* const target_;
  RunOptions options_;
  const Copy copy_in_ = CopyFor(pair_.in.size);
  const Copy copy_out_ = CopyFor(pair_.out.size);
  Counts counts_;
  Block gathered_;
  Block results_;
};

std::size_t PartsFor(const ViewPair& pair, int threads) {
  if (pair.forwards_only) return 1;
  const auto wanted = static_cast<std::size_t>(threads > 0 ? threads : AvailableThreads());
  return std::min<std::size_t>(wanted, std::max<std::uint64_t>(1, pair.elements / kWorthThread));
}

}  // namespace

Result<Counts> CastView(const Plan& plan, const ConstView& in, const View& out,
                        const RunOptions& options) {
  const Result<ViewPair> pair = CheckViews(plan, in, out);
  if (!pair.ok()) return pair.status();
  Counts total;
  if (pair->elements == 0) return total;
  if (pair->in.is_whole && pair->out.is_whole && !pair->in_place) {
    return plan.Run(in.data, out.data, pair->elements, options);
  }
  const auto* source = static_cast<const std::byte*>(in.data);
  auto* target = static_cast<std::byte*>(out.data);
  std::mutex mutex;
  ParallelRanges(pair->elements, PartsFor(*pair, options.threads), kBlock,
                 [&](std::size_t begin, std::size_t end) {
                   ViewRange range(plan, *pair, source, target, options);
                   range.Run(begin, end);
                   const std::lock_guard lock(mutex);
                   total += range.counts();
                 });
  return total;
}

}  // namespace exactcast
