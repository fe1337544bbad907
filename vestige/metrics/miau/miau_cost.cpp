// What the attacks on all models will hold and take: counted steps times what a step takes.
#include <algorithm>
#include <utility>

#include "vestige/metrics/inputs/held_rows.h"
#include "vestige/metrics/miau/miau_attacks.h"
#include "vestige/metrics/miau/miau_family.h"
#include "vestige/metrics/miau/miau_options.h"

namespace vestige::metrics {
namespace {

/// Nanoseconds of one core (docs/performance.md).
constexpr double kPass = 1.1;        // logistic: a number of the rows in a step
constexpr double kCurvature = 0.25;  // ... a row, for each pair of features
constexpr double kFactor = 0.1;      // ... features cubed
constexpr double kKernel = 0.5;      // SVC: a number of the rows, for each row
constexpr double kTrees = 150;       // boosted trees: a number of the rows, 100 rounds
constexpr double kSteps = 20;        // of a logistic fit near another one
constexpr double kFirstSteps = 30;   // ... of the first one
constexpr double kWideRows = 16;     // rows per feature behind a curvature

double fit_nanoseconds(double rows, double columns, double seeds, AttackClassifier classifier) {
  switch (classifier) {
    case AttackClassifier::logistic: {
      const double thin = std::min(rows, kWideRows * (columns + 1));
      return (seeds * kSteps + kFirstSteps) * rows * columns * kPass +
             thin * columns * columns * kCurvature + columns * columns * columns * kFactor;
    }
    case AttackClassifier::svc_rbf:
      return seeds * rows * rows * columns * kKernel;
    case AttackClassifier::xgboost:
      return seeds * rows * columns * kTrees;
  }
  return 0;
}

/// Rows of a side at most, by task.
std::array<std::size_t, 4> side_rows(const evidence::Model& model, const MiauSettings& settings) {
  const auto& arrays =
      settings.features == AttackFeatures::saliency ? model.saliency : model.outputs;
  const auto rows = [&](const char* split) {
    const auto found = arrays.find(split);
    return found == arrays.end() ? 0 : found->second.rows();
  };
  const std::size_t forget = rows("forget"), retain = rows("retain"), test = rows("test");
  return {std::min(forget, retain), std::min(forget, test), std::min(retain, test),
          retain == 0 ? 0 : std::min(forget + retain, test)};
}

bool is_attacked(const evidence::Group& group) {
  return group.role == "original" || group.role == "retrained" || group.role == "unlearned" ||
         group.role == "partial";
}

}  // namespace

Reason miau_too_large(const evidence::Evidence& evidence, const Json& options,
                      const Context& context) {
  const MiauSettings settings = miau_settings({.seed = 1, .options = options});
  HeldFeatures most;
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      const HeldFeatures held = held_features(model, settings);
      if (held.rows * held.columns > most.rows * most.columns) most = held;
    }
  }
  Reason why =
      beyond_memory(context, settings.features == AttackFeatures::saliency ? "saliency" : "outputs",
                    most.rows, most.columns);
  // Four splits' worth of rows, and as many training rows.
  const std::size_t fits = rows_within_memory(context, most.columns) / 5;
  if (why.empty() || fits == 0) return why;
  return reason(Code::miau_exceeds_memory, fits, std::move(why));
}

std::optional<Cost> miau_cost(const evidence::Evidence& evidence, const Json& options) {
  const MiauSettings settings = miau_settings({.seed = 1, .options = options});
  std::size_t limit = row_limit(settings.classifier);
  if (settings.rows > 0) limit = limit > 0 ? std::min(limit, settings.rows) : settings.rows;
  double nanoseconds = 0;
  std::size_t models = 0, most = 0, columns = 0;
  Cost cost;
  for (const evidence::Group& group : evidence.groups) {
    if (!is_attacked(group)) continue;
    const bool judged = group.role == "original" || group.role == "retrained";
    const auto seeds = static_cast<double>(judged ? settings.judged() : settings.seeds);
    for (const evidence::Model& model : group.models) {
      ++models;
      const std::size_t wide = settings.features == AttackFeatures::true_class
                                   ? 4
                                   : held_features(model, settings).columns;
      columns = std::max(columns, wide);
      for (std::size_t rows : side_rows(model, settings)) {
        cost.rows = std::max(cost.rows, rows);
        if (limit > 0) rows = std::min(rows, limit);
        most = std::max(most, rows);
        nanoseconds += fit_nanoseconds(1.6 * static_cast<double>(rows), static_cast<double>(wide),
                                       seeds, settings.classifier);
      }
    }
  }
  if (models == 0) return std::nullopt;
  cost.fewest = settings.classifier == AttackClassifier::xgboost ? 0 : columns;
  cost.seconds = 1e-9 * nanoseconds;
  cost.work = reason(Code::work_of_attacks, kPairTasks.size() * settings.seeds,
                     name(settings.classifier), models, 2 * most, columns);
  return cost;
}

}  // namespace vestige::metrics
