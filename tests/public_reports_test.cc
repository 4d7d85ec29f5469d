// SPDX-License-Identifier: Apache-2.0
//
// What people hit elsewhere (tests/golden/public_reports.csv): every report that is a plain cast,
// by its id, with the result that is right. Reports about files, scales, rescaling and derivation
// are tested where those are.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/format_names.h"
#include "exactcast/spec/reference.h"

namespace exactcast {
namespace {

struct Report {
  const char* id;
  const char* from;
  const char* input;  // as ParseNumber reads it, inf or nan
  const char* to;
  const char* round;
  const char* form;
  const char* expected;  // a code or a decimal integer; nan: any NaN
  const char* profile = "exact";
};

// clang-format off
constexpr Report kReports[] = {
  {"B001", "f64", "bits:0x3FF0020000001000", "f16", "rint", "ieee", "0x3c01"},
  {"B001", "f64", "bits:0xBFF0020000001000", "f16", "rint", "ieee", "0xbc01"},
  {"B002", "f64", "bits:0x409FFDFFFFFF0000", "f16", "rint", "ieee", "0x67ff"},
  {"B003", "f64", "bits:0x3F0FFBFFFFFFFFFC", "f16", "rint", "ieee", "0x03ff"},
  {"B005", "f64", "0x1.0020040p0", "f16", "rint", "ieee", "0x3c01"},
  {"B006", "f64", "bits:0x3FF0020000000001", "f16", "rint", "ieee", "0x3c01"},
  {"B007", "f64", "bits:0x3FF0100000001000", "bf16", "rint", "ieee", "0x3f81"},
  {"B008", "f64", "bits:0x40EEEDFFF0068DB9", "f16", "rint", "ieee", "0x7bbb"},
  {"B012", "s32", "bits:0x01010011", "bf16", "rint", "ieee", "0x4b81"},
  {"B013", "f32", "bits:0x3F880001", "e4m3fn", "rint", "ieee", "0x39"},
  {"B016", "f32", "bits:0x3FA88000", "e4m3fn", "rint", "ieee", "0x3b"},
  {"B022", "f64", "0.499999990234375", "f16", "rint", "ieee", "0x3800"},
  {"B023", "f32", "bits:0x34200000", "f16", "rint", "ieee", "0x0002"},
  {"B023", "f32", "bits:0x34200000", "f16", "round", "ieee", "0x0003"},
  {"B024", "f32", "520.25", "f16", "rint", "ieee", "0x6010"},
  {"B025", "f16", "bits:0x4880", "e5m2", "rint", "ieee", "0x48"},
  {"B026", "f32", "bits:0x42FC7AE1", "e4m3fn", "rint", "ieee", "0x70"},
  {"B027", "f32", "bits:0x3FE815A5", "e4m3fn", "rint", "ieee", "0x3f"},
  {"B028", "f32", "300", "e4m3fn", "rint", "ieee", "0x79"},
  {"B029", "f32", "1.125", "e5m2", "rint", "ieee", "0x3c"},
  {"B029", "f32", "1.625", "e5m2", "rint", "ieee", "0x3e"},
  {"B029", "f32", "0x1p-16", "e5m2", "rint", "ieee", "0x01"},
  {"B029", "f32", "1e-5", "e5m2", "rint", "ieee", "0x01"},
  {"B029", "f32", "-0.0", "e5m2", "rint", "ieee", "0x80"},
  {"B029", "f32", "65504", "e5m2", "rint", "saturate", "0x7b"},
  {"B029", "f32", "65504", "e5m2", "rint", "ieee", "0x7c"},
  {"B030", "f32", "500", "e4m3fn", "rint", "ieee", "0x7f"},
  {"B030", "f32", "58000", "e5m2", "rint", "ieee", "0x7b"},
  {"B031", "f32", "464", "e4m3fn", "rint", "ieee", "0x7e"},
  {"B031", "f32", "465", "e4m3fn", "rint", "ieee", "0x7f"},
  {"B031", "f32", "3e10", "e4m3fn", "rint", "ieee", "0x7f"},
  {"B031", "f32", "464", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B031", "f32", "465", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B031", "f32", "3e10", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B032", "f32", "1000", "e4m3fn", "rint", "ieee", "0x7f"},
  {"B032", "f32", "448", "e4m3fn", "rint", "ieee", "0x7e"},
  {"B032", "f32", "464", "e4m3fn", "rint", "ieee", "0x7e"},
  {"B032", "f32", "465", "e4m3fn", "rint", "ieee", "0x7f"},
  {"B032", "f32", "-1000", "e4m3fn", "rint", "ieee", "0xff"},
  {"B032", "f32", "1000", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B032", "f32", "448", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B032", "f32", "464", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B032", "f32", "465", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B032", "f32", "-1000", "e4m3fn", "rint", "saturate", "0xfe"},
  {"B033", "f32", "449", "e4m3fn", "rint", "ieee", "0x7e"},
  {"B033", "f32", "449", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B034", "f32", "500", "e4m3fn", "rint", "ieee", "0x7f"},
  {"B034", "f32", "500", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B037", "f32", "449", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B037", "f32", "1000", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B038", "bf16", "bits:0x4428", "e4m3fn", "rint", "saturate", "0x7e"},
  {"B043", "f32", "1.125", "e8m0", "ceil", "ieee", "0x80"},
  {"B043", "f32", "1.25", "e8m0", "ceil", "ieee", "0x80"},
  {"B043", "f32", "5", "e8m0", "ceil", "ieee", "0x82"},
  {"B044", "f32", "bits:0x00500000", "e8m0", "rint", "ieee", "0x00"},
  {"B046", "f64", "0x1p-130", "e8m0", "rint", "saturate", "0x00"},
  {"B048", "e8m0", "bits:0xFF", "f32", "rint", "ieee", "nan"},
  {"B049", "f32", "bits:0x3E800002", "e2m1", "rint", "saturate", "0x1"},
  {"B050", "f32", "-1.25", "e2m1", "rint", "saturate", "0xa"},
  {"B051", "f32", "0.25", "e2m1", "rint", "saturate", "0x0"},
  {"B051", "f32", "0.75", "e2m1", "rint", "saturate", "0x2"},
  {"B051", "f32", "1.25", "e2m1", "rint", "saturate", "0x2"},
  {"B051", "f32", "1.75", "e2m1", "rint", "saturate", "0x4"},
  {"B051", "f32", "2.5", "e2m1", "rint", "saturate", "0x4"},
  {"B051", "f32", "3.5", "e2m1", "rint", "saturate", "0x6"},
  {"B051", "f32", "5.0", "e2m1", "rint", "saturate", "0x6"},
  {"B055", "f32", "bits:0x3E89CCD5", "bf16", "rint", "ieee", "0x3e8a"},
  {"B056", "s32", "259", "bf16", "rint", "ieee", "0x4382"},
  {"B057", "f32", "3.14", "bf16", "rint", "ieee", "0x4049"},
  {"B058", "s32", "-1", "bf16", "rint", "ieee", "0xbf80"},
  {"B059", "f32", "bits:0x7F800001", "bf16", "rint", "ieee", "0x7fc0"},
  {"B061", "f32", "bits:0x7F800001", "bf16", "rint", "ieee", "0x7fc0"},
  {"B062", "f32", "0x1p-24", "f16", "rint", "ieee", "0x0001"},
  {"B062", "f32", "bits:0x7F800001", "f16", "rint", "ieee", "nan"},
  {"B063", "bf16", "bits:0x0001", "f32", "rint", "ieee", "0x00010000"},
  {"B063", "f32", "bits:0x00010000", "bf16", "rint", "ieee", "0x0001"},
  {"B065", "bf16", "bits:0x4780", "f16", "rint", "saturate", "0x7bff"},
  {"B065", "bf16", "bits:0x4780", "f16", "rint", "ieee", "0x7c00"},
  {"B068", "f32", "bits:0x3EFFFFFF", "s32", "rint", "saturate", "0"},
  {"B068", "f32", "bits:0x3EFFFFFF", "s32", "round", "saturate", "0"},
  {"B069", "f32", "bits:0x3EFFFFFF", "s32", "rint", "wrap", "0"},
  {"B069", "f32", "bits:0x3EFFFFFF", "s32", "round", "wrap", "0"},
  {"B073", "f32", "0x1.01p0", "bf16", "rint", "ieee", "0x3f80"},
  {"B073", "f32", "0x1.01p0", "bf16", "round", "ieee", "0x3f81"},
  {"B074", "f32", "1.1875", "e4m3fn", "rint", "saturate", "0x3a", "ascend950"},
  {"B076", "f32", "300", "s8", "rint", "saturate", "127"},
  {"B076", "f32", "300", "s8", "rint", "wrap", "44"},
  {"B077", "f32", "65505", "f16", "rint", "ieee", "0x7bff"},
  {"B077", "f32", "65519", "f16", "rint", "ieee", "0x7bff"},
  {"B077", "f32", "65520", "f16", "rint", "ieee", "0x7c00"},
  {"B077", "f32", "65505", "f16", "rint", "saturate", "0x7bff", "ascend950"},
  {"B077", "f32", "65519", "f16", "rint", "saturate", "0x7bff", "ascend950"},
  {"B077", "f32", "65520", "f16", "rint", "saturate", "0x7bff", "ascend950"},
  {"B078", "f64", "nan", "s16", "trunc", "saturate", "0"},
  {"B078", "f64", "nan", "s32", "trunc", "saturate", "0"},
  {"B078", "f64", "nan", "s64", "trunc", "saturate", "0"},
  {"B078", "f64", "-128", "u8", "trunc", "saturate", "0"},
  {"B078", "f64", "-128", "u8", "trunc", "wrap", "128"},
  {"B079", "f32", "68469.13", "u16", "trunc", "saturate", "65535"},
  {"B079", "f32", "68469.13", "u16", "trunc", "wrap", "2933"},
  {"B083", "f32", "-1", "u32", "trunc", "wrap", "4294967295"},
  {"B083", "f32", "-1", "u32", "trunc", "saturate", "0"},
  {"B084", "f32", "300", "u8", "trunc", "wrap", "44"},
  {"B084", "f32", "300", "u8", "trunc", "saturate", "255"},
  {"B085", "f32", "2147483646", "s32", "trunc", "saturate", "2147483647"},
  {"B086", "f32", "-3.4028235e38", "s8", "trunc", "saturate", "0x80"},
  {"B086", "f32", "-3.4028235e38", "s8", "trunc", "wrap", "0"},
  {"B089", "f32", "127.6", "s8", "rint", "saturate", "127"},
  {"B091", "f32", "2.5", "s32", "rint", "saturate", "2"},
  {"B091", "f32", "-2.5", "s32", "rint", "saturate", "0xfffffffe"},
  {"B091", "f32", "3.5", "s32", "rint", "saturate", "4"},
  {"B091", "f32", "2.7", "s32", "rint", "saturate", "3"},
  {"B091", "f32", "2.5", "s32", "trunc", "saturate", "2"},
  {"B091", "f32", "-2.5", "s32", "trunc", "saturate", "0xfffffffe"},
  {"B091", "f32", "3.5", "s32", "trunc", "saturate", "3"},
  {"B091", "f32", "2.7", "s32", "trunc", "saturate", "2"},
  {"B092", "f32", "31.999998", "s32", "trunc", "saturate", "31"},
  {"B092", "f32", "31.999998", "s32", "rint", "saturate", "32"},
  {"B106", "f32", "0.5", "u8", "rint", "saturate", "0"},
  {"B106", "f32", "1.5", "u8", "rint", "saturate", "2"},
  {"B106", "f32", "2.5", "u8", "rint", "saturate", "2"},
  {"B106", "f32", "3.5", "u8", "rint", "saturate", "4"},
  {"B107", "s32", "-129", "s8", "rint", "saturate", "0x80"},
  {"B109", "f32", "bits:0xB3D6BF95", "e4m3fnuz", "rint", "ieee", "0x00"},
  {"B110", "e4m3fnuz", "bits:0x80", "f16", "rint", "ieee", "0x7e00"},
  {"B110", "e4m3fnuz", "bits:0x80", "bf16", "rint", "ieee", "nan"},
  {"B110", "e4m3fnuz", "bits:0x80", "f32", "rint", "ieee", "nan"},
  {"B111", "e5m2", "bits:0x00", "f32", "rint", "ieee", "0x00000000"},
  {"B111", "e5m2", "bits:0x80", "f32", "rint", "ieee", "0x80000000"},
  {"B111", "e5m2", "bits:0x01", "f32", "rint", "ieee", "0x37800000"},
  {"B111", "e5m2", "bits:0x03", "f32", "rint", "ieee", "0x38400000"},
  {"B111", "e5m2", "bits:0x04", "f32", "rint", "ieee", "0x38800000"},
  {"B112", "e4m3fn", "bits:0x01", "f32", "rint", "ieee", "0x3b000000"},
  {"B112", "e4m3fn", "bits:0x02", "f32", "rint", "ieee", "0x3b800000"},
  {"B112", "e4m3fn", "bits:0x03", "f32", "rint", "ieee", "0x3bc00000"},
  {"B112", "e4m3fn", "bits:0x04", "f32", "rint", "ieee", "0x3c000000"},
  {"B112", "e4m3fn", "bits:0x05", "f32", "rint", "ieee", "0x3c200000"},
  {"B112", "e4m3fn", "bits:0x06", "f32", "rint", "ieee", "0x3c400000"},
  {"B112", "e4m3fn", "bits:0x07", "f32", "rint", "ieee", "0x3c600000"},
  {"B113", "f32", "0.000538887", "e4m3fn", "rint", "ieee", "0x00"},
  {"B114", "f32", "inf", "e5m2", "rint", "ieee", "0x7c"},
  {"B114", "f32", "inf", "e5m2", "rint", "saturate", "0x7b"},
  {"B115", "f32", "nan", "f16", "rint", "ieee", "nan"},
  {"B115", "f32", "nan", "f16", "rint", "saturate", "0x0000", "ascend950"},
  {"B116", "f64", "bits:0x000000001E02A283", "f32", "rint", "ieee", "0x00000000"},
  {"B117", "f32", "bits:0x3FFFFFFF", "bf16", "rint", "ieee", "0x4000"},
  {"B118", "f32", "bits:0x36D70000", "f16", "rint", "ieee", "0x006c"},
  {"B157", "f32", "1.3e-10", "f16", "rint", "ieee", "0x0000"},
  {"B161", "f32", "1.97", "hif8", "round", "ieee", "0x10", "ascend950"},
  {"B161", "f32", "36864", "hif8", "round", "ieee", "0x6e", "ascend950"},
  {"B164", "f16", "bits:0x2FFE", "hif8", "round", "ieee", "0x38", "ascend950"},
  {"B165", "f16", "bits:0x5BFC", "hif8", "hybrid", "ieee", "0x60", "ascend950"},
  {"B165", "f16", "bits:0x0340", "hif8", "hybrid", "ieee", "0x7c", "ascend950"},
  {"B168", "f32", "nan", "f16", "rint", "saturate", "0x0000", "ascend950"},
  {"B168", "f32", "nan", "f16", "rint", "ieee", "nan", "ascend950"},
};
// clang-format on

std::uint64_t InputCode(const Report& report, const Format& from) {
  const std::string input = report.input;
  if (input == "inf") return InfinityCode(from, false);
  if (input == "nan") return NanCode(from, {.cls = Class::kNan});
  return ParseNumber(input, from)->word;
}

// Reports that are no plain cast: tested where their subject is, or no cast at all (B098, ...).
constexpr const char* kElsewhere[] = {
    "B080", "B093", "B124", "B125",                                  // below
    "B094", "B098", "B103", "B104",                                  // rescaling, division
    "B120", "B121",                                                  // derivation
    "B126", "B127", "B130", "B133", "B134", "B137", "B138", "B139",  // scales and files
    "B140", "B141", "B142", "B143", "B144", "B145", "B147", "B148", "B154"};

TEST(PublicReports, EveryReportIsTestedHereOrListedAsNoPlainCast) {
  std::set<std::string> known(std::begin(kElsewhere), std::end(kElsewhere));
  for (const Report& report : kReports) known.insert(report.id);
  std::ifstream file(std::string(EXACTCAST_GOLDEN_DIR) + "/public_reports.csv");
  std::string line;
  std::getline(file, line);
  std::size_t reports = 0;
  for (; std::getline(file, line); ++reports) {
    EXPECT_TRUE(known.contains(line.substr(0, line.find(',')))) << line;
  }
  EXPECT_EQ(reports, 100u);
}

TEST(PublicReports, EveryPlainCastGivesTheRightValue) {
  for (const Report& report : kReports) {
    const Format& from = GetFormat(*FindFormat(report.from));
    const Format& to = GetFormat(*FindFormat(report.to));
    const Result<Plan> plan = MakePlan({.from = from.id,
                                        .to = to.id,
                                        .profile = report.profile,
                                        .rounding = *ParseRounding(report.round),
                                        .overflow = *ParseOverflow(report.form)});
    ASSERT_TRUE(plan.ok()) << report.id << ": " << plan.status().message();
    const std::uint64_t in = InputCode(report, from);
    std::uint64_t got = 0;
    plan->Run(&in, &got, 1);
    if (std::string(report.expected) == "nan") {
      EXPECT_EQ(Decode(got, to).cls, Class::kNan) << report.id;
    } else {
      EXPECT_EQ(got, std::stoull(report.expected, nullptr, 0))
          << report.id << " " << report.input << " to " << report.to;
    }
  }
}

// B093 and B080: what a part or a NaN loses is counted, and a bool is true.
TEST(PublicReports, WhatIsLostIsCounted) {
  const std::vector<float> i = {0.0f, 1.0f};
  float real = 7;
  const Counts lost =
      MakePlan({.from = FormatId::kComplex64, .to = FormatId::kFloat32})->Run(i.data(), &real, 1);
  EXPECT_EQ(real, 0.0f);
  EXPECT_EQ(lost.imaginary_lost, 1u);
  std::uint8_t truth = 0;
  MakePlan({.from = FormatId::kComplex64, .to = FormatId::kBool})->Run(i.data(), &truth, 1);
  EXPECT_EQ(truth, 1);
  const std::uint32_t nan[] = {0x3f800000, 0x7fc00000};
  std::int32_t out[2];
  const Counts counts =
      MakePlan({.from = FormatId::kFloat32, .to = FormatId::kInt32})->Run(nan, out, 2);
  EXPECT_EQ(counts.nan, 1u);
  EXPECT_EQ(counts.first_lost, 1u);
}

// B124, B125: which element is in the low bits.
TEST(PublicReports, PackedElementsBeginInTheLowBits) {
  const float values[] = {0.5f, 6.0f, -1.0f, 2.0f};
  std::uint8_t out[2];
  MakePlan({.from = FormatId::kFloat32,
            .to = FormatId::kFloat4E2m1fn,
            .output_packing = Packing::kPacked})
      ->Run(values, out, 4);
  EXPECT_EQ(out[0], 0x71);
  EXPECT_EQ(out[1], 0x4a);
  const std::int8_t small[] = {1, -2, 3};
  MakePlan({.from = FormatId::kInt8, .to = FormatId::kInt4, .output_packing = Packing::kPacked})
      ->Run(small, out, 3);
  EXPECT_EQ(out[0], 0xe1);
  EXPECT_EQ(out[1], 0x03);
}

}  // namespace
}  // namespace exactcast
