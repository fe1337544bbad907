// Sorting, the single scan, and Dinkelbach's method for the double-threshold family.
#include "vestige/metrics/epsilon/epsilon_sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr double kNoEpsilon = std::numeric_limits<double>::quiet_NaN();

// The larger of two terms, ignoring NaN, at least 0; NaN if both are.
double combine(double first, double second) {
  if (std::isnan(first)) first = second;
  if (second > first) first = second;
  return first < 0 ? 0.0 : first;
}

double middle_of_sorted(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return (sorted[middle - 1] + sorted[middle]) / 2;
}

// max - min; infinities of one sign have range 0 like any other constant.
double range_of_sorted(const std::vector<double>& sorted) {
  return sorted.back() == sorted.front() ? 0.0 : sorted.back() - sorted.front();
}

void sort_sample(std::span<const double> sample, const char* whose, std::vector<double>& sorted) {
  require(!sample.empty(), "epsilon: no {} models: give at least one", whose);
  sorted.assign(sample.begin(), sample.end());
  for (std::size_t model = 0; model < sorted.size(); ++model) {
    require(!std::isnan(sorted[model]),
            "epsilon: the confidence under {} model {} is NaN: remove the row or the model", whose,
            model);
  }
  std::sort(sorted.begin(), sorted.end());
}

}  // namespace

RateLogs::RateLogs(std::size_t count, double tolerance)
    : models(count), delta(tolerance), rate(count + 1), rest(count + 1) {
  for (std::size_t k = 0; k <= count; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(count);
    rate[k] = std::log(share);
    rest[k] = std::log(1 - delta - share);
  }
}

double attack_epsilon(std::size_t false_positives, std::size_t false_negatives,
                      const RateLogs& negative, const RateLogs& positive) {
  if (false_positives == 0 && false_negatives == 0) return kNoBound;
  if (false_positives == 0 || false_negatives == 0) return kNoEpsilon;
  return combine(negative.rest[false_positives] - positive.rate[false_negatives],
                 positive.rest[false_negatives] - negative.rate[false_positives]);
}

double attack_epsilon(double false_positive_rate, double false_negative_rate, double delta) {
  if (false_positive_rate == 0 && false_negative_rate == 0) return kNoBound;
  if (false_positive_rate == 0 || false_negative_rate == 0) return kNoEpsilon;
  return combine(std::log(1 - delta - false_positive_rate) - std::log(false_negative_rate),
                 std::log(1 - delta - false_negative_rate) - std::log(false_positive_rate));
}

void PooledSample::assign(std::span<const double> unlearned, std::span<const double> retrained) {
  sort_sample(unlearned, "unlearned", unlearned_sorted_);
  sort_sample(retrained, "retrained", retrained_sorted_);
  equal_ = unlearned_sorted_ == retrained_sorted_;

  const double unlearned_median = middle_of_sorted(unlearned_sorted_);
  const double retrained_median = middle_of_sorted(retrained_sorted_);
  const double unlearned_range = range_of_sorted(unlearned_sorted_);
  const double retrained_range = range_of_sorted(retrained_sorted_);
  positive_is_retrained_ = retrained_median > unlearned_median;
  peaky_is_retrained_ = retrained_range == unlearned_range ? !positive_is_retrained_
                                                           : retrained_range < unlearned_range;

  const std::size_t unlearned_count = unlearned_sorted_.size();
  const std::size_t retrained_count = retrained_sorted_.size();
  values_.clear();
  unlearned_below_.assign(1, 0);
  retrained_below_.assign(1, 0);
  std::size_t u = 0;
  std::size_t r = 0;
  while (u < unlearned_count || r < retrained_count) {
    const double value =
        r == retrained_count || (u < unlearned_count && unlearned_sorted_[u] < retrained_sorted_[r])
            ? unlearned_sorted_[u]
            : retrained_sorted_[r];
    while (u < unlearned_count && unlearned_sorted_[u] == value) ++u;
    while (r < retrained_count && retrained_sorted_[r] == value) ++r;
    values_.push_back(value);
    unlearned_below_.push_back(static_cast<double>(u));
    retrained_below_.push_back(static_cast<double>(r));
  }
}

namespace {

// The two samples by their part in an attack: positive models should be inside, negative outside.
struct Sides {
  const double* positive_below;
  const double* negative_below;
  const RateLogs& positive;
  const RateLogs& negative;
  std::size_t groups;

  std::size_t false_positives(std::size_t first, std::size_t last) const {
    return static_cast<std::size_t>(negative_below[last] - negative_below[first]);
  }
  std::size_t false_negatives(std::size_t first, std::size_t last) const {
    return positive.models - static_cast<std::size_t>(positive_below[last] - positive_below[first]);
  }
  Attack attack(std::size_t first, std::size_t last) const {
    return {attack_epsilon(false_positives(first, last), false_negatives(first, last), negative,
                           positive),
            first, last};
  }
};

Sides sides(const PooledSample& sample, bool positive_is_retrained, const RateLogs& unlearned,
            const RateLogs& retrained) {
  const double* unlearned_below = sample.unlearned_below().data();
  const double* retrained_below = sample.retrained_below().data();
  if (positive_is_retrained) {
    return {retrained_below, unlearned_below, retrained, unlearned, sample.groups()};
  }
  return {unlearned_below, retrained_below, unlearned, retrained, sample.groups()};
}

struct Interval {
  bool found = false;
  double gain = -kNoBound;
  std::size_t first = 0;
  std::size_t last = 0;
};

// What an interval is worth: positive_weight * positives inside - negative_weight * negatives
// inside.
struct Weights {
  double positive;
  double negative;
};

// The heaviest interval of groups within [begin, end) with at least one negative inside: Kadane's
// scan over prefix sums with two states, the lowest start so far and the lowest start that has a
// negative behind it.
Interval heaviest(const Sides& parts, Weights weights, std::size_t begin, std::size_t end) {
  Interval best;
  double lowest = kNoBound;
  std::size_t lowest_at = begin;
  double eligible = kNoBound;
  std::size_t eligible_at = begin;
  double here = weights.positive * parts.positive_below[begin] -
                weights.negative * parts.negative_below[begin];
  for (std::size_t group = begin; group < end; ++group) {
    if (here < lowest) {
      lowest = here;
      lowest_at = group;
    }
    if (parts.negative_below[group + 1] > parts.negative_below[group]) {
      eligible = lowest;
      eligible_at = lowest_at;
    }
    here = weights.positive * parts.positive_below[group + 1] -
           weights.negative * parts.negative_below[group + 1];
    if (here - eligible > best.gain) best = {true, here - eligible, eligible_at, group + 1};
  }
  return best;
}

// The groups that hold the first and the last positive model: [first, behind).
struct Extent {
  std::size_t first;
  std::size_t behind;
};

Extent positive_extent(const Sides& parts) {
  const double* below = parts.positive_below;
  const double* end = below + parts.groups + 1;
  const auto models = static_cast<double>(parts.positive.models);
  return {static_cast<std::size_t>(std::upper_bound(below, end, 0.0) - below - 1),
          static_cast<std::size_t>(std::lower_bound(below, end, models) - below)};
}

// The heaviest interval that is not discarded: at least one negative inside, and at least one
// positive outside, so that it misses the first or the last group with positives.
Interval heaviest_valid(const Sides& parts, Weights weights, Extent extent) {
  const Interval free = heaviest(parts, weights, 0, parts.groups);
  if (!free.found || parts.false_negatives(free.first, free.last) > 0) return free;
  const Interval without_last = heaviest(parts, weights, 0, extent.behind - 1);
  const Interval without_first = heaviest(parts, weights, extent.first + 1, parts.groups);
  return without_first.gain > without_last.gain ? without_first : without_last;
}

// Best attacks of the double family by each of the two terms of eps; NaN where a term cannot beat
// the other.
struct DoubleSearch {
  Attack direct;
  Attack mirrored;
};

// Maximises (c n - FP) / FN (direct) and (c p - FN) / FP (mirrored) over intervals with FP >= 1 and
// FN >= 1, where FP counts negatives inside, FN positives outside, p and n are the sample sizes and
// c = 1 - delta. Dinkelbach: the interval that maximises c n - FP - x FN has a larger ratio than x,
// unless x is the maximum. Counts are whole numbers and eps comes from them by the plain formula,
// so the rounding of the scans does not reach the result while n p < 1e10: below that, different
// ratios differ by more than rounding can hide.
DoubleSearch search_double(const Sides& parts) {
  const Extent extent = positive_extent(parts);
  if (parts.false_positives(extent.first, extent.behind) == 0) {
    return {.direct = parts.attack(extent.first, extent.behind), .mirrored = {}};
  }
  const auto positives = static_cast<double>(parts.positive.models);
  const auto negatives = static_cast<double>(parts.negative.models);
  const double rest = 1 - parts.positive.delta;
  constexpr double kSlack = 1 - 1e-9;

  DoubleSearch found;
  double ratio = negatives / positives * kSlack;  // eps = 0: lower ratios do not matter
  while (true) {
    const Interval best = heaviest_valid(parts, {ratio, 1}, extent);
    if (!best.found) return found;
    const auto inside = static_cast<double>(parts.false_positives(best.first, best.last));
    const auto outside = static_cast<double>(parts.false_negatives(best.first, best.last));
    const double reached = (rest * negatives - inside) / outside;
    if (reached > ratio || std::isnan(found.direct.epsilon)) {
      found.direct = parts.attack(best.first, best.last);
    }
    if (reached <= ratio) break;
    ratio = reached;
  }
  const double odds = positives / negatives;
  ratio *= odds * odds * kSlack;  // the eps found so far, in terms of the mirrored ratio
  while (true) {
    const Interval best = heaviest_valid(parts, {1, ratio}, extent);
    const auto inside = static_cast<double>(parts.false_positives(best.first, best.last));
    const auto outside = static_cast<double>(parts.false_negatives(best.first, best.last));
    const double reached = (rest * positives - outside) / inside;
    if (reached <= ratio) return found;
    found.mirrored = parts.attack(best.first, best.last);
    ratio = reached;
  }
}

// The lowest interval with as many false positives and false negatives. Every group holds a model,
// so for each start there is at most one end with the same number of models inside.
Attack lowest_twin(const Sides& parts, const Attack& attack) {
  const auto models_below = [&](std::size_t group) {
    return parts.positive_below[group] + parts.negative_below[group];
  };
  const double inside = models_below(attack.last) - models_below(attack.first);
  const std::size_t missed = parts.false_negatives(attack.first, attack.last);
  std::size_t last = 0;
  for (std::size_t first = 0; first < attack.first; ++first) {
    while (models_below(last) - models_below(first) < inside) ++last;
    if (models_below(last) - models_below(first) == inside &&
        parts.false_negatives(first, last) == missed) {
      return parts.attack(first, last);
    }
  }
  return attack;
}

// The lowest interval that is not discarded; one is known to exist.
Attack lowest_valid(const Sides& parts) {
  std::size_t last = 0;
  for (std::size_t first = 0;; ++first) {
    while (last < parts.groups && parts.false_positives(first, last) == 0) ++last;
    if (parts.false_negatives(first, last) > 0) return parts.attack(first, last);
  }
}

bool lower(const Attack& left, const Attack& right) {
  return left.first < right.first || (left.first == right.first && left.last < right.last);
}

}  // namespace

Attack best_single(const PooledSample& sample, const RateLogs& unlearned,
                   const RateLogs& retrained) {
  const Sides parts = sides(sample, sample.positive_is_retrained(), unlearned, retrained);
  Attack best;
  for (std::size_t first = 0; first <= parts.groups; ++first) {
    const Attack attack = parts.attack(first, parts.groups);
    if (attack.epsilon > best.epsilon ||
        (std::isnan(best.epsilon) && !std::isnan(attack.epsilon))) {
      best = attack;
    }
  }
  return best;
}

Attack best_double(const PooledSample& sample, const RateLogs& unlearned,
                   const RateLogs& retrained) {
  const DoubleSearch found =
      search_double(sides(sample, sample.peaky_is_retrained(), unlearned, retrained));
  return found.mirrored.epsilon > found.direct.epsilon ? found.mirrored : found.direct;
}

Attack lowest_double(const PooledSample& sample, const RateLogs& unlearned,
                     const RateLogs& retrained) {
  const Sides parts = sides(sample, sample.peaky_is_retrained(), unlearned, retrained);
  const DoubleSearch found = search_double(parts);
  const double best = std::fmax(found.direct.epsilon, found.mirrored.epsilon);
  if (std::isnan(best)) return {};
  if (best == 0) return lowest_valid(parts);  // every attack that is not discarded has eps 0
  Attack lowest;
  for (const Attack& attack : {found.direct, found.mirrored}) {
    if (attack.epsilon != best) continue;
    const Attack twin = lowest_twin(parts, attack);
    if (std::isnan(lowest.epsilon) || lower(twin, lowest)) lowest = twin;
  }
  return lowest;
}

}  // namespace vestige::metrics
