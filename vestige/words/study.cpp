// What the audits of an experiment say together.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries study_words() {
  return {
      {Code::remark_of_audits, "{audits}{+more} and {more} more{/}: {reasons}"},
      {Code::about_comparison, "{metric}, {variants?variant/variants} {variants}: {reasons}"},
      {Code::nothing_to_rank, "nothing to rank: there are fewer than two methods"},
      {Code::no_complete_block, "no common ranking: no block has values of every method"},
      {Code::first_in_only_block,
       "{first} is first in the only block. One block does not show how stable that is"},
      {Code::first_place_stable,
       "the first place is stable: {first} is best in {share:percent} of resamples of "
       "{blocks#block}"},
      {Code::first_place_few_blocks,
       "{first} is best in {share:percent} of resamples, but {blocks#block} {blocks?is/are} too "
       "few to call that stable"},
      {Code::first_place_open,
       "the first place is not settled: {first} is best in {share:percent} of resamples of "
       "{blocks#block}, {second} in {second_share:percent}"},
      {Code::ranks_nobody, "no ranking, because the metric failed its controls: it {reasons}"},
      {Code::variants_left_out,
       "{variants?variant/variants} {variants} left out, because the metric failed its controls "
       "there"},
      {Code::often_unreliable,
       "was called unreliable by {share:percent} of the audits{+reasons}: {reasons}{/}"},
      {Code::original_not_shown_worse,
       "does not show the original to be worse than retrained models over {replicates#replicate} "
       "(difference {difference}, 95 % interval [{lower:.3g}, {upper:.3g}])"},
      {Code::worse_with_more_removed,
       "gets worse when {to} % instead of {from} % of the forget set is removed (0 %: original, "
       "100 %: retrained; p = {p:.2g} over {replicates#replicate})"},
      {Code::no_original_in_setting, "was not measured on an original model in this setting"},
      {Code::no_retrained_in_setting, "was not measured on a retrained model in this setting"},
      {Code::not_meant_to_discriminate, "is not meant to tell the original from a retrained model"},
      {Code::few_replicates_no_interval,
       "has too few replicates ({replicates}) and no interval of its own"},
      {Code::original_shown_worse,
       "rates the original worse than retrained models over {replicates#replicate}"},
      {Code::audits_discriminate, "tells the original from a retrained model in the audits"},
      {Code::failed_in_other_setting, "failed where it could be tested, as {metric}: it {reasons}"},
      {Code::failed_controls_in_variant,
       "{metric}, variant {variant}, failed its controls: it {reasons}"},
      {Code::failed_controls_in_experiment, "failed its controls in this experiment: it {reasons}"},
      {Code::grades_not_in_order,
       "{metric}, variant {variant}: models retrained with part of the forget set are not in order "
       "between original and retrained{+replicates} (they are in {ordered} of "
       "{replicates#replicate}){/}"},
      {Code::constant_as_good_in_variant,
       "{metric}, variant {variant}: a constant predictor scores as well ({constant}) as the "
       "retrained models ({retrained}). Read it with the accuracies"},
      {Code::about_noise,
       "{metric}, variant {variant}, {+method}{method}{/}{-method}all methods{/}: {reasons}"},
      {Code::no_noise, "no noise: every measurement gave the same value"},
      {Code::noise_not_seen,
       "the source of the noise cannot be seen: there is one measurement at every level"},
      {Code::noise_mostly_from,
       "{share:percent} of the variance comes from {level}{+includes}, which includes "
       "{includes:and} (only one of each was run){/}{+unseen}. Not measured: {unseen:and} (only "
       "one of "
       "each was run){/}"},
      {Code::runs_failed, "{method}, variant {variant}: {failed} of {runs#run} failed: {reasons}"},
      {Code::run_not_finite,
       "the model diverged: its outputs are NaN or infinite, so it is left out of the audit"},
      {Code::every_run_failed,
       "{runs?its only run/all of its runs} failed{+why}: {why}{/}. See failed_runs.csv"},
      {Code::not_made_unknown_why, "the model was not made, and no reason was recorded"},
  };
}

}  // namespace vestige::words
