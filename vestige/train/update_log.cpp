// Sums of updates, kept beside training.
#include "vestige/train/update_log.h"

#include "vestige/models/weights/checkpoint.h"
#include "vestige/models/weights/safetensors.h"

namespace vestige::train {

UpdateLog::UpdateLog(models::Network& network, const Samples& samples, const Rows& forget)
    : network_(network), is_forget_(torch::zeros_like(samples.labels(), torch::kBool)) {
  is_forget_.index_fill_(0, samples.index(forget), true);
  for (const torch::Tensor& parameter : network.parameters()) {
    sums_.push_back(torch::zeros_like(parameter));
  }
}

void UpdateLog::attach(Phase& phase) {
  const Objective inner = phase.objective ? phase.objective : cross_entropy();
  phase.recordable = false;  // it looks at every batch
  phase.objective = [this, inner](models::Network& network, const Batch& batch, const Step& step) {
    holds_ = is_forget_.index_select(0, batch.rows.reshape({-1})).any().item<bool>();
    before_.clear();
    if (holds_) {
      for (const torch::Tensor& parameter : network_.parameters()) {
        before_.push_back(parameter.detach().clone());
      }
    }
    return inner(network, batch, step);
  };
  phase.after_step = [this](const Step&) {
    if (!holds_) return;
    const torch::NoGradGuard no_gradient;
    const std::vector<torch::Tensor> now = network_.parameters();
    for (std::size_t index = 0; index < now.size(); ++index) {
      sums_[index] += now[index] - before_[index];
    }
    ++steps_;
  };
}

std::string UpdateLog::bytes() const {
  std::map<std::string, torch::Tensor> tensors;
  std::size_t index = 0;
  for (const auto& item : network_.named_parameters()) tensors[item.key()] = sums_[index++][0];
  return models::to_safetensors(tensors, {});
}

}  // namespace vestige::train
