// Plain arrays to tensors of doubles and back.
#include "vestige/unlearn/reference.h"

#include "vestige/base/error.h"
#include "vestige/models/torch.h"
#include "vestige/unlearn/methods/salun.h"
#include "vestige/unlearn/methods/sfron.h"
#include "vestige/unlearn/methods/ssd.h"
#include "vestige/unlearn/parts/distillation.h"

namespace vestige::unlearn {
namespace {

torch::Tensor tensor(const ReferenceArray& array) {
  return torch::tensor(array.values, torch::kFloat64).view(array.shape);
}

std::vector<double> values(const torch::Tensor& result) {
  const torch::Tensor flat = result.detach().to(torch::kFloat64).reshape({-1}).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

}  // namespace

const ReferenceArray& ReferenceInput::array(const std::string& name) const {
  const auto found = arrays.find(name);
  require(found != arrays.end(), "the case has no input '{}'", name);
  return found->second;
}

double ReferenceInput::parameter(const std::string& name, double fallback) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? fallback : found->second;
}

ReferenceOutput reference_ssd_dampen(const ReferenceInput& input) {
  return {{"weights_out",
           values(ssd_dampen(tensor(input.array("weights")), tensor(input.array("imp_all")),
                             tensor(input.array("imp_forget")), input.parameter("alpha", 10),
                             input.parameter("lam", 1)))}};
}

ReferenceOutput reference_sfron_mask(const ReferenceInput& input) {
  return {{"mask", values(sfron_mask(tensor(input.array("fisher_forget")),
                                     tensor(input.array("fisher_remain")),
                                     input.parameter("threshold", 1)))}};
}

ReferenceOutput reference_sfron_adaptive_loss(const ReferenceInput& input) {
  return {
      {"loss", values(sfron_adaptive_loss(
                   tensor(input.array("logits")), tensor(input.array("labels")).to(torch::kInt64),
                   input.parameter("lam", 0.5), input.parameter("eps", 1e-15)))}};
}

ReferenceOutput reference_salun_mask(const ReferenceInput& input) {
  std::vector<torch::Tensor> gradients;
  for (int index = 0; input.arrays.count(fmt::format("grad{}", index)) > 0; ++index) {
    gradients.push_back(tensor(input.array(fmt::format("grad{}", index))));
  }
  ReferenceOutput output;
  for (const torch::Tensor& mask : saliency_mask(gradients, input.parameter("fraction", 0.5))) {
    const std::vector<double> flat = values(mask);
    output["mask_flat"].insert(output["mask_flat"].end(), flat.begin(), flat.end());
  }
  return output;
}

ReferenceOutput reference_scrub_kd(const ReferenceInput& input) {
  return {{"loss", values(distillation(tensor(input.array("student")),
                                       tensor(input.array("teacher")), input.parameter("T", 4)))}};
}

}  // namespace vestige::unlearn
