// SPDX-License-Identifier: Apache-2.0
//
// Judging and counting differences, as difference_tally.h says.
#include "src/difference_tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "exactcast/spec/codec.h"
#include "exactcast/spec/order.h"
#include "src/rational.h"

namespace exactcast {
namespace {

constexpr std::size_t kWorst = 10;

bool IsWorse(const Difference& x, const Difference& y) {
  const auto key = [](const Difference& d) {
    return std::tuple(d.accepted, d.mismatch, ~d.ulp, d.index, d.imaginary);
  };
  return key(x) < key(y);
}

Result<mpq_class> ParseTolerance(std::string_view option, const std::optional<std::string>& text) {
  if (!text) return mpq_class();
  const std::optional<mpq_class> number = ParseRational(*text);
  if (number && *number >= 0) return *number;
  return UsageError(fmt::format(
      "{} {}: not a number from 0 up; write 0.001, 1e-3, 0x1p-10 or 1/1000", option, *text));
}

// x / 2^exponent as an integer, exponent being at most that of x.
void ScaledTo(const Exact& x, int exponent, mpz_class* scaled) {
  mpz_class& z = *scaled;
  z = static_cast<unsigned long>(x.significand);
  z <<= static_cast<unsigned long>(x.exponent - exponent);
}

}  // namespace

Result<std::optional<NearEnough>> ParseNearEnough(const CompareRequest& request) {
  if (!request.atol && !request.rtol) return std::optional<NearEnough>();
  const Result<mpq_class> atol = ParseTolerance("--atol", request.atol);
  if (!atol.ok()) return atol.status();
  const Result<mpq_class> rtol = ParseTolerance("--rtol", request.rtol);
  if (!rtol.ok()) return rtol.status();
  return std::optional(NearEnough(*atol, *rtol));
}

NearEnough::NearEnough(const mpq_class& atol, const mpq_class& rtol)
    : atol_(atol.get_num() * rtol.get_den()),
      rtol_(rtol.get_num() * atol.get_den()),
      denominator_(atol.get_den() * rtol.get_den()) {}

// With e the lesser exponent and A, B the values over 2^e:
//   denominator * |A - B| * 2^e <= atol + rtol * |B| * 2^e
bool NearEnough::operator()(const Exact& a, const Exact& b) {
  const int e = a.cls == Class::kZero   ? b.exponent
                : b.cls == Class::kZero ? a.exponent
                                        : std::min(a.exponent, b.exponent);
  distance_ = 0;
  bound_ = 0;
  if (a.cls != Class::kZero) ScaledTo(a, e, &distance_);
  if (b.cls != Class::kZero) ScaledTo(b, e, &bound_);
  if (a.negative == b.negative) {
    distance_ -= bound_;
  } else {
    distance_ += bound_;
  }
  mpz_abs(distance_.get_mpz_t(), distance_.get_mpz_t());
  distance_ *= denominator_;
  bound_ *= rtol_;
  if (e >= 0) {
    distance_ <<= static_cast<unsigned long>(e);
    bound_ <<= static_cast<unsigned long>(e);
    bound_ += atol_;
    return distance_ <= bound_;
  }
  // Everything times 2^-e.
  const mpz_class atol = atol_ << static_cast<unsigned long>(-e);
  bound_ += atol;
  return distance_ <= bound_;
}

bool DifferenceTally::Accepts(const Exact& a, const Exact& b, std::uint64_t ulp) {
  if (ulp_ && ulp <= *ulp_) return true;
  const bool finite = a.cls != Class::kInfinity && b.cls != Class::kInfinity;
  return near_ && finite && (*near_)(a, b);
}

Difference DifferenceTally::Measure(std::uint64_t index, bool imaginary, std::uint64_t a,
                                    std::uint64_t b) const {
  const int nans =
      (Decode(a, part_).cls == Class::kNan ? 1 : 0) + (Decode(b, part_).cls == Class::kNan ? 1 : 0);
  Difference difference = {.mismatch = nans == 1   ? Mismatch::kNanAgainstNumber
                                       : nans == 2 ? Mismatch::kNanBits
                                                   : Mismatch::kNumbers,
                           .imaginary = imaginary,
                           .index = index,
                           .place = {},
                           .a = a,
                           .b = b};
  if (nans == 0) difference.ulp = UlpDistance(a, b, part_);
  return difference;
}

void DifferenceTally::Add(std::uint64_t index, bool imaginary, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t code_bits = LowMask(part_.bits) << part_.low_zeros;
  a &= code_bits;
  b &= code_bits;
  Difference difference;
  if (a != b) difference = Measure(index, imaginary, a, b);
  if (a == b || (difference.mismatch == Mismatch::kNanBits && !nan_payload_)) {
    ++differences_.equal;
    return;
  }
  if (difference.mismatch == Mismatch::kNumbers) {
    difference.accepted = Accepts(Decode(a, part_), Decode(b, part_), difference.ulp);
  }
  Count(difference);
  Keep(difference);
}

void DifferenceTally::AddJudged(std::uint64_t index, std::uint64_t source, std::uint64_t a,
                                std::uint64_t b, const Judge& judge) {
  const Grounds of_a = judge.Ask(index, source, a);
  const Grounds of_b = a == b ? of_a : judge.Ask(index, source, b);
  ++differences_.grounds_a[static_cast<std::size_t>(of_a)];
  ++differences_.grounds_b[static_cast<std::size_t>(of_b)];
  const bool permitted = of_a != Grounds::kNone && of_b != Grounds::kNone;
  if (a == b && permitted) {
    ++differences_.equal;
    return;
  }
  Difference difference = Measure(index, false, a, b);
  difference.accepted = permitted;
  difference.source = source;
  difference.grounds_a = of_a;
  difference.grounds_b = of_b;
  Count(difference);
  Keep(difference);
}

void DifferenceTally::Count(const Difference& difference) {
  ++(difference.accepted ? differences_.accepted : differences_.differing);
  switch (difference.mismatch) {
    case Mismatch::kNanAgainstNumber:
      ++differences_.nan_against_number;
      break;
    case Mismatch::kNanBits:
      ++differences_.nan_bits;
      break;
    case Mismatch::kNumbers:
      ++differences_.ulp_ranges[UlpRange(difference.ulp)];
      differences_.largest_ulp = std::max(differences_.largest_ulp, difference.ulp);
      break;
  }
}

void DifferenceTally::Keep(const Difference& difference) {
  std::vector<Difference>& worst = differences_.worst;
  if (worst.size() == kWorst && !IsWorse(difference, worst.back())) return;
  worst.insert(std::upper_bound(worst.begin(), worst.end(), difference, IsWorse), difference);
  if (worst.size() > kWorst) worst.pop_back();
}

}  // namespace exactcast
