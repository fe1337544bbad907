// The plain membership-inference protocol (IAM paper, appendix D.4; Carlini et al. 2022): a pool of
// models, each trained on about half of the rows; every model is the target once, and each row is
// attacked with N/2 other models that saw it and N/2 that did not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/scores/iam.h"

namespace vestige::metrics {

/// A pool: true-class probabilities [models, rows] and who was trained on what.
struct MembershipPool {
  MatrixView probabilities = {};
  std::span<const std::uint8_t> keep = {};  ///< [models, rows]: 1 = trained on the row
  MatrixView population =
      {};  ///< [models, z]: probabilities on rows that no model saw; may be empty
};

struct MiaProtocolOptions {
  std::size_t shadows = 2;        ///< N, even: N/2 IN and N/2 OUT per row
  std::size_t targets = 0;        ///< the first so many models are attacked; 0: all
  std::uint64_t seed = 1;         ///< for the choice of shadows
  ResponseOptions response = {};  ///< IAM's response
  IamOptions iam = {};            ///< IAM's levels and variance
  double rmia_gamma = 1;          ///< RMIA: threshold of the pairwise ratio
};

/// Indices of models, [rows][N/2], ascending.
struct ShadowChoice {
  std::vector<std::vector<std::size_t>> in;
  std::vector<std::vector<std::size_t>> out;
};

/// Shadows of one target, drawn row by row from Stream(seed, "mia.protocol", target). Throws if a
/// row has fewer than N/2 on a side.
ShadowChoice choose_shadows(std::span<const std::uint8_t> keep, std::size_t rows,
                            std::size_t target, std::size_t shadows, std::uint64_t seed);

/// Averages over targets, and one AUC per target.
struct ProtocolScore {
  double auc = kUndefined;
  double tpr_at_zero = kUndefined;  ///< FPR 0
  double tpr_at_1e4 = kUndefined;   ///< FPR 0.01 %; NaN where not resolvable
  std::vector<double> auc_of_target;
  std::vector<double> zero_of_target;  ///< TPR at FPR 0, one per target
  std::vector<double> low_of_target;   ///< TPR at FPR 0.01 %
};

struct MiaProtocol {
  ProtocolScore iam;
  ProtocolScore lira;  ///< medians; one deviation for all rows of a side, from 64 models on per row
  ProtocolScore rmia;  ///< softmax form, plain mean of IN and OUT; NaN without population
};

MiaProtocol mia_protocol(const MembershipPool& pool, const MiaProtocolOptions& options = {});

}  // namespace vestige::metrics
