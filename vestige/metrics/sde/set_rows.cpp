// Rows of drawn sets: values with their spread over reference pairs, or why there are none.
#include "vestige/metrics/sde/set_rows.h"

#include <cmath>

#include "vestige/metrics/sde/activation_layers.h"
#include "vestige/metrics/sde/set_options.h"
#include "vestige/metrics/stats/bootstrap.h"

namespace vestige::metrics {

Row set_row(std::string_view id, const ActivationSets& sets, const Comparison& comparison,
            const Request& request) {
  const SetOptions options = set_options(request);
  Row row = make_row(id, comparison, request);
  row.settings["layer"] = sets.layer;
  if (sets.size > 0) row.facts["size"] = sets.size;
  if (options.in != SetOptions().in || options.out != SetOptions().out) {
    row.settings["references"] = options.in + ", " + options.out;
  }
  row.facts["subsets"] = options.subsets;
  row.facts["reference_draws"] = options.reference_draws;
  return row;
}

void add_kernel(Row& row, double sigma, const Request& request) {
  const KernelShape kernel = set_options(request).kernel;
  if (kernel != KernelShape::rbf) row.settings["kernel"] = name(kernel);
  if (kernel != KernelShape::linear) row.facts["sigma"] = sigma;
  if (const std::size_t landmarks = set_options(request).landmarks; landmarks > 0) {
    row.settings["landmarks"] = landmarks;
  }
}

void fill_rate(Row& row, const OverPairs& rate, Code failed) {
  const std::size_t draws = rate.per_pair.size();
  row.facts["passed"] = rate.passed;
  row.facts["ties"] = rate.ties;
  if (rate.inconclusive()) {
    row.status = Status::undefined;
    row.notes = {reason(failed, rate.passed, draws)};
    return;
  }
  if (rate.ties == rate.verdicts) {
    row.status = Status::undefined;
    row.notes = {reason(Code::references_equally_far)};
    return;
  }
  row.value = rate.mean;
  row.terms = rate.per_pair;
  row.lower = rate.lower;
  row.upper = rate.upper;
  if (rate.passed >= 2) {
    row.interval = result::Code::central_over_reference_pairs;
  }
}

void fill_f1(Row& row, const std::vector<PairVerdicts>& pairs, std::size_t members, Code failed,
             const Request& request) {
  fill_rate(row, f1_score(pairs, members), failed);
  row.terms.clear();
  if (pairs.size() != 1 || std::isnan(row.value)) return;
  const auto& verdicts = pairs.front().verdicts;
  const Estimate estimate = bootstrap(
      verdicts.size(),
      [&](std::span<const std::size_t> indices) { return f1_of(verdicts, indices, members); },
      {.kind = BootstrapKind::percentile, .seed = request.seed, .purpose = "sde.f1"});
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = result::Code::bootstrap_over_sets;
}

void add_problem(std::span<const MetricInfo> ids, const ActivationSets& sets,
                 const Comparison& comparison, const Request& request, std::string_view rule,
                 Measurements& out) {
  for (const MetricInfo& info : ids) {
    if (info.id.ends_with(".f1.retrained") && !never_saw_forget(*comparison.candidate.front())) {
      continue;
    }
    if (info.id.starts_with("sde.batch.")) continue;  // of models with fixed batches only
    Row row = set_row(info.id, sets, comparison, request);
    if (!rule.empty()) row.settings["rule"] = rule;
    row.status = sets.problem_status;
    row.notes = {sets.problem};
    out.rows.push_back(std::move(row));
  }
}

}  // namespace vestige::metrics
