// vestige.metrics: MIAU, attacks that learn, ZRF and utility scores.
#include <array>

#include "python/bindings/module.h"
#include "python/bindings/result.h"
#include "vestige/metrics/learn/entropy_attack.h"
#include "vestige/metrics/learn/simple_mia.h"
#include "vestige/metrics/learn/svc_membership.h"
#include "vestige/metrics/miau/miau.h"
#include "vestige/metrics/utility/utility.h"
#include "vestige/metrics/zrf/zrf.h"

namespace vestige::python {
namespace {

using namespace vestige::metrics;

void add_miau(py::module_& m) {
  Result<MiauScore>(m, "MiauScore", "MIAU and its parts, per task.")
      .field("closure", &MiauScore::closure, "share of the gap that is closed, per task")
      .field("mus", &MiauScore::mus, "0 to 100 per task")
      .field("score", &MiauScore::score, "weighted sum of mus");
  Result<TaskReliability>(m, "TaskReliability", "Can a task tell original from retrained?")
      .field("lower", &TaskReliability::lower, "2.5 percentile over attack seeds")
      .field("upper", &TaskReliability::upper, "97.5 percentile")
      .field("reliable", &TaskReliability::reliable, "0 lies outside");
  m.def("gap_closure", &gap_closure, py::arg("baseline"), py::arg("retrained"),
        py::arg("unlearned"), "(|B - R| - |M - R|) / |B - R|; 0 where B = R.");
  m.def("matching_score", &matching_score, py::arg("closure"), py::arg("alpha") = 13.8,
        "100 / (1 + exp(-alpha (f - 1/2))).");
  m.def(
      "miau_score",
      [](const std::array<double, 3>& baseline, const std::array<double, 3>& retrained,
         const std::array<double, 3>& unlearned, double alpha,
         const std::array<double, 3>& weights) {
        const MiauOptions options{alpha, weights};
        check_miau_options(options);
        return miau_score(baseline, retrained, unlearned, options);
      },
      py::arg("baseline"), py::arg("retrained"), py::arg("unlearned"), py::kw_only(),
      py::arg("alpha") = 13.8, py::arg("weights") = std::array<double, 3>{1. / 3, 1. / 3, 1. / 3},
      "MIAU from attack accuracies on the tasks forget-retain, forget-test and retain-test.");
  m.def(
      "task_reliability",
      [](const Doubles& baseline, const Doubles& retrained) {
        const auto a = vector_of(baseline, "baseline");
        const auto b = vector_of(retrained, "retrained");
        require_same(a.size(), "baseline", b.size(), "retrained");
        return task_reliability(a, b);
      },
      py::arg("baseline"), py::arg("retrained"), "Paired over attack seeds.");
  Result<SimpleMia>(m, "SimpleMia", "Held-out accuracy of the attack.")
      .field("accuracy", &SimpleMia::accuracy, "mean of scores; 0.5 is chance")
      .field("scores", &SimpleMia::scores, "held-out accuracy per split")
      .field("probabilities", &SimpleMia::probabilities, "of being a member, per split and row");
  m.def(
      "simple_mia",
      [](const Doubles& members, const Doubles& nonmembers, std::uint64_t seed, std::size_t splits,
         double test_fraction, double c) {
        const auto a = vector_of(members, "member_losses");
        const auto b = vector_of(nonmembers, "nonmember_losses");
        return unlocked([&] {
          return simple_mia(a, b, seed, SimpleMiaOptions{splits, test_fraction, c});
        });
      },
      py::arg("member_losses"), py::arg("nonmember_losses"), py::kw_only(), py::arg("seed") = 1,
      py::arg("splits") = 10, py::arg("test_fraction") = 0.1, py::arg("c") = 1.,
      "Logistic regression on losses, cross-validated.");
}

/// An attack that learns on retain (members) and test rows and is asked about forget rows.
template <typename Function>
auto three_samples(const Doubles& retain, const Doubles& test, const Doubles& forget,
                   Function function) {
  const auto a = vector_of(retain, "retain");
  const auto b = vector_of(test, "test");
  const auto c = vector_of(forget, "forget");
  return unlocked([&] { return function(a, b, c); });
}

void add_learned(py::module_& m) {
  Result<LogisticMembership>(m, "LogisticMembership", "Forget rows called members.")
      .field("member_share", &LogisticMembership::member_share, "share of forget rows")
      .field("predictions", &LogisticMembership::predictions, "per forget row: 1 member");
  Result<SvcMembership>(m, "SvcMembership", "Forget rows called members.")
      .field("member_share", &SvcMembership::member_share, "share of forget rows")
      .field("predictions", &SvcMembership::predictions, "per forget row: 1 member")
      .field("decisions", &SvcMembership::decisions, "per forget row: positive means member")
      .field("support_vectors", &SvcMembership::support_vectors, "of the machine");
  m.def(
      "entropies",
      [](const Doubles& probabilities) {
        const MatrixView values = distributions_of(probabilities, "probabilities");
        return numpy_of(unlocked([&] { return entropies(values); }));
      },
      py::arg("probabilities"), "Entropy of each row in nats.");
  m.def(
      "logistic_membership",
      [](const Doubles& retain, const Doubles& test, const Doubles& forget, double c) {
        return three_samples(retain, test, forget, [c](auto x, auto y, auto z) {
          return logistic_membership(x, y, z, c);
        });
      },
      py::arg("retain"), py::arg("test"), py::arg("forget"), py::arg("c") = 2.,
      "Logistic regression on one feature per row, class weights balanced.");
  m.def(
      "svc_membership",
      [](const Doubles& retain, const Doubles& test, const Doubles& forget, double cost,
         std::size_t max_rows, std::uint64_t seed) {
        return three_samples(retain, test, forget, [&](auto x, auto y, auto z) {
          return svc_membership(x, y, z, {cost, max_rows, seed});
        });
      },
      py::arg("retain"), py::arg("test"), py::arg("forget"), py::kw_only(), py::arg("cost") = 3.,
      py::arg("max_rows") = 2000, py::arg("seed") = 1,
      "A support vector machine on one feature per row.");
}

}  // namespace

void add_attacks(py::module_& m) {
  add_miau(m);
  add_learned(m);
  Result<Zrf>(m, "Zrf", "Zero-retrain forgetting.")
      .field("score", &Zrf::score, "1 - mean Jensen-Shannon divergence in nats")
      .field("reference", &Zrf::reference, "what published code computes")
      .field("score_terms", &Zrf::score_terms, "per row")
      .field("reference_terms", &Zrf::reference_terms, "per row");
  m.def(
      "zrf",
      [](const Doubles& model, const Doubles& teacher) {
        const MatrixView a = distributions_of(model, "model");
        const MatrixView b = distributions_of(teacher, "teacher");
        require(a.rows == b.rows && a.cols == b.cols,
                "model is {} x {} and teacher {} x {}: both hold probabilities of the same rows",
                a.rows, a.cols, b.rows, b.cols);
        return unlocked([&] { return zrf(a, b); });
      },
      py::arg("model"), py::arg("teacher"), "Probabilities of the model and of an untrained one.");
  m.def(
      "tug_of_war", [](const Doubles& gaps) { return tug_of_war(vector_of(gaps, "gaps")); },
      py::arg("gaps"), "Product of 1 - |accuracy - reference| over splits.");
  m.def(
      "adaptive_unlearning_score",
      [](double test_original, double test, double forget) {
        return adaptive_unlearning_score(test_original, test, forget);
      },
      py::arg("test_original"), py::arg("test"), py::arg("forget"),
      "(1 - (test_original - test)) / (1 + |forget - test|).");
}

}  // namespace vestige::python
