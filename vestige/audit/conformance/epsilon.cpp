// Runs the cases of the competition's public scorer.
#include "vestige/audit/conformance/epsilon.h"

#include "vestige/metrics/epsilon/epsilon.h"
#include "vestige/metrics/epsilon/epsilon_score.h"
#include "vestige/metrics/inputs/confidence.h"

namespace vestige::audit {
namespace {

using metrics::Epsilon;
using metrics::EpsilonMode;
using metrics::EpsilonOptions;

ConformanceValues run_epsilon(const ConformanceCase& test_case) {
  const Matrix unlearned = test_case.matrix("unlearned_confs");
  const Matrix retrained = test_case.matrix("retrained_confs");
  const EpsilonOptions options{.delta = test_case.parameter("delta", 1e-5),
                               .cap = test_case.parameter("cap", 50)};
  const auto reference =
      metrics::forget_quality(unlearned, retrained, EpsilonMode::reference, options);
  ConformanceValues values;
  for (const Epsilon& row : reference.rows) {
    values["epsilon"].push_back(row.epsilon);
    values["eps_single"].push_back(row.single);
    values["eps_double"].push_back(row.double_threshold);
    values["retrain_is_positive"].push_back(row.positive_is_retrained ? 1 : 0);
  }
  for (const Epsilon& row : metrics::epsilons(unlearned, retrained, options)) {
    values["exact_sweep_single"].push_back(row.single);
    values["exact_sweep_double"].push_back(row.double_threshold);
  }
  // NaN where the public scorer stops with an assertion: some row has no eps.
  values["forget_score"] = {reference.score.value};
  return values;
}

ConformanceValues run_forget_score(const ConformanceCase& test_case) {
  const std::vector<double> epsilons = test_case.numbers("epsilon");
  const auto models = static_cast<std::size_t>(test_case.parameter("num_models", 0));
  return {{"forget_score", {metrics::forget_score(epsilons, models).value}}};
}

ConformanceValues run_logit_scaling(const ConformanceCase& test_case) {
  const evidence::Array& logits = test_case.inputs.at("logits");
  const std::vector<std::int64_t> labels = test_case.integers("labels");
  const bool narrow = logits.dtype() != evidence::DType::float64;
  std::vector<double> row(logits.cols());
  ConformanceValues values;
  for (std::size_t index = 0; index < labels.size(); ++index) {
    logits.read_row(index, row);
    const auto label = static_cast<std::size_t>(labels[index]);
    const std::vector<float> single(row.begin(), row.end());
    const auto result = narrow
                            ? metrics::reference_confidence(std::span<const float>(single), label)
                            : metrics::reference_confidence(std::span<const double>(row), label);
    values["prob_correct"].push_back(result.probability);
    values["conf"].push_back(result.confidence);
  }
  return values;
}

}  // namespace

std::vector<ConformanceRunner> epsilon_runners() {
  return {
      {"dm_epsilon", run_epsilon, {"n_thr_single", "n_thr_double"}},
      {"dm_forget_score", run_forget_score, {}},
      {"dm_logit_scaling", run_logit_scaling, {}},
  };
}

}  // namespace vestige::audit
