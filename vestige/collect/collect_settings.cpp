// [collect] of a recipe.
#include "vestige/base/options.h"
#include "vestige/collect/collect.h"

namespace vestige::collect {

CollectSettings read_collect(const train::Recipe& recipe) {
  Options options = recipe.section("collect");
  CollectSettings settings;
  settings.out = options.text("out", settings.out.string());
  settings.splits = options.texts("splits", {});
  settings.rows = options.integer("rows", 0);
  if (settings.rows < 0) options.wrong("rows", "it must not be negative");
  settings.taps = options.texts("taps", {});
  settings.saliency = options.choice("saliency", "none", {"none", "gradient", "grad_cam"});
  settings.grad_cam_tap = options.text("grad_cam_tap", "");
  settings.dtype = options.choice("dtype", "float32", {"float32", "float16"});
  settings.checkpoints = options.boolean("checkpoints", false);
  settings.pictures = options.boolean("pictures", false);
  settings.noise_level = options.number("noise_level", settings.noise_level);
  if (!(settings.noise_level > 0)) options.wrong("noise_level", "it must be above 0");
  settings.noise_draws = options.integer("noise_draws", settings.noise_draws);
  if (settings.noise_draws < 1) options.wrong("noise_draws", "at least one level is needed");
  settings.samples = options.integer("samples", 0);
  if (settings.samples < 0) options.wrong("samples", "it must not be negative");
  options.finish();
  if (settings.saliency == "grad_cam" && settings.grad_cam_tap.empty()) {
    options.wrong(
        "grad_cam_tap",
        "Grad-CAM needs it: name a tap (vestige models --taps NAME lists an architecture's)");
  }
  return settings;
}

}  // namespace vestige::collect
