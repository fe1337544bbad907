// The stronger attacks of the MIAU paper's Table 4, as train-against-test AUC: LiRA, a shadow-model
// classifier and quantile regression.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/learn/logistic.h"
#include "vestige/metrics/learn/quantile_regression.h"
#include "vestige/metrics/result.h"

namespace vestige::metrics {

struct StrongAttack {
  double auc = kUndefined;           ///< chance that a training row scores above a test row
  std::vector<double> train_scores;  ///< per training row; larger is more member-like
  std::vector<double> test_scores;   ///< per test row that was scored
};

/// With fewer shadow models than this the spread over models is pooled over all rows, as Carlini et
/// al. 2022 advise.
inline constexpr std::size_t kPooledSpreadBelow = 64;

/// The attack whose scores these are.
StrongAttack scored_attack(std::vector<double> train_scores, std::vector<double> test_scores);

/// LiRA against OUT models only: the score is (x - mean) / spread of the logit-scaled confidence x
/// over the shadow models, which never saw the row. Rows of `*_shadows` are shadow models, [m, n].
/// NaN below two shadow models.
StrongAttack lira_attack(std::span<const double> train, MatrixView train_shadows,
                         std::span<const double> test, MatrixView test_shadows);

/// What one shadow model said about rows it was trained on and about rows it was not.
struct ShadowRows {
  Matrix members;
  Matrix others;
};

/// The classifier behind shadow_attack, which depends on the shadow models alone: fitted once, it
/// serves every model.
LogisticModel shadow_classifier(std::span<const ShadowRows> shadows);

/// Its log-odds of each row.
std::vector<double> shadow_scores(const LogisticModel& classifier, MatrixView rows);

/// Its verdict on the rows of one model.
StrongAttack shadow_attack(const LogisticModel& classifier, MatrixView train, MatrixView test);

/// A logistic regression (class weights balanced) on the pooled rows of all shadow models, applied
/// to the rows of the model in question. The test rows must not be among the `others`, or the
/// classifier knows them already.
StrongAttack shadow_attack(std::span<const ShadowRows> shadows, MatrixView train, MatrixView test);

/// Confidence of each row minus what its activations let expect of rows that were not seen.
std::vector<double> quantile_scores(const QuantileModel& model, MatrixView activations,
                                    std::span<const double> confidences);

/// Quantile regression (Bertran et al. 2023): the median confidence of rows that were not seen is
/// predicted from their activations; the score of a row is its confidence minus the prediction.
/// `fitted` rows are non-members that are not scored.
StrongAttack quantile_attack(MatrixView fitted_activations, std::span<const double> fitted,
                             MatrixView train_activations, std::span<const double> train,
                             MatrixView test_activations, std::span<const double> test);

}  // namespace vestige::metrics
