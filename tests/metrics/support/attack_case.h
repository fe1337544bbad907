// Reads a reference case (tests/reference/README.md) for tests: literals and little-endian npy
// files of double and int64, independent of the library's own readers.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vestige::metrics {

class AttackCase {
 public:
  AttackCase(const std::string& metric, const std::string& name)
      : folder_(std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference" / metric / name) {
    std::ifstream(folder_ / "case.json") >> json_;
  }

  std::vector<double> input(const std::string& name) const {
    return read(json_.at("inputs").at(name));
  }
  std::vector<double> expected(const std::string& name) const {
    return read(json_.at("expected").at(name));
  }
  bool expects(const std::string& name) const { return json_.at("expected").contains(name); }
  std::size_t columns(const std::string& input) const {
    return json_.at("inputs").at(input).at("shape").at(1).get<std::size_t>();
  }
  double parameter(const std::string& name) const {
    return json_.at("params").at(name).get<double>();
  }

  /// Values agree with the expected field within the case's own tolerance; NaN equals NaN.
  void check(const std::string& name, const std::vector<double>& values) const {
    const std::vector<double> wanted = expected(name);
    const double absolute = json_.at("tolerance").at("abs").get<double>();
    const double relative = json_.at("tolerance").at("rel").get<double>();
    ASSERT_EQ(values.size(), wanted.size()) << folder_ << " " << name;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool same = (std::isnan(wanted[i]) && std::isnan(values[i])) || wanted[i] == values[i];
      const double allowed = std::max(absolute, relative * std::abs(wanted[i]));
      EXPECT_TRUE(same || std::abs(values[i] - wanted[i]) <= allowed)
          << folder_ << " " << name << "[" << i << "]: " << values[i] << " for " << wanted[i];
    }
  }

 private:
  static double number(const nlohmann::json& value) {
    if (value.is_number()) return value.get<double>();
    const auto text = value.get<std::string>();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    return std::numeric_limits<double>::quiet_NaN();
  }

  std::vector<double> read(const nlohmann::json& field) const {
    if (!field.is_object()) return {number(field)};
    std::ifstream file(folder_ / field.at("file").get<std::string>(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const auto header = static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(8))) +
                        256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes.at(9))) +
                        10;
    std::vector<double> values;
    const bool integers = field.at("dtype") == "int64";
    for (std::size_t at = header; at + 8 <= bytes.size(); at += 8) {
      double real = 0;
      std::int64_t whole = 0;
      std::memcpy(&real, bytes.data() + at, 8);
      std::memcpy(&whole, bytes.data() + at, 8);
      values.push_back(integers ? static_cast<double>(whole) : real);
    }
    return values;
  }

  std::filesystem::path folder_;
  nlohmann::json json_;
};

inline std::vector<int> as_labels(const std::vector<double>& values) {
  std::vector<int> labels;
  for (const double value : values) labels.push_back(static_cast<int>(value));
  return labels;
}

}  // namespace vestige::metrics
