// SPDX-License-Identifier: Apache-2.0
//
// The command under TOSA's profiles: each option that chooses among permitted results, what it
// refuses, and compare --permitted. What the results are is tosa_cast_test.cc's matter.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

using nlohmann::json;
using support::CommandResult;

class TosaCommand : public testing::Test {
 protected:
  // float32: NaN, 1, the first above the tie 1 + 2^-11, a subnormal, -65520.
  TosaCommand() {
    static_cast<void>(folder_.File("in.bin", std::string("\x00\x00\xc0\x7f\x00\x00\x80\x3f"
                                                         "\x01\x10\x80\x3f\x01\x00\x00\x80"
                                                         "\x00\xf0\x7f\xc7",
                                                         20)));
  }

  CommandResult Run(const std::string& line) {
    return support::RunShell(folder_.path(), "exactcast " + line);
  }
  // The bytes of casting in.bin.
  std::string Cast(const std::string& options) {
    return Run("cast in.bin - --from float32 " + options).out;
  }
  void ExpectStatus(const std::string& line, int status, const std::string& words = "") {
    const CommandResult run = Run(line);
    EXPECT_EQ(run.status, status) << line << "\n" << run.err;
    EXPECT_NE(run.err.find(words), std::string::npos) << line << "\n" << run.err;
  }

  support::TemporaryFolder folder_;
};

TEST_F(TosaCommand, EachOptionChoosesAnotherResult) {
  const auto bytes = [](const char* text, std::size_t size) { return std::string(text, size); };
  EXPECT_EQ(Cast("--to float16 --profile tosa-1.0"),
            bytes("\x00\x7e\x00\x3c\x01\x3c\x00\x80\x00\xfc", 10));
  const std::string zero = bytes("\x00\x7e\x00\x3c\x00\x3c\x00\x80\xff\xfb", 10);
  EXPECT_EQ(Cast("--to float16 --profile tosa-1.0 --float-rounding zero"), zero);
  EXPECT_EQ(Cast("--to float16 --profile tosa-1.0.1 --round trunc"), zero);
  EXPECT_EQ(Cast("--to float16 --profile TOSA-1.0.2 --round trunc --float-rounding zero"), zero);
  EXPECT_EQ(Cast("--to bool --profile tosa-1.1-draft"), bytes("\1\1\1\1\1", 5));
  EXPECT_EQ(Cast("--to bool --profile tosa-1.1-draft --flush-subnormals"), bytes("\1\1\1\0\1", 5));
  EXPECT_EQ(Cast("--to int8 --profile tosa-0.60"), bytes("\0\1\1\0\x80", 5));
  EXPECT_EQ(Cast("--to int8 --profile tosa-0.60 --nan-to-int min"), bytes("\x80\1\1\0\x80", 5));
  EXPECT_EQ(Cast("--to int8 --profile tosa-0.60 --nan-to-int MAX"), bytes("\x7f\1\1\0\x80", 5));
}

TEST_F(TosaCommand, TheSummaryCountsWhatIsUnpredictableUnderTheseProfilesOnly) {
  EXPECT_EQ(Run("cast in.bin o.bin --from float32 --to int8 --profile tosa-0.20").out,
            "float32 to int8, profile tosa-0.20, mode rint: 5 elements: 1 exact, 2 rounded, 1 "
            "overflowed, 0 underflowed, 1 NaN, 1 unpredictable\n");
  const json result = json::parse(
      Run("cast in.bin p.bin --from float32 --to int8 --profile tosa-1.0.2 --nan-to-int max --json")
          .out);
  EXPECT_EQ(result["profile"], "tosa-1.0");
  EXPECT_EQ(result["unpredictable"], 1);
  EXPECT_EQ(result["nan_rule"], "max");
  EXPECT_EQ(result["flush_subnormals"], false);
  const json exact = json::parse(Run("cast in.bin q.bin --from float32 --to int8 --json").out);
  EXPECT_FALSE(exact.contains("unpredictable"));
  EXPECT_NE(Run("cast in.bin r.bin --from float32 --to float16 --profile tosa-1.0 "
                "--flush-subnormals")
                .out.find("mode rint, subnormals flushed:"),
            std::string::npos);
}

TEST_F(TosaCommand, RefuseNamesTheFirstIndexAndWritesNothing) {
  ExpectStatus("cast in.bin o.bin --from float32 --to int8 --profile tosa-1.0 --nan-to-int refuse",
               3, "element 0 (nan) is unpredictable as int8 in tosa-1.0");
  EXPECT_EQ(folder_.Names(), (std::set<std::string>{"in.bin"}));
  ExpectStatus(
      "cast in.bin o.bin --from float32 --to float16 --profile tosa-1.0 --nan-to-int refuse", 0);
  ExpectStatus("explain nan --to int8 --profile tosa-1.0 --nan-to-int refuse", 3, "unpredictable");
  ExpectStatus("explain 1 --to int8 --profile tosa-1.0 --nan-to-int refuse", 0);
}

TEST_F(TosaCommand, WhatAVersionDoesNotPermitExitsFour) {
  const std::string cast = "cast in.bin o.bin --force --from float32 --to ";
  ExpectStatus(cast + "float16 --profile tosa-1.0 --round floor", 4, "rint or trunc");
  ExpectStatus(cast + "float16 --profile tosa-0.90 --round trunc", 4, "rint");
  ExpectStatus(cast + "float16 --profile tosa-0.90 --float-rounding zero", 4, "from tosa-1.0 on");
  ExpectStatus(cast + "int8 --profile tosa-1.0 --float-rounding zero", 4, "to nearest only");
  ExpectStatus(cast + "float16 --profile tosa-0.50 --flush-subnormals", 4, "from tosa-0.60 on");
  ExpectStatus(cast + "float8_e5m2 --profile tosa-0.90", 4, "EXT-FP8E5M2");
  ExpectStatus(cast + "bs32_fp8ue8m0_fp4e2m1 --profile tosa-1.1-draft", 4, "not yet");
  ExpectStatus(cast + "float4_e2m1fn --profile tosa-1.1-draft", 4, "not yet");
  ExpectStatus(cast + "int8 --profile tosa-1.0 --overflow wrap", 4, "saturate only");
  ExpectStatus(cast + "float16 --profile tosa-1.0 --nan zero", 4, "--nan");
  // Where no result could differ, naming it is harmless.
  ExpectStatus(cast + "int8 --profile tosa-0.50 --flush-subnormals", 0);
  ExpectStatus(cast + "int8 --profile tosa-0.50 --float-rounding nearest", 0);
}

TEST_F(TosaCommand, WrongWordsAndOtherProfilesExitTwo) {
  const std::string cast = "cast in.bin o.bin --force --from float32 --to ";
  ExpectStatus(cast + "float16 --profile tosa-1.0 --float-rounding up", 2, "nearest or zero");
  ExpectStatus(cast + "int8 --profile tosa-1.0 --nan-to-int nan", 2, "zero, min, max or refuse");
  ExpectStatus(cast + "float16 --profile tosa-1.0 --round rint --float-rounding zero", 2,
               "contradict");
  ExpectStatus(cast + "int8 --profile tosa-1.0 --nan zero --nan-to-int max", 2, "contradict");
  ExpectStatus(cast + "float16 --profile tosa-1.0 --overflow wrap", 2, "ieee");
  ExpectStatus(cast + "float16 --profile tosa-1.3", 2, "did you mean");
  for (const char* option :
       {"--float-rounding nearest", "--flush-subnormals", "--nan-to-int zero"}) {
    ExpectStatus(cast + "float16 " + option, 2, "tosa-");
    ExpectStatus(cast + "float16 --profile ascend950 " + option, 2, "tosa-");
    ExpectStatus(std::string("explain 1 --to float16 ") + option, 2, "tosa-");
  }
}

TEST_F(TosaCommand, InputUnsignedIsAnUnsignedFromInTheDraft) {
  static_cast<void>(folder_.File("u8.bin", "\xff\x80"));
  EXPECT_EQ(Run("cast u8.bin - --from uint8 --to int16 --profile tosa-1.1-draft").out,
            std::string("\xff\x00\x80\x00", 4));
  ExpectStatus("cast u8.bin - --from uint8 --to int16 --profile tosa-1.0", 4, "tosa-1.1-draft");
}

TEST_F(TosaCommand, ExplainNamesWhatTheVersionLeavesOpen) {
  EXPECT_NE(Run("explain nan --to int8 --profile tosa-1.0 --nan-to-int max")
                .out.find("leaves a NaN to an integer unpredictable: 127 is written"),
            std::string::npos);
  EXPECT_NE(Run("explain 1e-40 --to bfloat16 --profile tosa-1.0 --flush-subnormals")
                .out.find("permits a subnormal float32 to be taken for zero"),
            std::string::npos);
  EXPECT_NE(Run("explain 3e-6 --to float16 --profile tosa-1.0 --flush-subnormals")
                .out.find("permits a subnormal float16 to become zero"),
            std::string::npos);
  EXPECT_NE(Run("explain 470 --to float8_e4m3fn --profile tosa-1.0 --float-rounding zero")
                .out.find("is asked of"),
            std::string::npos);
  EXPECT_NE(Run("explain 1 --to float16 --profile all").out.find("tosa-1.0.0-rc0 rint"),
            std::string::npos);
}

TEST_F(TosaCommand, ProfilesListsPairsNeedsAndWhatIsNotYetThere) {
  const json one = json::parse(Run("profiles tosa-1.1-draft --json").out);
  EXPECT_EQ(one["pairs"].size(), 52u + 21u) << "21 with input_unsigned";
  EXPECT_NE(one["not_yet"].get<std::string>().find("block-scaled"), std::string::npos);
  EXPECT_EQ(one["pairs"][0]["needs"], "PRO-INT");
  EXPECT_NE(Run("profiles tosa-1.1-draft").out.find("not yet there: block-scaled"),
            std::string::npos);
  EXPECT_NE(Run("profiles tosa-0.23").out.find("MI, MT"), std::string::npos);
}

// ---- compare --permitted ------------------------------------------------------------------------

constexpr const char* kPermitted =
    " --permitted --profile tosa-1.0 --source in.bin --from float32 --format float16";

TEST_F(TosaCommand, CompareAcceptsWhatIsPermittedAndSaysOnWhichGrounds) {
  Run("cast in.bin a.bin --from float32 --to float16 --profile tosa-1.0");
  Run("cast in.bin b.bin --from float32 --to float16 --profile tosa-1.0 --float-rounding zero");
  ExpectStatus("compare a.bin b.bin --format float16", 1);
  const CommandResult run = Run("compare b.bin a.bin" + std::string(kPermitted));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(
      run.out.find("5 elements: 3 equal, 2 accepted, 0 not permitted\nA: 3 default, 2 toward zero\n"
                   "B: 5 default\n"),
      std::string::npos)
      << run.out;
  const json result = json::parse(Run("compare b.bin a.bin --json" + std::string(kPermitted)).out);
  EXPECT_EQ(result["permitted"]["a"]["toward zero"], 2);
  EXPECT_EQ(result["permitted"]["b"]["default"], 5);
  EXPECT_EQ(result["worst"][0]["a"]["grounds"], "toward zero");
  EXPECT_EQ(result["worst"][0]["source"], "0x3f801001");
  // Under 0.90 the nearest alone is right, and a tie that overflows is infinity.
  std::string older = kPermitted;
  older.replace(older.find("1.0"), 3, "0.90");
  const json old = json::parse(Run("compare b.bin a.bin --json" + older).out);
  EXPECT_EQ(old["differing"], 2);
  EXPECT_EQ(old["permitted"]["a"]["not permitted"], 2);
}

TEST_F(TosaCommand, CompareRejectsWhatIsNotPermittedAlsoWhereBothAreEqual) {
  static_cast<void>(
      folder_.File("wrong.bin", std::string("\x01\x7e\x00\x3c\x02\x3c\x00\x00\x00\xfc", 10)));
  const CommandResult run = Run("compare wrong.bin wrong.bin" + std::string(kPermitted));
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.out.find("A: 2 default, 1 NaN pattern, 2 not permitted\n"), std::string::npos)
      << run.out << run.err;
}

TEST_F(TosaCommand, CompareCountsFlushedAndUnpredictableElements) {
  static_cast<void>(folder_.File("sub.bin", std::string("\x01\x80\x01\x00", 4)));
  static_cast<void>(folder_.File("flushed.bin", std::string("\0\0\0\x80\0\0\0\0", 8)));
  EXPECT_NE(Run("compare flushed.bin flushed.bin --permitted --profile tosa-1.0 --source sub.bin "
                "--from bfloat16 --format float32")
                .out.find("A: 2 flush\n"),
            std::string::npos);
  static_cast<void>(folder_.File("ints.bin", "\x55\x01\x01\0\x80"));
  Run("cast in.bin c.bin --from float32 --to int8 --profile tosa-1.0");
  const CommandResult run =
      Run("compare c.bin c.bin --permitted --profile tosa-1.0 --source in.bin "
          "--from float32 --format int8");
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("A: 1 unpredictable, 4 default\n"), std::string::npos) << run.out;
}

TEST_F(TosaCommand, CompareReadsTheSourceInAnyContainerAndOrder) {
  const std::string data(
      "\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40"
      "\x00\x00\xa0\x40\x00\x00\xc0\x40",
      24);
  static_cast<void>(
      folder_.File("f.npy", support::CurrentNpyFile(1, "'<f4'", true, "(2, 3)", data)));
  Run("cast f.npy f16.npy --to float16 --profile tosa-1.0");
  const std::string by = " --permitted --profile tosa-1.0 --source f.npy";
  EXPECT_NE(Run("compare f16.npy f16.npy" + by).out.find("A: 6 default\n"), std::string::npos);
  // The same in C order.
  static_cast<void>(folder_.File(
      "c.npy", support::CurrentNpyFile(
                   1, "'<f2'", false, "(2, 3)",
                   std::string("\x00\x3c\x00\x42\x00\x45\x00\x40\x00\x44\x00\x46", 12))));
  EXPECT_NE(Run("compare c.npy f16.npy" + by).out.find("A: 6 default\n"), std::string::npos)
      << Run("compare c.npy f16.npy" + by).out;
  ExpectStatus(
      "compare f16.npy f16.npy --permitted --profile tosa-1.0 --source in.bin --from "
      "float32",
      3);
}

TEST_F(TosaCommand, CompareRefusesOptionsThatDoNotGoTogether) {
  Run("cast in.bin a.bin --from float32 --to float16 --profile tosa-1.0");
  ExpectStatus("compare a.bin a.bin --format float16 --permitted", 2, "belong together");
  ExpectStatus("compare a.bin a.bin --format float16 --profile tosa-1.0", 2, "belong together");
  ExpectStatus("compare a.bin a.bin --ulp 1" + std::string(kPermitted), 2, "decides alone");
  std::string other = kPermitted;
  other.replace(other.find("tosa-1.0"), 8, "ascend950");
  ExpectStatus("compare a.bin a.bin" + other, 2, "permits one result");
  std::string pair = kPermitted;
  pair.replace(pair.find("--from float32"), 14, "--from float64");
  ExpectStatus("compare a.bin a.bin" + pair, 3);
  ExpectStatus(
      "compare a.bin a.bin --permitted --profile tosa-0.40 --source in.bin --from float32 "
      "--format float16",
      4, "tosa-0.50 and later");
  ExpectStatus(
      "compare a.bin a.bin --permitted --profile tosa-1.0 --source no.bin --from float32 "
      "--format float16",
      3, "no.bin");
  ExpectStatus("compare a.bin a.bin --from float16", 0);
}

// int32 104 (half way between 6 and 7), 7, 3000 and 2^29, which a shift of 30 does not take; to int8 by 1/16, inexactly.
TEST_F(TosaCommand, CompareKnowsTheIntervalOfInexactRescale) {
  static_cast<void>(
      folder_.File("acc.bin", std::string("\x68\0\0\0\x07\0\0\0\xb8\x0b\0\0\0\0\0\x20", 16)));
  static_cast<void>(
      folder_.File("attributes.json",
                   R"({"in_t": "i32_t", "out_t": "i8_t", "multiplier": [67108864], "shift": [30],
          "rounding_mode": "INEXACT_ROUND", "scale32": true})"));
  ExpectStatus("rescale acc.bin a.bin --attributes attributes.json --profile tosa-1.0", 0);
  static_cast<void>(folder_.File("b.bin", std::string("\x06\x00\x7f\x11", 4)));
  static_cast<void>(folder_.File("c.bin", std::string("\x09\x00\x7f\x11", 4)));
  const std::string with =
      " --format int8 --permitted --profile tosa-1.0 --source acc.bin --rescale attributes.json ";
  const CommandResult same = Run("compare a.bin b.bin --json" + with);
  EXPECT_EQ(same.status, 0) << same.err << same.out;
  const json found = json::parse(same.out)["permitted"];
  EXPECT_EQ(found["b"]["unpredictable"], 1);
  EXPECT_EQ(found["b"]["inexact rounding"], 1);
  EXPECT_EQ(found["b"]["default"], 2);
  EXPECT_EQ(Run("compare a.bin c.bin" + with).status, 1);
  ExpectStatus("compare a.bin b.bin --rescale attributes.json --format int8", 2, "belong together");
}

}  // namespace
}  // namespace exactcast
