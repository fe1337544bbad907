// The gap of shadow models between forget and test rows.
#include "vestige/audit/shadow_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vestige/audit/differences.h"
#include "vestige/metrics/inputs/row_signals.h"

namespace vestige::audit {
namespace {

/// Below this the gap is no chance.
constexpr double kNoDraw = 0.05;

struct SignalOfModels {
  std::string_view name;
  std::vector<std::vector<double>> target, unseen;  ///< [models][rows]
};

/// The first signal of all models that have it; no models where none speaks.
SignalOfModels first_signal(const evidence::Evidence& evidence, const evidence::Group& group,
                            const metrics::RowSets& sets) {
  SignalOfModels all;
  for (const evidence::Model& model : group.models) {
    if (!metrics::can_speak(model)) continue;
    const auto forget = metrics::row_signals(evidence, model, "forget");
    const auto test = metrics::row_signals(evidence, model, "test");
    if (forget.empty() || test.empty() || forget.front().values.size() != sets.forget) continue;
    all.name = forget.front().name;
    all.target.push_back(forget.front().values);
    auto& unseen = all.unseen.emplace_back();
    for (const std::size_t row : sets.unseen) unseen.push_back(test.front().values.at(row));
  }
  return all;
}

Matrix matrix_of(const std::vector<std::vector<double>>& rows) {
  Matrix made(rows.size(), rows.front().size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::copy(rows[row].begin(), rows[row].end(), made.row(row).begin());
  }
  return made;
}

}  // namespace

std::string shadow_check(const evidence::Evidence& evidence) {
  const evidence::Group* shadows = evidence.find("shadow");
  const metrics::RowSets sets = metrics::speaking_rows(evidence);
  if (shadows == nullptr || sets.empty() || !sets.target_test.empty()) return {};
  const SignalOfModels signal = first_signal(evidence, *shadows, sets);
  if (signal.target.empty()) return {};
  const Difference gap = unseen_gap(
      metrics::contrast(matrix_of(signal.target), matrix_of(signal.unseen), sets.strata));
  if (std::isnan(gap.p)) return {};
  return fmt::format(
      " {} shadow model{}, which saw none of them, know{} forget rows better than test rows by "
      "{:.3f} in {} (95 % {:.3f} to {:.3f}): {}.",
      signal.target.size(), signal.target.size() == 1 ? "" : "s",
      signal.target.size() == 1 ? "s" : "", gap.estimate, signal.name, gap.lower, gap.upper,
      gap.p < kNoDraw ? "forget rows are no random draw, and the words above may be due to that"
                      : "nothing speaks against a random draw");
}

}  // namespace vestige::audit
