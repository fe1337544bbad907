// Reading shadow models and originals for the attacks.
#include "vestige/metrics/attacks/attack_references.h"

#include <algorithm>
#include <utility>

namespace vestige::metrics {
namespace {

/// Share of models that RMIA's mean leaves out: IAM's published form trims, the meter's does not.
double trimmed(RmiaSignal signal) { return signal == RmiaSignal::softmax ? 0 : 0.2; }

std::vector<double> without_original(RmiaSignal signal,
                                     const std::vector<std::vector<double>>& values,
                                     const RmiaSettings& settings) {
  return offline_reference(mean_signals(stacked_models(values), trimmed(signal)),
                           signal == RmiaSignal::softmax ? 0.3 : settings.a);
}

/// OUT models and as many copies of the IN model.
std::vector<double> with_original(RmiaSignal signal, std::vector<std::vector<double>> values,
                                  const std::vector<double>& original) {
  values.resize(2 * values.size(), original);
  return mean_signals(stacked_models(values), trimmed(signal));
}

}  // namespace

const std::vector<std::string_view>& population_split() {
  static const std::vector<std::string_view> split = {"test"};
  return split;
}

std::vector<double> rmia_values(const Context& context, const evidence::Evidence& evidence,
                                const evidence::Model& model, RmiaSignal signal,
                                const std::vector<std::string_view>& splits,
                                const RmiaSettings& settings) {
  if (signal == RmiaSignal::softmax)
    return true_class(context, evidence, model, splits).probability;
  return taylor_signals(context, evidence, model, splits, settings.temperature);
}

ShadowPart::ShadowPart(const Context& context, const evidence::Evidence& evidence,
                       const Models& chosen, const RmiaSettings& settings)
    : rmia(settings),
      logits(evidence.kind == evidence::OutputKind::logits),
      models(chosen),
      population(!models.empty()) {
  std::vector<UnleakPair> pairs = shadow_pairs(evidence, models);
  // Pairs may be models of their own, beside the shadows that the other attacks use.
  if (pairs.empty()) pairs = shadow_pairs(evidence, {});
  if (!pairs.empty() && evidence.classes >= kUnleakClasses) {
    unleak = std::make_shared<const UnleakAttack>(pairs);
  }
  std::vector<std::vector<double>> values;
  for (const evidence::Model* model : models) {
    TrueClass said = true_class(context, evidence, *model, query_splits());
    rows.push_back({{}, {}, std::move(said.scaled), std::move(said.output)});
    values.push_back(rows.back().scaled);
    population = population && covers(*model, population_split());
  }
  if (models.empty()) return;
  scaled = stacked_models(values);
  moments = shadow_moments(scaled);
  for (const RmiaSignal signal : {RmiaSignal::taylor, RmiaSignal::softmax}) {
    if (!population || (signal == RmiaSignal::taylor && !logits)) continue;
    for (const evidence::Model* model : models) {
      on_rows[signal].push_back(
          rmia_values(context, evidence, *model, signal, query_splits(), rmia));
      on_population[signal].push_back(
          rmia_values(context, evidence, *model, signal, population_split(), rmia));
    }
    offline[signal] = {without_original(signal, on_rows.at(signal), rmia),
                       without_original(signal, on_population.at(signal), rmia)};
  }
}

OriginalPart::OriginalPart(const Context& context, const evidence::Evidence& evidence,
                           const Models& originals, const ShadowPart& shadows) {
  for (const evidence::Model* candidate : originals) {
    if (model == nullptr && covers(*candidate, query_splits())) model = candidate;
  }
  if (model == nullptr) return;
  scaled = true_class(context, evidence, *model, query_splits()).scaled;
  if (!shadows.population || !covers(*model, population_split())) return;
  for (const auto& [signal, values] : shadows.on_rows) {
    online[signal] = {
        with_original(signal, values,
                      rmia_values(context, evidence, *model, signal, query_splits(), shadows.rmia)),
        with_original(
            signal, shadows.on_population.at(signal),
            rmia_values(context, evidence, *model, signal, population_split(), shadows.rmia))};
  }
}

}  // namespace vestige::metrics
