// KLoM, the Kullback-Leibler divergence of margins (Georgiev et al. 2024, "Attribute-to-Delete",
// appendix E.1): how unlike, row by row, the margins of unlearned and of retrained models are.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

enum class KlomMode {
  exact,      ///< the largest value belongs to the last bin, as in numpy.histogram
  reference,  ///< the code published with EasyDUB: numpy.digitize, which leaves it out
};

struct KlomOptions {
  std::size_t bins = 20;      ///< of equal width over the joint range of both samples
  double least_share = 1e-5;  ///< an empty bin of the retrained models counts as this
  double clip = 100;          ///< margins beyond +-clip count as +-clip
  KlomMode mode = KlomMode::exact;
};

/// KL(p || q) in nats of two samples in shared bins: sum over bins with p > 0 of p ln(p / max(q,
/// least_share)), the floor not renormalised, as published. NaN if a sample is empty or holds NaN.
double binned_divergence(std::span<const double> p, std::span<const double> q,
                         const KlomOptions& options = {});

/// Per row the divergence of the unlearned models' margins from the retrained ones', [models, rows]
/// each; InputError if the rows differ in number or there are no models. The margin is the logit of
/// the true class minus the log-sum-exp of the others.
std::vector<double> klom(MatrixView unlearned, MatrixView retrained,
                         const KlomOptions& options = {});

}  // namespace vestige::metrics
