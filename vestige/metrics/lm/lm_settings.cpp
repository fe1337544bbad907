// The table of options.
#include "vestige/metrics/lm/lm_settings.h"

#include "vestige/metrics/option_bounds.h"

namespace vestige::metrics {
namespace {

std::string percent(const Json& value) {
  const auto number = value.get<double>();
  return number > 0 && number <= 100
             ? ""
             : "give a share of tokens in per cent, more than 0 and at most 100";
}

}  // namespace

const OptionTable<LmSettings>& lm_options() {
  using Settings = LmSettings;
  static const OptionTable<Settings> table =
      OptionTable<Settings>("lm")
          .number(
              "k", "Per cent of tokens in min-k%", [](Settings & s) -> auto& { return s.k; },
              percent)
          .number(
              "plus_plus_k", "Per cent of tokens in min-k%++",
              [](Settings & s) -> auto& { return s.plus_plus_k; }, percent)
          .number(
              "surp_k", "Per cent of tokens in SURP",
              [](Settings & s) -> auto& { return s.surp_k; }, percent)
          .number(
              "surp_entropy", "Entropy in nats below which a position counts as certain in SURP",
              [](Settings & s) -> auto& { return s.surp_entropy; }, above(0))
          .number(
              "privleak_k", "Per cent of tokens in the min-k% behind PrivLeak",
              [](Settings & s) -> auto& { return s.privleak_k; }, percent)
          .choice(
              "rule", "Extraction strength of a sequence whose last token is wrong: 0 or 1/n",
              [](Settings & s) -> auto& { return s.rule; },
              std::vector<std::pair<std::string, ExtractionRule>>{
                  {"strict", ExtractionRule::strict},
                  {"at_least_one", ExtractionRule::at_least_one}})
          .count(
              "queries", "Samples that an extraction of a forget sequence may take",
              [](Settings & s) -> auto& { return s.queries; }, at_least(1))
          .number(
              "extractable",
              "Probability of success within those samples from which a sequence is extractable",
              [](Settings & s) -> auto& { return s.extractable; },
              [](const Json& value) {
                const auto number = value.get<double>();
                return std::string(
                    number > 0 && number <= 1 ? "" : "give a probability above 0, at most 1");
              })
          .count(
              "levels", "IAM levels of language models",
              [](Settings & s) -> auto& { return s.iam.levels; }, within(2, 10'000))
          .choice(
              "direction",
              "IAM levels from original to shadow (code) or from shadow to original (paper)",
              [](Settings & s) -> auto& { return s.iam.direction; },
              std::vector<std::pair<std::string, LmDirection>>{{"paper", LmDirection::paper},
                                                               {"code", LmDirection::code}})
          .number(
              "epsilon1", "Bounds IAM responses near p = 0",
              [](Settings & s) -> auto& { return s.iam.epsilon1; }, above(0))
          .number(
              "epsilon2", "Bounds IAM responses near p = 1",
              [](Settings & s) -> auto& { return s.iam.epsilon2; }, above(0))
          .count(
              "batch",
              "Standard deviations of IAM over so many sequences in an order drawn by the seed "
              "(the authors: 64); 0: over all",
              [](Settings & s) -> auto& { return s.iam.batch; })
          .number(
              "rmia_gamma", "Ratio of likelihood ratios from which RMIA counts a pair as won",
              [](Settings & s) -> auto& { return s.rmia.gamma; }, above(0))
          .number(
              "rmia_a",
              "RMIA offline: p(x) is (1 + a) / 2 of the mean over shadows, plus (1 - a) / 2",
              [](Settings & s) -> auto& { return s.rmia.a; }, between(0, 1))
          .choice(
              "bag_of_words", "Classifier on word counts",
              [](Settings & s) -> auto& { return s.bag_of_words; },
              std::vector<std::pair<std::string, BagOfWordsClassifier>>{
                  {"forest", BagOfWordsClassifier::forest},
                  {"logistic", BagOfWordsClassifier::logistic}})
          .count(
              "shadows", "Shadow models to use, the first in name order; 0: all",
              [](Settings & s) -> auto& { return s.shadows; })
          .text(
              "fitted",
              "Fitted model of LiRA and IAM, a checkpoint such as original.100 (default: the "
              "original)",
              [](Settings & s) -> auto& { return s.fitted; });
  return table;
}

LmSettings lm_settings(const Request& request) {
  LmSettings settings = lm_options().read(request.options);
  settings.seed = request.seed;
  return settings;
}

}  // namespace vestige::metrics
