// SPDX-License-Identifier: Apache-2.0
//
// CompareFiles: two files of one array each, and the one that both were made from. What is done with
// them is compare_arrays.h's matter.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "exactcast/compare.h"
#include "src/compare_arrays.h"
#include "src/containers/container_row.h"
#include "src/containers/descriptor.h"
#include "src/containers/input_file.h"
#include "src/difference_tally.h"
#include "src/judge.h"

namespace exactcast {
namespace {

Status Named(const std::string& path, const Status& status) {
  return {status.code(), fmt::format("{}: {}", InputName(path), status.message())};
}

// ---- What has to be right before any element is read --------------------------------------------

struct Side {
  std::string path;
  InputFile file;
  const ContainerRow* container;
  InputLayout layout = {};

  ArraySide Array() { return {InputName(path), &file, &layout}; }
};

struct Rows {
  const ContainerRow* a;
  const ContainerRow* b;
};

Result<Rows> CheckRequest(const CompareRequest& request) {
  const Result<const ContainerRow*> a = FindContainer(request.a);
  if (!a.ok()) return a.status();
  const Result<const ContainerRow*> b = FindContainer(request.b);
  if (!b.ok()) return b.status();
  Status status =
      CheckPacking(request.packed, request.unpacked, {*a, request.format}, {*b, request.format});
  if (!status.ok()) return status;
  if (request.format && GetFormat(*request.format).use != Use::kCast) {
    return Unsupported(fmt::format("{} is not a format of tensor files that are compared",
                                   GetFormat(*request.format).name));
  }
  const std::optional<int> stream = HandedOver(request.b, STDIN_FILENO);
  if (stream && HandedOver(request.a, STDIN_FILENO) == stream) {
    return UsageError(fmt::format("only one of the two can be {}", InputName(request.b)));
  }
  // Before the other file is opened, which could get its number.
  if (stream && !IsOpen(*stream)) return Named(request.b, BadInput(ErrorText(EBADF)));
  return Rows{*a, *b};
}

Status CheckPermitted(const CompareRequest& request) {
  if (!request.permitted) return {};
  if (request.ulp || request.atol || request.rtol || request.nan_payload) {
    return UsageError(
        "--permitted decides alone; leave --ulp, --atol, --rtol and --nan-payload out");
  }
  const std::optional<int> stream = HandedOver(request.permitted->source, STDIN_FILENO);
  for (const std::string& other : {request.a, request.b}) {
    if (stream && HandedOver(other, STDIN_FILENO) == stream) {
      return UsageError(fmt::format("only one of the files can be {}", InputName(other)));
    }
  }
  if (stream && !IsOpen(*stream))
    return Named(request.permitted->source, BadInput(ErrorText(EBADF)));
  return {};
}

Result<Side> Open(const std::string& path, const ContainerRow* container) {
  Result<InputFile> file = InputFile::Open(path);
  if (!file.ok()) return file.status();
  return Side{.path = path, .file = std::move(*file), .container = container};
}

// Reads what precedes the data. `other`, where it has been read already, fills in what a raw file
// does not say.
Status ReadLayout(const CompareRequest& request, const Side* other, Side* side) {
  ReadRequest read = {.from = request.format,
                      .shape = request.shape,
                      .unpacked = request.unpacked,
                      .packed = request.packed,
                      .from_option = "--format"};
  const bool raw = side->container == &kRawContainer;
  if (raw && other != nullptr) {
    const bool other_says = other->container != &kRawContainer || !side->file.regular();
    if (!read.from) read.from = other->layout.format;
    if (!read.shape && other_says && other->layout.elements) read.shape = other->layout.shape;
  }
  Result<InputLayout> layout = side->container->read(side->file, read);
  if (!layout.ok()) return Named(side->path, layout.status());
  side->layout = std::move(*layout);
  return {};
}

// How much a file says about itself.
int Knowledge(const Side& side) {
  return side.container != &kRawContainer ? 2 : side.file.regular() ? 1 : 0;
}

Status ReadLayouts(const CompareRequest& request, Side* a, Side* b) {
  Side* first = Knowledge(*a) >= Knowledge(*b) ? a : b;
  Side* second = first == a ? b : a;
  if (Status status = ReadLayout(request, nullptr, first); !status.ok()) return status;
  if (Status status = ReadLayout(request, first, second); !status.ok()) return status;
  const auto refuse = [&](std::string_view of_a, std::string_view of_b, std::string_view advice) {
    return BadInput(fmt::format("{} is {}, {} is {}; {}", InputName(a->path), of_a,
                                InputName(b->path), of_b, advice));
  };
  if (a->layout.format != b->layout.format) {
    return refuse(GetFormat(a->layout.format).name, GetFormat(b->layout.format).name,
                  "cast one to the format of the other");
  }
  if (a->layout.elements && b->layout.elements && a->layout.shape != b->layout.shape) {
    return refuse(fmt::format("of shape {}", ShapeText(a->layout.shape)),
                  fmt::format("of shape {}", ShapeText(b->layout.shape)),
                  "only tensors of one shape can be compared");
  }
  return {};
}

// The tensor that was cast, and who judges its results.
struct Origin {
  Side side;
  std::unique_ptr<const Judge> judge;
};

// Channels lie along the last dimension, in C order.
Status CheckChannels(const PermittedRequest& request, const Side& a) {
  if (!request.rescale || !request.rescale->per_channel) return {};
  if (a.layout.fortran_order) {
    return Named(a.path,
                 UsageError("it is in Fortran order, and channels are in C order; save it in "
                            "C order"));
  }
  const std::size_t channels = request.rescale->multipliers.size();
  if (!a.layout.shape.empty() && a.layout.shape.back() == channels) return {};
  return Named(a.path,
               BadInput(fmt::format("its last dimension is not the {} channels of the attributes",
                                    channels)));
}

Result<Origin> OpenOrigin(const PermittedRequest& request, const Side& a) {
  const Result<const ContainerRow*> container = FindContainer(request.source);
  if (!container.ok()) return container.status();
  Result<Side> side = Open(request.source, *container);
  if (!side.ok()) return side.status();
  const std::optional<Shape> shape =
      a.layout.elements ? std::optional(a.layout.shape) : std::nullopt;
  const bool raw = side->container == &kRawContainer;
  Result<InputLayout> layout = side->container->read(
      side->file, {.from = request.source_format, .shape = raw ? shape : std::nullopt});
  if (!layout.ok()) return Named(request.source, layout.status());
  side->layout = std::move(*layout);
  if (side->layout.elements && shape && side->layout.shape != *shape) {
    return BadInput(fmt::format("{} is of shape {}, {} of shape {}; it cannot be made from that",
                                InputName(request.source), ShapeText(side->layout.shape),
                                InputName(a.path), ShapeText(*shape)));
  }
  if (Status status = CheckChannels(request, a); !status.ok()) return status;
  Result<std::unique_ptr<const Judge>> judge =
      request.rescale ? MakeRescaleJudge(request, side->layout.format, a.layout.format)
                      : MakeCastJudge(request, side->layout.format, a.layout.format);
  if (!judge.ok()) return judge.status();
  return Origin{std::move(*side), std::move(*judge)};
}

}  // namespace

Result<CompareResult> CompareFiles(const CompareRequest& request) {
  const Result<Rows> rows = CheckRequest(request);
  if (!rows.ok()) return rows.status();
  if (Status status = CheckPermitted(request); !status.ok()) return status;
  Result<std::optional<NearEnough>> near = ParseNearEnough(request);
  if (!near.ok()) return near.status();

  Result<Side> a = Open(request.a, rows->a);
  if (!a.ok()) return a.status();
  Result<Side> b = Open(request.b, rows->b);
  if (!b.ok()) return b.status();
  if (Status status = ReadLayouts(request, &*a, &*b); !status.ok()) return status;
  if (!request.permitted) {
    return CompareArrays(request, *near, a->Array(), b->Array(), nullptr, nullptr);
  }
  Result<Origin> origin = OpenOrigin(*request.permitted, *a);
  if (!origin.ok()) return origin.status();
  const ArraySide source = origin->side.Array();
  return CompareArrays(request, *near, a->Array(), b->Array(), &source, origin->judge.get());
}

}  // namespace exactcast
