// Non-conformity scores and prediction sets. APS needs neither a sort nor an n x C buffer here: a
// calibration row needs one sum over the classes ahead of the true one, a prediction row one
// weighted selection. The plain sorted version is the oracle in
// tests/metrics/conformal/drawn_rows.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/conformal/conformal.h"

namespace vestige::metrics {
namespace {

bool is_aps(ConformalScore score) {
  return score == ConformalScore::aps || score == ConformalScore::aps_randomised;
}

bool is_drawn(ConformalScore score) {
  return score == ConformalScore::aps_randomised || score == ConformalScore::saps;
}

/// `p` rounded to a multiple of 2^-52. Sums of such terms below 2 are exact in double and so do not
/// depend on the order of summation: a row that calibrates and is then predicted gets the very same
/// score, and no sort is needed to add up. The error is at most C 2^-53.
double exact_term(double p) { return (p + 1.0) - 1.0; }

/// Sum of term(j) over [first, last) in four lanes, which the compiler turns into vectors; exact
/// for exact terms.
template <typename Term>
double lane_sum(std::size_t first, std::size_t last, const Term& term) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t j = first;
  for (; j + 4 <= last; j += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += term(j + lane);
  }
  for (; j < last; ++j) sums[0] += term(j);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

void check_row(std::span<const double> row, std::size_t index, ConformalScore score) {
  if (score == ConformalScore::entmax) {
    for (const double value : row) {
      require(!std::isnan(value) && value < std::numeric_limits<double>::infinity(),
              "conformal: row {} holds {}; logits must be numbers", index, value);
    }
    require(row.empty() || *std::max_element(row.begin(), row.end()) >
                               -std::numeric_limits<double>::infinity(),
            "conformal: all outputs of row {} are -inf; check the model's outputs", index);
    return;
  }
  const double sum = lane_sum(0, row.size(), [&](std::size_t j) { return row[j]; });
  const double least = *std::min_element(row.begin(), row.end());
  // A NaN anywhere makes the sum NaN, which fails the comparison.
  require(least >= 0 && std::abs(sum - 1) <= 1e-3,
          "conformal: row {} sums to {} with least value {}; scp and aps need probabilities", index,
          sum, least);
}

void check_input(MatrixView outputs, const ScoreOptions& options) {
  require(outputs.cols > 0, "conformal: the outputs have no columns; give one per class");
  require(options.score != ConformalScore::entmax || options.gamma >= 1,
          "conformal: entmax gamma is {}; it must be at least 1", options.gamma);
  require(options.penalty >= 0, "conformal: the penalty is {}; it must be at least 0",
          options.penalty);
}

/// Sum of p over the classes ahead of `label` in (p descending, index ascending) order.
double mass_ahead(std::span<const double> row, std::size_t label) {
  const double own = row[label];
  const double before =
      lane_sum(0, label, [&](std::size_t j) { return row[j] >= own ? exact_term(row[j]) : 0.0; });
  const double behind = lane_sum(label + 1, row.size(), [&](std::size_t j) {
    return row[j] > own ? exact_term(row[j]) : 0.0;
  });
  return before + behind;
}

double aps_score(double ahead, double own, double u) {
  const double term = exact_term(own);
  return (ahead + term) - u * term;
}

/// (sum of gap^d)^(1/d) over `above`, the outputs larger than `own`, in descending order: every
/// caller sums in that order, so equal rows get equal scores.
double entmax_score(std::span<const double> above, double own, double gamma) {
  if (above.empty()) return 0;
  if (gamma == 1) return above.front() - own;
  const double power = 1 / (gamma - 1);
  double sum = 0;
  for (const double value : above) {
    const double gap = value - own;
    sum += gamma == 2 ? gap : gamma == 1.5 ? gap * gap : std::pow(gap, power);
  }
  return gamma == 2 ? sum : gamma == 1.5 ? std::sqrt(sum) : std::pow(sum, 1 / power);
}

/// Outputs of `row` above `own`, in descending order.
void collect_above(std::span<const double> row, double own, std::vector<double>& above) {
  above.clear();
  std::copy_if(row.begin(), row.end(), std::back_inserter(above),
               [own](double value) { return value > own; });
  std::sort(above.begin(), above.end(), std::greater<>());
}

/// Classes ahead of `label` in (p descending, index ascending) order.
std::size_t rank_of(std::span<const double> row, std::size_t label) {
  std::size_t ahead = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    ahead += row[j] > row[label] || (row[j] == row[label] && j < label) ? 1U : 0U;
  }
  return ahead;
}

/// `rank` counts from 0.
double raps_score(double ahead, double own, std::size_t rank, const ScoreOptions& options) {
  const double beyond =
      std::max(0.0, static_cast<double>(rank + 1) - static_cast<double>(options.free_ranks));
  return aps_score(ahead, own, 0) + options.penalty * beyond;
}

double saps_score(double largest, std::size_t rank, double u, const ScoreOptions& options) {
  if (rank == 0) return u * largest;
  return largest + (static_cast<double>(rank) - 1 + u) * options.penalty;
}

double drawn_u(std::uint64_t seed, std::size_t row, std::size_t rank, std::size_t classes) {
  return Stream(seed, "conformal.aps.prediction", row * classes + rank).uniform();
}

bool fits(double score, double q, QuantileRule rule) {
  return rule == QuantileRule::finite_sample ? score <= q : score < q;
}

/// Buffers of one thread, each of C items.
struct Workspace {
  explicit Workspace(std::size_t classes)
      : order(classes), current(classes), larger(classes), smaller(classes) {}
  std::vector<std::size_t> order;
  std::vector<double> current, larger, smaller;
};

/// Scores of all classes of one row by sorting it; scp has no use for it.
void score_row(std::span<const double> row, std::size_t index, const ScoreOptions& options,
               std::span<const double> u, Workspace& work, std::span<double> out) {
  std::iota(work.order.begin(), work.order.end(), std::size_t{0});
  std::stable_sort(work.order.begin(), work.order.end(),
                   [row](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  const auto sorted = std::span<double>(work.current);
  double ahead = 0;
  std::size_t above = 0;
  for (std::size_t rank = 0; rank < row.size(); ++rank) {
    const std::size_t j = work.order[rank];
    sorted[rank] = row[j];
    if (rank > 0 && sorted[rank] < sorted[rank - 1]) above = rank;
    if (options.score == ConformalScore::entmax) {
      out[j] = entmax_score(sorted.first(above), row[j], options.gamma);
    } else {
      double share = 0;
      if (is_drawn(options.score)) {
        share = u.empty() ? drawn_u(options.seed, index, rank, row.size())
                          : u[index * row.size() + rank];
      }
      if (options.score == ConformalScore::raps) {
        out[j] = raps_score(ahead, row[j], rank, options);
      } else if (options.score == ConformalScore::saps) {
        out[j] = saps_score(sorted[0], rank, share, options);
      } else {
        out[j] = aps_score(ahead, row[j], share);
      }
      ahead += exact_term(row[j]);
    }
  }
}

/// The deterministic APS set is a prefix in (p descending, index ascending) order: every class
/// above `value`, and the first `ties` classes equal to it in index order.
struct Prefix {
  double value = -1;  ///< -1: every class
  std::size_t ties = 0;
  double mass = 0;  ///< sum of the prefix
};

double median_of_three(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// Median of three medians of three, spread over the values.
double choose_pivot(std::span<const double> values) {
  const std::size_t last = values.size() - 1;
  if (last < 16) return median_of_three(values[0], values[last / 2], values[last]);
  const auto at = [&](std::size_t k) { return values[k * last / 8]; };
  return median_of_three(median_of_three(at(0), at(1), at(2)), median_of_three(at(3), at(4), at(5)),
                         median_of_three(at(6), at(7), at(8)));
}

/// Weighted quickselect: expected O(C), against O(C log C) for a sort.
Prefix aps_prefix(std::span<const double> row, double q, QuantileRule rule, Workspace& work) {
  std::span<const double> current = row;
  Prefix prefix;
  while (!current.empty()) {
    const double pivot = choose_pivot(current);
    std::size_t larger = 0, smaller = 0;
    for (const double p : current) {
      // Written without branches: the pivot splits at random, so a branch would be mispredicted.
      work.larger[larger] = p;
      work.smaller[smaller] = p;
      larger += p > pivot ? 1U : 0U;
      smaller += p < pivot ? 1U : 0U;
    }
    const double mass =
        lane_sum(0, larger, [&](std::size_t j) { return exact_term(work.larger[j]); });
    if (larger > 0 && !fits(prefix.mass + mass, q, rule)) {
      std::swap(work.current, work.larger);
      current = std::span<const double>(work.current).first(larger);
      continue;
    }
    const std::size_t equal = current.size() - larger - smaller;
    const double term = exact_term(pivot);
    prefix.mass += mass;
    prefix.value = pivot;
    prefix.ties = 0;
    while (prefix.ties < equal && fits(prefix.mass + term, q, rule)) {
      prefix.mass += term;
      ++prefix.ties;
    }
    if (prefix.ties < equal) return prefix;
    std::swap(work.current, work.smaller);
    current = std::span<const double>(work.current).first(smaller);
  }
  prefix.value = -1;
  return prefix;
}

/// With u <= 1 a class of the deterministic prefix stays in, and of the others only the first has
/// at most q ahead of it: the randomised set is the prefix and perhaps that class.
void insert_aps_row(std::span<const double> row, std::size_t index, double q, QuantileRule rule,
                    const ScoreOptions& options, std::span<const double> u, Workspace& work,
                    PredictionSets& sets) {
  const Prefix prefix = aps_prefix(row, q, rule, work);
  sets.insert_above(index, row, prefix.value);
  if (prefix.value < 0) return;
  std::size_t ties = 0, boundary = 0;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] != prefix.value) continue;
    boundary = j;
    if (ties++ == prefix.ties) break;
    sets.insert(index, j);
  }
  if (options.score != ConformalScore::aps_randomised) return;
  const std::size_t rank = sets.size(index);
  const double share =
      u.empty() ? drawn_u(options.seed, index, rank, row.size()) : u[index * row.size() + rank];
  if (fits(aps_score(prefix.mass, row[boundary], share), q, rule)) sets.insert(index, boundary);
}

void insert_entmax_row(std::span<const double> row, std::size_t index, double q, QuantileRule rule,
                       double gamma, PredictionSets& sets) {
  std::vector<double> sorted(row.begin(), row.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  // The score grows with the rank, so the set is the classes with outputs >= some cut.
  double cut = std::numeric_limits<double>::infinity();
  std::size_t above = 0;
  for (std::size_t rank = 0; rank < sorted.size(); ++rank) {
    if (rank > 0 && sorted[rank] < sorted[rank - 1]) above = rank;
    if (!fits(entmax_score({sorted.data(), above}, sorted[rank], gamma), q, rule)) break;
    cut = sorted[rank];
  }
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] >= cut) sets.insert(index, j);
  }
}

void check_u(std::span<const double> u, std::size_t expected) {
  require(u.empty() || u.size() == expected, "conformal: {} uniform numbers, {} are needed",
          u.size(), expected);
  for (const double value : u) {
    require(value >= 0 && value <= 1, "conformal: a uniform number is {}; it must be in [0, 1]",
            value);
  }
}

}  // namespace

std::vector<double> calibration_scores(MatrixView outputs, std::span<const std::int64_t> labels,
                                       const ScoreOptions& options, std::span<const double> u) {
  check_input(outputs, options);
  check_u(u, outputs.rows);
  require(labels.size() == outputs.rows, "conformal: {} rows but {} labels; give one label per row",
          outputs.rows, labels.size());
  std::vector<double> scores(outputs.rows);
  parallel_ranges(outputs.rows, 64, [&](std::size_t first, std::size_t last) {
    std::vector<double> above;
    for (std::size_t i = first; i < last; ++i) {
      const auto row = outputs.row(i);
      check_row(row, i, options.score);
      require(labels[i] >= 0 && static_cast<std::size_t>(labels[i]) < row.size(),
              "conformal: the label of row {} is {}, but there are {} classes; labels count from 0",
              i, labels[i], row.size());
      const auto label = static_cast<std::size_t>(labels[i]);
      if (options.score == ConformalScore::scp) {
        scores[i] = 1 - row[label];
      } else if (options.score != ConformalScore::entmax) {
        double share = 0;
        if (is_drawn(options.score)) {
          share = u.empty() ? Stream(options.seed, "conformal.aps.calibration", i).uniform() : u[i];
        }
        if (options.score == ConformalScore::raps) {
          scores[i] = raps_score(mass_ahead(row, label), row[label], rank_of(row, label), options);
        } else if (options.score == ConformalScore::saps) {
          scores[i] = saps_score(*std::max_element(row.begin(), row.end()), rank_of(row, label),
                                 share, options);
        } else {
          scores[i] = aps_score(mass_ahead(row, label), row[label], share);
        }
      } else {
        collect_above(row, row[label], above);
        scores[i] = entmax_score(above, row[label], options.gamma);
      }
    }
  });
  return scores;
}

Matrix class_scores(MatrixView outputs, const ScoreOptions& options, std::span<const double> u) {
  check_input(outputs, options);
  check_u(u, outputs.rows * outputs.cols);
  Matrix scores(outputs.rows, outputs.cols);
  parallel_ranges(outputs.rows, 16, [&](std::size_t first, std::size_t last) {
    Workspace work(options.score == ConformalScore::scp ? 0 : outputs.cols);
    for (std::size_t i = first; i < last; ++i) {
      const auto row = outputs.row(i);
      check_row(row, i, options.score);
      if (options.score == ConformalScore::scp) {  // needs no order of the classes
        std::transform(row.begin(), row.end(), scores.row(i).begin(),
                       [](double p) { return 1 - p; });
      } else {
        score_row(row, i, options, u, work, scores.row(i));
      }
    }
  });
  return scores;
}

PredictionSets prediction_sets(MatrixView outputs, double q, QuantileRule rule,
                               const ScoreOptions& options, std::span<const double> u) {
  check_input(outputs, options);
  check_u(u, outputs.rows * outputs.cols);
  require(!std::isnan(q), "conformal: q is NaN; take it from conformal_quantile");
  PredictionSets sets(outputs.rows, outputs.cols);
  // What scores below 0 must exceed: at least -q is more than the number before it.
  const double bound = rule == QuantileRule::finite_sample
                           ? std::nextafter(-q, -std::numeric_limits<double>::infinity())
                           : -q;
  parallel_ranges(outputs.rows, 64, [&](std::size_t first, std::size_t last) {
    const bool ranked =
        options.score == ConformalScore::raps || options.score == ConformalScore::saps;
    Workspace work(ranked || is_aps(options.score) ? outputs.cols : 0);
    std::vector<double> scores(outputs.cols);
    for (std::size_t i = first; i < last; ++i) {
      const auto row = outputs.row(i);
      check_row(row, i, options.score);
      if (is_aps(options.score)) {
        insert_aps_row(row, i, q, rule, options, u, work, sets);
      } else if (ranked) {
        score_row(row, i, options, u, work, scores);
        for (std::size_t j = 0; j < row.size(); ++j) {
          if (fits(scores[j], q, rule)) sets.insert(i, j);
        }
      } else if (options.score == ConformalScore::entmax) {
        insert_entmax_row(row, i, q, rule, options.gamma, sets);
      } else {
        // p - 1 is 1 - p with the other sign, to the bit: 1 - p < q is p - 1 > -q.
        std::transform(row.begin(), row.end(), scores.begin(), [](double p) { return p - 1; });
        sets.insert_above(i, scores, bound);
      }
    }
  });
  return sets;
}

}  // namespace vestige::metrics
