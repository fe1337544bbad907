// Augmentation with one set of draws per image.
#include "vestige/train/batches/augment.h"

#include <cmath>
#include <numbers>

#include "vestige/base/error.h"

namespace vestige::train {
namespace {

/// One image's draws.
struct Draw {
  std::int64_t down = 0, right = 0;  ///< shift of the crop, in pixels
  bool flip = false;
  double angle = 0, shear = 0;  ///< radians
  double scale = 1;
  double brightness = 1, contrast = 1, saturation = 1;
};

Draw draw(const AugmentSettings& settings, Stream& stream) {
  const auto between = [&](double low, double high) {
    return low + (high - low) * stream.uniform();
  };
  const auto shift = [&] {
    return static_cast<std::int64_t>(
               stream.below(static_cast<std::uint64_t>(2 * settings.crop + 1))) -
           settings.crop;
  };
  constexpr double kRadians = std::numbers::pi / 180;
  Draw result;
  if (settings.crop > 0) {
    result.down = shift();
    result.right = shift();
  }
  if (settings.flip) result.flip = stream.uniform() < 0.5;
  if (settings.rotation > 0)
    result.angle = kRadians * between(-settings.rotation, settings.rotation);
  if (settings.shear > 0) result.shear = kRadians * between(-settings.shear, settings.shear);
  result.scale = between(settings.scale_low, settings.scale_high);
  if (settings.jitter > 0) {
    result.brightness = between(1 - settings.jitter, 1 + settings.jitter);
    result.contrast = between(1 - settings.jitter, 1 + settings.jitter);
    result.saturation = between(1 - settings.jitter, 1 + settings.jitter);
  }
  return result;
}

/// The 2 x 3 matrix that maps output to input coordinates in [-1, 1] (affine_grid's convention).
void fill_transform(const Draw& draw, double height, double width, float* matrix) {
  const double flip = draw.flip ? -1 : 1;
  const double cosine = std::cos(draw.angle), sine = std::sin(draw.angle);
  const double slant = std::tan(draw.shear);
  // Input = shift + rotation * shear / scale * (flipped output).
  matrix[0] = static_cast<float>(flip * cosine / draw.scale);
  matrix[1] = static_cast<float>((cosine * slant - sine) / draw.scale);
  matrix[2] = static_cast<float>(2 * static_cast<double>(draw.right) / width);
  matrix[3] = static_cast<float>(flip * sine / draw.scale);
  matrix[4] = static_cast<float>((sine * slant + cosine) / draw.scale);
  matrix[5] = static_cast<float>(2 * static_cast<double>(draw.down) / height);
}

torch::Tensor column(const std::vector<Draw>& draws, double Draw::*member,
                     const torch::Tensor& like) {
  std::vector<float> values;
  for (const Draw& each : draws) values.push_back(static_cast<float>(each.*member));
  return torch::tensor(values).view({-1, 1, 1, 1}).to(like.device());
}

/// Brightness scales, contrast mixes with the image's mean, saturation with the pixel's mean over
/// channels; on normalised values, where 0 is the data set's mean.
torch::Tensor jittered(torch::Tensor images, const std::vector<Draw>& draws) {
  images = images * column(draws, &Draw::brightness, images);
  const torch::Tensor contrast = column(draws, &Draw::contrast, images);
  images = images * contrast + images.mean({1, 2, 3}, true) * (1 - contrast);
  if (images.size(1) == 1) return images;
  const torch::Tensor saturation = column(draws, &Draw::saturation, images);
  return images * saturation + images.mean({1}, true) * (1 - saturation);
}

}  // namespace

void augment(Batch& batch, const AugmentSettings& settings, const std::vector<std::uint64_t>& seeds,
             std::uint64_t step) {
  require(batch.inputs.dim() == 5,
          "crop, flip and the like need images, not a table: remove them from [train]");
  const std::int64_t copies = batch.inputs.size(0), count = batch.inputs.size(1);
  const std::int64_t height = batch.inputs.size(3), width = batch.inputs.size(4);
  std::vector<Draw> draws;
  for (const std::uint64_t seed : seeds) {
    Stream stream(seed, "augment", step);
    for (std::int64_t index = 0; index < count; ++index) draws.push_back(draw(settings, stream));
  }
  torch::Tensor images =
      batch.inputs.reshape({copies * count, batch.inputs.size(2), height, width});
  torch::Tensor matrices = torch::empty({copies * count, 2, 3});
  for (std::size_t index = 0; index < draws.size(); ++index) {
    fill_transform(draws[index], static_cast<double>(height), static_cast<double>(width),
                   matrices.data_ptr<float>() + 6 * index);
  }
  const torch::Tensor grid =
      torch::affine_grid_generator(matrices.to(images.device()), images.sizes(), false);
  // Whole-pixel shifts and flips hit pixel centres, so bilinear sampling leaves them exact up to
  // rounding. 0: bilinear; 0: zeros outside.
  images = torch::grid_sampler(images, grid, 0, 0, false);
  if (settings.jitter > 0) images = jittered(images, draws);
  batch.inputs = images.view(batch.inputs.sizes());
}

}  // namespace vestige::train
