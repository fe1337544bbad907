// What a model says about rows, without training it.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/models/network.h"
#include "vestige/train/batches/samples.h"

namespace vestige::train {

/// Rows in one forward pass.
constexpr std::int64_t kEvaluationBatch = 512;

/// Logits [k, n, classes] of `rows` in evaluation mode, without gradients, on the samples' device.
/// The same rows are shown to every copy.
torch::Tensor logits_of(models::Network& network, const Samples& samples, const Rows& rows,
                        std::int64_t batch = kEvaluationBatch);

/// Share of rows classified right, per copy; NaN without rows, and for denoisers, which
/// classify nothing.
std::vector<double> accuracies(models::Network& network, const Samples& samples, const Rows& rows);
/// The same with rows[c] for copy c, all of the same number.
std::vector<double> accuracies(models::Network& network, const Samples& samples,
                               const std::vector<Rows>& rows);
double accuracy(models::Network& network, const Samples& samples, const Rows& rows);

/// How one copy does on its rows.
struct Fit {
  double loss = 0;  ///< mean cross-entropy
  double accuracy = 0;
};
/// Of every copy c on rows[c], all of the same number; NaN without rows, and for denoisers.
std::vector<Fit> fits(models::Network& network, const Samples& samples,
                      const std::vector<Rows>& rows);

/// Mean cross-entropy of copy 0.
double mean_loss(models::Network& network, const Samples& samples, const Rows& rows);

}  // namespace vestige::train
