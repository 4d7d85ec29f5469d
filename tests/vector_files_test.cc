// SPDX-License-Identifier: Apache-2.0
//
// exactcast vectors: the files hold what the library makes, appear both or not at all, and errors
// are one line. What is in the lists is vectors_test.cc's matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "exactcast/vectors.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

using support::CommandResult;
using support::RunCommand;

class VectorFiles : public testing::Test {
 protected:
  CommandResult Run(std::vector<std::string> options) {
    options.insert(options.begin(), {"vectors", prefix_});
    return RunCommand(options);
  }
  void ExpectError(const CommandResult& run, int status, const std::string& part) {
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
  }

  support::TemporaryFolder folder_;
  std::string prefix_ = folder_.Path("v");
  std::string in_ = prefix_ + ".in.bin";
  std::string out_ = prefix_ + ".out.bin";
};

TEST_F(VectorFiles, HoldWhatTheLibraryMakesOfIt) {
  const CommandResult run = Run({"--from", "f32", "--to", "int4", "--count", "10", "--seed", "9",
                                 "--round", "ceil", "--overflow", "wrap"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Vectors vectors =
      MakeVectors(FormatId::kFloat32, FormatId::kInt4, {.count = 10, .seed = 9});
  const std::string in = support::ReadFile(in_);
  ASSERT_EQ(in.size(), 4 * vectors.words.size());
  for (std::size_t i = 0; i < vectors.words.size(); ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, in.data() + 4 * i, 4);
    ASSERT_EQ(word, vectors.words[i]);
  }
  const std::string casted = folder_.Path("c.bin");
  ASSERT_EQ(RunCommand({"cast", in_, casted, "--from", "f32", "--to", "int4", "--round", "ceil",
                        "--overflow", "wrap"})
                .status,
            0);
  EXPECT_EQ(support::ReadFile(out_), support::ReadFile(casted));
  EXPECT_EQ(support::ReadFile(out_).size(), (vectors.elements + 1) / 2);
  EXPECT_EQ(run.out.rfind("float32 to int4, profile exact, mode ceil: ", 0), 0u) << run.out;
  EXPECT_NE(run.out.find("random (seed 9)\n" + in_ + "\n" + out_ + "\n"), std::string::npos)
      << run.out;
}

TEST_F(VectorFiles, PackedSourcesAreAsCastReadsThem) {
  ASSERT_EQ(Run({"--from", "fp4_e2m1", "--to", "hif8", "--json"}).status, 0);
  EXPECT_EQ(support::ReadFile(in_), "\x10\x32\x54\x76\x98\xba\xdc\xfe");
  EXPECT_EQ(support::ReadFile(out_).size(), 16u);
}

TEST_F(VectorFiles, JsonHasEveryFact) {
  const CommandResult run = Run({"--from", "f32", "--to", "hif8", "--profile", "ascend950",
                                 "--round", "hybrid", "--nan", "zero", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["profile"], "ascend950");
  EXPECT_EQ(json["round"], "hybrid");
  EXPECT_EQ(json["overflow"], "saturate");
  EXPECT_EQ(json["from"], "float32");
  EXPECT_EQ(json["to"], "hifloat8");
  EXPECT_EQ(json["random"], 1024);
  EXPECT_EQ(json["seed"], 1);
  EXPECT_EQ(json["input"], in_);
  EXPECT_EQ(json["output"], out_);
  std::uint64_t sum = 0;
  for (const char* key : {"exact", "rounded", "overflowed", "underflowed", "nan"}) {
    sum += json[key].get<std::uint64_t>();
  }
  EXPECT_EQ(sum, json["elements"].get<std::uint64_t>());
}

TEST_F(VectorFiles, NeitherAppearsWhenOneCannot) {
  support::WriteFile(out_, "old");
  ExpectError(Run({"--from", "f16", "--to", "f32"}), 5, "v.out.bin: exists; use --force");
  EXPECT_EQ(folder_.Names(), (std::set<std::string>{"v.out.bin"}));
  EXPECT_EQ(support::ReadFile(out_), "old");
  EXPECT_EQ(Run({"--from", "f16", "--to", "f32", "--force"}).status, 0);
  EXPECT_EQ(support::ReadFile(out_).size(), 4u * 65536);
  ExpectError(Run({"--from", "f16", "--to", "f32"}), 5, "v.in.bin: exists; use --force");
  prefix_ = folder_.Path("no/such/v");
  ExpectError(Run({"--from", "f16", "--to", "f32"}), 5, "no/such");
}

// Two links to one file: the outputs would replace the inputs.
TEST_F(VectorFiles, OneFileForBothIsRefusedBeforeAnythingIsWritten) {
  const std::string one = folder_.Path("one");
  std::filesystem::create_symlink("one", in_);
  std::filesystem::create_symlink(one, out_);
  std::vector<std::string> words = {"--from", "f16", "--to", "f32"};
  for (const bool exists : {false, true}) {
    if (exists) support::WriteFile(one, "old");
    for (const bool force : {false, true}) {
      if (force) words.push_back("--force");
      ExpectError(Run(words), 2, "v.in.bin and " + out_ + " lead to one file");
      if (force) words.pop_back();
    }
  }
  EXPECT_EQ(support::ReadFile(one), "old");
  std::filesystem::remove(in_);
  EXPECT_EQ(Run({"--from", "f16", "--to", "f32", "--force"}).status, 0);
}

TEST_F(VectorFiles, LinksToTwoFilesAndHardLinksAreTwoFiles) {
  std::filesystem::create_symlink("a", in_);
  std::filesystem::create_symlink("b", out_);
  EXPECT_EQ(Run({"--from", "f16", "--to", "f32"}).status, 0);
  EXPECT_EQ(support::ReadFile(folder_.Path("a")).size(), 2u * 65536);
  EXPECT_EQ(support::ReadFile(folder_.Path("b")).size(), 4u * 65536);
  std::filesystem::remove(in_);
  std::filesystem::remove(out_);
  std::filesystem::create_hard_link(folder_.Path("a"), in_);
  std::filesystem::create_hard_link(folder_.Path("a"), out_);
  EXPECT_EQ(Run({"--from", "f16", "--to", "f32", "--force"}).status, 0);
  EXPECT_EQ(support::ReadFile(in_).size(), 2u * 65536);
  EXPECT_EQ(support::ReadFile(out_).size(), 4u * 65536);
}

TEST_F(VectorFiles, ElementsThatFillAByteAreTold) {
  const CommandResult run = Run({"--from", "f32", "--to", "fp4_e2m1", "--count", "3", "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const std::uint64_t filling = json["filling"];
  EXPECT_EQ(json["random"], 3 + filling);
  EXPECT_LT(filling, 4u);
  std::set<std::string> ends;
  for (const char* count : {"0", "1", "2", "3"}) {
    const std::string out =
        Run({"--from", "f32", "--to", "fp4_e2m1", "--count", count, "--force"}).out;
    const std::size_t at = out.find("random (seed 1)");
    ends.insert(at == std::string::npos ? "" : out.substr(at, out.find('\n', at) - at));
  }
  EXPECT_TRUE(ends.contains("random (seed 1), 1 of them to fill bytes"));
  EXPECT_TRUE(ends.contains("random (seed 1), 3 of them to fill bytes") ||
              ends.contains("random (seed 1), 2 of them to fill bytes"));
  EXPECT_EQ(nlohmann::json::parse(
                Run({"--from", "f32", "--to", "f16", "--count", "3", "--json", "--force"})
                    .out)["filling"],
            0);
}

TEST_F(VectorFiles, CountsOfComplexElementsAreOfParts) {
  const auto run = [&](const char* from, const char* to, const char* more) {
    return Run({"--from", from, "--to", to, "--count", "5", "--force", more}).out;
  };
  EXPECT_NE(run("complex64", "complex32", "--force").find(" elements of two parts: "),
            std::string::npos);
  EXPECT_EQ(run("complex64", "f16", "--force").find("of two parts"), std::string::npos);
  for (const char* to : {"complex32", "f16"}) {
    const auto json = nlohmann::json::parse(run("complex64", to, "--json"));
    std::uint64_t sum = 0;
    for (const char* key : {"exact", "rounded", "overflowed", "underflowed", "nan"}) {
      sum += json[key].get<std::uint64_t>();
    }
    const bool parts = json["counted"] == "parts";
    EXPECT_EQ(parts, to == std::string("complex32"));
    EXPECT_EQ(sum, json["elements"].get<std::uint64_t>() * (parts ? 2 : 1)) << to;
  }
}

TEST_F(VectorFiles, AFolderThatTakesNoFilesIsNamed) {
  prefix_ = "/proc/r";
  ExpectError(Run({"--from", "f16", "--to", "f32"}), 5,
              "/proc/r.in.bin: cannot be created in the folder /proc\n");
  prefix_ = folder_.Path(std::string(300, 'v'));
  ExpectError(Run({"--from", "f16", "--to", "f32"}), 5, "ile name too long");
}

TEST_F(VectorFiles, WrongUseIsOneLine) {
  ExpectError(Run({"--from", "f32", "--to", "f16", "--seed", "99999999999999999999"}), 2,
              "--seed 99999999999999999999: too large");
  ExpectError(Run({"--from", "f32", "--to", "f16", "--count", "99999999999999999999"}), 2,
              "--count 99999999999999999999: too large");
  ExpectError(Run({"--from", "f33", "--to", "f16"}), 2, "f33");
  ExpectError(Run({"--from", "f32"}), 2, "--to is required");
  ExpectError(Run({"--from", "f32", "--to", "f16", "--round", "rond"}), 2, "did you mean round");
  ExpectError(Run({"--from", "f32", "--to", "f16", "--overflow", "wrap"}), 2, "ieee");
  ExpectError(Run({"--from", "f32", "--to", "f16", "--count", "-1"}), 2, "--count");
  ExpectError(Run({"--from", "f32", "--to", "f16", "--count", "16777217"}), 2, "16777216");
  ExpectError(Run({"--from", "f32", "--to", "f16", "--round", "hybrid"}), 4, "hybrid");
  ExpectError(Run({"--from", "f32", "--to", "e4m3fnuz", "--profile", "ascend950"}), 4, "exact");
  ExpectError(Run({"--from", "int48", "--to", "f16"}), 4, "rescale only");
  prefix_ = folder_.Path("");
  ExpectError(Run({"--from", "f32", "--to", "f16"}), 2, "PREFIX needs a name");
  EXPECT_TRUE(folder_.Names().empty());
  prefix_ = "-";
  ExpectError(Run({"--from", "f32", "--to", "f16"}), 2, "PREFIX needs a name");
}

}  // namespace
}  // namespace exactcast
