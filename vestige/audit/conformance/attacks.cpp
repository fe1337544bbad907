// Runs the reference cases of statistics and membership attacks.
#include "vestige/audit/conformance/attacks.h"

#include <algorithm>
#include <array>

#include "vestige/base/error.h"
#include "vestige/metrics/learn/entropy_attack.h"
#include "vestige/metrics/learn/simple_mia.h"
#include "vestige/metrics/learn/svc_membership.h"
#include "vestige/metrics/miau/miau.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/roc.h"
#include "vestige/metrics/stats/t_tests.h"
#include "vestige/metrics/zrf/zrf.h"

namespace vestige::audit {
namespace {

std::vector<int> binary(const std::vector<std::int64_t>& values) {
  std::vector<int> labels;
  for (const std::int64_t value : values) labels.push_back(static_cast<int>(value));
  return labels;
}

std::vector<std::vector<std::size_t>> index_rows(const Matrix& indices) {
  std::vector<std::vector<std::size_t>> rows(indices.rows());
  for (std::size_t i = 0; i < indices.rows(); ++i) {
    for (const double index : indices.row(i)) rows[i].push_back(static_cast<std::size_t>(index));
  }
  return rows;
}

ConformanceValues run_simple_mia(const ConformanceCase& test) {
  const auto train = index_rows(test.matrix("train_idx"));
  const auto held_out = index_rows(test.matrix("test_idx"));
  std::vector<metrics::LabelSplit> splits;
  for (std::size_t i = 0; i < train.size(); ++i) splits.push_back({train[i], held_out.at(i)});
  const metrics::SimpleMia result = metrics::simple_mia(
      test.numbers("losses"), binary(test.integers("members")), splits, test.parameter("C", 1));
  std::vector<double> probabilities;
  for (const std::vector<double>& split : result.probabilities) {
    probabilities.insert(probabilities.end(), split.begin(), split.end());
  }
  return {{"scores", result.scores}, {"mean", {result.accuracy}}, {"test_prob", probabilities}};
}

ConformanceValues run_roc_auc(const ConformanceCase& test) {
  const std::vector<double> scores = test.numbers("scores");
  const std::vector<int> labels = binary(test.integers("labels"));
  const metrics::RocCurve curve = metrics::roc_curve(scores, labels);
  std::vector<double> rates;
  for (const double fpr : {0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0}) {
    rates.push_back(metrics::tpr_at_fpr(curve, fpr));
  }
  return {{"auc", {metrics::auc(scores, labels)}},
          {"acc", {metrics::best_balanced_accuracy(curve)}},
          {"tpr_at_fpr", rates},
          {"spearman", {metrics::spearman(scores, test.numbers("labels")).rho}}};
}

ConformanceValues run_spearman(const ConformanceCase& test) {
  const metrics::Spearman result = metrics::spearman(test.numbers("x"), test.numbers("y"));
  return {{"rho", {result.rho}}, {"p", {result.p}}};
}

ConformanceValues run_printed_paired_t(const ConformanceCase& test) {
  const auto means = test.numbers("mean_diff");
  const auto lower = test.numbers("ci_lower");
  const auto upper = test.numbers("ci_upper");
  const auto n = static_cast<std::size_t>(test.parameter("n", 0));
  ConformanceValues values;
  for (std::size_t i = 0; i < means.size(); ++i) {
    const metrics::PairedT row =
        metrics::paired_t_from_interval(means[i], lower.at(i), upper.at(i), n);
    values["cohen_d"].push_back(row.cohen_d);
    values["p"].push_back(row.p);
  }
  return values;
}

ConformanceValues run_paired_t(const ConformanceCase& test) {
  if (test.has("mean_diff")) return run_printed_paired_t(test);
  const metrics::PairedT result = metrics::paired_t(test.numbers("a"), test.numbers("b"));
  return {{"n", {static_cast<double>(result.n)}},
          {"mean_diff", {result.mean_difference}},
          {"sd_diff", {result.sd_difference}},
          {"t", {result.t}},
          {"p", {result.p}},
          {"cohen_d", {result.cohen_d}},
          {"ci_lower", {result.lower}},
          {"ci_upper", {result.upper}}};
}

ConformanceValues run_mannwhitney(const ConformanceCase& test) {
  const auto x = test.numbers("x"), y = test.numbers("y");
  using metrics::Alternative;
  const auto p = [&](Alternative alternative, bool continuity = true) {
    return std::vector<double>{metrics::mann_whitney(x, y, alternative, continuity).p};
  };
  return {{"U", {metrics::mann_whitney(x, y).u}},
          {"p_greater_asymptotic", p(Alternative::greater)},
          {"p_less_asymptotic", p(Alternative::less)},
          {"p_two-sided_asymptotic", p(Alternative::two_sided)},
          {"p_greater_asymptotic_nocc", p(Alternative::greater, false)}};
}

std::array<double, 3> three(const ConformanceCase& test, std::string_view input) {
  const std::vector<double> values = test.numbers(input);
  require(values.size() == 3, "{} has {} values: give one per task", input, values.size());
  return {values[0], values[1], values[2]};
}

ConformanceValues run_miau(const ConformanceCase& test) {
  metrics::MiauOptions options{.alpha = test.parameter("alpha", 13.8)};
  if (test.has("weights")) options.weights = three(test, "weights");
  const metrics::MiauScore result =
      metrics::miau_score(three(test, "B"), three(test, "R"), three(test, "M"), options);
  return {{"f", {result.closure.begin(), result.closure.end()}},
          {"mus", {result.mus.begin(), result.mus.end()}},
          {"miau", {result.score}}};
}

ConformanceValues run_zrf(const ConformanceCase& test) {
  const metrics::Zrf result = metrics::zrf(test.matrix("p_model"), test.matrix("p_gold"));
  constexpr double kLn2 = 0.69314718055994531;
  return {{"jsdiv_reference", {1 - result.reference}},
          {"zrf_reference", {result.reference}},
          {"jsd_true_mean_nats", {result.divergence()}},
          {"zrf_true_nats", {result.score}},
          {"zrf_true_bits", {1 - result.divergence() / kLn2}}};
}

std::vector<double> largest(const Matrix& probabilities) {
  std::vector<double> result;
  for (std::size_t i = 0; i < probabilities.rows(); ++i) {
    result.push_back(*std::max_element(probabilities.row(i).begin(), probabilities.row(i).end()));
  }
  return result;
}

ConformanceValues run_mia_classifiers(const ConformanceCase& test) {
  const Matrix retain = test.matrix("p_retain"), held_out = test.matrix("p_test"),
               forget = test.matrix("p_forget");
  const auto on_retain = metrics::entropies(retain), on_test = metrics::entropies(held_out),
             on_forget = metrics::entropies(forget);
  // The published multinomial fit with C is the binary one with 2 C, at half its coefficients.
  const metrics::LogisticMembership logistic =
      metrics::logistic_membership(on_retain, on_test, on_forget, 2 * test.parameter("lr_C", 1));
  const metrics::SvcMembershipOptions options{.cost = test.parameter("svc_C", 3)};
  const metrics::SvcMembership svc =
      metrics::svc_membership(on_retain, on_test, on_forget, options);
  const metrics::SvcMembership confidence =
      metrics::svc_membership(largest(retain), largest(held_out), largest(forget), options);
  return {{"entropy_retain", on_retain},
          {"entropy_forget", on_forget},
          {"lr_pred", {logistic.predictions.begin(), logistic.predictions.end()}},
          {"lr_mia", {logistic.member_share}},
          {"lr_coef_multinomial", {logistic.classifier.weights.at(0) / 2}},
          {"lr_intercept_multinomial", {logistic.classifier.intercept / 2}},
          {"svc_pred", {svc.predictions.begin(), svc.predictions.end()}},
          {"svc_decision", svc.decisions},
          {"svc_mia", {svc.member_share}},
          {"svc_n_sv", {static_cast<double>(svc.support_vectors)}},
          {"svc_conf_decision", confidence.decisions},
          {"svc_conf_efficacy", {1 - confidence.member_share}}};
}

}  // namespace

std::vector<ConformanceRunner> attack_runners() {
  return {{"simple_mia", run_simple_mia, {}},
          {"roc_auc", run_roc_auc, {"tnr_at_fnr"}},
          {"spearman", run_spearman, {}},
          {"paired_t", run_paired_t, {}},
          {"mannwhitney",
           run_mannwhitney,
           {"p_greater_exact", "p_greater_auto", "p_less_exact", "p_less_auto", "p_two-sided_exact",
            "p_two-sided_auto"}},
          {"miau", run_miau, {}},
          {"zrf", run_zrf, {}},
          {"mia_classifiers", run_mia_classifiers, {}}};
}

}  // namespace vestige::audit
