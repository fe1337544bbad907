// Forward passes in evaluation mode.
#include "vestige/train/evaluate.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/interrupt.h"
#include "vestige/models/denoiser.h"

namespace vestige::train {
namespace {

/// rows [k, n], on the device: each copy's own.
torch::Tensor logits_of_each(models::Network& network, const Samples& samples,
                             const torch::Tensor& rows, std::int64_t batch) {
  const torch::NoGradGuard no_gradient;
  network.eval();
  std::vector<torch::Tensor> parts;
  for (std::int64_t first = 0; first < rows.size(1); first += batch) {
    check_interrupt();
    const std::int64_t size = std::min(batch, rows.size(1) - first);
    parts.push_back(
        network.forward(samples.batch(rows.narrow(1, first, size).contiguous()).inputs));
  }
  if (parts.empty()) return torch::empty({network.copies(), 0, samples.classes()});
  return torch::cat(parts, 1);
}

std::vector<double> shares_right(const torch::Tensor& logits, const torch::Tensor& labels) {
  const torch::Tensor right = logits.argmax(-1).eq(labels).to(torch::kFloat64).mean(1).cpu();
  return {right.data_ptr<double>(), right.data_ptr<double>() + right.numel()};
}

}  // namespace

torch::Tensor logits_of(models::Network& network, const Samples& samples, const Rows& rows,
                        std::int64_t batch) {
  return logits_of_each(network, samples,
                        samples.index(rows).unsqueeze(0).expand({network.copies(), -1}), batch);
}

std::vector<double> accuracies(models::Network& network, const Samples& samples, const Rows& rows) {
  return accuracies(network, samples,
                    std::vector<Rows>(static_cast<std::size_t>(network.copies()), rows));
}

std::vector<double> accuracies(models::Network& network, const Samples& samples,
                               const std::vector<Rows>& rows) {
  if (rows.at(0).empty() || models::as_denoiser(network) != nullptr) {
    return std::vector<double>(static_cast<std::size_t>(network.copies()), NAN);
  }
  std::vector<torch::Tensor> each;
  for (const Rows& own : rows) each.push_back(samples.index(own));
  const torch::Tensor index = torch::stack(each);
  const torch::Tensor labels =
      samples.labels().index_select(0, index.reshape({-1})).view(index.sizes());
  return shares_right(logits_of_each(network, samples, index, kEvaluationBatch), labels);
}

std::vector<Fit> fits(models::Network& network, const Samples& samples,
                      const std::vector<Rows>& rows) {
  const auto copies = static_cast<std::size_t>(network.copies());
  if (rows.at(0).empty() || models::as_denoiser(network) != nullptr) {
    return std::vector<Fit>(copies, {NAN, NAN});
  }
  std::vector<torch::Tensor> each;
  for (const Rows& own : rows) each.push_back(samples.index(own));
  const torch::Tensor index = torch::stack(each);
  const torch::Tensor labels =
      samples.labels().index_select(0, index.reshape({-1})).view(index.sizes());
  const torch::Tensor logits = logits_of_each(network, samples, index, kEvaluationBatch);
  const std::vector<double> right = shares_right(logits, labels);
  const torch::Tensor losses = -torch::log_softmax(logits, -1)
                                    .gather(-1, labels.unsqueeze(-1))
                                    .squeeze(-1)
                                    .to(torch::kFloat64)
                                    .mean(1)
                                    .cpu();
  std::vector<Fit> found;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    found.push_back({losses[static_cast<std::int64_t>(copy)].item<double>(), right[copy]});
  }
  return found;
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
