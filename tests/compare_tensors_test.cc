// SPDX-License-Identifier: Apache-2.0
//
// exactcast compare on files of many tensors: pairs by name, what is missing, and the errors of a
// converted checkpoint, which are those of the cast's own report.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/odd_model.h"
#include "tests/support/safetensors_recipe.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zip_recipe.h"

namespace {

using support::CommandResult;
using support::Entry;
using support::ModelFile;
using support::OddTensor;
using support::RunCommand;
using support::Safetensors;
using Json = nlohmann::json;
namespace fs = std::filesystem;

class CompareTensors : public testing::Test {
 protected:
  CommandResult Compare(const std::string& a, const std::string& b,
                        std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"compare", a, b});
    return RunCommand(options);
  }
  std::string Model(const std::string& name, const std::vector<OddTensor>& tensors) const {
    return folder_.File(name, ModelFile(tensors));
  }

  support::TemporaryFolder folder_;
  std::vector<OddTensor> tensors_ = support::OddTensors();
  std::string model_ = Model("a.safetensors", tensors_);
};

TEST_F(CompareTensors, TheSameAgree) {
  const CommandResult run = Compare(model_, model_);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "17 tensors: 17 agree\n");
  const std::string folder = folder_.Path("shards");
  fs::create_directory(folder);
  std::vector<OddTensor> reversed(tensors_.rbegin(), tensors_.rend());
  support::WriteFile(folder + "/1.safetensors",
                     ModelFile({reversed.begin(), reversed.begin() + 5}));
  support::WriteFile(folder + "/2.safetensors", ModelFile({reversed.begin() + 5, reversed.end()}));
  EXPECT_EQ(Compare(folder, model_).status, 0);
  EXPECT_EQ(Compare(model_, folder).out, "17 tensors: 17 agree\n");
}

TEST_F(CompareTensors, ALineForEachThatDiffers) {
  std::vector<OddTensor> other = tensors_;
  other[0].values[77] = std::nextafter(std::nextafter(other[0].values[77], 9.0F), 9.0F);
  other[2].values[3] = 1;                             // was NaN
  std::swap(other[3].values[0], other[3].values[1]);  // inf and -inf
  other[5].shape = "3,0";
  other.erase(other.begin() + 7);
  other.push_back({"new\x1b[31m", "1", {1.0F}});
  const std::string b = Model("b.safetensors", other);
  const CommandResult run = Compare(model_, b);
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_EQ(run.out,
            "18 tensors: 12 agree, 3 differ, 1 other shape, 1 only in A, 1 only in B\n"
            "one: only in A\n"
            "new?[31m: only in B\n"
            "layers.0.weight: float32: 1 of 9000 elements differ, at most 2 ulp\n"
            "all.nan: float32: 1 of 70 elements differ, 1 NaN against a number\n"
            "all.infinite: float32: 2 of 3 elements differ, at most 4278190080 ulp\n"
            "empty: shape [0, 3] against [3, 0]\n");
  const Json json = Json::parse(Compare(model_, b, {"--json"}).out);
  EXPECT_EQ(json["tensors"], 18);
  EXPECT_EQ(json["agree"], 12);
  ASSERT_EQ(json["differing"].size(), 6U);
  EXPECT_EQ(json["differing"][0]["name"], "layers.0.weight");
  EXPECT_EQ(json["differing"][0]["differing"], 1);
  EXPECT_EQ(json["differing"][0]["largest_ulp"], 2);
  EXPECT_EQ(json["differing"][5]["verdict"], "only in B");
  EXPECT_FALSE(json["differing"][5].contains("a"));
  // What a tolerance accepts agrees.
  other = tensors_;
  other[0].values[77] *= 1.001F;
  const std::string close = Model("close.safetensors", other);
  EXPECT_EQ(Compare(model_, close).status, 1);
  EXPECT_EQ(Compare(model_, close, {"--rtol", "0.01"}).out, "17 tensors: 17 agree\n");
}

TEST_F(CompareTensors, AConvertedCheckpointHasTheErrorsOfItsReport) {
  for (const char* to : {"f8_e4m3", "hif8", "f16", "bf16"}) {
    const std::string out = folder_.Path("out.safetensors");
    const CommandResult cast = RunCommand({"cast", model_, out, "--to", to, "--force", "--quiet",
                                           "--report", folder_.Path("r.json")});
    ASSERT_EQ(cast.status, 0) << cast.err;
    const Json report = Json::parse(support::ReadFile(folder_.Path("r.json")));
    const CommandResult run = Compare(out, model_, {"--json"});
    EXPECT_EQ(run.status, 1) << run.err;
    const Json json = Json::parse(run.out);
    ASSERT_EQ(json["differing"].size(), tensors_.size());
    for (const Json& tensor : json["differing"]) {
      const auto row = std::find_if(report["tensors"].begin(), report["tensors"].end(),
                                    [&](const Json& r) { return r["name"] == tensor["name"]; });
      ASSERT_NE(row, report["tensors"].end());
      EXPECT_EQ(tensor["verdict"], "other format");
      for (const auto& [key, value] : tensor["errors"].items()) {
        EXPECT_EQ(value, (*row)[key]) << key << " of " << tensor["name"] << " to " << to;
      }
    }
  }
}

// The errors have a direction: B is what A stands for. A sign that is lost is seen.
TEST_F(CompareTensors, ErrorsAreOfAnyTwoTensors) {
  const std::string a = folder_.File(
      "x.safetensors",
      Safetensors("{" + Entry("w", "BF16", "64", 0, 128) + "}", std::string(128, '\x40')));  // 3
  const std::string b = Model("y.safetensors", {{"w", "64", std::vector<float>(64, -3.0F)}});
  const Json json = Json::parse(Compare(a, b, {"--json"}).out);
  const Json& errors = json["differing"][0]["errors"];
  EXPECT_EQ(errors["relative_error"], 2);
  EXPECT_EQ(errors["cosine"], -1);
  EXPECT_EQ(errors["largest_error"], 6);
  EXPECT_EQ(errors["mean_error"], 6);
  const CommandResult run = Compare(a, b);
  EXPECT_NE(run.out.find("w: bfloat16 against float32: 64 elements, relative error 2, SQNR -6.02 "
                         "dB, cosine -1, largest error 6 at element 0\n"),
            std::string::npos)
      << run.out;
}

TEST_F(CompareTensors, MembersThatAreNoArraysAreComparedAsBytes) {
  const auto archive = [&](const std::string& name, const std::string& notes) {
    const std::string bytes(reinterpret_cast<const char*>(tensors_[4].values.data()), 4 * 4097);
    const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4097,), }";
    return folder_.File(name, support::Zip({{"w.npy", support::NpyFile(1, header, bytes), true},
                                            {"notes.txt", notes, true}}));
  };
  const std::string a = archive("a.npz", "abc");
  EXPECT_EQ(Compare(a, archive("same.npz", "abc")).out, "2 tensors: 2 agree\n");
  EXPECT_EQ(Compare(a, archive("other.npz", "abd")).out,
            "2 tensors: 1 agree, 1 differ\n"
            "notes.txt: uint8: 1 of 3 elements differ, at most 1 ulp\n");
  EXPECT_EQ(Compare(a, archive("longer.npz", "abcd")).out,
            "2 tensors: 1 agree, 1 other shape\n"
            "notes.txt: shape [3] against [4]\n");
}

TEST_F(CompareTensors, OneArrayIsATensorOfItsName) {
  const std::string raw(reinterpret_cast<const char*>(tensors_[4].values.data()), 4 * 4097);
  const std::string zeros = folder_.File("zeros.bin", raw);
  const std::string one = Model("one.safetensors", {tensors_[4]});
  EXPECT_EQ(Compare(zeros, one, {"--format", "f32"}).out, "1 tensor: 1 agree\n");
  EXPECT_EQ(Compare(one, zeros, {"--format", "f32"}).status, 0);
}

TEST_F(CompareTensors, WrongUse) {
  EXPECT_EQ(Compare(model_, model_, {"--format", "f32"}).status, 2);
  EXPECT_EQ(Compare(model_, model_, {"--shape", "3"}).status, 2);
  EXPECT_EQ(Compare(model_, model_, {"--packed"}).status, 2);
  EXPECT_EQ(Compare(model_, model_, {"--atol", "-1"}).status, 2);
  EXPECT_EQ(
      Compare(model_, model_, {"--permitted", "--profile", "tosa-1.0", "--source", model_}).status,
      2);
  EXPECT_EQ(Compare(model_, folder_.Path("none.safetensors")).status, 3);
  EXPECT_EQ(Compare(model_, folder_.path() + "/none/").status, 3);
  const std::string cut = folder_.File("cut.safetensors", ModelFile(tensors_).substr(0, 5000));
  EXPECT_EQ(Compare(model_, cut).status, 3);
}

}  // namespace
