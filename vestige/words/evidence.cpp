// What the checks of the evidence say. Texts follow the name of a file unless they begin with a
// capital letter or an argument.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries evidence_words() {
  return {
      {Code::about_file, "{file} {reasons}"},
      {Code::left_out, "{reasons}. The model {model} is left out"},
      // Paths and files.
      {Code::no_model_outputs,
       "{path} holds no model outputs. {+folders}Its folders {folders:some} do: give one of "
       "them{/}{-folders}Add them, for example original/0/forget.npy of shape [examples, "
       "classes]{/}"},
      {Code::prefix_ignored, "All paths in {path} begin with {prefix}, which is ignored"},
      {Code::path_not_read, "is not read. The paths that are read here: {paths}"},
      {Code::generated_without_model,
       "is not read, because its model has no tokens and no losses. Add them, or remove this file"},
      {Code::tokens_not_read,
       "is not read, because no metric uses tokens/{key} ({models#model}). The other arrays are "
       "read"},
      {Code::split_given_twice,
       "gives the split {split} of this model a second time. {path} without a model folder means "
       "model 0; remove one of the two"},
      {Code::invalid_json, "is not valid JSON: {reasons}. Write it with json.dump"},
      // Shapes, types and values.
      {Code::no_values, "has shape {shape} and holds no values. Export it again"},
      {Code::wrong_array,
       "has shape {shape} and type {type}. Needed: shape {shapes:or}, type {types:or}{+hint}. "
       "{hint}{/}"},
      {Code::export_logits, "Export logits, not predicted classes"},
      {Code::one_hot_to_numbers,
       "Labels are one class number per example; argmax(axis=1) turns one-hot labels into numbers"},
      {Code::members_are_flags,
       "Each value is 1 where the model was trained on the example, and 0 elsewhere"},
      {Code::batches_are_numbers,
       "Each value is the number of the example's batch, and -1 where the model was not trained on "
       "the example"},
      {Code::wrong_value, "holds the value {value}. {hint}"},
      {Code::not_finite,
       "has {values#NaN or infinite value}, first in {rows?row/rows} {rows}. Find out why the "
       "model produces them (overflow in float16?) and export again"},
      {Code::constant_outputs,
       "has the same output for all {rows#example}. The model has collapsed, or the wrong array "
       "was exported"},
      {Code::pool_differs,
       "has shape {shape}, but other arrays of this pool hold {models#model}. Every array of a "
       "pool holds the same models in the same order: [models, examples, classes]"},
      {Code::columns_differ,
       "has {columns#column}, but {other} says {classes#class/classes}. Every model must have one "
       "column per class"},
      {Code::one_column,
       "has one column, but other outputs have more. Every model must have one column per class"},
      {Code::binary_outputs,
       "{-others}has{/}{+others}and {others#more array} have{/} one column. "
       "{-others}It is{/}{+others}They are{/} read as {kind} of class 1 of a binary "
       "model{-declared}. If that is wrong, set kind in evidence.toml{/}"},
      {Code::declared_logits_are_probabilities,
       "holds probabilities: its rows lie between 0 and 1 and sum to 1, but evidence.toml declares "
       "kind = \"logits\". Export logits, or remove the line"},
      {Code::kinds_differ,
       "{file} looks like {kind}, {other} like {other_kind}. Export one kind for all models, or "
       "set kind in evidence.toml"},
      {Code::rows_differ,
       "has {rows#row}, but {other} has {other_rows}. Both must list the same examples in the same "
       "order; export them in one pass without shuffling"},
      {Code::sequences_differ,
       "has {sequences#sequence}, but {other} has {other_sequences}. Every model must list the "
       "same sequences in the same order"},
      {Code::lines_differ,
       "has {lines#line}, but {other} has {other_rows#sequence}. Write one sequence per line, with "
       "spaces instead of line breaks inside a sequence"},
      {Code::tokens_differ,
       "splits sequence {sequence} into {tokens#token}, but {other} into {other_tokens}. Only "
       "shadow models may use another tokenizer; all other models are compared token by token"},
      {Code::tokens_missing,
       "is missing, although other arrays describe its tokens. Add the log-probabilities of the "
       "tokens"},
      // Labels, ids and splits.
      {Code::labels_missing, "has no labels. Add labels/{split}.npy with {rows#class number}"},
      {Code::labels_not_numbers,
       "{reasons}. Labels are whole class numbers from 0, in the order of the outputs' columns, "
       "not "
       "names"},
      {Code::label_out_of_range,
       "has label {label} in row {row}, but the outputs have {columns#column}. Labels go from 0 to "
       "{last}"},
      {Code::one_class, "holds only class {class}. Check that the right labels were exported"},
      {Code::forget_one_class,
       "holds only class {class}. labels/retain.npy would tell whether the whole class is "
       "forgotten"},
      {Code::forget_whole_class,
       "holds only class {class}, and the retain set has no example of it: a whole class is "
       "forgotten"},
      {Code::forget_part_of_class,
       "holds only class {class}, and the retain set has examples of it: a part of a class is "
       "forgotten"},
      {Code::id_repeated,
       "has the id {id} in row {first} and again in row {row} ({rows#repeated id} in all). Every "
       "example needs its own id; ids of persons go to subjects/"},
      {Code::id_in_two_splits,
       "has the id {id} in row {row}, and so has ids/{other} in row {other_row} ({rows#shared id} "
       "in all). An example belongs to one split only; export disjoint splits"},
      {Code::score_direction_missing,
       "has no direction. Add to evidence.toml, below [scores], {name} = \"higher\", \"lower\" or "
       "\"match\" (match: as for retrained models)"},
      {Code::choice_goal_missing,
       "has no goal. Add to evidence.toml, below [choices], {name} = \"chance\" (nothing of it "
       "should be known), \"retrained\" (as for retrained models) or \"higher\" (it should be "
       "kept)"},
      {Code::options_differ,
       "has {options#option} per question, but {other} has {other_options}. Give every model the "
       "same options; -inf marks one that a question does not have"},
      {Code::choice_label_out_of_range,
       "has label {label} in row {row}, but that question has {options#option}. Labels are the "
       "numbers of the right options, from 0"},
      {Code::choice_not_finite,
       "is NaN or infinite for option {option} of question {row}. Export finite log-likelihoods; "
       "-inf marks an option that a question does not have, for every model alike"},
      {Code::choices_in_other_order,
       "says of each question something unrelated to what {references:some} say, which agree with "
       "each other. Its questions are probably in another order. Export the same questions in the "
       "same order for every model"},
      {Code::samples_malformed,
       "is wrong in line {line}. Every line is the list of samples of one prompt, as JSON: "
       "[\"first sample\", \"second sample\"]"},
      {Code::samples_unequal,
       "has {samples#sample} of prompt {row} and {first} of prompt 0. Draw as many for every "
       "prompt, "
       "or leave the surplus out for all"},
      {Code::samples_differ,
       "has {samples#sample} per prompt, but {other} has {other_samples}. With more samples more "
       "leaks; draw as many from every model"},
      {Code::no_forget_outputs,
       "No model has outputs on the forget set, so nothing can be said about forgetting. Add "
       "labels/forget.npy and {model}/forget.npy, and the same for every other model"},
      {Code::forget_missing,
       "{models:some} {models?has/have} no outputs on the forget set, but {other} has. Add {path}"},
      {Code::calibration_missing,
       "{models:some} {models?has/have} no outputs on the calibration set, but {other} has. All "
       "models are therefore calibrated on half of the test set. To change this, add {path}"},
      {Code::train_not_retain,
       "holds a train set, and no model has a retain set. The retain set is the training set "
       "without the forget set. Leave the forget examples out of labels/train.npy and of every "
       "model's train.npy, and rename these files to retain.npy"},
      {Code::members_missing,
       "does not say which examples the model was trained on. Add {path} with 1 or 0 per example"},
      // Settings that name something else than the evidence has.
      {Code::pairing_unknown,
       "pairs {unlearned} with {original}, but there is no model {missing}. Write pairs as "
       "\"unlearned/METHOD/NAME\" = \"original/NAME\""},
      {Code::setting_not_used,
       "has {setting}, but the evidence has no {missing}. The setting is not used"},
      {Code::accuracy_not_used,
       "has \"{name}\", but the evidence has no role or method of this name. The entry is not "
       "used"},
      {Code::accuracy_count,
       "has {values#value} for \"{group}\", split \"{split}\", but there {models?is/are} "
       "{models#model}. Give one value per model, in their order"},
      {Code::recovery_without_model,
       "is not used, because there is no model {model} that it was made from. A model keeps its "
       "name in a recovery test"},
      // Order of rows.
      {Code::model_collapsed,
       "gives the same class to {most:percent} of the examples and is right on {right:percent}. "
       "The model has collapsed; its rows are not in another order. If it should work, check the "
       "checkpoint that was exported"},
      {Code::labels_in_other_order,
       "fits no model. At best {best:percent} of the answers are right, as many as by chance "
       "({chance:percent}), although the models agree with each other. The labels and the outputs "
       "on the {split} set are probably in different orders; export both in one pass without "
       "shuffling"},
      {Code::rows_in_other_order,
       "is probably in another order than labels/{split}{-elsewhere}, or the model learnt "
       "nothing{/}. It is right on {right:percent} of the examples, as rows in any order would be "
       "({chance:percent}){+references}, and agrees with none of {references:some}{/}. {+other}"
       "{other} is right on {other_right:percent}{/}{-other}The model does well on another "
       "split{/}. Export without shuffling"},
      {Code::rows_in_other_order_in_classes,
       "is probably in another order within each class. It agrees with none of {references:some} "
       "on which examples of a class are easy, although these agree with each other. Export "
       "without shuffling"},
      {Code::everything_at_chance,
       "All {models#model} are right no more often than by chance on {splits:and} (at best "
       "{best:percent}), and no two models agree. The loaders probably shuffle. Export labels and "
       "outputs in one pass without shuffling; until then there is no verdict"},
      {Code::losses_in_other_order,
       "{+sorted}lists its sequences in the order of sorted texts (0, 1, 10, 11, 2). In numeric "
       "order its losses agree with those of {references:some}. Sort the indices as "
       "numbers{/}{-sorted}is probably in another order than the sequences of other models. Its "
       "losses do not vary with those of {references:some}, although these agree with each other. "
       "Export without shuffling{/}; until then there is no verdict"},
      {Code::losses_agree_nowhere,
       "No two of {models#model} agree on which sequences of the {split} set are hard. Each model "
       "probably has its own order. Export without shuffling; until then there is no verdict"},
      // Examples in two splits.
      {Code::splits_share_examples,
       "shares examples with {other}: the model gives the same outputs to {share:percent} of the "
       "examples of the smaller split{+likewise}, and so {likewise?does/do} {likewise:some}{/}. "
       "One of the two was exported from the wrong loader, or the splits overlap. Export disjoint "
       "splits; until then there is no verdict"},
      {Code::digests_shared,
       "has {shared} of {rows#example} that the {other} set has too. An example belongs to one "
       "split only. Export disjoint splits; until then there is no verdict"},
      {Code::rows_not_filled,
       "has {found} of {rows#row} in which all columns have the same number. The array was "
       "probably not filled to its end. Export it again; until then there is no verdict"},
      {Code::examples_repeated,
       "The {split} set repeats examples. Of {rows#row} that a retrained model is not sure of, "
       "only "
       "{distinct} {distinct?is/are} different: the original and the retrained model answer the "
       "others exactly alike. Copies make intervals too narrow. Remove the repeated examples; "
       "until "
       "then there is no verdict"},
      // Models that are not what their folder says.
      {Code::classes_in_other_order,
       "probably numbers the classes in another order. It answers class {answer} where the label "
       "is "
       "{label} ({moved#class/classes} {moved?is/are} exchanged) and is right on {right:percent}; "
       "with its columns reordered it would be right on {reordered:percent}. Export all models "
       "with one class order; until then there is no "
       "verdict"},
      {Code::labels_number_classes_otherwise,
       "probably numbers the classes in another order than the models. They answer class {answer} "
       "where the label is {label} ({moved#class/classes} {moved?is/are} exchanged) and are right "
       "on {right:percent}; with the labels renumbered they would be right on "
       "{reordered:percent}. Export labels with the models' class order; until then there is no "
       "verdict"},
      {Code::retrained_accuracy_far,
       "Retrained models are right on {right:percent} of {rows#test example}, the original models "
       "on {original:percent}. Models that differ so much in accuracy do not show what forgetting "
       "changes. Train both with the same recipe and export both with the same preprocessing; "
       "until then there is no verdict"},
      {Code::retrained_knows_forget,
       "Retrained models know the forget set as well as the original models do. The mean "
       "{+losses}log-likelihood{/}{-losses}probability of the label{/} "
       "of retrained models is {forget:.4f} on the forget set, {retain:.4f} on the retain set and "
       "{test:.4f} on the test set. The original models have {original:.4f} on the forget set, a "
       "difference of {difference:.4f} where about {expected:.4f} is expected. The folder "
       "retrained/ "
       "probably holds models that were trained on the forget set. Otherwise the forget examples "
       "are so easy that this evidence cannot show forgetting. In both cases there is no verdict"},
      {Code::retrained_behind,
       "Retrained models are right on {right:percent} of {rows#retain example}, the original "
       "models on {original:percent}, although both were trained on them. A reference that "
       "learned less does not show what forgetting changes. Train both with the same recipe and "
       "export both with the same preprocessing; until then there is no verdict"},
      {Code::retain_not_trained,
       "The original models know the retain set no better than the test set (mean probability of "
       "the label {retain:.4f} and {test:.4f}), but the forget set much better than retrained "
       "models do ({forget:.4f} and {retrained:.4f}). The files retain.npy probably hold examples "
       "that no model was trained on. Export training examples; until then there is no verdict"},
      {Code::labels_are_answers,
       "{model} is right on all {rows} examples of the {split} set, other models on at most "
       "{right:percent}. The labels are probably the answers of this model. Export the true "
       "labels; until then there is no verdict"},
      {Code::retrained_knows_class,
       "Retrained models are right on {right:percent} of {rows#forget example} of class {class}, "
       "although the retain set has no example of this class. The folder retrained/ probably holds "
       "models that were trained on the forget set. Export models that were trained without it; "
       "until then there is no verdict"},
      {Code::loss_unit,
       "has {ratio:.3f} times the loss of {other} on {splits:and} (rank correlation "
       "{correlation:.2f}). One nat is 1.443 bits: are the losses of one model "
       "in bits? Export natural logarithms for all models; until then there is no verdict"},
      {Code::columns_beyond_labels,
       "has {columns#column}, but the largest label is {largest}. {outside:percent} of the answers "
       "are classes without any label. Are these features, or another part of the model's output? "
       "Export the logits, one column per class"},
      // Models with the same values.
      {Code::same_values,
       "has exactly the values of {other}{+splits}, and so {splits?has/have} {splits}{/}. "
       "{meaning}{+likewise}. The same holds for {likewise:some}{/}"},
      {Code::nearly_same_values,
       "has the answers of {other} up to rounding, noise, a shift or a temperature (correlation "
       "{agreement:.7f}; original and retrained models have {expected:.3f} at most). "
       "{+references}One model counts as one model: export another training, or remove one of the "
       "two{/}{-references}Comparing a model with itself shows nothing. Export the outputs of the "
       "unlearned model; if the method is this retraining, remove {other}{/}; until then there is "
       "no verdict"},
      {Code::method_model_again,
       "has the answers of {other} up to rounding, noise, a shift or a temperature (correlation "
       "{agreement:.7f}; original and retrained models have {expected:.3f} at most). One model "
       "counts as one model: unlearn another model, or remove one of the two; until then there is "
       "no verdict"},
      {Code::only_forget_differs,
       "has the answers of {original}, apart from forget examples or forgotten classes. "
       "Unlearning that changes a model changes all its answers a little. This is a filter on the "
       "original model, or a forget file of another model. Neither shows that the model forgot"},
      {Code::files_mixed_up,
       "Other splits of {first} and {second} differ, so files were mixed up. Export both models "
       "again{+no_verdict}; until then the method has no verdict{/}"},
      {Code::model_twice,
       "{second} repeats {first}. It is counted once, because copies make intervals too narrow. "
       "Export another model, or remove {second}"},
      {Code::retrained_is_original,
       "A retrained model that equals the original is no reference. Export the model that was "
       "trained without the forget set"},
      {Code::unlearned_is_original,
       "The method changed nothing, or the original model was exported in its place"},
      {Code::unlearned_is_retrained,
       "Comparing a model with itself shows nothing, so the method has no verdict. Export the "
       "outputs of the unlearned model. If the method is this retraining, remove {retrained}"},
      {Code::checkpoint_is_retrained,
       "A checkpoint from training is not a retrained model. Export the checkpoint"},
      {Code::one_model_two_names,
       "{first} and {second} are one model under two names. Export the one that is missing"},
  };
}

}  // namespace vestige::words
