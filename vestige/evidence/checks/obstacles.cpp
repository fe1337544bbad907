// The checks whose findings block verdicts.
#include "vestige/evidence/checks/obstacles.h"

#include "vestige/evidence/checks/class_order.h"
#include "vestige/evidence/checks/loss_order.h"
#include "vestige/evidence/checks/near_copies.h"
#include "vestige/evidence/checks/reference_models.h"
#include "vestige/evidence/checks/repeated_rows.h"
#include "vestige/evidence/checks/shared_rows.h"

namespace vestige::evidence {

Findings obstacles(const Evidence& evidence, const Findings& others) {
  Findings found = check_shared_rows(evidence);
  const auto add = [&found](const Findings& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  add(check_repeated_rows(evidence));
  add(check_near_copies(evidence));
  add(check_columns(evidence));
  add(check_class_order(evidence));
  add(check_loss_order(evidence));
  Findings known = others;
  known.insert(known.end(), found.begin(), found.end());
  add(check_reference_models(evidence, known));
  return found;
}

}  // namespace vestige::evidence
