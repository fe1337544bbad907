// Rows of the generation family.
#include "vestige/metrics/generation/generation_family.h"

#include <cmath>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/generation/frechet.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/inputs/held_rows.h"

namespace vestige::metrics {
namespace {

/// activations/features/{generated,test}: the same features of samples and of test rows.
constexpr const char* kFeatures = "features";
constexpr const char* kGenerated = "generated";
constexpr const char* kTest = "test";

bool has_samples(const evidence::Model& model) {
  const auto layer = model.activations.find(kFeatures);
  return layer != model.activations.end() && layer->second.contains(kGenerated) &&
         layer->second.contains(kTest);
}

Reason needs_samples(const std::string& model) {
  return reason(Code::needs_samples, model + "/activations/features/{generated,test}.npy");
}

std::vector<MetricInfo> generation_metrics() {
  return {{.id = "generation.frechet",
           .direction = Direction::lower,
           .ideal = kUndefined,
           .name = "Frechet distance of samples",
           .what = "Frechet distance between features of a model's samples and of test examples",
           .brief = "samples"}};
}

/// The distance between two halves of the rows, drawn by the seed: what chance alone gives at half
/// the rows.
double distance_of_halves(const Matrix& rows, std::uint64_t seed) {
  Stream stream(seed, "generation.halves");
  const std::vector<std::size_t> order = stream.permutation(rows.rows());
  const auto half = static_cast<std::ptrdiff_t>(order.size() / 2);
  return frechet_distance(select_rows(rows, {order.begin(), order.begin() + half}),
                          select_rows(rows, {order.begin() + half, order.begin() + 2 * half}));
}

Measurements measure_generation(const Comparison& comparison, const Request& request, Progress&) {
  const evidence::Model& model = *comparison.candidate.front();
  Row row = make_row("generation.frechet", comparison, request);
  Measurements out;
  if (!has_samples(model)) {
    row.status = Status::skipped;
    row.notes = {needs_samples(model.id())};
    out.rows.push_back(std::move(row));
    return out;
  }
  const auto& features = model.activations.at(kFeatures);
  const Matrix generated = evidence::matrix(features.at(kGenerated));
  const Matrix test = evidence::matrix(features.at(kTest));
  require(
      generated.cols() == test.cols(),
      "{}: features of samples have {} columns, those of test examples {}; export the same layer",
      model.id(), generated.cols(), test.cols());
  row.n = generated.rows();
  // The distance falls with the number of rows, so that only equal numbers compare.
  row.settings["samples"] = generated.rows();
  row.settings["test_rows"] = test.rows();
  row.facts["columns"] = generated.cols();
  row.facts["test_halves"] = json_number(distance_of_halves(test, request.seed));
  row.value = frechet_distance(generated, test);
  if (std::isnan(row.value)) {
    row.status = Status::undefined;
    const bool few_samples = generated.rows() < 2;
    row.notes = {reason(Code::needs_more_examples, few_samples ? kGenerated : kTest,
                        few_samples ? generated.rows() : test.rows(), 2)};
  }
  out.rows.push_back(std::move(row));
  return out;
}

Support generation_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (has_samples(model)) return {true, {}};
    }
  }
  return {false, needs_samples("original/0")};
}

Reason generation_too_large(const evidence::Evidence& evidence, const Json&,
                            const Context& context) {
  return activations_beyond_memory(context, evidence, {kGenerated, kTest});
}

}  // namespace

Family generation_family() {
  return {.name = "generation",
          .summary = "how far samples of a generative model are from real examples",
          .metrics = generation_metrics(),
          .ranges = {{"generation", kFromZero}},
          .support = generation_support,
          .prepare = each(measure_generation),
          .too_large = generation_too_large};
}

}  // namespace vestige::metrics
