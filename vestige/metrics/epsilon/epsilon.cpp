// Exact eps, one row or many.
#include "vestige/metrics/epsilon/epsilon.h"

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/epsilon/epsilon_sweep.h"

namespace vestige::metrics {
namespace {

void check(const EpsilonOptions& options) {
  require(options.delta >= 0 && options.delta < 1, "epsilon: delta is {}: give 0 <= delta < 1",
          options.delta);
  require(options.cap > 0, "epsilon: cap is {}: give a positive number", options.cap);
}

Epsilon sweep(const PooledSample& sample, const RateLogs& unlearned, const RateLogs& retrained,
              const EpsilonOptions& options) {
  const double cap = options.cap;
  const auto capped = [cap](double epsilon) { return epsilon > cap ? cap : epsilon; };
  Epsilon result;
  result.positive_is_retrained = sample.positive_is_retrained();
  result.single = capped(best_single(sample, unlearned, retrained).epsilon);
  result.double_threshold = capped(best_double(sample, unlearned, retrained).epsilon);
  result.epsilon =
      sample.equal() ? 0 : strongest(result.single, result.double_threshold, options.families);
  result.separated = result.epsilon == cap;
  return result;
}

}  // namespace

double strongest(double single, double double_threshold, AttackFamilies families) {
  switch (families) {
    case AttackFamilies::single:
      return single;
    case AttackFamilies::double_threshold:
      return double_threshold;
    case AttackFamilies::both:
      break;
  }
  return std::fmax(single, double_threshold);
}

Epsilon epsilon(std::span<const double> unlearned, std::span<const double> retrained,
                const EpsilonOptions& options) {
  check(options);
  PooledSample sample;
  sample.assign(unlearned, retrained);
  return sweep(sample, RateLogs(unlearned.size(), options.delta),
               RateLogs(retrained.size(), options.delta), options);
}

void check_pools(MatrixView unlearned, MatrixView retrained) {
  require(unlearned.cols == retrained.cols,
          "epsilon: {} examples under unlearned models, {} under retrained: give the same examples "
          "for both",
          unlearned.cols, retrained.cols);
  require(unlearned.rows > 0 && retrained.rows > 0,
          "epsilon: {} unlearned and {} retrained models: give at least one of each",
          unlearned.rows, retrained.rows);
}

std::vector<Epsilon> epsilons(MatrixView unlearned, MatrixView retrained,
                              const EpsilonOptions& options) {
  check(options);
  check_pools(unlearned, retrained);
  const RateLogs unlearned_logs(unlearned.rows, options.delta);
  const RateLogs retrained_logs(retrained.rows, options.delta);
  std::vector<Epsilon> results(unlearned.cols);
  parallel_ranges(unlearned.cols, 8, [&](std::size_t first, std::size_t last) {
    PooledSample sample;
    std::vector<double> unlearned_sample(unlearned.rows);
    std::vector<double> retrained_sample(retrained.rows);
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t model = 0; model < unlearned.rows; ++model) {
        unlearned_sample[model] = unlearned(model, row);
      }
      for (std::size_t model = 0; model < retrained.rows; ++model) {
        retrained_sample[model] = retrained(model, row);
      }
      sample.assign(unlearned_sample, retrained_sample);
      results[row] = sweep(sample, unlearned_logs, retrained_logs, options);
    }
  });
  return results;
}

double largest_finite_epsilon(std::size_t unlearned, std::size_t retrained,
                              const EpsilonOptions& options) {
  check(options);
  require(unlearned > 0 && retrained > 0,
          "epsilon: {} unlearned and {} retrained models: give at least one of each", unlearned,
          retrained);
  return attack_epsilon(1 / static_cast<double>(unlearned), 1 / static_cast<double>(retrained),
                        options.delta);
}

}  // namespace vestige::metrics
