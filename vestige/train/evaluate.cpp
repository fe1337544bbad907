// Forward passes in evaluation mode.
#include "vestige/train/evaluate.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/interrupt.h"
#include "vestige/models/denoiser.h"

namespace vestige::train {

torch::Tensor logits_of(models::Network& network, const Samples& samples, const Rows& rows,
                        std::int64_t batch) {
  const torch::NoGradGuard no_gradient;
  network.eval();
  const auto count = static_cast<std::int64_t>(rows.size());
  std::vector<torch::Tensor> parts;
  for (std::int64_t first = 0; first < count; first += batch) {
    check_interrupt();
    const auto size = static_cast<std::size_t>(std::min(batch, count - first));
    const torch::Tensor index =
        samples.index(std::span(rows).subspan(static_cast<std::size_t>(first), size));
    parts.push_back(network.forward(
        samples.batch(index.unsqueeze(0).expand({network.copies(), -1}).contiguous()).inputs));
  }
  if (parts.empty()) return torch::empty({network.copies(), 0, samples.classes()});
  return torch::cat(parts, 1);
}

std::vector<double> accuracies(models::Network& network, const Samples& samples, const Rows& rows) {
  if (rows.empty() || models::as_denoiser(network) != nullptr) {
    return std::vector<double>(static_cast<std::size_t>(network.copies()), NAN);
  }
  const torch::Tensor labels = samples.labels().index_select(0, samples.index(rows));
  const torch::Tensor right = logits_of(network, samples, rows)
                                  .argmax(-1)
                                  .eq(labels.unsqueeze(0))
                                  .to(torch::kFloat64)
                                  .mean(1)
                                  .cpu();
  return {right.data_ptr<double>(), right.data_ptr<double>() + right.numel()};
}

double accuracy(models::Network& network, const Samples& samples, const Rows& rows) {
  return accuracies(network, samples, rows).at(0);
}

double mean_loss(models::Network& network, const Samples& samples, const Rows& rows) {
  if (rows.empty()) return NAN;
  const torch::Tensor labels = samples.labels().index_select(0, samples.index(rows));
  const torch::Tensor logits = logits_of(network, samples, rows)[0];
  return -torch::log_softmax(logits, -1)
              .gather(1, labels.unsqueeze(1))
              .mean()
              .to(torch::kFloat64)
              .item<double>();
}

}  // namespace vestige::train
