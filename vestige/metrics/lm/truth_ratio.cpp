// Ratios of likelihoods of answers.
#include "vestige/metrics/lm/truth_ratio.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

template <typename Change>
std::vector<double> changed(std::span<const double> values, const Change& change) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value = change(value);
  return result;
}

}  // namespace

std::vector<double> truth_ratios(std::span<const std::vector<double>> right,
                                 std::span<const std::vector<double>> wrong) {
  require(right.size() == wrong.size(),
          "truth ratio of {} questions with right and {} with wrong answers: give both for every "
          "question",
          right.size(), wrong.size());
  std::vector<double> result(right.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    result[row] = std::exp(mean(right[row]) - mean(wrong[row]));
  }
  return result;
}

std::vector<double> forgotten_truth(std::span<const double> ratios) {
  return changed(ratios, [](double t) { return t == 0 ? 0 : std::min(t, 1 / t); });
}

std::vector<double> kept_truth(std::span<const double> ratios) {
  return changed(ratios, [](double t) { return std::isnan(t) ? t : std::max(0.0, 1 - t); });
}

std::vector<double> share_of_truth(std::span<const double> ratios) {
  return changed(ratios, [](double t) { return 1 / (1 + t); });
}

std::vector<double> answer_probabilities(std::span<const double> losses,
                                         std::span<const std::vector<double>> wrong) {
  require(
      wrong.empty() || wrong.size() == losses.size(),
      "probabilities of {} answers with wrong ones for {}: give wrong answers to every question "
      "or to none",
      losses.size(), wrong.size());
  std::vector<double> result(losses.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    const double right = std::exp(-losses[row]);
    double sum = right;
    if (!wrong.empty()) {
      for (const double loss : wrong[row]) sum += std::exp(-loss);
    }
    result[row] = wrong.empty() ? right : right / sum;
  }
  return result;
}

double harmonic_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) {
    if (value == 0) return 0;
    sum += 1 / value;
  }
  return static_cast<double>(values.size()) / sum;
}

}  // namespace vestige::metrics
