// Rows in another order, which a verdict would take for forgetting or for traces.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"
#include "vestige/result/reason.h"

namespace vestige::audit {

/// What stands against a verdict about a method.
struct Disorder {
  /// Why there can be none: rows that it rests on are in another order. Empty: it can be given.
  result::Reason obstacle{};
  result::Reason caution{};   ///< what must be said beside it
  result::Reason filtered{};  ///< why it cannot be FORGOTTEN: only forget answers were changed
  /// The evidence itself is probably wrong (evidence/checks/obstacles.h): there is no verdict even
  /// where the model seems to be ruined.
  bool wrong_evidence = false;
};

/// The findings of the evidence's checks that concern verdicts: those that block them
/// (Finding::blocks_verdicts), and those about row order (evidence/checks/row_order.h), which are
/// looked for only where some model answers forget, retain or test rows no better than chance.
class RowOrders {
 public:
  RowOrders(const Context& context, const evidence::Evidence& evidence);

  Disorder of(const evidence::Group& method) const;

 private:
  struct Doubt {
    std::string role;
    std::string method;
    std::string split;
    result::Reason reason;
    bool blocks = false;
    bool filter = false;
  };
  void add_blocking(const evidence::Evidence& evidence, const evidence::Findings& findings);

  std::vector<Doubt> doubts_;
};

}  // namespace vestige::audit
