// U-LiRA as its definition reads, for pools with a deviation per row: plain sums, and AUC over all
// pairs of models.
#pragma once

#include <cmath>
#include <vector>

#include "vestige/metrics/ulira/ulira.h"

namespace vestige::metrics {

struct PlainNormal {
  double centre = 0;
  double deviation = 0;
  double log_density(double x) const {  ///< without the constant that the ratio cancels
    const double z = (x - centre) / deviation;
    return -z * z / 2 - std::log(deviation);
  }
};

inline PlainNormal plain_fit(MatrixView models, std::size_t row, std::size_t fold) {
  PlainNormal normal;
  double count = 0, squares = 0;
  for (std::size_t i = fold; i < models.rows; i += 2) {
    normal.centre += models(i, row);
    ++count;
  }
  normal.centre /= count;
  for (std::size_t i = fold; i < models.rows; i += 2) {
    squares += (models(i, row) - normal.centre) * (models(i, row) - normal.centre);
  }
  normal.deviation = std::sqrt(squares / count);
  return normal;
}

inline Ulira plain_ulira(MatrixView unlearned, MatrixView retrained) {
  Ulira result;
  for (std::size_t row = 0; row < unlearned.cols; ++row) {
    double accuracy = 0, auc = 0;
    for (std::size_t fit = 0; fit < 2; ++fit) {
      const PlainNormal ours = plain_fit(unlearned, row, fit);
      const PlainNormal theirs = plain_fit(retrained, row, fit);
      const auto ratio = [&](double x) { return ours.log_density(x) - theirs.log_density(x); };
      double right_ours = 0, right_theirs = 0, above = 0, count_ours = 0, count_theirs = 0;
      for (std::size_t i = 1 - fit; i < unlearned.rows; i += 2) {
        right_ours += ratio(unlearned(i, row)) > 0 ? 1 : 0;
        ++count_ours;
        for (std::size_t j = 1 - fit; j < retrained.rows; j += 2) {
          const double a = ratio(unlearned(i, row)), b = ratio(retrained(j, row));
          above += a > b ? 1 : a == b ? 0.5 : 0;
        }
      }
      for (std::size_t j = 1 - fit; j < retrained.rows; j += 2) {
        right_theirs += ratio(retrained(j, row)) > 0 ? 0 : 1;
        ++count_theirs;
      }
      accuracy += (right_ours / count_ours + right_theirs / count_theirs) / 4;
      auc += above / (count_ours * count_theirs) / 2;
    }
    result.accuracy.push_back(accuracy);
    result.auc.push_back(auc);
  }
  return result;
}

}  // namespace vestige::metrics
