// Rows in another order, which a verdict would take for forgetting or for traces.
#pragma once

#include <string>
#include <vector>

#include "vestige/evidence/evidence.h"

namespace vestige::audit {

/// What stands against a verdict about a method.
struct Disorder {
  /// Why there can be none: rows that it rests on are in another order. Empty: it can be given.
  std::string obstacle{};
  /// What must be said beside it: " Its forget rows may be ...". Empty: nothing.
  std::string caution{};
};

/// The findings about row order (evidence/row_order.h) that concern verdicts. They are looked for
/// only where some model answers forget, retain or test rows no better than chance.
class RowOrders {
 public:
  explicit RowOrders(const evidence::Evidence& evidence);

  Disorder of(const evidence::Group& method) const;

 private:
  struct Doubt {
    std::string role;
    std::string method;
    std::string split;
    std::string sentence;
  };
  std::vector<Doubt> doubts_;
};

}  // namespace vestige::audit
