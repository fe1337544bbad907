// An erase phase with random labels and a repair phase.
#include "vestige/unlearn/parts/random_label_phases.h"

#include "vestige/unlearn/parts/relabel.h"
#include "vestige/unlearn/parts/rounds.h"

namespace vestige::unlearn {

Json random_label_femnist() {
  return {{"epochs", 2}, {"rate", 0.001}, {"repair_epochs", 2}, {"repair_rate", 0.001}};
}

Json random_label_conformal() {
  return {{"epochs", 10},      {"rate", 0.1},          {"batch", 64},
          {"weight_decay", 0}, {"schedule", "cosine"}, {"alternate", true}};
}

Json random_label_conformal_vit() {
  Json values = random_label_conformal();
  values["epochs"] = 5;
  values["rate"] = 0.001;
  return values;
}

// The SDE paper states nothing: the commands that SalUn's published code gives for CIFAR-10.
Json random_label_sde() {
  return {{"epochs", 10}, {"rate", 0.1}, {"batch", 256}, {"alternate", true}};
}

std::vector<MethodPreset> random_label_presets() {
  return {{"casia_surf", {{"epochs", 2}, {"rate", 5e-4}, {"repair_epochs", 1}}},
          {"femnist", random_label_femnist()},
          {"conformal", random_label_conformal()},
          {"conformal_vit", random_label_conformal_vit()},
          {"sde", random_label_sde()}};
}

RandomLabelPlan read_random_label(Options& options) {
  RandomLabelPlan plan;
  plan.erase = read_phase(options, {.epochs = 2, .rate = 5e-4});
  plan.alternate = options.boolean("alternate", false);
  plan.repair_epochs = options.number("repair_epochs", plan.alternate ? 0 : 1);
  if (!(plan.repair_epochs >= 0)) options.wrong("repair_epochs", "it must not be negative");
  plan.repair_rate = options.number("repair_rate", plan.erase.optimizer.rate);
  if (!(plan.repair_rate >= 0)) options.wrong("repair_rate", "it must not be negative");
  return plan;
}

train::Cost run_random_label(Problem& problem, const RandomLabelPlan& plan,
                             const std::function<void(train::Phase&)>& adjust,
                             const train::Rows* retain) {
  const train::Rows& kept = retain != nullptr ? *retain : problem.retain;
  const auto run = [&](const train::Rows& rows, train::Phase phase) {
    if (adjust) adjust(phase);
    return train::run_phase(problem.network, problem.samples, rows, problem.seed, phase,
                            problem.watch);
  };
  train::Cost cost;
  for (std::int64_t round = 0; round < rounds(plan.erase); ++round) {
    Stream stream(problem.seed, "random_label", static_cast<std::uint64_t>(round));
    train::Phase erase = round_of(plan.erase, round, "erase");
    erase.objective =
        cross_entropy_with(random_labels(problem.samples, problem.forget, LabelDraw::any, stream));
    cost += run(problem.forget, erase);
    if (plan.alternate) cost += run(kept, round_of(plan.erase, round, "retain"));
  }
  if (plan.repair_epochs > 0) {
    train::Phase repair = plan.erase;
    repair.epochs = plan.repair_epochs;
    repair.optimizer.rate = plan.repair_rate;
    repair.purpose = "repair";
    cost += run(kept, repair);
  }
  return cost;
}

}  // namespace vestige::unlearn
