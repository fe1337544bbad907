// The demo's models, to be spoilt in memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "vestige/base/seed.h"
#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/reader.h"

namespace vestige::testing {

class DemoModels : public ::testing::Test {
 protected:
  evidence::Evidence evidence =
      vestige::evidence::load(VESTIGE_SOURCE_DIR "/demo/fashion-one").evidence;

  evidence::Model& model(const std::string& id) {
    for (evidence::Group& group : evidence.groups) {
      for (evidence::Model& model : group.models) {
        if (model.id() == id) return model;
      }
    }
    throw std::runtime_error("no model " + id);
  }

  /// Rows of one model's split in the order of a seed.
  void shuffle(evidence::Model& model, const std::string& split, std::uint64_t seed) {
    change(model, split, [seed](Matrix& values) {
      const Matrix before = values;
      const auto order = Stream(seed, "shuffle").permutation(values.rows());
      for (std::size_t row = 0; row < values.rows(); ++row) {
        std::copy_n(before.row(order[row]).begin(), values.cols(), values.row(row).begin());
      }
    });
  }

  template <typename Action>
  void change(evidence::Model& model, const std::string& split, const Action& action) {
    evidence::Array& array = model.outputs.at(split);
    Matrix values = evidence::matrix(array);
    action(values);
    array = evidence::Array::from_doubles({values.values().begin(), values.values().end()},
                                          array.shape());
  }

  template <typename Action>
  void for_each_model(const Action& action) {
    for (evidence::Group& group : evidence.groups) {
      for (evidence::Model& model : group.models) action(model);
    }
  }

  /// Column c becomes column to[c], on every split.
  void reorder_classes(evidence::Model& model, const std::vector<std::size_t>& to) {
    for (auto& [split, array] : model.outputs) {
      change(model, split, [&to](Matrix& values) {
        const Matrix before = values;
        for (std::size_t row = 0; row < values.rows(); ++row) {
          for (std::size_t col = 0; col < to.size(); ++col) values(row, to[col]) = before(row, col);
        }
      });
    }
  }
};

using Codes = std::vector<std::string>;

inline Codes codes_of(const evidence::Findings& findings) {
  Codes found;
  for (const evidence::Finding& finding : findings) found.push_back(finding.code);
  return found;
}

}  // namespace vestige::testing
