// Rows of the ZRF family.
#include "vestige/metrics/zrf/zrf_family.h"

#include <cmath>

#include "vestige/evidence/blocks.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/metrics/zrf/zrf.h"

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> zrf_metrics() {
  return {
      {"zrf.score", Direction::match, kUndefined, "zero-retrain forgetting",
       "1 - Jensen-Shannon divergence from an untrained model on forget examples", true},
      {"zrf.reference", Direction::match, kUndefined, "zero-retrain forgetting, published form",
       "the same in the form that published code computes"},
  };
}

constexpr const char* kTeacherFile = "random/0/forget.npy";

Models teachers(const evidence::Evidence& evidence) {
  Models result;
  const evidence::Group* group = evidence.find("random");
  if (group == nullptr) return result;
  for (const evidence::Model& model : group->models) {
    if (model.has("forget")) result.push_back(&model);
  }
  return result;
}

Row finish(Row row, std::vector<double> terms, std::size_t teachers, const char* form,
           std::uint64_t seed) {
  row.n = terms.size();
  row.settings["form"] = form;
  row.facts["teachers"] = teachers;
  const Estimate estimate = bootstrap_mean(terms, {.seed = seed, .purpose = "zrf"});
  row.value = estimate.value;
  if (std::isinf(row.value)) {
    row.notes = {reason(Code::divergence_is_infinite)};
  } else if (!std::isnan(estimate.lower)) {
    row.lower = estimate.lower;
    row.upper = estimate.upper;
    row.interval = result::Code::bca_models_fixed;
  }
  row.terms = std::move(terms);
  return row;
}

Support zrf_support(const evidence::Evidence& evidence) {
  if (teachers(evidence).empty()) {
    return {false, reason(Code::needs_untrained_model, kTeacherFile)};
  }
  for (const evidence::Group& group : evidence.groups) {
    if (group.role != "random" && group.models.front().has("forget")) return {true};
  }
  return {false, reason(Code::needs_outputs, std::vector<std::string>{"forget"},
                        "unlearned/METHOD/0/forget.npy")};
}

Measurements measure_zrf(const Comparison& comparison, const Request& request, Progress&) {
  Row score = make_row("zrf.score", comparison, request);
  Row reference = make_row("zrf.reference", comparison, request);
  const evidence::Evidence& evidence = *comparison.evidence;
  const evidence::Model& model = *comparison.candidate.front();
  const Models random = teachers(evidence);
  Measurements out;
  if (!model.has("forget") || random.empty()) {
    for (Row* row : {&score, &reference}) {
      row->status = Status::skipped;
      row->notes = {random.empty() ? reason(Code::needs_untrained_model, kTeacherFile)
                                   : reason(Code::needs_outputs, std::vector<std::string>{"forget"},
                                            model.id() + "/forget.npy")};
      out.rows.push_back(std::move(*row));
    }
    return out;
  }
  const std::size_t rows = model.outputs.at("forget").rows();
  std::vector<double> terms(rows, 0.0), reference_terms(rows, 0.0);
  evidence::for_row_blocks(rows, [&](std::size_t first, std::size_t last) {
    const auto probabilities = [&](const evidence::Model& from) {
      return evidence::probabilities(from.outputs.at("forget"), evidence.kind, first, last);
    };
    const Matrix ours = probabilities(model);
    for (const evidence::Model* teacher : random) {
      const Zrf one = zrf(ours, probabilities(*teacher));
      for (std::size_t i = 0; i < one.score_terms.size(); ++i) {
        terms[first + i] += one.score_terms[i] / static_cast<double>(random.size());
        reference_terms[first + i] += one.reference_terms[i] / static_cast<double>(random.size());
      }
    }
  });
  out.rows.push_back(
      finish(std::move(score), std::move(terms), random.size(), "nats", request.seed));
  out.rows.push_back(finish(std::move(reference), std::move(reference_terms), random.size(),
                            "reference", request.seed));
  return out;
}

Reason zrf_impossible(const Planned& planned) {
  if (!planned.asks("zrf") || planned.models.at("random") > 0) return {};
  return reason(Code::planned_models_missing, "zrf", "random", 1);
}

/// Measured as docs/performance.md tells.
std::optional<Cost> zrf_cost(const evidence::Evidence& evidence, const Json&) {
  const auto untrained = static_cast<double>(teachers(evidence).size());
  return row_cost(evidence, compared_roles(), {"forget"}, {.output = 8 * untrained, .row = 23000});
}

}  // namespace

Family zrf_family() {
  return {.name = "zrf",
          .summary = "how close predictions on the forget set are to those of an untrained model",
          .metrics = zrf_metrics(),
          .ranges = {{"zrf.score", kShare}},
          .support = zrf_support,
          .prepare = each(measure_zrf),
          .impossible = zrf_impossible,
          .cost = zrf_cost};
}

}  // namespace vestige::metrics
