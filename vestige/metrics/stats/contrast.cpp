// Stratified gaps and their errors.
#include "vestige/metrics/stats/contrast.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cassert>
#include <cmath>
#include <map>

#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Number, mean and variance (n - 1) of the values of each stratum.
struct Moments {
  std::vector<double> count;
  std::vector<double> mean;
  std::vector<double> variance;
};

template <class Value>
Moments moments(const std::vector<std::uint32_t>& stratum, std::size_t strata, Value value) {
  Moments all{std::vector<double>(strata), std::vector<double>(strata),
              std::vector<double>(strata)};
  for (std::size_t row = 0; row < stratum.size(); ++row) {
    all.count[stratum[row]] += 1;
    all.mean[stratum[row]] += value(row);
  }
  for (std::size_t s = 0; s < strata; ++s) all.mean[s] /= all.count[s];
  for (std::size_t row = 0; row < stratum.size(); ++row) {
    const double off = value(row) - all.mean[stratum[row]];
    all.variance[stratum[row]] += off * off;
  }
  for (std::size_t s = 0; s < strata; ++s) {
    all.variance[s] = all.count[s] > 1 ? all.variance[s] / (all.count[s] - 1) : kUndefined;
  }
  return all;
}

/// Adds up variances of independent parts, with Satterthwaite's degrees of freedom.
struct Parts {
  double variance = 0;
  double squares = 0;

  void add(double part, double degrees) {
    variance += part;
    if (degrees > 0) squares += part * part / degrees;
  }
  double degrees() const { return squares > 0 ? variance * variance / squares : 1; }
};

/// The variance of sum over strata of weight * mean, where rows of one person go together: with
/// u_p = sum over the person's rows of weight / rows of the stratum * (value - the stratum's mean),
/// G / (G - 1) sum u_p^2 (Liang and Zeger 1986, G persons). NaN for a single person.
template <class Value>
double person_variance(const std::vector<std::uint32_t>& person,
                       const std::vector<std::uint32_t>& stratum, const Moments& moments,
                       std::span<const double> weights, std::size_t persons, Value value) {
  std::vector<double> sums(persons);
  for (std::size_t row = 0; row < stratum.size(); ++row) {
    const std::uint32_t s = stratum[row];
    if (weights[s] == 0) continue;
    sums[person[row]] += weights[s] / moments.count[s] * (value(row) - moments.mean[s]);
  }
  double squares = 0;
  for (const double sum : sums) squares += sum * sum;
  const auto count = static_cast<double>(persons);
  return persons < 2 ? kUndefined : squares * count / (count - 1);
}

std::size_t persons_of(const std::vector<std::uint32_t>& person) {
  return person.empty() ? 0 : *std::max_element(person.begin(), person.end()) + std::size_t{1};
}

/// Each stratum's share of the target rows.
std::vector<double> shares_of(const Strata& strata) {
  std::vector<double> shares(strata.count);
  for (const std::uint32_t s : strata.target) shares[s] += 1;
  for (double& share : shares) share /= static_cast<double>(strata.target.size());
  return shares;
}

/// The error of one side's part of a gap.
template <class Value>
void add_rows(const std::vector<std::uint32_t>& person, const std::vector<std::uint32_t>& stratum,
              const Moments& side, std::span<const double> weights, Value value, Parts& parts) {
  double plain = 0;
  Parts rows;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (weights[s] == 0) continue;  // unseen rows of classes that no target row has
    const double part = weights[s] * weights[s] * side.variance[s] / side.count[s];
    rows.add(part, side.count[s] - 1);
    plain += part;
  }
  const std::size_t persons = persons_of(person);
  if (persons >= 2) {
    // By chance persons may seem more alike than rows that have nothing to do with each other.
    const double together = person_variance(person, stratum, side, weights, persons, value);
    if (together > plain) return parts.add(together, static_cast<double>(persons - 1));
  }
  parts.variance += rows.variance;
  parts.squares += rows.squares;
}

/// Weighted sum over strata of mean(target) - mean(unseen), with the errors over rows.
template <class Target, class Unseen>
std::pair<double, Parts> weighted(const Strata& strata, Target target, Unseen unseen) {
  const Moments ours = moments(strata.target, strata.count, target);
  const Moments theirs = moments(strata.unseen, strata.count, unseen);
  const std::vector<double> weights = shares_of(strata);
  double estimate = 0;
  for (std::size_t s = 0; s < strata.count; ++s) {
    if (weights[s] > 0) estimate += weights[s] * (ours.mean[s] - theirs.mean[s]);
  }
  Parts parts;
  add_rows(strata.target_person, strata.target, ours, weights, target, parts);
  add_rows(strata.unseen_person, strata.unseen, theirs, weights, unseen, parts);
  return {estimate, parts};
}

/// Two or three models say little of how much models vary: taken as it is, their variance has so
/// few degrees of freedom that two models would show less than one. It is moderated (Smyth 2004)
/// towards none of its own, which is what a single model is taken to have.
constexpr double kPriorDegrees = 2;

void add_moderated(double variance, double degrees, double share, Parts& parts) {
  const double all = degrees + kPriorDegrees;
  parts.add(variance * degrees / all * share, all);
}

/// The models' own variance of their gaps, and its degrees of freedom; 0 for a single model.
struct Spread {
  double total = 0;  ///< variance of the gaps as they are
  double own = 0;    ///< without the part that rows bring
  double degrees = 0;
};

Spread spread(const Contrast& group) {
  if (group.by_model.size() < 2) return {};
  const double total = variance(group.by_model);
  return {total, std::max(0.0, total - group.interaction),
          static_cast<double>(group.by_model.size() - 1)};
}

/// May both variances be the same? Two-sided F-test at 5 %.
bool alike(const Spread& left, const Spread& right) {
  if (!(left.total > 0) || !(right.total > 0)) return left.total == right.total;
  const boost::math::fisher_f distribution(left.degrees, right.degrees);
  const double below = boost::math::cdf(distribution, left.total / right.total);
  return 2 * std::min(below, 1 - below) >= 0.05;
}

void add_models(const Contrast& left, const Contrast& right, Parts& parts) {
  const Spread ours = spread(left), theirs = spread(right);
  const auto share = [](const Contrast& side) {
    return 1 / static_cast<double>(side.by_model.size());
  };
  const double degrees = ours.degrees + theirs.degrees;
  if (degrees == 0) return;
  const bool both = ours.degrees > 0 && theirs.degrees > 0;
  if (both && !alike(ours, theirs)) {
    add_moderated(ours.own, ours.degrees, share(left), parts);
    add_moderated(theirs.own, theirs.degrees, share(right), parts);
    return;
  }
  const double total = (ours.total * ours.degrees + theirs.total * theirs.degrees) / degrees;
  const auto rows_of = [](const Contrast& side, const Spread& spread) {
    return spread.degrees > 0 ? side.interaction * spread.degrees : 0;
  };
  const double rows = (rows_of(left, ours) + rows_of(right, theirs)) / degrees;
  add_moderated(std::max(0.0, total - rows), degrees, share(left) + share(right), parts);
}

Gap finish(double estimate, const Parts& parts) {
  return {estimate, std::sqrt(parts.variance), std::max(1.0, parts.degrees())};
}

/// Mean square over rows of what neither the row nor the model explains, for one split, weighted
/// like the variance of a gap.
double interaction_of(const Matrix& values, const std::vector<double>& row_means,
                      const std::vector<std::uint32_t>& person,
                      const std::vector<std::uint32_t>& stratum, std::span<const double> weights) {
  double sum = 0;
  for (std::size_t model = 0; model < values.rows(); ++model) {
    const auto off = [&](std::size_t row) { return values(model, row) - row_means[row]; };
    Parts parts;
    add_rows(person, stratum, moments(stratum, weights.size(), off), weights, off, parts);
    sum += parts.variance;
  }
  return sum / static_cast<double>(values.rows() - 1);
}

std::vector<double> row_means(const Matrix& values) {
  std::vector<double> means(values.cols());
  for (std::size_t model = 0; model < values.rows(); ++model) {
    for (std::size_t row = 0; row < means.size(); ++row) means[row] += values(model, row);
  }
  for (double& mean : means) mean /= static_cast<double>(values.rows());
  return means;
}

}  // namespace

Strata one_stratum(std::size_t target, std::size_t unseen) {
  return {std::vector<std::uint32_t>(target), std::vector<std::uint32_t>(unseen), 1};
}

Strata strata_by_class(std::span<const std::int64_t> target, std::span<const std::int64_t> unseen) {
  std::map<std::int64_t, std::pair<std::size_t, std::size_t>> counts;
  for (const std::int64_t label : target) ++counts[label].first;
  for (const std::int64_t label : unseen) ++counts[label].second;
  std::map<std::int64_t, std::uint32_t> places;
  std::size_t left = 0, left_unseen = 0;
  for (const auto& [label, count] : counts) {
    if (count.first >= 2 && count.second >= 2) {
      places.emplace(label, static_cast<std::uint32_t>(places.size()));
    } else {
      left += count.first;
      left_unseen += count.second;
    }
  }
  // Unseen rows of classes that no target row has are left out only if they can be.
  if (left > 0 && (left < 2 || left_unseen < 2)) return one_stratum(target.size(), unseen.size());
  Strata strata;
  const auto rest = static_cast<std::uint32_t>(places.size());
  const auto place = [&](std::int64_t label) {
    const auto found = places.find(label);
    return found == places.end() ? rest : found->second;
  };
  for (const std::int64_t label : target) strata.target.push_back(place(label));
  for (const std::int64_t label : unseen) strata.unseen.push_back(place(label));
  strata.count = places.size() + (left + left_unseen > 0 ? 1 : 0);
  return strata;
}

Contrast contrast(const Matrix& target, const Matrix& unseen,
                  std::shared_ptr<const Strata> strata) {
  assert(target.rows() == unseen.rows() && target.rows() > 0);
  assert(target.cols() == strata->target.size() && unseen.cols() == strata->unseen.size());
  Contrast made;
  made.strata = std::move(strata);
  made.target = row_means(target);
  made.unseen = row_means(unseen);
  for (std::size_t model = 0; model < target.rows(); ++model) {
    made.by_model.push_back(weighted(
                                *made.strata, [&](std::size_t row) { return target(model, row); },
                                [&](std::size_t row) { return unseen(model, row); })
                                .first);
  }
  if (target.rows() < 2) return made;
  const Strata& rows = *made.strata;
  const std::vector<double> weights = shares_of(rows);
  made.interaction = interaction_of(target, made.target, rows.target_person, rows.target, weights) +
                     interaction_of(unseen, made.unseen, rows.unseen_person, rows.unseen, weights);
  return made;
}

Gap gap(const Contrast& group) {
  const auto [estimate, parts] = weighted(
      *group.strata, [&](std::size_t row) { return group.target[row]; },
      [&](std::size_t row) { return group.unseen[row]; });
  return finish(estimate, parts);
}

Gap distance_gap(const Contrast& left, const Contrast& right) {
  const auto [estimate, parts] = weighted(
      *left.strata, [&](std::size_t row) { return std::abs(left.target[row] - right.target[row]); },
      [&](std::size_t row) { return std::abs(left.unseen[row] - right.unseen[row]); });
  return finish(estimate, parts);
}

Gap gap_difference(const Contrast& left, const Contrast& right) {
  assert(left.target.size() == right.target.size() && left.unseen.size() == right.unseen.size());
  auto [estimate, parts] = weighted(
      *left.strata, [&](std::size_t row) { return left.target[row] - right.target[row]; },
      [&](std::size_t row) { return left.unseen[row] - right.unseen[row]; });
  add_models(left, right, parts);
  return finish(estimate, parts);
}

}  // namespace vestige::metrics
