// Which models of the pool go into the evidence, where, and what of them. No LibTorch here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/pool/store.h"
#include "vestige/train/lab.h"
#include "vestige/unlearn/probing.h"
#include "vestige/unlearn/unlearning.h"

namespace vestige::collect {

/// What one evidence model is: a file of a pool entry under a role and a name.
struct ModelSource {
  std::string place;  ///< "original/0", "unlearned/finetune/3", "checkpoint/original.0.5/0"
  std::string entry;  ///< name in the pool
  std::string file = "model.safetensors";
  Json model;  ///< architecture
  /// Splits that it is asked about; empty: all that are collected.
  std::vector<std::string> splits = {};
  /// Not empty: only what it says of the calibration rows, under this name, into `place`.
  std::string calibration = {};
  /// Splits of which it says on which rows it was trained, which are `rows`: forget and retain of
  /// role membership, forget of graded retrains and of models that a probe shows some to, canary of
  /// originals.
  std::vector<std::string> members = {};
  std::string shadow = {};  ///< role shadow: its name; `rows` likewise
  /// Shadow pairs: rows that the shadow model of this name left out, and rows that it has, under
  /// shadow_forget and shadow_retain.
  std::string pair = {};
  std::vector<std::int64_t> left_out = {};
  std::vector<std::int64_t> rows = {};  ///< ascending; of models with fixed batches too
  std::int64_t fixed_batch = 0;         ///< rows of a batch whose members never change; 0: drawn
  std::uint64_t seed = 0;               ///< of those batches
  bool inner = true;                    ///< taps and saliency too
  bool only_pair = false;               ///< asked about the pair's rows and nothing else
  bool maps = false;                    ///< first of its role or method: gets Grad-CAM maps

  bool says_members(const std::string& split) const {
    return std::find(members.begin(), members.end(), split) != members.end();
  }
};

/// Every model of the recipe that belongs into the evidence. Models at fractions of training are
/// checkpoint/<role>.<fraction>/<name>, so that nothing takes them for finished ones; probed models
/// are asked about forget and test rows only. Originals say which of the canaries they were trained
/// on, where there are any.
std::vector<ModelSource> sources_of(const std::vector<train::ModelPlan>& models,
                                    const std::vector<unlearn::UnlearnPlan>& unlearned,
                                    const std::vector<unlearn::ProbePlan>& probed, bool checkpoints,
                                    const std::vector<std::int64_t>& canaries = {});

/// evidence.toml: what the arrays cannot say.
std::string settings_text(const train::Lab& lab, const std::vector<train::ModelPlan>& models,
                          const std::vector<unlearn::UnlearnPlan>& unlearned,
                          const pool::Store& store);

}  // namespace vestige::collect
