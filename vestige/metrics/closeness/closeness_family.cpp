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
      {"closeness.agreement.forget", Direction::higher, 1,
       "agreement with retrained models, forget set",
       "share of forget examples on which the model and a retrained model predict the same class",
       true},
      {"closeness.agreement.retain", Direction::higher, 1,
       "agreement with retrained models, retain set",
       "share of retain examples on which the model and a retrained model predict the same class"},
      {"closeness.agreement.test", Direction::higher, 1,
       "agreement with retrained models, test set",
       "share of test examples on which the model and a retrained model predict the same class"},
      {"closeness.distance.forget", Direction::lower, 0, "activation distance, forget set",
       "mean Euclidean distance to the softmax outputs of a retrained model on forget examples",
       true},
      {"closeness.distance.retain", Direction::lower, 0, "activation distance, retain set",
       "mean Euclidean distance to the softmax outputs of a retrained model on retain examples"},
      {"closeness.distance.test", Direction::lower, 0, "activation distance, test set",
       "mean Euclidean distance to the softmax outputs of a retrained model on test examples"},
      {"closeness.divergence.forget", Direction::lower, 0, "Jensen-Shannon divergence, forget set",
       "mean Jensen-Shannon divergence in nats from the outputs of a retrained model on forget "
       "examples",
       true},
      {"closeness.divergence.retain", Direction::lower, 0, "Jensen-Shannon divergence, retain set",
       "mean Jensen-Shannon divergence in nats from the outputs of a retrained model on retain "
       "examples"},
      {"closeness.divergence.test", Direction::lower, 0, "Jensen-Shannon divergence, test set",
       "mean Jensen-Shannon divergence in nats from the outputs of a retrained model on test "
       "examples"},
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
  if (estimate.lower == estimate.lower) row.interval = result::Code::bca_models_fixed;
  row.facts["retrained_models"] = seen.references;
  return row;
}

void skip(const Reason& why, const Comparison& comparison, const Request& request,
          Measurements& out) {
  for (const char* what : kKinds) {
    Row row = make_row(fmt::format("closeness.{}.forget", what), comparison, request);
    row.status = Status::skipped;
    row.notes = {why};
    out.rows.push_back(std::move(row));
  }
}

Measurements rows_of(const Comparison& comparison, const Request& request,
                     const std::vector<SplitCloseness>& splits) {
  Measurements out;
  if (having(comparison.retrained, "forget").empty()) {
    skip(comparison.control == Control::retrained
             ? reason(Code::needs_second_retrained_model, "retrained/1/forget.npy")
             : reason(Code::needs_retrained_model, "retrained/0/forget.npy"),
         comparison, request, out);
    return out;
  }
  if (!comparison.candidate.front()->has("forget")) {
    skip(reason(Code::needs_outputs, std::vector<std::string>{"forget"},
                comparison.candidate.front()->id() + "/forget.npy"),
         comparison, request, out);
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
    return {false, reason(Code::needs_retrained_model, "retrained/0/forget.npy")};
  }
  for (const evidence::Group& group : evidence.groups) {
    if (group.role != "unlearned" && group.role != "original") continue;
    if (has_outputs(group.models.front(), {"forget"})) return {true, {}};
  }
  return {false, reason(Code::needs_outputs, std::vector<std::string>{"forget"},
                        "unlearned/METHOD/0/forget.npy")};
}

Reason closeness_impossible(const Planned& planned) {
  if (!planned.asks("closeness") || planned.models.at("retrained") > 0) return {};
  return reason(Code::planned_models_missing, "closeness", "retrained", 1);
}

/// Measured as docs/performance.md tells: a softmax of each model, and the pairs that it is in.
std::optional<Cost> closeness_cost(const evidence::Evidence& evidence, const Json&) {
  const auto references = static_cast<double>(models_of(evidence, {"retrained"}));
  return row_cost(evidence, compared_roles(), {"forget", "retain", "test"},
                  {.output = 2.7 + 1.25 * references, .row = 6000});
}

}  // namespace

Family closeness_family() {
  return {
      .name = "closeness",
      .summary = "distance of a model's outputs to those of retrained models, example by example",
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
