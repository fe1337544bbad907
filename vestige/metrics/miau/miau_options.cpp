// The options of MIAU.
#include "vestige/metrics/miau/miau_options.h"

#include <algorithm>

#include "vestige/metrics/option_bounds.h"

namespace vestige::metrics {
namespace {

template <typename Enumeration>
std::vector<std::pair<std::string, Enumeration>> words(std::initializer_list<Enumeration> all) {
  std::vector<std::pair<std::string, Enumeration>> result;
  for (const Enumeration value : all) result.emplace_back(name(value), value);
  return result;
}

std::string refuse_weights(const Json& list) {
  if (list.size() != 3) {
    return "give three weights: forget vs retain, forget vs test, retain vs test";
  }
  MiauOptions options;
  std::transform(list.begin(), list.end(), options.weights.begin(),
                 [](const Json& value) { return value.get<double>(); });
  try {
    check_miau_options(options);
  } catch (const InputError&) {
    return "weights must be 0 or more and sum to 1";
  }
  return {};
}

}  // namespace

const OptionTable<MiauChoices>& miau_options() {
  using Choices = MiauChoices;
  static const OptionTable<Choices> table =
      OptionTable<Choices>("miau")
          .count(
              "seeds", "Attack seeds per value; the paper has 1",
              [](Choices & c) -> auto& { return c.settings.seeds; }, within(1, 1000))
          .count(
              "rows", "Examples per group at most, drawn by the seed once for all models; 0: all",
              [](Choices & c) -> auto& { return c.settings.rows; })
          .numbers(
              "weights",
              "Weights of forget-retain, forget-test, retain-test, e.g. 0.5,0.25,0.25 "
              "(default: thirds)",
              [](Choices & c) -> auto& { return c.weights; }, refuse_weights)
          .number(
              "alpha", "Steepness of the logistic map",
              [](Choices & c) -> auto& { return c.settings.score.alpha; }, above(0))
          .choice(
              "features", "What the attack sees",
              [](Choices & c) -> auto& { return c.settings.features; },
              words({AttackFeatures::softmax, AttackFeatures::sorted_softmax,
                     AttackFeatures::logits, AttackFeatures::true_class, AttackFeatures::saliency}))
          .choice(
              "attack",
              "What attacks a pair of splits: a classifier on features, or a threshold on the "
              "scores of LiRA, of shadow models or of quantile regression",
              [](Choices & c) -> auto& { return c.settings.inner; },
              words({InnerAttack::features, InnerAttack::lira, InnerAttack::shadow,
                     InnerAttack::quantile}))
          .choice(
              "classifier", "Which attack",
              [](Choices & c) -> auto& { return c.settings.classifier; },
              words({AttackClassifier::logistic, AttackClassifier::svc_rbf,
                     AttackClassifier::xgboost}))
          .choice(
              "graded",
              "Forget examples that graded retrains are scored on: the removed ones, or all",
              [](Choices & c) -> auto& { return c.settings.graded; },
              words({GradedRows::removed, GradedRows::all}));
  return table;
}

MiauSettings miau_settings(const Request& request) {
  const MiauChoices choices = miau_options().read(request.options);
  MiauSettings settings = choices.settings;
  settings.seed = request.seed;
  std::copy(choices.weights.begin(), choices.weights.end(), settings.score.weights.begin());
  return settings;
}

}  // namespace vestige::metrics
