// SPDX-License-Identifier: Apache-2.0
//
// TOSA's CAST against tables made by others: the pairs of every version, and the golden vectors with
// their sets of permitted results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "exactcast/spec/permitted.h"
#include "exactcast/spec/profile.h"
#include "tests/support/csv.h"
#include "tests/support/tosa.h"

namespace exactcast {
namespace {

using support::CastOne;
using support::IsNan;
using support::One;
using support::ReadGoldenCsv;
using support::RowOf;
using support::Versions;
using support::VersionsFrom;

// ---- pairs --------------------------------------------------------------------------------------

std::set<std::string> Words(const std::string& needs) {
  std::set<std::string> words;
  std::istringstream stream(needs);
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

using Listed = std::map<std::tuple<std::string, FormatId, FormatId>, std::string>;

// What each pair needs, by profile; rows of block-scaled tensors are counted only.
Listed ReadPairs(std::size_t* block_scaled) {
  Listed listed;
  for (const auto& row : ReadGoldenCsv("tosa_cast_pairs.csv")) {
    const Result<FormatId> from = ParseFormat(row[1]);
    const Result<FormatId> to = ParseFormat(row[2]);
    if (row[0].find(' ') == std::string::npos && from.ok() && to.ok()) {
      listed[{std::string((*ParseProfile("tosa-" + row[0]))->name), *from, *to}] = row[3];
      continue;
    }
    ++*block_scaled;
    for (const Result<FormatId>* id : {&from, &to}) {
      EXPECT_TRUE(id->ok() || id->status().code() == StatusCode::kUnsupported) << row[1] << row[2];
    }
  }
  return listed;
}

// The types of TOSA have no sign of their own: the draft reads an input as unsigned on demand.
FormatId SignedTwin(FormatId from, const std::string& profile) {
  for (FormatId id : {FormatId::kInt8, FormatId::kInt16, FormatId::kInt32, FormatId::kInt64}) {
    if (profile == "tosa-1.1-draft" && tosa::AsUnsigned(id) == from) return id;
  }
  return from;
}

TEST(TosaCast, APairIsAcceptedExactlyInTheVersionsThatHaveItAndSaysWhatItNeeds) {
  std::size_t block_scaled = 0;
  const Listed listed = ReadPairs(&block_scaled);
  EXPECT_EQ(block_scaled, 84u);
  EXPECT_EQ(listed.size(), 538u - 2 * 46u) << "1.0, 1.0.1 and 1.0.2 are one";
  for (const std::string& profile : Versions()) {
    for (const Format& from : kFormats) {
      for (const Format& to : kFormats) {
        const Result<Plan> plan = MakePlan({.from = from.id, .to = to.id, .profile = profile});
        const auto found = listed.find({profile, SignedTwin(from.id, profile), to.id});
        ASSERT_EQ(plan.ok(), found != listed.end())
            << profile << " " << from.name << " " << to.name;
        if (plan.ok()) {
          EXPECT_EQ(Words(std::string(RowOf(profile, from.id, to.id).needs)), Words(found->second))
              << profile << " " << from.name << " " << to.name;
        } else {
          EXPECT_EQ(plan.status().code(), StatusCode::kUnsupported);
        }
      }
    }
  }
}

TEST(TosaCast, ARefusalNamesTheVersionsThatHaveThePairAndWhatItNeeds) {
  using enum FormatId;
  const auto message = [](FormatId from, FormatId to, const std::string& profile) {
    return MakePlan({.from = from, .to = to, .profile = profile}).status().message();
  };
  EXPECT_EQ(
      message(kFloat16, kFloat32, "tosa-0.40"),
      "tosa-0.40 has no cast from float16 to float32; tosa-0.50 and later have it, which needs "
      "MI, MT; from tosa-1.0.0-rc0 on MI; from tosa-1.0 on PRO-FP");
  EXPECT_EQ(
      message(kInt32, kInt64, "tosa-1.0.2"),
      "tosa-1.0 has no cast from int32 to int64; tosa-1.1-draft has it, which needs EXT-INT64");
  EXPECT_EQ(message(kFloat16, kBfloat16, "tosa-1.0"),
            "tosa-1.0 has no cast from float16 to bfloat16, nor has any other version; --profile "
            "exact has it");
  EXPECT_NE(message(kFloat32, kFloat4E2m1fn, "tosa-1.1-draft").find("not yet there"),
            std::string::npos);
  EXPECT_NE(message(kFloat32, kFloat16, "kirin-x90").find("tosa-0.50 and later"),
            std::string::npos);
}

// ---- golden vectors -----------------------------------------------------------------------------

struct Vector {
  std::string id, since;
  FormatId from, to;
  std::uint64_t in;
  std::string out, allowed;
};

std::vector<Vector> ReadVectors() {
  std::vector<Vector> vectors;
  for (const auto& row : ReadGoldenCsv("tosa_cast.csv")) {
    const FormatId from = *ParseFormat(row[2]);
    vectors.push_back({row[0], "tosa-" + row[1], row[4] == "1" ? tosa::AsUnsigned(from) : from,
                       *ParseFormat(row[3]), std::stoull(row[5], nullptr, 16), row[6], row[7]});
  }
  return vectors;
}

TEST(TosaCast, EveryGoldenVectorIsTheDefaultResultInEveryVersionThatHasThePair) {
  std::size_t rows = 0;
  for (const Vector& v : ReadVectors()) {
    ++rows;
    for (const std::string& profile : VersionsFrom(v.since)) {
      const One one = CastOne({.from = v.from, .to = v.to, .profile = profile}, v.in);
      EXPECT_EQ(one.counts.unpredictable, v.allowed == "unpredictable" ? 1u : 0u) << v.id;
      if (v.out.empty()) {
        EXPECT_EQ(one.result, 0u) << "the default for a NaN";
        continue;
      }
      const std::uint64_t want = std::stoull(v.out, nullptr, 16);
      EXPECT_TRUE(one.result == want || (IsNan(one.result, v.to) && IsNan(want, v.to)))
          << profile << " row " << v.id << ": 0x" << std::hex << one.result << ", not 0x" << want;
    }
  }
  EXPECT_EQ(rows, 560u);
}

// Every word of a narrow target; of a wide one what is near what is permitted, and specials.
std::vector<std::uint64_t> Candidates(const std::vector<std::uint64_t>& permitted,
                                      const Format& f) {
  std::vector<std::uint64_t> words;
  if (f.bits <= 16) {
    for (std::uint64_t w = 0; w <= LowMask(f.bits); ++w) words.push_back(w);
    return words;
  }
  words = {0, 1, SignBit(f), SignBit(f) - 1, LowMask(f.bits), 0x7f800000, 0xff800000, 0x7fc00001};
  for (std::uint64_t word : permitted) {
    for (int bit = 0; bit < f.bits; ++bit) words.push_back(word ^ std::uint64_t{1} << bit);
    for (std::uint64_t d : {0u, 1u, 2u}) {
      words.push_back((word + d) & LowMask(f.bits));
      words.push_back((word - d) & LowMask(f.bits));
    }
  }
  return words;
}

TEST(TosaCast, ThePermittedSetOfEveryGoldenVectorIsTheListedOneBothWays) {
  std::map<Grounds, std::size_t> used;
  for (const Vector& v : ReadVectors()) {
    std::vector<std::uint64_t> listed;
    std::istringstream words(v.allowed);
    if (v.allowed != "unpredictable" && v.allowed != "any NaN") {
      for (std::string word; std::getline(words, word, '|');)
        listed.push_back(std::stoull(word, nullptr, 16));
    }
    const Format& to = GetFormat(v.to);
    for (const char* profile : {"tosa-1.0", "tosa-1.1-draft"}) {
      if (v.since == "tosa-1.1-draft" && std::string(profile) != v.since) continue;
      const CastRow row = RowOf(profile, v.from, v.to);
      for (std::uint64_t word : Candidates(listed, to)) {
        const bool want = v.allowed == "unpredictable" ||
                          (v.allowed == "any NaN" && IsNan(word, v.to)) ||
                          std::find(listed.begin(), listed.end(), word) != listed.end();
        const Grounds grounds = GroundsFor(v.in, word, row);
        ++used[grounds];
        EXPECT_EQ(grounds != Grounds::kNone, want)
            << profile << " row " << v.id << ": 0x" << std::hex << word << " " << Name(grounds);
      }
    }
  }
  EXPECT_EQ(used.size(), kGroundsNames.size() - 1)
      << "every freedom is met but inexact rounding, which is RESCALE's";
}

// ---- versions -----------------------------------------------------------------------------------

TEST(TosaCast, WhatAVersionPermitsIsWhatItsTextSays) {
  using enum FormatId;
  const auto grounds = [](const char* version, FormatId from, FormatId to, std::uint64_t word,
                          std::uint64_t result) {
    return GroundsFor(word, result, RowOf(version, from, to));
  };
  // 2.5 to an integer: ties are open up to 0.50.
  EXPECT_EQ(grounds("tosa-0.50", kFloat32, kInt8, 0x40200000, 3), Grounds::kTie);
  EXPECT_EQ(grounds("tosa-0.60", kFloat32, kInt8, 0x40200000, 3), Grounds::kNone);
  // 2^24 + 1 to fp32: decided from 0.60 to 0.80 only.
  for (const auto& [version, want] : {std::pair{"tosa-0.50", Grounds::kTie},
                                      {"tosa-0.60", Grounds::kNone},
                                      {"tosa-0.80", Grounds::kNone},
                                      {"tosa-0.90", Grounds::kTie},
                                      {"tosa-1.0", Grounds::kTie}}) {
    EXPECT_EQ(grounds(version, kInt32, kFloat32, 0x01000001, 0x4b800001), want) << version;
  }
  // 1 + 2^-11 and more to fp16: the upper neighbour of a tie until 1.0, the lower of any from then.
  EXPECT_EQ(grounds("tosa-1.0.0-rc0", kFloat32, kFloat16, 0x3f801000, 0x3c01), Grounds::kTie);
  EXPECT_EQ(grounds("tosa-1.0", kFloat32, kFloat16, 0x3f801000, 0x3c01), Grounds::kNone);
  EXPECT_EQ(grounds("tosa-1.0.0-rc0", kFloat32, kFloat16, 0x3f801001, 0x3c00), Grounds::kNone);
  EXPECT_EQ(grounds("tosa-1.0", kFloat32, kFloat16, 0x3f801001, 0x3c00), Grounds::kTowardZero);
  // A subnormal: flushed from 0.60 on.
  EXPECT_EQ(grounds("tosa-0.50", kBfloat16, kFloat32, 0x8001, 0x80000000), Grounds::kNone);
  EXPECT_EQ(grounds("tosa-0.60", kBfloat16, kFloat32, 0x8001, 0x80000000), Grounds::kFlush);
  EXPECT_EQ(grounds("tosa-0.60", kBfloat16, kFloat32, 0x8001, 0), Grounds::kNone)
      << "the sign stays";
}

}  // namespace
}  // namespace exactcast
