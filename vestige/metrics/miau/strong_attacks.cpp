// LiRA, shadow-model classifier and quantile regression.
#include "vestige/metrics/miau/strong_attacks.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/learn/quantile_regression.h"
#include "vestige/metrics/stats/roc.h"

namespace vestige::metrics {
namespace {

/// Added to every spread, as in the published LiRA code: equal shadow models do not divide by 0.
constexpr double kSmallestSpread = 1e-30;

struct Moments {
  std::vector<double> means;
  std::vector<double> variances;  // ddof 0
};

Moments over_models(MatrixView shadows) {
  Moments result{std::vector<double>(shadows.cols, 0.0), std::vector<double>(shadows.cols, 0.0)};
  const auto models = static_cast<double>(shadows.rows);
  for (std::size_t m = 0; m < shadows.rows; ++m) {
    for (std::size_t i = 0; i < shadows.cols; ++i) result.means[i] += shadows(m, i) / models;
  }
  for (std::size_t m = 0; m < shadows.rows; ++m) {
    for (std::size_t i = 0; i < shadows.cols; ++i) {
      const double d = shadows(m, i) - result.means[i];
      result.variances[i] += d * d / models;
    }
  }
  return result;
}

std::vector<double> lira_scores(std::span<const double> values, const Moments& moments) {
  std::vector<double> scores(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double spread = std::sqrt(moments.variances[i]) + kSmallestSpread;
    scores[i] = (values[i] - moments.means[i]) / spread;
  }
  return scores;
}

}  // namespace

StrongAttack scored_attack(std::vector<double> train_scores, std::vector<double> test_scores) {
  StrongAttack result{.train_scores = std::move(train_scores),
                      .test_scores = std::move(test_scores)};
  result.auc = auc_of_samples(result.train_scores, result.test_scores);
  return result;
}

StrongAttack lira_attack(std::span<const double> train, MatrixView train_shadows,
                         std::span<const double> test, MatrixView test_shadows) {
  require(
      train_shadows.rows == test_shadows.rows && train_shadows.cols == train.size() &&
          test_shadows.cols == test.size(),
      "LiRA: {} training and {} test examples with shadow confidences [{}, {}] and [{}, {}]: give "
      "one row per shadow model and one column per example",
      train.size(), test.size(), train_shadows.rows, train_shadows.cols, test_shadows.rows,
      test_shadows.cols);
  if (train_shadows.rows < 2) return {};
  Moments on_train = over_models(train_shadows);
  Moments on_test = over_models(test_shadows);
  if (train_shadows.rows < kPooledSpreadBelow) {
    double sum = 0;
    for (const double variance : on_train.variances) sum += variance;
    for (const double variance : on_test.variances) sum += variance;
    const double pooled = sum / static_cast<double>(train.size() + test.size());
    std::fill(on_train.variances.begin(), on_train.variances.end(), pooled);
    std::fill(on_test.variances.begin(), on_test.variances.end(), pooled);
  }
  return scored_attack(lira_scores(train, on_train), lira_scores(test, on_test));
}

LogisticModel shadow_classifier(std::span<const ShadowRows> shadows) {
  require(!shadows.empty(), "the shadow attack got no shadow model: give at least one");
  const std::size_t cols = shadows.front().members.cols();
  std::size_t rows = 0;
  for (const ShadowRows& shadow : shadows) rows += shadow.members.rows() + shadow.others.rows();
  Matrix features(rows, cols);
  std::vector<int> labels;
  for (const ShadowRows& shadow : shadows) {
    for (const Matrix* side : {&shadow.members, &shadow.others}) {
      require(side->cols() == cols,
              "the shadow attack got {} and {} features from shadow models: both must be the same",
              side->cols(), cols);
      for (std::size_t i = 0; i < side->rows(); ++i) {
        std::copy(side->row(i).begin(), side->row(i).end(), features.row(labels.size()).begin());
        labels.push_back(side == &shadow.members ? 1 : 0);
      }
    }
  }
  return fit_logistic(features, labels, {.balanced = true});
}

std::vector<double> shadow_scores(const LogisticModel& classifier, MatrixView rows) {
  const std::size_t cols = classifier.weights.size();
  require(rows.cols == cols,
          "the shadow attack got {} features from the shadow models and {} from the model: both "
          "must be the same",
          cols, rows.cols);
  std::vector<double> result(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) result[i] = classifier.decision(rows.row(i));
  return result;
}

StrongAttack shadow_attack(const LogisticModel& classifier, MatrixView train, MatrixView test) {
  return scored_attack(shadow_scores(classifier, train), shadow_scores(classifier, test));
}

StrongAttack shadow_attack(std::span<const ShadowRows> shadows, MatrixView train, MatrixView test) {
  return shadow_attack(shadow_classifier(shadows), train, test);
}

std::vector<double> quantile_scores(const QuantileModel& model, MatrixView activations,
                                    std::span<const double> confidences) {
  require(activations.cols == model.weights.size(),
          "quantile regression was fitted to {} activations and got {}: all splits must have the "
          "same layer",
          model.weights.size(), activations.cols);
  std::vector<double> result(confidences.size());
  for (std::size_t i = 0; i < confidences.size(); ++i) {
    result[i] = confidences[i] - model.predict(activations.row(i));
  }
  return result;
}

StrongAttack quantile_attack(MatrixView fitted_activations, std::span<const double> fitted,
                             MatrixView train_activations, std::span<const double> train,
                             MatrixView test_activations, std::span<const double> test) {
  const QuantileModel model = fit_quantile(fitted_activations, fitted);
  return scored_attack(quantile_scores(model, train_activations, train),
                       quantile_scores(model, test_activations, test));
}

}  // namespace vestige::metrics
