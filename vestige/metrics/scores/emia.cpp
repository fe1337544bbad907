// Loss ranks of EMIA.
#include "vestige/metrics/scores/emia.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

double logistic_loss(double x) { return std::max(-x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

std::vector<double> logistic_losses(std::span<const double> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(logistic_loss(value));
  return result;
}

std::vector<double> emia_p(std::span<const double> losses, std::span<const double> population) {
  std::vector<double> result(losses.size(), kUndefined);
  if (population.empty()) return result;
  std::vector<double> sorted(population.begin(), population.end());
  for (const double value : sorted) {
    if (std::isnan(value)) return result;
  }
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t row = 0; row < losses.size(); ++row) {
    if (std::isnan(losses[row])) continue;
    const auto below = std::lower_bound(sorted.begin(), sorted.end(), losses[row]) - sorted.begin();
    result[row] = 1 - static_cast<double>(below) / static_cast<double>(sorted.size());
  }
  return result;
}

std::vector<double> emia_r(std::span<const double> losses, MatrixView shadow_losses,
                           double largest) {
  require(shadow_losses.rows > 0 && shadow_losses.cols == losses.size(),
          "EMIA-R: losses of {} shadow models on {} examples, but {} target losses: give one each",
          shadow_losses.rows, shadow_losses.cols, losses.size());
  std::vector<double> result(losses.size(), kUndefined);
  std::vector<double> points(shadow_losses.rows + 2);
  const auto steps = static_cast<double>(points.size() - 1);
  for (std::size_t row = 0; row < losses.size(); ++row) {
    bool defined = !std::isnan(losses[row]);
    for (std::size_t shadow = 0; shadow < shadow_losses.rows; ++shadow) {
      points[shadow] = shadow_losses(shadow, row);
      defined = defined && !std::isnan(points[shadow]);
    }
    if (!defined) continue;
    points[shadow_losses.rows] = 0;
    points[shadow_losses.rows + 1] = largest;
    std::sort(points.begin(), points.end());
    const auto above = std::upper_bound(points.begin(), points.end(), losses[row]);
    const auto right = static_cast<std::size_t>(above - points.begin());
    double rank = 1;
    if (right == 0) {
      rank = 0;
    } else if (right < points.size()) {
      const double share = (losses[row] - points[right - 1]) / (points[right] - points[right - 1]);
      rank = (static_cast<double>(right - 1) + share) / steps;
    }
    result[row] = 1 - rank;
  }
  return result;
}

}  // namespace vestige::metrics
