// Evidence quality.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries grade_words() {
  return {
      {Code::grade_several_retrained,
       "{models#retrained model}. Differences are compared with the variation between retrainings"},
      {Code::grade_one_retrained,
       "one retrained model. Variation between retrainings was not measured; the verdicts assume "
       "that this model is typical"},
      {Code::grade_shadow_models,
       "shadow models only. The results assume that they behave like a model that never saw the "
       "forget examples"},
      {Code::grade_model_alone,
       "the unlearned model alone. Nothing shows what a model without the forget examples would "
       "answer"},
      {Code::grade_few_examples,
       "{+forget}{forget#forget example}{/}{-forget}no forget examples{/} and "
       "{+unseen}{unseen#unseen example}{/}{-unseen}no unseen examples{/}. So few examples show "
       "little, whatever the models. The models: {models}"},
  };
}

}  // namespace vestige::words
