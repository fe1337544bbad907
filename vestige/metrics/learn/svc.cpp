// The machine behind an owning type, and Platt scaling on folds of our own.
#include "vestige/metrics/learn/svc.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/lanes.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/kernels/gumbel_kernel.h"
#include "vestige/metrics/learn/smo.h"

namespace vestige::metrics {
namespace {

void check_training_input(MatrixView rows, std::span<const int> labels, const SvcOptions& options) {
  require(rows.rows == labels.size(), "svc: {} rows but {} labels; give one label per row",
          rows.rows, labels.size());
  require(rows.cols > 0, "svc: the rows have no features; give at least one column");
  require(options.cost > 0, "svc: cost is {}; it must be positive", options.cost);
  require(options.gamma >= 0, "svc: gamma is {}; it must be positive, or 0 for 1/features",
          options.gamma);
  require(options.tolerance > 0, "svc: tolerance is {}; it must be positive", options.tolerance);
  std::size_t ones = 0;
  for (const int label : labels) {
    require(label == 0 || label == 1, "svc: a label is {}; labels must be 0 or 1", label);
    ones += label == 1 ? 1 : 0;
  }
  require(ones > 0 && ones<labels.size(),
                           "svc: all {} training labels are {}; rows of both classes are needed",
                           labels.size(), ones> 0
              ? 1
              : 0);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (const double value : rows.row(i)) {
      require(std::isfinite(value), "svc: training row {} holds {}; features must be finite", i,
              value);
    }
  }
}

}  // namespace

/// What the decision needs of the solution.
struct Svc::State {
  std::size_t rows = 0;
  double gamma = 0;
  double rho = 0;
  Matrix vectors;                    ///< the support vectors, column by column [d, s]
  std::vector<double> coefficients;  ///< of the support vectors
  std::vector<std::size_t> places;   ///< their rows
};

Svc::Svc(std::unique_ptr<State> state) : state_(std::move(state)) {}
Svc::Svc(Svc&&) noexcept = default;
Svc& Svc::operator=(Svc&&) noexcept = default;
Svc::~Svc() = default;

Svc Svc::train(MatrixView rows, std::span<const int> labels, const SvcOptions& options) {
  check_training_input(rows, labels, options);
  const SmoOptions settings{
      .cost = options.cost,
      .gamma = options.gamma > 0 ? options.gamma : 1.0 / static_cast<double>(rows.cols),
      .tolerance = options.tolerance,
      .cache_mb = options.cache_mb};
  SmoSolution solution = solve_smo(rows, labels, settings);
  auto state = std::make_unique<State>();
  state->rows = rows.rows;
  state->gamma = settings.gamma;
  state->rho = solution.rho;
  state->vectors = Matrix(rows.cols, solution.places.size());
  for (std::size_t s = 0; s < solution.places.size(); ++s) {
    for (std::size_t k = 0; k < rows.cols; ++k) {
      state->vectors(k, s) = rows(solution.places[s], k);
    }
  }
  state->coefficients = std::move(solution.coefficients);
  state->places = std::move(solution.places);
  return Svc(std::move(state));
}

namespace {

/// values[s] = -gamma |row - vector s|^2, for `block` vectors whose columns begin every `count`.
struct KernelExponents {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(std::span<const double> row, const double* vectors,
                                 std::size_t count, std::size_t block, double gamma,
                                 double* values) {
    std::fill_n(values, block, 0.0);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double own = row[k];
      const double* column = vectors + k * count;
      for (std::size_t s = 0; s < block; ++s) {
        const double difference = own - column[s];
        values[s] -= difference * difference;
      }
    }
    for (std::size_t s = 0; s < block; ++s) values[s] *= gamma;
  }
};

}  // namespace

double Svc::decision(std::span<const double> row) const {
  require(row.size() == state_->vectors.rows(),
          "svc: a row has {} features, the machine was trained on {}", row.size(),
          state_->vectors.rows());
  // LIBSVM's sum with the exponentials of many support vectors taken at once, as four sums side by
  // side: one chain of additions would wait for itself.
  constexpr std::size_t kVectorsAtOnce = 256;
  const std::size_t count = state_->coefficients.size();
  const double* vectors = state_->vectors.values().data();
  double kernel[kVectorsAtOnce];
  double sums[4] = {};
  for (std::size_t first = 0; first < count; first += kVectorsAtOnce) {
    const std::size_t block = std::min(kVectorsAtOnce, count - first);
    run_widest<KernelExponents>(Instructions::best, row, vectors + first, count, block,
                                state_->gamma, &kernel[0]);
    exponentials({kernel, block}, {kernel, block});
    const double* coefficients = state_->coefficients.data() + first;
    for (std::size_t s = 0; s < block; ++s) sums[s % 4] += coefficients[s] * kernel[s];
  }
  const double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return sum - state_->rho;
}

std::vector<double> Svc::decisions(MatrixView rows) const {
  std::vector<double> values(rows.rows);
  parallel_ranges(rows.rows, 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) values[i] = decision(rows.row(i));
  });
  return values;
}

std::vector<int> Svc::predict(MatrixView rows) const {
  const std::vector<double> values = decisions(rows);
  std::vector<int> labels(values.size());
  std::transform(values.begin(), values.end(), labels.begin(),
                 [](double value) { return value > 0 ? 1 : 0; });
  return labels;
}

std::vector<double> Svc::dual() const {
  std::vector<double> coefficients(state_->rows, 0.0);
  for (std::size_t s = 0; s < state_->places.size(); ++s) {
    coefficients[state_->places[s]] = state_->coefficients[s];
  }
  return coefficients;
}

double Svc::bias() const { return -state_->rho; }
double Svc::gamma() const { return state_->gamma; }
std::size_t Svc::support_vectors() const { return state_->places.size(); }

double PlattSigmoid::probability(double decision) const {
  const double z = slope * decision + offset;
  // Both branches avoid exp of a large positive number.
  return z >= 0 ? std::exp(-z) / (1 + std::exp(-z)) : 1 / (1 + std::exp(z));
}

namespace {

/// Negative log-likelihood of targets t under 1/(1+exp(z)), z = slope f + offset, without overflow.
double platt_loss(std::span<const double> decisions, std::span<const double> targets, double slope,
                  double offset) {
  double loss = 0;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const double z = slope * decisions[i] + offset;
    loss += z >= 0 ? targets[i] * z + std::log1p(std::exp(-z))
                   : (targets[i] - 1) * z + std::log1p(std::exp(z));
  }
  return loss;
}

}  // namespace

PlattSigmoid fit_platt(std::span<const double> decisions, std::span<const int> labels) {
  require(decisions.size() == labels.size(),
          "platt: {} decision values but {} labels; give one label per value", decisions.size(),
          labels.size());
  const auto ones = static_cast<double>(std::count(labels.begin(), labels.end(), 1));
  const double zeros = static_cast<double>(labels.size()) - ones;
  require(ones > 0 && zeros > 0, "platt: {} positive and {} negative rows; both are needed", ones,
          zeros);
  // Constants of the 2007 note: at most 100 steps, shortest step 1e-10, Hessian ridge 1e-12,
  // gradient tolerance 1e-5, sufficient decrease 1e-4.
  const double high = (ones + 1) / (ones + 2);
  const double low = 1 / (zeros + 2);
  std::vector<double> targets(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) targets[i] = labels[i] == 1 ? high : low;
  PlattSigmoid fit{0, std::log((zeros + 1) / (ones + 1))};
  double loss = platt_loss(decisions, targets, fit.slope, fit.offset);
  for (int iteration = 0; iteration < 100; ++iteration) {
    double h11 = 1e-12, h22 = 1e-12, h21 = 0, g1 = 0, g2 = 0;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      const double p = fit.probability(decisions[i]);
      const double weight = p * (1 - p);
      const double error = targets[i] - p;
      h11 += decisions[i] * decisions[i] * weight;
      h22 += weight;
      h21 += decisions[i] * weight;
      g1 += decisions[i] * error;
      g2 += error;
    }
    if (std::abs(g1) < 1e-5 && std::abs(g2) < 1e-5) break;
    const double determinant = h11 * h22 - h21 * h21;
    const double d1 = -(h22 * g1 - h21 * g2) / determinant;
    const double d2 = -(-h21 * g1 + h11 * g2) / determinant;
    const double descent = g1 * d1 + g2 * d2;
    bool moved = false;
    for (double step = 1; step >= 1e-10; step /= 2) {
      const double slope = fit.slope + step * d1;
      const double offset = fit.offset + step * d2;
      const double trial = platt_loss(decisions, targets, slope, offset);
      if (trial < loss + 1e-4 * step * descent) {
        fit = {slope, offset};
        loss = trial;
        moved = true;
        break;
      }
    }
    if (!moved) break;
  }
  return fit;
}

std::vector<std::size_t> stratified_folds(std::span<const int> labels, std::size_t folds,
                                          std::uint64_t seed) {
  require(folds >= 2, "svc: {} folds; at least 2 are needed", folds);
  std::vector<std::size_t> fold_of(labels.size());
  Stream stream(seed, "svc.folds");
  // The second class goes on where the first stopped, so that fold sizes differ by at most one.
  std::size_t next = 0;
  for (const std::size_t row : stream.permutation(labels.size())) {
    if (labels[row] == 1) fold_of[row] = next++ % folds;
  }
  for (const std::size_t row : stream.permutation(labels.size())) {
    if (labels[row] != 1) fold_of[row] = next++ % folds;
  }
  return fold_of;
}

std::vector<double> ProbabilitySvc::probabilities(MatrixView rows) const {
  std::vector<double> values = machine.decisions(rows);
  for (double& value : values) value = sigmoid.probability(value);
  return values;
}

namespace {

/// Decisions of the rows in fold `fold` by a machine trained on the other folds.
void cross_validate(MatrixView rows, std::span<const int> labels, const SvcOptions& options,
                    std::span<const std::size_t> fold_of, std::size_t fold,
                    std::span<double> decisions) {
  std::vector<double> values;
  std::vector<int> targets;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    if (fold_of[i] == fold) continue;
    const auto row = rows.row(i);
    values.insert(values.end(), row.begin(), row.end());
    targets.push_back(labels[i]);
  }
  const Svc machine = Svc::train({values.data(), targets.size(), rows.cols}, targets, options);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    if (fold_of[i] == fold) decisions[i] = machine.decision(rows.row(i));
  }
}

}  // namespace

ProbabilitySvc train_probability_svc(MatrixView rows, std::span<const int> labels,
                                     const SvcOptions& options, std::uint64_t seed,
                                     std::size_t folds) {
  check_training_input(rows, labels, options);
  const auto ones = static_cast<std::size_t>(std::count(labels.begin(), labels.end(), 1));
  const std::size_t smaller = std::min(ones, labels.size() - ones);
  require(smaller >= 2, "svc: a class has only {} row; probabilities need at least 2 of each",
          smaller);
  folds = std::min(folds, smaller);
  const std::vector<std::size_t> fold_of = stratified_folds(labels, folds, seed);
  std::vector<double> decisions(rows.rows);
  std::optional<Svc> machine;
  // Index `folds` is the machine on all rows.
  parallel_for(folds + 1, [&](std::size_t fold) {
    if (fold == folds) {
      machine = Svc::train(rows, labels, options);
    } else {
      cross_validate(rows, labels, options, fold_of, fold, decisions);
    }
  });
  return {std::move(*machine), fit_platt(decisions, labels), folds};
}

}  // namespace vestige::metrics
