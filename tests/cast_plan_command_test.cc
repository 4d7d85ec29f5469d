// SPDX-License-Identifier: Apache-2.0
//
// cast --no-counts and --explain-plan: what is not counted is not printed, and a plan is explained
// without anything being cast.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "exactcast/container.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

using support::CommandResult;
using support::RunShell;

class CastPlanCommand : public testing::Test {
 protected:
  // "exactcast cast WORDS" in the folder of in.bin: the float32 1, 0.1, 500 and a NaN.
  [[nodiscard]] CommandResult Cast(const std::string& words) const {
    return RunShell(folder_.Path(""), "exactcast cast " + words);
  }
  void ExpectRefusal(const std::string& words, const std::string& part) const {
    const CommandResult run = Cast(words);
    EXPECT_EQ(run.status, 2) << words;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
    EXPECT_FALSE(Exists("out.bin"));
  }
  [[nodiscard]] bool Exists(const std::string& name) const {
    return std::filesystem::exists(folder_.Path(name));
  }
  [[nodiscard]] std::string Read(const std::string& name) const {
    return support::ReadFile(folder_.Path(name));
  }
  void SetUp() override {
    static_cast<void>(folder_.File(
        "in.bin", std::string("\0\0\x80\x3f\xcd\xcc\xcc\x3d\0\0\xfa\x43\0\0\xc0\x7f", 16)));
  }

  support::TemporaryFolder folder_;
};

TEST_F(CastPlanCommand, NoCountsWritesTheSameBytesAndPrintsNoCounts) {
  for (const std::string pair :
       {"--from f32 --to e4m3fn", "--from c64 --to f32", "--from f32 --to s8 --profile tosa-1.0"}) {
    ASSERT_EQ(Cast("in.bin counted.bin --force " + pair).status, 0);
    const CommandResult run = Cast("in.bin out.bin --force --no-counts " + pair);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(Read("out.bin"), Read("counted.bin"));
    EXPECT_NE(run.out.find(" elements, what became of them not counted\n"), std::string::npos);
    for (const char* word : {"overflowed", "rounded", "NaN", "lost", "unpredictable"}) {
      EXPECT_EQ(run.out.find(word), std::string::npos) << run.out;
    }
    const auto json =
        nlohmann::json::parse(Cast("in.bin out.bin --force --no-counts --json " + pair).out);
    EXPECT_EQ(json["counted"], false);
    for (const char* key : {"exact", "rounded", "overflowed", "underflowed", "nan", "unpredictable",
                            "imaginary_lost"}) {
      EXPECT_FALSE(json.contains(key)) << key;
    }
    EXPECT_TRUE(json.contains("elements"));
    const auto counted = nlohmann::json::parse(Cast("in.bin out.bin --force --json " + pair).out);
    EXPECT_FALSE(counted.contains("counted"));
    EXPECT_TRUE(counted.contains("exact"));
  }
}

TEST_F(CastPlanCommand, WhatIsNotCountedIsZero) {
  for (const bool counts : {true, false}) {
    FileCastRequest request;
    request.input = folder_.Path("in.bin");
    request.output = folder_.Path("out.bin");
    request.from = FormatId::kFloat32;
    request.to = FormatId::kFloat16;
    request.counts = counts;
    request.force = true;
    const Result<FileCastResult> result = CastFile(request);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->counted, counts);
    EXPECT_EQ(result->counts.exact, counts ? 2U : 0U);
    EXPECT_EQ(result->counts.nan, counts ? 1U : 0U);
  }
}

TEST_F(CastPlanCommand, NoCountsRefusesWhatNeedsThem) {
  ExpectRefusal("in.bin out.bin --from f32 --to s8 --no-counts --strict",
                "--strict needs the counts that --no-counts leaves out");
  ExpectRefusal(
      "in.bin out.bin --from f32 --to s8 --profile tosa-1.0 --no-counts --nan-to-int refuse",
      "--nan-to-int refuse needs the counts that --no-counts leaves out");
  ExpectRefusal("--from f32 --to s8 --no-counts --strict --explain-plan", "--strict needs");
}

TEST_F(CastPlanCommand, ExplainPlanSaysWhichKernelRunsWhereAndWhy) {
  const Plan plan = *MakePlan({.from = FormatId::kInt8, .to = FormatId::kFloat16});
  const CommandResult run = Cast("--from s8 --to f16 --explain-plan");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.substr(0, run.out.find("CPU")),
            "int8 to float16, profile exact, mode rint, ieee\n"
            "kernel   table8: a table of 256 results\n"
            "         the fastest that takes this cast; copy and widen do not\n");
  EXPECT_NE(run.out.find("CPU      " + std::string(Plan::cpu_target()) + "\n"), std::string::npos);

  const auto json = nlohmann::json::parse(Cast("--from s8 --to f16 --explain-plan --json").out);
  EXPECT_EQ(json["from"], "int8");
  EXPECT_EQ(json["to"], "float16");
  EXPECT_EQ(json["profile"], "exact");
  EXPECT_EQ(json["round"], "rint");
  EXPECT_EQ(json["overflow"], "ieee");
  EXPECT_EQ(json["kernel"], plan.kernel());
  EXPECT_EQ(json["kernel_description"], plan.kernel_description());
  EXPECT_EQ(json["kernels_passed_over"], plan.kernels_passed_over());
  EXPECT_EQ(json["cpu_target"], Plan::cpu_target());
  EXPECT_EQ(json["cpu_targets"], Plan::cpu_targets());
}

TEST_F(CastPlanCommand, ExplainPlanTakesTheFormatFromTheFileAndWritesNothing) {
  ASSERT_EQ(Cast("in.bin in.npy --from f32 --to f16").status, 0);
  for (const std::string files : {"in.npy out.npy", "in.npy"}) {
    const CommandResult run = Cast(files + " --to s8 --explain-plan");
    EXPECT_EQ(run.out.rfind("float16 to int8, profile exact", 0), 0u) << run.out << run.err;
  }
  EXPECT_EQ(Cast("in.bin out.bin --from f32 --to f32 --explain-plan").status, 0);
  EXPECT_FALSE(Exists("out.npy"));
  EXPECT_FALSE(Exists("out.bin"));
}

TEST_F(CastPlanCommand, ExplainPlanRefusesWhatTheCastWould) {
  ExpectRefusal("--to s8 --explain-plan", "without INPUT its format is not known");
  ExpectRefusal("in.bin out.bin --to s8 --explain-plan", "--from");
  ExpectRefusal("in.bin in.bin --from f32 --to s8 --explain-plan", "the same file");
  ExpectRefusal("--from f32 --explain-plan", "--to FORMAT is required");
  EXPECT_EQ(Cast("none.bin out.bin --from f32 --to s8 --explain-plan").status, 3);
  EXPECT_EQ(Cast("--from f32 --to s8 --profile ascend950 --round hybrid --explain-plan").status, 4);
  const CommandResult derived = Cast("--from bool --derive-with f32:0.5 --explain-plan");
  EXPECT_EQ(derived.out.rfind("bool to float32, ", 0), 0u) << derived.out << derived.err;
}

TEST_F(CastPlanCommand, WithoutExplainPlanBothFilesAreRequired) {
  ExpectRefusal("--from f32 --to s8", "INPUT is required");
  ExpectRefusal("in.bin --from f32 --to s8", "OUTPUT is required");
}

}  // namespace
}  // namespace exactcast
