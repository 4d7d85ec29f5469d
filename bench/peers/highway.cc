// SPDX-License-Identifier: Apache-2.0
//
// Highway's own conversions, in plain loops: DemoteTo and PromoteTo. What they do with ties and
// with what does not fit is theirs, so the report says how many elements agree.
#include <array>
#include <cstdint>
#include <string>

#include "bench/peers/peers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/highway.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, as Highway wants it.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace exactcast::bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A vector of To for each part of a vector of the wider type; n is a multiple of all lane counts.
template <typename From, typename To, typename Convert>
HWY_INLINE void Loop(const std::byte* in, std::byte* out, std::size_t n, const Convert& convert) {
  constexpr std::size_t kWider = sizeof(From) > sizeof(To) ? sizeof(From) : sizeof(To);
  using Wide = hwy::UnsignedFromSize<kWider>;
  const hn::ScalableTag<Wide> wide;
  const hn::Rebind<From, decltype(wide)> from;
  const hn::Rebind<To, decltype(wide)> to;
  const auto* source = reinterpret_cast<const From*>(in);
  auto* target = reinterpret_cast<To*>(out);
  for (std::size_t i = 0; i < n; i += hn::Lanes(wide)) {
    hn::StoreU(convert(from, to, hn::LoadU(from, source + i)), to, target + i);
  }
}

struct Demote {
  template <class DF, class DT, class V>
  HWY_INLINE auto operator()(DF, DT to, V v) const {
    return hn::DemoteTo(to, v);
  }
};

struct Promote {
  template <class DF, class DT, class V>
  HWY_INLINE auto operator()(DF, DT to, V v) const {
    return hn::PromoteTo(to, v);
  }
};

struct Nearest {
  template <class DF, class DT, class V>
  HWY_INLINE auto operator()(DF, DT, V v) const {
    return hn::NearestInt(v);
  }
};

struct NearestDemote {
  template <class DF, class DT, class V>
  HWY_INLINE auto operator()(DF, DT to, V v) const {
    return hn::DemoteTo(to, hn::NearestInt(v));
  }
};

struct PromoteConvert {
  template <class DF, class DT, class V>
  HWY_INLINE auto operator()(DF, DT to, V v) const {
    const hn::Rebind<std::int32_t, DT> d32;
    return hn::ConvertTo(to, hn::PromoteTo(d32, v));
  }
};

template <typename From, typename To, typename Convert>
void Run(const std::byte* in, std::byte* out, std::size_t n) {
  Loop<From, To>(in, out, n, Convert());
}

using RunFunction = void (*)(const std::byte*, std::byte*, std::size_t);

// In the order of kConversions.
void HighwayConvert(std::size_t index, const std::byte* in, std::byte* out, std::size_t n) {
  static constexpr std::array<RunFunction, 12> kRuns = {
      Run<float, hwy::float16_t, Demote>,
      Run<float, hwy::bfloat16_t, Demote>,
      Run<double, float, Demote>,
      Run<float, std::int32_t, Nearest>,
      Run<float, std::int8_t, NearestDemote>,
      Run<float, std::uint8_t, NearestDemote>,
      Run<std::int32_t, std::int8_t, Demote>,
      Run<hwy::float16_t, float, Promote>,
      Run<hwy::bfloat16_t, float, Promote>,
      Run<float, double, Promote>,
      Run<std::int8_t, float, PromoteConvert>,
      Run<std::int8_t, std::int32_t, Promote>,
  };
  kRuns[index](in, out, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace exactcast::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace exactcast::bench {
namespace {

HWY_EXPORT(HighwayConvert);

struct Conversion {
  FormatId from;
  FormatId to;
};

using enum FormatId;

constexpr std::array<Conversion, 12> kConversions = {{
    {kFloat32, kFloat16},
    {kFloat32, kBfloat16},
    {kFloat64, kFloat32},
    {kFloat32, kInt32},
    {kFloat32, kInt8},
    {kFloat32, kUint8},
    {kInt32, kInt8},
    {kFloat16, kFloat32},
    {kBfloat16, kFloat32},
    {kFloat32, kFloat64},
    {kInt8, kFloat32},
    {kInt8, kInt32},
}};

class HighwayPeer : public Peer {
 public:
  [[nodiscard]] std::string Name() const override { return "Highway"; }
  [[nodiscard]] std::string Version() const override {
    return std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR) + "." +
           std::to_string(HWY_PATCH);
  }

  std::optional<Contender> Prepare(const Subject& subject, const Arrays& arrays) override {
    const Row& row = subject.row;
    if (row.rescale || row.rounding != Rounding::kTiesToEven) return std::nullopt;
    for (std::size_t i = 0; i < kConversions.size(); ++i) {
      if (kConversions[i].from != row.from || kConversions[i].to != row.to) continue;
      return Timed(Role::kPeer, Name(), "own loop over its DemoteTo, PromoteTo", false,
                   [i, arrays] {
                     HWY_DYNAMIC_DISPATCH(HighwayConvert)(i, arrays.in, arrays.out, arrays.n);
                   });
    }
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<Peer> MakeHighwayPeer() { return std::make_unique<HighwayPeer>(); }

}  // namespace exactcast::bench
#endif  // HWY_ONCE
