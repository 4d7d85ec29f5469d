// SPDX-License-Identifier: Apache-2.0
//
// .npz archives: the recipes, every fault that a reader must find, and what is written.
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
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_cast.h"
#include "tests/support/zip_recipe.h"

namespace exactcast {
namespace {

using support::AnyHas;
using support::Bytes;
using support::CurrentNpyFile;
using support::Entry;
using support::ExpectFile;
using support::ExpectRefusal;
using support::Keep;
using support::To;
using support::Zip;
using support::ZipMember;

support::TensorRun Cast(const std::string& bytes, const TensorFilesRequest& request,
                        const std::string& out = "out.safetensors") {
  return support::CastTensors(bytes, request, "in.npz", out);
}

const std::string kN01 =
    CurrentNpyFile(1, "'<f4'", false, "(2, 3)", Bytes<float>({0, 1, 2, 3, 4, 5}));
const std::string kN05 = CurrentNpyFile(1, "'>f4'", false, "(2,)",
                                        std::string("\x3f\x80\0\0\xc0\x20\0\0", 8));  // 1, -2.5

// Both arrays as float64, from whatever archive.
const std::string kBothAsFloat64 = support::Safetensors(
    "{" + Entry("a", "F64", "2,3", 0, 48) + "," + Entry("sub/b", "F64", "2", 48, 64) + "}",
    Bytes<double>({0, 1, 2, 3, 4, 5, 1, -2.5}));

TEST(NpzRecipe, StoredAndDeflatedMembersAreRead) {  // P01, P02
  for (const bool deflated : {false, true}) {
    for (const bool zip64 : {false, true}) {
      const std::string file =
          Zip({{.name = "a.npy", .data = kN01, .deflated = deflated, .zip64 = zip64},
               {.name = "sub/b.npy", .data = kN05, .deflated = deflated, .zip64 = zip64}});
      ExpectFile(Cast(file, To(FormatId::kFloat64)), kBothAsFloat64);
      // Kept, big-endian elements are turned round for a container that is little-endian.
      ExpectFile(Cast(file, Keep()),
                 support::Safetensors("{" + Entry("a", "F32", "2,3", 0, 24) + "," +
                                          Entry("sub/b", "F32", "2", 24, 32) + "}",
                                      Bytes<float>({0, 1, 2, 3, 4, 5, 1, -2.5})));
    }
  }
}

TEST(NpzRecipe, OtherMembersAreKept) {  // P03
  const std::string file = Zip({{.name = "a.npy", .data = kN01},
                                {.name = "readme.txt", .data = "hello"},
                                {.name = "raw", .data = kN05, .deflated = true}});
  const support::TensorRun run = Cast(file, To(FormatId::kFloat16), "out.npz");
  ASSERT_TRUE(run.result.ok()) << run.result.status().message();
  ASSERT_EQ(run.result->tensors.size(), 3U);
  EXPECT_EQ(run.result->tensors[1].note, "it is no array");
  EXPECT_TRUE(run.result->tensors[2].cast);
  EXPECT_NE(run.bytes.find("hello"), std::string::npos);
  // A container without such members says what it leaves out.
  const support::TensorRun left = Cast(file, To(FormatId::kFloat16));
  ASSERT_TRUE(left.result.ok());
  EXPECT_TRUE(AnyHas(left.result->warnings, "'readme.txt' is no array"));
}

TEST(NpzRecipe, AnEmptyArchiveIsOne) {  // P04
  const std::string empty = Zip({});
  EXPECT_EQ(empty.size(), 22U);
  ExpectFile(Cast(empty, To(FormatId::kFloat16), "out.npz"), empty);
  ExpectFile(Cast(empty, To(FormatId::kFloat16)), support::Safetensors("{}", ""));
}

TEST(NpzRecipe, WrongChecksumsAreRefused) {  // P05
  for (const bool deflated : {false, true}) {
    const std::string file =
        Zip({{.name = "a.npy", .data = kN01},
             {.name = "b.npy", .data = kN05, .deflated = deflated, .crc_error = 1}});
    for (const std::string out : {"out.npz", "out.safetensors"}) {
      ExpectRefusal(Cast(file, To(FormatId::kFloat16), out), StatusCode::kBadInput,
                    {"in.npz", "b.npy", "CRC-32"});
      ExpectRefusal(Cast(file, Keep(), out), StatusCode::kBadInput, {"b.npy", "CRC-32"});
    }
  }
}

TEST(NpzRecipe, DuplicateMembersAreRefused) {  // P06
  for (const std::string second : {"a.npy", "a"}) {
    const std::string file = Zip({{.name = "a.npy", .data = kN01}, {.name = second, .data = kN05}});
    ExpectRefusal(Cast(file, To(FormatId::kFloat16)), StatusCode::kBadInput,
                  {"two members", "'a'", "cannot be told"});
  }
}

// ---- Faults -------------------------------------------------------------------------------------

void ExpectBadInput(const std::string& file, const std::vector<std::string>& words) {
  ExpectRefusal(Cast(file, To(FormatId::kFloat16)), StatusCode::kBadInput, words);
  ExpectRefusal(Cast(file, To(FormatId::kFloat16), "out.npz"), StatusCode::kBadInput, words);
}

TEST(NpzFaults, WhatIsNotReadIsRefusedByName) {
  ExpectBadInput(Zip({{.name = "a.npy", .data = kN01, .flags = 1}}), {"a.npy", "encrypted"});
  ExpectBadInput(Zip({{.name = "a.npy", .data = kN01, .method = 12}}), {"a.npy", "method 12"});
  ExpectBadInput(kN01, {"does not begin like a zip", ".npy file"});
  ExpectBadInput("version https://git-lfs.github.com/spec/v1\n", {"git-lfs"});
  ExpectBadInput("", {"does not begin like a zip"});
  for (const std::string name : {"../a.npy", "/a.npy", "x/../../a.npy", "c:a.npy", "x\\a.npy"}) {
    ExpectBadInput(Zip({{.name = name, .data = kN01}}), {"the name '", "refused"});
  }
  ExpectBadInput(Zip({{.name = "", .data = kN01}}), {"it is empty"});
}

TEST(NpzFaults, SizesThatDoNotAgreeAreRefused) {
  ExpectBadInput(Zip({{.name = "a.npy", .data = kN01.substr(0, kN01.size() - 2)}}),
                 {"a.npy", "expected 24 bytes of data, found 22"});
  ExpectBadInput(Zip({{.name = "a.npy", .data = kN01, .deflated = true, .size_error = 1}}),
                 {"a.npy"});
  const support::TensorRun run =
      Cast(Zip({{.name = "a.npy", .data = kN01 + "abc"}}), To(FormatId::kFloat16));
  ASSERT_TRUE(run.result.ok()) << run.result.status().message();
  EXPECT_TRUE(AnyHas(run.result->warnings, "3 bytes after the data"));
}

// 64 MiB of zeros in 64 KiB, behind a header that announces 24 bytes.
TEST(NpzFaults, AMemberThatInflatesWithoutEndIsRefused) {
  const std::string file = Zip({{.name = "a.npy",
                                 .data = kN01 + std::string(std::size_t{1} << 26, '\0'),
                                 .deflated = true}});
  EXPECT_LT(file.size(), 100'000U);
  ExpectBadInput(file, {"a.npy", "announces 24 bytes", "inflate to"});
}

TEST(NpzFaults, EveryCutAndEveryMutationIsReadOrRefused) {
  const std::string file = Zip({{.name = "a.npy", .data = kN01, .deflated = true, .zip64 = true},
                                {.name = "sub/b.npy", .data = kN05}});
  const support::TemporaryFolder folder;
  std::mt19937 random(11);
  for (std::size_t i = 0; i < 4 * file.size(); ++i) {
    std::string mutated = file;
    if (i < file.size()) {
      mutated.resize(i);
    } else {
      mutated[random() % mutated.size()] = static_cast<char>(random());
      mutated[random() % mutated.size()] ^= static_cast<char>(1 << random() % 8);
    }
    TensorFilesRequest request = To(FormatId::kFloat16);
    request.input = folder.File("in.npz", mutated);
    request.output = folder.Path("out.npz");
    request.sync = false;
    const Result<TensorFilesResult> result = CastTensorFiles(request);
    if (!result.ok()) {
      EXPECT_EQ(result.status().code(), StatusCode::kBadInput) << result.status().message();
    }
    std::filesystem::remove(request.input);
    std::filesystem::remove(request.output);
  }
}

// ---- Types --------------------------------------------------------------------------------------

TEST(NpzTypes, OpaqueMembersAreKeptUnlessTheirFormatIsSaid) {
  const std::string opaque =
      CurrentNpyFile(1, "'<V2'", false, "(3,)", Bytes<std::uint16_t>({0x3f80, 0x7f80, 1}));
  const std::string file =
      Zip({{.name = "a.npy", .data = kN01}, {.name = "w.npy", .data = opaque}});
  const support::TensorRun kept = Cast(file, To(FormatId::kFloat64), "out.npz");
  ASSERT_TRUE(kept.result.ok()) << kept.result.status().message();
  EXPECT_NE(kept.bytes.find(opaque), std::string::npos);
  EXPECT_TRUE(AnyHas(kept.result->warnings, "'w' is copied as it is"));
  EXPECT_TRUE(AnyHas(kept.result->warnings, "--from"));
  ExpectRefusal(Cast(file, To(FormatId::kFloat64)), StatusCode::kUsage, {"'w'", "--from"});
  TensorFilesRequest said = To(FormatId::kFloat64);
  said.from = FormatId::kBfloat16;
  const support::TensorRun cast = Cast(file, said);
  ASSERT_TRUE(cast.result.ok()) << cast.result.status().message();
  EXPECT_EQ(cast.result->tensors[1].from, "bfloat16");
  EXPECT_NE(cast.bytes.find(Bytes<double>({1})), std::string::npos);
}

TEST(NpzTypes, PicklesAreCopiedAndNeverOpened) {
  const std::string pickle = CurrentNpyFile(1, "'|O'", false, "(1,)", "\x80\4N.");
  const std::string file = Zip({{.name = "o.npy", .data = pickle}});
  const support::TensorRun run = Cast(file, To(FormatId::kFloat16), "out.npz");
  ASSERT_TRUE(run.result.ok());
  EXPECT_NE(run.bytes.find(pickle), std::string::npos);
  EXPECT_TRUE(AnyHas(run.result->warnings, "Python objects"));
  ExpectRefusal(Cast(file, To(FormatId::kFloat16)), StatusCode::kUsage,
                {"'o'", "Python objects", "write .npz"});
}

TEST(NpzTypes, FortranOrderIsKeptWhereItCanBe) {
  const std::string fortran =
      CurrentNpyFile(1, "'<f4'", true, "(2, 3)", Bytes<float>({0, 3, 1, 4, 2, 5}));
  const std::string file = Zip({{.name = "a.npy", .data = fortran}});
  const support::TensorRun run = Cast(file, To(FormatId::kFloat64), "out.npz");
  ASSERT_TRUE(run.result.ok());
  EXPECT_NE(
      run.bytes.find(CurrentNpyFile(1, "'<f8'", true, "(2, 3)", Bytes<double>({0, 3, 1, 4, 2, 5}))),
      std::string::npos);
  ExpectRefusal(Cast(file, To(FormatId::kFloat64)), StatusCode::kBadInput,
                {"'a'", "Fortran order"});
}

TEST(NpzTypes, MalformedMembersAreRefused) {
  ExpectBadInput(Zip({{.name = "a.npy", .data = support::NpyFile(1, "{'descr': 1", "")}}),
                 {"a.npy"});
}

// ---- What is written ----------------------------------------------------------------------------

TEST(NpzWriter, MembersStayStoredOrDeflatedAndTheSameBytesComeAgain) {
  const std::string zeros =
      CurrentNpyFile(1, "'<f4'", false, "(4096,)", std::string(std::size_t{4} * 4096, '\0'));
  const std::string stored = Zip({{.name = "z.npy", .data = zeros}});
  const std::string deflated = Zip({{.name = "z.npy", .data = zeros, .deflated = true}});
  const support::TensorRun one = Cast(stored, To(FormatId::kFloat16), "out.npz");
  ASSERT_TRUE(one.result.ok());
  EXPECT_GT(one.bytes.size(), 8192U);
  const support::TensorRun two = Cast(deflated, To(FormatId::kFloat16), "out.npz");
  ASSERT_TRUE(two.result.ok());
  EXPECT_LT(two.bytes.size(), 1000U);
  ExpectFile(Cast(deflated, To(FormatId::kFloat16), "out.npz"), two.bytes);
  // Both hold the same.
  const support::TensorRun a = Cast(one.bytes, Keep());
  ExpectFile(Cast(two.bytes, Keep()), a.bytes);
}

TEST(NpzWriter, NamesThatLeadElsewhereAreNotWritten) {
  const std::string file =
      support::Safetensors("{" + Entry("../w", "F32", "1", 0, 4) + "}", Bytes<float>({1}));
  ExpectRefusal(support::CastTensors(file, To(FormatId::kFloat16), "in.safetensors", "out.npz"),
                StatusCode::kBadInput, {"'../w'", "out of its folder"});
}

}  // namespace
}  // namespace exactcast
