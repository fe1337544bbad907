// Rows of the closeness family: each model against every retrained model other than itself.
#include "vestige/metrics/closeness/closeness_family.h"

#include <fmt/format.h>

#include <array>

#include "vestige/evidence/blocks.h"
#include "vestige/metrics/closeness/closeness.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/stats/bootstrap.h"

namespace vestige::metrics {
namespace {

constexpr std::array<const char*, 3> kSplits = {"forget", "retain", "test"};

std::vector<MetricInfo> closeness_metrics() {
  return {
      {"closeness.agreement.forget", Direction::higher, 1, "agreement with retrained, forget rows",
       "share of forget rows on which the model and a retrained one give the same class", true},
      {"closeness.agreement.retain", Direction::higher, 1, "agreement with retrained, retain rows",
       "share of retain rows on which the model and a retrained one give the same class"},
      {"closeness.agreement.test", Direction::higher, 1, "agreement with retrained, test rows",
       "share of test rows on which the model and a retrained one give the same class"},
      {"closeness.distance.forget", Direction::lower, 0, "activation distance, forget rows",
       "mean Euclidean distance of softmax outputs to a retrained model's on forget rows", true},
      {"closeness.distance.retain", Direction::lower, 0, "activation distance, retain rows",
       "mean Euclidean distance of softmax outputs to a retrained model's on retain rows"},
      {"closeness.distance.test", Direction::lower, 0, "activation distance, test rows",
       "mean Euclidean distance of softmax outputs to a retrained model's on test rows"},
      {"closeness.divergence.forget", Direction::lower, 0, "Jensen-Shannon divergence, forget rows",
       "mean Jensen-Shannon divergence in nats from a retrained model's outputs on forget rows",
       true},
      {"closeness.divergence.retain", Direction::lower, 0, "Jensen-Shannon divergence, retain rows",
       "mean Jensen-Shannon divergence in nats from a retrained model's outputs on retain rows"},
      {"closeness.divergence.test", Direction::lower, 0, "Jensen-Shannon divergence, test rows",
       "mean Jensen-Shannon divergence in nats from a retrained model's outputs on test rows"},
  };
}

Models having(const Models& models, const char* split) {
  Models result;
  for (const evidence::Model* model : models) {
    if (model->has(split)) result.push_back(model);
  }
  return result;
}

/// Adds terms of the rows from `first` on.
void add(std::vector<double>& sum, std::size_t first, const std::vector<double>& terms,
         double share) {
  for (std::size_t i = 0; i < terms.size(); ++i) sum[first + i] += terms[i] * share;
}

/// The mean over references, row by row.
Closeness mean_closeness(const evidence::Evidence& evidence, const evidence::Model& model,
                         const Models& references, const char* split) {
  const std::size_t rows = model.outputs.at(split).rows();
  const double share = 1 / static_cast<double>(references.size());
  Closeness result;
  for (auto* terms : {&result.agreement, &result.distance, &result.divergence}) {
    terms->resize(rows);
  }
  evidence::for_row_blocks(rows, [&](std::size_t first, std::size_t last) {
    const auto probabilities = [&](const evidence::Model& from) {
      return evidence::probabilities(from.outputs.at(split), evidence.kind, first, last);
    };
    const Matrix ours = probabilities(model);
    for (const evidence::Model* reference : references) {
      const Closeness one = closeness(ours, probabilities(*reference));
      add(result.agreement, first, one.agreement, share);
      add(result.distance, first, one.distance, share);
      add(result.divergence, first, one.divergence, share);
    }
  });
  return result;
}

void add_row(std::string_view what, const char* split, std::vector<double> terms,
             std::size_t references, const Comparison& comparison, const Request& request,
             BootstrapCounts& counts, Measurements& out) {
  Row row = make_row(fmt::format("closeness.{}.{}", what, split), comparison, request);
  const Estimate estimate =
      bootstrap_mean(terms, {.seed = request.seed, .purpose = "closeness"}, &counts);
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  if (estimate.lower == estimate.lower) row.interval = "bootstrap BCa 95 % over rows, models fixed";
  row.n = terms.size();
  row.facts["retrained_models"] = references;
  row.terms = std::move(terms);
  out.rows.push_back(std::move(row));
}

void skip(const char* why, const Comparison& comparison, const Request& request,
          Measurements& out) {
  for (const char* what : {"agreement", "distance", "divergence"}) {
    Row row = make_row(fmt::format("closeness.{}.forget", what), comparison, request);
    row.status = Status::skipped;
    row.note = why;
    out.rows.push_back(std::move(row));
  }
}

Measurements measure_closeness(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  const evidence::Model& model = *comparison.candidate.front();
  if (having(comparison.retrained, "forget").empty()) {
    skip(comparison.control == Control::floor
             ? "needs a second retrained model to compare with: add retrained/1/forget.npy"
             : "needs a retrained model: add retrained/0/forget.npy",
         comparison, request, out);
    return out;
  }
  if (!model.has("forget")) {
    skip("needs this model's outputs on forget: add forget.npy", comparison, request, out);
    return out;
  }
  BootstrapCounts counts;  // the nine rows share their draws
  for (const char* split : kSplits) {
    const Models references = having(comparison.retrained, split);
    if (!model.has(split) || references.empty()) continue;
    Closeness seen = mean_closeness(*comparison.evidence, model, references, split);
    const std::size_t count = references.size();
    add_row("agreement", split, std::move(seen.agreement), count, comparison, request, counts, out);
    add_row("distance", split, std::move(seen.distance), count, comparison, request, counts, out);
    add_row("divergence", split, std::move(seen.divergence), count, comparison, request, counts,
            out);
  }
  return out;
}

Support closeness_support(const evidence::Evidence& evidence) {
  const evidence::Group* retrained = evidence.find("retrained");
  if (retrained == nullptr || !has_outputs(retrained->models.front(), {"forget"})) {
    return {false, "needs a retrained model's outputs on forget: add retrained/0/forget.npy"};
  }
  for (const evidence::Group& group : evidence.groups) {
    if (group.role != "unlearned" && group.role != "original") continue;
    if (has_outputs(group.models.front(), {"forget"})) return {true, ""};
  }
  return {false, "needs outputs on forget: add unlearned/METHOD/0/forget.npy"};
}

std::string impossible(const Planned& planned) {
  if (!planned.asks("closeness") || planned.models.at("retrained") > 0) return {};
  return "closeness compares with retrained models: give [pool] retrained 1 or more";
}

}  // namespace

Family closeness_family() {
  return {.name = "closeness",
          .summary = "distance of a model's answers to those of retrained models, row by row",
          .metrics = closeness_metrics(),
          .ranges = {{"closeness.agreement", kShare},
                     {"closeness.distance", kFromZero},
                     {"closeness.divergence", kFromZero}},
          .support = closeness_support,
          .prepare = each(measure_closeness),
          .impossible = impossible};
}

}  // namespace vestige::metrics
