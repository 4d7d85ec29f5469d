// SPDX-License-Identifier: Apache-2.0
//
// Standard streams that are closed, as streams.h says.
#include "cli/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace exactcast::cli {

void HoldStandardStreams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // The lowest free number is this one. Opened in the wrong direction: using it is an error, as
    // using a closed stream is.
    [[maybe_unused]] const int held = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace exactcast::cli
