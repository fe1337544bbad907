// Values of two attacks on three retrained models, and a check of which is the better one.
#pragma once

#include <string>
#include <vector>

#include "tests/study/study_rows.h"

namespace vestige::study {

/// iam.online.auc and attacks.loss.auc of three retrained models.
inline std::vector<StudyRow> two_attacks(double gap, double noise) {
  std::vector<StudyRow> rows;
  for (int model = 0; model < 3; ++model) {
    const std::string name = "retrained/" + std::to_string(model);
    rows.push_back(make({.model = name, .value = 0.6, .metric = "attacks.loss.auc"}));
    rows.push_back(make(
        {.model = name, .value = 0.6 + gap + noise * (model - 1), .metric = "iam.online.auc"}));
  }
  return rows;
}

inline const std::string kIamAboveLoss =
    "left = {metric = 'iam.online.auc', method = 'retrained'}\nis = 'above'\n"
    "right = {metric = 'attacks.loss.auc', method = 'retrained'}\n";

}  // namespace vestige::study
