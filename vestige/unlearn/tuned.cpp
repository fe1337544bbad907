// The better of a handful of settings per method, aimed at a fifth of retraining's time; which ones
// reach it, and what they achieve on a split they were not tuned on: docs/methods/README.md.
#include "vestige/unlearn/tuned.h"

namespace vestige::unlearn {

const std::vector<TunedPreset>& tuned_presets() {
  // Most of them share one thing: a rate that is high enough to leave the original's minimum and is
  // brought down to 0 again, without weight decay, which would cost the retained rows their scores.
  const auto repaired = [](double epochs, double rate, Json more = Json::object()) {
    Json values = {{"epochs", epochs}, {"rate", rate}, {"schedule", "cosine"}, {"weight_decay", 0}};
    for (const auto& [key, value] : more.items()) values[key] = value;
    return values;
  };
  static const std::vector<TunedPreset> kTuned = {
      {"finetune", {"fashion", repaired(5.5, 0.05)}},
      {"l1_sparse", {"fashion", repaired(5.5, 0.05)}},
      {"neggrad_plus", {"fashion", repaired(2.8, 0.05, {{"a", 0.85}})}},
      {"random_label",
       {"fashion", repaired(1, 0.002, {{"repair_epochs", 5}, {"repair_rate", 0.05}})}},
      {"salun",
       {"fashion",
        repaired(2, 0.002, {{"repair_epochs", 5}, {"repair_rate", 0.05}, {"fraction", 0.3}})}},
      {"scrub",
       {"fashion",
        {{"epochs", 3},
         {"max_steps", 2},
         {"optimizer", "adam"},
         {"rate", 0.0005},
         {"weight_decay", 0}}}},
      {"sfron", {"fashion", repaired(3.3, 0.05, {{"forget_every", 2}, {"forget_weight", 150}})}},
      {"conformal_finetune", {"fashion", repaired(2.7, 0.05, {{"batch", 128}, {"lambda", 0.2}})}},
      {"cw", {"fashion", repaired(2.7, 0.03, {{"batch", 128}})}},
      {"kookmin", {"fashion", repaired(5, 0.05, {{"kept_scale", 1}, {"batch", 128}})}},
      {"seif", {"fashion", repaired(5, 0.3, {{"noise", 0.05}, {"batch", 128}})}},
      {"sebastian", {"fashion", repaired(3.7, 0.05, {{"share", 0.9}, {"batch", 128}})}},
      {"amnesiacs", {"fashion", {{"epochs", 3.7}, {"rate", 0.03}, {"batch", 128}}}},
      {"fanchuan",
       {"fashion",
        {{"rounds", 3},
         {"rate", 0.05},
         {"uniform_rate", 0.001},
         {"weight_decay", 0},
         {"batch", 128}}}},
      {"sun",
       {"fashion",
        repaired(4, 0.02, {{"noised_epochs", 1}, {"noised_rate", 0.005}, {"batch", 128}})}},
  };
  return kTuned;
}

}  // namespace vestige::unlearn
