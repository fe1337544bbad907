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

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> kernel_test_metrics() {
  return {
      {"kernel_test.chi_squared", Direction::higher, kUndefined,
       "kernel test, chi-squared (de-regularised MMD)",
       "p that answers on forget rows are nearer to the original's than to a retrained model's",
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
        "rows", "forget rows at most, drawn by the seed; time grows with their cube",
        [](auto& o) -> auto& { return o.rows; }, at_least(10));
    made.count(
        "permutations", "exchanges of retrained and original rows behind a p-value",
        [](auto& o) -> auto& { return o.test.permutations; }, at_least(19));
    made.count(
        "bandwidths", "bandwidths of the kernel that are aggregated",
        [](auto& o) -> auto& { return o.test.bandwidths; }, at_least(1));
    made.numbers(
        "lambdas", "regularisations of the witness that are aggregated",
        [](auto& o) -> auto& { return o.test.lambdas; });
    return made;
  }();
  return table;
}

Matrix chosen_rows(const evidence::Evidence& evidence, const evidence::Model& model,
                   const std::vector<std::size_t>& rows) {
  return evidence::probabilities(model.outputs.at("forget"), evidence.kind, rows);
}

std::string obstacle(const Comparison& comparison) {
  const auto lacks = [](const Models& models) {
    return models.empty() || !models.front()->has("forget");
  };
  if (lacks(comparison.candidate)) return "needs this model's outputs on forget: add forget.npy";
  if (lacks(comparison.original)) return "needs the original: add original/0/forget.npy";
  if (!lacks(comparison.retrained)) return {};
  return comparison.control == Control::floor
             ? "needs a second retrained model: add retrained/1/forget.npy"
             : "needs a retrained model: add retrained/0/forget.npy";
}

Measurements measure_kernel_test(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  const KernelTestSettings settings = kernel_test_options().read(request.options);
  const std::string why = obstacle(comparison);
  if (!why.empty()) {
    for (const WitnessDivergence divergence : kWitnessDivergences) {
      Row row = make_row(fmt::format("kernel_test.{}", name(divergence)), comparison, request);
      row.status = Status::skipped;
      row.note = why;
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
      row.note = "all answers coincide, or there are fewer than two rows";
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

Support kernel_test_support(const evidence::Evidence& evidence) {
  for (const char* role : {"retrained", "original"}) {
    const evidence::Group* group = evidence.find(role);
    if (group == nullptr || !has_outputs(group->models.front(), {"forget"})) {
      return {false,
              fmt::format("compares with retrained and original: add {}/0/forget.npy", role)};
    }
  }
  return {true, ""};
}

std::string kernel_test_impossible(const Planned& planned) {
  if (!planned.asks("kernel_test")) return {};
  if (planned.models.at("retrained") > 0 && planned.models.at("original") > 0) return {};
  return "kernel_test compares with retrained and original: give [pool] retrained and original 1";
}

/// For every bandwidth and regularisation a factor of a matrix of rows, and a solution for each
/// permutation. Measured as docs/scale.md tells.
std::optional<Cost> kernel_test_cost(const evidence::Evidence& evidence, const Json& options) {
  const KernelTestSettings settings = kernel_test_options().read(options);
  std::optional<Cost> cost =
      row_cost(evidence, compared_roles(), {"forget"}, {}, "three kernel tests");
  if (!cost) return cost;
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (model.has("forget")) cost->rows = std::max(cost->rows, model.outputs.at("forget").rows());
    }
  }
  const auto rows = static_cast<double>(std::min(cost->rows, settings.rows));
  const auto models = static_cast<double>(models_of(evidence, compared_roles()));
  const auto factors = static_cast<double>(settings.test.bandwidths * settings.test.lambdas.size());
  cost->seconds = 1e-9 * models * factors * rows * rows *
                  (rows + static_cast<double>(settings.test.permutations));
  cost->fewest = 10;
  cost->work = fmt::format("kernel tests of {} models, on {} rows", models, rows);
  return cost;
}

}  // namespace

Family kernel_test_family() {
  return {.name = "kernel_test",
          .summary = "are answers on forget rows nearer to the original's or to retrained's?",
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
