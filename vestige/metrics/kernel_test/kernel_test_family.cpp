// Rows of the kernel_test family.
#include "vestige/metrics/kernel_test/kernel_test_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/base/seed.h"
#include "vestige/evidence/blocks.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/kernel_test/relative_test.h"
#include "vestige/metrics/option_bounds.h"

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> kernel_test_metrics() {
  return {
      {"kernel_test.chi_squared", Direction::higher, kUndefined,
       "kernel test, chi-squared (de-regularised MMD)",
       "p-value for outputs on forget examples being closer to the original's than to a retrained "
       "model's",
       true},
      {"kernel_test.hockey_stick", Direction::higher, kUndefined, "kernel test, hockey-stick",
       "the same by the hockey-stick divergence of order 1", true},
      {"kernel_test.kullback_leibler", Direction::higher, kUndefined,
       "kernel test, Kullback-Leibler", "the same by the Kullback-Leibler divergence", true},
  };
}

struct KernelTestSettings {
  std::size_t rows = 300;
  RelativeTestOptions test;
};

const OptionTable<KernelTestSettings>& kernel_test_options() {
  static const OptionTable<KernelTestSettings> table = [] {
    OptionTable<KernelTestSettings> made("kernel_test");
    made.count(
        "rows", "forget examples at most, drawn by the seed; time grows with their cube",
        [](auto& o) -> auto& { return o.rows; }, within(10, 5000));
    made.count(
        "permutations", "permutations of retrained and original examples behind a p-value",
        [](auto& o) -> auto& { return o.test.permutations; }, within(19, 100'000));
    made.count(
        "bandwidths", "bandwidths of the kernel that are aggregated",
        [](auto& o) -> auto& { return o.test.bandwidths; }, within(1, 100));
    made.numbers(
        "lambdas", "regularisations of the witness function that are aggregated",
        [](auto& o) -> auto& { return o.test.lambdas; });
    return made;
  }();
  return table;
}

Matrix chosen_rows(const evidence::Evidence& evidence, const evidence::Model& model,
                   const std::vector<std::size_t>& rows) {
  return evidence::probabilities(model.outputs.at("forget"), evidence.kind, rows);
}

Reason obstacle(const Comparison& comparison) {
  const auto lacks = [](const Models& models) {
    return models.empty() || !models.front()->has("forget");
  };
  if (lacks(comparison.candidate)) {
    return reason(Code::needs_outputs, std::vector<std::string>{"forget"},
                  comparison.subject.id() + "/forget.npy");
  }
  if (lacks(comparison.original)) {
    return reason(Code::needs_original_model, "original/0/forget.npy");
  }
  if (!lacks(comparison.retrained)) return {};
  return comparison.control == Control::retrained
             ? reason(Code::needs_second_retrained_model, "retrained/1/forget.npy")
             : reason(Code::needs_retrained_model, "retrained/0/forget.npy");
}

Measurements measure_kernel_test(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  const KernelTestSettings settings = kernel_test_options().read(request.options);
  const Reason why = obstacle(comparison);
  if (!why.empty()) {
    for (const WitnessDivergence divergence : kWitnessDivergences) {
      Row row = make_row(fmt::format("kernel_test.{}", name(divergence)), comparison, request);
      row.status = Status::skipped;
      row.notes = {why};
      out.rows.push_back(std::move(row));
    }
    return out;
  }
  const evidence::Evidence& evidence = *comparison.evidence;
  const evidence::Model& model = *comparison.candidate.front();
  const std::size_t all = model.outputs.at("forget").rows();
  Stream stream(request.seed, "kernel_test.rows");
  const std::vector<std::size_t> rows = stream.sample(all, std::min(all, settings.rows));
  RelativeTestOptions options = settings.test;
  options.seed = request.seed;
  const evidence::Model& retrained = *partner(comparison.retrained, model.name);
  const evidence::Model& original = *partner(comparison.original, model.name);
  const RelativeTest test =
      relative_test(chosen_rows(evidence, model, rows), chosen_rows(evidence, retrained, rows),
                    chosen_rows(evidence, original, rows), options);
  for (std::size_t k = 0; k < kWitnessDivergences.size(); ++k) {
    Row row =
        make_row(fmt::format("kernel_test.{}", name(kWitnessDivergences[k])), comparison, request);
    row.value = test.nearer_second[k];
    row.n = rows.size();
    row.facts = {{"nearer_retrained_p", json_number(test.nearer_first[k])},
                 {"retrained", retrained.id()},
                 {"original", original.id()},
                 {"permutations", options.permutations},
                 {"bandwidths", options.bandwidths},
                 {"lambdas", options.lambdas}};
    if (std::isnan(row.value)) {
      row.status = Status::undefined;
      row.notes = {reason(Code::outputs_coincide)};
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

Support kernel_test_support(const evidence::Evidence& evidence) {
  const auto lacks = [&](const char* role) {
    const evidence::Group* group = evidence.find(role);
    return group == nullptr || !has_outputs(group->models.front(), {"forget"});
  };
  if (lacks("retrained")) {
    return {false, reason(Code::needs_retrained_model, "retrained/0/forget.npy")};
  }
  if (lacks("original")) {
    return {false, reason(Code::needs_original_model, "original/0/forget.npy")};
  }
  return {true, {}};
}

Reason kernel_test_impossible(const Planned& planned) {
  if (!planned.asks("kernel_test")) return {};
  for (const char* role : {"retrained", "original"}) {
    if (planned.models.at(role) == 0) {
      return reason(Code::planned_models_missing, "kernel_test", role, 1);
    }
  }
  return {};
}

/// For every bandwidth and regularisation a factor of a matrix of rows, and a solution for each
/// permutation. Measured as docs/performance.md tells.
std::optional<Cost> kernel_test_cost(const evidence::Evidence& evidence, const Json& options) {
  const KernelTestSettings settings = kernel_test_options().read(options);
  std::optional<Cost> cost = row_cost(evidence, compared_roles(), {"forget"}, {});
  if (!cost) return cost;
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (model.has("forget")) cost->rows = std::max(cost->rows, model.outputs.at("forget").rows());
    }
  }
  const std::size_t examples = std::min(cost->rows, settings.rows);
  const std::size_t compared = models_of(evidence, compared_roles());
  const auto rows = static_cast<double>(examples);
  const auto models = static_cast<double>(compared);
  const auto factors = static_cast<double>(settings.test.bandwidths * settings.test.lambdas.size());
  cost->seconds = 1e-9 * models * factors * rows * rows *
                  (rows + static_cast<double>(settings.test.permutations));
  cost->fewest = 10;
  cost->work = reason(Code::work_of_models, compared, examples, 0);
  return cost;
}

}  // namespace

Family kernel_test_family() {
  return {.name = "kernel_test",
          .summary =
              "are outputs on forget examples closer to the original's or to a retrained model's?",
          .metrics = kernel_test_metrics(),
          .ranges = {{"kernel_test", kShare}},
          .support = kernel_test_support,
          .prepare = each(measure_kernel_test),
          .options = kernel_test_options().options(),
          .on_request = true,
          .impossible = kernel_test_impossible,
          .cost = kernel_test_cost};
}

}  // namespace vestige::metrics
