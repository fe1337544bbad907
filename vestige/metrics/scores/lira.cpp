// Likelihood ratios under normal distributions.
#include "vestige/metrics/scores/lira.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr double kSmallestDeviation = 1e-30;

void check(std::size_t target, std::size_t other, std::size_t out) {
  require(target == other && target == out,
          "LiRA: {} target, {} IN and {} OUT values: give one of each per example", target, other,
          out);
}

double normal_cdf(double x, double mean, double deviation) {
  return 0.5 * std::erfc(-(x - mean) / (deviation + kSmallestDeviation) / std::numbers::sqrt2);
}

/// Deviation with ddof 0.
double spread(std::span<const double> values) {
  const double center = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

/// The models on one side (IN or OUT) of every row, cut to the same number.
class Side {
 public:
  Side(const LiraPool& pool, std::uint8_t kept) : pool_(pool), members_(pool.rows) {
    const std::size_t models = pool.keep.size() / pool.rows;
    for (std::size_t model = 0; model < models; ++model) {
      for (std::size_t row = 0; row < pool.rows; ++row) {
        if ((pool.keep[model * pool.rows + row] != 0) == (kept != 0))
          members_[row].push_back(model);
      }
    }
    count_ = members_.empty() ? 0 : members_[0].size();
    for (const auto& members : members_) count_ = std::min(count_, members.size());
  }

  std::size_t count() const { return count_; }

  std::vector<double> values(std::size_t row, std::size_t augmentation) const {
    std::vector<double> result(count_);
    for (std::size_t index = 0; index < count_; ++index) {
      result[index] = pool_.scores[(members_[row][index] * pool_.rows + row) * pool_.augmentations +
                                   augmentation];
    }
    return result;
  }

  double spread_of_all() const {
    std::vector<double> all;
    for (std::size_t row = 0; row < pool_.rows; ++row) {
      for (std::size_t augmentation = 0; augmentation < pool_.augmentations; ++augmentation) {
        const std::vector<double> some = values(row, augmentation);
        all.insert(all.end(), some.begin(), some.end());
      }
    }
    return spread(all);
  }

 private:
  const LiraPool& pool_;
  std::vector<std::vector<std::size_t>> members_;
  std::size_t count_ = 0;
};

}  // namespace

double log_normal_density(double x, double mean, double deviation) {
  const double scale = deviation + kSmallestDeviation;
  const double z = (x - mean) / scale;
  return -z * z / 2 - std::log(scale) - std::log(2 * std::numbers::pi) / 2;
}

std::vector<double> lira_density(std::span<const double> target, const ShadowMoments& out) {
  check(target.size(), target.size(), out.mean.size());
  std::vector<double> result(target.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    result[row] = -log_normal_density(target[row], out.mean[row], out.deviation[row]);
  }
  return result;
}

std::vector<double> lira_offline(std::span<const double> target, const ShadowMoments& out) {
  check(target.size(), target.size(), out.mean.size());
  std::vector<double> result(target.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    result[row] = normal_cdf(target[row], out.mean[row], out.deviation[row]);
  }
  return result;
}

std::vector<double> lira_online(std::span<const double> target, std::span<const double> in,
                                const ShadowMoments& out) {
  check(target.size(), in.size(), out.mean.size());
  std::vector<double> result(target.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    result[row] = log_normal_density(target[row], in[row], 0) -
                  log_normal_density(target[row], out.mean[row], out.deviation[row]);
  }
  return result;
}

std::vector<double> update_attack(std::span<const double> target, std::span<const double> original,
                                  const ShadowMoments& out) {
  check(target.size(), original.size(), out.mean.size());
  std::vector<double> result = lira_offline(target, out);
  const std::vector<double> before = lira_offline(original, out);
  for (std::size_t row = 0; row < result.size(); ++row) result[row] -= before[row];
  return result;
}

LiraPoolScores lira_pool(const LiraPool& pool, std::span<const double> target, bool one_deviation) {
  require(
      pool.rows > 0 && pool.augmentations > 0 && pool.keep.size() % pool.rows == 0 &&
          pool.scores.size() == pool.keep.size() * pool.augmentations &&
          target.size() == pool.rows * pool.augmentations,
      "LiRA: {} pool scores, {} membership marks and {} target scores do not fit {} examples x {} "
      "augmentations",
      pool.scores.size(), pool.keep.size(), target.size(), pool.rows, pool.augmentations);
  const Side in(pool, 1);
  const Side out(pool, 0);
  const double in_spread = one_deviation && in.count() > 0 ? in.spread_of_all() : 0;
  const double out_spread = one_deviation && out.count() > 0 ? out.spread_of_all() : 0;
  LiraPoolScores result;
  result.online.assign(pool.rows, kUndefined);
  result.offline.assign(pool.rows, kUndefined);
  if (out.count() == 0) return result;
  const auto augmentations = static_cast<double>(pool.augmentations);
  for (std::size_t row = 0; row < pool.rows; ++row) {
    double online = 0;
    double offline = 0;
    for (std::size_t augmentation = 0; augmentation < pool.augmentations; ++augmentation) {
      const double x = target[row * pool.augmentations + augmentation];
      const std::vector<double> without = out.values(row, augmentation);
      const double center = median(without);
      const double deviation = one_deviation ? out_spread : spread(without);
      offline -= log_normal_density(x, center, deviation);
      if (in.count() == 0) continue;
      const std::vector<double> with = in.values(row, augmentation);
      online += log_normal_density(x, median(with), one_deviation ? in_spread : spread(with)) -
                log_normal_density(x, center, one_deviation ? in_spread : deviation);
    }
    result.offline[row] = offline / augmentations;
    if (in.count() > 0) result.online[row] = online / augmentations;
  }
  return result;
}

}  // namespace vestige::metrics
