// Attacks that compare a language model with others.
#include "vestige/metrics/lm/lm_attacks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/kernels/gumbel_kernel.h"
#include "vestige/metrics/lm/lm_scores.h"
#include "vestige/metrics/scores/lira.h"
#include "vestige/metrics/scores/rmia.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr double kSmallestLoss = 1e-12;
constexpr double kAddedDeviation = 1e-9;
constexpr std::size_t kRowsPerTask = 1024;

void check_rows(std::string_view what, std::size_t target, std::size_t shadows, std::size_t in) {
  require(target == shadows && target == in,
          "{} of a language model: {} target, {} shadow and {} IN sequences: give the same "
          "sequences",
          what, target, shadows, in);
}

/// Divided by n.
double population_variance(std::span<const double> values) {
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum / static_cast<double>(values.size());
}

Matrix logits_of(MatrixView losses) {
  Matrix result(losses.rows, losses.cols);
  for (std::size_t model = 0; model < losses.rows; ++model) {
    const std::vector<double> logits = lm_logits(losses.row(model));
    std::copy(logits.begin(), logits.end(), result.row(model).begin());
  }
  return result;
}

std::vector<double> rmia_ratios(const RmiaLosses& losses, double a) {
  check_rows("RMIA", losses.target.size(), losses.shadows.cols,
             losses.in.empty() ? losses.target.size() : losses.in.size());
  Matrix signals(losses.shadows.rows, losses.shadows.cols);
  for (std::size_t model = 0; model < losses.shadows.rows; ++model) {
    const std::vector<double> out = lm_confidences(losses.shadows.row(model));
    std::copy(out.begin(), out.end(), signals.row(model).begin());
  }
  std::vector<double> reference = mean_signals(signals, 0);
  if (losses.in.empty()) {
    reference = offline_reference(reference, a);
  } else {
    const std::vector<double> in = lm_confidences(losses.in);
    for (std::size_t row = 0; row < in.size(); ++row) {
      reference[row] = (reference[row] + in[row]) / 2;
    }
  }
  return likelihood_ratios(lm_confidences(losses.target), reference);
}

/// Levels from IN (k = 0) towards the shadows, the shadows themselves left out. Level k of m lies
/// where level m - 1 - k of the paper's direction does.
std::vector<GumbelLevel> code_levels(const ShadowMoments& shadows, std::span<const double> in,
                                     std::size_t count) {
  const std::vector<double> forward = level_deviations(shadows, in, count);
  std::vector<GumbelLevel> levels(count - 1);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const double deviation =
        level == 0 ? std::sqrt(population_variance(in)) : forward[count - 1 - level];
    const double shadow_share = static_cast<double>(level) / static_cast<double>(count - 1);
    levels[level] = {shadow_share, 1 - shadow_share,
                     std::numbers::pi / (std::sqrt(6.0) * (deviation + kAddedDeviation)),
                     static_cast<double>(level + 1)};
  }
  return levels;
}

/// The moments of rows [first, last) alone.
ShadowMoments part_of(const ShadowMoments& all, std::size_t first, std::size_t last) {
  const auto cut = [&](const std::vector<double>& values) {
    return std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(first),
                               values.begin() + static_cast<std::ptrdiff_t>(last));
  };
  ShadowMoments part{.shadows = all.shadows,
                     .mean = cut(all.mean),
                     .deviation = cut(all.deviation),
                     .largest = all.largest};
  double sum = 0;
  for (const double deviation : part.deviation) sum += deviation * deviation;
  part.within = sum / static_cast<double>(last - first);
  return part;
}

std::vector<double> code_scores(std::span<const double> target, const ShadowMoments& shadows,
                                std::span<const double> in, std::size_t count) {
  const std::vector<GumbelLevel> levels = code_levels(shadows, in, count);
  double total = 0;
  for (const GumbelLevel& level : levels) total += level.weight;
  const std::vector<double> ones(target.size(), 1);
  std::vector<double> scores(target.size(), 0);
  parallel_ranges(scores.size(), kRowsPerTask, [&](std::size_t first, std::size_t last) {
    const std::size_t rows = last - first;
    const std::span<double> sums = std::span<double>(scores).subspan(first, rows);
    add_gumbel_levels(
        {target.subspan(first, rows), std::span<const double>(shadows.mean).subspan(first, rows),
         in.subspan(first, rows), std::span<const double>(ones).subspan(first, rows)},
        levels, sums);
    for (double& sum : sums) sum /= total;
  });
  return scores;
}

}  // namespace

std::vector<double> lm_logits(std::span<const double> losses) {
  std::vector<double> result;
  result.reserve(losses.size());
  for (double loss : losses) {
    loss = std::max(loss, kSmallestLoss);
    result.push_back(-loss - std::log(-std::expm1(-loss)));
  }
  return result;
}

std::vector<double> lm_lira(std::span<const double> target, MatrixView shadows,
                            std::span<const double> in) {
  check_rows("LiRA", target.size(), shadows.cols, in.empty() ? target.size() : in.size());
  ShadowMoments out = shadow_moments(logits_of(shadows));
  const double deviation = std::sqrt(out.within + population_variance(out.mean));
  if (!(deviation > 0)) return std::vector<double>(target.size(), kUndefined);
  const std::vector<double> x = lm_logits(target);
  if (in.empty()) {
    std::fill(out.deviation.begin(), out.deviation.end(), deviation);
    return lira_offline(x, out);
  }
  const std::vector<double> fitted = lm_logits(in);
  std::vector<double> result(target.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    result[row] = log_normal_density(x[row], fitted[row], deviation) -
                  log_normal_density(x[row], out.mean[row], deviation);
  }
  return result;
}

std::vector<double> lm_rmia(const RmiaLosses& rows, const RmiaLosses& population,
                            const LmRmiaOptions& options) {
  return rmia_scores(rmia_ratios(rows, options.a), rmia_ratios(population, options.a),
                     options.gamma);
}

std::string_view name(LmDirection direction) {
  return direction == LmDirection::paper ? "paper" : "code";
}

LmDirection lm_direction(std::string_view name) {
  require(name == "paper" || name == "code",
          "the direction of the levels is \"{}\": it must be paper or code", name);
  return name == "paper" ? LmDirection::paper : LmDirection::code;
}

std::vector<double> lm_iam_responses(std::span<const double> losses, const LmIamOptions& options) {
  std::vector<double> flipped;
  flipped.reserve(losses.size());
  for (const double loss : losses) flipped.push_back(-std::expm1(-loss));
  return iam_responses(flipped, {.epsilon1 = options.epsilon1, .epsilon2 = options.epsilon2});
}

std::vector<double> lm_iam(std::span<const double> target, const ShadowMoments& shadows,
                           std::span<const double> in, const LmIamOptions& options) {
  check_rows("IAM", target.size(), shadows.mean.size(), in.size());
  require(options.levels >= 2, "IAM with {} levels: at least 2 are needed (1000 is usual)",
          options.levels);
  if (target.empty()) return {};
  if (options.batch > 0 && options.batch < target.size()) {
    LmIamOptions whole = options;
    whole.batch = 0;
    std::vector<double> scores;
    for (std::size_t first = 0; first < target.size(); first += options.batch) {
      const std::size_t count = std::min(options.batch, target.size() - first);
      const std::vector<double> part =
          lm_iam(target.subspan(first, count), part_of(shadows, first, first + count),
                 in.subspan(first, count), whole);
      scores.insert(scores.end(), part.begin(), part.end());
    }
    return scores;
  }
  std::vector<double> scores = options.direction == LmDirection::paper
                                   ? iam_scores(target, shadows, in, {.levels = options.levels})
                                   : code_scores(target, shadows, in, options.levels);
  for (double& score : scores) score = 1 - score;
  return scores;
}

}  // namespace vestige::metrics
