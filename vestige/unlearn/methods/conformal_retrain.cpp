// Retraining with the conformal forget term.
#include "vestige/unlearn/methods/methods.h"
#include "vestige/unlearn/parts/conformal_push.h"

namespace vestige::unlearn {

Method conformal_retrain() {
  return {
      .id = "conformal_retrain",
      .summary = "from scratch on retain, with the conformal forget term",
      .source = "conformal, section 3 and appendix B",
      .needs = {},
      .presets = push_presets({{"conformal", Json::object()}, {"conformal_vit", Json::object()}}),
      .prepare = [](Options& options) -> Run {
        return conformal_push(options, PushHost::retrain, PushTerm::conformal);
      }};
}

}  // namespace vestige::unlearn
