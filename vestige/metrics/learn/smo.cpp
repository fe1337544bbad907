// Every vector is in the order of LIBSVM's active set: rows that may still move come first. Slopes
// are y_t times the gradient, which takes the labels out of the inner loops: a change of sign is
// exact.
#include "vestige/metrics/learn/smo.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

#include "vestige/metrics/learn/smo_loops.h"
#include "vestige/metrics/learn/smo_rows.h"

namespace vestige::metrics {
namespace {

constexpr double kBlocked = -std::numeric_limits<double>::infinity();
constexpr double kTau = 1e-12;  // LIBSVM's curvature of two equal rows

class Smo {
 public:
  Smo(MatrixView rows, std::span<const int> labels, const SmoOptions& options);

  void run();
  std::vector<double> dual() const;  ///< alpha_i y_i, by row
  double rho() const;

 private:
  struct Pair {
    std::size_t i = 0;
    std::size_t j = 0;
  };

  std::span<double> active(std::vector<double>& values) const {
    return std::span(values).first(active_);
  }
  bool at_cost(std::size_t t) const { return alpha_[t] >= cost_; }
  bool free(std::size_t t) const { return up_[t] == 0 && low_[t] == 0; }
  void set_bounds(std::size_t t);
  bool select(Pair& pair);
  void step(const Pair& pair);
  void move(const Pair& pair, double curvature);
  void note_bound(std::size_t t, bool before);
  void reconstruct();
  void shrink();
  bool idle(std::size_t t, double highest, double lowest) const;
  void swap(std::size_t a, std::size_t b);

  std::size_t count_;
  std::size_t active_;
  double cost_;
  double tolerance_;
  bool unshrunk_ = false;
  std::vector<std::size_t> places_;  ///< rows, in the present order
  std::vector<double> signs_;        ///< y: +1 for label 1, -1 for label 0
  std::vector<double> alpha_;
  std::vector<double> slope_;    ///< y times the gradient of the dual
  std::vector<double> bounded_;  ///< y times the part of the gradient from rows at the cost
  std::vector<double> up_;       ///< 0 where y alpha may grow, else -infinity
  std::vector<double> low_;      ///< 0 where y alpha may fall, else -infinity
  SmoRows kernel_;
};

/// Rows of label 1 first, each class in its own order.
std::vector<std::size_t> grouped(std::span<const int> labels) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t row) { return labels[row] == 1; });
  return order;
}

Smo::Smo(MatrixView rows, std::span<const int> labels, const SmoOptions& options)
    : count_(rows.rows),
      active_(rows.rows),
      cost_(options.cost),
      tolerance_(options.tolerance),
      places_(grouped(labels)),
      alpha_(count_),
      bounded_(count_),
      up_(count_),
      low_(count_),
      kernel_(rows, places_, options.gamma, options.cache_mb) {
  for (const std::size_t place : places_) signs_.push_back(labels[place] == 1 ? 1 : -1);
  for (std::size_t t = 0; t < count_; ++t) {
    slope_.push_back(-signs_[t]);  // the gradient at alpha = 0 is -1
    set_bounds(t);
  }
}

void Smo::set_bounds(std::size_t t) {
  const bool may_grow = alpha_[t]<cost_, may_fall = alpha_[t]> 0;
  up_[t] = (signs_[t] > 0 ? may_grow : may_fall) ? 0 : kBlocked;
  low_[t] = (signs_[t] > 0 ? may_fall : may_grow) ? 0 : kBlocked;
}

/// False where no pair of active rows breaks the optimality conditions by more than the tolerance.
bool Smo::select(Pair& pair) {
  const SmoChoice first = largest_violation(active(slope_), active(up_));
  if (!first.found) return false;
  const SmoPartner second =
      best_partner(active(slope_), active(low_), kernel_.row(first.index, active_), first.value);
  if (first.value + second.largest_low < tolerance_ || !second.choice.found) return false;
  pair = {first.index, second.choice.index};
  return true;
}

/// The best alphas of the pair on the line that keeps sum y alpha, cut to [0, cost].
void Smo::move(const Pair& pair, double curvature) {
  double& a = alpha_[pair.i];
  double& b = alpha_[pair.j];
  const double gradient_a = signs_[pair.i] * slope_[pair.i];
  const double gradient_b = signs_[pair.j] * slope_[pair.j];
  if (signs_[pair.i] != signs_[pair.j]) {
    const double delta = (-gradient_a - gradient_b) / curvature;
    const double difference = a - b;
    a += delta;
    b += delta;
    if (difference > 0 && b < 0) {
      b = 0;
      a = difference;
    } else if (difference <= 0 && a < 0) {
      a = 0;
      b = -difference;
    }
    if (difference > 0 && a > cost_) {
      a = cost_;
      b = cost_ - difference;
    } else if (difference <= 0 && b > cost_) {
      b = cost_;
      a = cost_ + difference;
    }
  } else {
    const double delta = (gradient_a - gradient_b) / curvature;
    const double sum = a + b;
    a -= delta;
    b += delta;
    if (sum > cost_ && a > cost_) {
      a = cost_;
      b = sum - cost_;
    } else if (sum <= cost_ && b < 0) {
      b = 0;
      a = sum;
    }
    if (sum > cost_ && b > cost_) {
      b = cost_;
      a = sum - cost_;
    } else if (sum <= cost_ && a < 0) {
      a = 0;
      b = sum;
    }
  }
}

void Smo::step(const Pair& pair) {
  const auto [i, j] = pair;
  const std::span<const float> of_i = kernel_.row(i, active_);
  const std::span<const float> of_j = kernel_.row(j, active_, i);
  const double old_i = alpha_[i], old_j = alpha_[j];
  const bool i_was_bounded = at_cost(i), j_was_bounded = at_cost(j);
  const double flat = 2.0 - 2.0 * static_cast<double>(of_i[j]);
  move(pair, flat > 0 ? flat : kTau);
  add_two_rows(of_i, signs_[i] * (alpha_[i] - old_i), of_j, signs_[j] * (alpha_[j] - old_j),
               active(slope_));
  note_bound(i, i_was_bounded);
  note_bound(j, j_was_bounded);
}

void Smo::note_bound(std::size_t t, bool before) {
  set_bounds(t);
  if (at_cost(t) == before) return;
  const double by = before ? -cost_ : cost_;
  add_one_row(kernel_.row(t, count_), signs_[t] * by, bounded_);
}

/// Slopes of the rows that were set aside, which no step has kept up to date.
void Smo::reconstruct() {
  if (active_ == count_) return;
  for (std::size_t t = active_; t < count_; ++t) slope_[t] = bounded_[t] - signs_[t];
  for (std::size_t i = 0; i < active_; ++i) {
    if (!free(i)) continue;
    add_one_row(kernel_.row(i, count_).subspan(active_), signs_[i] * alpha_[i],
                std::span(slope_).subspan(active_));
  }
  active_ = count_;
}

/// A row at a bound whose slope keeps it there.
bool Smo::idle(std::size_t t, double highest, double lowest) const {
  if (up_[t] != 0) return -slope_[t] > highest;
  if (low_[t] != 0) return slope_[t] > lowest;
  return false;
}

void Smo::swap(std::size_t a, std::size_t b) {
  kernel_.swap(a, b);
  std::swap(places_[a], places_[b]);
  for (auto* values : {&signs_, &alpha_, &slope_, &bounded_, &up_, &low_}) {
    std::swap((*values)[a], (*values)[b]);
  }
}

void Smo::shrink() {
  double highest = kBlocked, lowest = kBlocked;
  for (std::size_t t = 0; t < active_; ++t) {
    highest = std::max(highest, up_[t] - slope_[t]);
    lowest = std::max(lowest, low_[t] + slope_[t]);
  }
  if (!unshrunk_ && highest + lowest <= tolerance_ * 10) {
    unshrunk_ = true;
    reconstruct();
  }
  for (std::size_t t = 0; t < active_; ++t) {
    if (!idle(t, highest, lowest)) continue;
    for (--active_; active_ > t; --active_) {
      if (idle(active_, highest, lowest)) continue;
      swap(t, active_);
      break;
    }
  }
}

void Smo::run() {
  constexpr std::size_t kStepLimit = 10'000'000, kBetweenShrinks = 1000;
  const std::size_t most = std::max(kStepLimit, 100 * count_);
  const std::size_t between = std::min(count_, kBetweenShrinks);
  std::size_t counter = between + 1;
  for (std::size_t steps = 0; steps < most; ++steps) {
    if (--counter == 0) {
      counter = between;
      shrink();
    }
    Pair pair;
    if (!select(pair)) {
      reconstruct();
      if (!select(pair)) return;
      counter = 1;
    }
    step(pair);
  }
  reconstruct();
}

std::vector<double> Smo::dual() const {
  std::vector<double> result(count_);
  for (std::size_t t = 0; t < count_; ++t) result[places_[t]] = alpha_[t] * signs_[t];
  return result;
}

/// The mean slope of rows between the bounds; without any, the middle of what the others allow.
double Smo::rho() const {
  double above = -kBlocked, below = kBlocked, sum = 0;
  std::size_t between = 0;
  for (std::size_t t = 0; t < count_; ++t) {
    if (free(t)) {
      ++between;
      sum += slope_[t];
    } else if (low_[t] != 0) {
      above = std::min(above, slope_[t]);
    } else {
      below = std::max(below, slope_[t]);
    }
  }
  return between > 0 ? sum / static_cast<double>(between) : (above + below) / 2;
}

}  // namespace

SmoSolution solve_smo(MatrixView rows, std::span<const int> labels, const SmoOptions& options) {
  assert(rows.rows == labels.size());
  Smo smo(rows, labels, options);
  smo.run();
  const std::vector<double> dual = smo.dual();
  SmoSolution result;
  for (const std::size_t place : grouped(labels)) {
    if (dual[place] == 0) continue;
    result.places.push_back(place);
    result.coefficients.push_back(dual[place]);
  }
  result.rho = smo.rho();
  return result;
}

}  // namespace vestige::metrics
