// Fanchuan: forget rows towards uniform answers, then rounds of contrast with retained rows and
// repair.
#pragma once

#include "vestige/unlearn/method.h"
#include "vestige/unlearn/repair.h"

namespace vestige::unlearn {

/// With another repair than its own (an empty one: its own, cross-entropy).
Run prepare_fanchuan(Options& options, const MakeRepair& repair);

/// Mean over forget rows i and retained rows j of log softmax_j (u_i . r_j / temperature), from
/// outputs u [k, b, classes] and r [k, m, classes]; [k]. At most -log m, when all retained rows are
/// equally near.
torch::Tensor contrastive_loss(const torch::Tensor& forget, const torch::Tensor& retain,
                               double temperature);

}  // namespace vestige::unlearn
