// Texts of reasons/notes.def.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries note_words() {
  return {
      // groups M to Z
      {Code::retain_and_test_look_alike,
       "the attack cannot distinguish retain from test examples, so its answer on the forget set "
       "means nothing"},
      {Code::attack_without_score, "the attack gives no score for some example"},
      {Code::attack_without_answer,
       "the attack has no answer on {train} training and {test} test examples: supply more"},
      {Code::false_positive_rate_too_low,
       "this false positive rate cannot be resolved: the attacked models have fewer than "
       "{examples} examples they were not trained on"},
      {Code::examples_with_few_models,
       "{examples#example} {examples?was/were} left out: fewer than {models#model} were trained "
       "with or without {examples?it/them}"},
      {Code::no_interval_from_one_attack, "there is no interval, because only one attack was run"},
      {Code::answers_are_constant,
       "the model gives the same answer for every example, so the attack is at chance"},
      {Code::test_probability_is_exact,
       "the probability of some test example is exactly 0 or 1: export logits instead"},
      {Code::about_model, "{model}: {reasons}"},
      {Code::attack_cannot_tell_original,
       "on {task} the attack cannot tell the original model ({original:.1f} %) from the retrained "
       "model ({retrained:.1f} %): the central 95 % of their difference over {seeds#attack seed}, "
       "{lower:.1f} to {upper:.1f} points, contain 0"},
      {Code::work_of_attacks,
       "{attacks} {classifier} attacks on each of {models#model}, on up to {examples#example} with "
       "{columns#column}"},
      {Code::score_divides_by_noise, "the score divides by that difference, so it is noise"},
      {Code::task_cannot_tell_original, "{task} ({original:.1f} and {retrained:.1f} %)"},
      {Code::score_is_noise,
       "the score is noise: on none of the three tasks can the attack tell the original model from "
       "the retrained model, and the score divides by their difference: {reasons}"},
      {Code::score_is_partly_noise,
       "the score is partly noise: the attack cannot tell the original model from the retrained "
       "model on {reasons}"},
      {Code::graded_models_in_order,
       "models retrained without more of the forget set score higher, as they should"},
      {Code::graded_models_out_of_order,
       "models retrained without more of the forget set do not score higher, although they "
       "should"},
      {Code::canary_confidence_undefined,
       "there are no canaries, or the confidence in one of them is not a number"},
      {Code::activations_constant_or_too_few,
       "the activations are constant, or there are fewer than two examples"},
      {Code::nothing_to_recover,
       "nothing could come back: the original does not know these examples better than retrained "
       "models by more than chance (difference {difference:.3g}, lower end of the 95 % interval "
       "{lower:.3g})"},
      {Code::recovery_test_destroys_original,
       "the recovery test {test} destroys what could come back: after it even the original "
       "({after:.3g}) cannot be told from retrained models"},
      {Code::different_outputs_than_retrained,
       "the method's and the retrained models' files cannot be compared: all must have outputs, or "
       "all tokens, or all losses"},
      {Code::not_relearnt,
       "not relearnt within the {steps:.0f} steps of the recovery test: use more steps"},
      {Code::retrained_not_relearnt,
       "retrained models do not relearn within the {steps:.0f} steps of the recovery test: use "
       "more steps"},
      {Code::nothing_to_relearn,
       "there is nothing to relearn: retrained models answer these examples like the original "
       "before any step"},
      {Code::series_scores_undefined,
       "the scores of some series are constant or undefined; one shadow model alone has no "
       "spread"},
      {Code::examples_in_other_splits,
       "{examples#example} of {split} {examples?was/were} left out, because {examples?its/their} "
       "{examples?id is/ids are} also in {others:and}"},
      {Code::examples_drawn, "{used} of {available} {split} examples are used, drawn at random"},
      {Code::layer_not_finite,
       "layer {layer} contains NaN or infinite values, the first in row {row} of {split}"},
      {Code::sets_smaller,
       "sets have {size#example} instead of {wanted}, because the retain set has {retain} and the "
       "test set {test}"},
      {Code::odd_set_size,
       "sets of {size} examples cannot be halved, so the last example is left out"},
      {Code::activations_are_constant,
       "inconclusive: the activations are constant, so all sets look the same"},
      {Code::median_distance_is_zero,
       "the median distance is 0, because at least half of the pairs of examples coincide"},
      {Code::bandwidth_is_zero,
       "the median distance is 0, because at least half of the pairs of examples coincide: give "
       "--sde-sigma sqrt_dim or a number"},
      {Code::bandwidth_too_large,
       "sigma = {sigma} is too large, so all pairs of examples look alike (mean kernel value "
       "{mean:.3g}): give --sde-sigma median or a smaller number"},
      {Code::bandwidth_too_small,
       "sigma = {sigma} is too small, so no two examples look alike (mean kernel value "
       "{mean:.3g}): give --sde-sigma median or a larger number (the paper takes 128 for 10-class "
       "logits)"},
      {Code::reference_pairs_fail_u_test,
       "inconclusive: in {passed} of {pairs#reference pair} the retain set shows more dependence "
       "than the test set (U test, p < 0.01); at least half must"},
      {Code::reference_pairs_fail_mean,
       "inconclusive: in {passed} of {pairs#reference pair} the retain set has a higher exact mean "
       "than the test set; at least half must"},
      {Code::references_equally_far,
       "inconclusive: the retain and the test reference are equally far from every set"},
      {Code::dependence_is_constant,
       "the dependence is the same for every set and shuffle, so there is nothing to rank"},
      {Code::no_dependence_across_batches, "the dependence is 0 for every set across batches"},
      {Code::no_mixture_of_retain_and_test,
       "retain and test examples look alike in these features, so forget examples cannot be "
       "placed between them"},
      {Code::confidences_are_infinite,
       "the confidence in some examples is infinite, so there is no likelihood ratio"},
      {Code::retraining_took_no_time, "evidence.toml says that retraining took 0 seconds"},
      {Code::slower_than_cutoff, "the value is above the competition's cut-off of {cutoff}"},
      {Code::divergence_is_infinite,
       "the value is infinite, because a probability is 0 for only one of the two models, which "
       "this form does not allow"},
      // groups A to L
      {Code::no_finite_score, "some examples have no finite score"},
      {Code::one_shadow_has_no_spread,
       "there is only one shadow model, so the score only says whether the model lies above or "
       "below it"},
      {Code::one_shadow_has_no_variance,
       "the variance per example is 0 for one shadow model: add a second shadow model, or give "
       "--iam-variance global"},
      {Code::responses_do_not_vary,
       "the responses of the shadow models do not vary, so no distribution can be fitted"},
      {Code::rate_not_resolvable,
       "this false positive rate cannot be resolved: with {examples#forget example} the smallest "
       "rate above 0 is {percent:.2g} %"},
      {Code::delta1_flags_retrained,
       "compare this rate with the retrained model's: delta1 = {delta:g} was chosen for class "
       "forgetting, and here it flags {rate:.1f} % of the forget examples of the retrained model"},
      {Code::delta1_without_retrained,
       "this rate cannot be interpreted for random forgetting without a retrained model: delta1 "
       "was "
       "chosen for class forgetting"},
      {Code::membership_by_removal,
       "the membership of a forget example is 1 minus the share of the forget set that the model's "
       "training left out"},
      {Code::membership_by_training, "the known membership is how far training had progressed"},
      {Code::outputs_coincide, "all outputs coincide, or there are fewer than two examples"},
      {Code::few_attack_calibration,
       "only {examples#example} {examples?calibrates/calibrate} the attack, too few for this "
       "alpha"},
      {Code::all_called_members,
       "the attack gives every forget example a membership probability of at least 1/2"},
      {Code::prediction_sets_empty,
       "every prediction set is empty, so there is no set size to divide by"},
      {Code::none_predicted_wrong, "no forget example is predicted wrong"},
      {Code::no_interval_of_gap,
       "there is no interval: it needs at least two models per group that differ"},
      {Code::epsilon_needs_models,
       "with {models#model} per group no finite epsilon above 0 can be observed, so F is 0 "
       "whatever "
       "the models answer"},
      {Code::epsilon_is_bounded,
       "with {models#model} per group no finite epsilon above {largest:.2f} can be observed"},
      {Code::model_groups_differ,
       "N is the size of the smaller group: {models#model} {models?is/are} compared with "
       "{retrained#retrained model}"},
      {Code::attacks_discarded, "every attack is discarded on {examples} of {all#example}"},
      {Code::attacks_not_fitted,
       "on {examples} of {all#example} no attack can be fitted, or exactly one smoothed rate is 0, "
       "as for constant outputs"},
      {Code::examples_without_epsilon,
       "{examples#example} without epsilon {examples?is/are} left out"},
      {Code::retrained_accuracy_is_zero,
       "an accuracy of the retrained models is 0, so there is no ratio to it"},
      {Code::f_is_undefined, "F is undefined"},
      {Code::one_experiment, "there is no interval, because there is only one experiment"},
      {Code::experiment_undefined, "F of at least one experiment is undefined"},
      {Code::sequences_without_score,
       "{sequences#sequence} without a score {sequences?is/are} left out{+reasons}: {reasons}{/}"},
      {Code::reference_loss_is_zero, "the loss that the score divides by is 0"},
      {Code::likelihood_ratio_undefined, "a likelihood ratio is not a number"},
      {Code::no_common_word, "no word is in 5 % of the texts, or a split has only one text"},
      {Code::text_without_words, "the text has no words"},
      {Code::deviation_is_zero, "the standard deviation is 0 at every position"},
      {Code::no_surprising_token, "no token is surprising"},
      {Code::scores_all_equal, "all scores, or all known memberships, are equal"},
      {Code::attack_perfect_on_retrained,
       "on the retrained model the attack already separates forget from test sequences perfectly"},
      {Code::utility_part_undefined, "one of the averaged values is not a number"},
      {Code::token_moments_unknown,
       "it is not known whether mean and std are weighted by p or uniform: set token_moments in "
       "evidence.toml"},
      {Code::not_below_retain,
       "the value is no lower than for retain sequences ({retain:.3g}): the model still fits the "
       "forget "
       "sequences, even if a prompt or a filter hides it"},
      {Code::texts_differ,
       "the forget and retain texts use different words, so part of every other AUC may come from "
       "the texts and not from memory: compare with the retrained model"},
      // Metrics of the user.
      {Code::chance_is_not_forgetting,
       "an accuracy at chance shows that these questions, asked in this way, get no answer. It "
       "does "
       "not show that the model forgot: compare with a retrained model, and test recovery"},
      {Code::below_chance,
       "an accuracy below chance means that the model avoids the right answer, so it still knows "
       "it"},
      {Code::one_option_given,
       "the model gives option {option} to {share:percent} of the questions. A model that gives "
       "the "
       "same option to all is at chance, whatever it knows"},
      {Code::no_retrained_beside,
       "no retrained model was measured, so nothing says what a model that never saw the data "
       "would "
       "have here: add {files}"},
      {Code::too_long_to_extract,
       "the probability of every sequence is too small to be told from 0"},
      {Code::metric_of_user,
       "{metric} is a metric of the user and not of Vestige: the Python function {function}, "
       "SHA-256 {source}"},
      {Code::user_metric_raised, "the function {function} failed on {model}: {error}"},
      {Code::user_metric_not_finite,
       "the function {function} returned {values#value} on {model} that {values?is/are} NaN or "
       "infinite"},
      {Code::user_metric_shape,
       "the function {function} returned {shape} on {model}: return one number, or one number for "
       "each of the {examples} examples of {split}"},
      {Code::user_metric_writes,
       "the function {function} changes its inputs on {model}: they are read-only, so work on a "
       "copy"},
      {Code::user_metric_random,
       "the function {function} gives different values when it is called again with the same "
       "inputs ({first:.6g} and {second:.6g} on {model}): fix its random seed"},
  };
}

}  // namespace vestige::words
