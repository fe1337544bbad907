// vestige.metrics: epsilon, forgetting quality F and the final score.
#include "python/bindings/module.h"
#include "python/bindings/result.h"
#include "vestige/metrics/epsilon/epsilon.h"
#include "vestige/metrics/epsilon/epsilon_reference.h"
#include "vestige/metrics/epsilon/epsilon_score.h"

namespace vestige::python {
namespace {

using namespace vestige::metrics;

EpsilonMode mode_named(const std::string& name) {
  if (name == "exact") return EpsilonMode::exact;
  require(name == "reference", "mode '{}' is unknown: give exact or reference", name);
  return EpsilonMode::reference;
}

/// Models in rows, examples in columns, as many of them on both sides.
void require_columns(MatrixView unlearned, MatrixView retrained) {
  require(unlearned.cols == retrained.cols,
          "unlearned has {} columns and retrained has {}: both are [models, rows] of the same rows",
          unlearned.cols, retrained.cols);
}

void add_epsilon_results(py::module_& m) {
  Result<Epsilon>(m, "Epsilon", "eps of one example; nan where every attack was discarded.")
      .field("epsilon", &Epsilon::epsilon, "the strongest attack of both families")
      .field("single", &Epsilon::single, "single threshold alone")
      .field("double_threshold", &Epsilon::double_threshold, "double threshold alone")
      .field("positive_is_retrained", &Epsilon::positive_is_retrained,
             "retrained has the strictly larger median")
      .field("separated", &Epsilon::separated, "eps is at the cap");
  Result<ForgetScore>(m, "ForgetScore", "F and what stands behind it.")
      .field("value", &ForgetScore::value, "F; nan if no row is defined")
      .field("points", &ForgetScore::points, "per row")
      .field("undefined", &ForgetScore::undefined, "rows without an eps");
  Result<ForgetQuality>(m, "ForgetQuality", "eps of every row and what they add up to.")
      .field("epsilons", &ForgetQuality::epsilons, "per row")
      .field("score", &ForgetQuality::score, "ForgetScore")
      .field("models", &ForgetQuality::models, "the smaller of the two model counts")
      .field("separated", &ForgetQuality::separated, "rows with eps at the cap");
}

}  // namespace

void add_epsilon(py::module_& m) {
  add_epsilon_results(m);
  const auto one = [](auto function) {
    return
        [function](const Doubles& unlearned, const Doubles& retrained, double delta, double cap) {
          const auto a = vector_of(unlearned, "unlearned");
          const auto b = vector_of(retrained, "retrained");
          return unlocked([&] { return function(a, b, EpsilonOptions{delta, cap}); });
        };
  };
  const auto many = [](auto function) {
    return
        [function](const Doubles& unlearned, const Doubles& retrained, double delta, double cap) {
          const MatrixView a = matrix_of(unlearned, "unlearned");
          const MatrixView b = matrix_of(retrained, "retrained");
          require_columns(a, b);
          return unlocked([&] { return function(a, b, EpsilonOptions{delta, cap}); });
        };
  };
  m.def("epsilon", one([](auto a, auto b, auto o) { return epsilon(a, b, o); }),
        py::arg("unlearned"), py::arg("retrained"), py::kw_only(), py::arg("delta") = 1e-5,
        py::arg("cap") = 50., "Exact eps of one example from its confidences under each model.");
  m.def("epsilons", many([](auto a, auto b, auto o) { return epsilons(a, b, o); }),
        py::arg("unlearned"), py::arg("retrained"), py::kw_only(), py::arg("delta") = 1e-5,
        py::arg("cap") = 50., "The same for many examples: matrices are [models, examples].");
  m.def("reference_epsilon", one([](auto a, auto b, auto o) { return reference_epsilon(a, b, o); }),
        py::arg("unlearned"), py::arg("retrained"), py::kw_only(), py::arg("delta") = 1e-5,
        py::arg("cap") = 50., "eps of one example on the grids of the public scorer.");
  m.def("reference_epsilons",
        many([](auto a, auto b, auto o) { return reference_epsilons(a, b, o); }),
        py::arg("unlearned"), py::arg("retrained"), py::kw_only(), py::arg("delta") = 1e-5,
        py::arg("cap") = 50., "The same for many examples: matrices are [models, examples].");
  m.def(
      "largest_finite_epsilon",
      [](std::size_t unlearned, std::size_t retrained, double delta) {
        return largest_finite_epsilon(unlearned, retrained, {.delta = delta});
      },
      py::arg("unlearned"), py::arg("retrained"), py::kw_only(), py::arg("delta") = 1e-5,
      "The largest finite eps that so many models can show.");
  m.def(
      "epsilon_bins", [](std::size_t models) { return epsilon_bins(models); }, py::arg("models"),
      "Bins that so many models can fill.");
  m.def(
      "forget_points",
      [](double epsilon, std::size_t models) { return forget_points(epsilon, models); },
      py::arg("epsilon"), py::arg("models"), "Points of one eps: 2^-b in bin b.");
  m.def(
      "forget_score",
      [](const Doubles& values, std::size_t models, bool leave_out) {
        return forget_score(vector_of(values, "epsilons"), models,
                            leave_out ? UndefinedRows::leave_out : UndefinedRows::propagate);
      },
      py::arg("epsilons"), py::arg("models"), py::arg("leave_out_undefined") = true,
      "F, the mean points over rows; models is the smaller of the two counts.");
  m.def(
      "forget_quality",
      [](const Doubles& unlearned, const Doubles& retrained, const std::string& mode, double delta,
         double cap) {
        const MatrixView a = matrix_of(unlearned, "unlearned");
        const MatrixView b = matrix_of(retrained, "retrained");
        require_columns(a, b);
        const EpsilonMode how = mode_named(mode);
        return unlocked([&] { return forget_quality(a, b, how, {delta, cap}); });
      },
      py::arg("unlearned"), py::arg("retrained"), py::arg("mode") = "exact", py::kw_only(),
      py::arg("delta") = 1e-5, py::arg("cap") = 50.,
      "eps of every row and F, from confidences [models, rows].");
  m.def(
      "utility_factor",
      [](double unlearned_retain, double retrained_retain, double unlearned_test,
         double retrained_test) {
        return utility_factor({unlearned_retain, retrained_retain, unlearned_test, retrained_test});
      },
      py::kw_only(), py::arg("unlearned_retain"), py::arg("retrained_retain"),
      py::arg("unlearned_test"), py::arg("retrained_test"),
      "Accuracy ratios, unlearned over retrained, that F is multiplied by.");
  m.def(
      "final_score",
      [](double f, double unlearned_retain, double retrained_retain, double unlearned_test,
         double retrained_test) {
        return final_score(f, {unlearned_retain, retrained_retain, unlearned_test, retrained_test});
      },
      py::arg("forget_score"), py::kw_only(), py::arg("unlearned_retain"),
      py::arg("retrained_retain"), py::arg("unlearned_test"), py::arg("retrained_test"),
      "F times the utility factor.");
  m.def(
      "median_epsilon",
      [](const Doubles& values) { return median_epsilon(vector_of(values, "epsilons")); },
      py::arg("epsilons"), "The median of the values that are not NaN.");
}

}  // namespace vestige::python
