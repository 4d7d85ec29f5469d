// SPDX-License-Identifier: Apache-2.0
//
// All of exactcast: arrays (cast.h), files (container.h, tensor_files.h), and the constexpr meaning of a single
// cast (spec/).
#ifndef EXACTCAST_EXACTCAST_H_
#define EXACTCAST_EXACTCAST_H_

#include "exactcast/cast.h"
#include "exactcast/compare.h"
#include "exactcast/container.h"
#include "exactcast/derive.h"
#include "exactcast/describe.h"
#include "exactcast/explain.h"
#include "exactcast/names.h"
#include "exactcast/number_text.h"
#include "exactcast/rescale.h"
#include "exactcast/spec/codec.h"
#include "exactcast/spec/derivation.h"
#include "exactcast/spec/format.h"
#include "exactcast/spec/format_names.h"
#include "exactcast/spec/order.h"
#include "exactcast/spec/permitted.h"
#include "exactcast/spec/profile.h"
#include "exactcast/spec/real_scale.h"
#include "exactcast/spec/reference.h"
#include "exactcast/spec/rescale.h"
#include "exactcast/spec/rounding.h"
#include "exactcast/spec/rules.h"
#include "exactcast/spec/scaled.h"
#include "exactcast/spec/tosa_rescale.h"
#include "exactcast/status.h"
#include "exactcast/tensor_files.h"
#include "exactcast/vectors.h"
#include "exactcast/version.h"
#include "exactcast/view.h"

#endif  // EXACTCAST_EXACTCAST_H_
