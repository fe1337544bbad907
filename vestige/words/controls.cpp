// What controls say about a metric, and what an audit says about itself.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries control_words() {
  return {
      {Code::cannot_tell_original,
       "cannot tell the original model ({original}) from the retrained model ({retrained}) on this "
       "evidence: the 95 % interval of their difference, [{lower:.3g}, {upper:.3g}], contains 0. "
       "Its values for methods are noise"},
      {Code::original_rated_better,
       "rates the original model ({original}) better than the retrained model ({retrained}) on "
       "this evidence. Its values for methods cannot be read as forgetting"},
      {Code::made_of_failed_metric, "is computed from {metric}, which {reasons}"},
      {Code::about_metric, "{metric} {reasons}"},
      {Code::about_metrics, "{metrics}: {reasons}"},
      {Code::original_retrained_difference,
       "{metric}: the original model scores {original}, a retrained model {retrained}. A method "
       "can only score between the two"},
      {Code::constant_as_good,
       "{metric}: a constant predictor scores as well ({constant}) as the retrained model "
       "({retrained}). On its own this metric cannot tell forgetting from a broken model; read it "
       "with the accuracies"},
      {Code::infinite_value, "the value is infinite"},
      {Code::negative_infinite_value, "the value is minus infinity"},
      {Code::no_unlearned_model,
       "there is no unlearned model, so only the reference models are measured: add "
       "unlearned/METHOD/0/forget.npy"},
      {Code::random_draw_supported,
       "the forget examples are declared to be a random draw. The retrained models agree: their "
       "{metric:name} is {gap:.3f} (p = {p:.2g})"},
      {Code::random_draw_doubtful,
       "the forget examples are declared to be a random draw. The retrained models disagree: their "
       "{metric:name} is {gap:.3f} (p = {p:.2g}). Do not trust a verdict without retrained models"},
      {Code::only_on_request, "measured only on request: --metrics {group}"},
      {Code::addition_not_asked,
       "left out by --metrics. The evidence has recovery tests, and the verdicts do not mention "
       "them: add {group} to --metrics"},
      {Code::takes_long, "takes about {seconds:duration} of processor time: {work}"},
      {Code::takes_too_long,
       "would take about {seconds:duration} of processor time: {work}. {+rows}{flag} {rows:.0f} "
       "would fit; {/}--metrics {group} measures it anyway, --cost-hours {hours:.0f} allows it "
       "for every metric group"},
      {Code::models_without_value,
       "{without} of {models#model} {without?has/have} no value: {reasons}"},
  };
}

}  // namespace vestige::words
