// SPDX-License-Identifier: Apache-2.0
//
// Making a plan: finding the profile's row for the pair, filling in defaults, and refusing, with
// the reason, what the profile does not have. Running it is run.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "exactcast/cast.h"
#include "exactcast/names.h"
#include "src/plan_state.h"

namespace exactcast {
namespace {

std::string PairName(const CastRequest& request) {
  return fmt::format("{} to {}", GetFormat(request.from).name, GetFormat(request.to).name);
}

// "tosa-0.50 and later"; `row` is that of any version.
std::string VersionsWith(const CastRow& row) {
  return row.until == row.since ? std::string(row.since) : fmt::format("{} and later", row.since);
}

// The row of the last version that has the pair.
std::optional<CastRow> FindInVersions(FormatId from, FormatId to) {
  std::optional<CastRow> row;
  for (const Profile& profile : kProfiles) {
    if (!profile.leaves_choices) continue;
    if (const std::optional<CastRow> found = FindCast(profile, from, to)) row = found;
  }
  return row;
}

// The profiles other than exact that have the pair, as "ascend950, atlas-a3 and atlas-a2"; the
// versions of TOSA as one.
std::string ProfilesWith(FormatId from, FormatId to, bool scaled) {
  std::vector<std::string_view> names;
  for (const Profile& profile : kProfiles) {
    if (!profile.pairs.empty() && !profile.leaves_choices && FindCast(profile, from, to, scaled)) {
      names.push_back(profile.name);
    }
  }
  const std::optional<CastRow> row = scaled ? std::nullopt : FindInVersions(from, to);
  const std::string versions = row ? VersionsWith(*row) : "";
  if (row) names.push_back(versions);
  return WordList(names, "and");
}

// What a device must have for the pair, version by version: "MI, MT; from tosa-1.0 on PRO-FP".
std::string NeedsByVersion(FormatId from, FormatId to) {
  std::string text;
  std::string_view last;
  for (const Profile& profile : kProfiles) {
    if (!profile.leaves_choices) continue;
    const std::optional<CastRow> row = FindCast(profile, from, to);
    if (!row || row->needs == last) continue;
    const std::string_view words = row->needs == "Any" ? "any profile" : row->needs;
    text += text.empty() ? std::string(words) : fmt::format("; from {} on {}", profile.name, words);
    last = row->needs;
  }
  return text;
}

Status RefuseVersion(const CastRequest& request, const Profile& profile) {
  if (const std::optional<CastRow> row = FindInVersions(request.from, request.to)) {
    return Unsupported(fmt::format("{} has no cast from {}; {} {} it, which needs {}", profile.name,
                                   PairName(request), VersionsWith(*row),
                                   row->until == row->since ? "has" : "have",
                                   NeedsByVersion(request.from, request.to)));
  }
  if (!profile.not_yet.empty() &&
      (tosa::IsBlockElement(request.from) || tosa::IsBlockElement(request.to))) {
    return Unsupported(
        fmt::format("{} casts from {} in block-scaled tensors at most, and those are not yet there",
                    profile.name, PairName(request)));
  }
  return Unsupported(
      fmt::format("{} has no cast from {}, nor has any other version; --profile exact has it",
                  profile.name, PairName(request)));
}

Status RefusePair(const CastRequest& request, const Profile& profile, bool scaled) {
  for (FormatId id : {request.from, request.to}) {
    const Format& f = GetFormat(id);
    if (f.use == Use::kCast) continue;
    return Unsupported(fmt::format("{} is known to {} only, not to cast", f.name,
                                   f.use == Use::kRescaleOnly ? "rescale" : "derive"));
  }
  if (profile.leaves_choices && !scaled) return RefuseVersion(request, profile);
  const std::string with = ProfilesWith(request.from, request.to, scaled);
  const std::string other =
      scaled ? std::string() : ProfilesWith(request.from, request.to, !scaled);
  if (!other.empty()) {
    return Unsupported(fmt::format("{} has no cast from {}; with --deqscale these have it: {}{}{}",
                                   profile.name, PairName(request), other,
                                   with.empty() ? "" : "; without: ", with));
  }
  if (!with.empty()) {
    return Unsupported(fmt::format("{} has no cast from {}{}; these have it: {}", profile.name,
                                   PairName(request), scaled ? " with a scale" : "", with));
  }
  return Unsupported(
      fmt::format("{} has no cast from {}, nor has any other product; --profile exact has it",
                  profile.name, PairName(request)));
}

// The row for the request, plain or scaled.
Result<CastRow> ChooseRow(const CastRequest& request, const Profile& profile) {
  const bool scaled = request.dequantization.has_value();
  const bool pair_is_ever_scaled = !ProfilesWith(request.from, request.to, true).empty();
  if (scaled && !pair_is_ever_scaled) {
    return UsageError(
        fmt::format("--deqscale does not go with {}; it goes with int32 to float16 and with int16 "
                    "to int8 or uint8",
                    PairName(request)));
  }
  if (const std::optional<CastRow> row = FindCast(profile, request.from, request.to, scaled)) {
    return *row;
  }
  const std::optional<CastRow> with_scale =
      scaled ? std::nullopt : FindCast(profile, request.from, request.to, true);
  if (with_scale && with_scale->operation == Operation::kScaleToFloat16) {
    return UsageError(fmt::format("{} casts {} with a scale only; give --deqscale S", profile.name,
                                  PairName(request)));
  }
  return RefusePair(request, profile, scaled);
}

// ---- a choice among the results that a version permits ------------------------------------------

Status CheckChoices(const CastRequest& request, const Profile& profile) {
  const std::string_view option = request.float_rounding     ? "--float-rounding"
                                  : request.flush_subnormals ? "--flush-subnormals"
                                  : request.nan_to_integer   ? "--nan-to-int"
                                                             : "";
  if (option.empty() || profile.leaves_choices) return {};
  return UsageError(fmt::format("{} goes with the profiles tosa-...; {} leaves nothing open",
                                option, profile.name));
}

Result<Rounding> ChooseFloatRounding(const CastRequest& request, const Profile& profile,
                                     const CastRow& row) {
  const Rounding wanted = *request.float_rounding;
  if (request.rounding && *request.rounding != wanted) {
    return UsageError(fmt::format("--round {} and --float-rounding {} contradict each other",
                                  Name(*request.rounding),
                                  wanted == Rounding::kTowardZero ? "zero" : "nearest"));
  }
  if (row.modes.Contains(wanted)) return wanted;
  return Unsupported(fmt::format(
      "{} casts {} to nearest only; from tosa-1.0 on a float to a narrower float may go toward "
      "zero: leave --float-rounding out",
      profile.name, PairName(request)));
}

// Where no result could differ, a choice that the version does not offer may be named.
Status ApplyChoices(const CastRequest& request, const Profile& profile, const CastRow& row,
                    Rules* rules) {
  if (request.flush_subnormals) {
    const bool input = row.freedoms.Contains(Freedom::kFlushInput);
    const bool result = row.freedoms.Contains(Freedom::kFlushResult);
    const Format& from = GetFormat(request.from);  // one of 8 bits is never flushed
    const bool could_differ = IsFloat(from) && from.bits > 8 && !IsInteger(GetFormat(request.to));
    if (could_differ && !input && !result) {
      return Unsupported(fmt::format(
          "{} says nothing of subnormals, so that they are kept; from tosa-0.60 on they may become "
          "zero: leave --flush-subnormals out",
          profile.name));
    }
    if (input) rules->subnormal_inputs = SubnormalRule::kFlush;
    if (result) rules->subnormal_results = SubnormalRule::kFlush;
  }
  if (request.nan_to_integer && row.freedoms.Contains(Freedom::kUnpredictable)) {
    rules->nan_to_integer = request.nan_to_integer->result;
    if (request.nan && rules->nan_to_integer != NanToInteger::kZero) {
      return UsageError(fmt::format("--nan {} and --nan-to-int {} contradict each other",
                                    *request.nan == NanRule::kZero ? "zero" : "keep",
                                    Name(rules->nan_to_integer)));
    }
  }
  return {};
}

// ---- modes and forms ----------------------------------------------------------------------------

Result<Rounding> ChooseRounding(const CastRequest& request, const Profile& profile,
                                const CastRow& row) {
  if (request.float_rounding) return ChooseFloatRounding(request, profile, row);
  if (!request.rounding) return row.default_mode;
  if (row.modes.Contains(*request.rounding)) return *request.rounding;
  if (*request.rounding == Rounding::kHybrid) {
    return Unsupported(
        fmt::format("hybrid is for float32 or float16 to hifloat8, where the profile lists it; "
                    "{} casts {} with {}: leave --round out",
                    profile.name, PairName(request), ModeList(row.modes)));
  }
  return Unsupported(fmt::format("{} casts {} with {}, not {}; leave --round out", profile.name,
                                 PairName(request), ModeList(row.modes), Name(*request.rounding)));
}

struct Form {
  Overflow overflow;
  Rules rules;
};

Result<Form> ChooseForm(const CastRequest& request, const Profile& profile, const CastRow& row) {
  const bool to_float = IsFloat(GetFormat(GetFormat(request.to).part));
  const Overflow other = to_float ? Overflow::kIeee : Overflow::kWrap;
  const Overflow wanted =
      request.overflow.value_or(row.saturates_by_default ? Overflow::kSaturate : other);
  if (wanted != Overflow::kSaturate && wanted != other) {
    return UsageError(fmt::format("not to saturate is spelt {} for {}, not {}", Name(other),
                                  GetFormat(request.to).name, Name(wanted)));
  }
  const bool saturate = wanted == Overflow::kSaturate;
  const std::optional<Rules>& rules = saturate ? row.saturating : row.not_saturating;
  if (rules) return Form{wanted, *rules};
  const Overflow present = saturate ? other : Overflow::kSaturate;
  if (!row.absent_form_accepted) {
    return Unsupported(fmt::format("{} casts {} in the form {} only, not {}; leave --overflow out",
                                   profile.name, PairName(request), Name(present), Name(wanted)));
  }
  return Form{present, saturate ? *row.not_saturating : *row.saturating};
}

Result<NanRule> ChooseNan(const CastRequest& request, const Profile& profile, const CastRow& row,
                          const Form& form) {
  const Format& source = GetFormat(GetFormat(request.from).part);
  const Format& target = GetFormat(GetFormat(request.to).part);
  if (!request.nan || !HasNan(source)) return form.rules.nan;
  if (*request.nan == NanRule::kKeep && !HasNan(target)) {
    return Unsupported(
        fmt::format("{} has no NaN to keep; leave --nan out", GetFormat(request.to).name));
  }
  if (*request.nan == form.rules.nan) return form.rules.nan;
  if (*request.nan == NanRule::kKeep && row.may_keep_nan) return NanRule::kKeep;
  if (*request.nan == NanRule::kZero && row.may_zero_nan) return NanRule::kZero;
  if (request.from == request.to && row.operation == Operation::kConvert) {
    return Unsupported(
        fmt::format("{} to itself is a copy, NaN and all; leave --nan out", source.name));
  }
  if (*request.nan == NanRule::kZero) {
    return Unsupported(fmt::format("{} keeps NaN in this cast from {}; leave --nan out",
                                   profile.name, PairName(request)));
  }
  if (profile.leaves_choices) {
    return Unsupported(fmt::format("{} has one rule for NaN from {}; leave --nan out", profile.name,
                                   PairName(request)));
  }
  return Unsupported(fmt::format(
      "{} turns NaN into +0 in this cast from {} (only ascend950's saturating casts to "
      "float8_e4m3fn and float8_e5m2 can keep it); leave --nan out or try --overflow ieee",
      profile.name, PairName(request)));
}

bool IsFiniteCode(std::uint64_t word, FormatId id) {
  const Class cls = Decode(word, GetFormat(id)).cls;
  return cls == Class::kZero || cls == Class::kFinite;
}

Status CheckDequantization(const Dequantization& d, Operation operation) {
  const bool to_float16 = operation == Operation::kScaleToFloat16;
  if (to_float16 && !d.offsets.empty()) {
    return UsageError("--offset goes with int16 to int8 or uint8 only");
  }
  if (to_float16 && d.scales.size() != 1) {
    return UsageError(
        fmt::format("int32 to float16 takes one --deqscale, not {}", d.scales.size()));
  }
  if (d.scales.size() != 1 && d.scales.size() != 16) {
    return UsageError(fmt::format("--deqscale takes 1 or 16 values, not {}", d.scales.size()));
  }
  if (!d.offsets.empty() && d.offsets.size() != 1 && d.offsets.size() != 16) {
    return UsageError(fmt::format("--offset takes 1 or 16 values, not {}", d.offsets.size()));
  }
  for (std::uint32_t scale : d.scales) {
    if (!IsFiniteCode(scale, to_float16 ? FormatId::kFloat16 : FormatId::kFloat32)) {
      return UsageError("--deqscale must be finite");
    }
  }
  for (std::int32_t offset : d.offsets) {
    if (offset < -256 || offset > 255) {
      return UsageError(fmt::format("--offset {} is outside -256..255", offset));
    }
  }
  return {};
}

// The form with everything that the request chooses beside it.
Result<Form> ChooseRules(const CastRequest& request, const Profile& profile, const CastRow& row) {
  Result<Form> form = ChooseForm(request, profile, row);
  if (!form.ok()) return form;
  const Result<NanRule> nan = ChooseNan(request, profile, row, *form);
  if (!nan.ok()) return nan.status();
  form->rules.nan = *nan;
  const Status status = ApplyChoices(request, profile, row, &form->rules);
  if (!status.ok()) return status;
  return form;
}

}  // namespace

Result<Plan> MakePlan(const CastRequest& request) {
  const Result<const Profile*> found = ParseProfile(request.profile);
  if (!found.ok()) return found.status();
  const Profile& profile = **found;
  if (const Status status = CheckChoices(request, profile); !status.ok()) return status;
  const Result<CastRow> row = ChooseRow(request, profile);
  if (!row.ok()) return row.status();
  const Result<Rounding> rounding = ChooseRounding(request, profile, *row);
  if (!rounding.ok()) return rounding.status();
  const Result<Form> form = ChooseRules(request, profile, *row);
  if (!form.ok()) return form.status();

  auto state = std::make_shared<PlanState>();
  state->from = &GetFormat(request.from);
  state->to = &GetFormat(request.to);
  state->input_packing = request.input_packing;
  state->output_packing = request.output_packing;
  state->profile = &profile;
  state->rounding = *rounding;
  state->overflow = form->overflow;

  Params& p = state->params;
  p.source = &GetFormat(state->from->part);
  p.target = &GetFormat(state->to->part);
  p.operation = row->operation;
  p.rounding = *rounding == Rounding::kNone ? row->none_means : *rounding;
  p.rules = form->rules;
  if (request.dequantization) {
    const Status checked = CheckDequantization(*request.dequantization, row->operation);
    if (!checked.ok()) return checked;
    p.scales = request.dequantization->scales;
    p.offsets = request.dequantization->offsets;
    if (p.offsets.empty()) p.offsets.push_back(0);
  }
  if (p.source->storage_bits == 8) p.table = std::make_unique<CodeTable>();
  // A scaled cast to float16 ends in one from float32, whatever mode was named.
  const bool from_steps = p.operation == Operation::kScaleToFloat16;
  p.encoding = MakeEncoding(from_steps ? GetFormat(FormatId::kFloat32) : *p.source, *p.target,
                            from_steps ? Operation::kConvert : p.operation,
                            from_steps ? Rounding::kTiesToEven : p.rounding, p.rules);
  state->keeps_nan = !HasNan(*p.source) || (HasNan(*p.target) && p.rules.nan == NanRule::kKeep);
  state->unpredictable_nan = row->freedoms.Contains(Freedom::kUnpredictable);
  state->kernel = &ChooseKernel(p);
  return Plan(std::move(state));
}

}  // namespace exactcast
