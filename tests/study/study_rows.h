// Rows of synthetic experiments.
#pragma once

#include <string>
#include <vector>

#include "vestige/study/rows.h"

namespace vestige::study {

inline metrics::Control control_of(const std::string& model) {
  if (model.starts_with("original")) return metrics::Control::original;
  if (model.starts_with("retrained")) return metrics::Control::retrained;
  if (model.starts_with("constant_predictor")) return metrics::Control::constant;
  if (model.starts_with("partial")) return metrics::Control::graded;
  if (model.starts_with("checkpoint")) return metrics::Control::checkpoint;
  return metrics::Control::none;
}

/// A row of iam.online.auc or another metric; lower is better unless `direction` says otherwise.
struct Made {
  std::string model;
  double value = 0;
  std::string metric = "attacks.loss.auc";
  std::string variant = "main";
  std::uint64_t split_seed = 1;
  std::string audit = "main";
  std::uint64_t attack_seed = 1;
  metrics::Direction direction = metrics::Direction::lower;
  double half_width = metrics::kUndefined;
  double reference = metrics::kUndefined;
  metrics::Status status = metrics::Status::ok;
  Json params = Json::object();
};

inline StudyRow make(const Made& made) {
  StudyRow row;
  row.variant = made.variant;
  row.split_seed = made.split_seed;
  row.audit = made.audit;
  row.attack_seed = made.attack_seed;
  row.row.metric = made.metric;
  row.row.subject = metrics::parse_subject(made.model);
  row.row.value = made.value;
  row.row.lower = made.value - made.half_width;
  row.row.upper = made.value + made.half_width;
  row.row.direction = made.direction;
  row.row.reference = made.reference;
  row.row.status = made.status;
  row.row.control = control_of(made.model);
  row.row.settings = made.params;
  return row;
}

inline std::vector<StudyRow> make_all(const std::vector<Made>& made) {
  std::vector<StudyRow> rows;
  for (const Made& own : made) rows.push_back(make(own));
  return rows;
}

}  // namespace vestige::study
