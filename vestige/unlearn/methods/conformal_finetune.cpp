// Fine-tuning with the conformal forget term.
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/conformal_push.h"

namespace vestige::unlearn {

Method conformal_finetune() {
  return {.id = "conformal_finetune",
          .summary = "cross-entropy on retain, with the conformal forget term",
          .source = "conformal, section 3 and appendix B",
          .needs = {},
          .presets = push_presets(finetune().presets),
          .prepare = [](Options& options) -> Run {
            return conformal_push(options, PushHost::finetune, PushTerm::conformal);
          }};
}

}  // namespace vestige::unlearn
