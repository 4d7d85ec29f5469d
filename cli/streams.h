// SPDX-License-Identifier: Apache-2.0
//
// The standard streams as the command finds them. What it writes to them is output.cc's matter.
#ifndef EXACTCAST_CLI_STREAMS_H_
#define EXACTCAST_CLI_STREAMS_H_

namespace exactcast::cli {

// Gives a standard stream that is closed (>&-) something to stand on that can be neither read nor
// written, so that no file opened later gets its number and is taken for it. Called first.
void HoldStandardStreams();

}  // namespace exactcast::cli

#endif  // EXACTCAST_CLI_STREAMS_H_
