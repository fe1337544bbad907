// Retraining with the conformal forget term.
#include "vestige/unlearn/cpu_retrain.h"

#include "vestige/unlearn/pushed.h"

namespace vestige::unlearn {

Method cpu_retrain() {
  return {.id = "cpu_retrain",
          .summary = "from scratch on retain, with the conformal forget term",
          .source = "conformal, section 3 and appendix B",
          .needs = {},
          .presets = lambda_presets(),
          .prepare = [](Options& options) -> Run {
            return pushed_run(options, PushedHost::retrain, PushTerm::conformal);
          }};
}

}  // namespace vestige::unlearn
