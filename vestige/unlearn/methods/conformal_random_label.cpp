// Random labels with the conformal forget term.
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/conformal_push.h"

namespace vestige::unlearn {

Method conformal_random_label() {
  return {.id = "conformal_random_label",
          .summary = "random labels on forget, then repair, with the conformal forget term in both",
          .source = "conformal, section 3 and appendix B",
          .needs = {},
          .presets = push_presets(random_label().presets),
          .prepare = [](Options& options) -> Run {
            return conformal_push(options, PushHost::random_label, PushTerm::conformal);
          }};
}

}  // namespace vestige::unlearn
