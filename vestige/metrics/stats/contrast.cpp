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

/// Weighted sum over strata of mean(target) - mean(unseen), with the errors over rows.
template <class Target, class Unseen>
std::pair<double, Parts> weighted(const Strata& strata, Target target, Unseen unseen) {
  const Moments ours = moments(strata.target, strata.count, target);
  const Moments theirs = moments(strata.unseen, strata.count, unseen);
  double estimate = 0;
  Parts parts;
  for (std::size_t s = 0; s < strata.count; ++s) {
    if (ours.count[s] == 0) continue;  // unseen rows of classes that no target row has
    const double weight = ours.count[s] / static_cast<double>(strata.target.size());
    estimate += weight * (ours.mean[s] - theirs.mean[s]);
    for (const Moments* side : {&ours, &theirs}) {
      parts.add(weight * weight * side->variance[s] / side->count[s], side->count[s] - 1);
    }
  }
  return {estimate, parts};
}

/// Two or three models say little of how much models vary: taken as it is, their variance has so
/// few degrees of freedom that two models would show less than one. It is moderated (Smyth 2004)
/// towards what is assumed of a single model (`assumed`, a variance): none of its own, where target
/// and unseen rows are alike.
constexpr double kPriorDegrees = 2;
constexpr double kAssumedDegrees = 4;
/// Degrees of freedom of the assumption where no model says anything.
constexpr double kAssumedAlone = 30;

void add_moderated(double variance, double degrees, double share, double assumed, Parts& parts) {
  const double prior = assumed > 0 ? kAssumedDegrees : kPriorDegrees;
  const double all = degrees + prior;
  parts.add((variance * degrees + assumed * prior) / all * share, all);
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

void add_models(const Contrast& left, const Contrast& right, double assumed, Parts& parts) {
  const Spread ours = spread(left), theirs = spread(right);
  const auto share = [](const Contrast& side) {
    return 1 / static_cast<double>(side.by_model.size());
  };
  const double degrees = ours.degrees + theirs.degrees;
  if (degrees == 0) {
    parts.add(assumed * (share(left) + share(right)), kAssumedAlone);
    return;
  }
  const bool both = ours.degrees > 0 && theirs.degrees > 0;
  if (both && !alike(ours, theirs)) {
    add_moderated(ours.own, ours.degrees, share(left), assumed, parts);
    add_moderated(theirs.own, theirs.degrees, share(right), assumed, parts);
    return;
  }
  const double total = (ours.total * ours.degrees + theirs.total * theirs.degrees) / degrees;
  const auto rows_of = [](const Contrast& side, const Spread& spread) {
    return spread.degrees > 0 ? side.interaction * spread.degrees : 0;
  };
  const double rows = (rows_of(left, ours) + rows_of(right, theirs)) / degrees;
  add_moderated(std::max(0.0, total - rows), degrees, share(left) + share(right), assumed, parts);
}

/// Rows of each person on one side, as shares of the gap: with a = the share of the row's stratum /
/// its rows, a person's share is the sum of a.
struct Person {
  double share = 0;
  double sum = 0;      ///< of a * (value - mean of its stratum)
  double squares = 0;  ///< of a^2 * variance of its stratum: what rows alone would bring
};

/// How much two single models differ by person, beyond what rows explain: from the unseen rows,
/// whose persons nobody forgot (those of the target differ by what is remembered of each, which is
/// no error). With u_p = a person's `sum`, G / (G - 1) sum u_p^2 is the variance with rows of one
/// person together (Liang and Zeger 1986, G persons); what it exceeds the rows' own by, over the
/// sum of squared shares, is the variance of a person.
template <class Value>
void add_persons(const Strata& strata, Value unseen, Parts& parts) {
  if (strata.unseen_person.empty() || strata.target_person.empty()) return;
  const Moments theirs = moments(strata.unseen, strata.count, unseen);
  std::vector<double> rows_of(strata.count);
  for (const std::uint32_t s : strata.target) rows_of[s] += 1;
  std::map<std::uint32_t, Person> persons;
  for (std::size_t row = 0; row < strata.unseen.size(); ++row) {
    const std::uint32_t s = strata.unseen[row];
    if (rows_of[s] == 0) continue;
    const double share = rows_of[s] / static_cast<double>(strata.target.size()) / theirs.count[s];
    Person& person = persons[strata.unseen_person[row]];
    person.share += share;
    person.sum += share * (unseen(row) - theirs.mean[s]);
    person.squares += share * share * theirs.variance[s];
  }
  const auto count = static_cast<double>(persons.size());
  if (count < 2) return;
  double together = 0, apart = 0, shares = 0;
  for (const auto& [number, person] : persons) {
    together += person.sum * person.sum * count / (count - 1);
    apart += person.squares;
    shares += person.share * person.share;
  }
  const double of_a_person = std::max(0.0, together - apart) / shares;
  std::map<std::uint32_t, double> rows_of_person;
  for (const std::uint32_t person : strata.target_person) rows_of_person[person] += 1;
  double target_shares = 0;
  for (const auto& [person, rows] : rows_of_person) {
    const double share = rows / static_cast<double>(strata.target.size());
    target_shares += share * share;
  }
  parts.add(of_a_person * (shares + target_shares), count - 1);
}

Gap finish(double estimate, const Parts& parts) {
  return {estimate, std::sqrt(parts.variance), std::max(1.0, parts.degrees())};
}

/// Mean square over rows of what neither the row nor the model explains, for one split, weighted
/// like the variance of a gap.
double interaction_of(const Matrix& values, const std::vector<double>& row_means,
                      const std::vector<std::uint32_t>& stratum, std::span<const double> weights) {
  const std::size_t strata = weights.size();
  std::vector<double> squares(strata), count(strata);
  for (const std::uint32_t s : stratum) count[s] += 1;
  for (std::size_t model = 0; model < values.rows(); ++model) {
    const Moments off = moments(
        stratum, strata, [&](std::size_t row) { return values(model, row) - row_means[row]; });
    for (std::size_t s = 0; s < strata; ++s) squares[s] += off.variance[s];
  }
  double sum = 0;
  for (std::size_t s = 0; s < strata; ++s) {
    if (weights[s] > 0) sum += weights[s] * weights[s] * squares[s] / count[s];
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
  std::vector<double> weights(made.strata->count);
  for (const std::uint32_t s : made.strata->target) {
    weights[s] += 1 / static_cast<double>(made.strata->target.size());
  }
  made.interaction = interaction_of(target, made.target, made.strata->target, weights) +
                     interaction_of(unseen, made.unseen, made.strata->unseen, weights);
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

double unlikeness(const Contrast& group) {
  std::vector<double> target = group.target, unseen = group.unseen;
  std::sort(target.begin(), target.end());
  std::sort(unseen.begin(), unseen.end());
  const auto rows = static_cast<double>(target.size()), others = static_cast<double>(unseen.size());
  double distance = 0;
  std::size_t below = 0, unseen_below = 0;
  while (below < target.size() && unseen_below < unseen.size()) {
    const double value = std::min(target[below], unseen[unseen_below]);
    while (below < target.size() && target[below] <= value) ++below;
    while (unseen_below < unseen.size() && unseen[unseen_below] <= value) ++unseen_below;
    distance = std::max(distance, std::abs(static_cast<double>(below) / rows -
                                           static_cast<double>(unseen_below) / others));
  }
  // sqrt(pi / 2) ln 2 is the mean of Kolmogorov's distribution.
  constexpr double kMeanOfChance = 0.8687;
  return std::max(0.0, distance - kMeanOfChance * std::sqrt(1 / rows + 1 / others));
}

Gap gap_difference(const Contrast& left, const Contrast& right, double assumed_spread) {
  assert(left.target.size() == right.target.size() && left.unseen.size() == right.unseen.size());
  auto [estimate, parts] = weighted(
      *left.strata, [&](std::size_t row) { return left.target[row] - right.target[row]; },
      [&](std::size_t row) { return left.unseen[row] - right.unseen[row]; });
  // Several models say themselves how much models differ.
  if (left.by_model.size() == 1 && right.by_model.size() == 1) {
    add_persons(
        *left.strata, [&](std::size_t row) { return left.unseen[row] - right.unseen[row]; }, parts);
  }
  add_models(left, right, assumed_spread * assumed_spread / 2, parts);
  return finish(estimate, parts);
}

}  // namespace vestige::metrics
