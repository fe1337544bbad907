// vestige.metrics: ROC curves, rank and t-tests, intervals.
#include "python/bindings/module.h"
#include "python/bindings/result.h"
#include "vestige/metrics/stats/attack_result.h"
#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/metrics/stats/jsd.h"
#include "vestige/metrics/stats/kolmogorov_smirnov.h"
#include "vestige/metrics/stats/multiple_testing.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/ranking.h"
#include "vestige/metrics/stats/roc.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/metrics/stats/t_tests.h"

namespace vestige::python {
namespace {

using namespace vestige::metrics;

Alternative alternative_named(const std::string& name) {
  if (name == "greater") return Alternative::greater;
  if (name == "less") return Alternative::less;
  require(name == "two_sided", "alternative '{}' is unknown: give greater, less or two_sided",
          name);
  return Alternative::two_sided;
}

void add_results(py::module_& m) {
  Result<Estimate>(m, "Estimate", "A value with its interval; nan where undefined.")
      .field("value", &Estimate::value, "the value")
      .field("lower", &Estimate::lower, "lower end of the interval")
      .field("upper", &Estimate::upper, "upper end of the interval");
  Result<RocCurve>(m, "RocCurve", "From (0, 0) to (1, 1), one point per distinct score.")
      .field("fpr", &RocCurve::fpr, "false positive rates")
      .field("tpr", &RocCurve::tpr, "true positive rates");
  Result<LowRate>(m, "LowRate", "True positive rate at one false positive rate.")
      .field("fpr", &LowRate::fpr, "asked for")
      .field("resolvable", &LowRate::resolvable, "there are enough non-members")
      .field("tpr", &LowRate::tpr, "Estimate");
  Result<AttackResult>(m, "AttackResult", "How well an attack tells members from non-members.")
      .field("auc", &AttackResult::auc, "Estimate")
      .field("rates", &AttackResult::rates, "at FPR 1 %, 0.1 %, 0.01 % and 0")
      .field("members", &AttackResult::members, "rows")
      .field("nonmembers", &AttackResult::nonmembers, "rows");
  Result<MannWhitney>(m, "MannWhitney", "Mann and Whitney's test.")
      .field("u", &MannWhitney::u, "pairs (x, y) with x > y, ties count one half")
      .field("z", &MannWhitney::z, "normal score")
      .field("p", &MannWhitney::p, "p-value");
  Result<KolmogorovSmirnov>(m, "KolmogorovSmirnov", "The two-sample test.")
      .field("statistic", &KolmogorovSmirnov::statistic, "largest distance")
      .field("p", &KolmogorovSmirnov::p, "two-sided p-value")
      .field("log10_p", &KolmogorovSmirnov::log10_p, "also where p is too small for a double")
      .field("exact", &KolmogorovSmirnov::exact, "not the limiting distribution");
  Result<Spearman>(m, "Spearman", "Spearman's rank correlation.")
      .field("rho", &Spearman::rho, "correlation")
      .field("p", &Spearman::p, "two-sided p-value");
  Result<Kendall>(m, "Kendall", "Kendall's tau-b.")
      .field("n", &Kendall::n, "pairs")
      .field("tau", &Kendall::tau, "correlation")
      .field("p", &Kendall::p, "two-sided p-value");
  Result<PairedT>(m, "PairedT", "Paired t-test of a against b.")
      .field("n", &PairedT::n, "pairs")
      .field("mean_difference", &PairedT::mean_difference, "mean of a - b")
      .field("sd_difference", &PairedT::sd_difference, "standard deviation of a - b")
      .field("t", &PairedT::t, "statistic")
      .field("p", &PairedT::p, "p-value")
      .field("cohen_d", &PairedT::cohen_d, "mean / standard deviation of the differences")
      .field("lower", &PairedT::lower, "of the mean difference")
      .field("upper", &PairedT::upper, "of the mean difference");
  Result<WelchT>(m, "WelchT", "Welch's t-test of two independent samples.")
      .field("mean_difference", &WelchT::mean_difference, "mean of a - mean of b")
      .field("standard_error", &WelchT::standard_error, "of the difference")
      .field("degrees_of_freedom", &WelchT::degrees_of_freedom, "Welch and Satterthwaite's")
      .field("t", &WelchT::t, "statistic")
      .field("p", &WelchT::p, "p-value")
      .field("lower", &WelchT::lower, "of the difference")
      .field("upper", &WelchT::upper, "of the difference");
  Result<Equivalence>(m, "Equivalence", "Two one-sided t-tests.")
      .field("mean_difference", &Equivalence::mean_difference, "mean of a - mean of b")
      .field("p", &Equivalence::p, "the larger of the two p-values")
      .field("lower", &Equivalence::lower, "interval of level 1 - 2 alpha")
      .field("upper", &Equivalence::upper, "interval of level 1 - 2 alpha")
      .field("equivalent", &Equivalence::equivalent, "p < alpha");
}

/// A function of two samples that need not be equally long.
template <typename Function>
auto two_samples(Function function, const char* first, const char* second) {
  return [=](const Doubles& x, const Doubles& y) {
    const auto a = vector_of(x, first);
    const auto b = vector_of(y, second);
    return unlocked([&] { return function(a, b); });
  };
}

void add_roc(py::module_& m) {
  m.def(
      "auc",
      [](const Doubles& scores, const AnyArray& labels) {
        const auto values = vector_of(scores, "scores");
        const Integers<int> classes(labels, "labels");
        require_same(values.size(), "scores", classes.span().size(), "labels");
        return unlocked([&] { return auc(values, classes.span()); });
      },
      py::arg("scores"), py::arg("labels"),
      "Area under the ROC curve; labels are 1 and 0, ties count one half.");
  m.def("auc_of_samples",
        two_samples([](auto a, auto b) { return auc_of_samples(a, b); }, "positives", "negatives"),
        py::arg("positives"), py::arg("negatives"), "AUC of positives against negatives.");
  m.def(
      "auc_interval",
      [](const Doubles& positives, const Doubles& negatives, double level) {
        const auto a = vector_of(positives, "positives");
        const auto b = vector_of(negatives, "negatives");
        return unlocked([&] { return auc_interval(a, b, level); });
      },
      py::arg("positives"), py::arg("negatives"), py::arg("level") = 0.95,
      "AUC with DeLong's interval.");
  m.def(
      "roc_curve",
      [](const Doubles& scores, const AnyArray& labels) {
        const auto values = vector_of(scores, "scores");
        const Integers<int> classes(labels, "labels");
        require_same(values.size(), "scores", classes.span().size(), "labels");
        return unlocked([&] { return roc_curve(values, classes.span()); });
      },
      py::arg("scores"), py::arg("labels"), "Empty for one class only or a NaN score.");
  m.def("tpr_at_fpr", &tpr_at_fpr, py::arg("curve"), py::arg("fpr"),
        "TPR at an FPR by linear interpolation.");
  m.def("tpr_below_fpr", &tpr_below_fpr, py::arg("curve"), py::arg("fpr"),
        "The largest TPR that some threshold reaches with at most this FPR.");
  m.def("best_balanced_accuracy", &best_balanced_accuracy, py::arg("curve"),
        "Over all thresholds.");
  m.def("evaluate_attack",
        two_samples([](auto a, auto b) { return evaluate_attack(a, b); }, "members", "nonmembers"),
        py::arg("members"), py::arg("nonmembers"),
        "AUC and TPR at low FPR; scores say member when high.");
}

void add_tests(py::module_& m) {
  m.def(
      "mann_whitney",
      [](const Doubles& x, const Doubles& y, const std::string& alternative,
         bool continuity_correction) {
        const auto a = vector_of(x, "x");
        const auto b = vector_of(y, "y");
        const Alternative side = alternative_named(alternative);
        return unlocked([&] { return mann_whitney(a, b, side, continuity_correction); });
      },
      py::arg("x"), py::arg("y"), py::arg("alternative") = "greater",
      py::arg("continuity_correction") = true, "Normal approximation with tie correction.");
  m.def("kolmogorov_smirnov",
        two_samples([](auto a, auto b) { return kolmogorov_smirnov(a, b); }, "x", "y"),
        py::arg("x"), py::arg("y"), "The two-sample test, as scipy.stats.ks_2samp.");
  const auto paired = [](auto function) {
    return [function](const Doubles& x, const Doubles& y) {
      const auto a = vector_of(x, "x");
      const auto b = vector_of(y, "y");
      require_same(a.size(), "x", b.size(), "y");
      return unlocked([&] { return function(a, b); });
    };
  };
  m.def("spearman", paired([](auto a, auto b) { return spearman(a, b); }), py::arg("x"),
        py::arg("y"), "Rank correlation of pairs.");
  m.def("kendall_tau", paired([](auto a, auto b) { return kendall_tau(a, b); }), py::arg("x"),
        py::arg("y"), "Kendall's tau-b of pairs.");
  m.def(
      "paired_t",
      [](const Doubles& a, const Doubles& b, const std::string& alternative, double level) {
        const auto x = vector_of(a, "a");
        const auto y = vector_of(b, "b");
        require_same(x.size(), "a", y.size(), "b");
        return paired_t(x, y, alternative_named(alternative), level);
      },
      py::arg("a"), py::arg("b"), py::arg("alternative") = "greater", py::arg("level") = 0.95,
      "Paired t-test of a against b.");
  m.def(
      "welch_t",
      [](const Doubles& a, const Doubles& b, const std::string& alternative, double level) {
        return welch_t(vector_of(a, "a"), vector_of(b, "b"), alternative_named(alternative), level);
      },
      py::arg("a"), py::arg("b"), py::arg("alternative") = "two_sided", py::arg("level") = 0.95,
      "Welch's t-test of two independent samples.");
  m.def(
      "tost_welch",
      [](const Doubles& a, const Doubles& b, double margin, double alpha) {
        return tost_welch(vector_of(a, "a"), vector_of(b, "b"), margin, alpha);
      },
      py::arg("a"), py::arg("b"), py::arg("margin"), py::arg("alpha") = 0.05,
      "Is |mean(a) - mean(b)| shown to be below the margin?");
  m.def(
      "tost_paired",
      [](const Doubles& a, const Doubles& b, double margin, double alpha) {
        const auto x = vector_of(a, "a");
        const auto y = vector_of(b, "b");
        require_same(x.size(), "a", y.size(), "b");
        return tost_paired(x, y, margin, alpha);
      },
      py::arg("a"), py::arg("b"), py::arg("margin"), py::arg("alpha") = 0.05,
      "The same on paired differences.");
}

}  // namespace

void add_statistics(py::module_& m) {
  add_results(m);
  add_roc(m);
  add_tests(m);
  m.def(
      "t_interval",
      [](const Doubles& values, double level) {
        return t_interval(vector_of(values, "values"), level);
      },
      py::arg("values"), py::arg("level") = 0.95, "Mean with Student's interval.");
  m.def("clopper_pearson", &clopper_pearson, py::arg("successes"), py::arg("trials"),
        py::arg("level") = 0.95, "A share with its exact binomial interval.");
  m.def(
      "bootstrap_mean",
      [](const Doubles& values, std::size_t replicates, double level, std::uint64_t seed) {
        const auto rows = vector_of(values, "values");
        return unlocked([&] {
          return bootstrap_mean(rows, {.replicates = replicates, .level = level, .seed = seed});
        });
      },
      py::arg("values"), py::kw_only(), py::arg("replicates") = 2000, py::arg("level") = 0.95,
      py::arg("seed") = 1, "Mean with its BCa bootstrap interval.");
  m.def(
      "jensen_shannon_samples",
      [](const Doubles& x, const Doubles& y, std::size_t bins) {
        const auto a = vector_of(x, "x");
        const auto b = vector_of(y, "y");
        return unlocked([&] { return jensen_shannon_samples(a, b, bins); });
      },
      py::arg("x"), py::arg("y"), py::arg("bins") = 20,
      "Divergence of the pooled histograms, in bits.");
  m.def(
      "holm",
      [](const Doubles& p_values) { return numpy_of(holm(shares_of(p_values, "p_values", true))); },
      py::arg("p_values"), "Adjusted p-values of Holm, in the order given.");
  m.def(
      "benjamini_hochberg",
      [](const Doubles& p_values) {
        return numpy_of(benjamini_hochberg(shares_of(p_values, "p_values", true)));
      },
      py::arg("p_values"), "Adjusted p-values of Benjamini and Hochberg, in the order given.");
}

}  // namespace vestige::python
