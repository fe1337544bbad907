// Shares and probabilities of right options.
#include "vestige/metrics/multiple_choice/multiple_choice.h"

#include <algorithm>
#include <cmath>

#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

std::vector<double> chosen_right(MatrixView values, std::span<const std::int64_t> labels) {
  std::vector<double> result(values.rows);
  for (std::size_t row = 0; row < values.rows; ++row) {
    const auto options = values.row(row);
    const double most = *std::max_element(options.begin(), options.end());
    const auto ties = static_cast<double>(std::count(options.begin(), options.end(), most));
    result[row] = options[static_cast<std::size_t>(labels[row])] == most ? 1 / ties : 0;
  }
  return result;
}

std::vector<double> right_probabilities(MatrixView values, std::span<const std::int64_t> labels) {
  std::vector<double> result(values.rows);
  for (std::size_t row = 0; row < values.rows; ++row) {
    const auto options = values.row(row);
    const double right = options[static_cast<std::size_t>(labels[row])];
    double sum = 0;  // 1 / p: exponentials relative to the right option, which may overflow to inf
    for (const double value : options) sum += std::exp(value - right);
    result[row] = 1 / sum;
  }
  return result;
}

double chance_level(MatrixView values) {
  std::vector<double> chances(values.rows);
  for (std::size_t row = 0; row < values.rows; ++row) {
    const auto options = values.row(row);
    chances[row] =
        1 / static_cast<double>(std::count_if(options.begin(), options.end(),
                                              [](double value) { return std::isfinite(value); }));
  }
  return mean(chances);
}

MostChosen most_chosen(MatrixView values) {
  std::vector<std::size_t> counts(values.cols);
  for (std::size_t row = 0; row < values.rows; ++row) {
    const auto options = values.row(row);
    ++counts[static_cast<std::size_t>(std::max_element(options.begin(), options.end()) -
                                      options.begin())];
  }
  if (values.rows == 0) return {};
  const auto most = std::max_element(counts.begin(), counts.end());
  return {static_cast<std::size_t>(most - counts.begin()),
          static_cast<double>(*most) / static_cast<double>(values.rows)};
}

}  // namespace vestige::metrics
