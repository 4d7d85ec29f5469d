// SPDX-License-Identifier: Apache-2.0
//
// Pages of reports in a browser, as wide as a screen and as a phone: nothing sticks out, what is drawn is
// inside its picture, the numbers are those of the JSON, and a click sorts. Status 77 without Chromium.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "tests/support/odd_model.h"
#include "tests/support/temporary_folder.h"

namespace {

using support::RunCommand;
using Json = nlohmann::json;

std::string browser;

bool FindBrowser() {
  for (const char* path :
       {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
    if (access(path, X_OK) == 0) browser = path;
  }
  return !browser.empty();
}

// What the page looks like to the browser, as JSON in its document.
constexpr const char* kProbe = R"(<script>
addEventListener('load',function(){
var all=function(what,from){return [].slice.call((from||document).querySelectorAll(what))};
var width=document.documentElement.clientWidth,found={width:innerWidth,
scroll:document.documentElement.scrollWidth,outside:[],clipped:[],tables:{},cards:{}};
all('body *').forEach(function(e){var r=e.getBoundingClientRect();
if(r.right>width+0.5&&!e.closest('.scroll'))found.outside.push(e.tagName+' '+e.className)});
all('svg').forEach(function(svg){var box=svg.viewBox.baseVal;all('text,rect,line',svg).forEach(function(e){
var b=e.getBBox();if(b.x<-0.5||b.y<-0.5||b.x+b.width>box.width+0.5||b.y+b.height>box.height+0.5)
found.clipped.push(e.outerHTML)})});
var rows=function(table){return all('tbody tr',table).map(function(row){return all('td',row).map(function(cell){
return {sort:cell.getAttribute('data-v'),text:cell.textContent}})})};
all('table').forEach(function(table){found.tables[table.id]={rows:rows(table),
heads:all('th',table).map(function(head){return head.textContent})}});
all('.card').forEach(function(card){found.cards[card.querySelector(':scope>span').textContent]=
card.querySelector('b').textContent});
var table=document.getElementById('tensors'),heads=all('th',table);
found.details=all('details').length;
found.sorted=heads.map(function(head,i){head.click();return rows(table).map(function(row){return row[i].sort})});
found.again=heads.map(function(head,i){head.click();head.click();return rows(table).map(function(row){return row[i].sort})});
parent.postMessage(JSON.stringify(found).replace(/</g,'\\u003c'),'*')});
</script>)";

// A frame of any width, as windows have a least one.
std::string FrameOf(const std::string& page, int width) {
  return "<body><iframe src=\"" + page +
         "\" style=\"border:0;height:900px;width:" + std::to_string(width) +
         R"(px"></iframe><script>onmessage=function(message){
var out=document.createElement('script');out.type='application/json';out.id='found';
out.textContent=message.data;document.body.appendChild(out)}</script>)";
}

class ReportPage : public testing::Test {
 protected:
  // Runs the command with reports as page and as JSON.
  void Report(std::vector<std::string> words) {
    words.insert(words.end(), {"--report", folder_.Path("r.html"), "--report",
                               folder_.Path("r.json"), "--force", "--quiet"});
    const support::CommandResult run = RunCommand(words);
    ASSERT_EQ(run.status, 0) << run.err;
    json_ = Json::parse(support::ReadFile(folder_.Path("r.json")));
  }

  // The page in a window so wide.
  Json Look(int width) {
    support::WriteFile(folder_.Path("probe.html"),
                       support::ReadFile(folder_.Path("r.html")) + kProbe);
    const std::string page = folder_.File("frame.html", FrameOf("probe.html", width));
    const support::CommandResult run = support::RunProgram(
        {browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--user-data-dir=" + folder_.Path("profile"),
         "--window-size=1400,1000", "--virtual-time-budget=5000", "--dump-dom", "file://" + page},
        "");
    const std::string mark = "<script type=\"application/json\" id=\"found\">";
    const std::size_t begin = run.out.find(mark);
    if (begin == std::string::npos) {
      ADD_FAILURE() << "the page did not run: " << run.err;
      return {};
    }
    const std::size_t from = begin + mark.size();
    return Json::parse(run.out.substr(from, run.out.find("</script>", from) - from));
  }

  void ExpectFits() {
    for (const int width : {1280, 390}) {
      found_ = Look(width);
      ASSERT_TRUE(found_.is_object());
      EXPECT_EQ(found_["width"], width);
      EXPECT_LE(found_["scroll"], width);
      EXPECT_EQ(found_["outside"], Json::array()) << "at " << width;
      EXPECT_EQ(found_["clipped"], Json::array()) << "at " << width;
    }
  }

  // `keys`: what the columns are called in JSON. Rows are told by `id`, a head and its key.
  void ExpectTable(const std::string& table, const Json& wanted,
                   const std::map<std::string, std::string>& keys) {
    const Json& heads = found_["tables"][table]["heads"];
    const Json& rows = found_["tables"][table]["rows"];
    ASSERT_EQ(rows.size(), wanted.size()) << table;
    std::multimap<std::string, Json> by_id;
    const auto id = [&](const Json& row) {
      return (row.contains("name") ? row["name"].get<std::string>() : "") + " " +
             (row.contains("to") ? row["to"].get<std::string>() : "");
    };
    for (const Json& row : wanted) by_id.emplace(Plain(id(row)), row);
    for (const Json& row : rows) {
      std::map<std::string, std::string> cells;
      for (std::size_t i = 0; i < heads.size(); ++i) cells[heads[i]] = row[i]["text"];
      const std::string name = cells["tensor"] + " " + cells["to"];
      ASSERT_EQ(by_id.count(name), 1U) << name;
      const Json& want = by_id.find(name)->second;
      for (std::size_t i = 0; i < heads.size(); ++i) {
        if (const auto key = keys.find(heads[i]); key != keys.end()) {
          ExpectCell(row[i], want.at(Json::json_pointer(key->second)), name + ", " + key->first);
        }
      }
    }
  }

  // Control characters are replaced on a page.
  static std::string Plain(std::string text) {
    std::string plain;
    for (const char c : text)
      plain += static_cast<unsigned char>(c) < 0x20 ? "\uFFFD" : std::string(1, c);
    return plain;
  }

  static void ExpectCell(const Json& cell, const Json& want, const std::string& what) {
    const std::string sort = cell["sort"];
    const std::string text = cell["text"];
    if (want.is_null()) {  // infinite, or none
      EXPECT_TRUE((sort.empty() && text == "-") || text == "inf" || text == "-inf") << what;
      return;
    }
    if (want.is_string()) {
      EXPECT_EQ(text, want.get<std::string>()) << what;
      return;
    }
    EXPECT_EQ(std::strtod(sort.c_str(), nullptr), want.get<double>()) << what;
    std::string digits;
    for (const char c : text) {
      if (static_cast<unsigned char>(c) < 0x80) digits += c;  // narrow spaces between groups
    }
    if (want.is_number_unsigned()) {
      EXPECT_EQ(digits, want.dump()) << what;
    } else {
      EXPECT_NEAR(std::strtod(digits.c_str(), nullptr), want.get<double>(),
                  0.005 * std::fabs(want.get<double>()))
          << what;
    }
  }

  void ExpectCard(const std::string& label, const Json& want) {
    const Json cell = {{"sort", want.dump()}, {"text", found_["cards"].at(label)}};
    ExpectCell(cell, want, label);
  }

  // A column of words or numbers, up or down.
  void ExpectSorts() {
    const Json& heads = found_["tables"]["tensors"]["heads"];
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const bool is_text = heads[i] == "tensor" || heads[i] == "to" || heads[i] == "from" ||
                           heads[i] == "format" || heads[i] == "shape";
      const auto in_order = [&](const std::string& a, const std::string& b) {
        if (is_text) return true;  // by UTF-16, which differs from bytes
        const auto value = [](const std::string& x) {
          return x.empty() ? -HUGE_VAL : std::strtod(x.c_str(), nullptr);
        };
        return value(a) >= value(b);
      };
      const Json& down = found_["sorted"][i];
      const Json& up = found_["again"][i];
      for (std::size_t k = 1; k < down.size(); ++k) {
        EXPECT_TRUE(in_order(down[k - 1], down[k])) << heads[i] << ", " << down;
        EXPECT_TRUE(in_order(up[k], up[k - 1])) << heads[i] << ", " << up;
      }
      if (is_text) {
        EXPECT_EQ(down.front(), up.back()) << heads[i];
      }
    }
  }

  const std::map<std::string, std::string> loss_keys_ = {{"relative error", "/relative_error"},
                                                         {"SQNR, dB", "/sqnr_db"},
                                                         {"elements", "/elements"},
                                                         {"ties", "/ties"},
                                                         {"overflowed", "/overflowed"},
                                                         {"to zero", "/became_zero"},
                                                         {"subnormal", "/subnormal"},
                                                         {"largest error", "/largest_error"},
                                                         {"largest, ulp", "/largest_ulp"}};
  support::TemporaryFolder folder_;
  std::string in_ = folder_.File("in.safetensors", support::ModelFile(support::OddTensors()));
  Json json_;
  Json found_;
};

TEST_F(ReportPage, OfACastShowsWhatTheJsonHolds) {
  Report({"cast", in_, folder_.Path("out.safetensors"), "--to", "f8_e5m2", "--map", "scalar=keep"});
  ExpectFits();
  auto keys = loss_keys_;
  keys["from"] = "/from";
  ExpectTable("tensors", json_["tensors"], keys);
  const Json& total = json_["total"];
  ExpectCard("elements", total["elements"]);
  ExpectCard("relative error (Frobenius)", total["relative_error"]);
  ExpectCard("overflowed", total["overflowed"]);
  ExpectCard("became zero", total["became_zero"]);
  EXPECT_EQ(found_["tables"]["kept"]["rows"].size(), 1U);
  ExpectSorts();
}

TEST_F(ReportPage, OfAnInspectionShowsWhatTheJsonHolds) {
  Report({"inspect", in_, "--to", "f8_e4m3,bf16,int8", "--max-rel-error", "0.01"});
  ExpectFits();
  ExpectTable("tensors", json_["tensors"], loss_keys_);
  ExpectTable("targets", json_["targets"], loss_keys_);
  ExpectSorts();
}

TEST_F(ReportPage, OfTensorsAsTheyAre) {
  Report({"inspect", in_});
  ExpectFits();
  ExpectTable("tensors", json_["tensors"],
              {{"format", "/format"},
               {"elements", "/elements"},
               {"least", "/least"},
               {"greatest", "/greatest"},
               {"zero", "/zero"},
               {"subnormal", "/subnormal"},
               {"NaN", "/nan"},
               {"inf", "/inf"}});
  ExpectSorts();
}

TEST_F(ReportPage, OfManyTensorsAndOfOne) {
  std::vector<support::OddTensor> many;
  for (unsigned i = 0; i < 300; ++i) {
    many.push_back({"model.layers." + std::to_string(i) + ".self_attn.q_proj.weight", "64",
                    support::NormalValues(64, std::ldexp(1.0F, static_cast<int>(i % 40) - 20), i)});
  }
  for (const std::size_t count : {many.size(), std::size_t{1}}) {
    many.resize(count);
    const std::string file = folder_.File("many.safetensors", support::ModelFile(many));
    Report({"cast", file, folder_.Path("out.safetensors"), "--to", "hif8"});
    ExpectFits();
    ExpectTable("tensors", json_["tensors"], loss_keys_);
    EXPECT_EQ(found_["details"], count == 1 ? 1 : 60);
  }
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!FindBrowser()) {
    std::puts("skipped: there is no Chromium; apt-get install chromium");
    return 77;
  }
  return RUN_ALL_TESTS();
}
