// SPDX-License-Identifier: Apache-2.0
//
// CastFile: what has to be right before anything is created, the headers, and the summary. The
// elements are containers/pump.h's matter, how containers look and how files appear that of the
// rest of containers/.
#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "exactcast/container.h"
#include "exactcast/derive.h"
#include "exactcast/number_text.h"
#include "exactcast/spec/profile.h"
#include "src/containers/byte_sink.h"
#include "src/containers/container_row.h"
#include "src/containers/element_reader.h"
#include "src/containers/output_file.h"
#include "src/containers/pump.h"

namespace exactcast {
namespace {

// "in.npy: what is wrong with it"
std::string About(const std::string& name, std::string_view message) {
  return fmt::format("{}: {}", name, message);
}

CastRequest ToCastRequest(const FileCastRequest& request, FormatId from) {
  return {.from = from,
          .to = request.to,
          .profile = request.profile,
          .rounding = request.rounding,
          .overflow = request.overflow,
          .nan = request.nan,
          .dequantization = request.dequantization,
          .float_rounding = request.float_rounding,
          .flush_subnormals = request.flush_subnormals,
          .nan_to_integer = request.nan_to_integer};
}

// One run of CastFile: each step fills in what the next needs.
class FileCast {
 public:
  explicit FileCast(const FileCastRequest& request)
      : request_(request),  // a copy: `to` may have to be derived
        input_name_(InputName(request.input)),
        output_name_(OutputName(request.output)) {}

  Result<FileCastResult> Run() {
    return WithPlan<FileCastResult>(
        [&](const Plan& plan, const OutputPlace& place, ElementReader* reader) {
          return CastData(plan, place, reader);
        });
  }

  Result<Plan> MakeOnly() {
    if (!request_.input.empty() || !request_.output.empty()) {
      return WithPlan<Plan>(
          [](const Plan& plan, const OutputPlace&, ElementReader*) { return Result<Plan>(plan); });
    }
    if (Status status = CheckCounts(request_); !status.ok()) return status;
    if (!request_.from)
      return UsageError("without INPUT its format is not known; give it with --from");
    if (Status status = DeriveTarget(*request_.from); !status.ok()) return status;
    return MakePlan(ToCastRequest(request_, *request_.from));
  }

 private:
  // Calls use(plan, output's place, reader) once all that precedes the data is right.
  template <typename T, typename Use>
  Result<T> WithPlan(const Use& use) {
    if (Status status = CheckRequest(); !status.ok()) return status;
    const Result<OutputPlace> place = OutputPlace::Find(request_.output);
    if (!place.ok()) return place.status();
    Result<InputFile> input = InputFile::Open(request_.input);
    if (!input.ok()) return input.status();
    if (Status status = CheckFiles(*input, *place); !status.ok()) return status;
    if (Status status = ReadLayout(&*input); !status.ok()) return status;
    if (Status status = MakeLayout(*place); !status.ok()) return status;

    ElementReader reader(*input, in_);
    CastRequest cast = ToCastRequest(request_, in_.format);
    cast.input_packing = reader.packing();
    cast.output_packing = out_.pairs_apart ? Packing::kUnpacked : out_.packing;
    const Result<Plan> plan = MakePlan(cast);
    if (!plan.ok()) return plan.status();
    return use(*plan, *place, &reader);
  }

  Status OfInput(const Status& status) const {
    return {status.code(), About(input_name_, status.message())};
  }
  Status OfOutput(const Status& status) const {
    return {status.code(), About(output_name_, status.message())};
  }

  // All that can be said from the request alone.
  Status CheckRequest() {
    if (Status status = CheckCounts(request_); !status.ok()) return status;
    const Result<const ContainerRow*> in = FindContainer(request_.input);
    if (!in.ok()) return in.status();
    const Result<const ContainerRow*> out = FindContainer(request_.output);
    if (!out.ok()) return out.status();
    in_row_ = *in;
    out_row_ = *out;
    if (in_row_ == &kRawContainer && !request_.from) {
      return OfInput(UsageError("raw elements do not say their format; give it with --from"));
    }
    if (!request_.from) return {};
    if (Status status = DeriveTarget(*request_.from); !status.ok()) return status;
    if (Status status = CheckPackingOf(request_.from); !status.ok()) return status;
    const Result<Plan> plan = MakePlan(ToCastRequest(request_, *request_.from));
    return plan.ok() ? Status() : plan.status();
  }

  Status DeriveTarget(FormatId from) {
    if (!request_.derive_with) return {};
    const ScalarElement& scalar = *request_.derive_with;
    const Result<Derived> derived =
        Derive("aclnn", {{OperandKind::kTensor, from}, {OperandKind::kScalar, scalar.format}});
    if (!derived.ok()) return derived.status();
    request_.to = derived->storage;
    const Format& part = GetFormat(GetFormat(request_.to).part);
    const Outcome outcome = CastScalar(scalar, request_.to).outcome;
    const bool lost =
        outcome == Outcome::kOverflowed || (outcome == Outcome::kNan && !HasNan(part));
    if (request_.strict && lost) {
      return BadInput(
          fmt::format("the scalar {} does not fit {}; leave --strict out to cast it all the same",
                      ValueText(scalar.word, GetFormat(GetFormat(scalar.format).part)),
                      GetFormat(request_.to).name));
    }
    return {};
  }

  [[nodiscard]] Status CheckPackingOf(std::optional<FormatId> from) const {
    return CheckPacking(request_.packed, request_.unpacked, {.container = in_row_, .format = from},
                        {.container = out_row_, .format = request_.to});
  }

  [[nodiscard]] Status CheckFiles(const InputFile& input, const OutputPlace& place) const {
    if (!place.facts || !input.IsSameFileAs(*place.facts)) return {};
    return UsageError(fmt::format("{} and {} are the same file; write to another name", input_name_,
                                  output_name_));
  }

  Status ReadLayout(InputFile* input) {
    Result<InputLayout> layout = in_row_->read(*input, {.from = request_.from,
                                                        .shape = request_.shape,
                                                        .unpacked = request_.unpacked,
                                                        .packed = request_.packed});
    if (!layout.ok()) return OfInput(layout.status());
    in_ = std::move(*layout);
    if (Status status = DeriveTarget(in_.format); !status.ok()) return OfInput(status);
    if (Status status = CheckPackingOf(in_.format); !status.ok()) return status;
    const auto packs = [](const ContainerRow* row, FormatId format) {
      return row == &kNpyContainer && GetFormat(format).bits == 4;
    };
    if (request_.packed && packs(in_row_, in_.format) && in_.packing == Packing::kUnpacked &&
        !packs(out_row_, request_.to)) {
      return OfInput(UsageError(
          "its type holds one element a byte, and packed elements are |u1; leave --packed out"));
    }
    const auto& scaled = request_.dequantization;
    if (in_.fortran_order && scaled && (scaled->scales.size() > 1 || scaled->offsets.size() > 1)) {
      return OfInput(
          UsageError("it is in Fortran order, and scales by index are in C order; save it in C "
                     "order"));
    }
    return {};
  }

  [[nodiscard]] Result<OutputLayout> LayoutFor(const Shape& shape) const {
    Result<OutputLayout> layout = out_row_->write({.format = request_.to,
                                                   .shape = shape,
                                                   .fortran_order = in_.fortran_order,
                                                   .unpacked = request_.unpacked,
                                                   .packed = request_.packed});
    if (!layout.ok()) return OfOutput(layout.status());
    return layout;
  }

  Status MakeLayout(const OutputPlace& place) {
    Result<OutputLayout> layout = LayoutFor(in_.elements ? in_.shape : Shape{0});
    if (!layout.ok()) return layout.status();
    out_ = std::move(*layout);
    if (in_.elements || out_.header.empty() || !place.straight_through()) return {};
    return OfOutput(UsageError(
        fmt::format("a {} header goes before the data, and the number of elements is not known "
                    "before the end of {}; give it with --shape",
                    out_row_->name, input_name_)));
  }

  // 0: not known, as what a stream promises may never come.
  [[nodiscard]] std::uint64_t OutputBytes(const Plan& plan, const ElementReader& reader) const {
    if (!reader.in_any_order() || out_.pairs_apart) return 0;
    return out_.header.size() + ArrayBytes(plan.to(), out_.packing, *in_.elements);
  }

  // Everything is known but the data.
  Result<FileCastResult> CastData(const Plan& plan, const OutputPlace& place,
                                  ElementReader* reader) {
    std::unique_ptr<Measurement> measurement;
    if (request_.measure) {
      if (out_.pairs_apart) {
        return OfInput(
            UsageError("--report takes no Fortran order that is packed; save it in C order"));
      }
      Result<std::unique_ptr<Measurement>> made = Measurement::Of(plan);
      if (!made.ok()) return OfInput(made.status());
      measurement = std::move(*made);
    }
    Result<OutputFile> output =
        OutputFile::Create(place, {.force = request_.force,
                                   .sync = request_.sync,
                                   .hold_back = request_.strict || RefusesUnpredictable(request_),
                                   .bytes = OutputBytes(plan, *reader)});
    if (!output.ok()) return output.status();
    if (Status status = output->Write(out_.header.data(), out_.header.size()); !status.ok()) {
      return status;
    }
    const PumpOptions options = {.input_name = input_name_,
                                 .output_name = output_name_,
                                 .strict = request_.strict,
                                 .refuse_unpredictable = RefusesUnpredictable(request_),
                                 .threads = request_.threads,
                                 .counts = request_.counts,
                                 .pairs_apart = out_.pairs_apart,
                                 .measurement = measurement.get(),
                                 .progress = request_.progress};
    FileSink sink(&*output, out_.header.size());
    Pump pump(options, plan, in_, reader, &sink);
    if (Status status = pump.Run(); !status.ok()) return status;
    if (reader->goes_on()) in_.warnings.emplace_back("what follows the data is ignored");
    if (!pump.bool_warning().empty()) in_.warnings.push_back(pump.bool_warning());
    if (Status status = FinishHeader(pump.elements(), &*output); !status.ok()) return status;
    if (Status status = output->Commit(); !status.ok()) return status;
    FileCastResult result = Describe(plan, pump, place);
    if (measurement != nullptr) result.statistics = measurement->Take();
    return result;
  }

  // The number of elements that a stream had.
  Status FinishHeader(std::uint64_t elements, OutputFile* output) const {
    if (in_.elements || out_.header.empty()) return {};
    const Result<OutputLayout> final = LayoutFor({elements});
    if (!final.ok()) return final.status();
    assert(final->header.size() == out_.header.size());
    return output->Patch(0, final->header.data(), final->header.size());
  }

  [[nodiscard]] FileCastResult Describe(const Plan& plan, const Pump& pump,
                                        const OutputPlace& place) const {
    FileCastResult result = {.profile = std::string(plan.profile()),
                             .from = plan.from().id,
                             .to = plan.to().id,
                             .rounding = plan.rounding(),
                             .overflow = plan.overflow(),
                             .keeps_nan = plan.keeps_nan(),
                             .nan_to_integer = plan.nan_to_integer(),
                             .flushes_subnormals = plan.flushes_subnormals(),
                             .leaves_choices = plan.leaves_choices(),
                             .shape = in_.elements ? in_.shape : Shape{pump.elements()},
                             .elements = pump.elements(),
                             .counted = request_.counts,
                             .counts = pump.counts(),
                             .statistics = {},
                             .warnings = {},
                             .output_is_standard_output = place.is_standard_output()};
    for (const std::string& warning : in_.warnings) {
      result.warnings.push_back(About(input_name_, warning));
    }
    if (!out_.warning.empty()) result.warnings.push_back(About(output_name_, out_.warning));
    return result;
  }

  FileCastRequest request_;
  std::string input_name_;  // in messages
  std::string output_name_;
  const ContainerRow* in_row_ = nullptr;
  const ContainerRow* out_row_ = nullptr;
  InputLayout in_;
  OutputLayout out_;
};

}  // namespace

CastResult CastScalar(const ScalarElement& scalar, FormatId to) {
  const Format& target = GetFormat(GetFormat(to).part);
  const CastRow row = exact::ExactCast(GetFormat(scalar.format), GetFormat(to));
  const Rules rules = row.saturates_by_default ? *row.saturating : *row.not_saturating;
  return Cast(scalar.word, GetFormat(GetFormat(scalar.format).part), target, Rounding::kTiesToEven,
              rules);
}

Result<FileCastResult> CastFile(const FileCastRequest& request) { return FileCast(request).Run(); }

Result<Plan> PlanFile(const FileCastRequest& request) { return FileCast(request).MakeOnly(); }

}  // namespace exactcast
