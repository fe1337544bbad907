// What every model says of the same rows of a split, in a form that can be compared row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vestige/evidence/checks/dependence.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// What one model says of one split.
struct Said {
  const Model* model = nullptr;
  bool readable = false;          ///< no NaN: it can be compared
  bool collapsed = false;         ///< nearly one answer for all rows, and the labels are several
  RowFeatures features;           ///< of its probabilities
  RowFeatures within;             ///< the same within classes
  double with_labels = 0;         ///< dependence on the labels
  double right = 0;               ///< share of rows answered right
  double right_in_any_order = 0;  ///< expected share if rows were shuffled
  double most = 0;                ///< share of rows with the commonest answer
};

struct SplitAnswers {
  std::string name;
  std::vector<std::size_t> rows;     ///< those that are compared, spread over the split
  std::vector<std::int64_t> labels;  ///< of these
  double commonest_label = 0;        ///< share of rows
  std::vector<Said> models;
  std::vector<std::size_t> references;  ///< places in models: whom each one is compared with

  bool several_classes() const { return commonest_label < 1; }
};

/// Every trained model that has the split; none if there are no fit labels. Untrained models are at
/// chance by design, and so may be checkpoints: neither is looked at.
SplitAnswers answers_on(const Evidence& evidence, const std::string& split);

}  // namespace vestige::evidence
