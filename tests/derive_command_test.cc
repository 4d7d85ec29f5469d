// SPDX-License-Identifier: Apache-2.0
//
// exactcast derive as scripts rely on it: the first word, the operands, JSON, tables, all systems,
// outputs, and one clear line for every kind of error.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "exactcast/spec/derivation.h"
#include "tests/support/command.h"

namespace exactcast {
namespace {

using support::CommandResult;
using support::RunCommand;
using Words = std::vector<std::string>;

CommandResult Derive(Words words) {
  words.insert(words.begin(), "derive");
  return RunCommand(words);
}

nlohmann::json Json(Words words) {
  words.push_back("--json");
  const CommandResult run = Derive(words);
  EXPECT_EQ(run.status, 0) << run.err;
  return nlohmann::json::parse(run.out);
}

std::string FirstWord(const Words& words) {
  const CommandResult run = Derive(words);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return run.out.substr(0, run.out.find_first_of(" \n"));
}

void ExpectError(const Words& words, int status, const std::string& part) {
  const CommandResult run = Derive(words);
  EXPECT_EQ(run.status, status) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.rfind("exactcast: ", 0), 0u) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(DeriveCommand, TheDerivedFormatIsTheFirstWordThenTheOperandsThenTheRule) {
  const CommandResult run = Derive({"--tensor", "bool", "--scalar", "float32"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "float32\n"
            "  tensor bool: converted to float32, exactly\n"
            "  scalar float32: not converted\n"
            "rule (aclnn): PromoteType\n");
}

TEST(DeriveCommand, SaysWhatIsLostAndWhyACellIsIrregular) {
  EXPECT_TRUE(Contains(Derive({"--tensor", "int32", "--tensor", "bfloat16"}).out,
                       "tensor int32: converted to bfloat16, loses values, 257 for one"));
  EXPECT_TRUE(Contains(Derive({"--tensor", "c64", "--scalar", "f64"}).out,
                       "note: looks like an error of the table"));
}

TEST(DeriveCommand, EveryProfileAnswers) {
  const Words operands = {"--tensor", "i32", "--tensor", "f16"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), operands.begin(), operands.end());
    return FirstWord(more);
  };
  EXPECT_EQ(with({}), "float16");
  EXPECT_EQ(with({"--profile", "aclnn-code"}), "float16");
  EXPECT_EQ(with({"--profile", "torch"}), "float16");
  EXPECT_EQ(with({"--profile", "numpy"}), "float64");
  EXPECT_EQ(with({"--profile", "JAX"}), "float16");
}

TEST(DeriveCommand, OptionsOfTheSystems) {
  const Words torch = {"--profile", "torch", "--tensor", "s8", "--python", "float"};
  EXPECT_EQ(FirstWord(torch), "float32");
  Words with_default = torch;
  with_default.insert(with_default.end(), {"--default-dtype", "bf16"});
  EXPECT_EQ(FirstWord(with_default), "bfloat16");

  const Words jax = {"--profile", "jax", "--tensor", "u32", "--tensor", "i32"};
  EXPECT_EQ(FirstWord(jax), "int32");
  Words x64 = jax;
  x64.insert(x64.end(), {"--x64", "on"});
  EXPECT_EQ(FirstWord(x64), "int64");
  EXPECT_EQ(FirstWord({"--profile", "jax", "--tensor", "i*", "--tensor", "uint1"}), "uint1");
  EXPECT_EQ(FirstWord({"--profile", "jax", "--python", "int", "--python", "float"}), "f*");
}

TEST(DeriveCommand, OperandsKeepTheirOrderAcrossOptions) {
  EXPECT_EQ(FirstWord({"--profile", "aclnn-code", "--tensor", "u64", "--tensor", "c64"}),
            "complex128");
  ExpectError({"--profile", "aclnn-code", "--tensor", "c64", "--tensor", "u64"}, 4,
              "no type for tensor complex64 and tensor uint64");
  const auto json =
      Json({"--scalar", "f32", "--tensor", "s8", "--scalar", "c64", "--tensor", "f16"});
  ASSERT_EQ(json["operands"].size(), 4u);
  EXPECT_EQ(json["operands"][0]["kind"], "scalar");
  EXPECT_EQ(json["operands"][1]["type"], "int8");
  EXPECT_EQ(json["operands"][2]["type"], "complex64");
  EXPECT_EQ(json["operands"][3]["type"], "float16");
  EXPECT_EQ(json["steps"], (Words{"float32", "complex64", "complex64"}));
}

TEST(DeriveCommand, JsonHasTheSameFacts) {
  const auto json = Json({"--tensor", "int32", "--tensor", "bf16"});
  EXPECT_EQ(json["profile"], "aclnn");
  EXPECT_EQ(json["derived"], "bfloat16");
  EXPECT_EQ(json["weak"], false);
  EXPECT_EQ(json["operands"][0]["converted"], true);
  EXPECT_EQ(json["operands"][0]["loses_values"], true);
  EXPECT_EQ(json["operands"][0]["lost_value"], "257");
  EXPECT_EQ(json["operands"][1]["converted"], false);
  EXPECT_EQ(json["rule"], "PromoteType");
  EXPECT_FALSE(json.contains("irregular"));
  const auto weak = Json({"--profile", "jax", "--x64", "on", "--tensor", "s8", "--tensor", "u64"});
  EXPECT_EQ(weak["derived"], "f*");
  EXPECT_EQ(weak["weak"], true);
  EXPECT_EQ(weak["held_as"], "float64");
  EXPECT_TRUE(weak.contains("irregular"));
}

TEST(DeriveCommand, OutSaysBothRules) {
  const CommandResult run = Derive({"--tensor", "f32", "--tensor", "f16", "--out", "int32"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(Contains(run.out,
                       "output int32: may be written by the published rule, may not be written by "
                       "the coded rule"))
      << run.out;
  const auto json = Json({"--tensor", "f32", "--tensor", "f16", "--out", "int32"});
  EXPECT_EQ(json["output"]["type"], "int32");
  EXPECT_EQ(json["output"]["published"], true);
  EXPECT_EQ(json["output"]["coded"], false);
  ExpectError({"--tensor", "f32", "--tensor", "f16", "--out", "hif8"}, 4, "does not know hifloat8");
  ExpectError({"--profile", "torch", "--tensor", "f32", "--tensor", "f16", "--out", "f32"}, 2,
              "--out is aclnn's");
}

TEST(DeriveCommand, TablesAreWholeInTextAndJson) {
  for (const DerivationSystem& system : kDerivationSystems) {
    const std::string name(system.name);
    const CommandResult run = Derive({"--table", "--profile", name});
    EXPECT_EQ(run.status, 0) << run.err;
    const auto json = Json({"--table", "--profile", name});
    EXPECT_EQ(json["profile"], name);
    for (const auto& table : json["tables"]) {
      EXPECT_TRUE(Contains(run.out, name + " " + table["name"].get<std::string>() + ": rows"));
      EXPECT_EQ(table["cells"].size(), table["rows"].size());
      for (const auto& row : table["cells"]) EXPECT_EQ(row.size(), table["columns"].size());
    }
  }
  EXPECT_EQ(Json({"--table"})["tables"].size(), 2u);
  EXPECT_EQ(Json({"--table", "--profile", "torch"})["tables"].size(), 3u);
  EXPECT_EQ(Json({"--table", "--profile", "numpy"})["tables"].size(), 2u);
  const auto jax = Json({"--table", "--profile", "jax", "--x64", "on"})["tables"][0];
  EXPECT_EQ(jax["cells"].size(), 35u);
}

// The table is the lattice, a query is not: 64-bit operands come in with 32 first.
TEST(DeriveCommand, TheLatticeWithX64OffSaysThatAQueryNarrowsFirst) {
  const auto json = Json({"--table", "--profile", "jax"})["tables"][0];
  const std::string note = json["note"];
  EXPECT_TRUE(Contains(note, "bare lattice, as jnp.promote_types")) << note;
  EXPECT_TRUE(Contains(note, "int64 as int32")) << note;
  EXPECT_TRUE(Contains(Derive({"--table", "--profile", "jax"}).out, "\nnote: " + note + "\n"));
  EXPECT_FALSE(Json({"--table", "--profile", "jax", "--x64", "on"})["tables"][0].contains("note"));
  EXPECT_FALSE(Json({"--table", "--profile", "numpy"})["tables"][0].contains("note"));
  EXPECT_EQ(FirstWord({"--profile", "jax", "--tensor", "int64", "--tensor", "uint64"}), "int32");
}

TEST(DeriveCommand, OneNoteWithX64Off) {
  const CommandResult run = Derive({"--profile", "jax", "--tensor", "int64", "--tensor", "uint64"});
  EXPECT_TRUE(Contains(run.out,
                       "\nnote: with x64 off there are no types of 64 bits: they come in with 32, "
                       "and uint32 lies below int32, whose range is smaller\n"))
      << run.out;
  EXPECT_TRUE(
      Contains(Derive({"--profile", "jax", "--tensor", "uint32", "--tensor", "int32"}).out,
               "\nnote: with x64 off nothing becomes 64 bits wide: uint32 lies below int32"));
}

TEST(DeriveCommand, NumpyRaisesForAPythonIntThatAnIntegerTypeDoesNotHold) {
  const Words integer = {"--profile", "numpy", "--tensor", "int8", "--python", "int"};
  EXPECT_TRUE(Contains(Derive(integer).out,
                       "python int: converted to int8, OverflowError for values that do not fit, "
                       "128 for one\n"));
  const auto json = Json(integer)["operands"][1];
  EXPECT_EQ(json["loses_values"], false);
  EXPECT_EQ(json["raises"], "OverflowError");
  EXPECT_EQ(json["refused_value"], "128");
  EXPECT_FALSE(json.contains("lost_value"));
  EXPECT_TRUE(Contains(Derive({"--profile", "numpy", "--tensor", "float16", "--python", "int"}).out,
                       "python int: converted to float16, loses values, 2049 for one"));
  EXPECT_TRUE(Contains(Derive({"--profile", "torch", "--tensor", "int8", "--python", "int"}).out,
                       "python int: converted to int8, loses values, 128 for one"));
}

TEST(DeriveCommand, APythonBoolIsABool) {
  for (const char* profile : {"torch", "numpy", "jax"}) {
    const Words words = {"--profile", profile, "--tensor", "bool", "--python", "bool"};
    EXPECT_TRUE(Contains(Derive(words).out, "python bool: not converted\n")) << profile;
    EXPECT_EQ(Json(words)["operands"][1]["converted"], false) << profile;
  }
  EXPECT_TRUE(Contains(Derive({"--profile", "torch", "--tensor", "int8", "--python", "bool"}).out,
                       "python bool: converted to int8, exactly\n"));
}

TEST(DeriveCommand, NumpyClaimsNoTypeThatHoldsUint64AndInt64) {
  const CommandResult run =
      Derive({"--profile", "numpy", "--tensor", "uint64", "--tensor", "int64"});
  EXPECT_FALSE(Contains(run.out, "holds every")) << run.out;
  EXPECT_TRUE(Contains(run.out, "the smallest type to which NumPy calls every cast safe"));
  EXPECT_TRUE(Contains(run.out, "note: no integer type holds both; float64 counts as safe"));
}

TEST(DeriveCommand, AllFitsInEightyColumnsWithEveryReasonOnce) {
  const Words rows[] = {{"--tensor", "bf16", "--python", "int"},
                        {"--tensor", "f64", "--scalar", "c64", "--tensor", "int64"},
                        {"--tensor", "uint16", "--scalar", "f32"},
                        {"--tensor", "c128", "--python", "complex"}};
  for (Words words : rows) {
    words.push_back("--all");
    const CommandResult run = Derive(words);
    EXPECT_EQ(run.status, 0) << run.err;
    std::size_t begin = 0;
    for (std::size_t end; (end = run.out.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string line = run.out.substr(begin, end - begin);
      // A line of a single word, the exact decimal of a value, may be longer.
      const bool one_word = line.find(' ', line.find_first_not_of(' ')) == std::string::npos;
      EXPECT_TRUE(line.size() <= 80 || one_word) << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    }
  }
  const CommandResult run = Derive({"--tensor", "bf16", "--python", "int", "--all"});
  EXPECT_TRUE(Contains(run.out, "\nnumpy       x                [3]\n")) << run.out;
  EXPECT_TRUE(Contains(run.out, "\n[3] numpy does not know bfloat16; its types are bool"))
      << run.out;
  EXPECT_TRUE(Contains(run.out, "tensor bfloat16: not converted\n" + std::string(29, ' ') +
                                    "python int: converted to bfloat16"))
      << run.out;
}

TEST(DeriveCommand, AllShowsEverySystemAndMarksDisagreement) {
  const auto json = Json({"--all", "--tensor", "c64", "--scalar", "f64"});
  ASSERT_EQ(json.size(), kDerivationSystems.size());
  EXPECT_EQ(json[0]["derived"], "complex128");
  EXPECT_EQ(json[0]["differs"], false);
  EXPECT_EQ(json[1]["derived"], "complex64");
  EXPECT_EQ(json[1]["differs"], true);
  const CommandResult run =
      Derive({"--all", "--profile", "torch", "--tensor", "c64", "--scalar", "f64"});
  EXPECT_TRUE(Contains(run.out, "complex128*")) << run.out;
  EXPECT_TRUE(Contains(run.out, "* differs from torch")) << run.out;

  // A system without an answer is marked with its reason; none with one is an error.
  const auto python = Json({"--all", "--tensor", "bf16", "--python", "int"});
  EXPECT_TRUE(python[0]["derived"].is_null());
  EXPECT_TRUE(Contains(python[3]["reason"], "numpy does not know bfloat16"));
  EXPECT_EQ(python[2]["derived"], "bfloat16");
  ExpectError({"--all", "--tensor", "hif8", "--tensor", "f32"}, 4, "does not know hifloat8");

  const auto pairs = Json({"--all", "--table"});
  EXPECT_EQ(pairs.size(), 256u);
  EXPECT_EQ(pairs[1]["jax"], "float32");
  EXPECT_TRUE(Contains(Derive({"--all", "--table"}).out, "float32     uint16      x"));
}

TEST(DeriveCommand, WrongUseIsStatus2AndWhatASystemLacksIsStatus4) {
  ExpectError({}, 2, "at least two operands");
  ExpectError({"--tensor", "f32"}, 2, "at least two operands");
  ExpectError({"--tensor", "int8,float16"}, 2, "unknown format 'int8,float16'");
  ExpectError({"--python", "integer"}, 2, "unknown Python number 'integer'");
  ExpectError({"--out", "floot32", "--all"}, 2, "did you mean float32");
  ExpectError({"--tensor", "f4", "--tensor", "f32"}, 2, "different things");
  ExpectError({"--tensor", "", "--tensor", "f32"}, 2, "an empty format");
  ExpectError({"--tensor", "floot32", "--tensor", "f32"}, 2, "did you mean float32");
  ExpectError({"--tensor", "f32", "--python", "integer"}, 2, "bool, int, float and complex");
  ExpectError({"--tensor", "f32", "--tensor", "f32", "--profile", "pytorch"}, 2,
              "unknown profile 'pytorch'");
  ExpectError({"--tensor", "f32", "--tensor", "f32", "--x64", "on"}, 2, "--profile jax");
  ExpectError({"--tensor", "f32", "--tensor", "f32", "--profile", "jax", "--x64", "yes"}, 2,
              "on or off");
  ExpectError({"--tensor", "f32", "--tensor", "f32", "--default-dtype", "f64"}, 2,
              "--profile torch");
  ExpectError({"--profile", "torch", "--tensor", "f32", "--python", "int", "--default-dtype", "s8"},
              2, "torch takes float32");
  ExpectError({"--table", "--tensor", "f32"}, 2, "whole tables");
  ExpectError({"--tensor", "hifloat8", "--scalar", "f32"}, 4,
              "aclnn does not know hifloat8; its types are float32");
  ExpectError({"--tensor", "uint16", "--scalar", "f32"}, 4,
              "aclnn has no type for tensor uint16 and scalar float32: PromoteType has no entry");
  ExpectError({"--tensor", "f32", "--python", "float"}, 4, "no Python numbers");
  ExpectError({"--tensor", "int1", "--scalar", "f32"}, 4, "does not know int1");
}

TEST(DeriveCommand, HelpIsOnStandardOutput) {
  const CommandResult run = Derive({"--help"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(Contains(run.out, "Exit status"));
  EXPECT_TRUE(Contains(run.out, "--default-dtype"));
}

}  // namespace
}  // namespace exactcast
