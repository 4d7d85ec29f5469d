// SPDX-License-Identifier: Apache-2.0
//
// Views that meet in memory: in place where that is defined, and the refusal of everything else.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "exactcast/view.h"

namespace exactcast {
namespace {

using Shape = std::vector<std::uint64_t>;
using Strides = std::vector<std::int64_t>;

std::vector<std::byte> RandomBytes(std::size_t n) {
  std::mt19937 random(5);
  std::vector<std::byte> bytes(n);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Casts n elements over themselves; bits and counts are those of other memory.
void ExpectInPlace(const CastRequest& request, std::size_t n, int threads) {
  const Plan plan = *MakePlan(request);
  std::vector<std::byte> memory = RandomBytes(plan.InputBytes(n));
  std::vector<std::byte> expected(plan.OutputBytes(n));
  const std::vector<std::byte> original = memory;
  const Counts counts = plan.Run(memory.data(), expected.data(), n, {.threads = 1});
  const Shape shape = {n};
  const Result<Counts> got =
      CastView(plan, {memory.data(), shape, {}}, {memory.data(), shape, {}}, {.threads = threads});
  const std::string what = std::string(plan.from().name) + " to " + std::string(plan.to().name);
  ASSERT_TRUE(got.ok()) << what << ": " << got.status().message();
  EXPECT_EQ(*got, counts) << what;
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory.begin())) << what;
  EXPECT_TRUE(std::equal(memory.begin() + static_cast<std::ptrdiff_t>(expected.size()),
                         memory.end(),
                         original.begin() + static_cast<std::ptrdiff_t>(expected.size())))
      << what << ": what follows the results stays";
}

TEST(CastViewInPlace, ToTheSameWidthAndToNarrowerOnesForwards) {
  const Packing packed = Packing::kPacked;
  for (const CastRequest& request : std::vector<CastRequest>{
           {.from = FormatId::kFloat32, .to = FormatId::kInt32},
           {.from = FormatId::kFloat32, .to = FormatId::kFloat32},
           {.from = FormatId::kUint8, .to = FormatId::kInt8},
           {.from = FormatId::kFloat8E4m3fn, .to = FormatId::kHifloat8},
           {.from = FormatId::kFloat32, .to = FormatId::kFloat16},
           {.from = FormatId::kFloat32, .to = FormatId::kFloat8E4m3fn},
           {.from = FormatId::kFloat64, .to = FormatId::kInt8},
           {.from = FormatId::kInt16, .to = FormatId::kUint8},
           {.from = FormatId::kComplex64, .to = FormatId::kFloat32},
           {.from = FormatId::kComplex64, .to = FormatId::kComplex32},
           {.from = FormatId::kComplex64, .to = FormatId::kFloat64},
           {.from = FormatId::kComplex32, .to = FormatId::kBool},
           {.from = FormatId::kInt8, .to = FormatId::kInt4, .output_packing = packed},
           {.from = FormatId::kInt4,
           .to = FormatId::kFloat4E2m1fn,
           .input_packing = packed,
           .output_packing = packed},
           {.from = FormatId::kInt4,
           .to = FormatId::kInt2,
           .input_packing = packed,
           .output_packing = packed}}) {
    for (std::size_t n : {1u, 7u, 1023u, 1025u, 200'003u}) ExpectInPlace(request, n, 4);
  }
}

TEST(CastViewInPlace, WithEqualStridesEveryElementStaysInItsPlace) {
  const Plan plan = *MakePlan({.from = FormatId::kFloat32, .to = FormatId::kFloat16});
  const Shape shape = {300, 700};
  const Strides strides = {4, 1200};
  std::vector<std::byte> memory = RandomBytes(840'000);
  std::vector<std::byte> expected = memory;
  for (std::size_t i = 0; i < memory.size(); i += 4) plan.Run(&memory[i], &expected[i], 1);
  const std::byte* data = memory.data();
  ASSERT_TRUE(
      CastView(plan, {data, shape, strides}, {memory.data(), shape, strides}, {.threads = 4}).ok());
  EXPECT_TRUE(memory == expected);
}

TEST(CastViewInPlace, InterleavedViewsOfEqualStridesDoNotMeet) {
  const Plan plan = *MakePlan({.from = FormatId::kFloat32, .to = FormatId::kInt32});
  std::vector<std::uint32_t> memory = {0x40000000, 7, 0x40400000, 7, 0x40800000, 7};
  const Shape shape = {3};
  const Strides strides = {8};
  ASSERT_TRUE(
      CastView(plan, {memory.data(), shape, strides}, {memory.data() + 1, shape, strides}).ok());
  EXPECT_EQ(memory, (std::vector<std::uint32_t>{0x40000000, 2, 0x40400000, 3, 0x40800000, 4}));
}

// ---- refusals -----------------------------------------------------------------------------------

class CastViewRefusal : public testing::Test {
 protected:
  struct Place {
    std::size_t begin = 0;  // in bytes
    Shape shape;
    Strides strides;
  };

  // From float32 to `to`, both in one piece of memory; nothing is written.
  void Expect(const Place& in, const Place& out, const std::string& message,
              FormatId to = FormatId::kFloat32) {
    const std::vector<std::byte> before = memory_;
    const Plan plan = *MakePlan({.from = FormatId::kFloat32, .to = to});
    const Result<Counts> got = CastView(plan, {&memory_[in.begin], in.shape, in.strides},
                                        {&memory_[out.begin], out.shape, out.strides});
    ASSERT_FALSE(got.ok()) << message;
    EXPECT_EQ(got.status().code(), StatusCode::kUsage);
    EXPECT_NE(got.status().message().find(message), std::string::npos) << got.status().message();
    EXPECT_EQ(got.status().message().find('\n'), std::string::npos);
    EXPECT_TRUE(memory_ == before);
  }

  std::vector<std::byte> memory_ = RandomBytes(4096);
};

TEST_F(CastViewRefusal, OfShapesThatDiffer) {
  Expect({0, {2, 3}, {}}, {2048, {3, 2}, {}},
         "the input is of shape [2, 3], the output of [3, 2]; give both one shape");
  Expect({0, {6}, {}}, {2048, {6, 1}, {}}, "give both one shape");
  Expect({0, {}, {}}, {2048, {1}, {}}, "give both one shape");
}

TEST_F(CastViewRefusal, OfStridesThatAreNotOneADimension) {
  Expect({0, {2, 3}, {4}}, {2048, {2, 3}, {}}, "the input has 1 strides for 2 dimensions");
  Expect({0, {2}, {}}, {2048, {2}, {4, 4}}, "the output has 2 strides for 1 dimensions");
  Expect({0, {0}, {}}, {2048, {0}, {4, 4}}, "the output has 2 strides for 1 dimensions");
}

TEST_F(CastViewRefusal, OfOutputElementsThatOverlap) {
  const std::string message = "elements of the output overlap each other";
  Expect({0, {2}, {}}, {2048, {2}, {0}}, message);
  Expect({0, {2}, {}}, {2048, {2}, {3}}, message);
  Expect({0, {2}, {}}, {2048, {2}, {-3}}, message);
  Expect({0, {3, 2}, {}}, {2048, {3, 2}, {4, 8}}, message);
  Expect({0, {3, 4}, {}}, {2048, {3, 4}, {12, 4}}, message);
}

TEST_F(CastViewRefusal, OfMemoryThatMeets) {
  const std::string message = "the memory of input and output overlaps";
  Expect({0, {8}, {}}, {4, {8}, {}}, message);
  Expect({4, {8}, {}}, {0, {8}, {}}, message);
  Expect({0, {8}, {}}, {31, {8}, {}}, message);
  Expect({0, {8}, {}}, {28, {8}, {-4}}, message);   // reversed over itself
  Expect({0, {4}, {8}}, {2, {4}, {8}}, message);    // interleaved, too close
  Expect({0, {4}, {8}}, {4, {4}, {12}}, message);   // not to be shown apart
  Expect({0, {8}, {0}}, {0, {8}, {}}, "in place");  // spread over itself
  Expect({16, {8}, {0}}, {0, {8}, {}}, message);
}

TEST_F(CastViewRefusal, OfInPlaceThatIsNotForwards) {
  Expect({0, {8}, {}}, {0, {8}, {}}, "float32 to float64 widens, which does not go in place",
         FormatId::kFloat64);
  Expect({0, {2, 3}, {4, 8}}, {0, {2, 3}, {}}, "in place both views are in C order");
  Expect({0, {8}, {}}, {0, {8}, {8}}, "in place both views are in C order", FormatId::kFloat16);
  // Equal strides, but elements of the input reach over each other.
  Expect({0, {8}, {2}}, {0, {8}, {2}}, "in place both views are in C order", FormatId::kFloat16);
}

TEST_F(CastViewRefusal, OfWhatNoMemoryHolds) {
  constexpr std::int64_t kFarthest = std::numeric_limits<std::int64_t>::max();
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::string message = "beyond the address space";
  Expect({0, {kMost, kMost}, {0, 0}}, {2048, {kMost, kMost}, {}}, message);
  Expect({0, {std::uint64_t{1} << 60}, {0}}, {2048, {std::uint64_t{1} << 60}, {}}, message);
  for (std::int64_t stride : {kFarthest, -kFarthest - 1, -(kFarthest / 4)}) {
    Expect({0, {3}, {stride}}, {2048, {3}, {}}, message);
    Expect({0, {3}, {}}, {2048, {3}, {stride}}, message);
  }
  const Shape shape = {2};
  const Plan plan = *MakePlan({.from = FormatId::kFloat32, .to = FormatId::kFloat16});
  const Result<Counts> none = CastView(plan, {nullptr, shape, {}}, {memory_.data(), shape, {}});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().message(), "the input has no address, and elements; give its data");
}

}  // namespace
}  // namespace exactcast
