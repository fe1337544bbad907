// Texts of reasons/imports.def.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries import_words() {
  return {
      {Code::log_keys_not_read, "{file}: {keys:and} {keys?is/are} not read."},
      {Code::holdout_losses_missing,
       "NOT TESTED: the logs of {models:some} have no losses of unseen examples, so an audit "
       "cannot decide whether these models forgot. Two settings add them: the line \"- mia_loss\" "
       "in "
       "configs/eval/{benchmark}.yaml (remove its #), and holdout_split=holdoutNN for "
       "forget_split=forgetNN on the command line of src/eval.py.{+min_k} Until "
       "then only AUC and PrivLeak of the min-k scores are computed again; they decide "
       "nothing.{/}"},
      {Code::muse_without_retain,
       "MUSE logs have no losses of retain examples, so utility cannot be tested. Export them with "
       "collect_causal and add them as ROLE/NAME/losses/retain.npy."},
      {Code::no_retrained_log,
       "No log is of a retrained model, so forget quality and PrivLeak are not computed again. "
       "Evaluate the model of the retain split, or name its log with --map retrained=PATH."},
      {Code::log_total_differs,
       "{model}: {key} is {said:.6g} in the log and {value:.6g} from its values per example. The "
       "log "
       "may be mixed from two evaluations, or was compared with another retrained model."},
      {Code::privleak_without_reference,
       "{model}: privleak is {said:.6g} in the log, which was computed against an AUC of 0.5 "
       "because "
       "retain_logs_path was not set. Against the retrained model it is {value:.6g}."},
      {Code::summary_differs,
       "{file}: {key} is {said:.6g} there and {value:.6g} in the log beside it. One of the two is "
       "of an earlier evaluation."},
      {Code::task_goals_assumed,
       "No goal was given for {tasks:and}, so the audit compares {tasks?it/them} with retrained "
       "models. Give --goal TASK=chance for knowledge that should be gone, --goal TASK=higher for "
       "abilities that should be kept."},
      {Code::task_scores_not_read,
       "{file}: {keys:and} {keys?has/have} no number for each example and {keys?is/are} not read."},
      {Code::harness_logs_decide_nothing,
       "NOT TESTED: logs of lm-evaluation-harness have no losses of forgotten and of unseen "
       "examples, so an audit of them alone decides about no method. Add them with collect_causal, "
       "or import into evidence that has them with --add."},
      {Code::margins_as_binary_outputs,
       "Margins say how probable the right class is, not which other class was nearest. They are "
       "read as outputs of two classes, right and wrong, so accuracies are shares of examples "
       "whose "
       "right class has a probability above one half."},
      {Code::import_done, "{models#model} imported to {folder}"},
      {Code::import_added, "scores of {models#model} added to {folder}"},
      {Code::totals_agree, "{totals#number} of the logs computed again: all agree"},
  };
}

}  // namespace vestige::words
