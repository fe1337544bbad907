// Opens layers and measures the sets of several models together.
#include "vestige/metrics/sde/sde_layer.h"

#include <algorithm>
#include <utility>

#include "vestige/metrics/kernels/hsic.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/activation_layers.h"
#include "vestige/metrics/sde/kernel_room.h"
#include "vestige/metrics/sde/set_options.h"

namespace vestige::metrics {
namespace {

double bandwidth(const SigmaRule& rule, const ActivationSets& sets) {
  if (rule.rule == "none") return 1;
  if (rule.rule == "number") return rule.number;
  if (rule.rule == "sqrt_dim") return sqrt_dim(sets.forget.cols());
  // One bandwidth for all sets of a model, or their H would not be comparable.
  return median_of_one_set(sets);
}

/// Whether the same sets were drawn for both: draws depend on the numbers of rows alone.
bool same_sets(const SdeLayer& left, const SdeLayer& right) {
  return left.sets.size == right.sets.size && left.sets.forget.rows() == right.sets.forget.rows() &&
         left.sets.retain.rows() == right.sets.retain.rows() &&
         left.sets.test.rows() == right.sets.test.rows();
}

/// Layers with the same sets.
void measure_alike(std::span<SdeLayer* const> layers, const Request& request) {
  const SdeLayer& first = *layers.front();
  KernelRoom room;
  const DependenceOptions options{.shuffles = set_options(request).shuffles,
                                  .seed = request.seed,
                                  .store = first.store,
                                  .room = &room,
                                  .kernel = set_options(request).kernel};
  // H of the groups of one split, into these members.
  const auto measure = [&](Matrix ActivationSets::*rows, std::span<const SetGroup> groups,
                           auto... into) {
    std::vector<ModelRows> models;
    for (const SdeLayer* layer : layers) models.push_back({layer->sets.*rows, layer->sigma});
    auto found = split_half_dependence(models, groups, options);
    for (std::size_t index = 0; index < layers.size(); ++index) {
      auto group = found[index].begin();
      ((layers[index]->*into = std::move(*group++)), ...);
    }
  };
  const SetGroup retain[] = {{first.sets.ins, "sde.shuffle.retain"},
                             {first.control.ins, "sde.shuffle.control.in"},
                             {first.control.retain_targets, "sde.shuffle.control.member"}};
  measure(&ActivationSets::retain, retain, &SdeLayer::ins, &SdeLayer::control_ins,
          &SdeLayer::members);
  const SetGroup test[] = {{first.sets.outs, "sde.shuffle.test"},
                           {first.control.outs, "sde.shuffle.control.out"},
                           {first.control.test_targets, "sde.shuffle.control.other"}};
  measure(&ActivationSets::test, test, &SdeLayer::outs, &SdeLayer::control_outs, &SdeLayer::others);
  // Last: as a rule it has the fewest rows, and fits into the room of the others.
  const SetGroup forget[] = {{first.sets.targets, "sde.shuffle.forget"}};
  measure(&ActivationSets::forget, forget, &SdeLayer::targets);
}

}  // namespace

SdeLayer open_layer(const Comparison& comparison, const Request& request, const std::string& name,
                    PermutationStore& store) {
  const SetOptions options = set_options(request);
  const SigmaRule rule =
      options.kernel == KernelShape::linear ? SigmaRule{"none", 0} : sigma_rule(options.sigma);
  SdeLayer layer;
  layer.store = &store;
  layer.sets = activation_sets(comparison, request, name);
  layer.rule = rule.rule;
  if (!layer.sets.problem.empty()) return layer;
  layer.constant = layer.sets.constant();
  layer.sigma = bandwidth(rule, layer.sets);
  if (layer.sigma == 0 && layer.constant) layer.sigma = sqrt_dim(layer.sets.forget.cols());
  if (layer.sigma == 0) {
    layer.sets.problem = Code::bandwidth_is_zero;
    return layer;
  }
  layer.control = control_sets(layer.sets, request);
  return layer;
}

void measure_layers(std::span<SdeLayer> layers, const Request& request) {
  std::vector<SdeLayer*> left;
  for (SdeLayer& layer : layers) {
    if (layer.sets.problem.empty()) left.push_back(&layer);
  }
  while (!left.empty()) {
    const auto others = std::stable_partition(left.begin(), left.end(), [&](const SdeLayer* layer) {
      return same_sets(*left.front(), *layer);
    });
    measure_alike({left.begin(), others}, request);
    left.erase(left.begin(), others);
  }
}

bool faster_together(const evidence::Model& model, const std::string& layer,
                     const Request& request) {
  const evidence::Array* forget = layer_array(model, layer, "forget");
  if (forget == nullptr) return false;
  const std::size_t asked = set_options(request).size;
  return shuffled_jointly((asked > 0 ? asked : subset_size(forget->rows())) / 2);
}

std::size_t bytes_held(const evidence::Model& model, const std::string& layer) {
  std::size_t values = 0, kernel = 0;
  for (const char* split : kSetSplits) {
    const evidence::Array* array = layer_array(model, layer, split);
    if (array == nullptr) continue;
    const std::size_t rows = std::min(array->rows(), kLargestPool);
    values += rows * array->cols();
    kernel = std::max(kernel, rows * (rows + 1) / 2);
  }
  return (values + kernel) * sizeof(double);
}

}  // namespace vestige::metrics
