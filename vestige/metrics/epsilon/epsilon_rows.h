// What the rows of the epsilon family share: settings, the confidences of both pools, and notes.
#pragma once

#include <string>
#include <string_view>

#include "vestige/base/matrix.h"
#include "vestige/metrics/epsilon/epsilon.h"
#include "vestige/metrics/epsilon/epsilon_score.h"
#include "vestige/metrics/epsilon/epsilon_setups.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {

// ln(63) = 4.1: nine of the fourteen bins of the competition (N = 512) can then be seen.
inline constexpr std::size_t kEnoughEpsilonModels = 64;

struct EpsilonSettings {
  EpsilonMode mode = EpsilonMode::exact;
  std::string setup;  // empty: as the evidence suggests
  SetupSize size;
  EpsilonOptions epsilon;
  PointsOptions points;
  std::size_t evaluation_models = 0;  // N-eval of the split-KDE form; 0: all of the half
};

// One comparison with its confidences, [models, forget rows].
struct EpsilonPools {
  const Comparison& comparison;
  const Request& request;
  EpsilonSettings settings;
  Matrix candidate;
  Matrix retrained;

  /// A row with the parameters that all rows carry; `models` is N.
  Row row(std::string_view id, std::size_t models) const;
};

/// What so few models cannot show; empty if they suffice.
Reason few_models(std::size_t models);
/// Adds it to the notes of the row.
void note_few_models(Row& row, std::size_t models);

/// Fills lower, upper and the interval's kind; nothing where the estimate has no interval.
void set_interval(Row& row, const Estimate& estimate, const Reason& kind);

/// F and final score over experiments: in the setup that was asked for, else in the one that the
/// pairing of unlearned and original models shows.
void add_setup_rows(const EpsilonPools& pools, Measurements& out);

}  // namespace vestige::metrics
