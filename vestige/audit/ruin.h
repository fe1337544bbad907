// Models that answer nothing any more: collapsed to one answer, or right no more often than chance.
// What they say of forget rows is no trace, whatever a metric makes of it.
#pragma once

#include <string>

#include "vestige/evidence/evidence.h"

namespace vestige::audit {

enum class Ruin {
  none,
  collapsed,  ///< nearly every answer is the same; a language model ten times as perplexed as
              ///< retrained, or four fifths of the way to one that knows nothing
  scrambled,  ///< various answers, right no more often than chance: destroyed, or rows in another
              ///< order
};

struct RuinFound {
  Ruin ruin = Ruin::none;
  std::string sentence{};  ///< what was seen: "97 % of its answers on retain and test are class 0"
};

/// What more than half of the group's models are, by their retain and test rows.
RuinFound find_ruin(const evidence::Evidence& evidence, const evidence::Group& group);

}  // namespace vestige::audit
