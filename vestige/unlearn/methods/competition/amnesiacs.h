// Amnesiacs: a new first convolution and classifier, taught by the original.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// KL(teacher || network) at a temperature.
train::Objective distillation(models::NetworkPointer teacher, double temperature);

/// Cross-entropy plus KL(p || q) + KL(q || p) between network and teacher at a temperature.
train::Objective cross_entropy_and_symmetric_kl(models::NetworkPointer teacher, double temperature);

}  // namespace vestige::unlearn
