// Rows of the closeness family: each model against every retrained model other than itself.
#include "vestige/metrics/closeness/closeness_family.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "vestige/metrics/closeness/closeness_rows.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/stats/bootstrap.h"

namespace vestige::metrics {
namespace {

constexpr std::array<const char*, 3> kClosenessSplits = {"forget", "retain", "test"};
constexpr std::array<const char*, 3> kKinds = {"agreement", "distance", "divergence"};

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

/// What one model is on one split.
struct SplitCloseness {
  const char* split;
  std::size_t references;
  std::size_t rows;
  Closeness terms;                            ///< of forget rows only, as soon as there are means
  std::array<Estimate, kKinds.size()> means;  ///< in the order of kKinds
};

/// Terms of kKinds, in that order.
std::array<std::vector<double>*, kKinds.size()> kinds_of(Closeness& seen) {
  return {&seen.agreement, &seen.distance, &seen.divergence};
}

/// Whether a comparison can be measured at all.
bool has_forget(const Comparison& comparison) {
  return comparison.candidate.front()->has("forget") &&
         !having(comparison.retrained, "forget").empty();
}

/// All comparisons of a split together, because they share most models; `all` has one list for
/// each.
void measure_split(const Preparation& from, const char* split,
                   std::vector<std::vector<SplitCloseness>>& all) {
  std::vector<const evidence::Array*> outputs;
  std::map<const evidence::Model*, std::size_t> places;
  const auto place_of = [&](const evidence::Model* model) {
    const auto [found, is_new] = places.try_emplace(model, outputs.size());
    if (is_new) outputs.push_back(&model->outputs.at(split));
    return found->second;
  };
  std::vector<Neighbours> wanted;
  std::vector<std::size_t> comparisons;
  for (std::size_t index = 0; index < from.comparisons.size(); ++index) {
    const Comparison& comparison = from.comparisons[index];
    const Models references = having(comparison.retrained, split);
    if (!has_forget(comparison) || !comparison.candidate.front()->has(split) ||
        references.empty()) {
      continue;
    }
    Neighbours neighbours{place_of(comparison.candidate.front()), {}};
    for (const auto* reference : references) neighbours.references.push_back(place_of(reference));
    wanted.push_back(std::move(neighbours));
    comparisons.push_back(index);
  }
  std::vector<Closeness> means = mean_closeness(outputs, from.evidence.kind, wanted);
  for (std::size_t index = 0; index < means.size(); ++index) {
    const std::size_t rows = means[index].agreement.size();
    all[comparisons[index]].push_back(
        {split, wanted[index].references.size(), rows, std::move(means[index]), {}});
  }
}

using ByModel = std::map<const evidence::Model*, std::vector<SplitCloseness>>;

/// Means of a split with their intervals; all models share its draws, which cost more than sums.
void fill_means(const char* split, std::vector<std::vector<SplitCloseness>>& all,
                const Request& request) {
  std::map<std::size_t, std::vector<std::pair<std::span<const double>, Estimate*>>> by_length;
  for (auto& splits : all) {
    for (SplitCloseness& seen : splits) {
      if (std::string_view(seen.split) != split) continue;
      const auto terms = kinds_of(seen.terms);
      for (std::size_t kind = 0; kind < terms.size(); ++kind) {
        by_length[seen.rows].emplace_back(*terms[kind], &seen.means[kind]);
      }
    }
  }
  for (const auto& [length, columns] : by_length) {
    std::vector<std::span<const double>> values;
    for (const auto& [column, place] : columns) values.push_back(column);
    const std::vector<Estimate> estimates =
        bootstrap_means(values, {.seed = request.seed, .purpose = "closeness"});
    for (std::size_t k = 0; k < columns.size(); ++k) *columns[k].second = estimates[k];
  }
}

/// Retain and test rows are many, and nobody compares models by them again.
void forget_terms(const char* split, std::vector<std::vector<SplitCloseness>>& all) {
  for (auto& splits : all) {
    for (SplitCloseness& seen : splits) {
      if (std::string_view(seen.split) == split) seen.terms = {};
    }
  }
}

Row row_of(const SplitCloseness& seen, std::size_t kind, const Comparison& comparison,
           const Request& request) {
  Row row = make_row(fmt::format("closeness.{}.{}", kKinds[kind], seen.split), comparison, request);
  const Estimate& estimate = seen.means[kind];
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  if (estimate.lower == estimate.lower) row.interval = "bootstrap BCa 95 % over rows, models fixed";
  row.facts["retrained_models"] = seen.references;
  return row;
}

void skip(const char* why, const Comparison& comparison, const Request& request,
          Measurements& out) {
  for (const char* what : kKinds) {
    Row row = make_row(fmt::format("closeness.{}.forget", what), comparison, request);
    row.status = Status::skipped;
    row.note = why;
    out.rows.push_back(std::move(row));
  }
}

Measurements rows_of(const Comparison& comparison, const Request& request,
                     const std::vector<SplitCloseness>& splits) {
  Measurements out;
  if (having(comparison.retrained, "forget").empty()) {
    skip(comparison.control == Control::floor
             ? "needs a second retrained model to compare with: add retrained/1/forget.npy"
             : "needs a retrained model: add retrained/0/forget.npy",
         comparison, request, out);
    return out;
  }
  if (!comparison.candidate.front()->has("forget")) {
    skip("needs this model's outputs on forget: add forget.npy", comparison, request, out);
    return out;
  }
  for (SplitCloseness seen : splits) {
    const auto terms = kinds_of(seen.terms);
    for (std::size_t kind = 0; kind < terms.size(); ++kind) {
      Row row = row_of(seen, kind, comparison, request);
      row.n = seen.rows;
      row.terms = std::move(*terms[kind]);
      out.rows.push_back(std::move(row));
    }
  }
  return out;
}

Measure prepare_closeness(const Preparation& from) {
  std::vector<std::vector<SplitCloseness>> all(from.comparisons.size());
  for (const char* split : kClosenessSplits) {
    measure_split(from, split, all);
    fill_means(split, all, from.request);
    if (std::string_view(split) != "forget") forget_terms(split, all);
  }
  ByModel models;
  for (std::size_t index = 0; index < all.size(); ++index) {
    models[from.comparisons[index].candidate.front()] = std::move(all[index]);
  }
  return [&request = from.request, models = std::make_shared<const ByModel>(std::move(models))](
             const Comparison& comparison, Progress&) {
    return rows_of(comparison, request, models->at(comparison.candidate.front()));
  };
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

std::string closeness_impossible(const Planned& planned) {
  if (!planned.asks("closeness") || planned.models.at("retrained") > 0) return {};
  return "closeness compares with retrained models: give [pool] retrained 1 or more";
}

/// Measured as docs/scale.md tells: a softmax of each model, and the pairs that it is in.
std::optional<Cost> closeness_cost(const evidence::Evidence& evidence, const Json&) {
  const auto references = static_cast<double>(models_of(evidence, {"retrained"}));
  return row_cost(evidence, compared_roles(), {"forget", "retain", "test"},
                  {.output = 2.7 + 1.25 * references, .row = 6000},
                  fmt::format("distances to {} retrained models", references));
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
          .prepare = prepare_closeness,
          .impossible = closeness_impossible,
          .cost = closeness_cost};
}

}  // namespace vestige::metrics
