// The gap of shadow models between forget and test rows.
#include "vestige/audit/verdicts/shadow_check.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "vestige/audit/verdicts/differences.h"
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
SignalOfModels first_signal(const Context& context, const evidence::Evidence& evidence,
                            const evidence::Group& group, const metrics::RowSets& sets) {
  SignalOfModels all;
  for (const evidence::Model& model : group.models) {
    if (!metrics::can_speak(model)) continue;
    const auto forget = metrics::row_signals(context, evidence, model, "forget");
    const auto test = metrics::row_signals(context, evidence, model, "test");
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

result::Reason shadow_check(const Context& context, const evidence::Evidence& evidence) {
  const evidence::Group* shadows = evidence.find("shadow");
  const metrics::RowSets sets = metrics::speaking_rows(evidence);
  if (shadows == nullptr || sets.empty() || !sets.target_test.empty()) return {};
  const SignalOfModels signal = first_signal(context, evidence, *shadows, sets);
  if (signal.target.empty()) return {};
  const Difference gap = unseen_gap(
      metrics::contrast(matrix_of(signal.target), matrix_of(signal.unseen), sets.strata));
  if (std::isnan(gap.p)) return {};
  const result::Code code =
      gap.p < kNoDraw ? result::Code::shadows_doubt_draw : result::Code::shadows_support_draw;
  return result::reason(code, signal.target.size(), signal.name, gap.estimate, gap.lower,
                        gap.upper);
}

}  // namespace vestige::audit
