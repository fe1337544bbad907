// Nearest neighbours by full distance matrices: n is a few hundred here.
#include "vestige/unlearn/parts/codec.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/seed.h"

namespace vestige::unlearn {
namespace {

/// Squared distances [n, n] in the variables added so far.
class Distances {
 public:
  explicit Distances(std::size_t count) : count_(count), squares_(count * count) {}

  void add(std::span<const double> column) {
    for (std::size_t row = 0; row < count_; ++row) {
      for (std::size_t other = 0; other < count_; ++other) {
        const double gap = column[row] - column[other];
        squares_[row * count_ + other] += gap * gap;
      }
    }
  }

  /// The nearest other row of each row, with `extra` (may be empty) as one more variable.
  std::vector<std::size_t> neighbours(std::span<const double> extra, std::uint64_t seed) const {
    std::vector<std::size_t> result(count_);
    for (std::size_t row = 0; row < count_; ++row) result[row] = neighbour(row, extra, seed);
    return result;
  }

 private:
  std::size_t neighbour(std::size_t row, std::span<const double> extra, std::uint64_t seed) const {
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> nearest;
    for (std::size_t other = 0; other < count_; ++other) {
      if (other == row) continue;
      double square = squares_[row * count_ + other];
      if (!extra.empty()) square += (extra[row] - extra[other]) * (extra[row] - extra[other]);
      if (square > least) continue;
      if (square < least) nearest.clear();
      least = square;
      nearest.push_back(other);
    }
    if (nearest.size() == 1) return nearest[0];
    Stream stream(seed, "codec/ties", row);
    return nearest[stream.below(nearest.size())];
  }

  std::size_t count_;
  std::vector<double> squares_;
};

struct Ranks {
  std::vector<double> up;    ///< R_i: how many Y_j <= Y_i
  std::vector<double> down;  ///< L_i: how many Y_j >= Y_i
};

Ranks ranks_of(std::span<const double> y) {
  std::vector<double> sorted(y.begin(), y.end());
  std::sort(sorted.begin(), sorted.end());
  Ranks ranks;
  for (const double value : y) {
    ranks.up.push_back(static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), value) -
                                           sorted.begin()));
    ranks.down.push_back(
        static_cast<double>(sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), value)));
  }
  return ranks;
}

double unconditional(const Ranks& ranks, const std::vector<std::size_t>& in_z) {
  const auto n = static_cast<double>(in_z.size());
  double numerator = 0;
  double denominator = 0;
  for (std::size_t row = 0; row < in_z.size(); ++row) {
    const double above = ranks.down[row];
    numerator += n * std::min(ranks.up[row], ranks.up[in_z[row]]) - above * above;
    denominator += above * (n - above);
  }
  return denominator == 0 ? std::nan("") : numerator / denominator;
}

double conditional(const Ranks& ranks, const std::vector<std::size_t>& in_x,
                   const std::vector<std::size_t>& in_both) {
  double numerator = 0;
  double denominator = 0;
  for (std::size_t row = 0; row < in_x.size(); ++row) {
    const double without = std::min(ranks.up[row], ranks.up[in_x[row]]);
    numerator += std::min(ranks.up[row], ranks.up[in_both[row]]) - without;
    denominator += ranks.up[row] - without;
  }
  return denominator == 0 ? std::nan("") : numerator / denominator;
}

/// Unit variance; empty where there is none.
std::vector<double> scaled(const std::vector<double>& column) {
  const auto n = static_cast<double>(column.size());
  const double mean = std::accumulate(column.begin(), column.end(), 0.0) / n;
  double squares = 0;
  for (const double value : column) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / n);
  if (!(deviation > 1e-12 * (1 + std::abs(mean)))) return {};
  std::vector<double> result;
  for (const double value : column) result.push_back((value - mean) / deviation);
  return result;
}

void check(std::span<const double> y, const Columns& columns) {
  require(y.size() >= 2, "codec: {} rows are too few: at least 2 are needed", y.size());
  for (const std::vector<double>& column : columns) {
    require(column.size() == y.size(), "codec: a column has {} rows, y has {}", column.size(),
            y.size());
  }
}

}  // namespace

double codec(std::span<const double> y, const Columns& z, const Columns& x, std::uint64_t seed) {
  check(y, z);
  check(y, x);
  require(!z.empty(), "codec: z has no column");
  const Ranks ranks = ranks_of(y);
  Distances distances(y.size());
  for (const std::vector<double>& column : x) distances.add(column);
  const std::vector<std::size_t> in_x =
      x.empty() ? std::vector<std::size_t>() : distances.neighbours({}, seed);
  for (const std::vector<double>& column : z) distances.add(column);
  const std::vector<std::size_t> in_both = distances.neighbours({}, seed);
  return x.empty() ? unconditional(ranks, in_both) : conditional(ranks, in_x, in_both);
}

std::vector<FociChoice> foci(std::span<const double> y, const Columns& columns, std::size_t most,
                             std::uint64_t seed) {
  check(y, columns);
  const Ranks ranks = ranks_of(y);
  Columns candidates;
  for (const std::vector<double>& column : columns) candidates.push_back(scaled(column));
  Distances distances(y.size());
  std::vector<FociChoice> chosen;
  while (chosen.size() < most) {
    const std::vector<std::size_t> in_x =
        chosen.empty() ? std::vector<std::size_t>() : distances.neighbours({}, seed);
    FociChoice best;
    for (std::size_t column = 0; column < candidates.size(); ++column) {
      if (candidates[column].empty()) continue;
      check_interrupt();
      const std::vector<std::size_t> in_both = distances.neighbours(candidates[column], seed);
      const double coefficient =
          chosen.empty() ? unconditional(ranks, in_both) : conditional(ranks, in_x, in_both);
      if (coefficient > best.coefficient) best = {column, coefficient};
    }
    if (!(best.coefficient > 0)) break;
    chosen.push_back(best);
    distances.add(candidates[best.column]);
    candidates[best.column].clear();
  }
  return chosen;
}

}  // namespace vestige::unlearn
