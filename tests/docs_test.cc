// SPDX-License-Identifier: Apache-2.0
//
// Every generated page of docs/ is what its table gives now.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "docs/generate/pages.h"

namespace exactcast::docs {
namespace {

TEST(Docs, EveryGeneratedPageIsUpToDate) {
  for (const Page& page : kPages) {
    std::ifstream file(std::string(EXACTCAST_SOURCE_DIR) + "/docs/" + std::string(page.file));
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    EXPECT_EQ(text, page.make(EXACTCAST_GOLDEN_DIR)) << page.file << ": run ./dev docs";
  }
}

// What bash would offer behind these words, the last of which is being typed.
std::string Complete(const std::string& words, int at) {
  const std::string script = "source " + std::string(EXACTCAST_SOURCE_DIR) +
                             "/docs/completion/exactcast.bash; COMP_WORDS=(" + words +
                             "); COMP_CWORD=" + std::to_string(at) +
                             "; _exactcast; echo \"${COMPREPLY[@]}\"";
  std::FILE* pipe = popen(("bash -c '" + script + "'").c_str(), "r");
  std::string out;
  for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  pclose(pipe);
  return out;
}

TEST(Docs, BashCompletesCommandsOptionsAndNames) {
  EXPECT_EQ(Complete("exactcast ex", 1), "explain\n");
  EXPECT_EQ(Complete("exactcast cast --to hif", 3), "hifloat8\n");
  EXPECT_EQ(Complete("exactcast cast --profile atlas-i", 3), "atlas-inference\n");
  EXPECT_EQ(Complete("exactcast cast --str", 2), "--strict\n");
  EXPECT_EQ(Complete("exactcast explain --rou", 2), "--round --rounding\n");
}

TEST(Docs, TheErrataListEveryContradictingExample) {
  const std::string page = ErrataPage(EXACTCAST_GOLDEN_DIR);
  EXPECT_NE(page.find("15 of the page's 149 examples."), std::string::npos);
  EXPECT_NE(page.find("| int16 | uint8 | 300 | 44 | 255 |"), std::string::npos);
  EXPECT_NE(page.find("| int32 | uint16 | -1 | 65535 | 0 |"), std::string::npos);
}

}  // namespace
}  // namespace exactcast::docs
