// Forward (and, for saliency, backward) passes in batches.
#include "vestige/collect/outputs.h"

#include <algorithm>
#include <cmath>
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

/// [b, h, w] of the tap.
torch::Tensor grad_cam(models::Network& network, const torch::Tensor& inputs,
                       const torch::Tensor& labels, const std::string& tap) {
  models::Taps taps{{tap}, {}};
  const torch::Tensor score = true_class_sum(network.forward(inputs, &taps), labels);
  const torch::Tensor& values = taps.values.at(tap);
  require(values.dim() == 5,
          "Grad-CAM needs a tap with channels, height and width, {} has none: choose a "
          "convolution's or a block's",
          tap);
  const torch::Tensor gradient = torch::autograd::grad({score}, {values})[0];
  const torch::Tensor weights = gradient.mean({3, 4}, true);
  return torch::relu((weights * values).sum(2))[0];
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
  return grad_cam(network, inputs, batch.labels, request.grad_cam_tap).flatten(1);
}

/// In the precision that is written: float16 ends at 65504.
bool all_finite(const std::vector<torch::Tensor>& parts, bool half) {
  return std::all_of(parts.begin(), parts.end(), [half](const torch::Tensor& part) {
    return torch::isfinite(half ? part.to(torch::kFloat16) : part).all().item<bool>();
  });
}

Outputs denoiser_outputs(models::Denoiser& network, const train::Samples& samples,
                         const train::Rows& rows, const OutputRequest& request) {
  require(request.saliency == "none",
          "a denoiser has no class scores, and so no saliency: set [collect] saliency = \"none\"");
  Outputs outputs;
  outputs.losses = train::denoising_losses(network, samples, rows, request.noise);
  outputs.finite = std::all_of(outputs.losses.begin(), outputs.losses.end(),
                               [](double loss) { return std::isfinite(loss); });
  for (const std::string& tap : request.taps) {
    const torch::Tensor values =
        train::denoiser_activations(network, samples, rows, tap, request.noise);
    outputs.finite &= all_finite({values}, request.half);
    outputs.activations[tap] = to_array(values, request.half);
  }
  return outputs;
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

evidence::Array grad_cam_maps(models::Network& network, const train::Samples& samples,
                              const train::Rows& rows, const std::string& tap) {
  network.eval();
  const std::int64_t height = samples.shape().at(1);
  const std::int64_t width = samples.shape().at(2);
  std::vector<torch::Tensor> parts;
  for (std::size_t first = 0; first < rows.size(); first += kBatch) {
    check_interrupt();
    const train::Batch batch = samples.batch(
        std::span(rows).subspan(first, std::min<std::size_t>(kBatch, rows.size() - first)));
    const torch::Tensor inputs = batch.inputs.detach().clone().requires_grad_(true);
    const torch::Tensor small = grad_cam(network, inputs, batch.labels, tap).detach();
    const torch::Tensor map =
        at::upsample_bilinear2d(small.unsqueeze(1), {height, width}, false).squeeze(1);
    const torch::Tensor largest = map.amax({1, 2}, true);
    parts.push_back(torch::where(largest > 0, map / largest, torch::zeros_like(map)).cpu());
  }
  const evidence::Array flat = to_array(torch::cat(parts), true);
  return flat.reshaped(
      {flat.rows(), static_cast<std::size_t>(height), static_cast<std::size_t>(width)});
}

std::string last_spatial_tap(models::Network& network, const train::Samples& samples) {
  const torch::NoGradGuard no_gradient;
  network.eval();
  const std::vector<std::string> names = network.tap_names();
  models::Taps taps{{names.begin(), names.end()}, {}};
  const std::vector<std::int64_t> row = {0};
  network.forward(samples.batch(row).inputs, &taps);
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (taps.values.at(*name).dim() == 5) return *name;
  }
  return {};
}

Outputs outputs_of(models::Network& network, const train::Samples& samples, const train::Rows& rows,
                   const OutputRequest& request) {
  if (models::Denoiser* const denoiser = models::as_denoiser(network)) {
    return denoiser_outputs(*denoiser, samples, rows, request);
  }
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
  outputs.finite = all_finite(logits, request.half);
  for (const auto& [tap, parts] : activations) outputs.finite &= all_finite(parts, request.half);
  return outputs;
}

}  // namespace vestige::collect
