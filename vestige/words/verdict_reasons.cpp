// What stands in the way of a verdict, beside it and behind its tests.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries verdict_words() {
  return {
      {Code::no_retrained_model,
       "there is no retrained model, so nothing shows how a model that never saw these examples "
       "answers. Add retrained/0/forget.npy; or, if the forget examples were drawn at random from "
       "the same source as the test examples, set exchangeable = true in evidence.toml"},
      {Code::no_original_model,
       "there is no original model, so no metric can be checked for detecting traces at all. Add "
       "original/0/forget.npy"},
      {Code::no_unseen_examples,
       "the forget examples are declared to be a random draw, but there are no unseen examples to "
       "compare with. Add test.npy of the method, and labels/test.npy"},
      {Code::no_metric_tells_original,
       "no metric on this evidence tells the original from the retrained model, so none can say "
       "what was forgotten. More forget examples, more unseen examples (test) or more models per "
       "group would help"},
      {Code::nothing_to_compare,
       "no test could be run. The method, the retrained and the original models need outputs on "
       "the "
       "same forget and unseen examples: add forget.npy and test.npy of each, and labels"},
      {Code::outputs_missing,
       "some models have no outputs on the {split} set, so the gap to unseen examples cannot be "
       "measured. Add {files:some}"},
      {Code::gap_labels_missing,
       "the labels of the {split} set are missing, so the gap to unseen examples cannot be "
       "measured. Add labels/{split}.npy"},
      {Code::utility_not_measured,
       "utility was not measured on {splits:and}, so forgetting cannot be told from a damaged "
       "model{+files}. Add {files:some}{/}"},
      {Code::utility_at_chance,
       "retrained models are right on {right:percent} of the {split} set, no more often than by "
       "always answering its most frequent class ({chance:percent}). No loss of utility could be "
       "seen there. Export {split} examples with their true labels"},
      {Code::utility_beyond_margin,
       "utility is not shown to be kept: {metric:name} is {loss:.4f} below that of retrained "
       "models, and the margin is {margin:.4f}"},
      {Code::utility_too_uncertain,
       "utility is known too imprecisely for FORGOTTEN: in {metric:name} a loss of {loss:.3f} "
       "cannot be excluded, and {allowed:.3f} is allowed. More retain and test examples, or more "
       "models, would help"},
      {Code::one_answer,
       "{share:percent} of its answers on retain and test examples are class {class}"},
      {Code::right_by_chance,
       "its answers on retain and test examples are right in {right:percent} of cases, chance "
       "being "
       "{chance:percent}. Either the model is destroyed, or its rows are in another order than the "
       "labels"},
      {Code::perplexity_destroyed,
       "its perplexity on retain and test examples is at least {times:.3g} times that of the "
       "retrained models"},
      {Code::likelihood_destroyed,
       "on retain and test examples it has lost at least {share:percent} of what the retrained "
       "models know beyond a uniform guess"},
      {Code::loss_destroyed,
       "its mean loss on retain and test examples is at least {rise:.3g} above that of the "
       "retrained models"},
      {Code::split_in_other_order,
       "the rows of its {split} file look like rows in another order (W-ORDER), so all this may be "
       "a mistake of the export"},
      {Code::same_in_splits,
       "in {same} of {splits#split} it repeats the values of a retrained model{+left_out}; these "
       "splits are left out{/}"},
      {Code::destroyed_in_splits, "its models are destroyed in {destroyed} of {splits#split}"},
      {Code::found_in_splits, "this holds in {found} of {splits#split}"},
      {Code::limit_no_retrained,
       "without a retrained model, traces can be shown but forgetting cannot. All of it assumes "
       "that the forget examples are a random draw"},
      {Code::limit_one_retrained_by_unseen,
       "only one retrained model was supplied, so the normal variation between training runs was "
       "estimated from unseen examples"},
      {Code::limit_one_retrained_not_told,
       "only one retrained model was supplied, and no metric tells it from the original. A "
       "difference may be the chance of one training run, so none is shown"},
      {Code::limit_one_retrained_alone,
       "only one retrained model and no unseen examples were supplied. A difference may be the "
       "chance of one training run, so none is shown"},
      {Code::limit_shadow_models,
       "shadow models were trained on other examples; they do not replace a model retrained "
       "without the forget examples"},
      {Code::limit_model_alone,
       "only the unlearned model was supplied; its answers can be described, not judged"},
      {Code::limit_always,
       "nothing is shown about attacks that were not run or examples that were not supplied"},
      {Code::limit_metrics_left_out,
       "left out, because they cannot tell the original from the retrained model here: {metrics}"},
      {Code::limit_class_forgotten,
       "a whole class was forgotten. Outputs cannot tell a model that suppresses the class from a "
       "model that never saw it; activations or recovery tests can"},
      {Code::limit_people_forgotten,
       "people (or subclasses) were forgotten as a whole. One retrained model cannot show how much "
       "models differ by person, and seldom shows forgetting (docs/validation/verdict-rates.md has "
       "rates). Supply two retrained models"},
      {Code::limit_declared_accuracy,
       "accuracy on {splits:and} was taken from accuracy.json and could not be computed from "
       "outputs"},
      {Code::limit_unlike_examples,
       "the forget set is unlike the unseen examples (distance {distance:.2f} of 1 between the "
       "retrained models' answers on both). A difference counts only beyond the smallest effect, "
       "and intervals are wider; more models per group narrow them"},
      {Code::shadows_support_draw,
       "{models#shadow model}, trained on none of these examples, {models?agrees/agree} with a "
       "random draw: forget minus test examples is {gap:.3f} in {signal} (95 % interval "
       "{lower:.3f} "
       "to {upper:.3f})"},
      {Code::shadows_doubt_draw,
       "{models#shadow model}, trained on none of these examples, {models?contradicts/contradict} "
       "a "
       "random draw: forget minus test examples is {gap:.3f} in {signal} (95 % interval "
       "{lower:.3f} "
       "to {upper:.3f}). The verdict may be due to that"},
      {Code::below_smallest_effect, "smaller than the declared smallest effect"},
      {Code::retain_utility_lost, "accuracy on the retain set is lost, which looks like traces"},
      {Code::retain_known_better,
       "the retain set is known better than by retrained models, which looks like over-forgetting"},
      {Code::unseen_known_less, "unseen examples are known less well too"},
      {Code::unseen_known_better, "unseen examples are known better too"},
      {Code::signals_disagree,
       "other signals do not show it, and the unseen examples come from people or subclasses that "
       "models know better"},
      {Code::by_paired_bootstrap, "paired bootstrap over {pairs#pair}"},
      {Code::by_paired_t, "paired t over {pairs#pair}"},
      {Code::by_welch, "Welch t over {left} and {right} models"},
      {Code::by_one_against_many, "t of one model against {models}"},
      {Code::by_mover, "MOVER of two intervals"},
      {Code::by_unseen_examples,
       "{forget} forget and {unseen} unseen examples; {left} unlearned and {right#retrained "
       "model}"},
      {Code::by_examples_and_models, "{examples#example}; {left} and {right#model}"},
      {Code::by_distance_beyond_unseen,
       "distance in either direction on forget examples beyond that on unseen examples"},
      {Code::by_model_alone, "{forget} forget and {unseen} unseen examples of the model alone"},
      {Code::by_splits, "{splits#split}; each: {how}"},
  };
}

}  // namespace vestige::words
