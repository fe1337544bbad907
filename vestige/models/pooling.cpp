// Pooling of windows that do not overlap.
#include "vestige/models/pooling.h"

namespace vestige::models {
namespace {

class MaxPool : public torch::autograd::Function<MaxPool> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& channels) {
    auto [values, places] = torch::max_pool2d_with_indices(channels, 2);
    context->save_for_backward({places});
    context->saved_data["height"] = channels.size(2);
    context->saved_data["width"] = channels.size(3);
    return values;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const torch::Tensor places = context->get_saved_variables()[0];
    const std::int64_t height = context->saved_data["height"].toInt();
    const std::int64_t width = context->saved_data["width"].toInt();
    return {torch::max_unpool2d(gradients[0].contiguous(), places, {height, width})};
  }
};

}  // namespace

torch::Tensor max_pool(const torch::Tensor& channels) {
  // Channels last and empty batches are left to LibTorch; so are deterministic runs, where it would
  // warn of max_unpool2d at every step.
  const bool own = channels.is_cuda() && channels.requires_grad() && channels.is_contiguous() &&
                   channels.numel() > 0 && !at::globalContext().deterministicAlgorithms();
  return own ? MaxPool::apply(channels) : torch::max_pool2d(channels, 2);
}

torch::Tensor rectified_pool(Taps* taps, const std::string& name, const torch::Tensor& channels,
                             std::int64_t copies) {
  if (taps != nullptr && taps->wanted.count(name) > 0) {
    return max_pool(tap_channels(taps, name, torch::relu(channels), copies));
  }
  return torch::relu(max_pool(channels));
}

}  // namespace vestige::models
