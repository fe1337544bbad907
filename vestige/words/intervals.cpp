// Kinds of intervals.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries interval_words() {
  return {
      {Code::clopper_pearson_over_canaries, "Clopper-Pearson 95 % over canaries"},
      {Code::clopper_pearson_over_mislabelled, "Clopper-Pearson 95 % over mislabelled examples"},
      {Code::clopper_pearson_over_pairs, "Clopper-Pearson 95 % over pairs"},
      {Code::clopper_pearson_over_examples, "Clopper-Pearson 95 % over examples"},
      {Code::clopper_pearson_models_fixed, "Clopper-Pearson 95 % over examples, models fixed"},
      {Code::clopper_pearson_q_fixed, "Clopper-Pearson 95 % over examples, threshold q fixed"},
      {Code::clopper_pearson_over_sets, "Clopper-Pearson 95 % over sets"},
      {Code::clopper_pearson, "Clopper-Pearson 95 %"},
      {Code::clopper_pearson_threshold_fixed, "Clopper-Pearson 95 %, threshold fixed"},
      {Code::delong_models_fixed, "DeLong 95 % over examples, models fixed"},
      {Code::delong, "DeLong 95 % over examples"},
      {Code::welch_over_models_folded, "Welch t 95 % over models, folded at 0"},
      {Code::bootstrap_over_forget_models_fixed,
       "bootstrap 95 % over forget examples, models fixed"},
      {Code::bootstrap_over_three_splits, "bootstrap 95 % over the examples of all three splits"},
      {Code::bootstrap_models_fixed, "bootstrap 95 % over examples, models fixed"},
      {Code::bootstrap_over_sets, "bootstrap 95 % over sets"},
      {Code::bca_models_fixed, "BCa bootstrap 95 % over examples, models fixed"},
      {Code::central_over_reference_pairs, "central 95 % of the reference pairs"},
      {Code::central_over_sets, "central 95 % of the sets"},
      {Code::delta_q_fixed, "delta method 95 % over examples, threshold q fixed"},
      {Code::exp_t_over_sequences, "exponential of t 95 % over sequences"},
      {Code::order_statistics, "order statistics 95 %"},
      {Code::paired_t_folded, "paired t 95 % over examples, folded at 0"},
      {Code::paired_t_models_fixed, "paired t 95 % over examples, models fixed"},
      {Code::t_over_attack_seeds, "t 95 % over attack seeds, models fixed"},
      {Code::t_over_blocks, "t 95 % over blocks"},
      {Code::t_over_models, "t 95 % over models"},
      {Code::t_over_examples_and_models, "t 95 % over examples and models"},
      {Code::t_over_examples_and_models_difference_fixed,
       "t 95 % over examples and models, original-retrained difference fixed"},
      {Code::t_over_examples, "t 95 % over examples"},
      {Code::t_models_fixed, "t 95 % over examples, models fixed"},
      {Code::t_q_fixed, "t 95 % over examples, threshold q fixed"},
      {Code::t_over_sequences, "t 95 % over sequences"},
      {Code::t_over_series, "t 95 % over series"},
      {Code::t_over_sets, "t 95 % over sets"},
      {Code::t_over_targets, "t 95 % over target models"},
      {Code::t_over_experiments, "t 95 % over {experiments#experiment}"},
  };
}

}  // namespace vestige::words
