// Texts of reasons/missing.def.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries missing_words() {
  return {
      // groups M to Z
      {Code::needs_outputs, "needs outputs on {splits:and}: add {files}"},
      {Code::needs_labels, "needs labels of {splits:and}: add {files}"},
      {Code::needs_outputs_and_labels, "needs outputs and labels on {splits:and}: add {files}"},
      {Code::needs_activations, "needs activations on {splits:and}: add {files}"},
      {Code::needs_saliency, "needs saliency maps on {splits:and}: add {files}"},
      {Code::needs_original_model, "needs the original model: add {files}"},
      {Code::needs_retrained_model, "needs a retrained model: add {files}"},
      {Code::needs_second_retrained_model, "needs a second retrained model: add {files}"},
      {Code::needs_untrained_model, "needs an untrained model: add {files}"},
      {Code::needs_shadow_models, "needs at least {models#shadow model}: add {files}"},
      {Code::needs_unseen_examples, "needs unseen examples: add {files}"},
      {Code::planned_models_missing,
       "{metric} needs at least {models} {role} {models?model/models}: set {role} = {models} or "
       "more in [pool]"},
      {Code::needs_shadow_training_outputs,
       "needs a shadow model's outputs on the examples it was trained on: add {files}"},
      {Code::needs_random_half_models,
       "needs at least {models#model} trained on random halves of the data, and which examples "
       "each was trained on: add {files}"},
      {Code::needs_canaries, "needs canaries that were inserted at random: add {files}"},
      {Code::needs_canary_membership,
       "needs to know which canaries were inserted: add {files}, 1 or 0 per canary"},
      {Code::needs_verification_models,
       "needs verification models, trained on a part of the retain set: add {files}"},
      {Code::needs_graded_checkpoints,
       "needs checkpoints of shadow models that continue training on the original's data: add "
       "{files}, and [membership] in evidence.toml"},
      {Code::needs_score_ui_models,
       "needs a shadow model other than the one the series began with, with outputs on forget, "
       "retain, test and shadow_train. Online attacks also need the original model, UnLeak a pair "
       "of shadow models"},
      {Code::needs_recovery_tests,
       "needs models after a recovery test: add {files}, or list recovery tests in the recipe"},
      {Code::needs_recovery_references,
       "needs the original and a retrained model, before and after each recovery test: add "
       "{files}"},
      {Code::needs_method_after_recovery_test,
       "needs the unlearned model after this recovery test: add {files}"},
      {Code::original_without_recovery_test,
       "the recovery test {test} was not applied to the original model, so nothing shows that it "
       "can detect traces: add probed/{test}/original"},
      {Code::without_shadow_attacks,
       "only attacks without shadow models are measured, because a series is not scored with the "
       "shadow model it began with: add {files}"},
      {Code::without_miau_score, "only attack accuracies are measured: the score {reasons}"},
      {Code::without_accuracy_gaps,
       "only accuracies are measured: their difference from retrained models {reasons}"},
      {Code::outputs_instead_of_activations,
       "there are no activations, so the outputs are used instead: add {files}"},
      {Code::several_layers,
       "the evidence has the layers {layers:and}, of which none is called penultimate, so the "
       "outputs are used instead: choose with {option}"},
      {Code::few_examples_for_features,
       "{examples#example} per group are too few for {features#feature}: supply at least {fewest} "
       "examples of each split"},
      {Code::miau_examples_below_features,
       "{examples#example} per group are too few for {features#feature}: give --miau-rows {fewest} "
       "or more"},
      {Code::miau_classifier_takes_too_few,
       "{classifier} takes {examples#example} per group, fewer than the {features#feature}: give "
       "another --miau-classifier, or --miau-features true_class"},
      {Code::miau_exceeds_memory, "{reasons}, or give --miau-rows {examples}"},
      {Code::few_examples_after_recovery_test,
       "too few examples: the recovery test {test} needs at least two forget examples it does not "
       "train on, and two test examples"},
      {Code::few_examples_for_sets,
       "sets of {size#example} cannot be split into halves of two: the forget set has {forget} "
       "examples, retain {retain}, test {test}. Supply at least 8 of each"},
      {Code::few_examples_for_set_control,
       "the retain and test sets are too small for separate reference and target sets: supply at "
       "least {fewest} examples of each"},
      {Code::no_example_with_enough_models,
       "no example has {models#model} trained with it and as many trained without it, besides the "
       "attacked model: lower --mia-protocol-shadows or add models"},
      // groups A to L
      {Code::several, "{reasons}"},
      {Code::needs_model_groups,
       "compares groups of models: add at least {fewest#model} of the method and as many retrained "
       "models (retrained/0/forget.npy and so on); the smaller group has {models}"},
      {Code::klom_few_models,
       "with {models#model} per group most bins of the histograms are empty: use at least {enough} "
       "models per group"},
      {Code::ulira_few_models,
       "the attack is imprecise with {models#model} per group, because half of them only fit it: "
       "use at least {enough} models per group"},
      {Code::epsilon_group_is_small,
       "{group} has {models#model}: {reasons}. Use at least {enough} models"},
      {Code::planned_model_groups_too_small,
       "{group} compares groups of models and would have {retrained} retrained and {unlearned} "
       "unlearned models: set retrained and original to {fewest} or more in [pool], or leave "
       "{group} out of the metrics"},
      {Code::planned_shadows_missing,
       "{metric} needs shadow models: set shadow = 1 or more in [pool], and shadow examples in "
       "[split]"},
      {Code::planned_without_class,
       "{metric} exists only where classes are forgotten, and kind is \"{kind}\" in [forget]: set "
       "it to \"class\" or \"subclass\", or leave the metric out"},
      {Code::planned_more_than_retrained,
       "epsilon.models is {models}, but the pool has {retrained#retrained model}: lower it, or "
       "raise retrained in [pool]"},
      {Code::exceeds_memory,
       "does not fit in memory: {array} of one model take {needed:.1f} GB ({rows} rows of "
       "{columns} "
       "columns), and {allowed:g} GB are allowed. Export at most {fits} rows, or raise --memory"},
      {Code::work_of_models,
       "{models#model} on up to {examples#example}{+outputs} with {outputs#output} each{/}"},
      {Code::scores_need_files, "{scores:and} cannot be measured: add {files}"},
      {Code::needs_retrained_pool,
       "needs retrained models: add retrained/0/forget.npy, retrained/1/forget.npy and so on, "
       "{enough} or more"},
      {Code::needs_shadow_pairs, "needs shadow models before and after unlearning: add {files}"},
      {Code::needs_fitted_model,
       "needs a model that was trained on the queried examples: add {original} (online), or "
       "{shadow} (offline)"},
      {Code::needs_test_set, "needs the test set of every model: add {files}"},
      {Code::needs_logits,
       "this form needs logits, but the evidence holds probabilities: export logits"},
      {Code::needs_classes, "needs at least {classes} classes"},
      {Code::needs_more_examples,
       "the {split} set has {examples#example}, but at least {fewest} are needed"},
      {Code::needs_attack_examples,
       "the membership attack needs at least {fewest} retain and {fewest} test examples with "
       "labels: add {files}"},
      {Code::needs_calibration,
       "needs calibration examples, at least {fewest} that are in no other split: add {files}"},
      {Code::needs_accuracies,
       "needs accuracies of {of:and}: add outputs and labels, or accuracy.json"},
      {Code::needs_samples,
       "needs features of generated samples and of test examples: add {files}"},
      {Code::calibration_overlaps,
       "example \"{id}\" is both a calibration and a {split} example: remove it from "
       "ids/calibration.npy or from ids/{split}.npy"},
      {Code::test_set_calibrates,
       "not every model has a calibration split, so half of the test examples calibrate and the "
       "other half are tested: add calibration.npy for every model and labels/calibration.npy"},
      {Code::few_calibration_examples,
       "the threshold q is uncertain, because there {examples?is/are} only {examples#calibration "
       "example}{+lower}: its 95 % interval is {lower:.4f} to {upper:.4f}{/}. Use at least "
       "{enough}"},
      {Code::no_calibration_of_class,
       "no calibration example has one of these classes: add some to labels/calibration.npy and to "
       "calibration.npy of every model"},
      {Code::needs_tokens, "needs token log-probabilities: add {files}, with offsets"},
      {Code::needs_language_model,
       "needs token log-probabilities of a language model: add ROLE/0/tokens/{{forget,retain}}.npy "
       "and {{forget,retain}}.offsets.npy. Losses of sequences will also do: add "
       "ROLE/0/losses/{{forget,retain}}.npy, and losses = \"sequence\" in evidence.toml"},
      {Code::needs_losses, "needs one loss per example: add {files}"},
      {Code::needs_lower_case_tokens,
       "needs token log-probabilities of the lower-cased texts: add {files}, with offsets"},
      {Code::needs_texts, "needs the texts, one sequence per line: add {files}"},
      {Code::needs_gradient_norms, "needs the gradient norm of each sequence's loss: add {files}"},
      {Code::needs_token_moments,
       "needs mean and standard deviation of ln p over the vocabulary: add {files}"},
      {Code::needs_token_entropy, "needs the entropy at every position: add {files}"},
      {Code::needs_token_ranks, "needs the rank of every token: add {files}"},
      {Code::needs_continuations, "needs generated continuations and the true ones: add {files}"},
      {Code::needs_answers, "needs losses of right and wrong answers: add {files}"},
      {Code::needs_utility_files,
       "needs probability, ROUGE-L and truth ratio on every utility split: add {files:and}"},
      {Code::needs_scores, "needs scores of examples by another program: add {files}"},
      {Code::needs_choices,
       "needs log-likelihoods of the options of multiple-choice questions: add {files}"},
      {Code::needs_drawn_samples,
       "needs samples of every prompt, and what truly follows: add {files}"},
  };
}

}  // namespace vestige::words
