// Models that answer nothing any more: collapsed to one answer, or right no more often than chance.
// What they answer on forget examples is no trace, whatever a metric makes of it.
#pragma once

#include "vestige/base/context.h"
#include "vestige/evidence/evidence.h"
#include "vestige/result/reason.h"

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
  result::Reason reason{};  ///< what was seen
};

/// What more than half of the group's models are, by their retain and test rows.
RuinFound find_ruin(const Context& context, const evidence::Evidence& evidence,
                    const evidence::Group& group);

}  // namespace vestige::audit
