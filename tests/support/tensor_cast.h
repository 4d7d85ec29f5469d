// SPDX-License-Identifier: Apache-2.0
//
// Casting bytes as a file of many tensors, and what is expected of refusals.
#ifndef EXACTCAST_TESTS_SUPPORT_TENSOR_CAST_H_
#define EXACTCAST_TESTS_SUPPORT_TENSOR_CAST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "exactcast/tensor_files.h"
#include "tests/support/temporary_folder.h"

namespace support {

using exactcast::Result;
using exactcast::StatusCode;
using exactcast::TensorFilesRequest;
using exactcast::TensorFilesResult;
using exactcast::TensorOutcome;

struct TensorRun {
  Result<TensorFilesResult> result;
  std::string bytes;  // of the output; empty on failure
};

// Checks that a refusal is one line and leaves nothing.
inline TensorRun CastTensors(const std::string& bytes, TensorFilesRequest request,
                             const std::string& in, const std::string& out) {
  const TemporaryFolder folder;
  request.input = folder.File(in, bytes);
  request.output = folder.Path(out);
  request.sync = false;  // faster
  TensorRun run = {.result = CastTensorFiles(request), .bytes = ""};
  if (run.result.ok()) {
    EXPECT_EQ(folder.Names(), (std::set<std::string>{in, out}));
    run.bytes = ReadFile(request.output);
  } else {
    EXPECT_EQ(run.result.status().message().find('\n'), std::string::npos);
    EXPECT_EQ(folder.Names(), std::set<std::string>{in});
  }
  return run;
}

inline TensorFilesRequest To(exactcast::FormatId to) {
  TensorFilesRequest request;
  request.to = to;
  return request;
}

// Everything is kept as it is.
inline TensorFilesRequest Keep() {
  TensorFilesRequest request;
  request.has_target = false;
  return request;
}

inline void ExpectStatus(const exactcast::Status& status, StatusCode code,
                         const std::vector<std::string>& words) {
  EXPECT_EQ(status.code(), code) << status.message();
  for (const std::string& word : words) {
    EXPECT_NE(status.message().find(word), std::string::npos)
        << "no \"" << word << "\" in: " << status.message();
  }
}

inline void ExpectRefusal(const TensorRun& run, StatusCode code,
                          const std::vector<std::string>& words) {
  ASSERT_FALSE(run.result.ok()) << "expected a refusal with " << words.front();
  ExpectStatus(run.result.status(), code, words);
}

inline void ExpectFile(const TensorRun& run, const std::string& bytes) {
  ASSERT_TRUE(run.result.ok()) << run.result.status().message();
  EXPECT_EQ(run.bytes, bytes);
}

inline bool AnyHas(const std::vector<std::string>& warnings, const std::string& word) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& w) { return w.find(word) != std::string::npos; });
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_TENSOR_CAST_H_
