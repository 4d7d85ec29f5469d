// SPDX-License-Identifier: Apache-2.0
//
// exactcast inspect: what is there against slow counts, what would be lost against the report of the
// cast itself, and maps that keep what they promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/odd_model.h"
#include "tests/support/temporary_folder.h"

namespace {

using support::CommandResult;
using support::OddTensor;
using support::RunCommand;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class Inspect : public testing::Test {
 protected:
  CommandResult Run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"inspect", in_, "--quiet"});
    return RunCommand(options);
  }
  Json RunJson(std::vector<std::string> options) const {
    options.emplace_back("--json");
    const CommandResult run = Run(std::move(options));
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(run.out, nullptr, false);
  }
  // The report of a cast.
  Json Cast(std::vector<std::string> options) const {
    options.insert(options.begin(), {"cast", in_, folder_.Path("out.safetensors"), "--force",
                                     "--quiet", "--report", folder_.Path("cast.json")});
    const CommandResult run = RunCommand(options);
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(support::ReadFile(folder_.Path("cast.json")));
  }

  support::TemporaryFolder folder_;
  std::vector<OddTensor> tensors_ = support::OddTensors();
  std::string in_ = folder_.File("in.safetensors", support::ModelFile(tensors_));
};

TEST_F(Inspect, SaysWhatIsThere) {
  const Json json = RunJson({});
  EXPECT_EQ(json["report"], "inspect");
  ASSERT_EQ(json["tensors"].size(), tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const Json& row = json["tensors"][i];
    std::uint64_t nan = 0, infinite = 0, zero = 0, subnormal = 0;
    double least = HUGE_VAL, greatest = -HUGE_VAL;
    std::map<int, std::uint64_t> exponents;
    for (const float x : tensors_[i].values) {
      nan += std::isnan(x);
      infinite += std::isinf(x);
      zero += x == 0;
      subnormal += std::fpclassify(x) == FP_SUBNORMAL;
      if (!std::isfinite(x)) continue;
      least = std::min<double>(least, x);
      greatest = std::max<double>(greatest, x);
      if (x != 0) ++exponents[std::max(std::ilogb(x), -127)];
    }
    Json counted = Json::array();
    for (const auto& [exponent, count] : exponents) counted.push_back({exponent, count});
    const std::string& name = tensors_[i].name;
    EXPECT_EQ(row["name"], name);
    EXPECT_EQ(row["format"], "float32");
    EXPECT_EQ(row["elements"], tensors_[i].values.size()) << name;
    EXPECT_EQ(row["nan"], nan) << name;
    EXPECT_EQ(row["inf"], infinite) << name;
    EXPECT_EQ(row["zero"], zero) << name;
    EXPECT_EQ(row["subnormal"], subnormal) << name;
    EXPECT_EQ(row["least"], std::isfinite(least) ? Json(least) : Json()) << name;
    EXPECT_EQ(row["greatest"], std::isfinite(greatest) ? Json(greatest) : Json()) << name;
    EXPECT_EQ(row["exponents"], counted) << name;
  }
}

TEST_F(Inspect, TellsWhatTheCastWouldReportAndWritesNothing) {
  const std::set<std::string> before = folder_.Names();
  const std::vector<std::string> formats = {"float8_e4m3fn", "bfloat16", "hifloat8", "int8"};
  const Json json = RunJson({"--to", "f8_e4m3,bf16,hif8,int8"});
  EXPECT_EQ(folder_.Names(), before);
  ASSERT_EQ(json["tensors"].size(), formats.size() * tensors_.size());
  ASSERT_EQ(json["targets"].size(), formats.size());
  for (std::size_t k = 0; k < formats.size(); ++k) {
    const Json cast = Cast({"--to", formats[k]});
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      EXPECT_EQ(json["tensors"][i * formats.size() + k], cast["tensors"][i]);
    }
    const auto total = std::find_if(json["targets"].begin(), json["targets"].end(),
                                    [&](const Json& target) { return target["to"] == formats[k]; });
    ASSERT_NE(total, json["targets"].end());
    EXPECT_EQ(*total, cast["targets"][0]);
  }
}

TEST_F(Inspect, SortsAndListsTheTop) {
  const Json json = RunJson({"--to", "f8_e4m3,bf16", "--sort", "loss", "--top", "4"});
  ASSERT_EQ(json["tensors"].size(), 8U);
  EXPECT_EQ(json["targets"][0]["tensors"], tensors_.size());  // totals are of all
  double last = HUGE_VAL;
  for (std::size_t i = 0; i < 8; i += 2) {
    const Json& row = json["tensors"][i];
    EXPECT_EQ(row["name"], json["tensors"][i + 1]["name"]);
    const double loss = row["overflowed"] > 0 || json["tensors"][i + 1]["overflowed"] > 0
                            ? HUGE_VAL
                            : row["relative_error"].get<double>();
    EXPECT_LE(loss, last);
    last = loss;
  }
  const Json names = RunJson({"--sort", "name"});
  EXPECT_TRUE(std::is_sorted(names["tensors"].begin(), names["tensors"].end(),
                             [](const Json& a, const Json& b) { return a["name"] < b["name"]; }));
  EXPECT_EQ(RunJson({"--sort", "elements", "--top", "1"})["tensors"][0]["name"], "layers.0.weight");
}

// Names that are patterns too; each tensor gets the shortest format that keeps within.
TEST_F(Inspect, AMapKeepsWithinItsLimit) {
  tensors_.push_back({"a*", "3", {1.0F, 2.0F, 4.0F}});
  tensors_.push_back({"ab", "3", {1.0F, 2.1F, 4.3F}});
  tensors_.push_back({"[a-z]b?", "3", {1.0F, 2.0F, 3.3F}});
  tensors_.push_back({"#first", "3", {1.0F, 2.0F, 3.0F}});
  tensors_.push_back({"@file", "3", {1.0F, 2.0F, 1e30F}});
  tensors_.push_back({"equals=float16", "3", {1.0F, 2.0F, 1e9F}});
  in_ = folder_.File("in.safetensors", support::ModelFile(tensors_));
  const std::string map = folder_.Path("map");
  const Json all = RunJson({"--to", "bf16,f8_e4m3,f16", "--max-rel-error", "0.003", "--write-map",
                            map, "--overflow", "ieee"});
  const Json cast = Cast({"--map", "@" + map, "--overflow", "ieee"});
  std::map<std::string, std::string> chosen;
  for (const Json& row : cast["tensors"]) {
    chosen[row["name"]] = row["to"];
    EXPECT_TRUE(row["relative_error"].is_null() || row["relative_error"] <= 0.003) << row;
    EXPECT_EQ(row["overflowed"], 0) << row;
  }
  for (const Json& row : cast["kept"]) EXPECT_EQ(row["note"], "kept by --map");
  EXPECT_EQ(cast["tensors"].size() + cast["kept"].size(), tensors_.size());
  // What is shorter, or as short and closer, does not keep within.
  for (const Json& row : all["tensors"]) {
    const bool fits = row["overflowed"] == 0 &&
                      (row["relative_error"].is_null() || row["relative_error"] <= 0.003);
    const auto to = chosen.find(row["name"]);
    if (!fits) continue;
    ASSERT_NE(to, chosen.end()) << row;
    if (row["to"] == "float8_e4m3fn") {
      EXPECT_EQ(to->second, row["to"]) << row;
    } else {
      EXPECT_NE(to->second, "float32") << row;
    }
  }
  EXPECT_EQ(chosen["a*"], "float8_e4m3fn");
  EXPECT_EQ(chosen["ab"], "float16");
  EXPECT_EQ(chosen["#first"], "float8_e4m3fn");
  EXPECT_EQ(chosen["@file"], "bfloat16");
  EXPECT_EQ(chosen["[a-z]b?"], "float16");
}

TEST_F(Inspect, MapsAreFilesOfLines) {
  const std::string map = folder_.File("map", "# mine\r\n\r\nlayers.0*=f16\r\nlayers.*=bf16");
  const Json cast = Cast({"--map", "@" + map, "--map", "scalar=f8_e5m2"});
  ASSERT_EQ(cast["tensors"].size(), 3U);
  EXPECT_EQ(cast["tensors"][0]["to"], "float16");
  EXPECT_EQ(cast["tensors"][1]["to"], "bfloat16");
  EXPECT_EQ(cast["tensors"][2]["to"], "float8_e5m2");
  const auto status = [&](const std::string& file) {
    return RunCommand({"cast", in_, folder_.Path("no.safetensors"), "--map", "@" + file}).status;
  };
  EXPECT_EQ(status(folder_.File("bad", "scalar=f16\nscalar\n")), 2);
  EXPECT_EQ(status(folder_.path()), 3);
  EXPECT_EQ(status(folder_.Path("none")), 3);
}

TEST_F(Inspect, TakesFoldersAndArrays) {
  const std::string model = folder_.Path("model");
  fs::create_directory(model);
  support::WriteFile(model + "/a.safetensors", support::ModelFile({tensors_[0]}));
  support::WriteFile(model + "/b.safetensors", support::ModelFile({tensors_[1]}));
  const Json whole = RunJson({"--to", "bf16"});
  in_ = model;
  const Json json = RunJson({"--to", "bf16"});
  ASSERT_EQ(json["tensors"].size(), 2U);
  EXPECT_EQ(json["tensors"][1]["file"], "b.safetensors");
  for (std::size_t i = 0; i < 2; ++i) {
    Json row = json["tensors"][i];
    row.erase("file");
    EXPECT_EQ(row, whole["tensors"][i]);
  }
  const std::string raw(reinterpret_cast<const char*>(tensors_[0].values.data()), 36000);
  in_ = folder_.File("w.bin", raw);
  const Json array = RunJson({"--from", "f32", "--to", "bf16"});
  EXPECT_EQ(array["tensors"][0]["cosine"], whole["tensors"][0]["cosine"]);
  EXPECT_EQ(array["tensors"][0]["exponents"], whole["tensors"][0]["exponents"]);
  EXPECT_EQ(RunJson({"--from", "int16", "--to", "int8"})["tensors"][0]["elements"], 18000);
}

TEST_F(Inspect, WhatAProfileLacksIsListedAndRefused) {
  const CommandResult run =
      Run({"--to", "f8_e4m3", "--profile", "ascend950", "--round", "toward-zero", "--json"});
  EXPECT_EQ(run.status, 4) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["kept"].size(), tensors_.size());
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
}

TEST_F(Inspect, WrongUse) {
  const std::string taken = folder_.File("taken.html", "");
  struct Case {
    std::vector<std::string> options;
    int status;
    std::string word;
  };
  const std::vector<Case> cases = {
      {{"--sort", "loss"}, 2, "--to"},
      {{"--max-rel-error", "0.1"}, 2, "--to"},
      {{"--to", "bf16", "--max-rel-error", "-1"}, 2, "not below 0"},
      {{"--to", "bf16", "--max-rel-error", "nan"}, 2, "not below 0"},
      {{"--to", "bf16", "--write-map", "x"}, 2, "--max-rel-error"},
      {{"--to", "bf16,nonsense"}, 2, "nonsense"},
      {{"--to", ""}, 2, ""},
      {{"--to", "bf16", "--sort", "size"}, 2, "--sort"},
      {{"--top", "-1"}, 2, "--top"},
      {{"--report", in_}, 2, ""},
      {{"--report", taken}, 5, "--force"},
      {{"--shape", "3"}, 2, "knows its shapes"},
      {{"--skip-unindexed"}, 2, "one file"},
  };
  for (const Case& c : cases) {
    const CommandResult run = Run(c.options);
    EXPECT_EQ(run.status, c.status) << c.options.back() << ": " << run.err;
    EXPECT_NE(run.err.find(c.word), std::string::npos) << run.err;
  }
  EXPECT_EQ(RunCommand({"inspect", "-"}, "abcd").status, 2);
  EXPECT_EQ(RunCommand({"inspect", folder_.Path("none.npy")}).status, 3);
  EXPECT_EQ(RunCommand({"inspect"}).status, 2);
  EXPECT_EQ(folder_.Names(), (std::set<std::string>{"in.safetensors", "taken.html"}));
}

TEST_F(Inspect, TextHasALineATensor) {
  const CommandResult run = RunCommand({"inspect", in_, "--to", "bf16"});
  EXPECT_EQ(run.status, 0) << run.err;
  // A head, a total, and what it was made with.
  EXPECT_EQ(static_cast<std::size_t>(std::count(run.out.begin(), run.out.end(), '\n')),
            tensors_.size() + 3);
  const CommandResult plain = RunCommand({"inspect", in_, "--include", "scalar"});
  EXPECT_EQ(plain.out,
            "tensor  format          shape       elements       least    greatest       zero  "
            "subnormal    NaN    inf\n"
            "scalar  float32         []                 1         0.3         0.3        0 %  "
            "      0 %      0      0\n");
}

}  // namespace
