// SPDX-License-Identifier: Apache-2.0
//
// Raw files and streams through CastFile: packing, sizes, what is refused and in which words.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exactcast/container.h"
#include "exactcast/spec/format.h"
#include "tests/support/npy_recipe.h"
#include "tests/support/temporary_folder.h"

namespace exactcast {
namespace {

using support::Bytes;
using support::CurrentNpyFile;
using support::TemporaryFolder;

FileCastRequest Cast(FormatId from, FormatId to) {
  FileCastRequest request;
  request.from = from;
  request.to = to;
  return request;
}

class Bin : public testing::Test {
 protected:
  // Casts in.bin, made of `bytes`, to out.bin.
  Result<FileCastResult> Run(FileCastRequest request, const std::string& bytes) const {
    request.input = folder().File("in.bin", bytes);
    request.output = folder().Path("out.bin");
    request.force = true;
    return CastFile(request);
  }
  void ExpectOutput(const FileCastRequest& request, const std::string& bytes,
                    const std::string& expected) {
    const Result<FileCastResult> result = Run(request, bytes);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(support::ReadFile(folder().Path("out.bin")), expected);
  }
  static void ExpectRefusal(const Result<FileCastResult>& result, StatusCode code,
                            const std::vector<std::string>& words) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), code) << result.status().message();
    for (const std::string& word : words) {
      EXPECT_NE(result.status().message().find(word), std::string::npos)
          << "no \"" << word << "\" in: " << result.status().message();
    }
  }

  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

TEST_F(Bin, FourBitsPackTwoAndTwoBitsFourToAByteLowestFirst) {
  ExpectOutput(Cast(FormatId::kUint4, FormatId::kUint8), "\x21\x43", "\1\2\3\4");
  ExpectOutput(Cast(FormatId::kUint8, FormatId::kUint4), "\1\2\3", "\x21\x03");
  ExpectOutput(Cast(FormatId::kUint2, FormatId::kUint8), "\xe4", std::string("\0\1\2\3", 4));
  ExpectOutput(Cast(FormatId::kUint8, FormatId::kUint2), "\3\2\1\3\2", "\xdb\x02");
  ExpectOutput(Cast(FormatId::kUint4, FormatId::kUint2), "\x21\x03", "\x39");
}

TEST_F(Bin, UnpackedIsOneElementAByte) {
  FileCastRequest request = Cast(FormatId::kUint4, FormatId::kUint2);
  request.unpacked = true;
  ExpectOutput(request, "\1\2\3", "\1\2\3");
  ExpectOutput(request, "\xf1\xe2", "\1\2");  // unused bits of the input mean nothing
}

TEST_F(Bin, ShapeSaysWhereInTheLastByteToStop) {
  FileCastRequest request = Cast(FormatId::kUint4, FormatId::kUint8);
  request.shape = {3};
  ExpectOutput(request, "\x21\xf3", "\1\2\3");
  request.shape = {5};
  ExpectRefusal(Run(request, "\x21\x43"), StatusCode::kBadInput,
                {"in.bin: expected 3 bytes for shape (5,) of uint4, found 2"});
}

TEST_F(Bin, WrongSizesAreRefusedWithBothNumbers) {
  FileCastRequest request = Cast(FormatId::kFloat32, FormatId::kInt8);
  ExpectRefusal(Run(request, "1234567"), StatusCode::kBadInput,
                {"7 bytes are not a whole number of float32 elements of 4 bytes"});
  request.shape = {2, 3};
  ExpectRefusal(Run(request, std::string(20, '\0')), StatusCode::kBadInput,
                {"expected 24 bytes for shape (2, 3) of float32, found 20"});
  ExpectRefusal(Run(request, std::string(28, '\0')), StatusCode::kBadInput,
                {"expected 24 bytes", "found 28"});
  request.shape = {std::uint64_t{1} << 62, 4};
  ExpectRefusal(Run(request, ""), StatusCode::kBadInput, {"larger than a file can be"});
}

TEST_F(Bin, ShapeIsKept) {
  FileCastRequest request = Cast(FormatId::kUint8, FormatId::kUint8);
  request.shape = {2, 0, 3};
  const Result<FileCastResult> empty = Run(request, "");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->shape, *request.shape);
  request.shape.emplace();
  const Result<FileCastResult> scalar = Run(request, "x");
  ASSERT_TRUE(scalar.ok());
  EXPECT_TRUE(scalar->shape.empty());
  EXPECT_EQ(scalar->elements, 1U);
}

TEST_F(Bin, NamesAreCheckedBeforeFilesAre) {
  FileCastRequest request = Cast(FormatId::kFloat32, FormatId::kInt8);
  request.input = folder().Path("absent.bin");
  request.output = folder().Path("out.bin");
  ExpectRefusal(CastFile(request), StatusCode::kBadInput, {"absent.bin", "no such file"});
  request.from = std::nullopt;
  ExpectRefusal(CastFile(request), StatusCode::kUsage, {"absent.bin", "--from"});
  request.from = FormatId::kInt48;
  EXPECT_NE(CastFile(request).status().code(), StatusCode::kBadInput);
  for (const std::string extension :
       {".npz", ".safetensors", ".json", ".gguf", ".pt", ".pth", ".onnx", ".h5", ".zip", ".NPZ"}) {
    request.input = "absent" + extension;
    ExpectRefusal(CastFile(request), StatusCode::kUsage, {"absent", ".npy", ".bin"});
  }
  request = Cast(FormatId::kFloat32, FormatId::kInt4);
  request.input = "";
  request.output = "out.bin";
  ExpectRefusal(CastFile(request), StatusCode::kUsage, {"name is empty"});
  std::swap(request.input, request.output);
  ExpectRefusal(CastFile(request), StatusCode::kUsage, {"name is empty"});
  request.input = "absent.npy";
  request.output = "out.npy";
  request.unpacked = true;
  ExpectRefusal(CastFile(request), StatusCode::kUsage, {"--unpacked"});
  request.unpacked = false;
  request.packed = true;
  request.input = "absent.bin";
  request.output = "out.bin";
  ExpectRefusal(CastFile(request), StatusCode::kUsage, {"--packed"});
}

// Neither option may be without effect.
TEST_F(Bin, PackingMustMeanSomething) {
  const auto status = [&](FormatId from, FormatId to, const std::string& in, const std::string& out,
                          bool packed, bool unpacked) {
    FileCastRequest request = Cast(from, to);
    request.input = folder().Path(in);
    request.output = folder().Path(out);
    request.packed = packed;
    request.unpacked = unpacked;
    return CastFile(request).status().code();
  };
  const FormatId narrow = FormatId::kInt4;
  const FormatId two = FormatId::kInt2;
  const FormatId wide = FormatId::kFloat32;
  // kBadInput: as far as the input, which is not there.
  EXPECT_EQ(status(wide, narrow, "a.bin", "b.npy", true, false), StatusCode::kBadInput);
  EXPECT_EQ(status(narrow, wide, "a.npy", "b.bin", true, false), StatusCode::kBadInput);
  EXPECT_EQ(status(narrow, narrow, "a.bin", "b.npy", true, true), StatusCode::kBadInput);
  // Without effect but without harm: a script may always say it.
  EXPECT_EQ(status(wide, wide, "a.npy", "b.npy", true, false), StatusCode::kBadInput);
  EXPECT_EQ(status(narrow, wide, "a.bin", "b.npy", true, false), StatusCode::kBadInput);
  EXPECT_EQ(status(wide, wide, "a.bin", "b.bin", false, true), StatusCode::kBadInput);
  EXPECT_EQ(status(two, wide, "a.bin", "b.bin", false, true), StatusCode::kBadInput);
  EXPECT_EQ(status(wide, two, "a.npy", "b.bin", false, true), StatusCode::kBadInput);
  // What is asked for could not be done.
  EXPECT_EQ(status(two, two, "a.npy", "b.npy", true, false), StatusCode::kUsage);
  EXPECT_EQ(status(wide, two, "a.bin", "b.npy", true, false), StatusCode::kUsage);
  EXPECT_EQ(status(narrow, narrow, "a.npy", "b.npy", false, true), StatusCode::kUsage);
  EXPECT_EQ(status(narrow, narrow, "a.npy", "b.npy", true, true), StatusCode::kUsage);
  EXPECT_EQ(status(narrow, narrow, "a.bin", "b.bin", true, false), StatusCode::kUsage);
  EXPECT_EQ(status(narrow, narrow, "a.bin", "b.bin", true, true), StatusCode::kUsage);
}

TEST_F(Bin, FolderIsRefused) {
  FileCastRequest request = Cast(FormatId::kFloat32, FormatId::kInt8);
  request.input = folder().path();
  request.output = folder().Path("out.bin");
  ExpectRefusal(CastFile(request), StatusCode::kBadInput, {folder().path(), "is a folder"});
}

TEST_F(Bin, NpyMagicInARawFileIsAWarning) {
  const Result<FileCastResult> result =
      Run(Cast(FormatId::kUint8, FormatId::kInt16), "\x93NUMPY and more");
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->warnings.size(), 1U);
  EXPECT_NE(result->warnings[0].find("in.bin: begins like a .npy file"), std::string::npos);
}

TEST_F(Bin, MessagesStayOneLineWhateverTheName) {
  FileCastRequest request = Cast(FormatId::kFloat32, FormatId::kInt8);
  request.input = "a\nb.bin";
  request.output = "out.bin";
  ExpectRefusal(CastFile(request), StatusCode::kBadInput, {"a\\x0ab.bin"});
}

// More than a block, to a prime number of elements, so that every block boundary matters.
TEST_F(Bin, ManyBlocks) {
  constexpr std::size_t kElements = 1000003;
  std::string in(kElements, '\0');
  for (std::size_t i = 0; i < kElements; ++i) in[i] = static_cast<char>(i * i % 13);
  std::string expected((kElements + 1) / 2, '\0');
  for (std::size_t i = 0; i < kElements; ++i) {
    expected[i / 2] = static_cast<char>(expected[i / 2] | in[i] << (i % 2 * 4));
  }
  ExpectOutput(Cast(FormatId::kUint8, FormatId::kUint4), in, expected);
  in[700001] = 16;
  FileCastRequest request = Cast(FormatId::kUint8, FormatId::kUint4);
  request.strict = true;
  ExpectRefusal(Run(request, in), StatusCode::kBadInput, {"element 700001 (16)"});
}

// ---- Streams ------------------------------------------------------------------------------------

// The reading end of a pipe that another thread fills, as a path.
class Feed {
 public:
  explicit Feed(const std::string& bytes) {
    EXPECT_EQ(pipe(ends_), 0);
    writer_ = std::thread([this, data = bytes] {
      // In odd pieces, so that reads are cut within elements.
      for (std::size_t at = 0; at < data.size();) {
        const std::size_t size = std::min<std::size_t>(data.size() - at, 40961);
        const ssize_t written = write(ends_[1], data.data() + at, size);
        if (written <= 0) break;
        at += static_cast<std::size_t>(written);
      }
      close(ends_[1]);
    });
  }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;
  ~Feed() {
    close(ends_[0]);
    writer_.join();
  }
  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }
  [[nodiscard]] int fd() const { return ends_[0]; }

 private:
  int ends_[2] = {-1, -1};
  std::thread writer_;
};

TEST_F(Bin, StreamIsReadToItsEnd) {
  constexpr std::size_t kElements = 600001;
  std::string in;
  std::string expected;
  for (std::size_t i = 0; i < kElements; ++i) {
    in += Bytes<std::int16_t>({static_cast<std::int16_t>(i % 100)});
    expected += static_cast<char>(i % 100);
  }
  const Feed feed(in);
  FileCastRequest request = Cast(FormatId::kInt16, FormatId::kInt8);
  request.input = feed.path();
  request.output = folder().Path("out.npy");
  const Result<FileCastResult> result = CastFile(request);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->elements, kElements);
  // The header was written before the length was known.
  EXPECT_EQ(support::ReadFile(request.output),
            CurrentNpyFile(1, "'|i1'", false, "(600001,)", expected));
}

TEST_F(Bin, StreamMustBeWhatShapeSays) {
  FileCastRequest request = Cast(FormatId::kFloat32, FormatId::kFloat64);
  request.output = folder().Path("out.npy");
  request.shape = {1, 2};
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {std::string(7, 'x'), "expected 8 bytes of data, found 7"},
      {std::string(9, 'x'), "expected 8 bytes for shape (1, 2) of float32, found more"}};
  for (const auto& [bytes, message] : wrong) {
    const Feed feed(bytes);
    request.input = feed.path();
    ExpectRefusal(CastFile(request), StatusCode::kBadInput, {message});
    EXPECT_TRUE(folder().Names().empty());
  }
  const Feed feed(Bytes<float>({1, 2}));
  request.input = feed.path();
  EXPECT_TRUE(CastFile(request).ok());
  EXPECT_EQ(support::ReadFile(request.output),
            CurrentNpyFile(1, "'<f8'", false, "(1, 2)", Bytes<double>({1, 2})));
}

TEST_F(Bin, StreamThatEndsWithinAnElementIsRefused) {
  const Feed feed("12345");
  FileCastRequest request = Cast(FormatId::kInt16, FormatId::kInt8);
  request.input = feed.path();
  request.output = folder().Path("out.bin");
  ExpectRefusal(CastFile(request), StatusCode::kBadInput,
                {"5 bytes are not a whole number of int16 elements of 2 bytes"});
}

TEST_F(Bin, PackedNpyFromAStreamNeedsAnEvenEnd) {
  FileCastRequest request = Cast(FormatId::kUint8, FormatId::kUint4);
  request.output = folder().Path("out.npy");
  request.packed = true;
  {
    const Feed feed("\1\2\3");
    request.input = feed.path();
    ExpectRefusal(CastFile(request), StatusCode::kBadInput, {"out.npy", "(3,)"});
  }
  const Feed feed("\1\2\3\4");
  request.input = feed.path();
  ASSERT_TRUE(CastFile(request).ok());
  EXPECT_EQ(support::ReadFile(request.output),
            CurrentNpyFile(1, "'|u1'", false, "(2,)", "\x21\x43"));
}

TEST_F(Bin, FileOfProcIsReadToItsEnd) {
  FileCastRequest request = Cast(FormatId::kUint8, FormatId::kUint8);
  request.output = folder().Path("out.bin");
  request.force = true;
  for (const std::string path :
       {"/proc/self/comm", "/sys/kernel/mm/transparent_hugepage/enabled"}) {
    std::ifstream file(path);
    if (!file) continue;
    const std::string expected{std::istreambuf_iterator<char>(file), {}};
    request.input = path;
    const Result<FileCastResult> result = CastFile(request);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(support::ReadFile(request.output), expected);
  }
  EXPECT_TRUE(Run(Cast(FormatId::kUint8, FormatId::kUint8), "").ok());
}

// The name says what a pipe carries, as it does for a file.
class NpyPipe : public Bin {
 protected:
  Result<FileCastResult> RunPipe(FileCastRequest request, const std::string& bytes) {
    request.input = folder().Path("pipe.npy");
    request.output = folder().Path("out.npy");
    request.force = true;
    EXPECT_EQ(mkfifo(request.input.c_str(), 0600), 0);
    std::thread writer([&] {
      std::ofstream pipe(request.input, std::ios::binary);
      pipe.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    });
    Result<FileCastResult> result = CastFile(request);
    writer.join();
    unlink(request.input.c_str());
    return result;
  }
};

TEST_F(NpyPipe, IsReadAsNpy) {
  const std::string three =
      CurrentNpyFile(1, "'<i2'", false, "(3,)", Bytes<std::int16_t>({1, 2, 3}));
  FileCastRequest request;
  request.to = FormatId::kInt8;
  const Result<FileCastResult> result = RunPipe(request, three);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(support::ReadFile(folder().Path("out.npy")),
            CurrentNpyFile(1, "'|i1'", false, "(3,)", "\1\2\3"));
  EXPECT_TRUE(result->warnings.empty());

  const Result<FileCastResult> longer = RunPipe(request, three + "x");
  ASSERT_TRUE(longer.ok()) << longer.status().message();
  ASSERT_EQ(longer->warnings.size(), 1U);
  EXPECT_NE(longer->warnings[0].find("what follows the data is ignored"), std::string::npos);
  ExpectRefusal(RunPipe(request, three.substr(0, three.size() - 1)), StatusCode::kBadInput,
                {"pipe.npy: expected 6 bytes of data, found 5"});
  ExpectRefusal(RunPipe(request, three.substr(0, 9)), StatusCode::kBadInput,
                {"ends within its first 10 bytes"});
  ExpectRefusal(RunPipe(request, "123456"), StatusCode::kBadInput, {"not a .npy file"});
}

TEST_F(NpyPipe, PackedFortranOrderGoesThroughMemory) {
  // [[1, 2, 3, 4], [5, 6, 7, 8]]; packed: [[0x21, 0x43], [0x65, 0x87]]
  const std::string plain = CurrentNpyFile(1, "'|V1'", true, "(2, 4)", "\1\5\2\6\3\7\4\x8");
  const std::string small = CurrentNpyFile(1, "'|u1'", true, "(2, 2)", "\x21\x65\x43\x87");
  FileCastRequest request = Cast(FormatId::kUint4, FormatId::kUint4);
  request.packed = true;
  for (const std::string& in : {plain, small}) {
    const Result<FileCastResult> result = RunPipe(request, in);
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(support::ReadFile(folder().Path("out.npy")), small);
    ExpectRefusal(RunPipe(request, in.substr(0, in.size() - 1)), StatusCode::kBadInput,
                  {"bytes of data, found"});
  }
  // A header may promise more than there is memory.
  ExpectRefusal(RunPipe(request, CurrentNpyFile(1, "'|u1'", true, "(2, 1000000000000000000)", "x")),
                StatusCode::kBadInput, {"bytes of data, found 1"});
}

TEST_F(Bin, StandardInputIsRaw) {
  const Feed feed("\1\2");
  const int saved = dup(STDIN_FILENO);
  ASSERT_GE(dup2(feed.fd(), STDIN_FILENO), 0);
  FileCastRequest request = Cast(FormatId::kUint8, FormatId::kUint16);
  request.input = "-";
  request.output = folder().Path("out.bin");
  const Result<FileCastResult> result = CastFile(request);
  dup2(saved, STDIN_FILENO);
  close(saved);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(support::ReadFile(request.output), Bytes<std::uint16_t>({1, 2}));
  request.from = std::nullopt;
  ExpectRefusal(CastFile(request), StatusCode::kUsage, {"standard input", "--from"});
}

TEST_F(Bin, PipeByNameIsAStream) {
  const std::string path = folder().Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    const int fd = open(path.c_str(), O_WRONLY);
    EXPECT_EQ(write(fd, "\1\2\3", 3), 3);
    close(fd);
  });
  FileCastRequest request = Cast(FormatId::kUint8, FormatId::kInt8);
  request.input = path;
  request.output = folder().Path("out.bin");
  const Result<FileCastResult> result = CastFile(request);
  writer.join();
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->elements, 3U);
}

}  // namespace
}  // namespace exactcast
