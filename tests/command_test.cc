// SPDX-License-Identifier: Apache-2.0
//
// The command line as scripts rely on it: summaries, JSON, names, exit statuses, and one clear line
// for every kind of error.
#include "tests/support/command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "exactcast/spec/format_names.h"
#include "exactcast/spec/profile.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

using support::CommandResult;
using support::RunCommand;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <typename T>
std::string Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// One line on standard error that begins with the program's name, and nothing on standard output.
void ExpectError(const CommandResult& run, int status, const std::string& part) {
  EXPECT_EQ(run.status, status) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.rfind("exactcast: ", 0), 0u) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
}

class Command : public testing::Test {
 protected:
  // Casts these bytes through files named in.bin and out.bin.
  CommandResult Cast(const std::string& input, std::vector<std::string> options) {
    WriteFile(in_, input);
    std::vector<std::string> arguments = {"cast", in_, out_, "--force"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunCommand(arguments);
  }
  [[nodiscard]] std::string Output() const { return ReadFile(out_); }

  support::TemporaryFolder folder_;
  std::string in_ = folder_.Path("in.bin");
  std::string out_ = folder_.Path("out.bin");
  const std::string floats_ = Bytes<float>({1.0f, 0.1f, 500.0f, 1e-9f});
};

TEST_F(Command, TheSummaryIsOneLineWithEveryClass) {
  const CommandResult run = Cast(floats_, {"--from", "f32", "--to", "e4m3fn"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "float32 to float8_e4m3fn, profile exact, mode rint: 4 elements: 1 exact, 1 rounded, 1 "
            "overflowed, 1 "
            "underflowed, 0 NaN\n");
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(Output(), std::string("\x38\x1d\x7f\x00", 4));
}

TEST_F(Command, JsonHasTheDocumentedKeys) {
  const CommandResult run =
      Cast(floats_, {"--from", "float32", "--to", "hif8", "--profile", "ascend950", "--round",
                     "CAST_HYBRID", "--shape", "2,2", "--json"});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["profile"], "ascend950");
  EXPECT_EQ(json["round"], "hybrid");
  EXPECT_EQ(json["from"], "float32");
  EXPECT_EQ(json["to"], "hifloat8");
  EXPECT_EQ(json["shape"], (std::vector<int>{2, 2}));
  EXPECT_EQ(json["elements"], 4);
  const std::uint64_t sum =
      json["exact"].get<std::uint64_t>() + json["rounded"].get<std::uint64_t>() +
      json["overflowed"].get<std::uint64_t>() + json["underflowed"].get<std::uint64_t>() +
      json["nan"].get<std::uint64_t>();
  EXPECT_EQ(sum, 4u);
  EXPECT_FALSE(json.contains("imaginary_lost"));
}

TEST_F(Command, StandardStreamsAreRawAndTheSummaryGoesToStandardError) {
  const CommandResult run =
      RunCommand({"cast", "-", "-", "--from", "<f4", "--to", "bf16"}, floats_);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.size(), 8u);
  EXPECT_EQ(run.err.rfind("float32 to bfloat16, profile exact, mode rint: 4 elements", 0), 0u)
      << run.err;
}

TEST_F(Command, LostImaginaryPartsAreSaid) {
  const CommandResult run = Cast(floats_, {"--from", "c64", "--to", "f32", "--json"});
  EXPECT_EQ(nlohmann::json::parse(run.out)["imaginary_lost"], 2);
  EXPECT_NE(Cast(floats_, {"--from", "c64", "--to", "f32"}).out.find("2 imaginary parts lost"),
            std::string::npos);
}

TEST_F(Command, ModesAndFormsHaveAllTheirNames) {
  const std::string half = Bytes<float>({2.5f});
  for (const char* name : {"round", "nearest-away", "CAST_ROUND", "cast_round", "Round"}) {
    EXPECT_EQ(Cast(half, {"--from", "f32", "--to", "s8", "--round", name}).status, 0);
    EXPECT_EQ(Output(), "\3") << name;
  }
  EXPECT_EQ(Cast(half, {"--from", "f32", "--to", "s8", "--rounding", "to-odd"}).status, 0);
  EXPECT_EQ(Output(), "\3");
  EXPECT_EQ(Cast(half, {"--from", "f32", "--to", "s8", "--round", "nearest-even"}).status, 0);
  EXPECT_EQ(Output(), "\2");
}

TEST_F(Command, ScaledCastsTakeBitPatternsFractionsAndSixteenValues) {
  const std::string x = Bytes<std::int32_t>({25460861});
  EXPECT_EQ(
      Cast(x, {"--from", "s32", "--to", "f16", "--profile", "ascend950", "--deqscale", "0x101c"})
          .status,
      0);
  EXPECT_EQ(Output(), "\x3c\x72");
  const CommandResult ignored =
      Cast(x, {"--from", "s32", "--to", "f16", "--profile", "atlas-a3", "--deqscale", "bits:0x101c",
               "--round", "hybrid", "--json"});
  EXPECT_EQ(ignored.status, 0) << ignored.err;
  EXPECT_EQ(Output(), "\x3c\x72");
  EXPECT_EQ(nlohmann::json::parse(ignored.out)["deqscale"], (std::vector<std::string>{"0x101c"}));

  const std::string y = Bytes<std::int16_t>({27061});
  EXPECT_EQ(Cast(y, {"--from", "s16", "--to", "s8", "--profile", "atlas-a2", "--deqscale",
                     "867/262144", "--offset", "0"})
                .status,
            0);
  EXPECT_EQ(Output(), "Z");
  EXPECT_EQ(Cast(y, {"--from", "s16", "--to", "s8", "--profile", "atlas-a2", "--deqscale",
                     "867/262144", "--offset", "-5"})
                .status,
            0);
  EXPECT_EQ(Output(), "U");
  EXPECT_EQ(Cast(y, {"--from", "s16", "--to", "u8", "--profile", "atlas-a2", "--deqscale",
                     "867/262144,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "--offset",
                     "1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-1"})
                .status,
            0);
  EXPECT_EQ(Output(), "[");
  ExpectError(Cast(x, {"--from", "s32", "--to", "f16", "--profile", "ascend950"}), 2,
              "give --deqscale S");
  ExpectError(
      Cast(x, {"--from", "s32", "--to", "f32", "--profile", "ascend950", "--deqscale", "1"}), 2,
      "does not go with int32 to float32");
  ExpectError(
      Cast(x, {"--from", "s32", "--to", "f16", "--profile", "kirin-x90", "--deqscale", "1"}), 4,
      "ascend950");
  ExpectError(
      Cast(y, {"--from", "s16", "--to", "s8", "--profile", "atlas-200i-500-a2", "--deqscale", "1"}),
      4, "atlas-a2");
  ExpectError(Cast(y, {"--from", "s16", "--to", "s8", "--profile", "ascend950"}), 4,
              "with --deqscale these have it");
  ExpectError(
      Cast(x, {"--from", "s32", "--to", "f16", "--profile", "ascend950", "--deqscale", "abc"}), 2,
      "'abc' is not a number");
  ExpectError(
      Cast(x, {"--from", "s32", "--to", "f16", "--profile", "ascend950", "--deqscale", "70000"}), 2,
      "outside the range of float16");
  ExpectError(Cast(y, {"--from", "s16", "--to", "s8", "--profile", "ascend950", "--deqscale", "1",
                       "--offset", "x"}),
              2, "--offset");
  ExpectError(Cast(y, {"--from", "s16", "--to", "s8", "--profile", "ascend950", "--offset", "1"}),
              2, "--offset goes with --deqscale");
}

// ---- errors: what, where, what to do
// -------------------------------------------------------------------------------

TEST_F(Command, WrongUseIsStatus2) {
  ExpectError(Cast(floats_, {"--from", "floot32", "--to", "f16"}), 2, "did you mean float32");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "e4m3"}), 2, "float8_e4m3fn, float8_e4m3,");
  ExpectError(Cast(floats_, {"--from", ">f4", "--to", "f16"}), 2, "big-endian");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", ""}), 2, "empty format");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--round", "rond"}), 2,
              "did you mean round");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--profile", "ascend951"}), 2,
              "did you mean ascend950");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--overflow", "clip"}), 2,
              "saturate, ieee and wrap");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--overflow", "wrap"}), 2,
              "spelt ieee for float16");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "s8", "--overflow", "ieee"}), 2,
              "spelt wrap for int8");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--nan", "drop"}), 2, "keep and zero");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--shape", "2,x"}), 2,
              "'x' is not a dimension");
  ExpectError(Cast(floats_, {"--to", "f16"}), 2, "--from");
  ExpectError(Cast(floats_, {"--from", "f32"}), 2, "--to is required");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--thread", "2"}), 2, "--thread");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--threads", "0"}), 2, "--threads");
  ExpectError(RunCommand({"cast"}), 2, "INPUT is required");
  ExpectError(RunCommand({"cats"}), 2, "unknown command 'cats'; the commands are cast");
  ExpectError(RunCommand({"cast", in_, in_, "--from", "f32", "--to", "f16", "--force"}), 2,
              "same file");
  ExpectError(RunCommand({"formats", "e2m0"}), 2, "unknown format 'e2m0'");
  ExpectError(RunCommand({"formats", "float32", "--codes"}), 2, "2^32 codes");
  ExpectError(RunCommand({"formats", "--codes"}), 2, "NAME");
  ExpectError(RunCommand({"profiles", "ascend"}), 2, "unknown profile 'ascend'");
}

TEST_F(Command, BadInputIsStatus3) {
  ExpectError(Cast("12345", {"--from", "f32", "--to", "f16"}), 3, "in.bin");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--shape", "5"}), 3, "20");
  ExpectError(Cast("ab", {"--from", "int4", "--to", "s8", "--shape", "5"}), 3, "3");
  ExpectError(
      RunCommand({"cast", folder_.Path("absent.bin"), out_, "--from", "f32", "--to", "f16"}), 3,
      "absent.bin");
  ExpectError(RunCommand({"cast", folder_.Path(""), out_, "--from", "f32", "--to", "f16"}), 3,
              "folder");
  ExpectError(RunCommand({"cast", "-", "-", "--from", "f32", "--to", "f16"}, "123"), 3,
              "standard input");
}

TEST_F(Command, WhatTheProfileLacksIsStatus4) {
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "e4m3fnuz", "--profile", "ascend950"}), 4,
              "--profile exact has it");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "e4m3fn", "--profile", "ascend950", "--round",
                             "trunc"}),
              4, "with rint, not trunc; leave --round out");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--round", "hybrid"}), 4, "hybrid");
  ExpectError(Cast(floats_, {"--from", "f64", "--to", "f32", "--profile", "ascend950", "--overflow",
                             "saturate"}),
              4, "ieee only");
  ExpectError(
      Cast(floats_, {"--from", "f32", "--to", "hif8", "--profile", "ascend950", "--nan", "keep"}),
      4, "NaN");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "int48"}), 4, "rescale only");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "uint1"}), 4, "derive only");
}

TEST_F(Command, AnOutputThatCannotBeWrittenIsStatus5) {
  WriteFile(in_, floats_);
  WriteFile(out_, "old");
  ExpectError(RunCommand({"cast", in_, out_, "--from", "f32", "--to", "f16"}), 5, "--force");
  EXPECT_EQ(Output(), "old");
  ExpectError(RunCommand({"cast", in_, "/dev/full", "--from", "f32", "--to", "f16"}), 5,
              "/dev/full");
  ExpectError(
      RunCommand({"cast", in_, folder_.Path("no/such/out.bin"), "--from", "f32", "--to", "f16"}), 5,
      "no/such");
  ExpectError(
      RunCommand({"cast", in_, folder_.Path(""), "--from", "f32", "--to", "f16", "--force"}), 5,
      "folder");
}

TEST_F(Command, StrictRefusesAndNamesTheFirstLoss) {
  const CommandResult overflow = Cast(floats_, {"--from", "f32", "--to", "e4m3fn", "--strict"});
  ExpectError(overflow, 3, "element 2 (500)");
  EXPECT_EQ(Output(), "");
  const CommandResult nan = Cast(Bytes<std::uint32_t>({0x3f800000, 0x7fc00000}),
                                 {"--from", "f32", "--to", "s32", "--strict"});
  ExpectError(nan, 3, "element 1 (nan)");
  EXPECT_EQ(Cast(floats_, {"--from", "f32", "--to", "bf16", "--strict"}).status, 0);
}

// ---- formats, profiles, help
// ---------------------------------------------------------------------------------------

TEST_F(Command, FormatsListsEveryFormatAndEveryCode) {
  const CommandResult all = RunCommand({"formats"});
  EXPECT_EQ(all.status, 0);
  for (const Format& f : kFormats)
    EXPECT_NE(all.out.find("\n" + std::string(f.name) + " "), std::string::npos) << f.name;
  const auto json =
      nlohmann::json::parse(RunCommand({"formats", "fp8_e4m3fn_t", "--codes", "--json"}).out);
  EXPECT_EQ(json["name"], "float8_e4m3fn");
  EXPECT_EQ(json["codes"].size(), 256u);
  EXPECT_EQ(json["codes"][0x7e]["decimal"], "448");
  EXPECT_EQ(json["codes"][0x01]["hexfloat"], "0x1p-9");
  EXPECT_EQ(nlohmann::json::parse(RunCommand({"formats", "--json"}).out).size(), kFormats.size());
  EXPECT_NE(
      RunCommand({"formats", "hif8", "--codes"}).out.find("0x6e     normal     32768  0x1p+15"),
      std::string::npos);
}

TEST_F(Command, ProfilesShowsPairsModesAndControlBits) {
  const CommandResult all = RunCommand({"profiles"});
  for (const Profile& p : kProfiles)
    EXPECT_NE(all.out.find(std::string(p.name) + " "), std::string::npos);
  const CommandResult one = RunCommand({"profiles", "ascend950"});
  for (const char* bit : {"CTRL[60]", "CTRL[48]", "CTRL[59]", "CTRL[50]"})
    EXPECT_NE(one.out.find(bit), std::string::npos);
  const auto json = nlohmann::json::parse(RunCommand({"profiles", "Ascend950", "--json"}).out);
  EXPECT_EQ(json["pairs"].size(), 68u) << "64 and 2 for register operands, and 2 of CastDequant";
  EXPECT_EQ(nlohmann::json::parse(RunCommand({"profiles", "--json"}).out).size(), kProfiles.size());
  EXPECT_NE(RunCommand({"profiles", "exact"}).out.find("Every format to every format"),
            std::string::npos);
}

TEST_F(Command, HelpAndVersionAreOnStandardOutput) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"cast", "--help"},
                                                    {"formats", "--help"},
                                                    {"profiles", "-h"}}) {
    const CommandResult run = RunCommand(arguments);
    EXPECT_EQ(run.status, 0);
    EXPECT_NE(run.out.find("Exit status"), std::string::npos);
    EXPECT_EQ(run.err, "");
  }
  EXPECT_EQ(RunCommand({"--version"}).out.rfind("exactcast ", 0), 0u);
  EXPECT_EQ(RunCommand({}).status, 2);
}

}  // namespace
}  // namespace exactcast
