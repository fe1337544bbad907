// Signals, likelihood ratios and pair counts of RMIA.
#include "vestige/metrics/scores/rmia.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/exponentials.h"
#include "vestige/base/parallel.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kRmiaRowsPerTask = 1024;

// T(x) = 1 + x + x^2/2 + x^3/6, with the powers formed one after the other as the reference does.
double taylor(double x) {
  const double square = x * x;
  return x + 1 + square / 2 + square * x / 6;
}

double taylor_signal(std::span<const double> logits, std::size_t label,
                     const RmiaSignalOptions& options) {
  double sum = 0;
  for (const double logit : logits) sum += taylor(logit / options.temperature);
  const double truth = logits[label] / options.temperature;
  const double softened = taylor(truth - options.margin);
  return softened / (sum - taylor(truth) + softened);
}

/// `scaled` is room for a row.
double softmax_signal(std::span<const double> logits, std::size_t label, double temperature,
                      std::span<double> scaled) {
  std::transform(logits.begin(), logits.end(), scaled.begin(),
                 [temperature](double logit) { return logit / temperature; });
  const double most = largest(scaled);
  return std::exp(scaled[label] - most) / exponential_sum(scaled, most);
}

/// Population ratios sorted so that those which lose against a given row come last.
class SortedRatios {
 public:
  SortedRatios(std::span<const double> population, double gamma, PairRule rule)
      : gamma_(gamma), rule_(rule) {
    for (const double ratio : population) {
      if (std::isnan(ratio)) continue;
      const double key = rule == PairRule::quotient ? ratio : 1 / ratio;
      (std::signbit(key) ? negative_ : positive_).push_back(key);
    }
    std::sort(positive_.begin(), positive_.end());
    std::sort(negative_.begin(), negative_.end());
  }

  /// How many pairs the row wins. Only pairs of equal sign can exceed a positive gamma, and within
  /// one sign correctly rounded division and multiplication are monotone, so that the very
  /// comparison of the plain count can be searched for.
  std::size_t wins(double ratio) const {
    if (std::isnan(ratio) || ratio == 0) return 0;
    const std::vector<double>& keys = ratio > 0 ? positive_ : negative_;
    const auto beats = [&](double key) {
      return (rule_ == PairRule::quotient ? ratio / key : ratio * key) > gamma_;
    };
    const bool grows = (rule_ == PairRule::reciprocal) == (ratio > 0);
    if (grows) {
      const auto first =
          std::partition_point(keys.begin(), keys.end(), [&](double key) { return !beats(key); });
      return static_cast<std::size_t>(keys.end() - first);
    }
    return static_cast<std::size_t>(std::partition_point(keys.begin(), keys.end(), beats) -
                                    keys.begin());
  }

 private:
  std::vector<double> positive_;
  std::vector<double> negative_;
  double gamma_;
  PairRule rule_;
};

}  // namespace

std::vector<double> rmia_signals(MatrixView logits, std::span<const std::int64_t> labels,
                                 const RmiaSignalOptions& options) {
  require(logits.rows == labels.size(), "RMIA: {} rows of logits and {} labels: give one per row",
          logits.rows, labels.size());
  require(options.temperature > 0, "RMIA: temperature {} must be positive", options.temperature);
  std::vector<double> result(logits.rows), scaled(logits.cols);
  for (std::size_t row = 0; row < logits.rows; ++row) {
    require(labels[row] >= 0 && static_cast<std::size_t>(labels[row]) < logits.cols,
            "RMIA: label {} in row {} is outside 0 .. {}", labels[row], row, logits.cols - 1);
    const auto label = static_cast<std::size_t>(labels[row]);
    result[row] = options.signal == RmiaSignal::taylor
                      ? taylor_signal(logits.row(row), label, options)
                      : softmax_signal(logits.row(row), label, options.temperature, scaled);
  }
  return result;
}

double trimmed_mean(std::vector<double> values, double share) {
  require(share >= 0 && share < 0.5, "trimmed mean: share {} is outside [0, 0.5)", share);
  if (values.empty()) return kUndefined;
  const auto cut = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  if (cut > 0) std::sort(values.begin(), values.end());
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(cut);
  const auto last = values.end() - static_cast<std::ptrdiff_t>(cut);
  return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
}

std::vector<double> mean_signals(MatrixView signals, double trimmed_share) {
  require(signals.rows > 0,
          "RMIA: there is no reference model: add shadow/0/{{forget,retain}}.npy");
  std::vector<double> result(signals.cols);
  std::vector<double> column(signals.rows);
  for (std::size_t row = 0; row < signals.cols; ++row) {
    for (std::size_t model = 0; model < signals.rows; ++model) column[model] = signals(model, row);
    result[row] = trimmed_mean(column, trimmed_share);
  }
  return result;
}

std::vector<double> offline_reference(std::span<const double> mean_out, double a) {
  require(a >= 0 && a <= 1, "RMIA: a = {} is outside [0, 1]", a);
  std::vector<double> result;
  result.reserve(mean_out.size());
  for (const double value : mean_out) result.push_back((1 + a) / 2 * value + (1 - a) / 2);
  return result;
}

std::vector<double> likelihood_ratios(std::span<const double> signals,
                                      std::span<const double> reference) {
  require(signals.size() == reference.size(),
          "RMIA: {} signals and {} references: give one per example", signals.size(),
          reference.size());
  std::vector<double> result(signals.size());
  for (std::size_t row = 0; row < result.size(); ++row) result[row] = signals[row] / reference[row];
  return result;
}

std::vector<double> rmia_scores(std::span<const double> ratios, std::span<const double> population,
                                double gamma, PairRule rule) {
  require(gamma > 0, "RMIA: gamma {} must be positive", gamma);
  std::vector<double> result(ratios.size(), kUndefined);
  if (population.empty()) return result;
  const SortedRatios sorted(population, gamma, rule);
  const auto count = static_cast<double>(population.size());
  parallel_ranges(ratios.size(), kRmiaRowsPerTask, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      result[row] = static_cast<double>(sorted.wins(ratios[row])) / count;
    }
  });
  return result;
}

}  // namespace vestige::metrics
