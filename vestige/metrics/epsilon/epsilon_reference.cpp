// The public scorer's grids by sorted counting.
#include "vestige/metrics/epsilon/epsilon_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"

namespace vestige::metrics {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Float32 logarithms of the rates k / n: the public scorer takes means and logarithms in float32.
struct FloatLogs {
  FloatLogs(std::size_t models, double delta) : rate(models + 1), rest(models + 1) {
    const auto complement = static_cast<float>(1 - delta);
    for (std::size_t k = 0; k <= models; ++k) {
      const float share = static_cast<float>(k) / static_cast<float>(models);
      rate[k] = std::log(share);
      rest[k] = std::log(complement - share);
    }
  }
  std::vector<float> rate;
  std::vector<float> rest;
};

// A sorted sample and the logarithms of its rates.
struct Side {
  std::vector<double> sorted;
  const FloatLogs* logs = nullptr;

  double range() const { return sorted.back() - sorted.front(); }
  std::size_t size() const { return sorted.size(); }
};

// The running maximum over thresholds: discards, perfect separation and NaN as in Algorithm 2.
class StrongestAttack {
 public:
  StrongestAttack(const FloatLogs& negative, const FloatLogs& positive)
      : negative_(negative), positive_(positive) {}

  /// Values in [lower, upper] are called positive.
  void add(std::size_t false_positives, std::size_t false_negatives, double lower, double upper) {
    if (false_positives == 0 || false_negatives == 0) {
      if (false_positives == false_negatives) {
        keep(std::numeric_limits<float>::infinity(), lower, upper);
      }
      return;
    }
    const float first = negative_.rest[false_positives] - positive_.rate[false_negatives];
    const float second = positive_.rest[false_negatives] - negative_.rate[false_positives];
    keep(first, lower, upper);
    keep(second, lower, upper);
    any_ = any_ || !(std::isnan(first) && std::isnan(second));
  }

  /// At least 0, NaN if no threshold counted.
  float epsilon() const {
    if (best_ == std::numeric_limits<float>::infinity()) return best_;
    return any_ ? std::max(best_, 0.0F) : kNaN;
  }

  /// The first of the strongest.
  FittedAttack attack() const { return {static_cast<double>(epsilon()), lower_, upper_, false}; }

 private:
  void keep(float epsilon, double lower, double upper) {
    if (!(epsilon > best_)) return;
    best_ = epsilon;
    lower_ = lower;
    upper_ = upper;
  }

  const FloatLogs& negative_;
  const FloatLogs& positive_;
  float best_ = -std::numeric_limits<float>::infinity();
  bool any_ = false;
  double lower_ = -std::numeric_limits<double>::infinity();
  double upper_ = std::numeric_limits<double>::infinity();
};

std::size_t grid_size(double span, double points_per_unit) {
  constexpr double kMostPoints = 1e8;
  require(span * points_per_unit <= kMostPoints,
          "epsilon: confidences span {}, too far for the reference grids: use exact mode", span);
  return static_cast<std::size_t>(std::ceil(span * points_per_unit));
}

std::size_t count_below(const std::vector<double>& sorted, double cut) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), cut) -
                                  sorted.begin());
}

std::size_t count_up_to(const std::vector<double>& sorted, double cut) {
  return static_cast<std::size_t>(std::upper_bound(sorted.begin(), sorted.end(), cut) -
                                  sorted.begin());
}

FittedAttack single_threshold(const Side& positive, const Side& negative,
                              const ReferenceGrid& grid) {
  const double smallest = std::min(positive.sorted.front(), negative.sorted.front());
  const double largest = std::max(positive.sorted.back(), negative.sorted.back());
  const std::size_t count = grid_size(largest - smallest, grid.points_per_unit);
  StrongestAttack strongest(*negative.logs, *positive.logs);
  for (const float threshold : torch_linspace(smallest, largest, count)) {
    const auto cut = static_cast<double>(threshold);
    strongest.add(negative.size() - count_below(negative.sorted, cut),
                  count_below(positive.sorted, cut), cut, std::numeric_limits<double>::infinity());
  }
  return strongest.attack();
}

// numpy's linspace, point by point.
struct Grid {
  double first;
  double last;
  std::size_t count;
  double step = count > 1 ? (last - first) / static_cast<double>(count - 1) : last - first;

  double at(std::size_t index) const {
    if (count > 1 && index + 1 == count) return last;
    return static_cast<double>(index) * step + first;
  }

  /// The first point behind `index` that is above `value`, which the last one is.
  std::size_t above(double value, std::size_t index) const {
    const auto most = static_cast<double>(count - 1);
    // Rounding may miss by one; the points themselves decide.
    auto found = static_cast<std::size_t>(std::clamp((value - first) / step, 0.0, most));
    found = std::max(found, index + 1);
    while (found > index + 1 && value < at(found - 1)) --found;
    while (!(value < at(found))) ++found;
    return found;
  }
};

// Calls `visit` with every pair of counts of values below a left threshold. Between two values
// these are the same for all points of the grid, of which one will do.
template <class Visit>
void each_count_below(const std::vector<double>& one, const std::vector<double>& other,
                      const Grid& lefts, const Visit& visit) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::size_t one_below = count_below(one, lefts.at(0));
  std::size_t other_below = count_below(other, lefts.at(0));
  std::size_t index = 0;
  while (true) {
    visit(one_below, other_below, lefts.at(index));
    const double next = std::min(one_below < one.size() ? one[one_below] : kNone,
                                 other_below < other.size() ? other[other_below] : kNone);
    if (index + 1 >= lefts.count || !(next < lefts.last)) return;
    index = lefts.above(next, index);
    const double cut = lefts.at(index);
    while (one_below < one.size() && one[one_below] < cut) ++one_below;
    while (other_below < other.size() && other[other_below] < cut) ++other_below;
  }
}

FittedAttack double_threshold(const Side& peaky, const Side& other, const ReferenceGrid& grid) {
  const double width = peaky.range();
  const double first_right = peaky.sorted.front() + width - grid.buffer;
  const double last_right = peaky.sorted.back() + grid.buffer;
  std::vector<double> rights(grid_size(last_right - first_right, grid.points_per_unit));
  numpy_linspace(first_right, last_right, rights);
  const std::size_t lefts = grid_size(2 * grid.buffer, grid.points_per_unit);

  StrongestAttack strongest(*other.logs, *peaky.logs);
  for (const double right : rights) {
    const std::size_t peaky_up_to = count_up_to(peaky.sorted, right);
    const std::size_t other_up_to = count_up_to(other.sorted, right);
    const Grid grid_of_lefts{right - width - grid.buffer, right - width + grid.buffer, lefts};
    each_count_below(
        peaky.sorted, other.sorted, grid_of_lefts,
        [&](std::size_t peaky_below, std::size_t other_below, double left) {
          // A left threshold above the right one leaves nothing inside.
          const std::size_t peaky_inside = peaky_up_to - std::min(peaky_up_to, peaky_below);
          const std::size_t other_inside = other_up_to - std::min(other_up_to, other_below);
          strongest.add(other_inside, peaky.size() - peaky_inside, left, right);
        });
  }
  return strongest.attack();
}

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return (sorted[middle - 1] + sorted[middle]) / 2;
}

void sort_side(const char* whose, Side& side) {
  for (std::size_t model = 0; model < side.size(); ++model) {
    require(std::isfinite(side.sorted[model]),
            "epsilon: the confidence under {} model {} is {}: the reference grids need finite "
            "values, use exact mode",
            whose, model, side.sorted[model]);
  }
  std::sort(side.sorted.begin(), side.sorted.end());
}

// eps and the rule behind it.
struct Swept {
  Epsilon value;
  FittedAttack attack;
};

// Sorts both sides in place.
Swept sweep(Side& unlearned, Side& retrained, const EpsilonOptions& options,
            const ReferenceGrid& grid) {
  const double cap = options.cap;
  sort_side("unlearned", unlearned);
  sort_side("retrained", retrained);
  Epsilon result;
  result.positive_is_retrained =
      median_of_sorted(retrained.sorted) > median_of_sorted(unlearned.sorted);
  const Side& positive = result.positive_is_retrained ? retrained : unlearned;
  const Side& negative = result.positive_is_retrained ? unlearned : retrained;

  const double smaller = std::min(positive.range(), negative.range());
  const double larger = std::max(positive.range(), negative.range());
  const auto capped = [cap](double epsilon) { return epsilon > cap ? cap : epsilon; };
  FittedAttack single = single_threshold(positive, negative, grid);
  single.positive_is_retrained = result.positive_is_retrained;
  result.single = capped(single.epsilon);
  const bool positive_is_peaky = positive.range() < negative.range();
  const Side& peaky = positive_is_peaky ? positive : negative;
  FittedAttack interval;
  if (smaller / larger < grid.peaky_ratio) {  // 0 / 0 is NaN and goes on
    // The public scorer sweeps nothing here; the rule is the peaky sample itself.
    interval = {cap, peaky.sorted.front(), peaky.sorted.back(), false};
  } else {
    interval = double_threshold(peaky, positive_is_peaky ? negative : positive, grid);
  }
  interval.positive_is_retrained = result.positive_is_retrained == positive_is_peaky;
  result.double_threshold = capped(interval.epsilon);
  result.epsilon = strongest(result.single, result.double_threshold, options.families);
  result.separated = result.epsilon == cap;
  const bool by_interval = options.families == AttackFamilies::double_threshold ||
                           (options.families == AttackFamilies::both &&
                            (interval.epsilon > single.epsilon || std::isnan(single.epsilon)));
  return {result, by_interval ? interval : single};
}

void check(const EpsilonOptions& options, const ReferenceGrid& grid) {
  require(options.delta >= 0 && options.delta < 1, "epsilon: delta is {}: give 0 <= delta < 1",
          options.delta);
  require(options.cap > 0, "epsilon: cap is {}: give a positive number", options.cap);
  require(grid.points_per_unit > 0 && grid.buffer > 0,
          "epsilon: the reference grid has {} points per unit and a buffer of {}: both must be "
          "positive",
          grid.points_per_unit, grid.buffer);
}

}  // namespace

std::vector<float> torch_linspace(double first, double last, std::size_t count) {
  std::vector<float> points(count, static_cast<float>(first));
  if (count < 2) return points;
  const auto start = static_cast<float>(first);
  const auto stop = static_cast<float>(last);
  const float step = (stop - start) / static_cast<float>(count - 1);
  for (std::size_t index = 0; index < count; ++index) {
    points[index] = index < count / 2 ? start + step * static_cast<float>(index)
                                      : stop - step * static_cast<float>(count - 1 - index);
  }
  return points;
}

void numpy_linspace(double first, double last, std::span<double> out) {
  if (out.empty()) return;
  const double step =
      out.size() > 1 ? (last - first) / static_cast<double>(out.size() - 1) : last - first;
  for (std::size_t index = 0; index < out.size(); ++index) {
    out[index] = static_cast<double>(index) * step + first;
  }
  if (out.size() > 1) out.back() = last;
}

namespace {

Swept sweep_one(std::span<const double> unlearned, std::span<const double> retrained,
                const EpsilonOptions& options, const ReferenceGrid& grid) {
  check(options, grid);
  require(!unlearned.empty() && !retrained.empty(),
          "epsilon: {} unlearned and {} retrained models: give at least one of each",
          unlearned.size(), retrained.size());
  const FloatLogs unlearned_logs(unlearned.size(), options.delta);
  const FloatLogs retrained_logs(retrained.size(), options.delta);
  Side left{{unlearned.begin(), unlearned.end()}, &unlearned_logs};
  Side right{{retrained.begin(), retrained.end()}, &retrained_logs};
  return sweep(left, right, options, grid);
}

}  // namespace

Epsilon reference_epsilon(std::span<const double> unlearned, std::span<const double> retrained,
                          const EpsilonOptions& options, const ReferenceGrid& grid) {
  return sweep_one(unlearned, retrained, options, grid).value;
}

FittedAttack reference_attack(std::span<const double> unlearned, std::span<const double> retrained,
                              const EpsilonOptions& options, const ReferenceGrid& grid) {
  return sweep_one(unlearned, retrained, options, grid).attack;
}

std::vector<Epsilon> reference_epsilons(MatrixView unlearned, MatrixView retrained,
                                        const EpsilonOptions& options, const ReferenceGrid& grid) {
  check(options, grid);
  check_pools(unlearned, retrained);
  const FloatLogs unlearned_logs(unlearned.rows, options.delta);
  const FloatLogs retrained_logs(retrained.rows, options.delta);
  std::vector<Epsilon> results(unlearned.cols);
  parallel_for(unlearned.cols, [&](std::size_t row) {
    Side left{std::vector<double>(unlearned.rows), &unlearned_logs};
    Side right{std::vector<double>(retrained.rows), &retrained_logs};
    for (std::size_t model = 0; model < unlearned.rows; ++model) {
      left.sorted[model] = unlearned(model, row);
    }
    for (std::size_t model = 0; model < retrained.rows; ++model) {
      right.sorted[model] = retrained(model, row);
    }
    results[row] = sweep(left, right, options, grid).value;
  });
  return results;
}

}  // namespace vestige::metrics
