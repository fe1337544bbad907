// Probes as pool jobs: one per probe and model (original, retrained, unlearned). No LibTorch here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vestige/pool/job.h"
#include "vestige/pool/store.h"
#include "vestige/train/lab.h"
#include "vestige/unlearn/unlearning.h"

namespace vestige::unlearn {

/// A probe with its options settled: what an entry of a recipe's `probes` means.
struct ProbeChoice {
  std::string label;                   ///< its name in the evidence; the probe's unless given
  std::string name;                    ///< "relearn"
  Json options;                        ///< every option in force
  std::vector<std::int64_t> stages{};  ///< steps at which models are kept; empty: at the end
  std::int64_t shown = 0;              ///< forget rows that it trains on
  double images = 0;                   ///< rows seen by steps
};

/// One model of the experiment under one probe.
struct ProbePlan {
  ProbeChoice probe;
  std::string id;      ///< "original/0", "unlearned/finetune/0": the model before
  std::string before;  ///< its name in the pool
  Json model;          ///< architecture
  std::int64_t index = 0;
  std::vector<std::int64_t> shown{};  ///< forget rows that the probe trains on; ascending
  pool::Identity identity;
};

/// The file of a stage in the pool; 0: of the end.
std::string stage_file(std::int64_t steps);
/// "int8", or of a stage "relearn.8": the probe's name in the evidence.
std::string stage_label(const ProbeChoice& probe, std::int64_t steps);

/// The recipe's `probes` (names, or tables with name, label and options), or those of `only`
/// (names, or labels of the recipe). Unknown ones are InputErrors with the nearest known one.
std::vector<ProbeChoice> chosen_probes(const train::Recipe& recipe,
                                       const std::vector<std::string>& only);

/// Every probe on every original, retrained and unlearned model.
std::vector<ProbePlan> plan_probes(const train::Lab& lab,
                                   const std::vector<train::ModelPlan>& models,
                                   const std::vector<UnlearnPlan>& unlearned,
                                   const std::vector<ProbeChoice>& probes);

/// Jobs that need their models in the store.
std::vector<pool::Job> probing_jobs(std::shared_ptr<const train::Lab> lab,
                                    const std::vector<ProbePlan>& plans,
                                    std::shared_ptr<pool::Store> store);

/// Every probe with its options and their defaults, for people.
std::string probes_text();

}  // namespace vestige::unlearn
