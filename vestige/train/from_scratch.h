// The phase that [train] describes: what training, retraining and the methods that start from fresh
// weights have in common.
#pragma once

#include <vector>

#include "vestige/train/loop.h"
#include "vestige/train/settings.h"

namespace vestige::train {

/// The network's own objective on rows[c] for copy c; cross-entropy with class weights if the
/// settings ask for them.
Phase phase_of(const TrainSettings& settings, const Samples& samples,
               const std::vector<Rows>& rows);

}  // namespace vestige::train
