// Logistic regression on retain against test, asked about forget.
#include "vestige/metrics/learn/entropy_attack.h"

#include <algorithm>
#include <cmath>

namespace vestige::metrics {
namespace {

struct Training {
  std::vector<double> features;  // [n, 1]
  std::vector<int> labels;       // retain 1, test 0

  MatrixView view() const { return {features.data(), features.size(), 1}; }
};

void append(std::span<const double> values, int label, Training& training) {
  training.features.insert(training.features.end(), values.begin(), values.end());
  training.labels.insert(training.labels.end(), values.size(), label);
}

double share(const std::vector<int>& predictions) {
  return static_cast<double>(std::count(predictions.begin(), predictions.end(), 1)) /
         static_cast<double>(predictions.size());
}

}  // namespace

std::vector<double> entropies(MatrixView probabilities) {
  std::vector<double> result(probabilities.rows, 0.0);
  for (std::size_t i = 0; i < probabilities.rows; ++i) {
    for (const double p : probabilities.row(i)) {
      if (p > 0) result[i] -= p * std::log(p);
    }
  }
  return result;
}

LogisticMembership logistic_membership(std::span<const double> retain, std::span<const double> test,
                                       std::span<const double> forget, double c) {
  LogisticMembership result;
  if (retain.empty() || test.empty() || forget.empty()) return result;
  Training training;
  append(retain, 1, training);
  append(test, 0, training);
  result.classifier = fit_logistic(training.view(), training.labels, {.c = c, .balanced = true});
  for (const double& value : forget) {
    result.predictions.push_back(result.classifier.predict({&value, 1}));
  }
  result.member_share = share(result.predictions);
  return result;
}

}  // namespace vestige::metrics
