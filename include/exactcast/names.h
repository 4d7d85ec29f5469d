// SPDX-License-Identifier: Apache-2.0
//
// From words to formats, modes, forms and profiles. All are looked up without regard to case; a
// word that is not known gives a kUsage that names the nearest ones, a word with several meanings
// one that names them.
#ifndef EXACTCAST_NAMES_H_
#define EXACTCAST_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "exactcast/cast.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/profile.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"
#include "exactcast/status.h"

namespace exactcast {

Result<FormatId> ParseFormat(std::string_view word);
Result<Rounding> ParseRounding(std::string_view word);       // rint, nearest-even, CAST_RINT, ...
Result<Overflow> ParseOverflow(std::string_view word);       // saturate, ieee, wrap
Result<NanRule> ParseNanRule(std::string_view word);         // keep, zero
Result<Rounding> ParseFloatRounding(std::string_view word);  // nearest, zero
Result<NanToIntegerChoice> ParseNanToInteger(std::string_view word);  // zero, min, max, refuse
Result<const Profile*> ParseProfile(std::string_view word);

std::string_view Name(Overflow overflow);
std::string_view Name(NanToInteger rule);  // zero, min, max

// "rint, floor or ceil"
std::string ModeList(Modes modes);
std::string WordList(const std::vector<std::string_view>& words, std::string_view last_joint);

}  // namespace exactcast

#endif  // EXACTCAST_NAMES_H_
