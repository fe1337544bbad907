// Sums of gradients, batch by batch.
#include "vestige/unlearn/parts/gradients.h"

#include <functional>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"

namespace vestige::unlearn {
namespace {

/// Calls `use` with the gradient of each batch's mean loss. Batches differ by one row at most, so
/// that none is too small for a batch norm.
void each_batch(
    models::Network& network, const train::Samples& samples, const train::Rows& rows,
    std::int64_t batch,
    const std::function<void(const std::vector<torch::Tensor>&, std::int64_t rows)>& use) {
  require(!rows.empty(), "there are no rows to take gradients of: check the split");
  const std::vector<torch::Tensor> parameters = network.parameters();
  const auto count = static_cast<std::int64_t>(rows.size());
  const std::int64_t batches = (count + batch - 1) / batch;
  for (std::int64_t index = 0; index < batches; ++index) {
    check_interrupt();
    const std::int64_t first = count * index / batches;
    const std::int64_t size = count * (index + 1) / batches - first;
    const train::Batch part = samples.batch(
        std::span(rows).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size)));
    const torch::Tensor loss = row_losses(network.forward(part.inputs), part.labels).mean();
    std::vector<torch::Tensor> gradients =
        torch::autograd::grad({loss}, parameters, {}, false, false, /*allow_unused=*/true);
    use(gradients, size);
  }
}

Gradients zeros(const models::Network& network) {
  Gradients result;
  for (const torch::Tensor& parameter : network.parameters()) {
    result.values.push_back(torch::zeros_like(parameter, torch::requires_grad(false)));
  }
  return result;
}

}  // namespace

torch::Tensor row_losses(const torch::Tensor& logits, const torch::Tensor& labels) {
  return -torch::log_softmax(logits, -1).gather(-1, labels.unsqueeze(-1)).squeeze(-1);
}

Gradients mean_gradient(models::Network& network, const train::Samples& samples,
                        const train::Rows& rows, std::int64_t batch, bool training_mode) {
  Gradients result = zeros(network);
  network.train(training_mode);
  const auto count = static_cast<double>(rows.size());
  each_batch(network, samples, rows, batch,
             [&](const std::vector<torch::Tensor>& gradients, std::int64_t size) {
               for (std::size_t index = 0; index < gradients.size(); ++index) {
                 if (!gradients[index].defined()) continue;
                 result.values[index].add_(gradients[index], static_cast<double>(size) / count);
               }
               result.samples += size;
             });
  return result;
}

Gradients mean_squared_gradient(models::Network& network, const train::Samples& samples,
                                const train::Rows& rows, std::int64_t batch, std::uint64_t seed) {
  Gradients result = zeros(network);
  network.eval();
  std::int64_t batches = 0;
  each_batch(network, samples, train::shuffled(rows, seed, "importance", 0), batch,
             [&](const std::vector<torch::Tensor>& gradients, std::int64_t size) {
               for (std::size_t index = 0; index < gradients.size(); ++index) {
                 if (!gradients[index].defined()) continue;
                 result.values[index].addcmul_(gradients[index], gradients[index]);
               }
               result.samples += size;
               ++batches;
             });
  for (torch::Tensor& value : result.values) value.div_(static_cast<double>(batches));
  return result;
}

}  // namespace vestige::unlearn
