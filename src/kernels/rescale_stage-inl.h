// SPDX-License-Identifier: Apache-2.0
//
// Rescaling in vectors, the way in: elements to values, which are elements less the zero point in
// 32 or 64 bits, and whether all results are predictable. Included once per CPU target.
#if defined(EXACTCAST_SRC_KERNELS_RESCALE_STAGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EXACTCAST_SRC_KERNELS_RESCALE_STAGE_INL_H_
#undef EXACTCAST_SRC_KERNELS_RESCALE_STAGE_INL_H_
#else
#define EXACTCAST_SRC_KERNELS_RESCALE_STAGE_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "src/kernels/rescale.h"
#include "src/kernels/rescale_core-inl.h"

HWY_BEFORE_NAMESPACE();
namespace exactcast {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t kStaged = 1024;  // elements that are brought to values at once

// Elements of 32 bits are their own values. A uint32 above 2^31 is taken for a negative value, which
// is as unpredictable.
bool IsStaged(const RescaleParams& p) {
  return p.source->storage_bits != 32 || p.columns.scaling == RescaleScaling::kWide64;
}

template <typename T>
void StageShort(const RescaleParams& p, const std::byte* in, std::size_t n, std::byte* values) {
  const I32 d;
  const hn::Rebind<T, I32> from;
  const VI32 zero_point = hn::Set(d, static_cast<std::int32_t>(p.rules.input_zp));
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < n; i += lanes) {
    const VI32 v =
        hn::PromoteTo(d, hn::LoadU(from, reinterpret_cast<const T*>(in + i * sizeof(T))));
    hn::Store(hn::BitCast(U8(), hn::Sub(v, zero_point)), U8(),
              reinterpret_cast<std::uint8_t*>(values + i * 4));
  }
}

void StageUint32(const std::byte* in, std::size_t n, std::byte* values) {
  const U64 d;
  const hn::Rebind<std::uint32_t, U64> from;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < n; i += lanes) {
    const VU64 v =
        hn::PromoteTo(d, hn::LoadU(from, reinterpret_cast<const std::uint32_t*>(in + i * 4)));
    hn::Store(hn::BitCast(U8(), v), U8(), reinterpret_cast<std::uint8_t*>(values + i * 8));
  }
}

// The upper 16 bits of each word are ignored. A uint48 above 2^47 is taken for a negative value, as
// above.
void Stage48(const std::byte* in, std::size_t n, std::byte* values) {
  const I64 d;
  const VI64 mask = hn::Set(d, (std::int64_t{1} << 48) - 1);
  const VI64 sign = hn::Set(d, std::int64_t{1} << 47);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < n; i += lanes) {
    const VI64 code = hn::And(LoadInt64(in + i * 8), mask);
    hn::Store(hn::BitCast(U8(), hn::Sub(hn::Xor(code, sign), sign)), U8(),
              reinterpret_cast<std::uint8_t*>(values + i * 8));
  }
}

void Stage(const RescaleParams& p, const std::byte* in, std::size_t n, std::byte* values) {
  const bool has_sign = p.source->kind == Kind::kSigned;
  switch (p.source->bits) {
    case 8:
      return has_sign ? StageShort<std::int8_t>(p, in, n, values)
                      : StageShort<std::uint8_t>(p, in, n, values);
    case 16:
      return has_sign ? StageShort<std::int16_t>(p, in, n, values)
                      : StageShort<std::uint16_t>(p, in, n, values);
    case 32:
      return StageUint32(in, n, values);
    default:
      return Stage48(in, n, values);
  }
}

// A check looks at N values, N being the lanes of a vector; the first of them belongs to `column`.
// What it finds is joined from vector to vector. Out of range is what lies further above the least,
// without sign, than the greatest does.

class CheckOne {
 public:
  using Found = VU32;  // how far above the least
  static constexpr std::size_t kSize = 4;

  explicit CheckOne(const RescaleColumns& c)
      : least_(hn::Set(I32(), c.least[0])), span_(hn::Set(U32(), c.span[0])) {}
  HWY_INLINE VU32 Look(const std::byte* values, std::size_t) const {
    return hn::BitCast(U32(), hn::Sub(LoadInt32(values), least_));
  }
  static HWY_INLINE VU32 Join(VU32 a, VU32 b) { return hn::Max(a, b); }
  bool Passed(VU32 found) const { return hn::AllTrue(U32(), hn::Eq(hn::Max(found, span_), span_)); }

 private:
  VI32 least_;
  VU32 span_;
};

class CheckMany {
 public:
  using Found = VU32;  // not 0: a value was out of range
  static constexpr std::size_t kSize = 4;

  explicit CheckMany(const RescaleColumns& c) : least_(c.least.data()), span_(c.span.data()) {}
  HWY_INLINE VU32 Look(const std::byte* values, std::size_t column) const {
    const VI32 least = hn::LoadU(I32(), least_ + column);
    const VU32 span = hn::LoadU(U32(), span_ + column);
    const VU32 above = hn::BitCast(U32(), hn::Sub(LoadInt32(values), least));
    return hn::Xor(hn::Max(above, span), span);
  }
  static HWY_INLINE VU32 Join(VU32 a, VU32 b) { return hn::Or(a, b); }
  bool Passed(VU32 found) const { return hn::AllTrue(U32(), hn::Eq(found, hn::Zero(U32()))); }

 private:
  const std::int32_t* least_;
  const std::uint32_t* span_;
};

class CheckWide {
 public:
  using Found = VI64;  // negative: a value was out of range
  static constexpr std::size_t kSize = 8;

  explicit CheckWide(const RescaleColumns& c) : least_(c.least64.data()), span_(c.span64.data()) {}
  HWY_INLINE VI64 Look(const std::byte* values, std::size_t column) const {
    const VI64 above = hn::Sub(LoadInt64(values), hn::LoadU(I64(), least_ + column));
    return hn::Or(above, hn::Sub(hn::LoadU(I64(), span_ + column), above));
  }
  static HWY_INLINE VI64 Join(VI64 a, VI64 b) { return hn::Or(a, b); }
  bool Passed(VI64 found) const { return hn::AllFalse(I64(), hn::Lt(found, hn::Zero(I64()))); }

 private:
  const std::int64_t* least_;
  const std::int64_t* span_;
};

template <class Check>
bool Passes(const RescaleColumns& columns, const std::byte* values, std::size_t n,
            std::size_t column) {
  const Check check(columns);
  constexpr std::size_t kLanes = HWY_MAX_BYTES / Check::kSize;
  const std::size_t step = 4 * kLanes % columns.period;
  typename Check::Found found = check.Look(values, column);
  for (std::size_t i = 0; i < n; i += 4 * kLanes) {
    const auto a = check.Look(values, column);
    const auto b = check.Look(values + HWY_MAX_BYTES, column + kLanes);
    const auto c = check.Look(values + 2 * HWY_MAX_BYTES, column + 2 * kLanes);
    const auto d = check.Look(values + 3 * HWY_MAX_BYTES, column + 3 * kLanes);
    found = Check::Join(found, Check::Join(Check::Join(a, b), Check::Join(c, d)));
    values += 4 * HWY_MAX_BYTES;
    column += step;
    if (column >= columns.period) column -= columns.period;
  }
  return check.Passed(found);
}

bool Predictable(const RescaleParams& p, const std::byte* values, std::size_t n,
                 std::size_t column) {
  const RescaleColumns& c = p.columns;
  return c.scaling == RescaleScaling::kWide64 ? Passes<CheckWide>(c, values, n, column)
         : p.lanes.size() == 1                ? Passes<CheckOne>(c, values, n, column)
                                              : Passes<CheckMany>(c, values, n, column);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace exactcast
HWY_AFTER_NAMESPACE();

#endif  // EXACTCAST_SRC_KERNELS_RESCALE_STAGE_INL_H_
