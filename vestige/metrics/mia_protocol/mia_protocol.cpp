// Every model of a pool as the target once.
#include "vestige/metrics/mia_protocol/mia_protocol.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/scores/lira.h"
#include "vestige/metrics/scores/rmia.h"
#include "vestige/metrics/stats/attack_result.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// values[choice[row][i]][row] as [N/2, rows].
Matrix gather(MatrixView values, const std::vector<std::vector<std::size_t>>& choice) {
  Matrix result(choice.front().size(), choice.size());
  for (std::size_t row = 0; row < choice.size(); ++row) {
    for (std::size_t index = 0; index < choice[row].size(); ++index) {
      result(index, row) = values(choice[row][index], row);
    }
  }
  return result;
}

/// Logit-scaled confidence; probabilities are cut half a unit in the last place from 0 and 1.
double scaled(double probability) {
  const double p = std::clamp(probability, 1e-300, 1 - 0x1p-53);
  return std::log(p) - std::log1p(-p);
}

Matrix scaled(const Matrix& probabilities) {
  Matrix result = probabilities;
  for (double& value : result.values()) value = scaled(value);
  return result;
}

std::vector<double> iam_attack(std::span<const double> target, const Matrix& in, const Matrix& out,
                               const MiaProtocolOptions& options) {
  const auto responses = [&](const Matrix& probabilities) {
    Matrix result(probabilities.rows(), probabilities.cols());
    const std::vector<double> values = iam_responses(probabilities.values(), options.response);
    std::copy(values.begin(), values.end(), result.values().begin());
    return result;
  };
  // Several IN models count as one: their mean response.
  const std::vector<double> fitted = shadow_moments(responses(in)).mean;
  return iam_scores(iam_responses(target, options.response), shadow_moments(responses(out)), fitted,
                    options.iam);
}

std::vector<double> lira_attack(std::span<const double> target, const Matrix& in,
                                const Matrix& out) {
  const Matrix in_scaled = scaled(in);
  const Matrix out_scaled = scaled(out);
  std::vector<double> scores(in_scaled.values().begin(), in_scaled.values().end());
  scores.insert(scores.end(), out_scaled.values().begin(), out_scaled.values().end());
  std::vector<std::uint8_t> keep(in.values().size(), 1);
  keep.resize(scores.size(), 0);
  std::vector<double> x;
  for (const double probability : target) x.push_back(scaled(probability));
  return lira_pool({scores, keep, target.size(), 1}, x, in.rows() < kModelsForDeviations).online;
}

std::vector<double> rmia_attack(const MembershipPool& pool, std::size_t target, const Matrix& in,
                                const Matrix& out, const MiaProtocolOptions& options) {
  Matrix both(in.rows() + out.rows(), in.cols());
  std::copy(in.values().begin(), in.values().end(), both.values().begin());
  std::copy(out.values().begin(), out.values().end(),
            both.values().begin() + static_cast<std::ptrdiff_t>(in.values().size()));
  Matrix others(pool.population.rows - 1, pool.population.cols);
  for (std::size_t model = 0, next = 0; model < pool.population.rows; ++model) {
    if (model == target) continue;
    const auto row = pool.population.row(model);
    std::copy(row.begin(), row.end(), others.row(next++).begin());
  }
  return rmia_scores(likelihood_ratios(pool.probabilities.row(target), mean_signals(both, 0)),
                     likelihood_ratios(pool.population.row(target), mean_signals(others, 0)),
                     options.rmia_gamma);
}

/// One target's attack, added to the lists that are averaged in the end.
struct Collected {
  std::vector<double> auc, zero, low;

  void add(std::span<const double> scores, std::span<const std::uint8_t> keep) {
    std::vector<double> members, nonmembers;
    for (std::size_t row = 0; row < scores.size(); ++row) {
      (keep[row] != 0 ? members : nonmembers).push_back(scores[row]);
    }
    const AttackResult result = evaluate_attack(members, nonmembers);
    auc.push_back(result.auc.value);
    low.push_back(result.rates[2].tpr.value);
    zero.push_back(result.rates[3].tpr.value);
  }

  ProtocolScore score() const { return {mean(auc), mean(zero), mean(low), auc, zero, low}; }
};

}  // namespace

ShadowChoice choose_shadows(std::span<const std::uint8_t> keep, std::size_t rows,
                            std::size_t target, std::size_t shadows, std::uint64_t seed) {
  require(shadows >= 2 && shadows % 2 == 0, "{} shadow models: give an even number, 2 or more",
          shadows);
  const std::size_t models = rows == 0 ? 0 : keep.size() / rows;
  Stream stream(seed, "mia.protocol", target);
  ShadowChoice choice;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::size_t> sides[2];
    for (std::size_t model = 0; model < models; ++model) {
      if (model != target) sides[keep[model * rows + row] != 0 ? 1 : 0].push_back(model);
    }
    for (int side = 0; side < 2; ++side) {
      const std::vector<std::size_t>& all = sides[side];
      require(all.size() >= shadows / 2,
              "example {} has {} {} models besides target {}, {} are needed: lower the number of "
              "shadow models or add models to the pool",
              row, all.size(), side == 1 ? "IN" : "OUT", target, shadows / 2);
      std::vector<std::size_t> chosen;
      for (const std::size_t index : stream.sample(all.size(), shadows / 2)) {
        chosen.push_back(all[index]);
      }
      (side == 1 ? choice.in : choice.out).push_back(std::move(chosen));
    }
  }
  return choice;
}

MiaProtocol mia_protocol(const MembershipPool& pool, const MiaProtocolOptions& options) {
  const MatrixView p = pool.probabilities;
  require(p.rows > 0 && p.cols > 0 && pool.keep.size() == p.rows * p.cols,
          "{} membership marks for {} models x {} examples: give one per model and example",
          pool.keep.size(), p.rows, p.cols);
  require(pool.population.cols == 0 || pool.population.rows == p.rows,
          "population outputs of {} models, but the pool has {}", pool.population.rows, p.rows);
  const std::size_t targets = options.targets == 0 ? p.rows : std::min(options.targets, p.rows);
  Collected iam, lira, rmia;
  for (std::size_t target = 0; target < targets; ++target) {
    const ShadowChoice choice =
        choose_shadows(pool.keep, p.cols, target, options.shadows, options.seed);
    const Matrix in = gather(p, choice.in);
    const Matrix out = gather(p, choice.out);
    const auto keep = pool.keep.subspan(target * p.cols, p.cols);
    iam.add(iam_attack(p.row(target), in, out, options), keep);
    lira.add(lira_attack(p.row(target), in, out), keep);
    if (pool.population.cols > 0) {
      rmia.add(rmia_attack(pool, target, in, out, options), keep);
    }
  }
  return {iam.score(), lira.score(), rmia.score()};
}

}  // namespace vestige::metrics
