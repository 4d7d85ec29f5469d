// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints in shards: the recipes, index and shards against each other, the folder that appears
// when it is complete, and going on after a stop.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "exactcast/spec/format.h"
#include "exactcast/tensor_files.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/safetensors_recipe.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_cast.h"

namespace exactcast {
namespace {

using support::AnyHas;
using support::Bytes;
using support::Entry;
using support::ExpectStatus;
using support::ReadFile;
using support::Safetensors;
using support::To;
using support::WriteFile;
namespace fs = std::filesystem;

const std::string kFirst = "model-00001-of-00002.safetensors";
const std::string kSecond = "model-00002-of-00002.safetensors";
const std::string kIndex = "model.safetensors.index.json";

std::string IndexText(const std::string& total, const std::map<std::string, std::string>& map) {
  std::string text =
      "{\n  \"metadata\": {\n    \"total_size\": " + total + "\n  },\n  \"weight_map\": {";
  for (const auto& [name, shard] : map) {
    text += (text.ends_with('{') ? "\n" : ",\n");
    text += "    \"" + name + "\": \"" + shard + "\"";
  }
  return text + "\n  }\n}\n";
}

// All files below a folder, by their paths from it on.
std::map<std::string, std::string> FilesIn(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().lexically_relative(folder).string()] = ReadFile(entry.path().string());
  }
  return files;
}

class Shards : public testing::Test {
 protected:
  Shards() : in_(folder_.Path("model")), out_(folder_.Path("model-bf16")) {
    fs::create_directories(in_ + "/assets");
    WriteFile(in_ + "/" + kFirst, Safetensors("{\"__metadata__\":{\"format\":\"pt\"}," +
                                                  Entry("a", "F32", "2", 0, 8) + "}",
                                              Bytes<float>({1, 2})));
    WriteFile(in_ + "/" + kSecond, Safetensors("{" + Entry("b", "F32", "1", 0, 4) + "," +
                                                   Entry("ids", "I64", "1", 4, 12) + "}",
                                               Bytes<float>({3}) + Bytes<std::int64_t>({7})));
    WriteIndex({{"a", kFirst}, {"b", kSecond}, {"ids", kSecond}});
    WriteFile(in_ + "/config.json", "{}");
    WriteFile(in_ + "/assets/vocab.txt", "words");
    expected_ = {{kFirst, Safetensors("{\"__metadata__\":{\"format\":\"pt\"}," +
                                          Entry("a", "BF16", "2", 0, 4) + "}",
                                      Bytes<std::uint16_t>({0x3f80, 0x4000}))},
                 {kSecond, Safetensors("{" + Entry("ids", "I64", "1", 0, 8) + "," +
                                           Entry("b", "BF16", "1", 8, 10) + "}",
                                       Bytes<std::int64_t>({7}) + Bytes<std::uint16_t>({0x4040}))},
                 {kIndex, IndexText("14", {{"a", kFirst}, {"b", kSecond}, {"ids", kSecond}})},
                 {"config.json", "{}"},
                 {"assets/vocab.txt", "words"}};
  }

  void WriteIndex(const std::map<std::string, std::string>& map, const std::string& total = "20") {
    WriteFile(in_ + "/" + kIndex, IndexText(total, map));
  }
  Result<TensorFilesResult> Cast(TensorFilesRequest request = To(FormatId::kBfloat16)) {
    if (request.input.empty()) request.input = in_;
    request.output = out_;
    request.sync = false;
    Result<TensorFilesResult> result = CastTensorFiles(request);
    EXPECT_EQ(result.status().message().find('\n'), std::string::npos);
    return result;
  }
  // A refusal before anything was written.
  void ExpectRefusal(StatusCode code, const std::vector<std::string>& words,
                     const TensorFilesRequest& request = To(FormatId::kBfloat16)) {
    const std::set<std::string> before = folder_.Names();
    const Result<TensorFilesResult> result = Cast(request);
    ASSERT_FALSE(result.ok()) << words.front();
    ExpectStatus(result.status(), code, words);
    EXPECT_EQ(folder_.Names(), before);
  }
  // Stops the run once `bytes` of the inputs are done.
  static TensorFilesRequest StopAt(std::uint64_t bytes) {
    TensorFilesRequest request = To(FormatId::kBfloat16);
    request.tensor_progress = [bytes](const TensorProgress& p) { return p.done < bytes; };
    return request;
  }
  [[nodiscard]] std::string Work() const { return folder_.Path(".model-bf16.exactcast-partial"); }

  support::TemporaryFolder folder_;
  std::string in_;
  std::string out_;
  std::map<std::string, std::string> expected_;
};

// ---- Recipes ------------------------------------------------------------------------------------

TEST_F(Shards, AreCastWithTheirIndexAndTheRestIsCopied) {  // X01
  const Result<TensorFilesResult> result = Cast();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(FilesIn(out_), expected_);
  EXPECT_EQ(folder_.Names(), (std::set<std::string>{"model", "model-bf16"}));
  EXPECT_EQ(result->bytes_before, 20U);
  EXPECT_EQ(result->bytes_after, 14U);
  EXPECT_EQ(result->files, 2U);
  EXPECT_EQ(result->tensors[1].file, kSecond);
  EXPECT_EQ(result->counts.exact, 3U);
  EXPECT_TRUE(AnyHas(result->warnings, "config.json"));
  // The index as INPUT means the same.
  fs::remove_all(out_);
  TensorFilesRequest request = To(FormatId::kBfloat16);
  request.input = in_ + "/" + kIndex;
  ASSERT_TRUE(Cast(request).ok());
  EXPECT_EQ(FilesIn(out_), expected_);
}

TEST_F(Shards, AMissingShardIsNamedWithWhatItHolds) {  // X02
  fs::remove(in_ + "/" + kSecond);
  ExpectRefusal(StatusCode::kBadInput, {kIndex, kSecond + " (with 2 tensors)", "fetch"});
}

TEST_F(Shards, ATensorThatIsNotInItsShardIsRefused) {  // X03
  WriteIndex({{"a", kFirst}, {"b", kFirst}, {"ids", kSecond}});
  ExpectRefusal(StatusCode::kBadInput, {"'b'", "should be in " + kFirst, "in " + kSecond});
  WriteIndex({{"a", kFirst}, {"b", kSecond}, {"c", kSecond}, {"ids", kSecond}});
  ExpectRefusal(StatusCode::kBadInput, {"'c'", "should be in " + kSecond, "not there"});
}

TEST_F(Shards, ATensorThatTheIndexDoesNotNameIsReported) {  // X04
  WriteIndex({{"a", kFirst}, {"ids", kSecond}});
  const Result<TensorFilesResult> result = Cast();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(AnyHas(result->warnings, "does not name tensor 'b'"));
  EXPECT_EQ(FilesIn(out_)[kSecond], expected_[kSecond]);
  EXPECT_NE(FilesIn(out_)[kIndex].find("\"b\": \"" + kSecond), std::string::npos);
  fs::remove_all(out_);
  TensorFilesRequest skipping = To(FormatId::kBfloat16);
  skipping.skip_unindexed = true;
  const Result<TensorFilesResult> skipped = Cast(skipping);
  ASSERT_TRUE(skipped.ok());
  EXPECT_TRUE(AnyHas(skipped->warnings, "left out"));
  EXPECT_EQ(skipped->tensors.size(), 2U);
  EXPECT_EQ(FilesIn(out_)[kSecond],
            Safetensors("{" + Entry("ids", "I64", "1", 0, 8) + "}", Bytes<std::int64_t>({7})));
  EXPECT_EQ(FilesIn(out_)[kIndex], IndexText("12", {{"a", kFirst}, {"ids", kSecond}}));
}

TEST_F(Shards, NamesThatLeadElsewhereAreRefused) {  // X05
  WriteFile(folder_.Path("evil.safetensors"), ReadFile(in_ + "/" + kFirst));
  for (const std::string name : {"../evil.safetensors", "/evil.safetensors", "x/evil.safetensors",
                                 "..", ".", "", "c:evil.safetensors", "..\\\\evil.safetensors"}) {
    WriteIndex({{"a", name}});
    ExpectRefusal(StatusCode::kBadInput, {"tensor 'a'", "refused"});
  }
}

TEST_F(Shards, AScaleIsFoundInAnotherShard) {  // X06
  WriteFile(in_ + "/" + kFirst,
            Safetensors("{" + Entry("l.weight", "F8_E4M3", "2", 0, 2) + "}", "\x38\x40"));
  WriteFile(
      in_ + "/" + kSecond,
      Safetensors("{" + Entry("l.weight_scale_inv", "F32", "1,1", 0, 4) + "}", Bytes<float>({2})));
  WriteIndex({{"l.weight", kFirst}, {"l.weight_scale_inv", kSecond}}, "6");
  ExpectRefusal(StatusCode::kBadInput,
                {kFirst + ": ", "'l.weight'", "'l.weight_scale_inv'", "--ignore-scales"});
  TensorFilesRequest ignoring = To(FormatId::kBfloat16);
  ignoring.ignore_scales = true;
  EXPECT_TRUE(Cast(ignoring).ok());
  // Of one shard alone neither is seen to belong to anything, which is said.
  for (const std::string& shard : {kFirst, kSecond}) {
    TensorFilesRequest alone = To(FormatId::kFloat16);
    alone.input = in_ + "/" + shard;
    for (const bool ignore : {false, true}) {
      out_ = folder_.Path(ignore ? "ignored-" + shard : shard);
      alone.ignore_scales = ignore;
      const Result<TensorFilesResult> result = Cast(alone);
      ASSERT_TRUE(result.ok()) << result.status().message();
      EXPECT_EQ(AnyHas(result->warnings, "one of several shards"), !ignore) << shard;
    }
  }
}

// ---- Index and folder ---------------------------------------------------------------------------

TEST_F(Shards, MalformedIndexesAreRefused) {
  for (const auto& [text, word] : std::map<std::string, std::string>{
           {"", "not JSON"},
           {"[]", "it is a list"},
           {"7", "no object"},
           {"{}", "no weight_map"},
           {"{\"weight_map\": []}", "is a list"},
           {"{\"weight_map\": 7}", "name of a shard is expected"},
           {"{\"weight_map\": {\"a\": 7}}", "gives 7 for 'a'"},
           {"{\"weight_map\": {\"a\": {}}}", "gives an object for 'a'"},
           {"{\"weight_map\": {\"a\": \"x.safetensors\", \"a\": \"y.safetensors\"}}",
            "'a' stands twice"},
           {"{\"weight_map\": {}, \"weight_map\": {}}", "'weight_map' stands twice"},
           {"{\"weight_map\": {}} x", "not JSON"},
           {"version https://git-lfs.github.com/spec/v1\n", "git-lfs"},
           {"{\"weight_map\": {\"\xff\": \"x\"}}", "UTF-8"}}) {
    WriteFile(in_ + "/" + kIndex, text);
    ExpectRefusal(StatusCode::kBadInput, {kIndex, word});
  }
}

TEST_F(Shards, ATensorInTwoShardsIsRefused) {
  WriteFile(in_ + "/" + kSecond, ReadFile(in_ + "/" + kFirst));
  ExpectRefusal(StatusCode::kBadInput, {"'a' is in two shards", kFirst, kSecond});
}

TEST_F(Shards, FoldersWithoutAnIndex) {
  fs::remove(in_ + "/" + kIndex);
  const Result<TensorFilesResult> result = Cast();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(AnyHas(result->warnings, "no index"));
  std::map<std::string, std::string> expected = expected_;
  expected.erase(kIndex);
  EXPECT_EQ(FilesIn(out_), expected);
  fs::remove_all(out_);
  fs::remove(in_ + "/" + kFirst);
  fs::remove(in_ + "/" + kSecond);
  ExpectRefusal(StatusCode::kBadInput, {"no .safetensors file"});
}

TEST_F(Shards, SeveralIndexesAreNotChosenAmong) {
  WriteFile(in_ + "/model.fp16.safetensors.index.json", "{}");
  ExpectRefusal(StatusCode::kUsage, {"several indexes", "model.fp16"});
}

TEST_F(Shards, LinksAreNotFollowedOutOfTheFolder) {
  const std::string outside = folder_.Path("outside.safetensors");
  fs::rename(in_ + "/" + kFirst, outside);
  fs::create_symlink(outside, in_ + "/" + kFirst);
  ExpectRefusal(StatusCode::kBadInput, {kFirst, "symbolic link"});
  fs::remove(in_ + "/" + kFirst);
  fs::rename(outside, in_ + "/real.bin");
  fs::create_symlink("real.bin", in_ + "/" + kFirst);
  fs::create_symlink("/etc/hostname", in_ + "/host");
  const Result<TensorFilesResult> result = Cast();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(AnyHas(result->warnings, "host: is a symbolic link out of its folder"));
  EXPECT_EQ(FilesIn(out_)[kFirst], expected_[kFirst]);
  EXPECT_FALSE(FilesIn(out_).contains("host"));
}

// A pipe in the place of a shard or an index would be waited for without end.
TEST_F(Shards, OnlyRegularFilesAreOpened) {
  for (const std::string& name : {kFirst, std::string("model.safetensors.index.json")}) {
    const std::string kept = ReadFile(in_ + "/" + name);
    fs::remove(in_ + "/" + name);
    ASSERT_EQ(mkfifo((in_ + "/" + name).c_str(), 0600), 0);
    ExpectRefusal(StatusCode::kBadInput, {name, "no regular file"});
    fs::remove(in_ + "/" + name);
    fs::create_directory(in_ + "/" + name);
    ExpectRefusal(StatusCode::kBadInput, {name, "no regular file"});
    fs::remove(in_ + "/" + name);
    WriteFile(in_ + "/" + name, kept);
  }
}

TEST_F(Shards, FilesThatCannotBeReadAreRefusedBeforeAnythingIsWritten) {
  fs::permissions(in_ + "/config.json", fs::perms::none);
  const bool drops = geteuid() == 0;
  fs::permissions(folder_.path(), fs::perms::all);
  // Permission bits do not stop root.
  if (drops && seteuid(65534) != 0) GTEST_SKIP() << "cannot become an ordinary user";
  ExpectRefusal(StatusCode::kBadInput, {"config.json", "permission denied"});
  if (drops) {
    ASSERT_EQ(seteuid(0), 0);
  }
}

TEST_F(Shards, InputAndOutputAreApart) {
  TensorFilesRequest request = To(FormatId::kBfloat16);
  request.force = true;
  for (const std::string& place :
       {in_, in_ + "/", in_ + "/inner", in_ + "/assets", folder_.path()}) {
    out_ = place;
    ExpectRefusal(StatusCode::kUsage, {"one is in the other"}, request);
  }
}

TEST_F(Shards, ALinkIsNotReplacedByAFolder) {
  for (const std::string target : {"real", "nowhere"}) {
    if (target == "real") fs::create_directory(folder_.Path(target));
    out_ = folder_.Path("link-to-" + target);
    fs::create_directory_symlink(folder_.Path(target), out_);
    ExpectRefusal(StatusCode::kNotWritten, {"is a symbolic link"});
  }
}

TEST_F(Shards, AnExistingFolderIsReplacedOnlyByForceAndWithoutLoss) {
  fs::create_directory(out_);
  ASSERT_TRUE(Cast().ok());  // an empty folder is no loss
  ExpectRefusal(StatusCode::kNotWritten, {"model-bf16: exists", "--force"});
  TensorFilesRequest request = To(FormatId::kBfloat16);
  request.force = true;
  WriteFile(out_ + "/notes.txt", "mine");
  ExpectRefusal(StatusCode::kNotWritten, {"holds notes.txt"}, request);
  EXPECT_EQ(ReadFile(out_ + "/notes.txt"), "mine");
  fs::remove(out_ + "/notes.txt");
  WriteFile(out_ + "/" + kFirst, "old");
  ASSERT_TRUE(Cast(request).ok());
  EXPECT_EQ(FilesIn(out_), expected_);
  EXPECT_EQ(folder_.Names(), (std::set<std::string>{"model", "model-bf16"}));
}

TEST_F(Shards, AllShardsGoIntoOneFile) {
  out_ = folder_.Path("all.safetensors");
  ASSERT_TRUE(Cast().ok());
  EXPECT_EQ(
      ReadFile(out_),
      Safetensors("{\"__metadata__\":{\"format\":\"pt\"}," + Entry("ids", "I64", "1", 0, 8) + "," +
                      Entry("a", "BF16", "2", 8, 12) + "," + Entry("b", "BF16", "1", 12, 14) + "}",
                  Bytes<std::int64_t>({7}) + Bytes<std::uint16_t>({0x3f80, 0x4000, 0x4040})));
}

// A folder unless its name is that of a file; never something that the name does not say.
TEST_F(Shards, TheOutputsNameSaysWhatItIs) {
  TensorFilesRequest one = To(FormatId::kBfloat16);
  one.include = {"b"};
  for (const std::string name : {"b.npy", "b.bin", "b.BIN"}) {
    out_ = folder_.Path(name);
    ASSERT_TRUE(Cast(one).ok()) << name;
    EXPECT_TRUE(ReadFile(out_).ends_with("\x40\x40")) << name;
    ExpectRefusal(StatusCode::kUsage, {"holds one tensor"}, To(FormatId::kBfloat16));
    fs::remove(out_);
  }
  for (const std::string name : {"all.pt", "all.onnx", "all.gguf", "index.json"}) {
    out_ = folder_.Path(name);
    ExpectRefusal(StatusCode::kUsage, {name}, one);
    EXPECT_FALSE(fs::exists(out_)) << name;
  }
  for (const std::string name : {"model-v1.5", "plain", "dots.bin/", "there.bin"}) {
    out_ = folder_.Path(name);
    if (name == "there.bin") fs::create_directory(out_);
    ASSERT_TRUE(Cast(one).ok()) << name;
    EXPECT_TRUE(fs::exists(out_ + "/" + kFirst)) << name;
  }
}

TEST_F(Shards, AShardIsNeverWrittenOver) {
  TensorFilesRequest request = To(FormatId::kFloat8E5m2);  // whatever else is wrong with it
  request.force = true;
  request.profile = "ascend950";
  out_ = in_ + "/" + kFirst;
  ExpectRefusal(StatusCode::kUsage, {"one of the shards"}, request);
  out_ = in_;
  ExpectRefusal(StatusCode::kUsage, {"one is in the other"}, request);
}

TEST_F(Shards, APlanWritesNothing) {
  TensorFilesRequest request = To(FormatId::kBfloat16);
  request.plan_only = true;
  const std::set<std::string> before = folder_.Names();
  const Result<TensorFilesResult> result = Cast(request);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->bytes_after, 14U);
  EXPECT_EQ(folder_.Names(), before);
}

// ---- Stops --------------------------------------------------------------------------------------

TEST_F(Shards, AStopBeforeTheFirstShardLeavesNothing) {
  ExpectRefusal(StatusCode::kNotWritten, {"stopped"}, StopAt(1));
}

TEST_F(Shards, AStoppedRunIsGoneOnWith) {
  Result<TensorFilesResult> stopped = Cast(StopAt(12));
  ASSERT_FALSE(stopped.ok());
  ExpectStatus(stopped.status(), StatusCode::kNotWritten,
               {kSecond, "stopped", "1 of 2 shards", "--resume"});
  EXPECT_FALSE(fs::exists(out_));
  // Without --resume it is not thrown away.
  ExpectRefusal(StatusCode::kNotWritten, {"--resume", "--force"});
  // Other options or inputs are another run.
  TensorFilesRequest other = To(FormatId::kFloat16);
  other.resume = true;
  ExpectRefusal(StatusCode::kUsage, {"other options"}, other);
  TensorFilesRequest uncounted = To(FormatId::kBfloat16);  // its records would hold no counts
  uncounted.resume = true;
  uncounted.counts = false;
  ExpectRefusal(StatusCode::kUsage, {"other options"}, uncounted);
  const fs::path done = fs::path(Work()) / "files" / kFirst;
  const auto written = fs::last_write_time(done);
  TensorFilesRequest resume = To(FormatId::kBfloat16);
  resume.resume = true;
  const Result<TensorFilesResult> result = Cast(resume);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->resumed, 1U);
  EXPECT_EQ(result->counts.exact, 3U);  // those of the first run, too
  EXPECT_EQ(FilesIn(out_), expected_);
  EXPECT_EQ(fs::last_write_time(fs::path(out_) / kFirst), written);
  EXPECT_EQ(folder_.Names(), (std::set<std::string>{"model", "model-bf16"}));
}

// What a shard's record holds are the statistics of the run that wrote it.
TEST_F(Shards, AResumedRunReportsWhatTheFirstMeasured) {
  TensorFilesRequest whole = To(FormatId::kBfloat16);
  whole.measure = true;
  const Result<TensorFilesResult> expected = Cast(whole);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  fs::remove_all(out_);
  for (const bool measured : {true, false}) {
    TensorFilesRequest stop = StopAt(12);
    stop.measure = measured;
    ASSERT_FALSE(Cast(stop).ok());
    TensorFilesRequest resume = whole;
    resume.resume = true;
    const Result<TensorFilesResult> result = Cast(resume);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->resumed, measured ? 1U : 0U);  // else the shard is cast anew
    ASSERT_EQ(result->tensors.size(), expected->tensors.size());
    for (std::size_t i = 0; i < result->tensors.size(); ++i) {
      const Statistics& got = result->tensors[i].statistics;
      const Statistics& want = expected->tensors[i].statistics;
      EXPECT_EQ(got.elements, want.elements);
      EXPECT_EQ(got.exponents, want.exponents);
      EXPECT_EQ(got.source_squares, want.source_squares);
      EXPECT_EQ(got.least, want.least);
      EXPECT_EQ(got.worst, want.worst);
    }
    fs::remove_all(out_);
  }
}

// A refusal that would come again leaves nothing to go on with.
TEST_F(Shards, AStrictRefusalLeavesNothing) {
  WriteFile(in_ + "/" + kSecond, Safetensors("{" + Entry("b", "F32", "1", 0, 4) + "," +
                                                 Entry("ids", "I64", "1", 4, 12) + "}",
                                             Bytes<float>({1e9}) + Bytes<std::int64_t>({7})));
  TensorFilesRequest strict = To(FormatId::kFloat16);
  strict.strict = true;
  ExpectRefusal(StatusCode::kBadInput, {kSecond, "tensor 'b'", "element 0"}, strict);
}

TEST_F(Shards, AFolderThatIsNotThere) {
  TensorFilesRequest request = To(FormatId::kBfloat16);
  request.input = folder_.Path("modle/");
  EXPECT_TRUE(AreTensorFiles(request.input, out_));
  ExpectRefusal(StatusCode::kBadInput, {"modle", "no such file"}, request);
}

TEST_F(Shards, AShardOfAnotherSizeIsMadeAnew) {
  ASSERT_FALSE(Cast(StopAt(12)).ok());
  WriteFile(Work() + "/files/" + kFirst, "short");
  TensorFilesRequest resume = To(FormatId::kBfloat16);
  resume.resume = true;
  const Result<TensorFilesResult> result = Cast(resume);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->resumed, 0U);
  EXPECT_EQ(FilesIn(out_), expected_);
}

TEST_F(Shards, AChangedInputIsAnotherRun) {
  ASSERT_FALSE(Cast(StopAt(12)).ok());
  fs::last_write_time(in_ + "/" + kFirst, fs::file_time_type::clock::now() + std::chrono::hours(1));
  TensorFilesRequest resume = To(FormatId::kBfloat16);
  resume.resume = true;
  ExpectRefusal(StatusCode::kUsage, {"other inputs"}, resume);
  resume.force = true;
  const Result<TensorFilesResult> result = Cast(resume);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->resumed, 0U);
}

TEST_F(Shards, TwoRunsDoNotWriteOneFolder) {
  TensorFilesRequest request = To(FormatId::kBfloat16);
  Status second;
  request.tensor_progress = [&](const TensorProgress&) {
    if (second.ok()) {
      TensorFilesRequest other = To(FormatId::kBfloat16);
      other.force = true;
      second = Cast(other).status();
    }
    return true;
  };
  ASSERT_TRUE(Cast(request).ok());
  ExpectStatus(second, StatusCode::kNotWritten, {"another run"});
  EXPECT_EQ(FilesIn(out_), expected_);
}

}  // namespace
}  // namespace exactcast
