// Fine-tuning with the conformal forget term.
#include "vestige/unlearn/cpu_finetune.h"

#include "vestige/unlearn/pushed.h"

namespace vestige::unlearn {

Method cpu_finetune() {
  return {.id = "cpu_finetune",
          .summary = "cross-entropy on retain, with the conformal forget term",
          .source = "conformal, section 3 and appendix B",
          .needs = {},
          .presets = lambda_presets(),
          .prepare = [](Options& options) -> Run {
            return pushed_run(options, PushedHost::finetune, PushTerm::conformal);
          }};
}

}  // namespace vestige::unlearn
