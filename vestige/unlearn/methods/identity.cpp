// Nothing is done.
#include "vestige/unlearn/methods/methods.h"

namespace vestige::unlearn {

Method identity() {
  return {.id = "identity",
          .summary = "nothing is done: the original under another name (control)",
          .source = "control",
          .needs = {.logits = false},
          .presets = {},
          .prepare = [](Options&) -> Run { return [](Problem&) { return Outcome{}; }; }};
}

}  // namespace vestige::unlearn
