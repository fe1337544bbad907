// The table of docs/lab/gpu.md, `train_bench --benchmark_filter=cuda` on one H200.
#include "vestige/experiment/estimates/measured_rates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "vestige/base/error.h"

namespace vestige::experiment {
namespace {

struct Measured {
  const char* model;
  const char* precision;
  std::int64_t copies;
  double pixels;  ///< of an image in the measurement
  double images_per_second;
};

constexpr double kFashion = 28 * 28;
constexpr double kColour = 32 * 32;
/// Channels of the small_cnn that was measured: its default.
constexpr std::int64_t kWidth = 16;

/// The U-Net that was measured, that of recipes/diffusion.toml at gpu size, and no other.
bool measured_unet(const Json& model) {
  return model.value("width", 0) == 32 && model.value("depth", 0) == 2 &&
         model.value("multipliers", Json()) == Json({1, 2, 4});
}

/// The largest number of copies first.
constexpr std::array<Measured, 12> kTable = {{
    {"small_cnn", "float32", 64, kFashion, 1030e3},
    {"small_cnn", "tf32", 64, kFashion, 1273e3},
    {"small_cnn", "bf16", 64, kFashion, 1467e3},
    {"small_cnn", "float32", 1, kFashion, 312e3},
    {"small_cnn", "tf32", 1, kFashion, 393e3},
    {"small_cnn", "bf16", 1, kFashion, 367e3},
    {"resnet18", "float32", 1, kColour, 8.5e3},
    {"resnet18", "tf32", 1, kColour, 28.1e3},
    {"resnet18", "bf16", 1, kColour, 41.3e3},
    {"unet", "float32", 1, kColour, 5405},
    {"unet", "tf32", 1, kColour, 8095},
    {"unet", "bf16", 1, kColour, 8734},
}};

double rate_of(const Variant& variant, const train::ModelPlan& model, const std::string& precision,
               std::int64_t copies) {
  const double rate = measured_rate(model.model, variant.lab->data.shape, precision, copies);
  require(rate > 0,
          "there is no CUDA device here, and how fast an {} trains {} on {} was not measured: plan "
          "where there is a device, or for this processor with --device cpu{}",
          kMeasuredDevice, model.model.at("name").get<std::string>(), variant.lab->data.name,
          model.train.precision == "float32" ? "" : " --set train.precision=float32");
  return rate;
}

const train::ModelPlan& first_model(const Variant& variant) {
  require(!variant.models.empty(), "variant {} has no models: give [pool] original 1 or more",
          variant.plan.name);
  return variant.models.front();
}

}  // namespace

double measured_rate(const Json& model, const std::vector<std::int64_t>& shape,
                     const std::string& precision, std::int64_t copies) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const bool known =
      model.at("name") == "unet" ? measured_unet(model) : model.value("width", kWidth) <= kWidth;
  if (shape.size() != 3 || !known) return none;
  const double resized = model.value("resize", 0.0);
  const double pixels = resized > 0 ? resized * resized : static_cast<double>(shape[1] * shape[2]);
  for (const Measured& row : kTable) {
    if (model.at("name") != row.model || precision != row.precision || copies < row.copies) {
      continue;
    }
    return row.images_per_second * row.pixels / pixels;
  }
  return none;
}

Rate rated_training(const Variant& variant, const train::ModelPlan& model) {
  return {0, 1 / rate_of(variant, model, model.train.precision, model.copies)};
}

Rate rated_method(const Variant& variant, const unlearn::UnlearnPlan& method) {
  const train::ModelPlan& model = first_model(variant);
  const double rate = rate_of(variant, model, model.train.precision, 1);
  const Rate images = count_images(variant, method);
  return {images.fixed / rate, images.per_row / rate};
}

Rate rated_collecting(const Variant& variant) {
  // Outputs are collected in float32, whatever the model was trained in.
  return looking_rate(variant, kLook / rate_of(variant, first_model(variant), "float32", 1));
}

}  // namespace vestige::experiment
