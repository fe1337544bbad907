// The shadow-model attacks under the ids `mia.*`: LiRA, RMIA, EMIA, Update, UnLeak, the loss attack
// and a random baseline, on the same evidence and with the same rows as IAM.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family attacks_family();

}  // namespace vestige::metrics
