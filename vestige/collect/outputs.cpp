// Forward (and, for saliency, backward) passes in batches.
#include "vestige/collect/outputs.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"

namespace vestige::collect {
namespace {

constexpr std::int64_t kBatch = 256;

torch::Tensor true_class_sum(const torch::Tensor& logits, const torch::Tensor& labels) {
  return logits.gather(-1, labels.unsqueeze(-1)).sum();
}

/// [b, d] of one batch.
torch::Tensor saliency_of(models::Network& network, const train::Batch& batch,
                          const OutputRequest& request) {
  const torch::Tensor inputs = batch.inputs.detach().clone().requires_grad_(true);
  if (request.saliency == "gradient") {
    const torch::Tensor score = true_class_sum(network.forward(inputs), batch.labels);
    const torch::Tensor gradient = torch::autograd::grad({score}, {inputs})[0][0].abs();
    return (gradient.dim() == 4 ? gradient.amax(1) : gradient).flatten(1);
  }
  models::Taps taps{{request.grad_cam_tap}, {}};
  const torch::Tensor score = true_class_sum(network.forward(inputs, &taps), batch.labels);
  const torch::Tensor& values = taps.values.at(request.grad_cam_tap);
  require(values.dim() == 5,
          "Grad-CAM needs a tap with channels, height and width, {} has none: choose a "
          "convolution's or a block's",
          request.grad_cam_tap);
  const torch::Tensor gradient = torch::autograd::grad({score}, {values})[0];
  const torch::Tensor weights = gradient.mean({3, 4}, true);
  return torch::relu((weights * values).sum(2))[0].flatten(1);
}

}  // namespace

evidence::Array to_array(const torch::Tensor& tensor, bool half) {
  auto kept = std::make_shared<torch::Tensor>(
      tensor.detach().cpu().flatten(1).to(half ? torch::kFloat16 : torch::kFloat32).contiguous());
  const std::span bytes(static_cast<const std::byte*>(kept->data_ptr()), kept->nbytes());
  return {half ? evidence::DType::float16 : evidence::DType::float32,
          {static_cast<std::size_t>(kept->size(0)), static_cast<std::size_t>(kept->size(1))},
          bytes,
          kept,
          half ? std::size_t{2} : std::size_t{4}};
}

Outputs outputs_of(models::Network& network, const train::Samples& samples, const train::Rows& rows,
                   const OutputRequest& request) {
  network.eval();
  std::vector<torch::Tensor> logits, saliency;
  std::map<std::string, std::vector<torch::Tensor>> activations;
  for (std::size_t first = 0; first < rows.size(); first += kBatch) {
    check_interrupt();
    const train::Batch batch = samples.batch(
        std::span(rows).subspan(first, std::min<std::size_t>(kBatch, rows.size() - first)));
    {
      const torch::NoGradGuard no_gradient;
      models::Taps taps{{request.taps.begin(), request.taps.end()}, {}};
      logits.push_back(network.forward(batch.inputs, &taps)[0].cpu());
      for (const std::string& tap : request.taps) {
        activations[tap].push_back(taps.values.at(tap)[0].flatten(1).cpu());
      }
    }
    if (request.saliency != "none") {
      saliency.push_back(saliency_of(network, batch, request).detach().cpu());
    }
  }
  Outputs outputs;
  outputs.logits = to_array(torch::cat(logits), request.half);
  for (const auto& [tap, parts] : activations) {
    outputs.activations[tap] = to_array(torch::cat(parts), request.half);
  }
  if (!saliency.empty()) outputs.saliency = to_array(torch::cat(saliency), request.half);
  return outputs;
}

}  // namespace vestige::collect
