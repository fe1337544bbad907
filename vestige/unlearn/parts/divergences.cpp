// Distances between what two models say about a batch.
#include "vestige/unlearn/parts/divergences.h"

namespace vestige::unlearn {

torch::Tensor mean_kl(const torch::Tensor& log_p, const torch::Tensor& log_q) {
  return (log_p.exp() * (log_p - log_q)).sum(-1).mean(1);
}

torch::Tensor entropies(const torch::Tensor& log_p) { return -(log_p.exp() * log_p).sum(-1); }

torch::Tensor mean_cross_entropy(const torch::Tensor& log_p, const torch::Tensor& labels) {
  return -log_p.gather(-1, labels.unsqueeze(-1)).squeeze(-1).mean(1);
}

torch::Tensor answers(models::Network& network, const torch::Tensor& inputs) {
  const torch::NoGradGuard no_gradient;
  return network.forward(inputs);
}

}  // namespace vestige::unlearn
