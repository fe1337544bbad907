// Thresholds and summaries of conformal prediction; the scores are in conformal_score.cpp.
#include "vestige/metrics/conformal/conformal.h"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "vestige/base/error.h"

namespace vestige::metrics {

std::string_view name(ConformalScore score) {
  switch (score) {
    case ConformalScore::scp:
      return "scp";
    case ConformalScore::aps:
      return "aps";
    case ConformalScore::aps_randomised:
      return "aps_randomised";
    case ConformalScore::raps:
      return "raps";
    case ConformalScore::saps:
      return "saps";
    case ConformalScore::entmax:
      return "entmax";
  }
  return "";
}

ConformalScore conformal_score(std::string_view text) {
  if (text == "lac") return ConformalScore::scp;
  for (const ConformalScore score :
       {ConformalScore::scp, ConformalScore::aps, ConformalScore::aps_randomised,
        ConformalScore::raps, ConformalScore::saps, ConformalScore::entmax}) {
    if (text == name(score)) return score;
  }
  fail(
      "conformal score \"{}\" is unknown; choose scp, lac, aps, aps_randomised, raps, saps or "
      "entmax",
      text);
}

std::string_view name(QuantileRule rule) {
  return rule == QuantileRule::finite_sample ? "finite_sample" : "paper";
}

QuantileRule quantile_rule(std::string_view text) {
  if (text == "finite_sample") return QuantileRule::finite_sample;
  if (text == "paper") return QuantileRule::paper;
  fail("conformal rule \"{}\" is unknown; choose finite_sample or paper", text);
}

namespace {

void check_scores(std::span<const double> scores, double alpha) {
  require(alpha > 0 && alpha < 1,
          "conformal: alpha is {}; it must lie between 0 and 1, both excluded", alpha);
  require(!scores.empty(), "conformal: no calibration examples; q needs at least one");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    require(!std::isnan(scores[i]),
            "conformal: the score of calibration example {} is NaN; check the model's outputs", i);
  }
}

/// k = ceil((n+1)(1-alpha)), where a product within rounding of a whole number counts as that
/// number.
std::size_t finite_sample_rank(std::size_t n, double alpha) {
  const double position = static_cast<double>(n + 1) * (1 - alpha);
  const double nearest = std::round(position);
  const double slack = 4 * std::numeric_limits<double>::epsilon() * static_cast<double>(n + 1);
  return static_cast<std::size_t>(std::abs(position - nearest) <= slack ? nearest
                                                                        : std::ceil(position));
}

/// `rank` counts from 1.
double order_statistic(std::vector<double>& scores, std::size_t rank) {
  const auto place = scores.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(scores.begin(), place, scores.end());
  return *place;
}

}  // namespace

double conformal_quantile(std::span<const double> scores, double alpha, QuantileRule rule) {
  check_scores(scores, alpha);
  std::vector<double> work(scores.begin(), scores.end());
  const std::size_t n = work.size();
  if (rule == QuantileRule::finite_sample) {
    const std::size_t rank = finite_sample_rank(n, alpha);
    if (rank > n) return std::numeric_limits<double>::infinity();
    return order_statistic(work, std::max<std::size_t>(rank, 1));
  }
  const double position = static_cast<double>(n - 1) * (1 - alpha);
  const auto below = static_cast<std::size_t>(position);
  const double low = order_statistic(work, below + 1);
  if (below + 1 >= n) return low;
  // Behind an nth_element everything to the right is at least as large.
  const double high =
      *std::min_element(work.begin() + static_cast<std::ptrdiff_t>(below) + 1, work.end());
  const double share = position - static_cast<double>(below);
  // An infinite score must not meet a zero weight.
  return share > 0 ? low + (high - low) * share : low;
}

Estimate conformal_threshold(std::span<const double> scores, double alpha, QuantileRule rule,
                             double confidence) {
  require(confidence > 0 && confidence < 1,
          "conformal: the interval's confidence is {}; it must lie between 0 and 1", confidence);
  Estimate result;
  result.value = conformal_quantile(scores, alpha, rule);
  const double tail = (1 - confidence) / 2;
  const boost::math::binomial binomial(static_cast<double>(scores.size()), 1 - alpha);
  // With B rows at or below the true quantile, B is binomial(n, 1-alpha): rank l misses it from
  // above with P(B <= l-1), rank u from below with P(B >= u).
  const auto at_most = [&](std::size_t count) {
    return boost::math::cdf(binomial, static_cast<double>(count)) <= tail;
  };
  const auto more_than = [&](std::size_t count) {
    return boost::math::cdf(boost::math::complement(binomial, static_cast<double>(count))) > tail;
  };
  const auto first_without = [&scores](const auto& predicate) {
    std::size_t first = 0, last = scores.size();
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (predicate(middle)) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  };
  const std::size_t lower = first_without(at_most);
  const std::size_t upper = first_without(more_than) + 1;
  std::vector<double> work(scores.begin(), scores.end());
  result.lower = lower == 0 ? 0 : order_statistic(work, lower);
  result.upper = upper > scores.size() ? std::numeric_limits<double>::infinity()
                                       : order_statistic(work, upper);
  return result;
}

void PredictionSets::insert_above(std::size_t row, std::span<const double> values, double bound) {
  for (std::size_t first = 0; first < values.size(); first += 64) {
    const std::size_t count = std::min<std::size_t>(64, values.size() - first);
    std::uint64_t word = 0;
    for (std::size_t bit = 0; bit < count; ++bit) {
      word |= static_cast<std::uint64_t>(values[first + bit] > bound) << bit;
    }
    bits_[row * stride_ + first / 64] |= word;
  }
}

std::size_t PredictionSets::size(std::size_t row) const {
  std::size_t count = 0;
  for (std::size_t word = 0; word < stride_; ++word) {
    count += static_cast<std::size_t>(std::popcount(bits_[row * stride_ + word]));
  }
  return count;
}

std::vector<std::size_t> PredictionSets::members(std::size_t row) const {
  std::vector<std::size_t> result;
  for (std::size_t label = 0; label < classes_; ++label) {
    if (contains(row, label)) result.push_back(label);
  }
  return result;
}

namespace {

void check_labels(std::span<const std::int64_t> labels, std::size_t rows, std::size_t classes) {
  require(labels.size() == rows, "conformal: {} rows but {} labels; give one label per row", rows,
          labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i] >= 0 && static_cast<std::size_t>(labels[i]) < classes,
            "conformal: the label of row {} is {}, but there are {} classes; labels count from 0",
            i, labels[i], classes);
  }
}

}  // namespace

CoverageSummary summarise_sets(const PredictionSets& sets, std::span<const std::int64_t> labels) {
  check_labels(labels, sets.rows(), sets.classes());
  CoverageSummary result;
  result.n = sets.rows();
  std::size_t covered = 0, total = 0;
  for (std::size_t i = 0; i < sets.rows(); ++i) {
    const bool inside = sets.contains(i, static_cast<std::size_t>(labels[i]));
    const std::size_t size = sets.size(i);
    covered += inside ? 1U : 0U;
    total += size;
    result.empty += size == 0 ? 1U : 0U;
    result.covered.push_back(inside ? 1 : 0);
    result.set_sizes.push_back(static_cast<double>(size));
  }
  if (result.n == 0) return result;
  result.coverage = static_cast<double>(covered) / static_cast<double>(result.n);
  result.set_size = static_cast<double>(total) / static_cast<double>(result.n);
  if (total > 0) result.cr = static_cast<double>(covered) / static_cast<double>(total);
  return result;
}

FakeForgetting fake_forgetting(MatrixView outputs, const PredictionSets& sets,
                               std::span<const std::int64_t> labels) {
  require(outputs.rows == sets.rows() && outputs.cols == sets.classes(),
          "conformal: outputs are {} x {} but the sets are {} x {}; both must be of the same rows",
          outputs.rows, outputs.cols, sets.rows(), sets.classes());
  check_labels(labels, outputs.rows, outputs.cols);
  FakeForgetting result;
  for (std::size_t i = 0; i < outputs.rows; ++i) {
    const auto row = outputs.row(i);
    const auto label = static_cast<std::size_t>(labels[i]);
    const auto predicted =
        static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    const bool wrong = predicted != label;
    result.mislabelled.push_back(wrong ? 1 : 0);
    result.mislabel += wrong ? 1U : 0U;
    result.in_set += wrong && sets.contains(i, label) ? 1U : 0U;
  }
  if (result.mislabel > 0) {
    result.ratio = static_cast<double>(result.in_set) / static_cast<double>(result.mislabel);
  }
  return result;
}

std::vector<double> ratio_terms(std::span<const double> numerators,
                                std::span<const double> denominators) {
  require(numerators.size() == denominators.size(),
          "ratio: {} numerators but {} denominators; give one of each per row", numerators.size(),
          denominators.size());
  const double top = std::accumulate(numerators.begin(), numerators.end(), 0.0);
  const double bottom = std::accumulate(denominators.begin(), denominators.end(), 0.0);
  std::vector<double> terms;
  if (bottom == 0) return terms;
  const double ratio = top / bottom;
  const double mean = bottom / static_cast<double>(denominators.size());
  for (std::size_t i = 0; i < numerators.size(); ++i) {
    terms.push_back(ratio + (numerators[i] - ratio * denominators[i]) / mean);
  }
  return terms;
}

}  // namespace vestige::metrics
