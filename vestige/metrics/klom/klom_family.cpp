// Rows of the KLoM family, by split: the mean over rows, and the row at 95 %.
#include "vestige/metrics/klom/klom_family.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "vestige/metrics/inputs/confidence.h"
#include "vestige/metrics/inputs/pools.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/klom/klom.h"
#include "vestige/metrics/option_bounds.h"
#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::array<const char*, 3> kKlomSplits = {"forget", "retain", "test"};
/// So many models per group give each of 20 bins something to hold; the paper takes 100.
constexpr std::size_t kEnoughModels = 20;

std::vector<MetricInfo> klom_metrics() {
  return {
      {.id = "klom.forget",
       .direction = Direction::lower,
       .ideal = 0,
       .name = "KLoM on the forget set",
       .what = "mean over forget examples of the KL divergence of margins from retrained models",
       .shows_forgetting = true},
      {"klom.forget.q95", Direction::lower, 0, "KLoM on the worst forget examples",
       "KL divergence of margins that 95 % of forget examples stay below", true},
      {"klom.retain", Direction::lower, 0, "KLoM on the retain set",
       "mean over retain examples of the KL divergence of margins from retrained models"},
      {"klom.test", Direction::lower, 0, "KLoM on the test set",
       "mean over test examples of the KL divergence of margins from retrained models"},
  };
}

const OptionTable<KlomOptions>& klom_options() {
  static const OptionTable<KlomOptions> table = [] {
    OptionTable<KlomOptions> made("klom");
    made.count(
        "bins", "bins of the histograms of margins", [](auto& o) -> auto& { return o.bins; },
        within(1, 100'000));
    made.number(
        "clip", "margins are limited to plus and minus this",
        [](auto& o) -> auto& { return o.clip; }, above(0));
    const std::vector<std::pair<std::string, KlomMode>> modes = {
        {"exact", KlomMode::exact}, {"reference", KlomMode::reference}};
    made.choice(
        "mode", "exact, or reference: bins as in the published code",
        [](auto& o) -> auto& { return o.mode; }, modes);
    return made;
  }();
  return table;
}

Row row_of(std::string_view id, const Comparison& comparison, const Request& request,
           const KlomOptions& options) {
  Row row = make_row(id, comparison, request);
  row.settings["models"] = comparison.candidate.size();
  row.settings["mode"] = options.mode == KlomMode::exact ? "exact" : "reference";
  row.facts["bins"] = options.bins;
  row.facts["retrained_models"] = comparison.retrained.size();
  return row;
}

void add_split(const char* split, const Comparison& comparison, const Request& request,
               Measurements& out) {
  const KlomOptions options = klom_options().read(request.options);
  const evidence::Evidence& evidence = *comparison.evidence;
  const auto& labels = *evidence.find_labels(split);
  std::vector<double> values = klom(
      confidences(request.context, comparison.candidate, split, labels, evidence.kind),
      confidences(request.context, comparison.retrained, split, labels, evidence.kind), options);
  const BootstrapOptions bootstrapped{.seed = request.seed, .purpose = "klom"};
  const auto fill = [&](Row& row, const Estimate& estimate) {
    row.value = estimate.value;
    row.n = values.size();
    if (std::isnan(row.value)) {
      row.status = Status::undefined;
      row.notes = {reason(Code::no_finite_score)};
    }
    if (std::isnan(estimate.lower)) return;
    row.lower = estimate.lower;
    row.upper = estimate.upper;
    row.interval = result::Code::bca_models_fixed;
  };
  Row row = row_of(fmt::format("klom.{}", split), comparison, request, options);
  fill(row, bootstrap_mean(values, bootstrapped));
  row.terms = values;
  out.rows.push_back(std::move(row));
  if (split != kKlomSplits.front()) return;
  Row worst = row_of("klom.forget.q95", comparison, request, options);
  fill(worst, bootstrap(values.size(),
                        [&](std::span<const std::size_t> rows) {
                          std::vector<double> drawn;
                          for (const std::size_t index : rows) drawn.push_back(values[index]);
                          return quantile(drawn, 0.95);
                        },
                        {.replicates = 500,
                         .kind = BootstrapKind::percentile,
                         .seed = request.seed,
                         .purpose = "klom.q95"}));
  if (!worst.interval.empty()) worst.interval = result::Code::bootstrap_models_fixed;
  out.rows.push_back(std::move(worst));
  if (comparison.halves) return;
  SampleColumn column;
  column.name = "klom." + comparison.short_name;
  column.split = split;
  column.values = std::move(values);
  column.worst = 1;
  out.columns.push_back(std::move(column));
}

Measurements measure_klom(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  const Reason obstacle = pool_obstacle(comparison, "forget", 2);
  if (!obstacle.empty()) {
    Row row = row_of("klom.forget", comparison, request, klom_options().read(request.options));
    row.status = Status::skipped;
    row.notes = {obstacle};
    out.rows.push_back(std::move(row));
    return out;
  }
  for (const char* split : kKlomSplits) {
    if (pool_obstacle(comparison, split, 2).empty()) add_split(split, comparison, request, out);
  }
  return out;
}

Support klom_support(const evidence::Evidence& evidence) {
  return pool_support(evidence, 2, kEnoughModels, Code::klom_few_models);
}

Reason klom_impossible(const Planned& planned) {
  return planned.asks("klom") ? pool_impossible(planned, "klom", 2) : Reason();
}

/// Measured as docs/performance.md tells.
std::optional<Cost> klom_cost(const evidence::Evidence& evidence, const Json&) {
  return row_cost(evidence, compared_roles(), {"forget", "retain", "test"},
                  {.output = 0.5, .row = 7000});
}

}  // namespace

Family klom_family() {
  return {
      .name = "klom",
      .summary = "divergence of margins between unlearned and retrained models, example by example",
      .metrics = klom_metrics(),
      .ranges = {{"klom", {}}},
      .support = klom_support,
      .prepare = each(measure_klom),
      .unit = Unit::pool,
      .options = klom_options().options(),
      .sums_columns = true,
      .impossible = klom_impossible,
      .cost = klom_cost};
}

}  // namespace vestige::metrics
