// SPDX-License-Identifier: Apache-2.0
//
// An output that appears only when it is complete. A regular file is written without a name (or
// under a temporary one where the file system has no nameless files) and gets its name in Commit.
// Standard output, devices, pipes and sockets cannot be taken back and are written straight
// through. What is written is container_row.h's matter.
#ifndef EXACTCAST_SRC_CONTAINERS_OUTPUT_FILE_H_
#define EXACTCAST_SRC_CONTAINERS_OUTPUT_FILE_H_

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "exactcast/status.h"
#include "src/containers/descriptor.h"

namespace exactcast {

struct OutputOptions {
  bool force = false;       // replace an existing regular file
  bool sync = true;         // on the disk before it gets its name
  bool hold_back = false;   // what is written straight through leaves in Commit, not before
  std::uint64_t bytes = 0;  // that it will have, where that is known: room is made for them
  // A temporary name even where nameless files work, so that tests reach that way too.
  bool use_named = false;
};

// What an output's path leads to, before anything is opened or created.
struct OutputPlace {
  std::string path;                  // as asked for
  std::optional<int> handed_over;    // the open descriptor that the path stands for
  std::optional<struct stat> facts;  // nothing: there is no such file yet

  // kNotWritten: nothing can be written there.
  static Result<OutputPlace> Find(const std::string& path);
  // Standard output and whatever is no regular file: written at once and never renamed over.
  [[nodiscard]] bool straight_through() const;
  // What is written straight through comes out among what the process prints.
  [[nodiscard]] bool is_standard_output() const;
};

// Every failure is kNotWritten, with a message that begins with the path. Without a successful
// Commit a regular file is as it was before, and nothing is left behind.
class OutputFile {
 public:
  static Result<OutputFile> Create(const OutputPlace& place, const OutputOptions& options);
  static Result<OutputFile> Create(const std::string& path, const OutputOptions& options);
  OutputFile(OutputFile&&) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Status Write(const void* data, std::size_t size);
  // Writes at any place, over what is there. Where any_order() only; several threads may do so.
  Status Patch(std::uint64_t offset, const void* data, std::size_t size);
  [[nodiscard]] bool any_order() const { return folder_.ok(); }
  // All has been written: syncs it to the disk and gives it its name, or sends what was held back.
  // Called once, last.
  Status Commit();

 private:
  OutputFile(const OutputPlace& place, const OutputOptions& options)
      : path_(place.path), replaced_(place.facts), force_(options.force), sync_(options.sync) {}
  [[nodiscard]] Status Failure(int error) const;
  [[nodiscard]] mode_t NewMode() const;
  [[nodiscard]] int MakeRoom(std::uint64_t bytes) const;
  void StartWriteback(std::size_t size);
  Status OpenStraight(std::optional<int> handed_over, const OutputOptions& options);
  Status OpenPending(const OutputOptions& options);
  int OpenNamed();
  Status SendHeldBack();
  [[nodiscard]] int KeepOwnerAndMode() const;
  int Publish();
  int PublishUnnamed();
  int PublishNamed();

  std::string path_;                     // as asked for
  std::optional<struct stat> replaced_;  // the file that was there
  bool force_;
  bool sync_;
  std::uint64_t written_ = 0;  // bytes, by any thread
  Descriptor file_;            // what Write goes to
  Descriptor straight_;        // where what is held back goes in the end
  Descriptor folder_;          // of the target; open for regular files only
  std::string name_;           // of the target in folder_
  std::string temporary_;      // in folder_; empty: the file has no name yet
};

// `path` with symbolic links in its last place followed, so that a link stays and what it points to
// is replaced. The folders before it are the kernel's matter.
Result<std::string> FollowLinks(std::string path);

}  // namespace exactcast

#endif  // EXACTCAST_SRC_CONTAINERS_OUTPUT_FILE_H_
