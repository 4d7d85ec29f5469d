// SPDX-License-Identifier: Apache-2.0
//
// exactcast cast --report: every count and figure of its files against slow ones made from what the cast
// read and wrote, names that are markup or formulas, and reports that cannot be written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "exactcast/spec/codec.h"
#include "exactcast/spec/format.h"
#include "tests/support/command.h"
#include "tests/support/odd_model.h"
#include "tests/support/temporary_folder.h"

namespace {

using exactcast::Class;
using exactcast::Decode;
using exactcast::Exact;
using exactcast::Format;
using exactcast::FormatId;
using exactcast::GetFormat;
using support::CommandResult;
using support::OddTensor;
using support::RunCommand;
using Json = nlohmann::json;

long double ValueOf(std::uint64_t word, FormatId format) {
  const Exact x = Decode(word, GetFormat(format));
  if (x.cls == Class::kNan) return std::numeric_limits<long double>::quiet_NaN();
  const long double size = x.cls == Class::kInfinity
                               ? std::numeric_limits<long double>::infinity()
                               : std::ldexp(static_cast<long double>(x.significand), x.exponent);
  return x.negative ? -size : size;
}

// Tensor data by name, read by the rules of the format.
std::map<std::string, std::string> TensorsIn(const std::string& file) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  std::map<std::string, std::string> tensors;
  const Json header = Json::parse(file.substr(8, length));
  for (const auto& [name, entry] : header.items()) {
    const std::uint64_t begin = entry["data_offsets"][0];
    const std::uint64_t end = entry["data_offsets"][1];
    tensors[name] = file.substr(8 + length + begin, end - begin);
  }
  return tensors;
}

// What the report is to say of one tensor, one element after the other.
struct Slow {
  std::uint64_t nan = 0, infinite = 0, zero = 0, became_inf = 0, became_nan = 0, became_zero = 0;
  std::uint64_t compared = 0, exact = 0, subnormal = 0;
  long double error = 0, squares = 0, xx = 0, yy = 0, xy = 0, largest = 0;
  std::optional<std::uint64_t> worst;
  std::map<int, std::uint64_t> exponents;
};

Slow SlowOf(const std::vector<float>& source, const std::string& codes, FormatId to) {
  Slow s;
  const Format& format = GetFormat(to);
  for (std::size_t i = 0; i < source.size(); ++i) {
    std::uint64_t word = 0;
    const auto size = static_cast<std::size_t>(format.storage_bits) / 8;
    std::memcpy(&word, codes.data() + i * size, size);
    const long double x = source[i];
    const long double y = ValueOf(word, to);
    s.nan += std::isnan(x);
    s.infinite += std::isinf(x);
    s.zero += x == 0;
    s.became_inf += std::isfinite(x) && std::isinf(y);
    s.became_nan += !std::isnan(x) && std::isnan(y);
    s.became_zero += !std::isnan(x) && x != 0 && y == 0;
    s.subnormal += y != 0 && std::fabs(y) < std::ldexp(1.0L, exactcast::MinExponent(format));
    if (std::isfinite(x) && x != 0) ++s.exponents[std::max(std::ilogb(x), -127)];
    s.exact += x == y;
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    const long double e = std::fabs(x - y);
    ++s.compared;
    s.error += e;
    s.squares += e * e;
    s.xx += x * x;
    s.yy += y * y;
    s.xy += x * y;
    if (e > s.largest) s.worst = i;
    s.largest = std::max(s.largest, e);
  }
  return s;
}

// JSON has no NaN, which is null there; long double adds no error that would be seen.
void ExpectFigure(const Json& got, long double want, const std::string& what) {
  if (!std::isfinite(want)) {
    EXPECT_TRUE(got.is_null()) << what << ": " << got;
    return;
  }
  ASSERT_TRUE(got.is_number()) << what;
  const auto exact = static_cast<double>(want);
  EXPECT_NEAR(got.get<double>(), exact, 1e-11 * std::fabs(exact) + 1e-300) << what;
}

void ExpectFigures(const Json& row, const Slow& s, const std::string& name) {
  ExpectFigure(row["mean_error"], s.error / s.compared, name + ", mean error");
  ExpectFigure(row["largest_error"], s.largest, name + ", largest error");
  ExpectFigure(row["relative_error"],
               s.squares == 0 && s.compared > 0 ? 0 : std::sqrt(s.squares / s.xx),
               name + ", relative error");
  ExpectFigure(row["sqnr_db"], 10 * std::log10(s.xx / s.squares), name + ", SQNR");
  ExpectFigure(row["cosine"], s.xy / (std::sqrt(s.xx) * std::sqrt(s.yy)), name + ", cosine");
}

void ExpectRow(const Json& row, const OddTensor& tensor, const std::string& codes, FormatId to) {
  const Slow s = SlowOf(tensor.values, codes, to);
  const std::string name = tensor.name;
  EXPECT_EQ(row["elements"], tensor.values.size()) << name;
  EXPECT_EQ(row["exact"], s.exact) << name;
  EXPECT_EQ(row["nan"], s.nan) << name;
  EXPECT_EQ(row["source"]["nan"], s.nan) << name;
  EXPECT_EQ(row["source"]["inf"], s.infinite) << name;
  EXPECT_EQ(row["source"]["zero"], s.zero) << name;
  EXPECT_EQ(row["became_inf"], s.became_inf) << name;
  EXPECT_EQ(row["became_nan"], s.became_nan) << name;
  EXPECT_EQ(row["became_zero"], s.became_zero) << name;
  EXPECT_EQ(row["subnormal"], s.subnormal) << name;
  EXPECT_EQ(row["compared"], s.compared) << name;
  Json exponents = Json::array();
  for (const auto& [exponent, count] : s.exponents) exponents.push_back({exponent, count});
  EXPECT_EQ(row["exponents"], exponents) << name;
  ExpectFigures(row, s, name);
  ASSERT_EQ(row.contains("worst"), s.worst.has_value()) << name;
  if (s.worst) {
    EXPECT_EQ(row["worst"]["index"], *s.worst) << name;
    EXPECT_EQ(std::stold(row["worst"]["source"]["value"].get<std::string>()),
              static_cast<long double>(tensor.values[*s.worst]))
        << name;
  }
}

// RFC 4180: rows of cells.
std::vector<std::vector<std::string>> ParseCsv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && text.substr(i, 2) == "\"\"") {
      rows.back().back() += text[i++];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && text.substr(i, 2) == "\r\n") {
      rows.emplace_back(1);
      ++i;
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();
  return rows;
}

class Report : public testing::Test {
 protected:
  // Casts the odd model; the report's kind is its file's ending.
  CommandResult Cast(std::vector<std::string> options) {
    options.insert(options.begin(), {"cast", in_, out_, "--force", "--no-sync", "--quiet"});
    return RunCommand(options);
  }
  std::string Read(const std::string& name) const { return support::ReadFile(folder_.Path(name)); }
  Json ReadJson(const std::string& name) const { return Json::parse(Read(name)); }

  support::TemporaryFolder folder_;
  std::vector<OddTensor> tensors_ = support::OddTensors();
  std::string in_ = folder_.File("in.safetensors", support::ModelFile(tensors_));
  std::string out_ = folder_.Path("out.safetensors");
};

TEST_F(Report, EveryNumberIsAsASlowCountHasIt) {
  for (const FormatId to :
       {FormatId::kFloat8E4m3fn, FormatId::kFloat8E5m2, FormatId::kBfloat16, FormatId::kFloat16}) {
    const std::string name(GetFormat(to).name);
    const CommandResult run = Cast({"--to", name, "--report", folder_.Path("r.json"), "--json"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Json json = ReadJson("r.json");
    const Json summary = Json::parse(run.out);
    const auto written = TensorsIn(support::ReadFile(out_));
    ASSERT_EQ(json["tensors"].size(), tensors_.size());
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const Json& row = json["tensors"][i];
      EXPECT_EQ(row["name"], tensors_[i].name);
      EXPECT_EQ(row["to"], name);
      ExpectRow(row, tensors_[i], written.at(tensors_[i].name), to);
      for (const char* key : {"exact", "rounded", "overflowed", "underflowed", "nan", "shape"}) {
        EXPECT_EQ(row[key], summary["tensors"][i][key]) << key << " of " << tensors_[i].name;
      }
    }
    for (const char* key : {"elements", "exact", "rounded", "overflowed", "underflowed", "nan"}) {
      EXPECT_EQ(json["total"][key], summary[key]) << key;
    }
  }
}

TEST_F(Report, NamesProfileModeVersionAndCommand) {
  ASSERT_EQ(Cast({"--to", "f8_e4m3", "--report", folder_.Path("a 'b'.json"), "--round", "rint",
                  "--profile", "ascend950"})
                .status,
            0);
  const Json json = ReadJson("a 'b'.json");
  EXPECT_EQ(json["report"], "cast");
  EXPECT_EQ(json["profile"], "ascend950");
  EXPECT_EQ(json["tensors"][0]["round"], "rint");
  EXPECT_EQ(json["input"], in_);
  EXPECT_EQ(json["output"], out_);
  EXPECT_FALSE(json["version"].get<std::string>().empty());
  EXPECT_EQ(json["command"], "exactcast cast " + in_ + " " + out_ +
                                 " --force --no-sync --quiet --to f8_e4m3 --report '" +
                                 folder_.path() +
                                 "/a '\\''b'\\''.json' --round rint --profile ascend950");
}

TEST_F(Report, TheCsvHoldsWhatTheJsonHolds) {
  ASSERT_EQ(Cast({"--to", "f8_e4m3", "--report", folder_.Path("r.json"), "--report",
                  folder_.Path("r.csv")})
                .status,
            0);
  const Json json = ReadJson("r.json");
  const auto rows = ParseCsv(Read("r.csv"));
  ASSERT_EQ(rows.size(), tensors_.size() + 1);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    ASSERT_EQ(rows[i + 1].size(), rows[0].size()) << tensors_[i].name;
    for (std::size_t k = 0; k < rows[0].size(); ++k) {
      const std::string& head = rows[0][k];
      const std::string& cell = rows[i + 1][k];
      const Json& row = json["tensors"][i];
      if (!row.contains(head) || !row[head].is_number()) continue;
      EXPECT_EQ(Json::parse(cell), row[head]) << head << " of " << tensors_[i].name;
    }
    // What a spreadsheet would compute is quoted.
    const bool formula = tensors_[i].name[0] == '=';
    EXPECT_EQ(rows[i + 1][0], (formula ? "'" : "") + tensors_[i].name);
  }
}

TEST_F(Report, NamesAreTextOnThePageAndInTheTable) {
  ASSERT_EQ(Cast({"--to", "f8_e4m3", "--report", folder_.Path("r.html"), "--report",
                  folder_.Path("r.txt")})
                .status,
            0);
  const std::string page = Read("r.html");
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;/script&gt;&lt;b&gt;"), std::string::npos);
  EXPECT_NE(page.find("&quot;quoted&quot; &amp; 'single'"), std::string::npos);
  EXPECT_EQ(page.find("http://a\""), std::string::npos);
  for (const char* reference : {"src=", "href=", "@import", "url("}) {
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
  }
  // A line a tensor, a head, a total and what it was made with.
  const std::string text = Read("r.txt");
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
            tensors_.size() + 3);
  EXPECT_EQ(text.find('\t'), std::string::npos);
}

TEST_F(Report, DoesNotDependOnThreads) {
  std::optional<Json> first;
  for (const char* threads : {"1", "2", "7"}) {
    ASSERT_EQ(
        Cast({"--to", "hif8", "--report", folder_.Path("r.json"), "--threads", threads}).status, 0);
    Json json = ReadJson("r.json");
    json.erase("command");
    if (!first) first = json;
    EXPECT_EQ(json, *first);
  }
}

TEST_F(Report, OfOneArrayAndOfStreams) {
  const std::string raw(reinterpret_cast<const char*>(tensors_[0].values.data()), 36000);
  const CommandResult run = RunCommand({"cast", "-", "-", "--from", "f32", "--to", "f8_e4m3",
                                        "--threads", "2", "--report", folder_.Path("stream.json")},
                                       raw);
  ASSERT_EQ(run.status, 0) << run.err;
  const Json of_stream = ReadJson("stream.json");
  ASSERT_EQ(of_stream["tensors"].size(), 1U);
  EXPECT_EQ(of_stream["tensors"][0]["name"], "standard input");
  EXPECT_EQ(of_stream["output"], "standard output");
  ExpectRow(of_stream["tensors"][0], tensors_[0], run.out, FormatId::kFloat8E4m3fn);
  const std::string file = folder_.File("a.bin", raw);
  ASSERT_EQ(RunCommand({"cast", file, folder_.Path("b.npy"), "--from", "f32", "--to", "f8_e4m3",
                        "--report", folder_.Path("file.json")})
                .status,
            0);
  Json of_file = ReadJson("file.json");
  of_file["tensors"][0]["name"] = of_stream["tensors"][0]["name"];
  EXPECT_EQ(of_file["tensors"], of_stream["tensors"]);
  EXPECT_EQ(of_file["total"], of_stream["total"]);
}

TEST_F(Report, OfNothing) {
  const std::string empty = folder_.File("empty.bin", "");
  const std::string none = folder_.File("none.safetensors", support::ModelFile({}));
  const std::vector<std::string> reports = {
      "--report", folder_.Path("r.json"), "--report", folder_.Path("r.html"),
      "--report", folder_.Path("r.txt"),  "--report", folder_.Path("r.csv")};
  for (const std::string& in : {empty, none}) {
    std::vector<std::string> words = {"cast", in,    out_ + (in == empty ? ".bin" : ".safetensors"),
                                      "--to", "f16", "--force"};
    if (in == empty) words.insert(words.end(), {"--from", "f32"});
    words.insert(words.end(), reports.begin(), reports.end());
    const CommandResult run = RunCommand(words);
    ASSERT_EQ(run.status, 0) << run.err;
    const Json json = ReadJson("r.json");
    EXPECT_EQ(json["total"]["elements"], 0);
    EXPECT_TRUE(json["total"]["relative_error"].is_null());
    EXPECT_EQ(json["tensors"].size(), in == empty ? 1U : 0U);
    EXPECT_EQ(Read("r.html").find("nan"), std::string::npos);
  }
}

TEST_F(Report, WhatCannotBeReportedIsRefusedBeforeTheWork) {
  const std::string taken = folder_.File("taken.json", "{}");
  struct Case {
    std::vector<std::string> options;
    int status;
    std::string word;
  };
  const std::vector<Case> cases = {
      {{"--report", folder_.Path("r.pdf")}, 2, "to end in .html, .json, .csv or .txt"},
      {{"--report", folder_.Path("r")}, 2, "to end in"},
      {{"--report", ""}, 2, "to end in"},
      {{"--report", in_ + "/r.json"}, 2, "is a file of this run"},
      {{"--report", folder_.Path("no/r.json")}, 5, "there is no folder"},
      {{"--report", folder_.Path("r.json"), "--report", folder_.Path("r.json")}, 2, "choose"},
      {{"--report", folder_.Path("r.json"), "--report", folder_.path() + "/./r.json"}, 2, "choose"},
      {{"--report", folder_.path() + "/./r.json", "--no-counts"}, 2, "--no-counts"},
      {{"--report", folder_.Path("r.json"), "--plan"}, 2, "exactcast inspect --to"},
      {{"--report", taken}, 5, "exists; --force replaces it"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> words = {"cast", in_, out_, "--to", "f8_e4m3", "--quiet"};
    words.insert(words.end(), c.options.begin(), c.options.end());
    const CommandResult run = RunCommand(words);
    EXPECT_EQ(run.status, c.status) << run.err;
    EXPECT_NE(run.err.find(c.word), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(folder_.Names(), (std::set<std::string>{"in.safetensors", "taken.json"}));
  }
}

// A raw output may have any name.
TEST_F(Report, IsNotWrittenOverTheOutput) {
  const CommandResult run =
      support::RunShell(folder_.path(),
                        "exactcast cast in.safetensors ./w.txt --include one --to "
                        "f8_e4m3 --report w.txt");
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_EQ(folder_.Names(), std::set<std::string>{"in.safetensors"});
}

TEST_F(Report, ARefusedCastLeavesNoReport) {
  const CommandResult run =
      Cast({"--to", "f8_e4m3", "--strict", "--report", folder_.Path("r.json")});
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(folder_.Names(), std::set<std::string>{"in.safetensors"});
}

// A disk that is full, for the report alone.
TEST_F(Report, AReportThatCannotBeWrittenLeavesTheOutput) {
  const CommandResult run =
      support::RunShell(folder_.path(),
                        "ulimit -f 1; exactcast cast in.safetensors out.bin --include one --to "
                        "f8_e4m3 --quiet --report r.html");
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(run.err.find("--report r.html: "), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("; OUTPUT is complete"), std::string::npos) << run.err;
}

}  // namespace
