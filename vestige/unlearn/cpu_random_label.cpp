// Random labels with the conformal forget term.
#include "vestige/unlearn/cpu_random_label.h"

#include "vestige/unlearn/pushed.h"

namespace vestige::unlearn {

Method cpu_random_label() {
  return {
      .id = "cpu_random_label",
      .summary = "random labels on forget and true ones on retain, with the conformal forget term",
      .source = "conformal, section 3 and appendix B",
      .needs = {},
      .presets = lambda_presets(),
      .prepare = [](Options& options) -> Run {
        return pushed_run(options, PushedHost::random_label, PushTerm::conformal);
      }};
}

}  // namespace vestige::unlearn
