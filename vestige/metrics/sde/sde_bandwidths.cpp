// The SDE paper's Figures 3 and 6: how F1 depends on the bandwidth of the kernel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/metrics/kernels/rbf_kernel.h"
#include "vestige/metrics/sde/activation_layers.h"
#include "vestige/metrics/sde/sde_extras.h"
#include "vestige/metrics/sde/set_options.h"
#include "vestige/metrics/sde/set_rows.h"
#include "vestige/metrics/series.h"

namespace vestige::metrics {
namespace {

std::vector<PairVerdicts> verdicts_at(double sigma, const ActivationSets& sets,
                                      const ControlSets& control, bool forget,
                                      const Request& request) {
  const DependenceOptions options{.sigma = sigma,
                                  .shuffles = set_options(request).shuffles,
                                  .seed = request.seed,
                                  .kernel = set_options(request).kernel,
                                  .landmarks = set_options(request).landmarks};
  const SetGroup retain[] = {{control.ins, "sde.shuffle.control.in"},
                             {control.retain_targets, "sde.shuffle.control.member"}};
  const auto of_retain = split_half_dependence(sets.retain, retain, options);
  std::vector<Dependence> targets = of_retain[1];
  const SetGroup test[] = {{control.outs, "sde.shuffle.control.out"},
                           {control.test_targets, "sde.shuffle.control.other"}};
  const auto of_test = split_half_dependence(sets.test, test, options);
  std::vector<Dependence> others = of_test[1];
  if (forget) {
    const SetGroup group{control.forget_targets, "sde.shuffle.control.forget"};
    others = split_half_dependence(sets.forget, {&group, 1}, options).front();
  }
  targets.insert(targets.end(), others.begin(), others.end());
  return judge_by_shuffles(targets, of_retain[0], of_test[0], set_options(request).divergence);
}

}  // namespace

void add_bandwidths(const ActivationSets& sets, const ControlSets& control,
                    const Comparison& comparison, const Request& request, Measurements& out) {
  const std::size_t count = set_options(request).bandwidths;
  if (count == 0 || control.size == 0 || sets.constant()) return;
  const bool forget = never_saw_forget(*comparison.candidate.front());
  const char* id = forget ? "sde.f1.retrained" : "sde.f1.control";
  const bool geometric = set_options(request).bandwidths_to == "dimension";
  const double dimension = static_cast<double>(sets.forget.cols());
  const double largest =
      geometric ? dimension
                : std::max({1.0, sqrt_dim(sets.forget.cols()), median_of_one_set(sets)});
  std::vector<double> x, y;
  for (std::size_t index = 0; index < count; ++index) {
    const double share =
        count == 1 ? 1 : static_cast<double>(index) / static_cast<double>(count - 1);
    const double sigma = geometric ? std::pow(largest, share) : 1 + share * (largest - 1);
    Row row = set_row(id, sets, comparison, request);
    row.settings["rule"] = "sweep";
    row.settings["bandwidth"] = index + 1;
    add_kernel(row, sigma, request);
    row.facts["size"] = control.size;
    row.n = control.retain_targets.size() +
            (forget ? control.forget_targets : control.test_targets).size();
    fill_f1(row, verdicts_at(sigma, sets, control, forget, request), control.retain_targets.size(),
            Code::reference_pairs_fail_u_test, request);
    if (!control.smaller.empty()) row.notes.push_back(control.smaller);
    x.push_back(sigma);
    y.push_back(row.value);
    out.rows.push_back(std::move(row));
  }
  // Of every model: a few points each, and retrained ones differ much (appendix E).
  Series series = make_series("curve", id, comparison);
  series.params = {{"x", "sigma"}, {"layer", sets.layer}, {"mark", sqrt_dim(sets.forget.cols())}};
  if (geometric) series.params["scale"] = "log";
  series.columns = {{"x", std::move(x)}, {"y", std::move(y)}};
  out.series.push_back(std::move(series));
}

}  // namespace vestige::metrics
