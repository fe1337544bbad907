// From models in the pool to an evidence folder that `vestige audit` reads. No LibTorch here.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vestige/pool/store.h"
#include "vestige/train/lab.h"
#include "vestige/unlearn/probing.h"
#include "vestige/unlearn/unlearning.h"

namespace vestige::collect {

/// [collect] of a recipe.
struct CollectSettings {
  std::filesystem::path out = "evidence";
  std::vector<std::string> splits;  ///< default: every part of the split that has rows
  std::int64_t rows = 0;            ///< most rows of each split, drawn at random; 0: all
  std::vector<std::string> taps;    ///< activations to keep besides the logits
  std::string saliency = "none";    ///< none, gradient, or grad_cam
  std::string grad_cam_tap;         ///< of grad_cam: a tap with channels, height and width
  std::string dtype = "float32";    ///< float32 or float16
  bool checkpoints = false;         ///< also models at the fractions that training kept
  bool own_shadow_rows = false;     ///< what each shadow says of its own rows, where they differ
  double noise_level = 0.3;         ///< of denoisers: sigma at which activations are read
  std::int64_t noise_draws = 8;     ///< of denoisers: levels that a row's loss is averaged over
  std::int64_t samples = 0;         ///< of denoisers: pictures that each model makes by itself
  bool pictures = false;  ///< the forget images, and Grad-CAM maps of a few models on them
  /// Hash of the program whose folders are taken as they are; empty: of any with the same code
  /// version.
  std::string program;
};

CollectSettings read_collect(const train::Recipe& recipe);

struct CollectSummary {
  std::size_t models = 0;
  std::size_t missing = 0;            ///< of the recipe's models that the pool lacks
  std::vector<std::string> broken{};  ///< left out, because what they say is not finite
  bool reused = false;                ///< `out` held the very same already; nothing was written
  std::filesystem::path out;
};

/// Writes the whole folder beside `out` and renames it; `out` must not exist unless `force`, but
/// for a folder that was made of the very same models, rows and settings: it is left as it is, and
/// the summary says so. Models that the pool lacks are left out with a warning, and so are models
/// that diverged and say NaN or infinity; none at all is an InputError.
CollectSummary collect(std::shared_ptr<const train::Lab> lab,
                       const std::vector<train::ModelPlan>& models,
                       const std::vector<unlearn::UnlearnPlan>& unlearned, pool::Store& store,
                       const CollectSettings& settings, bool force,
                       const std::vector<unlearn::ProbePlan>& probed = {});

}  // namespace vestige::collect
