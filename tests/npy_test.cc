// SPDX-License-Identifier: Apache-2.0
//
// .npy files through CastFile: what is read and what is refused, what is written, and that no
// header crashes the reader.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exactcast/container.h"
#include "exactcast/spec/format.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/sha256.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

using support::Bytes;
using support::CurrentNpyFile;
using support::NpyFile;
using support::PaddedNpyFile;
using support::TemporaryFolder;

using Shape = std::vector<std::uint64_t>;

struct Outcome {
  Result<FileCastResult> result;
  std::string bytes;  // of the output; empty on failure
};

// Casts a file of these bytes and checks that a refusal is one line and leaves nothing.
Outcome Cast(const std::string& bytes, FileCastRequest request, const std::string& in = "in.npy",
             const std::string& out = "out.npy") {
  const TemporaryFolder folder;
  request.input = folder.File(in, bytes);
  request.output = folder.Path(out);
  Outcome outcome = {.result = CastFile(request), .bytes = ""};
  if (outcome.result.ok()) {
    outcome.bytes = support::ReadFile(request.output);
  } else {
    EXPECT_EQ(outcome.result.status().message().find('\n'), std::string::npos);
    EXPECT_EQ(folder.Names(), std::set<std::string>{in});
  }
  return outcome;
}

FileCastRequest To(FormatId to, std::optional<FormatId> from = std::nullopt) {
  FileCastRequest request;
  request.to = to;
  request.from = from;
  return request;
}

// The refusal's code and, somewhere in its message, each of `words`.
void ExpectRefusal(const Outcome& outcome, StatusCode code, const std::vector<std::string>& words) {
  ASSERT_FALSE(outcome.result.ok());
  EXPECT_EQ(outcome.result.status().code(), code) << outcome.result.status().message();
  for (const std::string& word : words) {
    EXPECT_NE(outcome.result.status().message().find(word), std::string::npos)
        << "no \"" << word << "\" in: " << outcome.result.status().message();
  }
}

void ExpectFile(const Outcome& outcome, const std::string& bytes) {
  ASSERT_TRUE(outcome.result.ok()) << outcome.result.status().message();
  EXPECT_EQ(outcome.bytes, bytes);
}

// ---- Files built by recipe, and what becomes of each --------------------------------------------

void ExpectRecipe(const std::string& file, std::size_t size, const std::string& sha256) {
  EXPECT_EQ(file.size(), size);
  EXPECT_EQ(support::Sha256(file).substr(0, 16), sha256);
}

const std::string kSixFloats = Bytes<float>({0, 1, 2, 3, 4, 5});
const std::string kSixInFortranOrder = Bytes<float>({0, 3, 1, 4, 2, 5});
const std::string kN01 = CurrentNpyFile(1, "'<f4'", false, "(2, 3)", kSixFloats);

TEST(NpyRecipe, PlainArray) {  // N01
  ExpectRecipe(kN01, 152, "47d9cb788e60cfff");
  const Outcome outcome = Cast(kN01, To(FormatId::kFloat64));
  ExpectFile(outcome,
             CurrentNpyFile(1, "'<f8'", false, "(2, 3)", Bytes<double>({0, 1, 2, 3, 4, 5})));
  EXPECT_EQ(outcome.result->shape, (Shape{2, 3}));
  EXPECT_TRUE(outcome.result->warnings.empty());
}

TEST(NpyRecipe, FortranOrderIsKept) {  // N02
  const std::string file = CurrentNpyFile(1, "'<f4'", true, "(2, 3)", kSixInFortranOrder);
  ExpectRecipe(file, 152, "84c11c03136f3ff3");
  ExpectFile(Cast(file, To(FormatId::kFloat32)), file);
  ExpectFile(Cast(file, To(FormatId::kInt8)),
             CurrentNpyFile(1, "'|i1'", true, "(2, 3)", std::string("\0\3\1\4\2\5", 6)));
}

TEST(NpyRecipe, VersionTwo) {  // N03
  const std::string file =
      CurrentNpyFile(2, "'<f2'", false, "(4,)", Bytes<std::uint16_t>({0, 0x3c00, 0x7bff, 0x8001}));
  ExpectRecipe(file, 136, "e081b9598a7f4d75");
  const Outcome outcome = Cast(file, To(FormatId::kFloat32));
  ExpectFile(outcome,
             CurrentNpyFile(1, "'<f4'", false, "(4,)", Bytes<float>({0, 1, 65504, -0x1p-24F})));
}

TEST(NpyRecipe, RecordIsRefusedByItsFields) {  // N04
  const std::string file = CurrentNpyFile(3, "[('\u00e5', '<f4'), ('\u6d6e', '<i2')]", false,
                                          "(1,)", Bytes<float>({1}) + Bytes<std::int16_t>({2}));
  ExpectRecipe(file, 134, "8adbf5ef1eb5069b");
  ExpectRefusal(Cast(file, To(FormatId::kFloat32)), StatusCode::kBadInput,
                {"record", "\u00e5, \u6d6e"});
}

TEST(NpyRecipe, BigEndian) {  // N05
  const std::string file =
      CurrentNpyFile(1, "'>f4'", false, "(2,)", std::string("\x3f\x80\0\0\xc0\x20\0\0", 8));
  ExpectRecipe(file, 136, "bb9039bd98265c70");
  ExpectFile(Cast(file, To(FormatId::kFloat32)),
             CurrentNpyFile(1, "'<f4'", false, "(2,)", Bytes<float>({1, -2.5F})));
}

TEST(NpyRecipe, NoDimensions) {  // N06
  const std::string file =
      CurrentNpyFile(1, "'<f8'", false, "()", Bytes<double>({1 + 0x1p-11 + 0x1p-40}));
  ExpectRecipe(file, 136, "c70bd4ac54e3e961");
  const Outcome outcome = Cast(file, To(FormatId::kFloat16));
  ExpectFile(outcome, CurrentNpyFile(1, "'<f2'", false, "()", Bytes<std::uint16_t>({0x3c01})));
  EXPECT_TRUE(outcome.result->shape.empty());
  EXPECT_EQ(outcome.result->elements, 1U);
}

TEST(NpyRecipe, NoElements) {  // N07
  const std::string file = CurrentNpyFile(1, "'<f4'", false, "(0, 3)", "");
  ExpectRecipe(file, 128, "f12304587232b93b");
  const Outcome outcome = Cast(file, To(FormatId::kInt8));
  ExpectFile(outcome, CurrentNpyFile(1, "'|i1'", false, "(0, 3)", ""));
  EXPECT_EQ(outcome.result->counts, Counts());
}

TEST(NpyRecipe, OpaqueTypeNeedsAFormat) {  // N08
  const std::string codes = Bytes<std::uint16_t>({0x3f80, 0x7f80, 0x0001});
  const std::string a = CurrentNpyFile(1, "'<V2'", false, "(3,)", codes);
  const std::string b = CurrentNpyFile(1, "'|V2'", false, "(3,)", codes);
  ExpectRecipe(a, 134, "918cceef40619949");
  ExpectRecipe(b, 134, "dd11868f9c34d7f1");
  for (const std::string& file : {a, b}) {
    ExpectRefusal(Cast(file, To(FormatId::kFloat32)), StatusCode::kUsage,
                  {"V2", "bfloat16", "float16", "--from"});
    ExpectRefusal(Cast(file, To(FormatId::kFloat32, FormatId::kFloat8E5m2)), StatusCode::kUsage,
                  {"V2", "float8_e5m2"});
    ExpectFile(Cast(file, To(FormatId::kFloat32, FormatId::kBfloat16)),
               CurrentNpyFile(1, "'<f4'", false, "(3,)",
                              Bytes<std::uint32_t>({0x3f800000, 0x7f800000, 0x00010000})));
    ExpectFile(Cast(file, To(FormatId::kBfloat16, FormatId::kBfloat16)), b);
  }
}

TEST(NpyRecipe, OneByteFloatIsE5m2) {  // N09
  const std::string file = CurrentNpyFile(1, "'<f1'", false, "(2,)", "\x3c\x7b");
  ExpectRecipe(file, 130, "38477e637e56ba22");
  ExpectFile(Cast(file, To(FormatId::kFloat32)),
             CurrentNpyFile(1, "'<f4'", false, "(2,)", Bytes<float>({1, 57344})));
}

TEST(NpyRecipe, PythonTwoLongs) {  // N10
  const std::string file =
      PaddedNpyFile(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3L,), }",
                    Bytes<std::int32_t>({1, 2, 3}), 16);
  ExpectRecipe(file, 92, "13348c84efc86eae");
  ExpectFile(Cast(file, To(FormatId::kInt32)),
             CurrentNpyFile(1, "'<i4'", false, "(3,)", Bytes<std::int32_t>({1, 2, 3})));
  ExpectRefusal(Cast(CurrentNpyFile(3, "'<i4'", false, "(0L,)", ""), To(FormatId::kInt32)),
                StatusCode::kBadInput, {"Python 2"});
}

TEST(NpyRecipe, MissingAndExtraBytes) {  // N11, N12
  const std::string shorter = kN01.substr(0, kN01.size() - 2);
  ExpectRecipe(shorter, 150, "83bd85f1abf562d1");
  ExpectRefusal(Cast(shorter, To(FormatId::kInt8)), StatusCode::kBadInput,
                {"in.npy", "expected 24 bytes of data, found 22"});
  const std::string longer = kN01 + "abc";
  ExpectRecipe(longer, 155, "8e968cee36d2b38d");
  const Outcome outcome = Cast(longer, To(FormatId::kFloat32));
  ExpectFile(outcome, kN01);
  ASSERT_EQ(outcome.result->warnings.size(), 1U);
  EXPECT_NE(outcome.result->warnings[0].find("3 bytes after the data"), std::string::npos);
}

TEST(NpyRecipe, ObjectsAreNeverUnpickled) {  // N13
  const std::string file = CurrentNpyFile(1, "'|O'", false, "(1,)", "\x80\x04N.");
  ExpectRecipe(file, 132, "becf68e2ff545342");
  ExpectRefusal(Cast(file, To(FormatId::kFloat32)), StatusCode::kBadInput, {"|O", "pickle"});
}

TEST(NpyRecipe, LongHeaderIsRefusedByItsLimit) {  // N14
  const std::string file = PaddedNpyFile(
      2, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }" + std::string(12020, ' '),
      Bytes<float>({1}));
  ExpectRecipe(file, 12100, "711bb4d18b4aadf1");
  ExpectRefusal(Cast(file, To(FormatId::kFloat32)), StatusCode::kBadInput,
                {"12084", "10000 characters"});
}

TEST(NpyRecipe, OtherOrderQuotesAndNoPadding) {  // N15
  const std::string file =
      NpyFile(1, R"({"shape":(2,),"descr":"<f4","fortran_order":False} )", Bytes<float>({1, 2}));
  ExpectRecipe(file, 69, "5d5e1c10d059214f");
  ExpectFile(Cast(file, To(FormatId::kFloat32)),
             CurrentNpyFile(1, "'<f4'", false, "(2,)", Bytes<float>({1, 2})));
}

TEST(NpyRecipe, BoolBytesAboveOneAreTrue) {  // N16
  const std::string file = CurrentNpyFile(1, "'|b1'", false, "(3,)", std::string("\0\1\2", 3));
  ExpectRecipe(file, 131, "9509975cf7b07ad0");
  const Outcome outcome = Cast(file, To(FormatId::kInt8));
  ExpectFile(outcome, CurrentNpyFile(1, "'|i1'", false, "(3,)", std::string("\0\1\1", 3)));
  ASSERT_EQ(outcome.result->warnings.size(), 1U);
  EXPECT_NE(outcome.result->warnings[0].find("element 2 is the byte 2"), std::string::npos);
}

TEST(NpyRecipe, Complex) {  // N17
  const std::string file = CurrentNpyFile(1, "'<c8'", false, "(1,)", Bytes<float>({0, 1}));
  ExpectRecipe(file, 136, "b3a74f08f27964ab");
  const Outcome real = Cast(file, To(FormatId::kFloat32));
  ExpectFile(real, CurrentNpyFile(1, "'<f4'", false, "(1,)", Bytes<float>({0})));
  EXPECT_EQ(real.result->counts.imaginary_lost, 1U);
  ExpectFile(Cast(file, To(FormatId::kBool)), CurrentNpyFile(1, "'|b1'", false, "(1,)", "\x01"));
}

TEST(NpyRecipe, ExtraKeyIsRefused) {  // N18
  const std::string file = PaddedNpyFile(
      1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1, }", Bytes<float>({1}));
  ExpectRecipe(file, 132, "4d3dd3f6b671a15e");
  ExpectRefusal(Cast(file, To(FormatId::kFloat32)), StatusCode::kBadInput, {"key x"});
}

// ---- Headers that are free, and headers that are wrong ------------------------------------------

TEST(NpyHeader, FormIsFree) {
  const std::string data = Bytes<float>({1, 2});
  for (const std::string text : {
           "  {'shape':(2,),'fortran_order':False,'descr':'<f4'}",
           "{ \"descr\" : '<f4' ,\n'fortran_order':True, 'shape':( 2 , ) , }\n\n",
           "{'descr': 'f4', 'fortran_order': False, 'shape': (2,)}",
           "{u'descr': u'<f4', U'fortran_order': False, u\"shape\": (2,)}",
           "{'descr': '=f4', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '|f4', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': 'float32', 'fortran_order': False, 'shape': (2,)}",
       }) {
    for (int version = 1; version <= 3; ++version) {
      SCOPED_TRACE(text);
      ExpectFile(Cast(NpyFile(version, text, data), To(FormatId::kFloat32)),
                 CurrentNpyFile(1, "'<f4'", false, "(2,)", data));
    }
  }
}

TEST(NpyHeader, BadFormIsRefused) {
  for (const std::string text : {
           "",
           "{",
           "{}",
           "[]",
           "None",
           "{'descr': '<f4'}",
           "{'descr': '<f4', }}",
           "{'descr': '<f4', 'fortran_order': False}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': [2]}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (02,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, -2)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
           "{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
           "{'descr': '<f4', 'fortran_order': None, 'shape': (2,)}",
           "{'descr': '<f4', 'fortran_order': true, 'shape': (2,)}",
           "{u 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
           "{b'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<f4, 'fortran_order': False, 'shape': (2,)}",
           "{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (1,)}",
           "{'descr': 4, 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '', 'fortran_order': False, 'shape': (2,)}",
           "((((((((((((((((((((((((((((((((((((((((",
       }) {
    SCOPED_TRACE(text);
    ExpectRefusal(Cast(NpyFile(1, text, Bytes<float>({1, 2})), To(FormatId::kFloat32)),
                  StatusCode::kBadInput, {"in.npy: "});
  }
}

TEST(NpyHeader, SizesThatOverflowAreRefused) {
  for (const std::string shape : {"(4611686018427387904, 4)", "(9223372036854775807,)",
                                  "(18446744073709551616,)", "(99999999999999999999999999,)",
                                  "(0, 9223372036854775807, 2)", "(4294967296, 4294967296)"}) {
    SCOPED_TRACE(shape);
    ExpectRefusal(Cast(CurrentNpyFile(1, "'<f4'", false, shape, ""), To(FormatId::kFloat32)),
                  StatusCode::kBadInput, {"larger than a file can be"});
  }
}

TEST(NpyHeader, OtherVersionsAndFilesAreRefused) {
  std::string file = kN01;
  file[7] = 1;
  ExpectRefusal(Cast(file, To(FormatId::kInt8)), StatusCode::kBadInput, {"version 1.1"});
  ExpectRefusal(Cast(NpyFile(4, "{}", ""), To(FormatId::kInt8)), StatusCode::kBadInput,
                {"version 4.0"});
  ExpectRefusal(Cast("", To(FormatId::kInt8)), StatusCode::kBadInput, {"not a .npy file"});
  ExpectRefusal(Cast("version https://git-lfs", To(FormatId::kInt8)), StatusCode::kBadInput,
                {"git-lfs"});
  ExpectRefusal(Cast("PK\3\4", To(FormatId::kInt8)), StatusCode::kBadInput, {"zip"});
}

TEST(NpyHeader, TypesThatAreNoNumbersAreRefusedWithAReason) {
  for (const auto& [type, reason] :
       std::vector<std::pair<std::string, std::string>>{{"<f16", "long double"},
                                                        {"<c32", "long double"},
                                                        {"<U3", "text"},
                                                        {"|S2", "text"},
                                                        {"<M8[ns]", "dates"},
                                                        {"<m8[s]", "time spans"},
                                                        {"|V3", "V1, V2 and V4"},
                                                        {">V2", "big-endian"},
                                                        {"|O", "pickle"},
                                                        {"<f3", "no numbers"},
                                                        {"int48", "no numbers"},
                                                        {"", "its type '' is not read"},
                                                        {"<x\\n\x01", "\\x01"}}) {
    SCOPED_TRACE(type);
    ExpectRefusal(
        Cast(CurrentNpyFile(1, "'" + type + "'", false, "(0,)", ""), To(FormatId::kFloat32)),
        StatusCode::kBadInput, {"its type", reason});
  }
}

TEST(NpyHeader, RecordWithoutFieldsIsRefused) {
  ExpectRefusal(Cast(CurrentNpyFile(1, "[]", false, "(0,)", ""), To(FormatId::kFloat32)),
                StatusCode::kBadInput, {"a record without fields"});
}

TEST(NpyHeader, OneByteTypesHaveNoByteOrder) {
  for (const std::string type : {">u1", ">i1", ">b1", "<u1", "=i1"}) {
    SCOPED_TRACE(type);
    ExpectFile(Cast(CurrentNpyFile(1, "'" + type + "'", false, "(1,)", "\1"), To(FormatId::kUint8)),
               CurrentNpyFile(1, "'|u1'", false, "(1,)", "\1"));
  }
}

TEST(NpyHeader, SixtyFourDimensionsAtMost) {
  const auto ones = [](int count) {
    std::string text = "(";
    for (int i = 0; i < count; ++i) text += "1, ";
    return text + ")";
  };
  const std::string one = Bytes<float>({1});
  EXPECT_TRUE(
      Cast(CurrentNpyFile(1, "'<f4'", false, ones(64), one), To(FormatId::kFloat32)).result.ok());
  ExpectRefusal(Cast(CurrentNpyFile(1, "'<f4'", false, ones(65), one), To(FormatId::kFloat32)),
                StatusCode::kBadInput, {"65 dimensions", "64"});
  FileCastRequest request = To(FormatId::kFloat32, FormatId::kFloat32);
  request.shape = Shape(65, 1);
  ExpectRefusal(Cast(one, request, "in.bin"), StatusCode::kUsage, {"65 dimensions", "64"});
  ExpectFile(Cast(one, request, "in.bin", "out.bin"), one);
}

TEST(NpyHeader, SomebodyElsesNamesAreRead) {
  for (const Format& format : kFormats) {
    if (format.use != Use::kCast) continue;
    SCOPED_TRACE(format.name);
    const std::string data(static_cast<std::size_t>(format.storage_bits / 8), '\0');
    const Outcome outcome =
        Cast(CurrentNpyFile(1, fmt::format("'{}'", format.name), false, "(1,)", data),
             To(FormatId::kFloat64));
    ASSERT_TRUE(outcome.result.ok()) << outcome.result.status().message();
    EXPECT_EQ(outcome.result->from, format.id);
  }
}

TEST(NpyHeader, FromRereadsIntegersAndMustOtherwiseAgree) {
  const std::string bytes = CurrentNpyFile(1, "'|u1'", false, "(1,)", "\x38");
  const std::string shorts = CurrentNpyFile(1, "'>i2'", false, "(1,)", "\x3f\x80");
  const std::string words = CurrentNpyFile(1, "'<f4'", false, "(1,)", Bytes<float>({1}));
  const std::string one = CurrentNpyFile(1, "'<f4'", false, "(1,)", Bytes<float>({1}));
  ExpectFile(Cast(bytes, To(FormatId::kFloat32, FormatId::kFloat8E4m3fn)), one);
  ExpectFile(Cast(shorts, To(FormatId::kFloat32, FormatId::kBfloat16)), one);
  ExpectFile(Cast(words, To(FormatId::kFloat32, FormatId::kTfloat32)), one);
  ExpectRefusal(Cast(bytes, To(FormatId::kFloat32, FormatId::kBfloat16)), StatusCode::kUsage,
                {"|u1", "uint8", "bfloat16"});
  ExpectRefusal(Cast(words, To(FormatId::kFloat32, FormatId::kInt32)), StatusCode::kUsage,
                {"<f4", "int32"});
  FileCastRequest request = To(FormatId::kFloat32);
  request.shape = {1, 1};
  ExpectRefusal(Cast(words, request), StatusCode::kUsage, {"(1,)", "(1, 1)"});
}

// Every byte of a header replaced by every other byte, and every length that is too short: a result
// that the data can hold, or a refusal of one line.
TEST(NpyHeader, EveryMutationIsReadOrRefused) {
  const TemporaryFolder folder;
  FileCastRequest request = To(FormatId::kInt16);
  request.input = folder.File("in.npy", "");
  request.output = "/dev/null";
  std::fstream stream(request.input, std::ios::binary | std::ios::in | std::ios::out);
  const auto check = [&](const std::string& file, std::size_t place) {
    // In place: replacing tens of thousands of files would take most of a minute.
    std::filesystem::resize_file(request.input, file.size());
    stream.seekp(0).write(file.data(), static_cast<std::streamsize>(file.size())).flush();
    const Result<FileCastResult> result = CastFile(request);
    if (result.ok()) {
      const auto each = static_cast<std::size_t>(GetFormat(result->from).storage_bits / 8);
      EXPECT_LE(result->elements * each, file.size()) << "byte " << place;
      return;
    }
    const StatusCode code = result.status().code();
    EXPECT_TRUE(code == StatusCode::kBadInput || code == StatusCode::kUsage) << "byte " << place;
    EXPECT_EQ(result.status().message().find_first_of(std::string("\n\r\0", 3)), std::string::npos)
        << "byte " << place;
    EXPECT_FALSE(result.status().message().empty());
  };
  const std::string v3 = CurrentNpyFile(3, "'<f4'", false, "(2, 3)", kSixFloats);
  for (const std::string& file : {kN01, v3}) {
    for (std::size_t place = 0; place < 80; ++place) {  // what follows are blanks
      for (int change = 1; change < 256; ++change) {
        std::string mutated = file;
        mutated[place] = static_cast<char>(mutated[place] ^ change);
        check(mutated, place);
      }
    }
    for (std::size_t size = 0; size < file.size(); ++size) check(file.substr(0, size), size);
  }
}

// ---- What is written ----------------------------------------------------------------------------

std::string RandomBytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

// Raw elements of `format`, unused bits zero, so that a cast to itself gives the same bytes.
std::string RandomElements(const Format& format, std::size_t count) {
  const auto each = static_cast<std::size_t>(format.storage_bits / 8);
  std::string bytes = RandomBytes(count * each, 20);
  if (format.bits < 8) {
    for (char& c : bytes) c = static_cast<char>(c & static_cast<char>(LowMask(format.bits)));
  }
  if (format.kind == Kind::kBoolean) {
    for (char& c : bytes) c = static_cast<char>(c & 1);
  }
  if (format.low_zeros > 0) {
    for (std::size_t i = 0; i < bytes.size(); i += each) {
      bytes[i] = 0;
      bytes[i + 1] = static_cast<char>(bytes[i + 1] & 0xe0);
    }
  }
  return bytes;
}

TEST(NpyRoundTrip, EveryFormatThroughRawAndBack) {
  for (const Format& format : kFormats) {
    if (format.use != Use::kCast) continue;
    SCOPED_TRACE(format.name);
    const std::string data = RandomElements(format, 30);
    FileCastRequest request = To(format.id, format.id);
    request.shape = {5, 3, 2};
    request.unpacked = IsPackable(format);
    const Outcome npy = Cast(data, request, "in.bin");
    ASSERT_TRUE(npy.result.ok()) << npy.result.status().message();
    EXPECT_EQ(npy.bytes.size(), 128 + data.size());
    EXPECT_EQ(npy.bytes.substr(128), data);
    request.shape = std::nullopt;
    const Outcome raw = Cast(npy.bytes, request, "in.npy", "out.bin");
    ExpectFile(raw, data);
    ExpectFile(Cast(npy.bytes, To(format.id, format.id)), npy.bytes);
    if (IsPackable(format)) {
      ExpectFile(Cast(Cast(data, request, "in.bin", "out.bin").bytes, request, "a.bin", "b.bin"),
                 data);
    }
  }
}

TEST(NpyRoundTrip, BigEndianOfEveryWidth) {
  const std::vector<std::pair<std::string, std::size_t>> types = {
      {"i2", 2}, {"u4", 4}, {"i8", 8}, {"f2", 2}, {"f4", 4}, {"f8", 8}, {"c8", 4}, {"c16", 8}};
  for (const auto& [type, width] : types) {
    SCOPED_TRACE(type);
    const std::string little = RandomBytes(48, 21);
    std::string big = little;
    for (std::size_t i = 0; i < big.size(); i += width) {
      std::reverse(big.begin() + static_cast<std::ptrdiff_t>(i),
                   big.begin() + static_cast<std::ptrdiff_t>(i + width));
    }
    const std::size_t each = type.starts_with("c") ? 2 * width : width;
    const std::string shape = fmt::format("({},)", 48 / each);
    FileCastRequest request;
    for (const Format& format : kFormats) {
      const char letter = format.kind == Kind::kSigned     ? 'i'
                          : format.kind == Kind::kUnsigned ? 'u'
                          : format.kind == Kind::kComplex  ? 'c'
                                                           : 'f';
      if (format.name.starts_with("bfloat") || format.name.starts_with("tfloat")) continue;
      if (fmt::format("{}{}", letter, format.bits / 8) == type && format.use == Use::kCast) {
        request.to = format.id;
      }
    }
    ExpectFile(Cast(CurrentNpyFile(1, "'>" + type + "'", false, shape, big), request),
               CurrentNpyFile(1, "'<" + type + "'", false, shape, little));
  }
}

TEST(NpyWriter, COrderWinsWhereBothOrdersAreOne) {
  for (const std::string shape : {"(6,)", "(1, 6)", "(6, 1)", "(1, 6, 1)"}) {
    SCOPED_TRACE(shape);
    ExpectFile(Cast(CurrentNpyFile(1, "'<f4'", true, shape, kSixFloats), To(FormatId::kFloat32)),
               CurrentNpyFile(1, "'<f4'", false, shape, kSixFloats));
  }
}

TEST(NpyWriter, FortranOrderInARawFileIsStated) {
  const Outcome outcome = Cast(CurrentNpyFile(1, "'<f4'", true, "(2, 3)", kSixInFortranOrder),
                               To(FormatId::kFloat32), "in.npy", "out.bin");
  ExpectFile(outcome, kSixInFortranOrder);
  ASSERT_EQ(outcome.result->warnings.size(), 1U);
  EXPECT_NE(outcome.result->warnings[0].find("Fortran order"), std::string::npos);
}

// A matrix of 4-bit elements, one a byte and packed along its rows, in either order.
struct PackedMatrix {
  std::string elements;
  std::string packed;
};

PackedMatrix MakePackedMatrix(std::size_t rows, std::size_t columns, bool fortran) {
  const auto at = [=](std::size_t r, std::size_t c) {
    return fortran ? c * rows + r : r * columns + c;
  };
  PackedMatrix matrix = {.elements = RandomElements(GetFormat(FormatId::kInt4), rows * columns),
                         .packed = std::string(rows * columns / 2, '\0')};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; c += 2) {
      matrix.packed[fortran ? c / 2 * rows + r : (r * columns + c) / 2] =
          static_cast<char>(matrix.elements[at(r, c)] | matrix.elements[at(r, c + 1)] << 4);
    }
  }
  return matrix;
}

void CheckPackedMatrix(std::size_t rows, std::size_t columns, bool fortran) {
  SCOPED_TRACE(fmt::format("({}, {}) {}", rows, columns, fortran ? "Fortran" : "C"));
  const PackedMatrix matrix = MakePackedMatrix(rows, columns, fortran);
  const std::string shape = fmt::format("({}, {})", rows, columns);
  const std::string half = fmt::format("({}, {})", rows, columns / 2);
  const bool one_order = rows == 1 || columns == 2;  // of the packed array
  const std::string plain = CurrentNpyFile(1, "'|V1'", fortran && rows > 1, shape, matrix.elements);
  const std::string small = CurrentNpyFile(1, "'|u1'", fortran && !one_order, half, matrix.packed);
  FileCastRequest request = To(FormatId::kInt4, FormatId::kInt4);
  request.packed = true;
  ExpectFile(Cast(plain, request), small);
  if (one_order) return;  // the way back is in C order then
  ExpectFile(Cast(small, request), small);
  request.to = FormatId::kInt8;
  std::string wide = matrix.elements;
  for (char& c : wide) c = static_cast<char>((c ^ 8) - 8);
  ExpectFile(Cast(small, request), CurrentNpyFile(1, "'|i1'", fortran, shape, wide));
}

// A slab is one byte, some, and more than a block.
TEST(NpyPacked, BothOrdersAndAllSlabLengths) {
  for (const auto& [rows, columns] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 8}, {2, 2}, {3, 2}, {5, 6}, {2, 70000}, {66000, 4}, {131072, 2}, {140000, 4}}) {
    CheckPackedMatrix(rows, columns, false);
    CheckPackedMatrix(rows, columns, true);
  }
}

TEST(NpyPacked, OddLastAxisAndNoAxisAreRefused) {
  FileCastRequest request = To(FormatId::kInt4);
  request.packed = true;
  ExpectRefusal(Cast(kN01, request), StatusCode::kBadInput, {"--packed", "(2, 3)"});
  ExpectRefusal(Cast(CurrentNpyFile(1, "'<f4'", false, "()", Bytes<float>({1})), request),
                StatusCode::kBadInput, {"--packed", "()"});
  request.from = FormatId::kInt4;
  ExpectRefusal(Cast(CurrentNpyFile(1, "'|u1'", false, "()", "\x01"), request),
                StatusCode::kBadInput, {"--packed", "()"});
}

TEST(NpyPacked, TwoBitFormatsStayOneAByte) {
  FileCastRequest request = To(FormatId::kUint2, FormatId::kUint8);
  const std::string file = CurrentNpyFile(1, "'|u1'", false, "(3,)", "\1\2\3");
  ExpectFile(Cast(file, request), CurrentNpyFile(1, "'|V1'", false, "(3,)", "\1\2\3"));
  request.packed = true;
  ExpectRefusal(Cast(file, request), StatusCode::kUsage, {"--packed packs 4-bit formats only"});
}

// Packed elements are |u1. What holds one a byte is packed on the way out, or the option is
// refused.
TEST(NpyPacked, NeverWithoutEffect) {
  FileCastRequest request = To(FormatId::kInt8, FormatId::kInt4);
  request.packed = true;
  ExpectFile(Cast(CurrentNpyFile(1, "'|u1'", false, "(1,)", "\x21"), request),
             CurrentNpyFile(1, "'|i1'", false, "(2,)", "\1\2"));
  for (const std::string type : {"|i1", "|V1", "int4"}) {
    SCOPED_TRACE(type);
    const std::string file = CurrentNpyFile(1, "'" + type + "'", false, "(2,)", "\1\2");
    request.to = FormatId::kInt8;
    ExpectRefusal(Cast(file, request), StatusCode::kUsage, {"packed elements are |u1"});
    request.to = FormatId::kInt4;
    if (type == "|i1") {  // may be meant either way
      ExpectRefusal(Cast(file, request), StatusCode::kUsage, {"packed elements are |u1"});
    } else {
      ExpectFile(Cast(file, request), CurrentNpyFile(1, "'|u1'", false, "(1,)", "\x21"));
    }
  }
  request = To(FormatId::kFloat32);  // no format that it could be about: without effect or harm
  request.packed = true;
  ExpectFile(Cast(kN01, request), kN01);
}

// ---- Strict -------------------------------------------------------------------------------------

TEST(NpyStrict, NamesTheFirstElementAndItsValue) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  FileCastRequest request = To(FormatId::kFloat8E4m3fn);
  request.strict = true;
  ExpectRefusal(
      Cast(CurrentNpyFile(1, "'<f4'", false, "(4,)", Bytes<float>({1, 2, inf, inf})), request),
      StatusCode::kBadInput, {"element 2 (inf) does not fit float8_e4m3fn", "--strict"});
  ExpectRefusal(
      Cast(CurrentNpyFile(1, "'<f4'", true, "(2, 2)", Bytes<float>({1, 2, 1e9F, 3})), request),
      StatusCode::kBadInput, {"element [0, 1] (1000000000) does not fit"});
  request.to = FormatId::kInt8;
  ExpectRefusal(Cast(CurrentNpyFile(1, "'<f4'", false, "(2,)", Bytes<float>({1, nan})), request),
                StatusCode::kBadInput, {"element 1 (nan) does not stay a NaN in int8"});
  request.to = FormatId::kComplex32;
  ExpectRefusal(
      Cast(CurrentNpyFile(1, "'<c8'", false, "(2,)", Bytes<float>({1, 1, 2, 1e9F})), request),
      StatusCode::kBadInput, {"element 1 (1000000000) does not fit complex32"});
  ExpectFile(Cast(CurrentNpyFile(1, "'<c8'", false, "(1,)", Bytes<float>({1, 1})), request),
             CurrentNpyFile(1, "'|V4'", false, "(1,)", Bytes<std::uint16_t>({0x3c00, 0x3c00})));
}

TEST(NpyStrict, FirstInTheFileAlsoWherePairsLieApart) {
  constexpr std::size_t kRows = 140000;  // more than a piece
  std::vector<float> values(4 * kRows, 1);
  values[kRows - 1] = 100;  // [139999, 0], read after [0, 1]
  values[kRows] = 200;      // [0, 1]
  const std::string data(reinterpret_cast<const char*>(values.data()), 4 * values.size());
  FileCastRequest request = To(FormatId::kInt4);
  request.packed = true;
  request.strict = true;
  ExpectRefusal(Cast(CurrentNpyFile(1, "'<f4'", true, "(140000, 4)", data), request),
                StatusCode::kBadInput, {"element [139999, 0] (100)"});
}

}  // namespace
}  // namespace exactcast
