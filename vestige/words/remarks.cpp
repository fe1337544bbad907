// Headings of remarks.
#include "vestige/words/remarks.h"

namespace vestige::words {

std::string heading(result::Cause cause) {
  switch (cause) {
    case result::Cause::evidence:
      return "About the evidence";
    case result::Cause::cannot_tell:
      return "Cannot tell the original from the retrained model on this evidence";
    case result::Cause::wrong_way:
      return "Rates the original model better than the retrained model on this evidence";
    case result::Cause::constant_as_good:
      return "A constant predictor scores as well as the retrained model";
    case result::Cause::difference:
      return "How far apart the original and the retrained models are";
    case result::Cause::unreliable:
      return "Unreliable, as the metric itself found";
    case result::Cause::care:
      return "Read with care";
    case result::Cause::other:
      break;
  }
  return "";
}

}  // namespace vestige::words
