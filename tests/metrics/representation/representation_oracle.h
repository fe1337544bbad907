// CKA and nearest neighbours as their definitions read: Gram matrices, and every query's distances
// sorted as a whole.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "vestige/metrics/representation/representation.h"

namespace vestige::metrics {

/// Gram matrix [n, n] of activations whose columns are centred.
inline Matrix plain_gram(const Matrix& activations) {
  const std::size_t n = activations.rows();
  Matrix centred = activations;
  for (std::size_t column = 0; column < activations.cols(); ++column) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += activations(i, column);
    for (std::size_t i = 0; i < n; ++i) centred(i, column) -= sum / static_cast<double>(n);
  }
  Matrix gram(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < activations.cols(); ++k)
        gram(i, j) += centred(i, k) * centred(j, k);
    }
  }
  return gram;
}

/// sum(K * L) / sqrt(sum(K * K) sum(L * L)) of the two Gram matrices (Kornblith et al. 2019).
inline double plain_cka(const Matrix& x, const Matrix& y) {
  const Matrix left = plain_gram(x), right = plain_gram(y);
  double both = 0, ours = 0, theirs = 0;
  for (std::size_t i = 0; i < left.rows(); ++i) {
    for (std::size_t j = 0; j < left.cols(); ++j) {
      both += left(i, j) * right(i, j);
      ours += left(i, j) * left(i, j);
      theirs += right(i, j) * right(i, j);
    }
  }
  return both / std::sqrt(ours * theirs);
}

inline std::vector<double> plain_neighbours(const LabelledActivations& fitted,
                                            const LabelledActivations& queries,
                                            std::size_t neighbours) {
  std::vector<double> right;
  for (std::size_t query = 0; query < queries.rows.rows; ++query) {
    std::vector<std::pair<double, std::size_t>> distances;
    for (std::size_t i = 0; i < fitted.rows.rows; ++i) {
      double squares = 0;
      for (std::size_t k = 0; k < fitted.rows.cols; ++k) {
        const double difference = fitted.rows(i, k) - queries.rows(query, k);
        squares += difference * difference;
      }
      distances.emplace_back(squares, i);
    }
    std::sort(distances.begin(), distances.end());
    std::map<std::int64_t, std::size_t> votes;  // ascending: of equal votes the lowest class wins
    for (std::size_t i = 0; i < std::min(neighbours, distances.size()); ++i) {
      ++votes[fitted.labels[distances[i].second]];
    }
    auto best = votes.begin();
    for (auto vote = votes.begin(); vote != votes.end(); ++vote) {
      if (vote->second > best->second) best = vote;
    }
    right.push_back(best->first == queries.labels[query] ? 1 : 0);
  }
  return right;
}

}  // namespace vestige::metrics
