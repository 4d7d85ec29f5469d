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
using support::RunShell;

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
  EXPECT_EQ(json["overflow"], "saturate");
  EXPECT_EQ(json["nan_rule"], "zero");
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
  EXPECT_FALSE(json.contains("deqscale"));
  EXPECT_FALSE(json.contains("offset"));
  EXPECT_FALSE(json.contains("warnings"));

  const auto exact =
      nlohmann::json::parse(Cast(floats_, {"--from", "f32", "--to", "f16", "--json"}).out);
  EXPECT_EQ(exact["overflow"], "ieee");
  EXPECT_EQ(exact["nan_rule"], "keep");
  const auto to_bool =
      nlohmann::json::parse(Cast(floats_, {"--from", "f32", "--to", "bool", "--json"}).out);
  EXPECT_EQ(to_bool["nan_rule"], "true");
  const auto scaled = nlohmann::json::parse(
      Cast(Bytes<std::int16_t>({1}), {"--from", "s16", "--to", "s8", "--profile", "ascend950",
                                      "--deqscale", "1", "--offset", "-5", "--json"})
          .out);
  EXPECT_EQ(scaled["deqscale"], (std::vector<std::string>{"0x3f800000"}));
  EXPECT_EQ(scaled["offset"], (std::vector<int>{-5}));
}

TEST_F(Command, JsonHoldsTheWarnings) {
  const std::string bools("\0\2", 2);
  const CommandResult file = Cast(bools, {"--from", "bool", "--to", "s8", "--json"});
  EXPECT_NE(file.err.find("warning: "), std::string::npos);
  const auto json = nlohmann::json::parse(file.out);
  ASSERT_EQ(json["warnings"].size(), 1u);
  EXPECT_NE(json["warnings"][0].get<std::string>().find("in.bin: element 1"), std::string::npos);

  const CommandResult stream =
      RunCommand({"cast", "-", "-", "--from", "bool", "--to", "s8", "--json"}, bools);
  EXPECT_EQ(stream.out, std::string("\0\1", 2));
  EXPECT_EQ(nlohmann::json::parse(stream.err)["warnings"],
            (std::vector<std::string>{
                "standard input: element 1 is the byte 2, not 0 or 1; bytes above 1 are true"}));

  // A name that is no UTF-8.
  const std::string odd = folder_.Path("\xff.bin");
  WriteFile(odd, bools);
  const CommandResult run =
      RunCommand({"cast", odd, out_, "--from", "bool", "--to", "s8", "--json", "--force"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["warnings"].size(), 1u);
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

TEST_F(Command, ABitPatternOfAScaleHasNoSign) {
  const std::string x = Bytes<std::int32_t>({25460861});
  const std::vector<std::string> options = {"--from",    "s32",       "--to",      "f16",
                                            "--profile", "ascend950", "--deqscale"};
  const auto cast = [&](const std::string& scale) {
    std::vector<std::string> all = options;
    all.back() += "=" + scale;
    return Cast(x, all);
  };
  EXPECT_EQ(cast("0x101c").status, 0);
  EXPECT_EQ(Output(), "\x3c\x72");
  EXPECT_EQ(cast("0X101C").status, 0);
  EXPECT_EQ(Output(), "\x3c\x72");
  for (const char* scale : {"-0x101c", "+0x101c", "-0X101C", "1,-0x1"})
    ExpectError(cast(scale), 2, "a bit pattern has no sign");
  EXPECT_EQ(cast("-0x1p-3").status, 0);
  EXPECT_EQ(cast("-0X1.8P-3").status, 0);
}

// ---- the standard streams and what leads to them ------------------------------------------------

class Streams : public Command {
 protected:
  CommandResult Shell(const std::string& line, const std::string& input = "") {
    WriteFile(in_, floats_);
    return RunShell(folder_.path(), line, input);
  }
  const std::string halves_ = std::string("\x00\x3c\x66\x2e\xd0\x5f\x00\x00", 8);
  const std::string summary_ = "float32 to float16, profile exact, mode rint: 4 elements";
};

TEST_F(Streams, AClosedOneIsAnErrorAndNeverAnotherFile) {
  for (const std::string strict : {"", " --strict"}) {
    ExpectError(Shell("exactcast cast - - --from f32 --to f16 <in.bin >&-" + strict), 5,
                "standard output: it is closed");
    ExpectError(Shell("exactcast cast in.bin - --from f32 --to f16 >&-" + strict), 5,
                "standard output: it is closed");
    ExpectError(Shell("exactcast cast in.bin /dev/stdout --from f32 --to f16 >&-" + strict), 5,
                "/dev/stdout: it is closed");
    ExpectError(Shell("exactcast cast - - --from f32 --to f16 <&-" + strict), 3,
                "standard input: cannot be read: it is closed");
    const CommandResult none =
        Shell("exactcast cast in.bin - --from f32 --to f16 <&- 2>&-" + strict);
    EXPECT_EQ(none.status, 0);
    EXPECT_EQ(none.out, halves_);
  }
  // What the command opened itself has a number, too.
  for (const std::string fd : {"3", "4", "5", "6"}) {
    const std::string path = "/dev/fd/" + fd;
    const std::string rest = " --from f32 --to f16 --strict 3>&- 4>&- 5>&- 6>&-";
    ExpectError(Shell("exactcast cast in.bin " + path + rest), 5, path);
    ExpectError(Shell("exactcast cast " + path + " new.bin" + rest), 3, path);
  }
}

TEST_F(Streams, TheSummaryNeverMixesWithTheElements) {
  for (const std::string output :
       {"- ", "/dev/stdout ", "/dev/fd/1 ", "/proc/self/fd/1 ", "/dev/fd/3 3>&1 "}) {
    for (const std::string to : {"", "| cat", ">>file && cat file"}) {
      SCOPED_TRACE(output + to);
      if (output.ends_with("3>&1 ") && to.starts_with(">>")) continue;  // two files
      const CommandResult run =
          Shell("rm -f file && exactcast cast in.bin --from f32 --to f16 " + output + to);
      EXPECT_EQ(run.status, 0);
      EXPECT_EQ(run.out, halves_);
      EXPECT_EQ(run.err.rfind(summary_, 0), 0u) << run.err;
    }
  }
  const CommandResult named = Shell(
      "mkfifo pipe && (cat pipe >got & exactcast cast in.bin pipe --from f32 --to f16 >pipe; "
      "wait); "
      "cat got");
  EXPECT_EQ(named.out, halves_);
  EXPECT_EQ(named.err.rfind(summary_, 0), 0u) << named.err;
  const CommandResult apart = Shell("exactcast cast in.bin /dev/null --from f32 --to f16");
  EXPECT_EQ(apart.out.rfind(summary_, 0), 0u) << apart.out;
  const CommandResult quiet =
      Shell("exactcast cast in.bin /dev/null --from f32 --to f16 >/dev/null");
  EXPECT_EQ(quiet.err, "");
}

TEST_F(Streams, InputAndOutputAreNeverOneFile) {
  for (const std::string line :
       {"exactcast cast in.bin - --from f32 --to f16 1<>in.bin",
        "exactcast cast - - --from f32 --to f16 <in.bin 1<>in.bin",
        "exactcast cast in.bin - --from f32 --to f16 >>in.bin",
        "exactcast cast in.bin /dev/stdout --from f32 --to f16 >>in.bin",
        "exactcast cast - in.bin --from f32 --to f16 --force <in.bin",
        "exactcast cast /dev/stdin in.bin --from f32 --to f16 --force <in.bin"}) {
    SCOPED_TRACE(line);
    ExpectError(Shell(line), 2, "the same file");
    EXPECT_EQ(ReadFile(in_), floats_);
  }
  ExpectError(Shell("exactcast cast - - --from f32 --to f16 <in.bin 1<>in.bin"), 2,
              "standard input and standard output are the same file");
  const CommandResult null = Shell("exactcast cast - - --from f32 --to f16 </dev/null >/dev/null");
  EXPECT_EQ(null.status, 0) << null.err;
}

TEST_F(Streams, ASummaryThatCannotBePrintedLeavesTheOutput) {
  for (const std::string to : {">/dev/full", ">&-"}) {
    for (const std::string json : {"", " --json"}) {
      const CommandResult run =
          Shell("exactcast cast in.bin out.bin --from f32 --to f16 --force " + to + json);
      ExpectError(run, 5, "standard output could not be written; OUTPUT is complete");
      EXPECT_EQ(Output(), halves_);
    }
  }
}

TEST_F(Streams, AFileOfProcIsReadToItsEnd) {
  const CommandResult run =
      Shell("exactcast cast /proc/self/cmdline out.bin --from u8 --to s8 --force && cat out.bin");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("/proc/self/cmdline"), std::string::npos) << run.out;
}

TEST_F(Command, DeriveWithCastsTheTensorAndTheScalar) {
  const std::string ints = Bytes<std::int32_t>({1, 16777217, -3});
  const CommandResult run = Cast(ints, {"--from", "s32", "--derive-with", "float32:0.1"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(
      run.out,
      "int32 to float32, profile exact, mode rint: 3 elements: 2 exact, 1 rounded, 0 "
      "overflowed, 0 underflowed, 0 NaN\n"
      "scalar float32 1.00000001e-01 (0x1.99999ap-4) = 0x3dcccccd (0.1 is 1.49011612e-09 off) to "
      "float32: 1.00000001e-01 (0x1.99999ap-4) = 0x3dcccccd, exact\n");
  EXPECT_EQ(Output(), Bytes<float>({1.0f, 16777216.0f, -3.0f}));
  const CommandResult json =
      Cast(Bytes<std::uint16_t>({0x3c00}), {"--from", "f16", "--derive-with", "f64:1/3", "--json"});
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out)["to"], "float16");
  EXPECT_EQ(nlohmann::json::parse(json.out)["scalar"]["result_bits"], "0x3555");
  EXPECT_EQ(nlohmann::json::parse(json.out)["scalar"]["outcome"], "rounded");
  ExpectError(Cast(std::string(1, 1), {"--from", "s8", "--derive-with", "s32:300", "--strict"}), 3,
              "the scalar 300 does not fit int8");
  ExpectError(Cast(ints, {"--from", "s32", "--derive-with", "f32:1", "--round", "floor"}), 2,
              "by profile exact, rint");
  EXPECT_EQ(Cast(Bytes<float>({2.0f}), {"--from", "f32", "--derive-with", "c64:1"}).status, 0);
  EXPECT_EQ(Output(), Bytes<float>({2.0f, 0.0f}));
  ExpectError(Cast(ints, {"--from", "u32", "--derive-with", "f32:1"}), 4,
              "PromoteType has no entry");
  ExpectError(Cast(ints, {"--from", "s32", "--derive-with", "f32"}), 2, "SCALAR_FORMAT:VALUE");
  ExpectError(Cast(ints, {"--from", "s32", "--derive-with", "f32:abc"}), 3, "not a number");
  ExpectError(Cast(ints, {"--from", "s32", "--derive-with", "f32:1", "--to", "f16"}), 2, "exclude");
}

// ---- errors: what, where, what to do ------------------------------------------------------------

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
  ExpectError(Cast(floats_, {"--from", "f32"}), 2, "--to FORMAT is required");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--thread", "2"}), 2, "--thread");
  ExpectError(Cast(floats_, {"--from", "f32", "--to", "f16", "--threads", "0"}), 2, "--threads");
  ExpectError(RunCommand({"cast"}), 2, "INPUT is required");
  ExpectError(RunCommand({"cats"}), 2, "unknown command 'cats'; the commands are cast");
  ExpectError(RunCommand({"cast", in_, in_, "--from", "f32", "--to", "f16", "--force"}), 2,
              "same file");
  ExpectError(RunCommand({"cast", "", out_, "--from", "f32", "--to", "f16"}), 2, "name is empty");
  ExpectError(RunCommand({"cast", in_, "", "--from", "f32", "--to", "f16"}), 2, "name is empty");
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
  ExpectError(RunCommand({"cast", in_, folder_.Path("newdir/"), "--from", "f32", "--to", "f16"}), 5,
              "no such folder");
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

// ---- formats, profiles, help --------------------------------------------------------------------

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
  const std::string codes = RunCommand({"formats", "hif8", "--codes"}).out;
  for (const char* row : {"0x6e     0x6d     0x6f     normal     32768  0x1p+15\n",
                          "0x07     0x06     0x7e     subnormal  0.0000152587890625  0x1p-16\n",
                          "0x80                       nan        nan\n"}) {
    EXPECT_NE(codes.find(row), std::string::npos) << row;
  }
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
