// SPDX-License-Identifier: Apache-2.0
//
// .safetensors files: the recipes of the format's rules, what is written, formats by name, and that
// no header crashes the reader.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "exactcast/spec/format.h"
#include "exactcast/tensor_files.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/safetensors_recipe.h"
#include "tests/support/sha256.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_cast.h"

namespace exactcast {
namespace {

using support::Bytes;
using support::Entry;
using support::ExpectFile;
using support::ExpectRefusal;
using support::Keep;
using support::Safetensors;
using support::To;
using support::UnpaddedSafetensors;

support::TensorRun Cast(const std::string& bytes, const TensorFilesRequest& request,
                        const std::string& out = "out.safetensors") {
  return support::CastTensors(bytes, request, "in.safetensors", out);
}

void ExpectRecipe(const std::string& file, std::size_t size, const std::string& sha256) {
  EXPECT_EQ(file.size(), size);
  EXPECT_EQ(support::Sha256(file).substr(0, 16), sha256);
}

void ExpectBadInput(const std::string& file, const std::vector<std::string>& words) {
  ExpectRefusal(Cast(file, To(FormatId::kBfloat16)), StatusCode::kBadInput, words);
  ExpectRefusal(Cast(file, Keep()), StatusCode::kBadInput, words);
}

const std::string kOneTwo = Bytes<float>({1, 2});
const std::string kMeta = R"("__metadata__":{"format":"pt"},)";

// ---- Recipes ------------------------------------------------------------------------------------

TEST(SafetensorsRecipe, MetadataIsKept) {  // S01
  const std::string file = Safetensors("{" + kMeta + Entry("w", "F32", "2", 0, 8) + "}", kOneTwo);
  ExpectRecipe(file, 104, "3622b7c0d5cbdea5");
  ExpectFile(Cast(file, Keep()), file);
  ExpectFile(Cast(file, To(FormatId::kBfloat16)),
             Safetensors("{" + kMeta + Entry("w", "BF16", "2", 0, 4) + "}",
                         Bytes<std::uint16_t>({0x3f80, 0x4000})));
}

TEST(SafetensorsRecipe, UnalignedDataAreRead) {  // S02
  const std::string file = UnpaddedSafetensors(
      "{" + Entry("a", "U8", "3", 0, 3) + "," + Entry("b", "F32", "1", 3, 7) + "}",
      "\1\2\3" + Bytes<float>({1.5}));
  ExpectRecipe(file, 121, "31cd25cbbbcc9e6f");
  ExpectFile(
      Cast(file, To(FormatId::kFloat64)),
      Safetensors("{" + Entry("b", "F64", "1", 0, 8) + "," + Entry("a", "U8", "3", 8, 11) + "}",
                  Bytes<double>({1.5}) + "\1\2\3"));
}

const std::vector<std::pair<std::string, std::uint64_t>> kAllDtypes = {
    {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
    {"I64", 64},        {"U64", 64}};

std::string FileOfAllDtypes() {
  std::string text = "{";
  std::uint64_t begin = 0;
  for (const auto& [name, bits] : kAllDtypes) {
    text += (begin == 0 ? "" : ",") + Entry("t_" + name, name, "8", begin, begin + bits);
    begin += bits;
  }
  return Safetensors(text + "}", std::string(begin, '\0'));
}

TEST(SafetensorsRecipe, EveryDtypeIsRead) {  // S03
  const std::string file = FileOfAllDtypes();
  ExpectRecipe(file, 1896, "7d0fc9cd1e5f25b9");
  const support::TensorRun run = Cast(file, To(FormatId::kFloat32));
  ASSERT_TRUE(run.result.ok()) << run.result.status().message();
  ASSERT_EQ(run.result->tensors.size(), kAllDtypes.size());
  for (const TensorOutcome& t : run.result->tensors) {
    const bool is_f6 = t.name.find("F6_") != std::string::npos;
    const bool is_float = t.name.find("_F") != std::string::npos || t.name == "t_BF16";
    EXPECT_EQ(t.cast, is_float && !is_f6 && t.name != "t_F32") << t.name;
    EXPECT_EQ(t.elements, 8U) << t.name;
  }
  EXPECT_TRUE(support::AnyHas(run.result->warnings, "t_F6_E2M3"));
  // The zeros of e8m0 are 2^-127, a float32 subnormal.
  EXPECT_NE(run.bytes.find(Bytes<std::uint32_t>({0x400000, 0x400000, 0x400000, 0x400000})),
            std::string::npos);
  // Kept as they are, all tensors only change their order: the widest first.
  const support::TensorRun kept = Cast(file, Keep());
  ASSERT_TRUE(kept.result.ok());
  EXPECT_LT(kept.bytes.find("t_U64"), kept.bytes.find("t_I64"));
  EXPECT_LT(kept.bytes.find("t_F6_E3M2"), kept.bytes.find("t_F6_E2M3"));
  EXPECT_LT(kept.bytes.find("t_F4"), kept.bytes.find("t_BOOL"));
}

TEST(SafetensorsRecipe, DuplicateNamesAreRefused) {  // S04, S04b
  const std::string apart = Safetensors(
      "{" + Entry("w", "F32", "1", 0, 4) + "," + Entry("w", "F32", "1", 4, 8) + "}", kOneTwo);
  ExpectRecipe(apart, 128, "edde537e7ef370bd");
  ExpectBadInput(apart, {"in.safetensors", "'w' stands twice"});
  const std::string same =
      Safetensors("{" + Entry("w", "F32", "1", 0, 4) + "," + Entry("w", "I32", "1", 0, 4) + "}",
                  Bytes<float>({1}));
  ExpectRecipe(same, 124, "2a4942fa7cb43518");
  ExpectBadInput(same, {"'w' stands twice"});
}

TEST(SafetensorsRecipe, HolesAreRefused) {  // S05
  const std::string file =
      Safetensors("{" + Entry("a", "F32", "1", 0, 4) + "," + Entry("b", "F32", "1", 8, 12) + "}",
                  Bytes<float>({1, 0, 2}));
  ExpectRecipe(file, 132, "370aee818b10fe13");
  ExpectBadInput(file, {"bytes 4 to 8", "'b'", "no tensor"});
}

TEST(SafetensorsRecipe, OverlapsAreRefused) {  // S06
  const std::string file =
      Safetensors("{" + Entry("a", "F32", "2", 0, 8) + "," + Entry("b", "F32", "2", 4, 12) + "}",
                  Bytes<float>({1, 2, 3}));
  ExpectRecipe(file, 132, "c4ea4dbf0e69287b");
  ExpectBadInput(file, {"'a' (bytes 0 to 8)", "'b' (4 to 12)", "overlap"});
}

TEST(SafetensorsRecipe, TooLongHeadersAreRefusedAtOnce) {  // S07, S07b
  const std::string file = support::LittleEndian64(100'000'001) + "{}";
  ExpectRecipe(file, 10, "e7a5244c52060a12");
  ExpectBadInput(file, {"100000001", "at most 100000000"});
  ExpectBadInput(support::LittleEndian64(100'000'000) + "{}",
                 {"truncated within its header", "100000008", "10"});
  ExpectBadInput("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n",
                 {"git-lfs pointer", "git lfs pull"});
  ExpectBadInput("<!DOCTYPE html><html></html>", {"web page"});
  ExpectBadInput("<html", {"at least 8 bytes, found 5", "web page"});
  ExpectBadInput("", {"at least 8 bytes, found 0"});
}

TEST(SafetensorsRecipe, TheFileEndsWhereTheDataDo) {  // S08, S09
  const std::string header = "{" + Entry("test", "I32", "2,2", 0, 16) + "}";
  const std::string truncated = Safetensors(header, std::string(14, '\0'));
  ExpectRecipe(truncated, 86, "ed41766487e0a475");
  ExpectBadInput(truncated, {"truncated", "16 bytes", "has 14"});
  const std::string longer = Safetensors(header, std::string(16, '\0') + "tail");
  ExpectRecipe(longer, 92, "f7ca7cbf318d09f0");
  ExpectBadInput(longer, {"4 bytes follow"});
}

TEST(SafetensorsRecipe, PackedElementsFillWholeBytes) {  // S10, S10b
  const std::string odd = Safetensors("{" + Entry("w", "F4", "1,3", 0, 2) + "}", "\x21\x03");
  ExpectRecipe(odd, 66, "4357e90801f5a34e");
  ExpectBadInput(odd, {"'w'", "12 bits", "whole number of bytes"});
  const std::string even = Safetensors("{" + Entry("w", "F4", "1,4", 0, 2) + "}", "\x71\x4a");
  ExpectRecipe(even, 66, "5f267645e82dbcf9");
  ExpectFile(
      Cast(even, To(FormatId::kFloat32)),
      Safetensors("{" + Entry("w", "F32", "1,4", 0, 16) + "}", Bytes<float>({0.5, 6, -1, 2})));
}

TEST(SafetensorsRecipe, ScalarsAndEmptyTensors) {  // S11
  const std::string file =
      Safetensors("{" + Entry("s", "F32", "", 0, 4) + "," + Entry("z", "I32", "2,0", 4, 4) + "}",
                  Bytes<float>({7}));
  ExpectRecipe(file, 124, "78c79eab71792d86");
  ExpectFile(Cast(file, Keep()), file);
  const support::TensorRun run = Cast(file, To(FormatId::kFloat16));
  ASSERT_TRUE(run.result.ok());
  EXPECT_EQ(run.result->counts.exact, 1U);
}

TEST(SafetensorsRecipe, WhiteSpaceBeforeTheHeader) {  // S12
  const std::string file = UnpaddedSafetensors("\t\n{}", "");
  ExpectRecipe(file, 12, "d0a18b7f75e4b22b");
  const support::TensorRun run = Cast(file, Keep());
  ExpectFile(run, Safetensors("{}", ""));
  EXPECT_TRUE(support::AnyHas(run.result->warnings, "does not begin with {"));
}

TEST(SafetensorsRecipe, UnknownDtypesAreRefused) {  // S13
  const std::string file =
      Safetensors("{" + Entry("w", "F128", "1", 0, 16) + "}", std::string(16, '\0'));
  ExpectRecipe(file, 80, "a47b70d37a369fe6");
  ExpectBadInput(file, {"'w'", "F128", "BF16", "F8_E4M3FNUZ"});
}

TEST(SafetensorsRecipe, MetadataAreStrings) {  // S14
  const std::string file =
      Safetensors(R"({"__metadata__":{"v":1},)" + Entry("w", "U8", "1", 0, 1) + "}", "\1");
  ExpectRecipe(file, 89, "cdca24e349c4e8b4");
  ExpectBadInput(file, {"__metadata__", "'v'", "must be strings"});
}

TEST(SafetensorsRecipe, SizesAgree) {  // S15, S16
  const std::string small =
      Safetensors("{" + Entry("test", "I32", "2,2", 0, 4) + "}", std::string(4, '\0'));
  ExpectRecipe(small, 76, "71dacc6f1dec2cc2");
  ExpectBadInput(small, {"'test'", "(2, 2)", "16 bytes", "give 4"});
  const std::string large = Safetensors(
      "{" + Entry("test", "I32", "2,18446744073709551614", 0, 16) + "}", std::string(16, '\0'));
  ExpectRecipe(large, 104, "684426412245acc5");
  ExpectBadInput(large, {"'test'", "larger than can be counted"});
}

TEST(SafetensorsRecipe, TheOrderOfTheHeaderIsFree) {  // S17
  const std::string file = Safetensors(
      "{" + Entry("b", "F32", "1", 4, 8) + "," + Entry("a", "F32", "1", 0, 4) + "}", kOneTwo);
  ExpectRecipe(file, 128, "de8baa863ca09810");
  const support::TensorRun run = Cast(file, Keep());
  ExpectFile(run, Safetensors(
                      "{" + Entry("a", "F32", "1", 0, 4) + "," + Entry("b", "F32", "1", 4, 8) + "}",
                      kOneTwo));
  EXPECT_EQ(run.result->tensors[0].name, "b");
}

TEST(SafetensorsRecipe, BytesOfBool) {  // S18
  const std::string file =
      Safetensors("{" + Entry("m", "BOOL", "3", 0, 3) + "}", std::string("\0\1\2", 3));
  ExpectRecipe(file, 67, "d14a32469a75a49e");
  ExpectFile(Cast(file, To(FormatId::kFloat16)), file);  // kept, the byte 2 too
  TensorFilesRequest all = To(FormatId::kFloat16);
  all.only_floating = false;
  const support::TensorRun run = Cast(file, all);
  ExpectFile(run, Safetensors("{" + Entry("m", "F16", "3", 0, 6) + "}",
                              Bytes<std::uint16_t>({0, 0x3c00, 0x3c00})));
  EXPECT_TRUE(support::AnyHas(run.result->warnings, "'m': element 2 is the byte 2"));
}

// ---- Headers ------------------------------------------------------------------------------------

TEST(SafetensorsHeader, MalformedHeadersAreRefusedByWhatIsWrong) {
  const std::string four(4, '\0');
  const auto entry = [&](const std::string& fields) {
    return Safetensors("{\"w\":{" + fields + "}}", four);
  };
  const std::string dtype = R"("dtype":"F32")";
  const std::string shape = R"("shape":[1])";
  const std::string offsets = R"("data_offsets":[0,4])";
  ExpectBadInput(entry(shape + "," + offsets), {"'w'", "lacks dtype"});
  ExpectBadInput(entry(dtype + "," + offsets), {"'w'", "lacks shape"});
  ExpectBadInput(entry(dtype + "," + shape), {"'w'", "lacks data_offsets"});
  ExpectBadInput(entry(dtype + "," + shape + "," + offsets + "," + dtype),
                 {"'w'", "'dtype' stands twice"});
  ExpectBadInput(entry(dtype + "," + shape + "," + offsets + "," + shape),
                 {"'w'", "'shape' stands twice"});
  ExpectBadInput(entry(dtype + "," + shape + "," + offsets + R"(,"x":1,"x":2)"),
                 {"'w'", "'x' stands twice"});
  ExpectBadInput(entry(R"("dtype":4,)" + shape + "," + offsets), {"dtype is 4", "a string"});
  ExpectBadInput(entry(dtype + R"(,"shape":1,)" + offsets), {"shape is 1"});
  ExpectBadInput(entry(dtype + R"(,"shape":[-1],)" + offsets), {"shape holds -1"});
  ExpectBadInput(entry(dtype + R"(,"shape":[1.0],)" + offsets), {"shape holds 1.0"});
  ExpectBadInput(entry(dtype + R"(,"shape":[99999999999999999999],)" + offsets), {"shape holds"});
  ExpectBadInput(entry(dtype + R"(,"shape":[[1]],)" + offsets), {"shape holds a list"});
  ExpectBadInput(entry(dtype + "," + shape + R"(,"data_offsets":[4])"), {"exactly two"});
  ExpectBadInput(entry(dtype + "," + shape + R"(,"data_offsets":[0,4,4])"), {"exactly two"});
  ExpectBadInput(entry(dtype + "," + shape + R"(,"data_offsets":[])"), {"exactly two"});
  ExpectBadInput(entry(dtype + "," + shape + R"(,"data_offsets":[4,0])"), {"'w'", "end at 0"});
  ExpectBadInput(Safetensors("[]", ""), {"{...}"});
  ExpectBadInput(Safetensors("7", ""), {"{...}"});
  ExpectBadInput(Safetensors(R"({"w":7})", ""), {"an object"});
  ExpectBadInput(Safetensors(R"({"__metadata__":{"a":"1","a":"2"}})", ""), {"'a' stands twice"});
  ExpectBadInput(Safetensors(R"({"__metadata__":{},"__metadata__":{}})", ""), {"stands twice"});
  ExpectBadInput(Safetensors(R"({"__metadata__":7})", ""), {"an object"});
  ExpectBadInput(Safetensors("{", ""), {"not JSON"});
  ExpectBadInput(Safetensors("{}}", ""), {"not JSON"});
  ExpectBadInput(Safetensors(std::string("{}\0{}", 5), ""), {"byte 2 of it is zero"});
  ExpectBadInput(Safetensors("\xef\xbb\xbf{}", ""), {"byte order mark"});
  ExpectBadInput(Safetensors("{\"\xff\":1}", ""), {"not UTF-8"});
  ExpectBadInput(Safetensors("{\"\xc0\xaf\":1}", ""), {"not UTF-8"});
  ExpectBadInput(Safetensors("{\"\xed\xa0\x80\":1}", ""), {"not UTF-8"});
  ExpectBadInput(support::LittleEndian64(3) + "{}", {"truncated within its header", "11", "10"});
}

TEST(SafetensorsHeader, UnknownFieldsOfAnEntryAreReported) {
  const std::string file =
      Safetensors(R"({"w":{"x":[{"y":[]}],"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                  Bytes<float>({1}));
  const support::TensorRun run = Cast(file, Keep());
  ExpectFile(run, Safetensors("{" + Entry("w", "F32", "1", 0, 4) + "}", Bytes<float>({1})));
  EXPECT_TRUE(support::AnyHas(run.result->warnings, "unknown field 'x'"));
}

TEST(SafetensorsHeader, DeepNestingIsNoRecursion) {
  const std::string deep(1 << 20, '[');
  ExpectBadInput(Safetensors(R"({"w":{"x":)" + deep, ""), {"not JSON"});
}

// Every byte of a header in turn becomes something else: the file is read, or refused under its
// name, with what to do.
TEST(SafetensorsHeader, EveryMutationIsReadOrRefused) {
  const std::string file = Safetensors(
      "{" + kMeta + Entry("a", "F32", "2", 0, 8) + "," + Entry("b", "U8", "3", 8, 11) + "}",
      std::string(11, '\1'));
  const support::TemporaryFolder folder;
  std::mt19937 random(7);
  for (std::size_t i = 0; i < file.size() - 11; ++i) {
    for (const char c : std::string("\0{}[]\",:0-9e\xff\x7f", 15)) {
      std::string mutated = file;
      mutated[i] = c;
      if (random() % 4 == 0) mutated.erase(random() % mutated.size(), 1);
      TensorFilesRequest request = To(FormatId::kFloat16);
      request.input = folder.File("in.safetensors", mutated);
      request.output = folder.Path("out.safetensors");
      request.sync = false;
      const Result<TensorFilesResult> result = CastTensorFiles(request);
      if (!result.ok()) {
        const std::string& message = result.status().message();
        EXPECT_EQ(result.status().code(), StatusCode::kBadInput) << message;
        EXPECT_TRUE(message.starts_with(request.input + ": ")) << message;
        EXPECT_TRUE(message.ends_with(" again") ||
                    message.find("not a .safetensors file") != std::string::npos)
            << message;
      }
      std::filesystem::remove(request.output);  // replacing a file would wait for the disk
      std::filesystem::remove(request.input);
    }
  }
}

// ---- What is written ----------------------------------------------------------------------------

// dtype (the widest first), then name, by bytes.
TEST(SafetensorsWriter, TensorsAreInTheReferenceOrder) {
  const std::string file = Safetensors(
      "{" + Entry("a", "F16", "1", 0, 2) + "," + Entry("B", "F16", "1", 2, 4) + "," +
          Entry("c", "I64", "1", 4, 12) + "," + Entry("\xc3\xa4", "F16", "1", 12, 14) + "}",
      "AABBCCCCCCCCDD");
  ExpectFile(Cast(file, Keep()),
             Safetensors("{" + Entry("c", "I64", "1", 0, 8) + "," + Entry("B", "F16", "1", 8, 10) +
                             "," + Entry("a", "F16", "1", 10, 12) + "," +
                             Entry("\xc3\xa4", "F16", "1", 12, 14) + "}",
                         "CCCCCCCCBBAADD"));
}

TEST(SafetensorsWriter, NamesAreEscapedAsTheyWere) {
  const std::string name = R"(q\"b\\s\n\u0001\u007f)";
  const std::string written = "q\\\"b\\\\s\\n\\u0001\x7f";
  ExpectFile(
      Cast(Safetensors("{" + Entry(name, "F32", "1", 0, 4) + "}", Bytes<float>({1})), Keep()),
      Safetensors("{" + Entry(written, "F32", "1", 0, 4) + "}", Bytes<float>({1})));
}

// Every format can be written, and is read back with all its codes, format and shape.
TEST(SafetensorsWriter, EveryFormatComesBackByItsName) {
  const std::string values = Bytes<float>({0, 1, 2, 3, 1, 0, 2, 1, 3, 0, 1, 2, 1, 0, 1});
  const std::string file = Safetensors("{" + kMeta + Entry("w", "F32", "3,5", 0, 60) + "}", values);
  for (const Format& format : kFormats) {
    if (format.use != Use::kCast || format.id == FormatId::kFloat32) continue;
    TensorFilesRequest there = To(format.id);
    const support::TensorRun run = Cast(file, there);
    ASSERT_TRUE(run.result.ok()) << format.name << ": " << run.result.status().message();
    EXPECT_NE(run.bytes.find(R"("format":"pt")"), std::string::npos);
    TensorFilesRequest back = To(FormatId::kFloat32);
    back.only_floating = false;
    const support::TensorRun again = Cast(run.bytes, back);
    ASSERT_TRUE(again.result.ok()) << format.name << ": " << again.result.status().message();
    EXPECT_EQ(again.result->tensors[0].from, format.name);
    EXPECT_EQ(again.result->tensors[0].shape, (std::vector<std::uint64_t>{3, 5})) << format.name;
    // The names of formats are gone with the formats.
    const bool exact = run.result->counts.exact == 15 || format.kind == Kind::kComplex;
    if (exact) {
      EXPECT_EQ(again.bytes, file) << format.name;
    }
    EXPECT_EQ(again.bytes.find("exactcast"), std::string::npos) << format.name;
    // And a copy of the file is the file.
    ExpectFile(Cast(run.bytes, Keep()), run.bytes);
  }
}

TEST(SafetensorsWriter, FormatsWithoutADtypeAreNamedBytes) {
  const std::string file =
      Safetensors("{" + Entry("w", "F32", "2,2", 0, 16) + "}", Bytes<float>({1, 2, -1, 0}));
  ExpectFile(Cast(file, To(FormatId::kHifloat8)),
             Safetensors(R"({"__metadata__":{"exactcast.format.w":"hifloat8"},)" +
                             Entry("w", "U8", "2,2", 0, 4) + "}",
                         std::string("\x08\x10\x88\x00", 4)));
  const support::TensorRun packed = Cast(file, To(FormatId::kFloat4E1m2));
  ASSERT_TRUE(packed.result.ok());
  EXPECT_NE(packed.bytes.find(R"("exactcast.format.w":"float4_e1m2 [2,2]")"), std::string::npos);
  EXPECT_NE(packed.bytes.find(Entry("w", "U8", "2,1", 0, 2)), std::string::npos);
}

TEST(SafetensorsWriter, NamesThatContradictTheBytesAreRefused) {
  const auto file = [](const std::string& format) {
    return Safetensors("{\"__metadata__\":{\"exactcast.format.w\":\"" + format + "\"}," +
                           Entry("w", "U8", "3", 0, 3) + "}",
                       "abc");
  };
  ExpectFile(Cast(file("hifloat8"), Keep()), file("hifloat8"));
  for (const std::string bad : {"float9", "", "float4_e1m2", "float4_e1m2 [3]", "int2 [x]",
                                "hifloat8 [4]", "float32", "hifloat8 "}) {
    ExpectBadInput(file(bad), {"tensor 'w'"});
  }
  const support::TensorRun lost =
      Cast(Safetensors(R"({"__metadata__":{"exactcast.format.v":"hifloat8"}})", ""), Keep());
  ASSERT_TRUE(lost.result.ok());
  EXPECT_TRUE(support::AnyHas(lost.result->warnings, "'v', which is not there"));
}

TEST(SafetensorsWriter, OneTensorGoesIntoAFileOfOneArray) {
  const std::string file =
      Safetensors("{" + Entry("a", "F32", "2", 0, 8) + "," + Entry("b", "F32", "1", 8, 12) + "}",
                  Bytes<float>({1, 2, 3}));
  TensorFilesRequest request = To(FormatId::kFloat16);
  request.include = {"a"};
  ExpectFile(
      Cast(file, request, "out.npy"),
      support::CurrentNpyFile(1, "'<f2'", false, "(2,)", Bytes<std::uint16_t>({0x3c00, 0x4000})));
  request.include = {};
  ExpectRefusal(Cast(file, request, "out.npy"), StatusCode::kUsage, {"there are 2", "--include"});
}

// ---- Choosing -----------------------------------------------------------------------------------

const std::string kFour = Safetensors(
    "{" + Entry("h.0.w", "F32", "1", 0, 4) + "," + Entry("h.1.w", "F32", "1", 4, 8) + "," +
        Entry("ids", "I32", "1", 8, 12) + "," + Entry("lm_head.w", "F32", "1", 12, 16) + "}",
    Bytes<float>({1, 2, 0, 3}));

std::string CastNames(const TensorFilesRequest& request) {
  TensorFilesRequest plan = request;
  plan.plan_only = true;
  const support::TemporaryFolder folder;
  plan.input = folder.File("in.safetensors", kFour);
  const Result<TensorFilesResult> result = CastTensorFiles(plan);
  EXPECT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(folder.Names().size(), 1U);
  std::string names;
  for (const TensorOutcome& t : result->tensors) {
    if (t.cast) names += t.name + ">" + std::string(t.to) + " ";
  }
  return names;
}

TEST(TensorSelection, PatternsChoose) {
  TensorFilesRequest r = To(FormatId::kBfloat16);
  EXPECT_EQ(CastNames(r), "h.0.w>bfloat16 h.1.w>bfloat16 lm_head.w>bfloat16 ");
  r.include = {"h.*"};
  EXPECT_EQ(CastNames(r), "h.0.w>bfloat16 h.1.w>bfloat16 ");
  r.exclude = {"*.[!0].w"};
  EXPECT_EQ(CastNames(r), "h.0.w>bfloat16 ");
  r.targets = {{"lm_head.*", FormatId::kFloat16}, {"*", std::nullopt}};
  EXPECT_EQ(CastNames(r), "lm_head.w>float16 ");
  r = To(FormatId::kBfloat16);
  r.only_floating = false;
  r.include = {"i?s"};
  EXPECT_EQ(CastNames(r), "ids>bfloat16 ");
  r = Keep();
  r.targets = {{"ids", FormatId::kInt8}};
  EXPECT_EQ(CastNames(r), "ids>int8 ");
}

TEST(TensorSelection, SlipsAreReported) {
  TensorFilesRequest r = To(FormatId::kBfloat16);
  r.exclude = {"nothing.*"};
  const support::TensorRun run = Cast(kFour, r);
  ASSERT_TRUE(run.result.ok());
  EXPECT_TRUE(support::AnyHas(run.result->warnings, "--exclude 'nothing.*' matches no tensor"));
  r.exclude = {"h.[0"};
  ExpectRefusal(Cast(kFour, r), StatusCode::kUsage, {"without its ]"});
  r.exclude = {""};
  ExpectRefusal(Cast(kFour, r), StatusCode::kUsage, {"empty"});
}

TEST(TensorSelection, WhatTheProfileForbidsIsRefusedBeforeAnythingIsWritten) {
  TensorFilesRequest r = To(FormatId::kFloat8E4m3fn);
  r.profile = "ascend950";
  r.rounding = Rounding::kTowardZero;
  ExpectRefusal(Cast(kFour, r), StatusCode::kUnsupported, {"tensor 'h.0.w'", "2 more", "--plan"});
}

TEST(TensorSelection, StrictNamesTensorAndElement) {
  TensorFilesRequest r = To(FormatId::kFloat16);
  r.strict = true;
  const std::string file =
      Safetensors("{" + Entry("a", "F32", "1", 0, 4) + "," + Entry("b", "F32", "2", 4, 12) + "}",
                  Bytes<float>({1, 2, 1e6}));
  ExpectRefusal(Cast(file, r), StatusCode::kBadInput, {"tensor 'b'", "element 1"});
}

TEST(TensorSelection, AStopLeavesNothing) {
  TensorFilesRequest r = To(FormatId::kFloat16);
  r.tensor_progress = [](const TensorProgress& p) { return p.done < p.total; };
  ExpectRefusal(Cast(kFour, r), StatusCode::kNotWritten, {"stopped"});
}

// ---- Scales -------------------------------------------------------------------------------------

TEST(TensorScales, ScaledTensorsAreNotCastAsIfUnscaled) {
  for (const std::string scale : {"l.weight_scale", "l.weight_scale_inv", "l.scale_weight",
                                  "l.weight_scale_2", "l.weight_global_scale", "l.input_scale"}) {
    const std::string file = Safetensors(
        "{" + Entry(scale, "F32", "1", 0, 4) + "," + Entry("l.weight", "F8_E4M3", "2", 4, 6) + "}",
        Bytes<float>({0.5}) + "\x38\x40");
    ExpectRefusal(Cast(file, To(FormatId::kBfloat16)), StatusCode::kBadInput,
                  {"'l.weight'", "'" + scale + "'", "--ignore-scales"});
    TensorFilesRequest ignoring = To(FormatId::kBfloat16);
    ignoring.ignore_scales = true;
    const support::TensorRun run = Cast(file, ignoring);
    // The scale stays what it is.
    ExpectFile(run, Safetensors("{" + Entry(scale, "F32", "1", 0, 4) + "," +
                                    Entry("l.weight", "BF16", "2", 4, 8) + "}",
                                Bytes<float>({0.5}) + Bytes<std::uint16_t>({0x3f80, 0x4000})));
    EXPECT_EQ(run.result->tensors[0].note, "scale of 'l.weight'");
    ExpectFile(Cast(file, To(FormatId::kFloat8E4m3fn)), file);
  }
}

}  // namespace
}  // namespace exactcast
