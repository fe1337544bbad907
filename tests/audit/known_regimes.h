// The sets of models with known answers that error rates are measured on (docs/validation).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/audit/known_models.h"

namespace vestige::audit {

struct Regime {
  std::string name;  ///< as the table calls it
  std::string file;
  std::function<void(KnownModels&)> change = [](KnownModels&) {};

  std::unique_ptr<KnownModels> load() const {
    auto models = std::make_unique<KnownModels>(file);
    change(*models);
    return models;
  }
};

inline std::vector<Regime> regimes() {
  const auto persons = [](std::int64_t first, std::int64_t last) {
    return [first, last](KnownModels& models) { models.unseen_persons = std::pair(first, last); };
  };
  const auto losses = [](KnownModels& models) { models.losses_alone = true; };
  const auto few = [](KnownModels& models) { models.forget_rows = 25; };
  return {
      {"random, CNN", "known.npz"},
      {"random, tanh MLP", "known_other.npz"},
      {"random, losses only", "known_other.npz", losses},
      {"random, noisy table", "known_table.npz"},
      {"random, batch norm", "known_norm.npz"},
      {"random, strong augmentation", "known_augmented.npz"},
      {"random, 25 examples", "known_few.npz"},
      {"25 of 900 examples", "known.npz", few},
      {"hardest, CNN", "known_hardest.npz"},
      {"hardest, short training", "known_hardest_early.npz"},
      {"hardest, tanh MLP", "known_hardest_mlp.npz"},
      {"hardest, batch norm", "known_hardest_norm.npz"},
      {"hardest, 25 examples", "known_few_hardest.npz"},
      {"label noise, CNN", "known_noise.npz"},
      {"label noise, short training", "known_noise_early.npz"},
      {"label noise, tanh MLP", "known_noise_mlp.npz"},
      {"label noise, confused classes", "known_noise_pairs.npz"},
      {"rare subgroup, CNN", "known_subgroup.npz"},
      {"rare subgroup, short training", "known_subgroup_early.npz"},
      {"long tail", "known_tail.npz"},
      {"near-duplicates, CNN", "known_duplicates.npz"},
      {"near-duplicates, tanh MLP", "known_duplicates_mlp.npz"},
      {"a class", "known_class.npz", [](KnownModels& models) { models.forget_rows = 200; }},
      {"people", "known_people.npz", persons(10, 49)},
      {"people, strangers as unseen", "known_people.npz", persons(50, 65)},
  };
}

}  // namespace vestige::audit
