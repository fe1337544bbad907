// A host's loss with the C&W term.
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/conformal_push.h"

namespace vestige::unlearn {

Method cw() {
  return {.id = "cw",
          .summary = "another method's loss with the plain C&W term on forget, an ablation",
          .source = "conformal, eq. 8",
          .needs = {},
          .presets = {},
          .prepare = [](Options& options) -> Run {
            const std::string host =
                options.choice("host", "finetune", {"finetune", "retrain", "random_label"});
            return conformal_push(options,
                                  host == "finetune"  ? PushHost::finetune
                                  : host == "retrain" ? PushHost::retrain
                                                      : PushHost::random_label,
                                  PushTerm::carlini_wagner);
          }};
}

}  // namespace vestige::unlearn
