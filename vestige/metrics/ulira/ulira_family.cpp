// Rows of the U-LiRA family.
#include "vestige/metrics/ulira/ulira_family.h"

#include <cmath>

#include "vestige/metrics/inputs/confidence.h"
#include "vestige/metrics/inputs/pools.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/metrics/ulira/ulira.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kFewest = 4;
constexpr std::size_t kEnough = 16;

std::vector<MetricInfo> ulira_metrics() {
  return {
      {"ulira.accuracy", Direction::lower, 0.5, "U-LiRA accuracy",
       "share of unlearned and retrained models told apart, by one attack per forget example",
       true},
      {"ulira.auc", Direction::lower, 0.5, "U-LiRA AUC",
       "mean over forget examples of the AUC of that attack's likelihood ratios", true},
      {"ulira.accuracy.q95", Direction::lower, 0.5, "U-LiRA accuracy on the worst examples",
       "accuracy that 95 % of forget examples stay below"},
  };
}

Row row_of(std::string_view id, const Comparison& comparison, const Request& request) {
  Row row = make_row(id, comparison, request);
  row.settings["models"] = comparison.candidate.size();
  row.facts["retrained_models"] = comparison.retrained.size();
  return row;
}

void mark_undefined(Row& row) {
  if (!std::isnan(row.value)) return;
  row.status = Status::undefined;
  row.notes = {reason(Code::confidences_are_infinite)};
}

void add_mean(std::string_view id, std::vector<double> terms, bool one_deviation,
              const Comparison& comparison, const Request& request, Measurements& out) {
  Row row = row_of(id, comparison, request);
  const Estimate estimate = bootstrap_mean(terms, {.seed = request.seed, .purpose = "ulira"});
  row.value = estimate.value;
  row.n = terms.size();
  row.facts["one_deviation"] = one_deviation;
  if (!std::isnan(estimate.lower)) {
    row.lower = estimate.lower;
    row.upper = estimate.upper;
    row.interval = result::Code::bca_models_fixed;
  }
  mark_undefined(row);
  row.terms = std::move(terms);
  out.rows.push_back(std::move(row));
}

Measurements measure_ulira(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  const Reason obstacle = pool_obstacle(comparison, "forget", kFewest);
  if (!obstacle.empty()) {
    Row row = row_of("ulira.accuracy", comparison, request);
    row.status = Status::skipped;
    row.notes = {obstacle};
    out.rows.push_back(std::move(row));
    return out;
  }
  const evidence::Evidence& evidence = *comparison.evidence;
  const auto& labels = *evidence.find_labels("forget");
  Ulira seen =
      ulira(confidences(request.context, comparison.candidate, "forget", labels, evidence.kind),
            confidences(request.context, comparison.retrained, "forget", labels, evidence.kind));
  add_mean("ulira.accuracy", seen.accuracy, seen.one_deviation, comparison, request, out);
  add_mean("ulira.auc", std::move(seen.auc), seen.one_deviation, comparison, request, out);
  Row worst = row_of("ulira.accuracy.q95", comparison, request);
  worst.value = quantile(seen.accuracy, 0.95);
  worst.n = seen.accuracy.size();
  mark_undefined(worst);
  out.rows.push_back(std::move(worst));
  if (comparison.halves) return out;
  SampleColumn column;
  column.name = "ulira." + comparison.short_name;
  column.split = "forget";
  column.values = std::move(seen.accuracy);
  column.worst = 1;
  out.columns.push_back(std::move(column));
  return out;
}

Support ulira_support(const evidence::Evidence& evidence) {
  return pool_support(evidence, kFewest, kEnough, Code::ulira_few_models);
}

Reason ulira_impossible(const Planned& planned) {
  return planned.asks("ulira") ? pool_impossible(planned, "U-LiRA", kFewest) : Reason();
}

/// Measured as docs/performance.md tells.
std::optional<Cost> ulira_cost(const evidence::Evidence& evidence, const Json&) {
  return row_cost(evidence, compared_roles(), {"forget"}, {.output = 1.3, .row = 4900});
}

}  // namespace

Family ulira_family() {
  return {.name = "ulira",
          .summary =
              "whether unlearned models can be told from retrained ones, by one attack per example",
          .metrics = ulira_metrics(),
          .ranges = {{"ulira", kShare}},
          .support = ulira_support,
          .prepare = each(measure_ulira),
          .unit = Unit::pool,
          .sums_columns = true,
          .impossible = ulira_impossible,
          .cost = ulira_cost};
}

}  // namespace vestige::metrics
