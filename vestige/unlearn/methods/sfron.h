// SFR-on: ascent on forget, weighed row by row and only on weights that matter to forget at least
// as much as to retain, between steps on retain.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// True where (forget + 1e-15) / (retain + 1e-15) >= threshold; any shape, both the same.
torch::Tensor sfron_mask(const torch::Tensor& fisher_forget, const torch::Tensor& fisher_retain,
                         double threshold);

/// mean(c_i * l_i * n) with c_i = 1 / (l_i^lambda + epsilon), scaled to sum 1 and without a
/// gradient, of the cross-entropies l_i: logits [n, classes], labels [n]. Rows that are still known
/// by heart weigh most.
torch::Tensor sfron_adaptive_loss(const torch::Tensor& logits, const torch::Tensor& labels,
                                  double lambda, double epsilon = 1e-15);

}  // namespace vestige::unlearn
