// vestige.metrics: what activations of two models share, what simple classifiers read off them, and
// which of two samples a model's sample is nearer to (docs/metrics/representation.md,
// kernel_test.md).
#include <array>
#include <string>
#include <vector>

#include "python/bindings/module.h"
#include "python/bindings/result.h"
#include "vestige/metrics/kernel_test/relative_test.h"
#include "vestige/metrics/representation/representation.h"

namespace vestige::python {
namespace {

using namespace vestige::metrics;

/// p by the divergence's name.
py::dict by_divergence(const std::array<double, 3>& values) {
  py::dict named;
  for (std::size_t i = 0; i < values.size(); ++i) {
    named[py::str(std::string(name(kWitnessDivergences[i])))] = values[i];
  }
  return named;
}

/// What a classifier on activations is fitted on or asked about; both arrays must outlive it.
LabelledActivations labelled(const Doubles& rows, const char* name,
                             const Integers<std::int64_t>& labels) {
  return {matrix_of(rows, name), labels.span()};
}

}  // namespace

void add_activations(py::module_& m) {
  Result<RelativeTest>(m, "RelativeTest", "Which of two samples a model's sample is nearer to.")
      .type()
      .def_property_readonly(
          "nearer_second",
          [](const RelativeTest& self) { return by_divergence(self.nearer_second); },
          "one-sided p by divergence")
      .def_property_readonly(
          "nearer_first", [](const RelativeTest& self) { return by_divergence(self.nearer_first); },
          "one-sided p by divergence");
  m.attr("RelativeTest").attr("_fields") = py::make_tuple("nearer_second", "nearer_first");
  m.def(
      "linear_cka",
      [](const Doubles& x, const Doubles& y) {
        const MatrixView a = matrix_of(x, "x"), b = matrix_of(y, "y");
        return unlocked([&] { return linear_cka(a, b); });
      },
      py::arg("x"), py::arg("y"),
      "Linear centred kernel alignment of activations [rows, columns] of the same rows.");
  m.def(
      "nearest_neighbours",
      [](const Doubles& fitted, const AnyArray& fitted_labels, const Doubles& queries,
         const AnyArray& query_labels, std::size_t neighbours) {
        const Integers<std::int64_t> known(fitted_labels, "fitted_labels");
        const Integers<std::int64_t> asked(query_labels, "query_labels");
        const auto from = labelled(fitted, "fitted", known);
        const auto to = labelled(queries, "queries", asked);
        return numpy_of(unlocked([&] { return nearest_neighbours(from, to, neighbours); }));
      },
      py::arg("fitted"), py::arg("fitted_labels"), py::arg("queries"), py::arg("query_labels"),
      py::kw_only(), py::arg("neighbours") = 10,
      "1 for each query whose nearest fitted rows name its label, else 0.");
  m.def(
      "linear_probe",
      [](const Doubles& fitted, const AnyArray& fitted_labels, const Doubles& queries,
         const AnyArray& query_labels, double ridge) {
        const Integers<std::int64_t> known(fitted_labels, "fitted_labels");
        const Integers<std::int64_t> asked(query_labels, "query_labels");
        const auto from = labelled(fitted, "fitted", known);
        const auto to = labelled(queries, "queries", asked);
        return numpy_of(unlocked([&] { return linear_probe(from, to, ridge); }));
      },
      py::arg("fitted"), py::arg("fitted_labels"), py::arg("queries"), py::arg("query_labels"),
      py::kw_only(), py::arg("ridge") = 1.,
      "1 for each query that least squares on the fitted rows calls right, else 0.");
  m.def(
      "relative_test",
      [](const Doubles& model, const Doubles& first, const Doubles& second,
         std::size_t permutations, std::size_t bandwidths, const std::vector<double>& lambdas,
         std::uint64_t seed) {
        const MatrixView a = matrix_of(model, "model"), b = matrix_of(first, "first");
        const MatrixView c = matrix_of(second, "second");
        const RelativeTestOptions options{permutations, bandwidths, lambdas, seed};
        return unlocked([&] { return relative_test(a, b, c, options); });
      },
      py::arg("model"), py::arg("first"), py::arg("second"), py::kw_only(),
      py::arg("permutations") = RelativeTestOptions{}.permutations,
      py::arg("bandwidths") = RelativeTestOptions{}.bandwidths,
      py::arg("lambdas") = RelativeTestOptions{}.lambdas, py::arg("seed") = 1,
      "Is the model's sample nearer to the first or the second? Row i of each is about one row.");
}

}  // namespace vestige::python
