// SPDX-License-Identifier: Apache-2.0
//
// The pages of docs/ that are made from tables. `./dev docs` writes them, a test compares them with
// what stands in docs/.
#ifndef EXACTCAST_DOCS_GENERATE_PAGES_H_
#define EXACTCAST_DOCS_GENERATE_PAGES_H_

#include <array>
#include <string>
#include <string_view>

namespace exactcast::docs {

struct Page {
  std::string_view file;  // in docs/
  std::string (*make)(const std::string& golden_folder);
};

std::string DerivationPage(const std::string& golden_folder);
std::string ErrataPage(const std::string& golden_folder);
std::string FormatsPage(const std::string& golden_folder);
std::string ProfilesPage(const std::string& golden_folder);
std::string TosaPage(const std::string& golden_folder);
std::string TosaRescalePage(const std::string& golden_folder);
std::string ManPage(const std::string& golden_folder);
std::string BashCompletion(const std::string& golden_folder);
std::string ZshCompletion(const std::string& golden_folder);

inline constexpr auto kPages = std::to_array<Page>({
    {"derivation.md", DerivationPage},
    {"errata.md", ErrataPage},
    {"formats.md", FormatsPage},
    {"profiles.md", ProfilesPage},
    {"tosa.md", TosaPage},
    {"tosa-rescale.md", TosaRescalePage},
    {"exactcast.1", ManPage},
    {"completion/exactcast.bash", BashCompletion},
    {"completion/_exactcast", ZshCompletion},
});

}  // namespace exactcast::docs

#endif  // EXACTCAST_DOCS_GENERATE_PAGES_H_
