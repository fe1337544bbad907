// ECDF, KDE and beta levels.
#include "vestige/metrics/scores/iam_scoring.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numbers>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kScoringRowsPerTask = 64;
constexpr double kScoringRounding = 1e-13;  // as in iam.cpp

struct Level {
  double t = 0;
  double target = 0;
  double center = 0;
  double deviation = 0;
};

double ecdf(const Level& level, MatrixView shadows, std::size_t row, double in) {
  std::size_t below = 0;
  for (std::size_t shadow = 0; shadow < shadows.rows; ++shadow) {
    const double value = shadows(shadow, row);
    below += value + (in - value) * level.t <= level.target ? 1U : 0U;
  }
  return static_cast<double>(below) / static_cast<double>(shadows.rows);
}

double kde(const Level& level, MatrixView shadows, std::size_t row, double in) {
  const auto count = static_cast<double>(shadows.rows);
  const double bandwidth = level.deviation * std::pow(0.75 * count, -0.2);
  double sum = 0;
  for (std::size_t shadow = 0; shadow < shadows.rows; ++shadow) {
    const double value = (1 - level.t) * shadows(shadow, row) + level.t * in;
    sum += 0.5 * std::erfc(-(level.target - value) / bandwidth / std::numbers::sqrt2);
  }
  return sum / count;
}

// Beta by moments: a + b = mean (1 - mean) / variance - 1. As that falls to 0 the distribution
// becomes mass 1 - mean on 0 and mean on 1, which also stands for variances that no beta has.
double bayes(const Level& level) {
  const double p = std::clamp(level.target, 0.0, 1.0);
  const double total = level.center * (1 - level.center) / (level.deviation * level.deviation) - 1;
  if (total <= 0) return p == 1 ? 1 : 1 - level.center;
  return boost::math::ibeta(level.center * total, (1 - level.center) * total, p);
}

std::vector<double> by_levels(Scoring scoring, std::span<const double> target, MatrixView shadows,
                              std::span<const double> in, const IamOptions& options) {
  require(options.levels >= 2, "IAM with {} levels: at least 2 are needed (100 is usual)",
          options.levels);
  const ShadowMoments moments = shadow_moments(shadows);
  const bool global = options.variance == IamVariance::global;
  const std::vector<double> deviations = level_deviations(moments, in, options.levels);
  std::vector<double> scores(target.size());
  parallel_ranges(scores.size(), kScoringRowsPerTask, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      double sum = 0;
      double weights = 0;
      for (std::size_t index = 0; index + 1 < options.levels; ++index) {
        const double t = static_cast<double>(index) / static_cast<double>(options.levels - 1);
        Level level{t, target[row], (1 - t) * moments.mean[row] + t * in[row],
                    global ? deviations[index] : (1 - t) * moments.deviation[row]};
        const auto weight = static_cast<double>(index + 1);
        weights += weight;
        if (std::isnan(level.target + level.center)) {
          sum = kUndefined;
        } else if (scoring == Scoring::ecdf) {
          sum += weight * ecdf(level, shadows, row, in[row]);
        } else {
          if (level.deviation <= kScoringRounding) level.deviation = options.zero_deviation;
          if (std::isnan(level.deviation)) {
            sum = kUndefined;
          } else {
            sum += weight *
                   (scoring == Scoring::kde ? kde(level, shadows, row, in[row]) : bayes(level));
          }
        }
      }
      scores[row] = sum / weights;
    }
  });
  return scores;
}

}  // namespace

std::string_view name(Scoring scoring) {
  switch (scoring) {
    case Scoring::loss:
      return "loss";
    case Scoring::ecdf:
      return "ecdf";
    case Scoring::kde:
      return "kde";
    case Scoring::bayes:
      return "bayes";
    case Scoring::gauss:
      return "gauss";
    case Scoring::gumbel:
      return "gumbel";
  }
  return "";
}

Scoring scoring_of(std::string_view text) {
  for (const Scoring scoring : kScorings) {
    if (name(scoring) == text) return scoring;
  }
  fail("IAM: there is no scoring \"{}\": give loss, ecdf, kde, bayes, gauss or gumbel", text);
}

std::vector<double> scoring_scores(Scoring scoring, std::span<const double> target,
                                   MatrixView shadows, std::span<const double> in,
                                   const IamOptions& options) {
  require(shadows.cols == target.size() && in.size() == target.size(),
          "IAM: {} target, {} shadow and {} IN values: give one of each per example", target.size(),
          shadows.cols, in.size());
  IamOptions own = options;
  switch (scoring) {
    case Scoring::loss:
      return {target.begin(), target.end()};
    case Scoring::gauss:
      own.distribution = LevelDistribution::normal;
      return iam_scores(target, shadow_moments(shadows), in, own);
    case Scoring::gumbel:
      own.distribution = LevelDistribution::gumbel;
      return iam_scores(target, shadow_moments(shadows), in, own);
    case Scoring::ecdf:
    case Scoring::kde:
    case Scoring::bayes:
      break;
  }
  return by_levels(scoring, target, shadows, in, options);
}

}  // namespace vestige::metrics
