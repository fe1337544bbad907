// Opens layers and measures the sets of several models together.
#include "vestige/metrics/sde/sde_layer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "vestige/metrics/kernels/hsic.h"
#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/activation_layers.h"
#include "vestige/metrics/sde/kernel_room.h"
#include "vestige/metrics/sde/set_options.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// Of 20 bandwidths in equal ratios from 1 to the dimension (or to the median distance where that
/// is larger) the one at which the exact means of H of the control's retain and test sets lie
/// furthest apart, measured in their standard deviations over sets. Reference sets of the rate are
/// other draws, but of the same rows.
double separating_bandwidth(const SdeLayer& layer, const Request& request) {
  constexpr std::size_t kTried = 20;
  const ActivationSets& sets = layer.sets;
  const double root = sqrt_dim(sets.forget.cols());
  if (layer.control.size == 0 || layer.constant) return root;
  const double largest = std::max({1.0, root * root, median_of_one_set(sets)});
  double best = root, furthest = -std::numeric_limits<double>::infinity();
  for (std::size_t index = 0; index < kTried; ++index) {
    const double sigma =
        std::pow(largest, static_cast<double>(index) / static_cast<double>(kTried - 1));
    const DependenceOptions options{.sigma = sigma,
                                    .shuffles = 0,
                                    .kernel = set_options(request).kernel,
                                    .landmarks = set_options(request).landmarks};
    const auto means = [&](const Matrix& rows, const std::vector<HalvedSet>& of) {
      std::vector<double> result;
      for (const Dependence& set : split_half_dependence(rows, of, options)) {
        result.push_back(set.moments.mean);
      }
      return result;
    };
    const std::vector<double> ins = means(sets.retain, layer.control.retain_targets);
    const std::vector<double> outs = means(sets.test, layer.control.test_targets);
    const double spread = std::hypot(standard_deviation(ins), standard_deviation(outs));
    const double apart = (mean(ins) - mean(outs)) / spread;
    if (spread > 0 && apart > furthest) {
      best = sigma;
      furthest = apart;
    }
  }
  return best;
}

double bandwidth(const SigmaRule& rule, const SdeLayer& layer, const Request& request) {
  const ActivationSets& sets = layer.sets;
  if (rule.rule == "separating") return separating_bandwidth(layer, request);
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
                                  .kernel = set_options(request).kernel,
                                  .landmarks = set_options(request).landmarks};
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
  layer.control = control_sets(layer.sets, request);
  layer.sigma = bandwidth(rule, layer, request);
  if (layer.sigma == 0 && layer.constant) layer.sigma = sqrt_dim(layer.sets.forget.cols());
  if (layer.sigma == 0) {
    layer.sets.problem = Code::bandwidth_is_zero;
    return layer;
  }
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
