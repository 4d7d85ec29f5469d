// SPDX-License-Identifier: Apache-2.0
//
// Every generated page of docs/ is what its table gives now.
#include <gtest/gtest.h>

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

TEST(Docs, TheErrataListEveryContradictingExample) {
  const std::string page = ErrataPage(EXACTCAST_GOLDEN_DIR);
  EXPECT_NE(page.find("15 of the page's 149 examples."), std::string::npos);
  EXPECT_NE(page.find("| int16 | uint8 | 300 | 44 | 255 |"), std::string::npos);
  EXPECT_NE(page.find("| int32 | uint16 | -1 | 65535 | 0 |"), std::string::npos);
}

}  // namespace
}  // namespace exactcast::docs
