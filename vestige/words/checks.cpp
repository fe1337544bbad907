// What an experiment says about the checks of its recipe.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries check_words() {
  return {
      {Code::values_of,
       "{metrics} of {+method}{method}{/}{-method}the methods{/}{+variants}, "
       "{variants?variant/variants} {variants}{/}{+audit}, audit {audit}{/}{+split_seed}, split "
       "seed {split_seed}{/}{+params} ({params}){/}"},
      {Code::gap_of, "distance to the reference in {values}"},
      {Code::nothing_measured_for, "nothing was measured: there is no value for {values}"},
      {Code::difference_of,
       "difference {difference}{+lower}, 95 % interval [{lower}, {upper}]{/}{-lower}, no "
       "interval{/}{+how} ({how}){/}. {left}: {left_value}; {+right}{right}: "
       "{right_value}{/}{-right}compared with {right_value:g}{/}"},
      {Code::step_of_order, "step {step} {outcome}: {reasons}"},
      {Code::mean_at, "{point}: {value}"},
      {Code::trend_over,
       "{values} over {over}: mean Spearman rho {rho:.2f} over {replicates#replicate}, one-sided p "
       "= {p:.2g} for {direction}. Means: {means}"},
      {Code::no_audit_could_judge,
       "no audit could judge {metric}: an original model, a retrained model or intervals are "
       "missing"},
      {Code::unreliable_in_audits,
       "{metric} was unreliable in {unreliable} of {audits#audit} of {+variant}variant "
       "{variant}{/}{-variant}all variants{/}"},
      {Code::few_methods_in_both,
       "{methods#method} {methods?was/were} measured in both {left} and {right}: comparing orders "
       "needs at least {least}"},
      {Code::orders_agree,
       "Kendall's tau is {tau:.2f}{+lower}, 95 % interval [{lower:.2f}, {upper:.2f}],{/} between "
       "{left} and {right} over {methods#method} (p = {p:.2g} against chance); at least "
       "{claimed:g} was claimed"},
      {Code::condition_holds, "its condition holds: {reasons}"},
      {Code::condition_does_not_hold,
       "this says nothing here, because its condition does not hold: {reasons}"},
      {Code::condition_not_shown,
       "this says nothing here, because its condition is not shown: {reasons}"},
      {Code::metric_failed_its_controls, "{metric} failed its controls here, so this says little"},
      {Code::method_did_not_move,
       "this says nothing about {method}, which left the model as it was: its probabilities of "
       "forget examples moved by {moved:.2g} of 1 on average, less than {least:g}"},
      {Code::t_over_pairs_of_models, "t over {models#model}"},
      {Code::t_over_pairs_of_splits, "t over {splits#split}"},
      {Code::t_over_pairs_of_runs,
       "t over {runs#run} of the method on the same models, without the noise of training"},
      {Code::t_over_pairs_of_attack_seeds,
       "t over {seeds#attack seed} on the same models, without the noise of training"},
      {Code::welch_over_unpaired_models,
       "Welch's t over {left} and {right} models, which do not pair"},
      {Code::interval_paired_by_audit, "the audit's interval, paired by example as in verdicts"},
      {Code::interval_of_audit, "the audit's own interval, models fixed"},
      {Code::mover_from_audit_intervals, "MOVER from the audits' own intervals, models fixed"},
      {Code::values_without_interval, "decided from the values alone"},
      {Code::page_test, "Page's test"},
      {Code::marks_of_audits, "the audits' own marks"},
      {Code::kendall_by_permutation, "Kendall's tau-b, chance by permutation"},
      {Code::kendall_by_bootstrap, "Kendall's tau-b, bootstrap over {left} and {right} blocks"},
  };
}

}  // namespace vestige::words
