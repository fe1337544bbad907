// Texts of reasons/power.def.
#include "vestige/words/entry.h"

namespace vestige::words {

using result::Code;

Entries power_words() {
  return {
      {Code::smallest_detectable_trace,
       "a method that keeps {kept:percent} of what the original memorised would be detected 9 "
       "times in 10"},
      {Code::original_may_be_missed,
       "by the gap to unseen examples even an untouched original would be detected less than 9 "
       "times in 10"},
      {Code::forgetting_can_be_shown, "this evidence is large enough to conclude FORGOTTEN"},
      {Code::forgetting_needs_more,
       "to be able to conclude FORGOTTEN you need about {models} retrained and {models} unlearned "
       "{models?model/models}, or about {forget:about} forget and {test:about} test examples"},
  };
}

}  // namespace vestige::words
