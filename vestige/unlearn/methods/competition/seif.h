// Seif: noise on the convolutions, then cross-entropy that listens to the majority class.
#pragma once

#include "vestige/unlearn/method.h"
#include "vestige/unlearn/repair.h"

namespace vestige::unlearn {

/// The class with the most rows; of equal ones the lowest.
std::int64_t majority_class(const train::Samples& samples, const train::Rows& rows);

/// Sum over the batch of weight(y) CE, divided by the batch size: unlike PyTorch's weighted mean,
/// its size grows with the majority rows in the batch, which acts as a rate per batch.
train::Objective majority_cross_entropy(std::int64_t majority, double weight, double other_weight);

/// Mean weight of the retained rows: the factor by which that objective scales the rate on average.
double mean_weight(const train::Samples& samples, const train::Rows& rows, double weight,
                   double other_weight);

/// Its objective with the paper's weights, 1 and .05.
Repair seif_repair(Problem& problem);

/// Seif as a host: another repair has the rate that Seif's own has on average, so that only the
/// objective differs (competition, A.10 and Figure 16: "Seif with a vanilla repair phase").
Run prepare_seif(Options& options, const MakeRepair& repair);

}  // namespace vestige::unlearn
