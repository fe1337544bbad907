// What all architectures share: drawing weights, counting them, keeping inner values.
#include "vestige/models/network.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/base/text.h"
#include "vestige/models/layers.h"
#include "vestige/models/weights/pretrained.h"

namespace vestige::models {
namespace {

// Only operations that IEEE 754 rounds exactly, so that every machine draws the same bits.
torch::Tensor draw(const Start& start, const std::string& name, torch::IntArrayRef sizes,
                   std::uint64_t seed) {
  if (start.bound == 0) return torch::full(sizes, start.centre, torch::kFloat32);
  torch::Tensor values = torch::empty(sizes, torch::kFloat32);
  Stream stream(seed, "init/" + name);
  float* place = values.data_ptr<float>();
  for (float* const end = place + values.numel(); place != end; ++place) {
    *place = static_cast<float>(start.centre + start.bound * (2.0 * stream.uniform() - 1.0));
  }
  return values;
}

}  // namespace

void initialise(Network& network, std::int64_t copy, std::uint64_t seed) {
  assert(copy >= 0 && copy < network.copies());
  const torch::NoGradGuard no_gradient;
  for (const auto& module : network.named_modules("", false)) {
    const auto* layer = dynamic_cast<const Layer*>(module.value().get());
    if (layer == nullptr) continue;
    auto tensors = layer->named_parameters(false);
    for (const auto& buffer : layer->named_buffers(false)) {
      tensors.insert(buffer.key(), buffer.value());
    }
    for (const Start& start : layer->starts()) {
      torch::Tensor target = tensors[start.name].select(0, copy);
      target.copy_(draw(start, module.key() + "." + start.name, target.sizes(), seed));
    }
  }
  if (!network.weights().file.empty()) lay_over(network, copy);
}

void keep_channels_last(Network& network) {
  const torch::NoGradGuard no_gradient;
  for (torch::Tensor& parameter : network.parameters()) {
    if (parameter.dim() != 5) continue;
    const torch::Tensor all = parameter.detach().flatten(0, 1);
    if (network.copies() == 1 && all.size(1) == 1) {
      // A single channel lies as it must either way; its stride alone tells cuDNN which is meant,
      // and all that follows takes the form of what the first convolution gives.
      const std::int64_t height = all.size(2), width = all.size(3), each = height * width;
      parameter.set_data(
          all.contiguous().as_strided(parameter.sizes(), {all.size(0) * each, each, 1, width, 1}));
      continue;
    }
    parameter.set_data(all.contiguous(at::MemoryFormat::ChannelsLast)
                           .unflatten(0, {network.copies(), parameter.size(1)}));
  }
}

std::int64_t parameter_count(const Network& network) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : network.parameters()) count += parameter.numel();
  return count / network.copies();
}

void check_taps(const Network& network, const std::set<std::string>& wanted) {
  const std::vector<std::string> known = network.tap_names();
  for (const std::string& name : wanted) {
    require(std::find(known.begin(), known.end(), name) != known.end(),
            "the tap '{}' is not known: did you mean '{}'? This model has {}", name,
            nearest(name, known), fmt::join(known, ", "));
  }
}

torch::Tensor tap(Taps* taps, const std::string& name, const torch::Tensor& value) {
  if (taps != nullptr && taps->wanted.count(name) > 0) taps->values[name] = value;
  return value;
}

torch::Tensor tap_channels(Taps* taps, const std::string& name, const torch::Tensor& channels,
                           std::int64_t copies) {
  if (taps == nullptr || taps->wanted.count(name) == 0) return channels;
  const torch::Tensor images = to_images(channels, copies);
  taps->values[name] = images;
  return to_channels(images);
}

std::int64_t read_resize(Options& options, std::int64_t fallback) {
  const std::int64_t side = options.integer("resize", fallback);
  if (side < 0) options.wrong("resize", "it must not be negative");
  return side;
}

Shape resized(const Shape& shape, std::int64_t side) {
  if (side == 0 || shape.input.size() != 3) return shape;
  return {{shape.input[0], side, side}, shape.classes};
}

ImageShape image_shape(const Shape& shape, const std::string& architecture, std::int64_t least) {
  require(shape.input.size() == 3,
          "{} needs images of channels x height x width, the data have {} dimension(s) per row: "
          "choose the architecture mlp",
          architecture, shape.input.size());
  const ImageShape image{shape.input[0], shape.input[1], shape.input[2]};
  require(
      std::min(image.height, image.width) >= least,
      "{} needs images of at least {} x {} pixels, these have {} x {}: choose small_cnn or mlp, "
      "or larger images",
      architecture, least, least, image.height, image.width);
  return image;
}

}  // namespace vestige::models
