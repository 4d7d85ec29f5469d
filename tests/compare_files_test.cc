// SPDX-License-Identifier: Apache-2.0
//
// Comparing files: every pairing of containers and orders, and the command as scripts rely on it.
// What is counted is compare_test.cc's matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "exactcast/compare.h"
#include "tests/support/command.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

using support::CommandResult;
using support::CurrentNpyFile;
using support::RunCommand;

// ---- containers ---------------------------------------------------------------------------------

class CompareContainers : public testing::Test {
 protected:
  // Elements of int16 counted up in C order, stored in either order and byte order.
  std::string Tensor(const std::vector<std::uint64_t>& shape, bool fortran, bool big_endian,
                     std::uint64_t changed = ~std::uint64_t{0}) {
    std::uint64_t count = 1;
    std::string text = "(";
    for (const std::uint64_t d : shape) {
      count *= d;
      text += std::to_string(d) + ", ";
    }
    std::string data(2 * count, '\0');
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t stored = i;
      if (fortran) {
        std::uint64_t rest = i;
        std::uint64_t stride = count;
        stored = 0;
        for (std::size_t axis = shape.size(); axis-- > 0;) {
          stride /= shape[axis];
          stored += rest % shape[axis] * stride;
          rest /= shape[axis];
        }
      }
      const std::uint64_t value = i == changed ? i ^ 1 : i;
      data[2 * stored + (big_endian ? 1 : 0)] = static_cast<char>(value & 0xff);
      data[2 * stored + (big_endian ? 0 : 1)] = static_cast<char>(value >> 8 & 0xff);
    }
    return CurrentNpyFile(1, big_endian ? "'>i2'" : "'<i2'", fortran, text + ")", data);
  }

  CompareResult Compare(const CompareRequest& request) {
    const Result<CompareResult> result = CompareFiles(request);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *result : CompareResult{};
  }
  void ExpectRefusal(const CompareRequest& request, StatusCode code,
                     const std::vector<std::string>& words) {
    const Result<CompareResult> result = CompareFiles(request);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), code) << result.status().message();
    for (const std::string& word : words) {
      EXPECT_NE(result.status().message().find(word), std::string::npos)
          << "no \"" << word << "\" in: " << result.status().message();
    }
  }

  support::TemporaryFolder folder_;
};

// 1,100 x 1,000 elements are more than a block, and no block ends at the end of a row.
TEST_F(CompareContainers, EveryPairingOfOrdersSetsTheSameElementsSideBySide) {
  for (const std::vector<std::uint64_t>& shape :
       std::vector<std::vector<std::uint64_t>>{{3, 5, 7}, {1100, 1000}, {2, 1, 4}, {4, 300000}}) {
    std::uint64_t count = 1;
    for (const std::uint64_t d : shape) count *= d;
    for (const std::uint64_t changed : {std::uint64_t{1}, count / 2 + 3, count - 1}) {
      for (int orders = 0; orders < 4; ++orders) {
        support::WriteFile(folder_.Path("a.npy"), Tensor(shape, orders / 2 != 0, false));
        support::WriteFile(folder_.Path("b.npy"), Tensor(shape, orders % 2 != 0, true, changed));
        const CompareResult result =
            Compare({.a = folder_.Path("a.npy"), .b = folder_.Path("b.npy")});
        ASSERT_EQ(result.elements, count);
        ASSERT_EQ(result.differences.equal, count - 1);
        ASSERT_EQ(result.differences.worst.size(), 1u);
        const Difference& d = result.differences.worst.front();
        EXPECT_EQ(d.index, changed) << orders;
        std::uint64_t index = 0;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
          index = index * shape[axis] + d.place[axis];
        }
        EXPECT_EQ(index, changed);
        EXPECT_EQ(d.a, changed & 0xffff);
      }
    }
  }
}

TEST_F(CompareContainers, ARawFileTakesFormatAndShapeFromTheOther) {
  const std::string raw = support::Bytes<std::int16_t>({0, 1, 2, 3, 4, 6});
  support::WriteFile(folder_.Path("b.npy"), Tensor({2, 3}, false, false));
  for (const bool raw_first : {false, true}) {
    CompareRequest request = {.a = folder_.File("a.bin", raw), .b = folder_.Path("b.npy")};
    if (!raw_first) std::swap(request.a, request.b);
    const CompareResult result = Compare(request);
    EXPECT_EQ(result.format, FormatId::kInt16);
    EXPECT_EQ(result.shape, (std::vector<std::uint64_t>{2, 3}));
    ASSERT_EQ(result.differences.worst.size(), 1u);
    EXPECT_EQ(result.differences.worst.front().place, (std::vector<std::uint64_t>{1, 2}));
  }
  // Raw data is in C order, whatever the other is in.
  support::WriteFile(folder_.Path("b.npy"), Tensor({2, 3}, true, false));
  EXPECT_EQ(Compare({.a = folder_.Path("a.bin"), .b = folder_.Path("b.npy")}).differences.differing,
            1u);
}

TEST_F(CompareContainers, PackedAndUnpackedElementsMeet) {
  support::WriteFile(folder_.Path("a.bin"), "\x21\x03");
  support::WriteFile(folder_.Path("b.bin"), "\x21\xf3");
  CompareRequest request = {
      .a = folder_.Path("a.bin"), .b = folder_.Path("b.bin"), .format = FormatId::kUint4};
  EXPECT_EQ(Compare(request).differences.differing, 1u);
  request.shape = {3};
  EXPECT_EQ(Compare(request).differences.equal, 3u);  // what fills the last byte is no element
  // .npy: one a byte, or two a byte along the last axis.
  support::WriteFile(folder_.Path("b.npy"), CurrentNpyFile(1, "'|u1'", false, "(3,)", "\1\2\x43"));
  request.b = folder_.Path("b.npy");
  EXPECT_EQ(Compare(request).differences.equal, 3u);
  support::WriteFile(folder_.Path("b.npy"),
                     CurrentNpyFile(1, "'|u1'", false, "(2, 1)", "\x21\x03"));
  request.packed = true;
  request.shape = {2, 2};
  EXPECT_EQ(Compare(request).differences.equal, 4u);
  // Fortran order and packed: the bytes are pairs along the last axis.
  support::WriteFile(folder_.Path("c.npy"),
                     CurrentNpyFile(1, "'|u1'", true, "(2, 2)", "\x10\x54\x32\x76"));
  support::WriteFile(folder_.Path("c.bin"), "\x10\x32\x54\x76");
  request.a = folder_.Path("c.bin");
  request.b = folder_.Path("c.npy");
  request.shape = {2, 4};
  EXPECT_EQ(Compare(request).differences.equal, 8u);
  request.a = folder_.Path("c.npy");
  EXPECT_EQ(Compare(request).differences.equal, 8u);
  // Unpacked raw files; unused bits mean nothing.
  support::WriteFile(folder_.Path("a.bin"), "\1\2\3");
  support::WriteFile(folder_.Path("b.bin"), "\xf1\2\x13");
  EXPECT_EQ(Compare({.a = folder_.Path("a.bin"),
                     .b = folder_.Path("b.bin"),
                     .format = FormatId::kInt4,
                     .unpacked = true})
                .differences.equal,
            3u);
}

TEST_F(CompareContainers, DifferentShapesAndFormatsAreRefusedNamingBoth) {
  const std::string a = folder_.File("a.npy", Tensor({2, 3}, false, false));
  const std::string b = folder_.File("b.npy", Tensor({3, 2}, false, false));
  const std::string c =
      folder_.File("c.npy", CurrentNpyFile(1, "'<f4'", false, "(2, 3)", std::string(24, '\0')));
  ExpectRefusal({.a = a, .b = b}, StatusCode::kBadInput,
                {"a.npy is of shape (2, 3)", "b.npy is of shape (3, 2)"});
  ExpectRefusal({.a = a, .b = c}, StatusCode::kBadInput, {"a.npy is int16", "c.npy is float32"});
  const std::string x = folder_.File("x.bin", "1234");
  const std::string y = folder_.File("y.bin", "12345678");
  ExpectRefusal({.a = x, .b = y, .format = FormatId::kInt16}, StatusCode::kBadInput,
                {"x.bin is of shape (2,)", "y.bin is of shape (4,)"});
  ExpectRefusal({.a = x, .b = a}, StatusCode::kBadInput,
                {"x.bin: expected 12 bytes for shape (2, 3) of int16, found 4"});
  ExpectRefusal({.a = x, .b = y, .format = FormatId::kComplex64}, StatusCode::kBadInput,
                {"x.bin: 4 bytes are not a whole number of complex64 elements"});
}

TEST_F(CompareContainers, WrongUseIsRefusedBeforeFilesAreRead) {
  const std::string absent = folder_.Path("absent.bin");
  ExpectRefusal({.a = "-", .b = "-", .format = FormatId::kInt8}, StatusCode::kUsage, {"only one"});
  ExpectRefusal({.a = absent, .b = absent, .packed = true}, StatusCode::kUsage, {"--packed"});
  ExpectRefusal({.a = "a.npy", .b = "b.npy", .unpacked = true}, StatusCode::kUsage, {"--unpacked"});
  ExpectRefusal({.a = absent, .b = "b.safetensors"}, StatusCode::kUsage, {".safetensors"});
  ExpectRefusal({.a = absent, .b = absent, .format = FormatId::kInt48}, StatusCode::kUnsupported,
                {"int48"});
  for (const char* text : {"", "x", "-1", "1/0", "nan"}) {
    ExpectRefusal({.a = absent, .b = absent, .atol = text}, StatusCode::kUsage, {"--atol", text});
    ExpectRefusal({.a = absent, .b = absent, .rtol = text}, StatusCode::kUsage, {"--rtol", text});
  }
  ExpectRefusal({.a = absent, .b = absent}, StatusCode::kBadInput, {"absent.bin"});
  const std::string x = folder_.File("x.bin", "1234");
  ExpectRefusal({.a = x, .b = x}, StatusCode::kUsage, {"x.bin: raw elements", "--format"});
}

TEST_F(CompareContainers, NothingIsEqualToNothing) {
  const std::string x = folder_.File("x.bin", "");
  const CompareResult result = Compare({.a = x, .b = x, .format = FormatId::kFloat32});
  EXPECT_EQ(result.elements, 0u);
  EXPECT_TRUE(result.agree());
  const std::string a = folder_.File("a.npy", CurrentNpyFile(1, "'<f4'", true, "(3, 0, 2)", ""));
  EXPECT_EQ(Compare({.a = a, .b = a}).shape, (std::vector<std::uint64_t>{3, 0, 2}));
}

// ---- the command --------------------------------------------------------------------------------

class CompareCommand : public testing::Test {
 protected:
  CommandResult Run(const std::string& a, const std::string& b, std::vector<std::string> options) {
    options.insert(options.begin(),
                   {"compare", folder_.File("a.bin", a), folder_.File("b.bin", b)});
    return RunCommand(options);
  }
  void ExpectError(const CommandResult& run, int status, const std::string& part) {
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
  }

  support::TemporaryFolder folder_;
  const std::string a_ = support::Bytes<std::uint16_t>({0x3c00, 0x3c01, 0x7e00, 0x8000, 0x7bff});
  const std::string b_ = support::Bytes<std::uint16_t>({0x3c00, 0x3c04, 0x0001, 0x0000, 0x7c00});
};

TEST_F(CompareCommand, DifferencesAreStatus1WithoutAnErrorLine) {
  const CommandResult run = Run(a_, b_, {"--format", "half"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            "float16: 5 elements: 1 equal, 4 differ\n"
            "\n"
            "  NaN against a number  1\n"
            "  0 ulp                 1\n"
            "  1 ulp                 1\n"
            "  3..4 ulp              1\n"
            "  largest, in ulp       3\n"
            "\n"
            "the worst\n"
            "  element 2: NaN against a number\n"
            "    A  0x7e00  nan\n"
            "    B  0x0001  5.96046448e-08 (0x1p-24)\n"
            "  element 1: 3 ulp\n"
            "    A  0x3c01  1.0009765625\n"
            "    B  0x3c04  1.00390625\n"
            "  element 4: 1 ulp\n"
            "    A  0x7bff  65504\n"
            "    B  0x7c00  inf\n"
            "  element 3: 0 ulp\n"
            "    A  0x8000  -0\n"
            "    B  0x0000  0\n");
}

TEST_F(CompareCommand, AgreementIsOneLineAndStatus0) {
  const CommandResult run = Run(a_, a_, {"--format", "f16"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "float16: 5 elements: 5 equal, 0 differ\n");
}

TEST_F(CompareCommand, WhatAToleranceAcceptsIsShownAndStatus0) {
  const std::string a = support::Bytes<float>({1.0f, 100.0f, -0.0f});
  const std::string b = support::Bytes<float>({1.0f, 100.5f, 0.0f});
  EXPECT_EQ(Run(a, b, {"--format", "f32"}).status, 1);
  EXPECT_EQ(Run(a, b, {"--format", "f32", "--ulp", "0"}).status, 1);
  EXPECT_EQ(Run(a, b, {"--format", "f32", "--atol", "0.5"}).status, 0);
  EXPECT_EQ(Run(a, b, {"--format", "f32", "--rtol", "1/201"}).status, 0);
  EXPECT_EQ(Run(a, b, {"--format", "f32", "--rtol", "1/202"}).status, 1);
  const CommandResult run = Run(a, b, {"--format", "f32", "--ulp", "65536"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.rfind("float32: 3 elements: 1 equal, 2 accepted, 0 differ\n", 0), 0u);
  EXPECT_NE(run.out.find("element 1: 65536 ulp, accepted\n"), std::string::npos) << run.out;
}

TEST_F(CompareCommand, AnUlpBeyond64BitsIsTooLarge) {
  ExpectError(Run(a_, b_, {"--format", "f16", "--ulp", "18446744073709551616"}), 2,
              "--ulp 18446744073709551616: too large");
  ExpectError(Run(a_, b_, {"--format", "f16", "--ulp", "x"}), 2, "not a whole number from 0 up");
  ExpectError(Run(a_, b_, {"--format", "f16", "--ulp", "-1"}), 2, "not a whole number from 0 up");
  ExpectError(Run(a_, b_, {"--format", "f16", "--ulp", ""}), 2, "not a whole number from 0 up");
  EXPECT_EQ(Run(a_, a_, {"--format", "f16", "--ulp", "18446744073709551615"}).status, 0);
}

TEST_F(CompareCommand, NanPayloadsCountWhenAsked) {
  const std::string a = support::Bytes<std::uint16_t>({0x7e00, 0x7e00});
  const std::string b = support::Bytes<std::uint16_t>({0x7e00, 0xfe01});
  EXPECT_EQ(Run(a, b, {"--format", "f16"}).status, 0);
  const CommandResult run =
      Run(a, b, {"--format", "f16", "--nan-payload", "--ulp", "9", "--atol", "9"});
  EXPECT_EQ(run.status, 1);
  EXPECT_NE(run.out.find("element 1: NaNs with different bits\n"), std::string::npos) << run.out;
}

TEST_F(CompareCommand, JsonHasEveryFact) {
  const CommandResult run =
      Run(a_, b_, {"--format", "f16", "--shape", "5,1", "--ulp", "1", "--json"});
  EXPECT_EQ(run.status, 1);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["format"], "float16");
  EXPECT_EQ(json["shape"], (std::vector<int>{5, 1}));
  EXPECT_EQ(json["elements"], 5);
  EXPECT_EQ(json["equal"], 1);
  EXPECT_EQ(json["accepted"], 2);
  EXPECT_EQ(json["differing"], 2);
  EXPECT_EQ(json["nan_against_number"], 1);
  EXPECT_EQ(json["largest_ulp"], 3);
  EXPECT_EQ(json["ulp"], nlohmann::json::parse(R"([{"from": 0, "to": 0, "count": 1},
      {"from": 1, "to": 1, "count": 1}, {"from": 3, "to": 4, "count": 1}])"));
  EXPECT_EQ(json["worst"][1], nlohmann::json::parse(R"({"index": 1, "place": [1, 0], "ulp": 3,
      "accepted": false, "a": {"bits": "0x3c01", "decimal": "1.0009765625"},
      "b": {"bits": "0x3c04", "decimal": "1.00390625"}})"));
  EXPECT_EQ(json["worst"][0]["mismatch"], "NaN against a number");
}

TEST_F(CompareCommand, ComplexElementsAreComparedPartByPart) {
  const CommandResult run = Run(support::Bytes<float>({1, 2, 3, 4}),
                                support::Bytes<float>({1, 2, 3, 5}), {"--format", "c64"});
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out.rfind("complex64: 2 elements of two parts: 3 equal, 1 differ\n", 0), 0u);
  EXPECT_NE(run.out.find("element 1, imaginary part: 2097152 ulp\n"), std::string::npos) << run.out;
}

TEST_F(CompareCommand, LinesFitInEightyColumns) {
  std::mt19937_64 random(3);
  std::string a(32000, '\0');
  std::string b(32000, '\0');
  for (std::string* bytes : {&a, &b}) {
    for (char& byte : *bytes) byte = static_cast<char>(random() & 0xff);
  }
  for (const char* format : {"f64", "s64", "u64", "c128", "f32", "e8m0"}) {
    const CommandResult run = Run(a, b, {"--format", format, "--ulp", "1"});
    std::size_t begin = 0;
    for (std::size_t end; (end = run.out.find('\n', begin)) != std::string::npos; begin = end + 1) {
      EXPECT_LE(end - begin, 80u) << run.out.substr(begin, end - begin);
    }
  }
}

TEST_F(CompareCommand, StandardInputIsRaw) {
  const std::string a = folder_.File("a.bin", a_);
  EXPECT_EQ(RunCommand({"compare", "-", a, "--format", "f16"}, a_).status, 0);
  EXPECT_EQ(RunCommand({"compare", a, "-", "--format", "f16"}, b_).status, 1);
  ExpectError(RunCommand({"compare", a, "-", "--format", "f16"}, a_ + "xx"), 3, "standard input");
  ExpectError(RunCommand({"compare", "-", "-", "--format", "f16"}), 2, "only one");
}

// Pipes, whose length nobody knows before the end.
TEST_F(CompareCommand, StreamsThatEndApartAreRefused) {
  const auto shell = [&](const std::string& a, const std::string& b) {
    const std::string command = "cat " + folder_.File("a.bin", a) + " | { cat " +
                                folder_.File("b.bin", b) + " | " + EXACTCAST_BINARY +
                                " compare /dev/fd/0 /dev/fd/3 --format f16 >" +
                                folder_.Path("out") + " 2>" + folder_.Path("err") + "; } 3<&0";
    const int status = std::system(command.c_str());
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(shell(a_, a_), 0) << support::ReadFile(folder_.Path("err"));
  EXPECT_EQ(shell(a_, b_), 1);
  EXPECT_EQ(shell(a_, a_ + "xx"), 3);
  EXPECT_EQ(support::ReadFile(folder_.Path("err")),
            "exactcast: /dev/fd/3 ends after 5 elements, /dev/fd/0 goes on\n");
  EXPECT_EQ(shell(a_, a_.substr(0, 2)), 3);
  EXPECT_EQ(support::ReadFile(folder_.Path("err")),
            "exactcast: /dev/fd/0 ends after 1 element, /dev/fd/3 goes on\n");
}

TEST_F(CompareCommand, ErrorsAreOneLine) {
  ExpectError(Run(a_, b_, {}), 2, "give it with --format");
  ExpectError(Run(a_, b_, {"--format", "e4m3"}), 2, "float8_e4m3fn");
  ExpectError(Run(a_, b_, {"--format", "f16", "--ulp", "-1"}), 2, "--ulp -1: not a whole number");
  ExpectError(Run(a_, b_, {"--format", "f16", "--ulp", "1.5"}), 2, "--ulp 1.5");
  ExpectError(Run(a_, b_, {"--format", "f16", "--atol", "x"}), 2, "--atol x: not a number");
  ExpectError(Run(a_, b_, {"--format", "f16", "--shape", "2,x"}), 2, "'x' is not a dimension");
  ExpectError(Run(a_, b_, {"--format", "f16", "--shape", "4"}), 3, "expected 8 bytes");
  ExpectError(Run(a_, b_ + "xx", {"--format", "f16"}), 3, "of shape (6,)");
  ExpectError(Run(a_, "x", {"--format", "f16"}), 3, "b.bin: 1 bytes are not a whole number");
  ExpectError(RunCommand({"compare", folder_.Path("a.bin")}), 2, "B is required");
  ExpectError(RunCommand({"compare", folder_.Path("no.npy"), folder_.Path("a.bin")}), 3, "no.npy");
  ExpectError(
      RunCommand({"compare", folder_.Path("a.bin"), folder_.Path("a.bin"), "--format", "uint1"}), 4,
      "uint1");
}

}  // namespace
}  // namespace exactcast
