// SPDX-License-Identifier: Apache-2.0
//
// .gguf files built from their parts: plain tensors are read, everything else is refused by name.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "exactcast/spec/format.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/safetensors_recipe.h"
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

std::string U32(std::uint32_t value) { return Bytes<std::uint32_t>({value}); }
std::string U64(std::uint64_t value) { return Bytes<std::uint64_t>({value}); }
std::string Text(const std::string& text) { return U64(text.size()) + text; }

struct Tensor {
  std::string name;
  std::vector<std::uint64_t> dimensions;  // the fastest first
  std::uint32_t type;
  std::uint64_t offset;
};

std::string File(const std::vector<std::string>& keys, const std::vector<Tensor>& tensors,
                 const std::string& data, std::uint64_t alignment = 32, std::uint32_t version = 3) {
  std::string file = "GGUF" + U32(version) + U64(tensors.size()) + U64(keys.size());
  for (const std::string& key : keys) file += key;
  for (const Tensor& t : tensors) {
    file += Text(t.name) + U32(static_cast<std::uint32_t>(t.dimensions.size()));
    for (const std::uint64_t dimension : t.dimensions) file += U64(dimension);
    file += U32(t.type) + U64(t.offset);
  }
  while (file.size() % alignment != 0) file += '\0';
  return file + data;
}

const std::string kSix = Bytes<float>({0, 1, 2, 3, 4, 5});
const std::string kHalves = Bytes<std::uint16_t>({0x3c00, 0xc000});

support::TensorRun Cast(const std::string& bytes, const TensorFilesRequest& request) {
  return support::CastTensors(bytes, request, "in.gguf", "out.safetensors");
}

void ExpectBadInput(const std::string& file, const std::vector<std::string>& words) {
  ExpectRefusal(Cast(file, To(FormatId::kBfloat16)), StatusCode::kBadInput, words);
}

TEST(Gguf, PlainTensorsAreReadWithTheirDimensionsTurnedRound) {
  for (const std::uint64_t alignment : {32U, 64U}) {
    std::string data = kSix + std::string(alignment - kSix.size(), '\0') + kHalves;
    std::vector<std::string> keys = {
        Text("a.list") + U32(9) + U32(8) + U64(2) + Text("x") + Text("yy"),
        Text("a.nested") + U32(9) + U32(9) + U64(1) + U32(5) + U64(2) + U64(0),
        Text("a.bool") + U32(7) + "\1"};
    if (alignment != 32) {
      keys.push_back(Text("general.alignment") + U32(4) +
                     U32(static_cast<std::uint32_t>(alignment)));
    }
    const std::string file =
        File(keys, {{"w", {3, 2}, 0, 0}, {"h", {2}, 1, alignment}}, data, alignment);
    const support::TensorRun run = Cast(file, To(FormatId::kFloat64));
    ExpectFile(run, Safetensors("{" + Entry("h", "F64", "2", 0, 16) + "," +
                                    Entry("w", "F64", "2,3", 16, 64) + "}",
                                Bytes<double>({1, -2, 0, 1, 2, 3, 4, 5})));
    EXPECT_TRUE(support::AnyHas(run.result->warnings, "metadata"));
  }
}

TEST(Gguf, EveryPlainTypeIsKnown) {
  for (const auto& [type, name] :
       std::vector<std::pair<std::uint32_t, std::string>>{{0, "float32"},
                                                          {1, "float16"},
                                                          {24, "int8"},
                                                          {25, "int16"},
                                                          {26, "int32"},
                                                          {27, "int64"},
                                                          {28, "float64"},
                                                          {30, "bfloat16"}}) {
    const support::TensorRun run =
        Cast(File({}, {{"w", {1}, type, 0}}, std::string(8, '\0')), Keep());
    ASSERT_TRUE(run.result.ok()) << run.result.status().message();
    EXPECT_EQ(run.result->tensors[0].from, name);
  }
}

TEST(Gguf, WhatIsNotReadIsRefusedByName) {
  ExpectRefusal(Cast(File({}, {{"w", {32}, 8, 0}}, std::string(34, '\0')), Keep()),
                StatusCode::kUsage, {"'w'", "Q8_0", "blocks"});
  ExpectBadInput(File({}, {{"w", {32}, 40, 0}}, std::string(34, '\0')), {"'w'", "number 40"});
  ExpectBadInput(File({}, {{"w", {32}, 4, 0}}, std::string(34, '\0')), {"'w'", "number 4"});
  ExpectBadInput(File({}, {}, "", 32, 1), {"version 1"});
  ExpectBadInput(File({}, {}, "", 32, 0x03000000), {"big-endian"});
  ExpectBadInput("GGML", {"does not begin with GGUF"});
  ExpectBadInput("<html>", {"web page"});
  ExpectBadInput(File({}, {{"w", {6}, 0, 0}}, kSix.substr(0, 23)),
                 {"'w'", "24 bytes", "end at 23"});
  ExpectBadInput(File({}, {{"w", {6}, 0, 32}}, kSix), {"'w'", "at 32"});
  ExpectBadInput(File({}, {{"w", {1}, 0, 0}, {"w", {1}, 0, 0}}, kSix), {"two tensors 'w'"});
  ExpectBadInput(File({}, {{"w", {1ULL << 62, 4}, 0, 0}}, kSix), {"'w'", "larger than a file"});
  ExpectBadInput(File({Text("general.alignment") + U32(4) + U32(0)}, {}, ""), {"damaged"});
  ExpectBadInput(File({Text("k") + U32(99)}, {}, ""), {"damaged"});
  ExpectBadInput(File({Text("k") + U32(9) + U32(8) + U64(~std::uint64_t{0})}, {}, ""), {"damaged"});
  ExpectBadInput("GGUF" + U32(3) + U64(~std::uint64_t{0}) + U64(0), {"damaged or cut off"});
  ExpectRefusal(support::CastTensors(Safetensors("{}", ""), Keep(), "in.safetensors", "out.gguf"),
                StatusCode::kUsage, {".gguf files are read only"});
}

TEST(Gguf, EveryCutAndEveryMutationIsReadOrRefused) {
  const std::string file =
      File({Text("k") + U32(9) + U32(8) + U64(1) + Text("x")},
           {{"w", {3, 2}, 0, 0}, {"h", {2}, 1, 32}}, kSix + std::string(8, '\0') + kHalves);
  const support::TemporaryFolder folder;
  std::mt19937 random(13);
  for (std::size_t i = 0; i < 10 * file.size(); ++i) {
    std::string mutated = file;
    if (i < file.size()) {
      mutated.resize(i);
    } else {
      mutated[random() % mutated.size()] = static_cast<char>(random());
    }
    TensorFilesRequest request = To(FormatId::kBfloat16);
    request.input = folder.File("in.gguf", mutated);
    request.output = folder.Path("out.safetensors");
    request.sync = false;
    const Result<TensorFilesResult> result = CastTensorFiles(request);
    if (!result.ok()) {
      EXPECT_NE(result.status().code(), StatusCode::kNotWritten) << result.status().message();
    }
    std::filesystem::remove(request.input);
    std::filesystem::remove(request.output);
  }
}

}  // namespace
}  // namespace exactcast
