// SPDX-License-Identifier: Apache-2.0
//
// The published versions of Arm TOSA.
#ifndef EXACTCAST_SPEC_TOSA_VERSION_H_
#define EXACTCAST_SPEC_TOSA_VERSION_H_

#include <cstdint>

namespace exactcast::tosa {

// 1.0.1 and 1.0.2 are 1.0: neither changed CAST or RESCALE.
enum class Version : std::uint8_t {
  k020,
  k021,
  k022,
  k023,
  k030,
  k040,
  k050,
  k060,
  k070,
  k080,
  k090,
  k100Rc0,
  k100,
  k110Draft,
};
inline constexpr Version kFirst = Version::k020;
inline constexpr Version kLatest = Version::k110Draft;

}  // namespace exactcast::tosa

#endif  // EXACTCAST_SPEC_TOSA_VERSION_H_
