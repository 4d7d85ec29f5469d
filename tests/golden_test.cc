// SPDX-License-Identifier: Apache-2.0
//
// The golden vectors of Ascend C Cast and of HiFloat8, made from exact arithmetic by others: every
// row through the library's plans, and every group of rows as a file through the command. Where a
// row's result is a NaN, any NaN of the format is right.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/format_names.h"
#include "exactcast/spec/reference.h"
#include "tests/support/command.h"
#include "tests/support/csv.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

using support::ReadGoldenCsv;

std::uint64_t Code(const std::string& text) { return std::stoull(text, nullptr, 16); }

bool SameResult(std::uint64_t got, std::uint64_t want, const Format& f) {
  const Format& part = GetFormat(f.part);
  if (f.kind == Kind::kComplex) {
    return SameResult(got & LowMask(part.bits), want & LowMask(part.bits), part) &&
           SameResult(got >> part.bits, want >> part.bits, part);
  }
  return got == want || (Decode(got, f).cls == Class::kNan && Decode(want, f).cls == Class::kNan);
}

// Rows that share pair, mode and form: one array.
struct Group {
  std::vector<std::uint64_t> in;
  std::vector<std::uint64_t> out;
};

std::map<std::vector<std::string>, Group> Groups() {
  std::map<std::vector<std::string>, Group> groups;
  for (const auto& row : ReadGoldenCsv("ascend_cast.csv")) {
    Group& group = groups[{row[0], row[1], row[2], row[3]}];
    group.in.push_back(Code(row[4]));
    group.out.push_back(Code(row[5]));
  }
  return groups;
}

std::vector<std::byte> ToArray(const std::vector<std::uint64_t>& codes, const Format& f) {
  const std::size_t size = static_cast<std::size_t>(f.storage_bits) / 8;
  std::vector<std::byte> array(codes.size() * size);
  for (std::size_t i = 0; i < codes.size(); ++i) std::memcpy(&array[i * size], &codes[i], size);
  return array;
}

std::uint64_t ElementOf(const std::byte* array, std::size_t index, const Format& f) {
  const std::size_t size = static_cast<std::size_t>(f.storage_bits) / 8;
  std::uint64_t code = 0;
  std::memcpy(&code, array + index * size, size);
  return code;
}

// Saturate 1 is what the product does by default (float64 to float32 has no other form than ieee).
std::optional<Overflow> FormOf(const std::string& saturate, const Format& to) {
  if (saturate == "1") return std::nullopt;
  return IsFloat(GetFormat(to.part)) ? Overflow::kIeee : Overflow::kWrap;
}

void ExpectGroup(const std::vector<std::string>& key, const Group& group, const std::byte* got,
                 const Format& to) {
  for (std::size_t i = 0; i < group.out.size(); ++i) {
    const std::uint64_t code = ElementOf(got, i, to);
    EXPECT_TRUE(SameResult(code, group.out[i], to))
        << key[0] << " to " << key[1] << " " << key[2] << " saturate " << key[3] << " input 0x"
        << std::hex << group.in[i] << ": got 0x" << code << ", golden 0x" << group.out[i]
        << "\n  repeat: exactcast cast in.bin out.bin --profile ascend950 --from " << key[0]
        << " --to " << key[1] << " --round " << key[2];
  }
}

TEST(Golden, EveryRowOfAscendCastThroughAPlan) {
  std::size_t rows = 0;
  for (const auto& [key, group] : Groups()) {
    const Format& from = GetFormat(*FindFormat(key[0]));
    const Format& to = GetFormat(*FindFormat(key[1]));
    const Result<Plan> plan = MakePlan({.from = from.id,
                                        .to = to.id,
                                        .profile = "ascend950",
                                        .rounding = *ParseRounding(key[2]),
                                        .overflow = FormOf(key[3], to)});
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const std::vector<std::byte> in = ToArray(group.in, from);
    std::vector<std::byte> out(plan->OutputBytes(group.in.size()));
    plan->Run(in.data(), out.data(), group.in.size());
    ExpectGroup(key, group, out.data(), to);
    rows += group.in.size();
  }
  EXPECT_EQ(rows, 16314u);
}

// The same rows again as device code has them: input_x.bin in, golden.bin out.
TEST(Golden, EveryGroupOfAscendCastThroughTheCommand) {
  const support::TemporaryFolder folder;
  const std::string in_path = folder.Path("input_x.bin");
  const std::string out_path = folder.Path("golden.bin");
  for (const auto& [key, group] : Groups()) {
    const Format& from = GetFormat(*FindFormat(key[0]));
    const Format& to = GetFormat(*FindFormat(key[1]));
    const std::vector<std::byte> in = ToArray(group.in, from);
    std::ofstream(in_path, std::ios::binary)
        .write(reinterpret_cast<const char*>(in.data()), static_cast<std::streamsize>(in.size()));
    std::vector<std::string> arguments = {"cast",      in_path,   out_path, "--from",
                                          key[0],      "--to",    key[1],   "--profile",
                                          "ascend950", "--round", key[2],   "--force"};
    if (IsPackable(from) || IsPackable(to)) arguments.emplace_back("--unpacked");
    if (const std::optional<Overflow> form = FormOf(key[3], to)) {
      arguments.insert(arguments.end(), {"--overflow", std::string(Name(*form))});
    }
    const support::CommandResult run = support::RunCommand(arguments);
    ASSERT_EQ(run.status, 0) << run.err;
    std::ifstream file(out_path, std::ios::binary);
    const std::string out((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    ASSERT_EQ(out.size(), ArrayBytes(to, Packing::kUnpacked, group.in.size()));
    ExpectGroup(key, group, reinterpret_cast<const std::byte*>(out.data()), to);
  }
}

void ExpectHifloat8Table(const std::string& name, const Format& from) {
  const Format& hif8 = GetFormat(FormatId::kHifloat8);
  struct Column {
    Rounding rounding;
    Overflow overflow;
  };
  const std::vector<Column> columns = {{Rounding::kTiesToAway, Overflow::kIeee},
                                       {Rounding::kTiesToAway, Overflow::kSaturate},
                                       {Rounding::kHybrid, Overflow::kIeee},
                                       {Rounding::kHybrid, Overflow::kSaturate}};
  std::vector<Plan> plans;
  for (const Column& column : columns) {
    plans.push_back(*MakePlan({.from = from.id,
                               .to = hif8.id,
                               .profile = "ascend950",
                               .rounding = column.rounding,
                               .overflow = column.overflow}));
  }
  for (const auto& row : ReadGoldenCsv(name)) {
    const std::uint64_t in = Code(row[0]);
    for (std::size_t k = 0; k < plans.size(); ++k) {
      std::uint8_t got = 0;
      plans[k].Run(&in, &got, 1);
      EXPECT_EQ(got, Code(row[k + 1])) << name << " " << row[0] << " " << Name(columns[k].rounding)
                                       << " " << Name(columns[k].overflow);
    }
  }
}

TEST(Golden, EveryRowOfHifloat8FromFloat32) {
  ExpectHifloat8Table("hif8_f32.csv", GetFormat(FormatId::kFloat32));
}
TEST(Golden, EveryRowOfHifloat8FromFloat16) {
  ExpectHifloat8Table("hif8_f16.csv", GetFormat(FormatId::kFloat16));
}

// For every code the exact lower bound of what half-away rounding sends there, and the float64 just
// below it.
TEST(Golden, EveryHalfAwayThresholdOfHifloat8IsInclusive) {
  const Format& f64 = GetFormat(FormatId::kFloat64);
  const Format& hif8 = GetFormat(FormatId::kHifloat8);
  for (const auto& row : ReadGoldenCsv("hif8_ta_thresholds.csv")) {
    const std::uint64_t code = Code(row[0]);
    if (code == 0) continue;
    const std::uint64_t bound = ParseNumber(row[2], f64)->word;
    EXPECT_EQ(Cast(bound, f64, hif8, Rounding::kTiesToAway, {}).bits, code) << row[2];
    EXPECT_NE(Cast(bound - 1, f64, hif8, Rounding::kTiesToAway, {}).bits, code) << row[2];
  }
}

// The vendor's own worked examples, those that agree with its rules.
TEST(Golden, EveryAgreeingExampleOfTheAscendPage) {
  std::size_t checked = 0;
  for (const auto& row : ReadGoldenCsv("ascend_examples.csv")) {
    if (row[8] == "no") continue;
    const Format& from = GetFormat(*FindFormat(row[0]));
    const Format& to = GetFormat(*FindFormat(row[1]));
    const Result<Plan> plan = MakePlan(
        {.from = from.id, .to = to.id, .profile = "ascend950", .rounding = *ParseRounding(row[2])});
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const std::uint64_t in = Code(row[4]);
    std::uint64_t got = 0;
    plan->Run(&in, &got, 1);
    EXPECT_EQ(got, Code(row[7])) << row[0] << " to " << row[1] << " " << row[2] << " of " << row[3];
    ++checked;
  }
  EXPECT_EQ(checked, 134u);
}

}  // namespace
}  // namespace exactcast
