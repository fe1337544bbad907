// Pooling of windows that do not overlap.
#include "vestige/models/pooling.h"

#include <ATen/Parallel.h>

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

/// Height and width of planes, and of what is pooled from them.
struct PooledPlanes {
  explicit PooledPlanes(at::IntArrayRef sizes)
      : planes(sizes[0] * sizes[1]), height(sizes[2]), width(sizes[3]) {}
  /// Calls `each` with the upper of two rows, and the row that is pooled from both.
  template <typename Each>
  void each_row(const Each& each) const {
    at::parallel_for(0, planes, 64, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t plane = first; plane < last; ++plane) {
        for (std::int64_t y = 0; y < height / 2; ++y) {
          each((plane * height + 2 * y) * width, (plane * (height / 2) + y) * (width / 2));
        }
      }
    });
  }
  std::int64_t planes, height, width;
};

/// Takes `value` at `place` if LibTorch would: of equal values the first, and NaN once it is seen.
void take(float value, int place, float& most, int& where) {
  const bool better = value > most || value != value;
  most = better ? value : most;
  where = better ? place : where;
}

/// Values on the processor, and where they were found: 0 to 3, row by row. LibTorch's loop keeps
/// places of eight bytes and asks for every window where it begins and ends.
void pool_rows(const torch::Tensor& channels, torch::Tensor& values, std::uint8_t* places) {
  const PooledPlanes shape(channels.sizes());
  const float* source = channels.data_ptr<float>();
  float* target = values.data_ptr<float>();
  shape.each_row([&](std::int64_t from, std::int64_t to) {
    const float* upper = source + from;
    const float* lower = upper + shape.width;
    for (std::int64_t x = 0; x < shape.width / 2; ++x) {
      float most = upper[2 * x];
      int where = 0;
      take(upper[2 * x + 1], 1, most, where);
      take(lower[2 * x], 2, most, where);
      take(lower[2 * x + 1], 3, most, where);
      target[to + x] = most;
      if (places != nullptr) places[to + x] = static_cast<std::uint8_t>(where);
    }
  });
}

torch::Tensor room_for(const torch::Tensor& channels, torch::Dtype type) {
  return torch::empty(
      {channels.size(0), channels.size(1), channels.size(2) / 2, channels.size(3) / 2},
      channels.options().dtype(type).requires_grad(false));
}

/// The same on the processor, where the maximum of floats was found by pool_rows.
class ProcessorMaxPool : public torch::autograd::Function<ProcessorMaxPool> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& channels) {
    torch::Tensor values = room_for(channels, torch::kFloat32);
    const torch::Tensor places = room_for(channels, torch::kUInt8);
    pool_rows(channels, values, places.data_ptr<std::uint8_t>());
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
    const torch::Tensor above = gradients[0].contiguous();
    // Gradients of gradients: by what LibTorch can differentiate.
    if (torch::GradMode::is_enabled()) {
      const auto counted = torch::TensorOptions().dtype(torch::kInt64);
      const torch::Tensor place = places.to(torch::kInt64);
      const torch::Tensor down =
          place.div(2, "floor") + 2 * torch::arange(height / 2, counted).view({-1, 1});
      const torch::Tensor right = place.remainder(2) + 2 * torch::arange(width / 2, counted);
      return {torch::max_unpool2d(above, down * width + right, {height, width})};
    }
    torch::Tensor result =
        torch::zeros({above.size(0), above.size(1), height, width}, above.options());
    const PooledPlanes shape(result.sizes());
    const std::uint8_t* found = places.data_ptr<std::uint8_t>();
    const float* source = above.data_ptr<float>();
    float* target = result.data_ptr<float>();
    shape.each_row([&](std::int64_t from, std::int64_t to) {
      for (std::int64_t x = 0; x < width / 2; ++x) {
        const std::int64_t place = found[to + x];
        target[from + place / 2 * width + 2 * x + place % 2] += source[to + x];
      }
    });
    return {result};
  }
};

}  // namespace

torch::Tensor max_pool(const torch::Tensor& channels) {
  if (channels.is_cpu() && channels.dim() == 4 && channels.is_contiguous() &&
      channels.scalar_type() == torch::kFloat32 && channels.numel() > 0 && channels.size(2) > 1 &&
      channels.size(3) > 1) {
    if (torch::GradMode::is_enabled() && channels.requires_grad()) {
      return ProcessorMaxPool::apply(channels);
    }
    torch::Tensor values = room_for(channels, torch::kFloat32);
    pool_rows(channels, values, nullptr);
    return values;
  }
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
