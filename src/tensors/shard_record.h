// SPDX-License-Identifier: Apache-2.0
//
// What a run keeps of a shard that is complete, so that one that goes on can report it.
#ifndef EXACTCAST_SRC_TENSORS_SHARD_RECORD_H_
#define EXACTCAST_SRC_TENSORS_SHARD_RECORD_H_

#include <string>

#include "src/tensors/file_job.h"

namespace exactcast {

// The job has run.
std::string ShardRecord(const FileJob& job);

// Fills in what running the job would. False: it is no record of such a job, or lacks statistics that
// the job is to have.
bool ParseShardRecord(const std::string& text, FileJob* job);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_SHARD_RECORD_H_
