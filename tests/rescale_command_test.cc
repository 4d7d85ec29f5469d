// SPDX-License-Identifier: Apache-2.0
//
// exactcast rescale as scripts rely on it: files, every option, the lint, and one clear line for
// every kind of error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

using nlohmann::json;
using support::Bytes;
using support::CommandResult;
using support::CurrentNpyFile;
using support::RunCommand;

void ExpectError(const CommandResult& run, int status, const std::string& part) {
  EXPECT_EQ(run.status, status) << run.err;
  EXPECT_EQ(run.err.rfind("exactcast: ", 0), 0u) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
}

using Words = std::vector<std::string>;

class RescaleCommand : public testing::Test {
 protected:
  // rescale INPUT OUT OPTIONS --force
  [[nodiscard]] CommandResult Run(const std::string& input, const Words& options) const {
    Words words = {"rescale", input, out_, "--force"};
    words.insert(words.end(), options.begin(), options.end());
    return RunCommand(words);
  }
  [[nodiscard]] std::string Output() const { return support::ReadFile(out_); }
  static CommandResult Check(Words options) {
    options.insert(options.begin(), {"rescale", "--check"});
    return RunCommand(options);
  }

  support::TemporaryFolder folder_;
  std::string out_ = folder_.Path("out.bin");
  std::string raw_ = folder_.File("in.bin", Bytes<std::int32_t>({7984, -7984, 100, -3}));
  std::string npy_ = folder_.File(
      "in.npy", CurrentNpyFile(1, "'<i4'", false, "(2, 2)", Bytes<std::int32_t>({1, 2, 3, 400})));
  const Words pair_ = {"--to", "int8", "--multiplier", "1583594044", "--shift", "40"};
};

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(RescaleCommand, SingleAndDoubleRoundingAreNamedAndDiffer) {
  CommandResult run = Run(raw_, pair_ + Words{"--from", "int32"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "int32 to int8, profile tosa-1.0, rounding single, multiplier 1583594044, shift 40: 4 "
            "elements: 0 saturated, 0 unpredictable\n");
  EXPECT_EQ(Output(), Bytes<std::int8_t>({11, -11, 0, 0}));
  run = Run(raw_, pair_ + Words{"--from", "i32", "--rounding", "double"});
  EXPECT_EQ(Output(), Bytes<std::int8_t>({12, -12, 0, 0}));
  run = Run(raw_, pair_ + Words{"--from", "i32", "--rounding", "INEXACT_ROUND"});
  EXPECT_EQ(Output(), Bytes<std::int8_t>({11, -11, 0, 0}));
}

TEST_F(RescaleCommand, AllCountsWhereTheRoundingsDiffer) {
  const CommandResult run =
      RunCommand({"rescale", raw_, "--from", "int32", "--rounding", "all", "--to", "int8",
                  "--multiplier", "1583594044", "--shift", "40"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("single and double rounding differ in 2 of 4 elements, the first 0\n"),
            std::string::npos)
      << run.out;
}

TEST_F(RescaleCommand, JsonHasTheSameFacts) {
  const std::string in = folder_.File("x.bin", Bytes<std::int32_t>({1, 1 << 29, 500, -500}));
  const CommandResult run = Run(in, {"--from", "int32", "--to", "int8", "--multiplier",
                                     "1073741824", "--shift", "30", "--json", "--shape", "2,2"});
  EXPECT_EQ(run.status, 0) << run.err;
  const json facts = json::parse(run.out);
  EXPECT_EQ(facts["profile"], "tosa-1.0");
  EXPECT_EQ(facts["rounding"], "single");
  EXPECT_EQ(facts["shape"], json({2, 2}));
  EXPECT_EQ(facts["elements"], 4);
  EXPECT_EQ(facts["saturated"], 2);
  EXPECT_EQ(facts["unpredictable"], 1);
  EXPECT_EQ(facts["unpredictable_by_reason"], json({{"value limit", 1}}));
  EXPECT_EQ(facts["first_unpredictable"], 1);
  EXPECT_EQ(facts["multiplier"], json({1073741824}));
  EXPECT_EQ(Output(), Bytes<std::int8_t>({1, 127, 127, -128}));
}

TEST_F(RescaleCommand, StrictNamesTheFirstAndWritesNothing) {
  const std::string in = folder_.File("x.bin", Bytes<std::int32_t>({1, 1 << 29}));
  const Words unit = {"--from",     "i32",     "--to", "i32",     "--multiplier",
                      "1073741824", "--shift", "30",   "--strict"};
  ExpectError(Run(in, unit), 3,
              "element 1 (536870912) is unpredictable in tosa-1.0: value limit (multiplier "
              "1073741824, shift 30)");
  EXPECT_FALSE(folder_.Names().contains("out.bin"));
}

TEST_F(RescaleCommand, ChannelsComeFromTextNumPyOrWords) {
  const std::string text = folder_.File("m.txt", "1073741824,\n 536870912");
  const std::string shifts = folder_.File(
      "s.npy", CurrentNpyFile(1, "'|i1'", false, "(2,)", Bytes<std::int8_t>({30, 30})));
  const std::string result = Bytes<std::int8_t>({1, 1, 3, 127});
  for (const Words& scales : {Words{"--multiplier", "@" + text, "--shift", "@" + shifts},
                              Words{"--multiplier", "1073741824,536870912", "--shift", "30,30"},
                              Words{"--scale", "1,1/2"}}) {
    const CommandResult run = Run(npy_, scales + Words{"--to", "int8", "--per-channel"});
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(Output(), result) << scales[0];
  }
}

TEST_F(RescaleCommand, RawRowsAreAsLongAsThereAreChannels) {
  const Words two = {"--from", "i32", "--to", "i16", "--scale", "1,2", "--per-channel"};
  EXPECT_EQ(Run(raw_, two).status, 0);
  EXPECT_EQ(Output(), Bytes<std::int16_t>({7984, -15968, 100, -6}));
  ExpectError(Run(raw_, two + Words{"--shape", "4,1"}), 3, "1 channels and 2 multipliers");
  const Words three = {"--from", "i32", "--to", "i16", "--scale", "1,2,3", "--per-channel"};
  ExpectError(Run(raw_, three), 3, "3 multipliers");
  ExpectError(RunCommand(Words{"rescale", "-", "-"} + three, Bytes<std::int32_t>({1, 2, 3, 4})), 3,
              "4 elements are not whole rows of 3 channels");
}

TEST_F(RescaleCommand, FortranOrderKeepsItsChannels) {
  const std::string in = folder_.File(
      "f.npy", CurrentNpyFile(1, "'<i4'", true, "(2, 3)", Bytes<std::int32_t>({1, 4, 2, 5, 3, 6})));
  const std::string out = folder_.Path("f_out.npy");
  const CommandResult run =
      RunCommand({"rescale", in, out, "--to", "i16", "--scale", "1,10,100", "--per-channel"});
  EXPECT_EQ(run.status, 0) << run.err;
  const std::string file = support::ReadFile(out);
  EXPECT_NE(file.find("'fortran_order': True"), std::string::npos);
  EXPECT_EQ(file.substr(file.size() - 12), Bytes<std::int16_t>({1, 4, 20, 50, 300, 600}));
}

TEST_F(RescaleCommand, FortyEightBitsLieInSixtyFour) {
  const std::string data = Bytes<std::int64_t>({-5, 1LL << 33, 1LL << 50});
  const std::string in = folder_.File("w.npy", CurrentNpyFile(1, "'<i8'", false, "(3,)", data));
  const Words narrow = {"--to", "int32", "--scale", "1/2", "--scale16"};
  const CommandResult run = Run(in, narrow);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("int48 to int32"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("result outside int32 1, first 1"), std::string::npos) << run.out;
  EXPECT_NE(run.err.find("element 2 (1125899906842624) is no int48; its low 48 bits are used"),
            std::string::npos)
      << run.err;
  EXPECT_EQ(Output(), Bytes<std::int32_t>({-2, 2147483647, 0}));
  const std::string raw = folder_.File("w.bin", data);
  EXPECT_EQ(Run(raw, narrow + Words{"--from", "int48"}).status, 0);
  EXPECT_EQ(Output(), Bytes<std::int32_t>({-2, 2147483647, 0}));
}

TEST_F(RescaleCommand, UnsignedTypesAreTheFlags) {
  const std::string in = folder_.File(
      "u.npy", CurrentNpyFile(1, "'|u1'", false, "(3,)", Bytes<std::uint8_t>({0, 128, 255})));
  EXPECT_EQ(Run(in, {"--to", "int8", "--scale", "1", "--input-zp", "128"}).status, 0);
  EXPECT_EQ(Output(), Bytes<std::int8_t>({-128, 0, 127}));
  const std::string wide = folder_.File("s.bin", Bytes<std::int16_t>({-32768, 0, 32767}));
  EXPECT_EQ(
      Run(wide, {"--from", "i16", "--to", "uint16", "--scale", "1", "--output-zp", "32768"}).status,
      0);
  EXPECT_EQ(Output(), Bytes<std::uint16_t>({0, 32768, 65535}));
}

TEST_F(RescaleCommand, StandardStreamsCarryTheDataAndTheSummaryMovesAside) {
  const CommandResult run =
      RunCommand({"rescale", "-", "-", "--from", "i8", "--to", "i32", "--scale", "2"},
                 Bytes<std::int8_t>({1, -1}));
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, Bytes<std::int32_t>({2, -2}));
  EXPECT_NE(run.err.find("2 elements: 0 saturated"), std::string::npos);
}

TEST_F(RescaleCommand, AsPrintedFollowsTheLetter) {
  const std::string in = folder_.File("u.bin", Bytes<std::uint8_t>({3, 12}));
  const Words call = {"--from", "u8",         "--to", "u8",        "--scale",
                      "1",      "--input-zp", "10",   "--profile", "tosa-0.90"};
  EXPECT_EQ(Run(in, call).status, 0);
  EXPECT_EQ(Output(), Bytes<std::uint8_t>({0, 2}));
  EXPECT_EQ(Run(in, call + Words{"--as-printed"}).status, 0);
  EXPECT_EQ(Output(), Bytes<std::uint8_t>({255, 2}));
}

TEST_F(RescaleCommand, AScaleAloneIsPrintedWithTheInputsThatItLeaves) {
  CommandResult run = RunCommand({"rescale", "--scale", "1048576"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "scale 1048576 by mlir: multiplier 1073741824, shift 10; legal input - input_zp: -512 "
            "to 511\n");
  run = RunCommand({"rescale", "--scale", "0.0011", "--convention", "tflite", "--json"});
  const json facts = json::parse(run.out);
  EXPECT_EQ(facts[0]["multiplier"], 1209462791);
  EXPECT_EQ(facts[0]["shift"], 40);
  EXPECT_EQ(facts[0]["convention"], "tflite");
  EXPECT_EQ(facts[0]["greatest_value"], 2147483647);
  run = RunCommand({"rescale", "--scale", "0x1.00000002p-1", "--convention", "executorch"});
  EXPECT_NE(run.out.find("multiplier 1073741824, shift 31"), std::string::npos) << run.out;
  run = RunCommand({"rescale", "--scale", "0x1p-33"});
  EXPECT_NE(run.out.find("shift 62 (the multiplier lost bits)"), std::string::npos) << run.out;
  run = RunCommand({"rescale", "--scale", "0.75", "--convention", "tflite16"});
  EXPECT_NE(run.out.find("multiplier 24576, shift 15"), std::string::npos) << run.out;
}

TEST_F(RescaleCommand, ScalesThatMakeNoPairAreRefused) {
  const auto scale = [](const Words& more) {
    return RunCommand(Words{"rescale", "--scale"} + more);
  };
  ExpectError(scale({"-0.5"}), 2, "by mlir: a multiplier is not negative");
  ExpectError(scale({"inf"}), 2, "not a finite number");
  ExpectError(scale({"1e9"}), 2, "too large: the shift would be 1");
  ExpectError(scale({"1e-12", "--convention", "cts"}), 2, "too small");
  ExpectError(scale({"x"}), 2, "--scale:");
  ExpectError(scale({"1", "--convention", "acl"}), 2, "mlir, tflite, executorch, cts, vela and");
  ExpectError(scale({"1", "--convention", "vela", "--scale16"}), 2, "has 32-bit multipliers");
  ExpectError(scale({"0.9999999999999999", "--convention", "vela"}), 2, "does not fit int32");
  ExpectError(scale({"1", "--shift", "30"}), 2, "give one or the others");
  ExpectError(RunCommand({"rescale", "--convention", "mlir"}), 2, "goes with --scale");
}

TEST_F(RescaleCommand, EveryErrorConditionIsNamedBeforeAnythingIsWritten) {
  const auto refuse = [&](const Words& options, const std::string& part) {
    ExpectError(Run(raw_, options), 4, part);
    EXPECT_FALSE(folder_.Names().contains("out.bin"));
  };
  const Words unit = {"--multiplier", "16384", "--shift", "14"};
  const auto pair = [&](const std::string& from, const std::string& to) {
    return unit + Words{"--from", from, "--to", to};
  };
  refuse(pair("i32", "u8"), "ERROR_IF output_unsigned with a 32-bit input; two legal steps");
  refuse(pair("u8", "u8"), "both input_unsigned and output_unsigned");
  refuse(pair("u8", "i32"), "input_unsigned with a 32-bit output");
  refuse(pair("i8", "u32"), "output_unsigned with a 32-bit output; tosa-0.80, tosa-0.90 and");
  refuse(pair("u32", "i8"), "input_unsigned with a 32-bit input");
  refuse(pair("u48", "i8") + Words{"--scale16"}, "input_unsigned with a 48-bit input");
  refuse(pair("i48", "u8") + Words{"--scale16"}, "output_unsigned with a 48-bit input");
  refuse(pair("i48", "i8"), "scale32 with a 48-bit input");
  refuse(pair("i16", "i8") + Words{"--input-zp", "1"},
         "input_zp other than 0, and the input is none of int8, uint8 and uint16 (input_zp 1,");
  refuse(pair("i8", "i16") + Words{"--output-zp", "1"}, "output_zp other than 0");
  refuse(pair("i8", "i8") + Words{"--input-zp", "128"}, "input_zp outside the range");
  refuse(pair("i8", "u8") + Words{"--output-zp", "-1"}, "output_zp outside the range");
  refuse(pair("u16", "i16") + Words{"--input-zp", "5"}, "uint16 input other than 0 and 32768");
  refuse(pair("i16", "u16") + Words{"--output-zp", "5"}, "uint16 output other than 0 and 32768");
  refuse(pair("i8", "i8") + Words{"--scale16", "--rounding", "double"}, "without scale32");
  refuse(pair("i8", "i8") + Words{"--shape", "", "--per-channel"}, "per_channel with a tensor of");
  refuse(pair("u16", "i32") + Words{"--profile", "tosa-0.80"}, "a uint16 input with a 32-bit");
  refuse(pair("i32", "u16") + Words{"--profile", "tosa-0.90"}, "a 32-bit input with a uint16");
  refuse(pair("u16", "i16") + Words{"--profile", "tosa-0.60", "--as-printed"}, "as printed");
  refuse(pair("i8", "u16") + Words{"--profile", "tosa-0.60"},
         "tosa-0.60 does not rescale int8 to uint16; these do: tosa-0.80");
  refuse(pair("i4", "i8"), "no version does");
  refuse(pair("f32", "i8"), "no version does");
  refuse(pair("i8", "i8") + Words{"--profile", "tosa-0.90", "--rounding", "inexact"},
         "tosa-0.90 has no inexact rounding");
  refuse(pair("i8", "i8") + Words{"--profile", "ascend950"}, "ascend950 has no rescale");
}

TEST_F(RescaleCommand, EveryWrongUseIsOneLine) {
  const auto with = [&](const Words& more) { return Run(raw_, Words{"--from", "i32"} + more); };
  ExpectError(with({"--to", "i8"}), 2, "a multiplier and a shift are needed");
  ExpectError(with({"--multiplier", "1", "--shift", "2"}), 2, "--to is required");
  ExpectError(Run(raw_, pair_), 2, "raw elements do not say their format");
  ExpectError(Run(raw_, pair_ + Words{"--from", "nope"}), 2, "unknown format 'nope'");
  ExpectError(with(pair_ + Words{"--rounding", "up"}), 2, "single, double and inexact");
  ExpectError(with(pair_ + Words{"--profile", "tosa-9"}), 2, "unknown profile 'tosa-9' of rescale");
  ExpectError(with(pair_ + Words{"--input-zp", "x"}), 2, "--input-zp x: not an integer");
  ExpectError(with(pair_ + Words{"--range", "1,2"}), 2, "--range goes with --check");
  ExpectError(with({"--to", "i8", "--multiplier", "1,2", "--shift", "2"}), 2,
              "2 multipliers and 1");
  ExpectError(with({"--to", "i8", "--multiplier", "1,2", "--shift", "2,2"}), 2, "--per-channel");
  ExpectError(with({"--to", "i8", "--multiplier", "1,", "--shift", "2,2"}), 2, "'' is not an");
  ExpectError(with({"--to", "i8", "--multiplier", "2147483648", "--shift", "2"}), 2, "int32");
  ExpectError(with({"--to", "i8", "--multiplier", "32768", "--shift", "2", "--scale16"}), 2,
              "does not fit the int16");
  ExpectError(with({"--to", "i8", "--multiplier", "1", "--shift", "128"}), 2, "fit the int8");
  ExpectError(with({"--to", "i8", "--multiplier", "1", "--shift", "64", "--profile", "tosa-0.60"}),
              2, "6 bits");
  ExpectError(RunCommand(Words{"rescale", raw_, "--from", "i32"} + pair_), 2, "OUTPUT is required");
  ExpectError(RunCommand({"rescale", "--multiplier", "1"}), 2, "INPUT is required");
  ExpectError(RunCommand(Words{"rescale", raw_, raw_, "--from", "i32"} + pair_), 2, "same file");
}

TEST_F(RescaleCommand, BadInputAndOutput) {
  const auto with = [&](const Words& more) { return Run(raw_, Words{"--from", "i32"} + more); };
  ExpectError(with({"--to", "i8", "--multiplier", "1", "--shift", "0"}), 3, "shift 0: the formula");
  ExpectError(with({"--to", "i8", "--multiplier", "1", "--shift", "-3"}), 3, "shift -3");
  ExpectError(with({"--to", "i8", "--multiplier", "@" + folder_.Path("no"), "--shift", "2"}), 3,
              "no such file");
  ExpectError(with({"--to", "i8", "--multiplier", "@" + folder_.File("t", "1 x"), "--shift", "2"}),
              3, "'x' is not an integer");
  ExpectError(with({"--to", "i8", "--multiplier", "@" + folder_.File("e", " \n"), "--shift", "2"}),
              3, "holds no numbers");
  ExpectError(Run(folder_.Path("none"), pair_ + Words{"--from", "i32"}), 3, "no such file");
  EXPECT_EQ(Run(raw_, pair_ + Words{"--from", "i32"}).status, 0);
  ExpectError(RunCommand(Words{"rescale", raw_, out_, "--from", "i32"} + pair_), 5, "exists");
}

TEST_F(RescaleCommand, CheckFindsUnpredictableInputsAndRoundingDifferences) {
  const CommandResult run = Check({"--from", "i32", "--to", "i8", "--multiplier", "1073741824",
                                   "--shift", "30", "--rounding", "double"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "int32 to int8, profile tosa-1.0, rounding double: legal (PRO-INT, EXT-DOUBLEROUND)\n"
            "unpredictable: inputs -2147483648 to -536870913: value limit\n"
            "unpredictable: inputs 536870912 to 2147483647: value limit\n"
            "rounding: single and double differ for 0 of 65536 inputs, -32768 to 32767\n");
  const CommandResult differ = Check({"--from", "i32", "--to", "i8", "--multiplier", "1073741824",
                                      "--shift", "32", "--range", "-3,5", "--json"});
  EXPECT_EQ(differ.status, 0) << differ.err;
  const json facts = json::parse(differ.out);
  EXPECT_EQ(facts["legal"], true);
  EXPECT_EQ(facts["unpredictable"], json::array());
  EXPECT_EQ(facts["single_double"]["inputs"], 9);
  EXPECT_EQ(facts["single_double"]["differing"], 3);  // -1/2 up or away; 1/4 and 5/4
  EXPECT_EQ(facts["single_double"]["first"], -2);
}

TEST_F(RescaleCommand, CheckNamesEveryErrorAndTwoLegalSteps) {
  const CommandResult run = Check({"--from", "i32", "--to", "u8", "--multiplier", "1583594044",
                                   "--shift", "40", "--output-zp", "3", "--input-zp", "1"});
  EXPECT_EQ(run.status, 4);
  EXPECT_NE(run.out.find("error: tosa-1.0 rescale int32 to uint8: ERROR_IF input_zp other"),
            std::string::npos);
  EXPECT_NE(run.out.find("ERROR_IF output_unsigned with a 32-bit input\n"), std::string::npos);
  const CommandResult steps = Check({"--from", "i32", "--to", "u8", "--multiplier", "1583594044",
                                     "--shift", "40", "--output-zp", "3"});
  EXPECT_NE(steps.out.find("two steps, each legal in tosa-1.0, do the same:\n"
                           "  1. int32 to int8, input_zp 0, output_zp -125, multiplier 1583594044, "
                           "shift 40\n"
                           "  2. int8 to uint8, input_zp -128, output_zp 0, multiplier 1073741824, "
                           "shift 30\n"),
            std::string::npos)
      << steps.out;
}

TEST_F(RescaleCommand, CheckReadsTosasOwnAttributes) {
  const std::string file =
      folder_.File("a.json",
                   R"({"version": "1.0", "in_t": "i8_t", "input_unsigned": true, "out_t": "i16_t",
          "multiplier": [1073741824, 2147483647], "shift": [30, 2], "input_zp": [128],
          "output_zp": 0, "scale32": true, "rounding_mode": "SINGLE_ROUND", "per_channel": true})");
  const CommandResult run = Check({file});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("uint8 to int16, profile tosa-1.0, rounding single: legal (PRO-INT)\n"
                         "unpredictable: inputs 0 to 125 of channel 1: value limit\n"
                         "unpredictable: inputs 130 to 255 of channel 1: value limit\n"),
            std::string::npos)
      << run.out;
  ExpectError(Check({file, "--strict", "--json"}), 3, "no predictable result");
  // The same file rescales.
  const std::string in = folder_.File("u.bin", Bytes<std::uint8_t>({1, 128, 255, 129}));
  EXPECT_EQ(Run(in, {"--attributes", file}).status, 0);
  EXPECT_EQ(Output(), Bytes<std::int16_t>({-127, 0, 127, 32767}));
}

TEST_F(RescaleCommand, CheckRefusesFilesThatAreNoAttributes) {
  const auto check = [&](const std::string& text) {
    return Check({folder_.File("a.json", text), "--from", "i8", "--to", "i8"});
  };
  ExpectError(check("[]"), 3, "not a JSON object");
  ExpectError(check("{\"multiplier\": "), 3, "not a JSON object");
  ExpectError(check(R"({"zero": 1})"), 3, "unknown attribute 'zero'");
  ExpectError(check(R"({"multiplier": 1.5})"), 3, "'multiplier': not an integer");
  ExpectError(check(R"({"shift": 18446744073709551615})"), 3, "'shift': not an integer");
  ExpectError(check(R"({"scale32": 1})"), 3, "'scale32': not true or false");
  ExpectError(check(R"({"rounding_mode": 4})"), 3, "1 (single), 2 (inexact) and 3");
  ExpectError(check(R"({"in_t": "i9"})"), 3, "'in_t': unknown format");
  ExpectError(check(R"({"input_zp": [1, 2]})"), 3, "one integer is wanted");
  ExpectError(Check({folder_.Path("none.json")}), 3, "cannot be read");
  ExpectError(Check({"--multiplier", "1", "--shift", "2"}), 2, "needs both types");
  ExpectError(Check({"--from", "i8", "--to", "i8"}), 2, "a multiplier and a shift");
  ExpectError(Check({"--from", "i8", "--to", "i8", "--scale", "1", "--range", "1"}), 2,
              "not two integers");
  ExpectError(Check({"--from", "i8", "--to", "i8", "--scale", "1", "--range", "0,200"}), 2,
              "int8 goes from -128 to 127");
  ExpectError(
      Check({"--from", "i32", "--to", "i8", "--scale", "1", "--range", "-2147483648,2147483647"}),
      2, "too many to try");
}

// A lint reports a shift that no formula takes beside what else there is; running it is refused.
TEST_F(RescaleCommand, CheckReportsAShiftBelowOneBesideTheOtherChannels) {
  const Words scales = {"--from",       "int32",   "--to", "int8",         "--multiplier",
                        "1,1073741824", "--shift", "0,30", "--per-channel"};
  const CommandResult check = Check(scales + Words{"--json"});
  EXPECT_EQ(check.status, 0) << check.err;
  const json found = json::parse(check.out)["unpredictable"];
  ASSERT_EQ(found.size(), 3u) << check.out;
  EXPECT_EQ(found[0]["channel"], 0);
  EXPECT_EQ(found[0]["least"], -2147483648LL);
  EXPECT_EQ(found[1]["channel"], 1);
  EXPECT_EQ(Check(scales + Words{"--strict"}).status, 3);
  ExpectError(Run(npy_, {"--to", "int8", "--multiplier", "1", "--shift", "0"}), 3, "below 1");
}

TEST_F(RescaleCommand, RoundingAllNeedsTheMultiplierThatHasADouble) {
  ExpectError(Run(npy_, {"--to", "int8", "--multiplier", "1", "--shift", "4", "--scale16",
                         "--rounding", "all"}),
              4, "has no double");
}

}  // namespace
}  // namespace exactcast
