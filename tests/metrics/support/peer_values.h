// Reads tests/reference/peers/values.json, which make.py beside it writes with numpy and scipy.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

class PeerValues {
 public:
  explicit PeerValues(const std::string& name) {
    nlohmann::json all;
    std::ifstream(VESTIGE_SOURCE_DIR "/tests/reference/peers/values.json") >> all;
    json_ = all.at(name);
  }

  double number(const std::string& field) const { return json_.at(field).get<double>(); }
  std::vector<double> numbers(const std::string& field) const {
    return json_.at(field).get<std::vector<double>>();
  }
  std::vector<std::int64_t> integers(const std::string& field) const {
    return json_.at(field).get<std::vector<std::int64_t>>();
  }
  Matrix matrix(const std::string& field) const {
    const auto rows = json_.at(field).get<std::vector<std::vector<double>>>();
    Matrix result(rows.size(), rows.front().size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::copy(rows[i].begin(), rows[i].end(), result.row(i).begin());
    }
    return result;
  }

  /// Within 1e-12 of the larger of 1 and the value.
  void check(const std::string& field, const std::vector<double>& values) const {
    const std::vector<double> wanted = numbers(field);
    ASSERT_EQ(values.size(), wanted.size()) << field;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_NEAR(values[i], wanted[i], 1e-12 * std::max(1.0, std::abs(wanted[i])))
          << field << "[" << i << "]";
    }
  }

 private:
  nlohmann::json json_;
};

}  // namespace vestige::metrics
