// SPDX-License-Identifier: Apache-2.0
//
// Writes every generated page: write_pages DOCS_FOLDER GOLDEN_FOLDER
#include <fstream>
#include <iostream>
#include <string>

#include "docs/generate/pages.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_pages DOCS_FOLDER GOLDEN_FOLDER\n";
    return 2;
  }
  for (const exactcast::docs::Page& page : exactcast::docs::kPages) {
    const std::string path = std::string(argv[1]) + "/" + std::string(page.file);
    std::ofstream file(path, std::ios::binary);
    file << page.make(argv[2]);
    if (!file.flush()) {
      std::cerr << "cannot write " << path << "\n";
      return 5;
    }
    std::cout << path << "\n";
  }
  return 0;
}
