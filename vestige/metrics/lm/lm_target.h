// One model's numbers about forget sequences and those of another split, as the scores take them.
#pragma once

#include <utility>
#include <vector>

#include "vestige/evidence/tokens.h"
#include "vestige/metrics/lm/lm_evidence.h"

namespace vestige::metrics {

inline std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

struct LmEvidence::Target {
  const evidence::Model& model;
  evidence::TokenSplit forget;  ///< empty where the model has losses only
  evidence::TokenSplit other;
  std::vector<double> losses;  ///< forget, then other

  /// A score of forget, then of the other split.
  template <typename Score>
  std::vector<double> both(const Score& score) const {
    return joined(score(forget), score(other));
  }
};

}  // namespace vestige::metrics
