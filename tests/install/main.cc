// SPDX-License-Identifier: Apache-2.0
//
// A consumer of the installed package: an array through a plan, a refusal, and a cast at compile
// time.
#include <exactcast/exactcast.h>

#include <cstdint>
#include <cstdio>
#include <vector>

using exactcast::FormatId;

static_assert(exactcast::Cast(0x3f800000, exactcast::GetFormat(FormatId::kFloat32),
                              exactcast::GetFormat(FormatId::kHifloat8),
                              exactcast::Rounding::kTiesToAway, {})
                  .bits == 0x08);

int main() {
  const std::vector<float> in = {1.75f, 300.0f};
  std::vector<std::uint8_t> out(in.size());
  const exactcast::Result<exactcast::Plan> plan = exactcast::MakePlan(
      {.from = FormatId::kFloat32, .to = FormatId::kFloat8E4m3fn, .profile = "ascend950"});
  if (!plan.ok()) return 1;
  const exactcast::Counts counts = plan->Run(in.data(), out.data(), in.size());
  const bool right = out[0] == 0x3e && out[1] == 0x79 && counts.exact == 1 && counts.rounded == 1;
  const exactcast::Result<exactcast::FileCastResult> absent =
      exactcast::CastFile({.input = "/nonexistent.npy", .output = "-", .to = FormatId::kInt8});
  if (absent.ok() || absent.status().code() != exactcast::StatusCode::kBadInput) return 1;
  std::printf("%s\n", std::string(exactcast::kVersion).c_str());
  return right ? 0 : 1;
}
