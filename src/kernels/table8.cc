// SPDX-License-Identifier: Apache-2.0
//
// The kernel for sources of 8 bits: the result of every code, looked up. The table is filled by the
// reference: on purpose the only kernel that leans on it; its witnesses are the oracle and the
// golden vectors.
//
// A lookup in 256 bytes is 16 in 16 bytes, by the low nibble, and a choice among them, bit by bit of
// the high one.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/table8.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h:
#include <hwy/highway.h>

#include <algorithm>

#include "src/kernels/block.h"
#include "src/kernels/kernels.h"
#include "src/kernels/words.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

std::size_t LookUpBytes(const CodeTable&, int, const std::uint8_t*, std::byte*, std::size_t) {
  return 0;
}
std::size_t CountSet(const CodeTable::CodeSet&, const std::uint8_t*, std::size_t, std::uint64_t*) {
  return 0;
}

#else

// Among the first kRows rows of 16; with 8, codes with the top bit are `turn`ed, but for the one that
// has nothing else.
template <int kRows, class V>
HWY_INLINE V LookUp(const std::uint8_t* table, V turn, V codes) {
  const hn::DFromV<V> d;
  const hn::RebindToSigned<hn::DFromV<V>> di;
  const V low = hn::And(codes, hn::Set(d, std::uint8_t{15}));
  if constexpr (kRows == 1) return hn::TableLookupBytes(hn::LoadDup128(d, table), low);
  // The bit that decides stands at the top of the byte.
  const auto bit4 = hn::BitCast(di, hn::ShiftLeft<3>(codes));
  const auto bit5 = hn::BitCast(di, hn::ShiftLeft<2>(codes));
  const auto bit6 = hn::BitCast(di, hn::ShiftLeft<1>(codes));
  const auto bit7 = hn::BitCast(di, codes);
  const auto row = [&](std::size_t high) HWY_ATTR {
    return hn::BitCast(di, hn::TableLookupBytes(hn::LoadDup128(d, table + 16 * high), low));
  };
  const auto pair = [&](std::size_t high)
                        HWY_ATTR { return hn::IfNegativeThenElse(bit4, row(high + 1), row(high)); };
  const auto four = [&](std::size_t high) HWY_ATTR {
    return hn::IfNegativeThenElse(bit5, pair(high + 2), pair(high));
  };
  const auto eight = [&](std::size_t high) HWY_ATTR {
    return hn::IfNegativeThenElse(bit6, four(high + 4), four(high));
  };
  if constexpr (kRows == 8) {
    const V sign = hn::BitCast(d, hn::VecFromMask(di, hn::Lt(bit7, hn::Zero(di))));
    const V turned = hn::Xor(hn::BitCast(d, eight(0)), hn::And(sign, turn));
    const auto is_sign_alone = hn::Eq(codes, hn::Set(d, std::uint8_t{0x80}));
    return hn::IfThenElse(is_sign_alone, hn::Set(d, table[0x80]), turned);
  } else {
    return hn::BitCast(d, hn::IfNegativeThenElse(bit7, eight(8), eight(0)));
  }
}

// Whole vectors of results of kBytes bytes, of which the first kZero are zero; how many were done.
template <int kRows, int kBytes, int kZero = 0>
HWY_NOINLINE std::size_t LookUpVectors(const CodeTable& table, const std::uint8_t* in,
                                       std::byte* out, std::size_t n) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t step = hn::Lanes(d);
  auto* results = reinterpret_cast<std::uint8_t*>(out);
  const auto turn = [&](int byte) HWY_ATTR {
    return hn::Set(d, static_cast<std::uint8_t>(table.turn >> (8 * byte)));
  };
  const auto look_up = [&](std::size_t byte, auto turned, auto codes) HWY_ATTR {
    return LookUp<kRows>(table.bytes[byte].data(), turned, codes);
  };
  const auto turn0 = turn(0);
  const auto turn1 = turn(1);
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    const auto codes = hn::LoadU(d, in + i);
    if constexpr (kBytes == 1) {
      hn::StoreU(look_up(0, turn0, codes), d, results + i);
    } else if constexpr (kBytes == 2) {
      hn::StoreInterleaved2(look_up(0, turn0, codes), look_up(1, turn1, codes), d, results + 2 * i);
    } else if constexpr (kZero == 2) {
      hn::StoreInterleaved4(hn::Zero(d), hn::Zero(d), look_up(2, turn(2), codes),
                            look_up(3, turn(3), codes), d, results + 4 * i);
    } else {
      hn::StoreInterleaved4(look_up(0, turn0, codes), look_up(1, turn1, codes),
                            look_up(2, turn(2), codes), look_up(3, turn(3), codes), d,
                            results + 4 * i);
    }
  }
  return i;
}

std::size_t LookUpBytes(const CodeTable& table, int bytes, const std::uint8_t* in, std::byte* out,
                        std::size_t n) {
  switch (table.rows) {
    case 1:
      return bytes == 1   ? LookUpVectors<1, 1>(table, in, out, n)
             : bytes == 2 ? LookUpVectors<1, 2>(table, in, out, n)
                          : LookUpVectors<1, 4>(table, in, out, n);
    case 8:
      return bytes == 1              ? LookUpVectors<8, 1>(table, in, out, n)
             : bytes == 2            ? LookUpVectors<8, 2>(table, in, out, n)
             : table.upper_half_only ? LookUpVectors<8, 4, 2>(table, in, out, n)
                                     : 0;
    default:
      return bytes == 1   ? LookUpVectors<16, 1>(table, in, out, n)
             : bytes == 2 ? LookUpVectors<16, 2>(table, in, out, n)
                          : 0;  // one by one is faster than four lookups in 16 rows
  }
}

// Adds how many of the first codes are in the set; how many were looked at. n < 255 vectors.
HWY_NOINLINE std::size_t CountSet(const CodeTable::CodeSet& set, const std::uint8_t* in,
                                  std::size_t n, std::uint64_t* count) {
  const hn::ScalableTag<std::uint8_t> d;
  const hn::Repartition<std::uint64_t, decltype(d)> d64;
  HWY_ALIGN std::uint8_t rows[2][16];
  for (std::size_t k = 0; k < 16; ++k) {
    rows[0][k] = static_cast<std::uint8_t>(set.rows[k] & 0xff);
    rows[1][k] = static_cast<std::uint8_t>(set.rows[k] >> 8);
  }
  HWY_ALIGN static constexpr std::uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                                       1, 2, 4, 8, 16, 32, 64, 128};
  const hn::RebindToSigned<decltype(d)> di;
  const auto lower = hn::LoadDup128(d, rows[0]);
  const auto upper = hn::LoadDup128(d, rows[1]);
  const auto bits = hn::LoadDup128(d, kBits);
  const auto nibble = hn::Set(d, std::uint8_t{15});
  const std::size_t step = hn::Lanes(d);
  auto sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    const auto codes = hn::LoadU(d, in + i);
    const auto low = hn::And(codes, nibble);
    const auto bit = hn::TableLookupBytes(bits, hn::And(hn::ShiftRight<4>(codes), nibble));
    const auto row =
        hn::BitCast(d, hn::IfNegativeThenElse(hn::BitCast(di, codes),
                                              hn::BitCast(di, hn::TableLookupBytes(upper, low)),
                                              hn::BitCast(di, hn::TableLookupBytes(lower, low))));
    sum = hn::Sub(sum, hn::VecFromMask(d, hn::Eq(hn::And(row, bit), bit)));
  }
  *count += hn::GetLane(hn::SumOfLanes(d64, hn::SumsOf8(sum)));
  return i;
}

#endif  // HWY_TARGET == HWY_SCALAR

template <typename Word>
void LookUpWords(const CodeTable& table, const std::uint8_t* in, std::byte* out, std::size_t from,
                 std::size_t n) {
  for (std::size_t i = from; i < n; ++i) {
    StoreWord(out, i, static_cast<Word>(table.results[in[i]]));
  }
}

void ConvertBlock(const CodeTable& table, int storage_bits, const std::uint8_t* in, std::byte* out,
                  std::size_t n) {
  switch (storage_bits) {
    case 8:
      return LookUpWords<std::uint8_t>(table, in, out, LookUpBytes(table, 1, in, out, n), n);
    case 16:
      return LookUpWords<std::uint16_t>(table, in, out, LookUpBytes(table, 2, in, out, n), n);
    case 32:
      return LookUpWords<std::uint32_t>(table, in, out, LookUpBytes(table, 4, in, out, n), n);
    default:
      return LookUpWords<std::uint64_t>(table, in, out, 0, n);
  }
}

void CountBlock(const CodeTable& table, const std::uint8_t* in, std::size_t n, Tally* tally) {
  std::uint64_t counted = 0;
  for (std::size_t k = 1; k < table.sets.size(); ++k) {  // all but kExact
    const CodeTable::CodeSet& set = table.sets[k];
    if (set.is_empty) continue;
    std::uint64_t count = 0;
    for (std::size_t i = CountSet(set, in, n, &count); i < n; ++i) {
      count += (set.rows[in[i] & 15] >> (in[i] >> 4)) & 1;
    }
    (*tally)[k] += count;
    counted += count;
  }
  (*tally)[static_cast<std::size_t>(Outcome::kExact)] += n - counted;
}

void RunTable8(const Params& p, const std::byte* in, std::byte* out, std::size_t n, Tally* tally) {
  const auto* codes = reinterpret_cast<const std::uint8_t*>(in);
  const std::size_t out_bytes = static_cast<std::size_t>(p.target->storage_bits) / 8;
  for (std::size_t at = 0; at < n; at += kBlock) {
    const std::size_t size = std::min(kBlock, n - at);
    ConvertBlock(*p.table, p.target->storage_bits, codes + at, out + at * out_bytes, size);
    if (tally != nullptr) CountBlock(*p.table, codes + at, size, tally);
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast {
namespace {

HWY_EXPORT(RunTable8);

bool AcceptsTable8(const Params& p) {
  return p.operation == Operation::kConvert && p.source->storage_bits == 8;
}

void SetRows(const Format& source, CodeTable* table) {
  if (source.bits <= 4) {
    table->rows = 1;
    return;
  }
  const std::array<std::uint64_t, 256>& results = table->results;
  table->upper_half_only =
      std::ranges::all_of(results, [](std::uint64_t bits) { return (bits & 0xffff) == 0; });
  table->turn = results[1] ^ results[129];
  for (std::size_t code = 1; code < 128; ++code) {
    if ((results[code] ^ results[code + 128]) != table->turn) return;
  }
  table->rows = 8;
}

void Fill(const Params& p, std::uint64_t) {
  std::call_once(p.table->once, [&] {
    for (std::size_t code = 0; code < 256; ++code) {
      const CastResult r = CastElement(p, code, 0);
      p.table->results[code] = r.bits;
      for (std::size_t byte = 0; byte < p.table->bytes.size(); ++byte) {
        p.table->bytes[byte][code] = static_cast<std::uint8_t>(r.bits >> (8 * byte));
      }
      CodeTable::CodeSet& set = p.table->sets[static_cast<std::size_t>(r.outcome)];
      set.rows[code & 15] = static_cast<std::uint16_t>(set.rows[code & 15] | 1u << (code >> 4));
      set.is_empty = false;
    }
    SetRows(*p.source, p.table.get());
  });
}

void Run(const Params& p, const std::byte* in, std::byte* out, Place, std::size_t n, Tally* tally) {
  HWY_DYNAMIC_DISPATCH(RunTable8)(p, in, out, n, tally);
}

}  // namespace

const KernelRow kTable8Kernel = {"table8", "a table of 256 results", AcceptsTable8, Fill, Run};

}  // namespace exactcast
#endif  // HWY_ONCE
