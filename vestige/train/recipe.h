// A recipe: a TOML file that says which data, split, architecture, training, models and methods an
// experiment needs. Reading it checks everything that can be checked without data. No LibTorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "vestige/base/options.h"
#include "vestige/data/canaries.h"
#include "vestige/train/settings.h"

namespace vestige::train {

/// How many models of each role; [pool] in the recipe.
struct PoolSettings {
  std::filesystem::path folder = "pool";  ///< relative to the working directory
  std::int64_t original = 1;
  std::int64_t retrained = 1;
  std::int64_t shadow = 0;
  std::int64_t random = 0;                            ///< untrained
  std::int64_t partial = 0;                           ///< of each share in `partial_shares`
  std::vector<double> partial_shares = {25, 50, 75};  ///< per cent of forget that is removed
  std::string partial_by = "rows";   ///< shares of all of forget, or of each class or subclass
  std::int64_t membership = 0;       ///< trained on a random half each (IAM's D.4)
  bool membership_pairs = false;     ///< every second one has the other half of the one before it
  std::int64_t verification = 0;     ///< trained on a part of retain each (stand-ins for retrained)
  double verification_share = 0.15;  ///< of retain
  std::int64_t graded = 0;           ///< shadows trained on with train's rows (IAM's ScoreUI)
  bool shadow_pairs = false;         ///< one more, on the whole shadow part: before (UnLeak)
  bool calibration_shadow = false;   ///< conformal paper's D.5: see docs/lab/recipes.md
  bool calibration_semi_shadow = false;  ///< likewise, without training the rows in first
};

/// Shadow models: [shadow], which takes every key of [train] and [model] besides its own.
struct ShadowSettings {
  std::int64_t rows = 0;  ///< drawn from the split's shadow part; 0: all of it, or as many as train
  TrainSettings train;
  Json train_used;
  Json model;
  Json data;   ///< another data set, as [data] names one, in place of the shadow part; null: none
  Json shift;  ///< how the shadow part's images are changed ({"kind": "noise", ...}); null: not
};

/// [graded]: shadow models that go on training on train, which takes them from OUT to IN. Takes
/// every key of [train] besides `steps`.
struct GradedSettings {
  std::int64_t steps = 20;  ///< checkpoints, the last of which is the finished model
  TrainSettings train;
  Json train_used;
};

/// [dynamic]: a training set that grew: models are trained on train, and then go on with the new
/// rows added. Takes every key of [train], for the second stretch, besides its own.
struct DynamicSettings {
  std::int64_t rows = 0;  ///< that are added; 0: the training set did not grow
  Json data;              ///< where they come from, as in [shadow]; null: the data set itself
  Json shift;             ///< likewise
  TrainSettings train;
  Json train_used;
};

/// [features]: a classifier of the training rows whose penultimate outputs judge the samples of
/// generative models. Takes every key of [train] besides `model`.
struct FeatureSettings {
  bool wanted = false;  ///< the recipe has the section
  TrainSettings train;
  Json train_used;
  Json model;  ///< default: small_cnn
};

struct Recipe {
  std::filesystem::path path;
  Json table;  ///< as read, after --set
  std::string name;
  std::uint64_t seed = 0;
  TrainSettings train;
  Json train_used;  ///< [train] with every default filled in, without what does not shape a model
  Json model;       ///< [model] as given
  PoolSettings pool;
  ShadowSettings shadow;
  GradedSettings graded;
  DynamicSettings dynamic;
  data::CanarySettings canaries;
  FeatureSettings features;

  /// One of the sections that other parts read: data, split, forget, methods, collect.
  Options section(const std::string& key) const;
};

/// Reads and checks a recipe; `settings` are "train.epochs=5" and the like, applied on top.
Recipe read_recipe(const std::filesystem::path& path, const std::vector<std::string>& settings);

/// The same from a table that is already there.
Recipe make_recipe(Json table, const std::filesystem::path& path);

}  // namespace vestige::train
