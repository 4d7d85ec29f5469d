// SPDX-License-Identifier: Apache-2.0
//
// exactcast cast on files of many tensors, as scripts see it: the plan, the summary, JSON, exit
// statuses, warnings, and progress.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/progress.h"
#include "src/containers/tensor_input.h"
#include "tests/support/command.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/safetensors_recipe.h"
#include "tests/support/temporary_folder.h"

namespace {

using support::Bytes;
using support::CommandResult;
using support::Entry;
using support::RunCommand;
using support::Safetensors;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class TensorCommand : public testing::Test {
 protected:
  TensorCommand()
      : in_(folder_.File(
            "in.safetensors",
            Safetensors("{" + Entry("a.weight", "F32", "3", 0, 12) + "," +
                            Entry("ids", "I32", "2", 12, 20) + "," +
                            Entry("lm_head.weight", "F32", "1,2", 20, 28) + "}",
                        Bytes<float>({1, 2.5, 1000}) + Bytes<int>({7, 8}) + Bytes<float>({1, 2})))),
        out_(folder_.Path("out.safetensors")) {}

  [[nodiscard]] CommandResult Cast(std::vector<std::string> options) const {
    options.insert(options.begin(), {"cast", in_, out_});
    return RunCommand(options);
  }

  support::TemporaryFolder folder_;
  std::string in_;
  std::string out_;
};

TEST_F(TensorCommand, TheSummaryAddsUp) {
  const CommandResult run =
      Cast({"--to", "fp8_e4m3", "--overflow", "saturate", "--map", "lm_head.*=bf16"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(
      run.out,
      "2 tensors cast (float32 to float8_e4m3fn, mode rint; float32 to bfloat16, mode rint), 1 "
      "kept, profile exact: 5 elements: 4 exact, 0 rounded, 1 overflowed, 0 underflowed, 0 NaN; "
      "28 to 15 bytes\n");
  EXPECT_EQ(
      support::ReadFile(out_),
      Safetensors("{" + Entry("ids", "I32", "2", 0, 8) + "," +
                      Entry("lm_head.weight", "BF16", "1,2", 8, 12) + "," +
                      Entry("a.weight", "F8_E4M3", "3", 12, 15) + "}",
                  Bytes<int>({7, 8}) + Bytes<std::uint16_t>({0x3f80, 0x4000}) + "\x38\x42\x7e"));
}

TEST_F(TensorCommand, JsonHasEveryTensor) {
  const CommandResult run = Cast({"--to", "f16", "--json", "--quiet"});
  ASSERT_EQ(run.status, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["profile"], "exact");
  EXPECT_EQ(json["tensors_cast"], 2);
  EXPECT_EQ(json["tensors_kept"], 1);
  EXPECT_EQ(json["elements"], 5);
  EXPECT_EQ(json["exact"], 5);
  EXPECT_EQ(json["bytes_before"], 28);
  EXPECT_EQ(json["bytes_after"], 18);
  ASSERT_EQ(json["tensors"].size(), 3U);
  EXPECT_EQ(json["tensors"][0]["name"], "a.weight");
  EXPECT_EQ(json["tensors"][0]["to"], "float16");
  EXPECT_EQ(json["tensors"][0]["exact"], 3);
  EXPECT_EQ(json["tensors"][1]["cast"], false);
  EXPECT_EQ(json["tensors"][1]["note"], "not floating");
}

TEST_F(TensorCommand, NoCountsWritesTheSameBytesAndPrintsNoCounts) {
  ASSERT_EQ(Cast({"--to", "fp8_e4m3"}).status, 0);
  const std::string counted = support::ReadFile(out_);
  const CommandResult run = Cast({"--to", "fp8_e4m3", "--force", "--no-counts"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "2 tensors cast (float32 to float8_e4m3fn, mode rint), 1 kept, profile exact: "
            "5 elements, what became of them not counted; 28 to 13 bytes\n");
  EXPECT_EQ(support::ReadFile(out_), counted);
  const Json json = Json::parse(Cast({"--to", "fp8_e4m3", "--force", "--no-counts", "--json"}).out);
  EXPECT_EQ(json["counted"], false);
  for (const char* key : {"exact", "rounded", "overflowed", "underflowed", "nan"}) {
    EXPECT_FALSE(json.contains(key)) << key;
    EXPECT_FALSE(json["tensors"][0].contains(key)) << key;
  }
  const CommandResult strict = Cast({"--to", "fp8_e4m3", "--force", "--no-counts", "--strict"});
  EXPECT_EQ(strict.status, 2);
  EXPECT_NE(strict.err.find("--strict needs the counts that --no-counts leaves out"),
            std::string::npos);
}

TEST_F(TensorCommand, APlanListsAndWritesNothing) {
  const CommandResult run = RunCommand({"cast", in_, "--to", "bf16", "--exclude", "lm*", "--plan"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(
      run.out,
      "tensor          from      to        shape          bytes          after\n"
      "a.weight        float32   bfloat16  [3]               12              6\n"
      "ids             int32     =         [2]                8              8  not floating\n"
      "lm_head.weight  float32   =         [1,2]              8              8  not selected\n"
      "1 tensor to be cast (float32 to bfloat16, mode rint), 2 kept, profile exact: 3 elements; "
      "28 to 22 bytes\n");
  EXPECT_EQ(folder_.Names().size(), 1U);
  const Json json = Json::parse(Cast({"--to", "bf16", "--exclude", "lm*", "--plan", "--json"}).out);
  EXPECT_EQ(json["planned"], true);
  EXPECT_EQ(json["bytes_after"], 22);
  EXPECT_EQ(json["tensors"][0]["bytes_after"], 6);
  EXPECT_FALSE(json["tensors"][0].contains("exact"));
}

TEST_F(TensorCommand, APlanShowsWhatTheProfileForbids) {
  const std::vector<std::string> options = {"--to",    "fp8_e4m3",    "--profile", "ascend950",
                                            "--round", "toward-zero", "--plan"};
  const CommandResult run = Cast(options);
  EXPECT_EQ(run.status, 4);
  EXPECT_NE(run.out.find("refused: tensor 'a.weight'"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("refused: tensor 'lm_head.weight'"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("; 2 refused\n"), std::string::npos) << run.out;
  EXPECT_EQ(run.err.find('\n'), run.err.size() - 1);
}

TEST_F(TensorCommand, ExitStatuses) {
  EXPECT_EQ(Cast({"--to", "nonsense"}).status, 2);
  EXPECT_EQ(Cast({}).status, 2);
  EXPECT_EQ(Cast({"--to", "bf16", "--map", "x"}).status, 2);
  EXPECT_EQ(Cast({"--to", "bf16", "--map", "x=nonsense"}).status, 2);
  EXPECT_EQ(Cast({"--to", "bf16", "--include", "a["}).status, 2);
  EXPECT_EQ(Cast({"--to", "bf16", "--resume"}).status, 2);
  EXPECT_EQ(Cast({"--to", "bf16", "--from", "f32"}).status, 2);
  EXPECT_EQ(Cast({"--to", "bf16", "--shape", "3"}).status, 2);
  EXPECT_EQ(Cast({"--to", "bf16", "--packed"}).status, 2);
  EXPECT_EQ(Cast({"--to", "f16", "--deqscale", "1"}).status, 2);
  EXPECT_EQ(Cast({"--derive-with", "float32:1"}).status, 2);
  EXPECT_EQ(Cast({"--to", "int48"}).status, 4);
  EXPECT_EQ(RunCommand({"cast", folder_.Path("absent.safetensors"), out_, "--to", "bf16"}).status,
            3);
  EXPECT_EQ(RunCommand({"cast", in_, in_, "--to", "bf16", "--force"}).status, 2);
  const CommandResult json = RunCommand({"cast", "config.json", out_, "--to", "bf16"});
  EXPECT_EQ(json.status, 2);
  EXPECT_EQ(json.err,
            "exactcast: config.json: is no index, whose name would end in .index.json; name the "
            "index, or its folder\n");
  EXPECT_EQ(RunCommand({"cast", in_, folder_.Path("x/out.safetensors"), "--to", "bf16"}).status, 5);
  EXPECT_EQ(RunCommand({"cast", in_, folder_.Path("out.pt"), "--to", "bf16"}).status, 2);
  EXPECT_EQ(RunCommand({"cast", in_, "--to", "bf16"}).status, 2);
  EXPECT_EQ(folder_.Names().size(), 1U);
  EXPECT_EQ(Cast({"--to", "fp8_e4m3", "--strict"}).status, 3);
  EXPECT_EQ(folder_.Names().size(), 1U);
  EXPECT_EQ(Cast({"--to", "bf16"}).status, 0);
  EXPECT_EQ(Cast({"--to", "bf16"}).status, 5);
  EXPECT_EQ(Cast({"--to", "bf16", "--force"}).status, 0);
}

TEST_F(TensorCommand, QuietKeepsWarnings) {
  const CommandResult run = Cast({"--to", "bf16", "--quiet", "--exclude", "nothing"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "exactcast: warning: --exclude 'nothing' matches no tensor\n");
  const std::string npy =
      folder_.File("a.npy", support::CurrentNpyFile(1, "'<f4'", false, "(1,)", Bytes<float>({1})));
  EXPECT_EQ(RunCommand({"cast", npy, folder_.Path("b.npy"), "--to", "f16", "--quiet"}).out, "");
}

// One array goes into a container under its file's name, and comes out again.
TEST_F(TensorCommand, OneArrayIntoAContainerAndBack) {
  const std::string file = support::CurrentNpyFile(1, "'<f4'", false, "(2,)", Bytes<float>({1, 2}));
  const std::string npy = folder_.File("w.npy", file);
  for (const std::string name : {"c.safetensors", "c.npz"}) {
    const CommandResult in = RunCommand({"cast", npy, folder_.Path(name), "--to", "f64"});
    EXPECT_EQ(in.status, 0) << in.err;
    const std::string back = folder_.Path(name + ".npy");
    const CommandResult out =
        RunCommand({"cast", folder_.Path(name), back, "--to", "f32", "--include", "w"});
    EXPECT_EQ(out.status, 0) << out.err;
    EXPECT_EQ(support::ReadFile(back), file);
  }
  const std::string raw = folder_.File("r.bin", Bytes<float>({1, 2}));
  const CommandResult run = RunCommand(
      {"cast", raw, folder_.Path("r.npz"), "--from", "f32", "--shape", "1,2", "--to", "f16"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST_F(TensorCommand, CommandsForOneArraySayHowToTakeOneOut) {
  const CommandResult run = RunCommand({"rescale", in_, folder_.Path("out.npy"), "--to", "int8",
                                        "--multiplier", "1", "--shift", "2"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("hold many tensors"), std::string::npos) << run.err;
}

// ---- Progress -----------------------------------------------------------------------------------

using exactcast::cli::BytesText;
using exactcast::cli::ProgressText;

TEST(ProgressLine, SaysBytesRateTimeAndTensor) {
  const std::uint64_t gib = std::uint64_t{1} << 30;
  EXPECT_EQ(ProgressText(gib, 4 * gib, 2, "w", 100),
            " 25 %  1.0 GiB of 4.0 GiB  512 MiB/s  6 s left  w");
  EXPECT_EQ(ProgressText(0, 4 * gib, 0, "w", 100), "  0 %  0 B of 4.0 GiB  0 B/s  w");
  EXPECT_EQ(ProgressText(5, 5, 1, "w", 100), "100 %  5 B of 5 B  5 B/s  0 s left  w");
  EXPECT_EQ(ProgressText(1, 7201, 1, "w", 100), "  0 %  1 B of 7.0 KiB  1 B/s  2 h 00 min left  w");
}

// What --resume took over took no time, and says nothing of what is left.
TEST(ProgressLine, RateIsOfThisRun) {
  const std::uint64_t gib = std::uint64_t{1} << 30;
  EXPECT_EQ(ProgressText(3 * gib, 4 * gib, 2, "w", 100, 2 * gib),
            " 75 %  3.0 GiB of 4.0 GiB  512 MiB/s  2 s left  w");
}

TEST(ProgressLine, IsNeverWiderThanItsPlace) {
  const std::string name(300, 'x');
  for (std::size_t width = 1; width < 200; ++width) {
    EXPECT_LE(ProgressText(1 << 20, 1 << 22, 1, name, width).size(), width);
  }
  EXPECT_TRUE(ProgressText(1, 2, 1, "layers.0.weight", 44).ends_with("..weight"));
}

// Half a number would be another number, half a character none.
TEST(ProgressLine, EndsAtThePartsThatFindAPlace) {
  const std::string name = "gr\u00f6\u00dfe.\u91cd";
  const std::string whole = ProgressText(1 << 20, 1 << 22, 1, name, 100);
  const std::string numbers = whole.substr(0, whole.size() - name.size() - 2);
  for (std::size_t width = 0; width < numbers.size() + 3; ++width) {
    const std::string text = ProgressText(1 << 20, 1 << 22, 1, name, width);
    EXPECT_TRUE(numbers.starts_with(text)) << text;
    EXPECT_TRUE(text.size() == numbers.size() || text.empty() ||
                numbers.substr(text.size(), 2) == "  ")
        << text;
  }
  for (std::size_t width = numbers.size() + 3; width < whole.size(); ++width) {
    const std::string text = ProgressText(1 << 20, 1 << 22, 1, name, width);
    if (text == numbers) continue;
    ASSERT_TRUE(text.starts_with(numbers + "  ..")) << text;
    EXPECT_TRUE(exactcast::IsUtf8(text)) << text;
    EXPECT_TRUE(name.ends_with(text.substr(numbers.size() + 4))) << text;
  }
}

TEST(ProgressLine, UnitsDoNotJump) {
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1024), "1.0 KiB");
  EXPECT_EQ(BytesText(10 * 1024), "10 KiB");
  EXPECT_EQ(BytesText((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(BytesText(~std::uint64_t{0}), "16777216 TiB");
}

}  // namespace
