// SPDX-License-Identifier: Apache-2.0
//
// A small checkpoint with all that reports may stumble over: tensors of one kind of number, of none,
// and names that are markup, formulas or long.
#ifndef EXACTCAST_TESTS_SUPPORT_ODD_MODEL_H_
#define EXACTCAST_TESTS_SUPPORT_ODD_MODEL_H_

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/safetensors_recipe.h"

namespace support {

struct OddTensor {
  std::string name;
  std::string shape;  // without its brackets
  std::vector<float> values;
};

inline std::vector<float> NormalValues(std::size_t n, float scale, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

inline std::vector<OddTensor> OddTensors() {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto count = [](std::size_t n) { return std::to_string(n); };
  std::vector<OddTensor> tensors = {
      {"layers.0.weight", "", NormalValues(9000, 0.02F, 1)},
      {"layers.1.weight", "", NormalValues(5000, 90.0F, 2)},
      {"all.nan", "", std::vector<float>(70, kNan)},
      {"all.infinite", "", {kInfinity, -kInfinity, kInfinity}},
      {"zeros", "", std::vector<float>(4097, -0.0F)},
      {"empty", "0,3", {}},
      {"scalar", " ", {0.3F}},
      {"one", "", {-1e-30F}},
      {"ties", "", {1.0625F, 1.1875F, -1.0625F, 0x1p-10F, 464.0F, 272.0F}},
      {"denormals", "", {0x1p-140F, -0x1p-149F, 0x1.8p-127F}},
      {"mixed", "", {1.0F, kNan, 1e9F, -kInfinity, 0.0F, 0x1p-8F, 0x1p-11F}},
      {"\"quoted\" & 'single'", "", {1.1F}},
      {"<script>alert(1)</script><b>", "", {2.2F}},
      {"=HYPERLINK(\"http://a\",\"b\"),c", "", {3.3F}},
      {"\xe6\x9d\x83\xe9\x87\x8d.\xc3\xa4\xe2\x80\xae\xf0\x9f\x98\x80", "", {4.4F}},
      {"tab\there\nand a line", "", {5.5F}},
      {std::string(300, 'n'), "", {6.6F}},
  };
  for (OddTensor& t : tensors) {
    if (t.shape.empty()) t.shape = count(t.values.size());
    if (t.shape == " ") t.shape.clear();
  }
  return tensors;
}

inline std::string ModelFile(const std::vector<OddTensor>& tensors) {
  std::string header = "{";
  std::string data;
  for (const OddTensor& t : tensors) {
    std::string bytes(t.values.size() * sizeof(float), '\0');
    std::copy_n(reinterpret_cast<const char*>(t.values.data()), bytes.size(), bytes.begin());
    const std::string name = nlohmann::json(t.name).dump();
    header += header.size() > 1 ? "," : "";
    header += Entry(name.substr(1, name.size() - 2), "F32", t.shape, data.size(),
                    data.size() + bytes.size());
    data += bytes;
  }
  return Safetensors(header + "}", data);
}

}  // namespace support

#endif  // EXACTCAST_TESTS_SUPPORT_ODD_MODEL_H_
