// SPDX-License-Identifier: Apache-2.0
//
// A folder that appears only when it is complete. Until then it is built beside its place, as
//
//   .NAME.exactcast-partial/plan      what is being done, as a hash
//                           files/    what will be NAME; every file in it is complete
//                           done/     a record for each file that was cast
//
// which outlives the process, so that a later run can go on. What goes into it is cast_folder.cc's
// matter.
#ifndef EXACTCAST_SRC_TENSORS_WORK_FOLDER_H_
#define EXACTCAST_SRC_TENSORS_WORK_FOLDER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "exactcast/status.h"
#include "src/containers/descriptor.h"

namespace exactcast {

struct WorkOptions {
  bool force = false;   // replace an existing folder, or what an earlier run left
  bool resume = false;  // go on with it
  bool sync = true;
  std::string plan;  // a short text; a run goes on only where it is the same
};

// Every failure is kNotWritten or kUsage, with a message that begins with a path.
class WorkFolder {
 public:
  // `path` is the folder that will appear. `names` are the files that it will hold, as paths from it
  // on: a folder that holds others is never replaced.
  static Status CheckPlace(const std::string& path, const std::set<std::string>& names, bool force);

  static Result<WorkFolder> Begin(const std::string& path, const WorkOptions& options);
  WorkFolder(WorkFolder&&) noexcept = default;
  WorkFolder& operator=(WorkFolder&&) = delete;
  // Goes away with everything in it unless a file was recorded.
  ~WorkFolder();

  // Where a file is to be written; folders on the way are made.
  Result<std::string> PathFor(const std::string& name);
  // The record of a file that an earlier run completed and that still has this size.
  [[nodiscard]] std::optional<std::string> RecordOf(const std::string& name,
                                                    std::optional<std::uint64_t> size) const;
  // The file is complete.
  Status Record(const std::string& name, std::string_view record);
  // All files are there: the folder gets its name.
  Status Publish();

  // Nothing in it is of use any more.
  void Discard() { holds_records_ = false; }

  [[nodiscard]] bool holds_records() const { return holds_records_; }
  [[nodiscard]] const std::string& root() const { return root_; }

 private:
  WorkFolder(std::string path, WorkOptions options);
  Status Prepare();
  Status Lock();
  Status TakeOver();
  [[nodiscard]] Status Failure(int error) const;
  [[nodiscard]] std::string FilePath(const std::string& name) const {
    return root_ + "/files/" + name;
  }
  [[nodiscard]] std::string RecordPath(const std::string& name) const;

  std::string path_;
  std::string parent_;
  std::string root_;
  WorkOptions options_;
  Descriptor lock_;
  bool holds_records_ = false;
};

}  // namespace exactcast

#endif  // EXACTCAST_SRC_TENSORS_WORK_FOLDER_H_
