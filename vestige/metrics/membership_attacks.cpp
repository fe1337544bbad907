// Classifiers on retain against test, asked about forget.
#include "vestige/metrics/membership_attacks.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/seed.h"
#include "vestige/metrics/svc.h"

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

void append_at_most(std::span<const double> values, std::size_t limit, int label, Stream& stream,
                    Training& training) {
  if (values.size() <= limit) return append(values, label, training);
  for (const std::size_t row : stream.sample(values.size(), limit)) {
    append(values.subspan(row, 1), label, training);
  }
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

SvcMembership svc_membership(std::span<const double> retain, std::span<const double> test,
                             std::span<const double> forget, const SvcMembershipOptions& options) {
  SvcMembership result;
  if (retain.empty() || test.empty() || forget.empty()) return result;
  Training training;
  Stream stream(options.seed, "svc_membership");
  append_at_most(retain, options.max_rows, 1, stream, training);
  append_at_most(test, options.max_rows, 0, stream, training);
  const Svc machine = Svc::train(training.view(), training.labels, {.cost = options.cost});
  const MatrixView rows{forget.data(), forget.size(), 1};
  result.predictions = machine.predict(rows);
  result.decisions = machine.decisions(rows);
  result.support_vectors = machine.support_vectors();
  result.member_share = share(result.predictions);
  return result;
}

}  // namespace vestige::metrics
