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
              "shadows", "Shadow models to use, the first in name order; 0: all",
              [](Settings & s) -> auto& { return s.shadows; })
          .text(
              "fitted",
              "Fitted model of LiRA and IAM, a checkpoint such as original.100 (default: the "
              "original)",
              [](Settings & s) -> auto& { return s.fitted; });
  return table;
}

LmSettings lm_settings(const Request& request) { return lm_options().read(request.options); }

}  // namespace vestige::metrics
