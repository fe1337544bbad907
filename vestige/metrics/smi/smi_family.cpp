// Rows of the SMI family.
#include "vestige/metrics/smi/smi_family.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/base/seed.h"
#include "vestige/evidence/blocks.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/option_bounds.h"
#include "vestige/metrics/smi/smi.h"

namespace vestige::metrics {
namespace {

enum class SmiFeatures { confidence, softmax, activations };

struct SmiSettings {
  SmiFeatures features = SmiFeatures::confidence;
  std::size_t rows = 800;
  std::size_t replicates = SmiOptions{}.replicates;
};

std::vector<MetricInfo> smi_metrics() {
  return {
      {"smi.share", Direction::match, kUndefined, "SMI forgetting rate",
       "share of test in the mixture of retain and test examples that forget examples look like",
       true}};
}

const OptionTable<SmiSettings>& smi_options() {
  static const OptionTable<SmiSettings> table = [] {
    OptionTable<SmiSettings> made("smi");
    const std::vector<std::pair<std::string, SmiFeatures>> features = {
        {"confidence", SmiFeatures::confidence},
        {"softmax", SmiFeatures::softmax},
        {"activations", SmiFeatures::activations}};
    made.choice(
        "features",
        "What is compared: the probability of the true class, all probabilities, or the "
        "penultimate "
        "layer",
        [](auto& o) -> auto& { return o.features; }, features);
    made.count(
        "rows", "Examples per split at most, drawn by the seed",
        [](auto& o) -> auto& { return o.rows; }, within(10, 1'000'000));
    made.count(
        "replicates", "Bootstrap draws for the interval",
        [](auto& o) -> auto& { return o.replicates; }, within(20, 100'000));
    return made;
  }();
  return table;
}

constexpr const char* kLayer = "penultimate";

bool has_smi_features(const evidence::Evidence& evidence, const evidence::Model& model,
                      SmiFeatures features) {
  for (const char* split : {"forget", "retain", "test"}) {
    if (features == SmiFeatures::activations) {
      const auto layer = model.activations.find(kLayer);
      if (layer == model.activations.end() || layer->second.count(split) == 0) return false;
    } else if (!model.has(split) || (features == SmiFeatures::confidence &&
                                     evidence.find_labels(model, split) == nullptr)) {
      return false;
    }
  }
  return true;
}

/// Some rows of a split's features; the draw depends on the seed and the number of rows alone.
Matrix features_of(const evidence::Evidence& evidence, const evidence::Model& model,
                   const char* split, const SmiSettings& settings, std::uint64_t seed) {
  const evidence::Array& array = settings.features == SmiFeatures::activations
                                     ? model.activations.at(kLayer).at(split)
                                     : model.outputs.at(split);
  std::vector<std::size_t> rows(array.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() > settings.rows) {
    Stream stream(seed, std::string("smi.rows.") + split);
    rows = stream.sample(rows.size(), settings.rows);
  }
  if (settings.features == SmiFeatures::activations) return evidence::matrix(array, rows);
  const Matrix probabilities = evidence::probabilities(array, evidence.kind, rows);
  if (settings.features == SmiFeatures::softmax) return probabilities;
  const auto* labels = evidence.find_labels(model, split);
  Matrix confidences(rows.size(), 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    confidences(i, 0) = probabilities(i, static_cast<std::size_t>((*labels)[rows[i]]));
  }
  return confidences;
}

/// Median distance over rows of all samples, at most 400 of each.
double pooled_median(std::span<const Matrix> samples) {
  std::vector<std::span<const double>> rows;
  for (const Matrix& sample : samples) {
    const std::size_t count = std::min<std::size_t>(sample.rows(), 400);
    for (std::size_t i = 0; i < count; ++i) rows.push_back(sample.row(i * sample.rows() / count));
  }
  Matrix pooled(rows.size(), samples.front().cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), pooled.row(i).begin());
  }
  return median_distance(pooled);
}

Reason missing(SmiFeatures features, const std::string& model) {
  const std::vector<std::string> splits = {"forget", "retain", "test"};
  return features == SmiFeatures::activations
             ? reason(Code::needs_activations, splits,
                      model + "/activations/penultimate/{forget,retain,test}.npy")
             : reason(Code::needs_outputs_and_labels, splits,
                      model + "/{forget,retain,test}.npy and labels/{forget,retain,test}.npy");
}

Measurements measure_smi(const Comparison& comparison, const Request& request, Progress&) {
  const SmiSettings settings = smi_options().read(request.options);
  const evidence::Evidence& evidence = *comparison.evidence;
  const evidence::Model& model = *comparison.candidate.front();
  Row row = make_row("smi.share", comparison, request);
  row.settings["features"] = settings.features == SmiFeatures::confidence ? "confidence"
                             : settings.features == SmiFeatures::softmax  ? "softmax"
                                                                          : "activations";
  Measurements out;
  if (!has_smi_features(evidence, model, settings.features)) {
    row.status = Status::skipped;
    row.notes = {missing(settings.features, model.id())};
    out.rows.push_back(std::move(row));
    return out;
  }
  const Matrix samples[] = {features_of(evidence, model, "forget", settings, request.seed),
                            features_of(evidence, model, "retain", settings, request.seed),
                            features_of(evidence, model, "test", settings, request.seed)};
  const double sigma = pooled_median(samples);
  row.n = samples[0].rows();
  if (sigma > 0) {
    const Smi seen = smi(samples[0], samples[1], samples[2], sigma,
                         {.replicates = settings.replicates, .seed = request.seed});
    row.value = seen.share.value;
    row.lower = seen.share.lower;
    row.upper = seen.share.upper;
    if (!std::isnan(row.lower)) row.interval = result::Code::bootstrap_over_three_splits;
    row.facts = {{"sigma", sigma}, {"distance", json_number(seen.distance)}};
  }
  if (std::isnan(row.value)) {
    row.status = Status::undefined;
    row.notes = {reason(Code::no_mixture_of_retain_and_test)};
  }
  out.rows.push_back(std::move(row));
  return out;
}

Support smi_support(const evidence::Evidence& evidence) {
  for (const evidence::Group& group : evidence.groups) {
    if (group.role == "shadow" || group.role == "random") continue;
    if (has_smi_features(evidence, group.models.front(), SmiFeatures::confidence)) {
      return {true};
    }
  }
  return {false, missing(SmiFeatures::confidence, "{original,retrained}/0")};
}

}  // namespace

Family smi_family() {
  return {.name = "smi",
          .summary = "where forget examples lie between retain and test examples of the same model",
          .metrics = smi_metrics(),
          .ranges = {{"smi", {}}},
          .support = smi_support,
          .prepare = each(measure_smi),
          .options = smi_options().options(),
          .on_request = true};
}

}  // namespace vestige::metrics
