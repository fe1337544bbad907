// Models whose columns stand for other classes than the labels say.
#pragma once

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// A model that answers class d wherever the label is c, and c (or a third class that leads back)
/// wherever it is d, has its columns in another order. Which class is answered is found on every
/// other example of retain and test, and shown on the rest. A class that is never answered, as
/// after forgetting it, closes no such circle. Where all models exchange the same classes, the
/// labels are in another order.
Findings check_class_order(const Evidence& evidence);

/// Outputs with far more columns than the labels have classes: a model that returns (features,
/// logits) may have its features exported. Models of many classes that are tried on a few of them
/// have as many columns, but answer these few; where most answers have no label, verdicts are
/// blocked.
Findings check_columns(const Evidence& evidence);

}  // namespace vestige::evidence
