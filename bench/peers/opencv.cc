// SPDX-License-Identifier: Apache-2.0
//
// OpenCV's convertTo and convertFp16, where CMake found OpenCV.
#include "bench/peers/peers.h"

#if defined(EXACTCAST_HAS_OPENCV)
#include <opencv2/core.hpp>
#endif

namespace exactcast::bench {
namespace {

#if defined(EXACTCAST_HAS_OPENCV)

// The depth of a Mat; negative where it has none.
int Depth(FormatId id) {
  switch (id) {
    case FormatId::kUint8:
      return CV_8U;
    case FormatId::kInt8:
      return CV_8S;
    case FormatId::kUint16:
      return CV_16U;
    case FormatId::kInt16:
      return CV_16S;
    case FormatId::kInt32:
      return CV_32S;
    case FormatId::kFloat32:
      return CV_32F;
    case FormatId::kFloat64:
      return CV_64F;
    default:
      return -1;
  }
}

class OpencvPeer : public Peer {
 public:
  OpencvPeer() { cv::setNumThreads(1); }
  [[nodiscard]] std::string Name() const override { return "OpenCV"; }
  [[nodiscard]] std::string Version() const override { return CV_VERSION; }

  std::optional<Contender> Prepare(const Subject& subject, const Arrays& arrays) override {
    const Row& row = subject.row;
    if (row.rescale || row.rounding != Rounding::kTiesToEven) return std::nullopt;
    const bool to_half = row.from == FormatId::kFloat32 && row.to == FormatId::kFloat16;
    const bool from_half = row.from == FormatId::kFloat16 && row.to == FormatId::kFloat32;
    const bool half = to_half || from_half;
    const int from = from_half ? CV_16S : Depth(row.from);
    const int to = to_half ? CV_16S : Depth(row.to);
    if (from < 0 || to < 0 || (from == to && !half)) return std::nullopt;
    // Rows of 1,024 elements: a Mat counts its rows and columns in int.
    const int columns = 1024;
    const int rows = static_cast<int>(arrays.n / 1024);
    const cv::Mat in(rows, columns, from, const_cast<std::byte*>(arrays.in));
    const cv::Mat out(rows, columns, to, arrays.out);
    return Timed(Role::kPeer, Name(), half ? "convertFp16" : "convertTo", false,
                 [in, out, to, half]() mutable {
                   if (half) {
                     cv::convertFp16(in, out);
                   } else {
                     in.convertTo(out, to);
                   }
                 });
  }
};

#else

class OpencvPeer : public Peer {
 public:
  [[nodiscard]] std::string Name() const override { return "OpenCV"; }
  [[nodiscard]] std::string Version() const override {
    return "absent: CMake found none when it configured (Debian: libopencv-core-dev)";
  }
  std::optional<Contender> Prepare(const Subject&, const Arrays&) override { return std::nullopt; }
};

#endif

}  // namespace

std::unique_ptr<Peer> MakeOpencvPeer() { return std::make_unique<OpencvPeer>(); }

}  // namespace exactcast::bench
